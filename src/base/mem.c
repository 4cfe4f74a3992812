/* Quotas and arenas.
 *
 * 1. used of a quota is the sum of what was taken from it and from all below it: a take goes up the whole chain
 *    or leaves no trace.
 * 2. A chunk's memory comes from malloc and is counted with its header before malloc is asked.
 * 3. All chunks of an arena hang in one list, the one being filled first. Chunks double up to CHUNK_MAX; an
 *    object that would waste a chunk gets one of its own, behind the first.
 * 4. Under AddressSanitizer every object is a chunk of its own, so that a run over its end is seen.
 * Threads: quotas are lock-free; an arena has one owner at a time, and so has its list of children. */
#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_MIN = 1024, CHUNK_MAX = 1024 * 1024, ALIGN = 16 };

#if defined(__SANITIZE_ADDRESS__)
#define MEM_ONE_CHUNK_AN_OBJECT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MEM_ONE_CHUNK_AN_OBJECT 1
#endif
#endif
#ifndef MEM_ONE_CHUNK_AN_OBJECT
#define MEM_ONE_CHUNK_AN_OBJECT 0
#endif

struct chunk {
    struct chunk *next;
    size_t size, used; /* of data */
    _Alignas(ALIGN) char data[];
};

struct cleanup { /* an object of the arena itself */
    struct cleanup *next;
    void (*fn)(void *arg);
    void *arg;
};

struct weir_mem {
    struct weir_mem *parent, *kids, *prev, *next; /* prev and next: among the parent's kids */
    struct weir_quota *q;
    const char *name;
    struct chunk *chunks;
    struct cleanup *cleanups;
    size_t chunk_size; /* of the next one */
};

/* ---- quotas ---- */

void
weir_quota_init(struct weir_quota *q, struct weir_quota *parent, const char *name, uint64_t limit)
{
    q->parent = parent;
    q->name = name;
    q->limit = limit;
    atomic_init(&q->used, 0);
    atomic_init(&q->peak, 0);
}

static bool
quota_add(struct weir_quota *q, uint64_t bytes)
{
    uint64_t used = atomic_load_explicit(&q->used, memory_order_relaxed);

    do {
        if (used > q->limit || bytes > q->limit - used)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&q->used, &used, used + bytes, memory_order_relaxed,
                                                    memory_order_relaxed));
    return true;
}

static void
quota_sub(struct weir_quota *q, uint64_t bytes)
{
    uint64_t before = atomic_fetch_sub_explicit(&q->used, bytes, memory_order_relaxed);

    WEIR_ASSERT(before >= bytes);
}

static void
quota_note_peak(struct weir_quota *q)
{
    uint64_t used = atomic_load_explicit(&q->used, memory_order_relaxed);
    uint64_t peak = atomic_load_explicit(&q->peak, memory_order_relaxed);

    while (used > peak && !atomic_compare_exchange_weak_explicit(&q->peak, &peak, used, memory_order_relaxed,
                                                                 memory_order_relaxed))
        ;
}

/* Takes up the whole chain; returns the quota that refused, with nothing taken, or NULL. */
static struct weir_quota *
quota_take_chain(struct weir_quota *q, uint64_t bytes)
{
    struct weir_quota *full, *p;

    for (full = q; full != NULL && quota_add(full, bytes); full = full->parent)
        ;
    for (p = q; p != full; p = p->parent) {
        if (full != NULL)
            quota_sub(p, bytes);
        else
            quota_note_peak(p);
    }
    return full;
}

static weir_rc
quota_fail(const struct weir_quota *full, uint64_t bytes, struct weir_error *err)
{
    weir_fail(err, WEIR_NOMEM, "%" PRIu64 " bytes more do not fit: %s holds %" PRIu64 " of its %" PRIu64 " bytes",
              bytes, full->name, atomic_load_explicit(&full->used, memory_order_relaxed), full->limit);
    return weir_error_hint(err, "raise weir.memoryLimit, or lower the number of lanes or the bytes a trigger takes");
}

weir_rc
weir_quota_take(struct weir_quota *q, uint64_t bytes, struct weir_error *err)
{
    struct weir_quota *full = quota_take_chain(q, bytes);

    return full == NULL ? WEIR_OK : quota_fail(full, bytes, err);
}

bool
weir_quota_try(struct weir_quota *q, uint64_t bytes)
{
    return quota_take_chain(q, bytes) == NULL;
}

