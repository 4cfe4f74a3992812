/* The files that a listing found and that wait to be taken, in the order in which they will be.
 *
 * Order: modification time, then path (latestFirst: newest time first). At most `max` are kept, the first ones in
 * that order; the others are counted and found again by a later listing. So memory is bounded whatever lies there:
 * about 100 bytes a kept file.
 * Threads: one owner. */
#ifndef WEIR_SOURCE_FOUND_H
#define WEIR_SOURCE_FOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"

struct weir_found_file {
    const char *key;
    int64_t size, mtime_ms;
};

struct weir_found {
    struct weir_quota *q;
    struct weir_mem *mem; /* the keys */
    struct weir_found_file *at;
    size_t next, n, cap, max; /* at[next..n) wait */
    bool latest_first;
    uint64_t dropped, dropped_bytes; /* what did not fit */
    size_t live, used;               /* bytes of keys that count, and that were written */
};

void weir_found_init(struct weir_found *found, struct weir_quota *q, bool latest_first);
void weir_found_fini(struct weir_found *found);
/* Empty again, for a new listing. */
weir_rc weir_found_begin(struct weir_found *found, size_t max, struct weir_error *err);
weir_rc weir_found_add(struct weir_found *found, const char *key, int64_t size, int64_t mtime_ms,
                       struct weir_error *err);
/* All are added: sorts. */
void weir_found_end(struct weir_found *found);
static inline size_t
weir_found_left(const struct weir_found *found)
{
    return found->n - found->next;
}

#endif
