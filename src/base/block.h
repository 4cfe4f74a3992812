/* Blocks of input bytes, counted by reference, recycled by a pool with a fixed ceiling.
 *
 * 1. A block has 64 readable, zeroed bytes behind its data, so that vector loads may run over the end.
 * 2. weir_block_get() waits while the pool is at its ceiling; that wait is weir's backpressure.
 * 3. A record larger than a block gets a block of its own size, counted under the same quota.
 * Threads: the pool and the reference counts are safe for any thread; the bytes belong to the owner. */
#ifndef WEIR_BASE_BLOCK_H
#define WEIR_BASE_BLOCK_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/stop.h"

enum { WEIR_BLOCK_PAD = 64 };

struct weir_block {
    struct weir_block_pool *pool;
    struct weir_block *next; /* in the pool's list of free ones */
    _Atomic uint32_t refs;
    size_t len, cap;      /* bytes used, bytes there (the pad not counted) */
    int64_t offset;       /* of data[0] in its object, after decompression; -1: unknown */
    char *data;
};

struct weir_block_pool;
weir_rc weir_block_pool_new(struct weir_quota *q, uint64_t max_bytes, struct weir_stop *stop,
                            struct weir_block_pool **out, struct weir_error *err);
void weir_block_pool_free(struct weir_block_pool *pool); /* all blocks must be back */
/* At least size bytes (0: WEIR_BLOCK_BYTES). May wait. A block over the ceiling is given when no other block
 * is out. STOPPED, NOMEM. */
weir_rc weir_block_get(struct weir_block_pool *pool, size_t size, struct weir_block **out, struct weir_error *err);
/* Moves the block's bytes into one of at least size bytes; *block is replaced. Must hold the only reference. */
weir_rc weir_block_grow(struct weir_block **block, size_t size, struct weir_error *err);
void weir_block_ref(struct weir_block *block);
void weir_block_put(struct weir_block *block); /* NULL is fine */
void weir_block_seal(struct weir_block *block); /* zeroes the pad behind len */

#endif