void
weir_quota_give(struct weir_quota *q, uint64_t bytes)
{
    for (; q != NULL; q = q->parent)
        quota_sub(q, bytes);
}

/* ---- heap under a quota ---- */

enum { HEAP_ALIGN = 64 };

void *
weir_heap_alloc(struct weir_quota *q, size_t size)
{
    void *p;

    if (size > SIZE_MAX / 2 || !weir_quota_try(q, size))
        return NULL;
    p = aligned_alloc(HEAP_ALIGN, (size + HEAP_ALIGN) & ~(size_t)(HEAP_ALIGN - 1));
    if (p == NULL)
        weir_quota_give(q, size);
    return p;
}

void *
weir_heap_grow(struct weir_quota *q, void *p, size_t old_size, size_t size)
{
    void *grown = weir_heap_alloc(q, size);

    if (grown == NULL)
        return NULL;
    if (p != NULL)
        memcpy(grown, p, old_size < size ? old_size : size);
    weir_heap_free(q, p, old_size);
    return grown;
}

void
weir_heap_free(struct weir_quota *q, void *p, size_t size)
{
    if (p == NULL)
        return;
    free(p);
    weir_quota_give(q, size);
}

weir_rc
weir_heap_fail(const struct weir_quota *q, size_t size, const char *what, struct weir_error *err)
{
    for (; q != NULL; q = q->parent) {
        uint64_t used = atomic_load_explicit(&q->used, memory_order_relaxed);

        if (used > q->limit || size > q->limit - used) {
            quota_fail(q, size, err);
            return weir_error_context(err, "memory of %s", what);
        }
    }
    weir_fail(err, WEIR_NOMEM, "the system has no %zu bytes of memory for %s", size, what);
    return weir_error_hint(err, "lower weir.memoryLimit or give the process more memory");
}

/* ---- arenas ---- */

struct weir_mem *
weir_mem_new(struct weir_mem *parent, struct weir_quota *q, const char *name)
{
    struct weir_mem *mem;

    if (!weir_quota_try(q, sizeof(*mem)))
        return NULL;
    mem = calloc(1, sizeof(*mem));
    if (mem == NULL) {
        weir_quota_give(q, sizeof(*mem));
        return NULL;
    }
    mem->q = q;
    mem->name = name;
    mem->chunk_size = CHUNK_MIN;
    mem->parent = parent;
    if (parent != NULL) {
        mem->next = parent->kids;
        if (mem->next != NULL)
            mem->next->prev = mem;
        parent->kids = mem;
    }
    return mem;
}

static struct chunk *
chunk_new(struct weir_mem *mem, size_t size)
{
    struct chunk *chunk;

    if (!weir_quota_try(mem->q, sizeof(*chunk) + size))
        return NULL;
    chunk = malloc(sizeof(*chunk) + size);
    if (chunk == NULL) {
        weir_quota_give(mem->q, sizeof(*chunk) + size);
        return NULL;
    }
    chunk->next = NULL;
    chunk->size = size;
    chunk->used = 0;
    return chunk;
}

static void
chunk_free(struct weir_mem *mem, struct chunk *chunk)
{
    weir_quota_give(mem->q, sizeof(*chunk) + chunk->size);
    free(chunk);
}

static void mem_destroy(struct weir_mem *mem);

/* Handlers first, newest first (they may still use the arena and its children); then the children. A handler may
 * register another. */
static void
mem_run_down(struct weir_mem *mem)
{
    while (mem->cleanups != NULL) {
        struct cleanup *c = mem->cleanups;

        mem->cleanups = c->next;
        c->fn(c->arg);
    }
    while (mem->kids != NULL) {
        struct weir_mem *kid = mem->kids;

        mem->kids = kid->next;
        if (kid->next != NULL)
            kid->next->prev = NULL;
        mem_destroy(kid);
    }
}

/* Frees an arena that hangs in no list. */
static void
mem_destroy(struct weir_mem *mem)
{
    struct chunk *chunk, *next;

    mem_run_down(mem);
    for (chunk = mem->chunks; chunk != NULL; chunk = next) {
        next = chunk->next;
        chunk_free(mem, chunk);
    }
    weir_quota_give(mem->q, sizeof(*mem));
    free(mem);
}

void
weir_mem_free(struct weir_mem *mem)
{
    if (mem == NULL)
        return;
    if (mem->prev != NULL)
        mem->prev->next = mem->next;
    else if (mem->parent != NULL)
        mem->parent->kids = mem->next;
    if (mem->next != NULL)
        mem->next->prev = mem->prev;
    mem_destroy(mem);
}

