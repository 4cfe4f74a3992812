/* The work of a batch, between those that name it (source/) and those that do it (reader/). */
#ifndef WEIR_STORE_TASK_H
#define WEIR_STORE_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/block.h"
#include "base/mem.h"
#include "store/store.h"

struct weir_task {
    uint32_t object;       /* index in its batch */
    struct weir_store *store; /* where the object is; NULL when the bytes are here */
    const char *key;
    int64_t size, mtime_ms;
    int64_t from, to;      /* byte range, -1: to the end */
    bool pinned;           /* with another mtime_ms it is another object, not to be read in this one's place */
    struct weir_block *block; /* bytes already fetched (reference held by the tasks), or NULL */
    const char *name;      /* for messages and positions when there is no key */
};

struct weir_tasks {
    struct weir_task *at;
    uint32_t n;
    struct weir_mem *mem; /* owns the array and the names */
};
void weir_tasks_fini(struct weir_tasks *tasks); /* gives blocks back; frees mem */

#endif
