/* The folder _delta_log: names, what is in it, and its actions from the newest to the oldest.
 *
 * Follows the Delta protocol, "Delta Log Entries" and "Action Reconciliation". Nothing here writes. */
#ifndef WEIR_DELTA_LOG_H
#define WEIR_DELTA_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "store/store.h"

enum { WEIR_LOG_KEY = 48 };
void weir_log_key(char key[WEIR_LOG_KEY], int64_t version); /* "_delta_log/00000000000000000003.json" */
void weir_log_crc_key(char key[WEIR_LOG_KEY], int64_t version);

struct weir_log_range {
    int64_t newest;     /* commit; -1: none */
    int64_t oldest;     /* of the run without a hole that ends at newest */
    int64_t checkpoint; /* newest one; -1: none */
    int64_t crc;        /* newest version checksum; -1: none */
};

/* NOTFOUND: no table here. CORRUPT: a commit is missing (and no checkpoint stands above the hole).
 * UNSUPPORTED: a checkpoint is newer than every commit. */
weir_rc weir_log_list(struct weir_store *st, struct weir_log_range *out, struct weir_error *err);
/* When that commit was written, by its file. NOTFOUND. */
weir_rc weir_log_time(struct weir_store *st, int64_t version, int64_t *ms, struct weir_error *err);
/* The error for a reader that needs what stands below `oldest`. */
weir_rc weir_log_too_short(const struct weir_log_range *range, struct weir_error *err);

/* Calls fn for each line of the commits `newest` .. `oldest`, newest first and within a commit last line first, and
 * with line NULL behind each commit. So the first that is seen of anything is what counts. fn: OK, END to stop, or
 * an error, which gets file and line added. A commit that is missing is CORRUPT. Memory: one line and one block. */
typedef weir_rc weir_log_fn(void *arg, int64_t version, const char *line, size_t len, struct weir_error *err);
weir_rc weir_log_walk(struct weir_store *st, int64_t newest, int64_t oldest, struct weir_quota *q, weir_log_fn *fn,
                      void *arg, struct weir_error *err);

#endif
