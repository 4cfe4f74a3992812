/* The data files of a snapshot, one after the other.
 *
 * Newest first: the commits above the checkpoint with a set of 16-byte keys, then the checkpoint's rows past
 * that set. So memory is that of the commits above the checkpoint, never of the files: a table of a million
 * files is a stream. Follows the Delta protocol, "Action Reconciliation". */
#ifndef WEIR_DELTA_FILES_H
#define WEIR_DELTA_FILES_H

#include "delta/checkpoint.h"
#include "delta/prune.h"
#include "delta/snapshot.h"

struct weir_live;

struct weir_live_ask {
    unsigned what;                  /* WEIR_FILE_STATS and so on */
    const struct weir_prune *prune; /* files that cannot hold a row of these are left out; NULL: all */
};

/* Of snap->version. CORRUPT: the log or every checkpoint that could do is broken; a broken one that is not
 * needed is passed over with a warning. */
weir_rc weir_live_open(struct weir_store *st, const struct weir_snapshot *snap,
                       const struct weir_live_ask *ask, struct weir_quota *q, struct weir_live **out,
                       struct weir_error *err);
/* The next live file (or tombstone, when these are asked for); END. Texts are valid until the next call. */
weir_rc weir_live_next(struct weir_live *files, struct weir_file *out, struct weir_error *err);
uint64_t weir_live_pruned(const struct weir_live *files); /* left out so far */
void weir_live_close(struct weir_live *files);            /* NULL is fine */

#endif
