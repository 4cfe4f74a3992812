"""The other engines that read and write what weir writes: one module a peer."""