void
weir_mem_reset(struct weir_mem *mem)
{
    struct chunk *keep = NULL, *chunk, *next;

    mem_run_down(mem);
    for (chunk = mem->chunks; chunk != NULL; chunk = next) {
        next = chunk->next;
        /* The largest of the regular size; an odd big object must not stay for ever. */
        if (!MEM_ONE_CHUNK_AN_OBJECT && chunk->size <= CHUNK_MAX && (keep == NULL || chunk->size > keep->size)) {
            if (keep != NULL)
                chunk_free(mem, keep);
            keep = chunk;
        } else {
            chunk_free(mem, chunk);
        }
    }
    mem->chunks = keep;
    if (keep != NULL) {
        keep->next = NULL;
        keep->used = 0;
#ifdef WEIR_POISON
        memset(keep->data, 0xa5, keep->size);
#endif
    }
}

/* A chunk with room for size bytes, linked in its place. */
static struct chunk *
mem_chunk_for(struct weir_mem *mem, size_t size)
{
    struct chunk *chunk;
    bool own = MEM_ONE_CHUNK_AN_OBJECT || size > mem->chunk_size / 4;

    chunk = chunk_new(mem, own ? size : mem->chunk_size);
    if (chunk == NULL && !own) { /* near the limit: just what is needed */
        own = true;
        chunk = chunk_new(mem, size);
    }
    if (chunk == NULL)
        return NULL;
    if (own && mem->chunks != NULL) {
        chunk->next = mem->chunks->next;
        mem->chunks->next = chunk;
    } else {
        chunk->next = mem->chunks;
        mem->chunks = chunk;
    }
    if (mem->chunk_size < CHUNK_MAX)
        mem->chunk_size *= 2;
    return chunk;
}

void *
weir_mem_alloc(struct weir_mem *mem, size_t size)
{
    struct chunk *chunk = mem->chunks;
    size_t room;
    void *p;

    if (size > SIZE_MAX / 2)
        return NULL;
    room = MEM_ONE_CHUNK_AN_OBJECT ? size : (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (room == 0)
        room = MEM_ONE_CHUNK_AN_OBJECT ? 1 : ALIGN;
    if (chunk == NULL || room > chunk->size - chunk->used) {
        chunk = mem_chunk_for(mem, room);
        if (chunk == NULL)
            return NULL;
    }
    p = chunk->data + chunk->used;
    chunk->used += room;
    return p;
}

void *
weir_mem_zalloc(struct weir_mem *mem, size_t size)
{
    void *p = weir_mem_alloc(mem, size);

    return p == NULL ? NULL : memset(p, 0, size);
}

char *
weir_mem_strndup(struct weir_mem *mem, const char *s, size_t n)
{
    char *copy = n == SIZE_MAX ? NULL : weir_mem_alloc(mem, n + 1);

    if (copy == NULL)
        return NULL;
    if (n > 0)
        memcpy(copy, s, n);
    copy[n] = '\0';
    return copy;
}

char *
weir_mem_strdup(struct weir_mem *mem, const char *s)
{
    return weir_mem_strndup(mem, s, strlen(s));
}

char *
weir_mem_printf(struct weir_mem *mem, const char *fmt, ...)
{
    va_list args, again;
    char *text = NULL;
    int len;

    va_start(args, fmt);
    va_copy(again, args);
    len = vsnprintf(NULL, 0, fmt, args);
    if (len >= 0)
        text = weir_mem_alloc(mem, (size_t)len + 1);
    if (text != NULL)
        vsnprintf(text, (size_t)len + 1, fmt, again);
    va_end(again);
    va_end(args);
    return text;
}

bool
weir_mem_on_free(struct weir_mem *mem, void (*fn)(void *arg), void *arg)
{
    struct cleanup *c = weir_mem_alloc(mem, sizeof(*c));

    if (c == NULL)
        return false;
    *c = (struct cleanup){.next = mem->cleanups, .fn = fn, .arg = arg};
    mem->cleanups = c;
    return true;
}

weir_rc
weir_mem_fail(const struct weir_mem *mem, size_t size, struct weir_error *err)
{
    return weir_heap_fail(mem->q, size + sizeof(struct chunk), mem->name, err);
}

struct weir_quota *
weir_mem_quota(const struct weir_mem *mem)
{
    return mem->q;
}
