/* The pool of input blocks.
 *
 * 1. held is the bytes of all blocks, out or free, as their readers see them (cap); it is at most max, but for
 *    invariant 3.
 * 2. Free blocks all have the usual size. A block of another size is freed when its last reference goes.
 * 3. When every block that is out belongs to somebody who waits here for a bigger one, one of those gets it even
 *    over the ceiling: otherwise a record larger than the pool would wait for ever. The quota still holds.
 * Threads: one lock around the fields; the bytes of a block belong to who holds it.
 * Waiting: a condition with a period of WAIT_MS, so that a stop is seen in time without a thread to signal it. */
#include "base/block.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"

enum { WAIT_MS = 50, HEADER_BYTES = 64 };

_Static_assert(sizeof(struct weir_block) <= HEADER_BYTES, "the data of a block starts 64 bytes behind its head");

struct weir_block_pool {
    struct weir_quota *q;
    struct weir_stop *stop;
    uint64_t max, held;
    unsigned out;     /* blocks that are not free */
    unsigned growing; /* of these, held by those who wait in weir_block_grow() */
    struct weir_block *free;
    pthread_mutex_t lock;
    pthread_cond_t back; /* a block came back */
};

weir_rc
weir_block_pool_new(struct weir_quota *q, uint64_t max_bytes, struct weir_stop *stop, struct weir_block_pool **out,
                    struct weir_error *err)
{
    struct weir_block_pool *pool = calloc(1, sizeof(*pool));
    pthread_condattr_t attr;

    if (pool == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory for a block pool");
    pool->q = q;
    pool->stop = stop;
    pool->max = max_bytes;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&pool->back, &attr);
    pthread_condattr_destroy(&attr);
    *out = pool;
    return WEIR_OK;
}

static size_t
block_bytes(size_t cap)
{
    return HEADER_BYTES + cap + WEIR_BLOCK_PAD;
}

/* The next four are called with the lock held. */

static void
pool_drop(struct weir_block_pool *pool, struct weir_block *block)
{
    pool->held -= block->cap;
    weir_heap_free(pool->q, block, block_bytes(block->cap));
}

static void
pool_drop_free(struct weir_block_pool *pool)
{
    while (pool->free != NULL) {
        struct weir_block *block = pool->free;

        pool->free = block->next;
        pool_drop(pool, block);
    }
}

static weir_rc
pool_make(struct weir_block_pool *pool, size_t cap, struct weir_block **out, struct weir_error *err)
{
    struct weir_block *block = weir_heap_alloc(pool->q, block_bytes(cap));

    if (block == NULL) {
        pool_drop_free(pool); /* the bytes may be standing there, in the wrong size */
        block = weir_heap_alloc(pool->q, block_bytes(cap));
    }
    if (block == NULL)
        return weir_heap_fail(pool->q, block_bytes(cap), "a block of input", err);
    block->pool = pool;
    block->cap = cap;
    block->data = (char *)block + HEADER_BYTES;
    pool->held += cap;
    *out = block;
    return WEIR_OK;
}

static void
pool_wait(struct weir_block_pool *pool)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += WAIT_MS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000L;
    }
    pthread_cond_timedwait(&pool->back, &pool->lock, &until);
}

/* May a block of cap bytes be made now? Makes room out of the free ones when that helps. */
static bool
pool_has_room(struct weir_block_pool *pool, size_t cap)
{
    if (pool->held + cap > pool->max)
        pool_drop_free(pool);
    return pool->held + cap <= pool->max || pool->out == pool->growing;
}

static weir_rc
pool_take(struct weir_block_pool *pool, size_t cap, struct weir_block **out, struct weir_error *err)
{
    for (;;) {
        WEIR_TRY(weir_stop_check(pool->stop, err));
        if (cap == WEIR_BLOCK_BYTES && pool->free != NULL) {
            *out = pool->free;
            pool->free = (*out)->next;
            return WEIR_OK;
        }
        if (pool_has_room(pool, cap))
            return pool_make(pool, cap, out, err);
        pool_wait(pool);
    }
}

/* mine: blocks that the caller holds and will give back for this one (0 or 1). */
static weir_rc
block_get(struct weir_block_pool *pool, size_t size, unsigned mine, struct weir_block **out, struct weir_error *err)
{
    size_t cap = size <= WEIR_BLOCK_BYTES ? WEIR_BLOCK_BYTES : size;
    weir_rc rc;

    if (cap > SIZE_MAX / 4)
        return weir_fail(err, WEIR_NOMEM, "a block of %zu bytes cannot be", size);
    pthread_mutex_lock(&pool->lock);
    pool->growing += mine;
    rc = pool_take(pool, cap, out, err);
    pool->growing -= mine;
    if (rc == WEIR_OK)
        pool->out++;
    pthread_mutex_unlock(&pool->lock);
    if (rc != WEIR_OK)
        return rc;
    (*out)->next = NULL;
    (*out)->len = 0;
    (*out)->offset = -1;
    atomic_init(&(*out)->refs, 1);
    weir_block_seal(*out);
    return WEIR_OK;
}

weir_rc
weir_block_get(struct weir_block_pool *pool, size_t size, struct weir_block **out, struct weir_error *err)
{
    return block_get(pool, size, 0, out, err);
}

weir_rc
weir_block_grow(struct weir_block **block, size_t size, struct weir_error *err)
{
    struct weir_block *old = *block, *bigger;

    WEIR_ASSERT(atomic_load(&old->refs) == 1);
    if (size <= old->cap)
        return WEIR_OK;
    WEIR_TRY(block_get(old->pool, size, 1, &bigger, err));
    memcpy(bigger->data, old->data, old->len);
    bigger->len = old->len;
    bigger->offset = old->offset;
    weir_block_seal(bigger);
    weir_block_put(old);
    *block = bigger;
    return WEIR_OK;
}

void
weir_block_ref(struct weir_block *block)
{
    atomic_fetch_add_explicit(&block->refs, 1, memory_order_relaxed);
}

void
weir_block_put(struct weir_block *block)
{
    struct weir_block_pool *pool;
    uint32_t before;

    if (block == NULL)
        return;
    before = atomic_fetch_sub_explicit(&block->refs, 1, memory_order_acq_rel);
    WEIR_ASSERT(before > 0);
    if (before > 1)
        return;
    pool = block->pool;
#ifdef WEIR_POISON
    memset(block->data, 0xa5, block->cap);
#endif
    pthread_mutex_lock(&pool->lock);
    pool->out--;
    if (block->cap == WEIR_BLOCK_BYTES && pool->held <= pool->max) {
        block->next = pool->free;
        pool->free = block;
    } else {
        pool_drop(pool, block);
    }
    pthread_cond_broadcast(&pool->back);
    pthread_mutex_unlock(&pool->lock);
}

void
weir_block_seal(struct weir_block *block)
{
    WEIR_ASSERT(block->len <= block->cap);
    memset(block->data + block->len, 0, WEIR_BLOCK_PAD);
}

void
weir_block_pool_free(struct weir_block_pool *pool)
{
    if (pool == NULL)
        return;
    WEIR_ASSERT(pool->out == 0);
    pool_drop_free(pool);
    pthread_cond_destroy(&pool->back);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}
