"""The pages of a Parquet file, read from their headers: a small reader of Thrift's compact protocol, made from the
format's text alone, so that it shares no code with what it checks."""
import zlib


def _varint(buf, at):
    value = shift = 0
    while True:
        byte = buf[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def _zigzag(buf, at):
    value, at = _varint(buf, at)
    return (value >> 1) ^ -(value & 1), at


def _value(buf, at, kind):
    if kind in (1, 2):
        return kind == 1, at
    if kind == 3:
        return int.from_bytes(buf[at:at + 1], "little", signed=True), at + 1
    if kind in (4, 5, 6):
        return _zigzag(buf, at)
    if kind == 8:
        size, at = _varint(buf, at)
        return buf[at:at + size], at + size
    if kind == 9:
        head = buf[at]
        count, at = (head >> 4, at + 1) if head >> 4 != 15 else _varint(buf, at + 1)
        values = []
        for _ in range(count):
            value, at = _value(buf, at, head & 15)
            values.append(value)
        return values, at
    if kind == 12:
        return struct(buf, at)
    raise AssertionError("thrift type %d" % kind)


def struct(buf, at=0):
    """({field id: value}, where it ends)"""
    fields, last = {}, 0
    while buf[at] != 0:
        head = buf[at]
        at += 1
        if head >> 4:
            last += head >> 4
        else:
            last, at = _zigzag(buf, at)
        assert last not in fields
        fields[last], at = _value(buf, at, head & 15)
    return fields, at + 1


def footer(buf):
    """FileMetaData by field ids."""
    assert buf[:4] == buf[-4:] == b"PAR1"
    size = int.from_bytes(buf[-8:-4], "little")
    fields, end = struct(buf[-8 - size:-8])
    assert end == size
    return fields


def pages(buf, chunk):
    """The page headers of a ColumnChunk, dictionary first: (fields, bytes with the header); checks that they fill it."""
    meta = chunk[3]
    at = meta.get(11, meta[9])
    end = at + meta[7]
    found = []
    while at < end:
        if at != meta.get(11):
            assert at >= meta[9]
        header, body = struct(buf, at)
        assert header[4] & 0xFFFFFFFF == zlib.crc32(buf[body:body + header[3]])
        found.append((header, body - at + header[3]))
        at = body + header[3]
    assert at == end
    return found
