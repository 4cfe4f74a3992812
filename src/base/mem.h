/* Memory: a tree of quotas, and arenas by lifetime.
 *
 * 1. Taking beyond any limit up the tree is refused before malloc is asked.
 * 2. An arena's memory is freed as a whole; children die with their parent; cleanup handlers run first,
 *    newest first.
 * 3. Big data is never an arena object: it streams as pages or blocks.
 * 4. In builds with AddressSanitizer an arena makes one malloc an object, so that overruns are seen.
 * Threads: quotas are atomic and may be shared; an arena belongs to one thread at a time. */
#ifndef WEIR_BASE_MEM_H
#define WEIR_BASE_MEM_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct weir_quota {
    struct weir_quota *parent; /* NULL: the process's root */
    const char *name;          /* "writer"; static text */
    uint64_t limit;            /* bytes; UINT64_MAX: only the parents limit */
    _Atomic uint64_t used, peak;
};

void weir_quota_init(struct weir_quota *q, struct weir_quota *parent, const char *name, uint64_t limit);
/* NOMEM names the quota that was full and weir.memoryLimit. q may be NULL: then nothing is counted. */
weir_rc weir_quota_take(struct weir_quota *q, uint64_t bytes, struct weir_error *err);
bool weir_quota_try(struct weir_quota *q, uint64_t bytes); /* the same without words */
void weir_quota_give(struct weir_quota *q, uint64_t bytes);

struct weir_mem; /* an arena */

/* parent may be NULL. Returns NULL when the system has no memory. q is borrowed, must outlive the arena. */
struct weir_mem *weir_mem_new(struct weir_mem *parent, struct weir_quota *q, const char *name);
void weir_mem_free(struct weir_mem *mem); /* NULL is fine */
/* Frees all objects and children; keeps one chunk for the next round so that a hot loop does not malloc. */
void weir_mem_reset(struct weir_mem *mem);
/* fn(arg) runs when the arena is reset or freed. false: no memory. */
bool weir_mem_on_free(struct weir_mem *mem, void (*fn)(void *arg), void *arg);

/* 16-byte aligned, not zeroed; NULL when a quota or the system refuses. size 0 gives a valid pointer. */
void *weir_mem_alloc(struct weir_mem *mem, size_t size);
void *weir_mem_zalloc(struct weir_mem *mem, size_t size);
/* Copies n bytes and adds a NUL. */
char *weir_mem_strndup(struct weir_mem *mem, const char *s, size_t n);
char *weir_mem_strdup(struct weir_mem *mem, const char *s);
char *weir_mem_printf(struct weir_mem *mem, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The NOMEM error for an allocation from mem that came back NULL. */
weir_rc weir_mem_fail(const struct weir_mem *mem, size_t size, struct weir_error *err);
struct weir_quota *weir_mem_quota(const struct weir_mem *mem);

/* p = alloc(...), or go to `out` with NOMEM. */
#define WEIR_NEW(p, mem_, size_)                                                                        \
    do {                                                                                                \
        (p) = weir_mem_zalloc((mem_), (size_));                                                         \
        if ((p) == NULL)                                                                                \
            WEIR_GO(weir_mem_fail((mem_), (size_), err));                                               \
    } while (0)

/* Heap memory under a quota, for what grows or outlives arenas. The size is given back by the caller. */
void *weir_heap_alloc(struct weir_quota *q, size_t size);                        /* 64-byte aligned */
void *weir_heap_grow(struct weir_quota *q, void *p, size_t old_size, size_t size); /* moves; NULL: p is kept */
void weir_heap_free(struct weir_quota *q, void *p, size_t size);
/* The NOMEM error for heap memory that came back NULL, naming the quota that is full. what: "a page". */
weir_rc weir_heap_fail(const struct weir_quota *q, size_t size, const char *what, struct weir_error *err);

#endif
