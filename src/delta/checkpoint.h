/* What a checkpoint holds, whatever its form: classic, in parts, V2 with a Parquet or JSON top file, and
 * sidecars.
 *
 * Follows the Delta protocol, "Checkpoints". Read as a stream: memory does not grow with the number of files.
 * */
#ifndef WEIR_DELTA_CHECKPOINT_H
#define WEIR_DELTA_CHECKPOINT_H

#include "delta/file.h"
#include "delta/log.h"

/* Its protocol, metaData, txn and domainMetadata actions, in no order. Only these columns are read, so the
 * cost hardly grows with the files. fn: OK, END to stop, or an error. CORRUPT, NOTFOUND: the checkpoint is
 * broken, and an older one or the commits may still do. */
typedef weir_rc weir_checkpoint_fn(void *arg, weir_action_kind kind, const json_t *body,
                                   struct weir_error *err);
weir_rc weir_checkpoint_small(struct weir_store *st, const struct weir_checkpoint *cp, struct weir_quota *q,
                              weir_checkpoint_fn *fn, void *arg, struct weir_error *err);

/* Whether every object of it is there and opens, sidecars too, and it has a protocol and metaData. CORRUPT,
 * NOTFOUND: it is broken. */
weir_rc weir_checkpoint_check(struct weir_store *st, const struct weir_checkpoint *cp, struct weir_quota *q,
                              struct weir_error *err);

/* What a version can be read from: as weir_log_find(), but checkpoints that are broken are passed over, with
 * a warning. */
weir_rc weir_checkpoint_range(struct weir_store *st, int64_t version, struct weir_quota *q,
                              struct weir_log_range *out, struct weir_error *err);

enum { /* what of its file actions is wanted beside path, size, partition values and deletion vector */
       WEIR_FILE_STATS = 1,
       WEIR_FILE_REST = 2,   /* tags, row ids, clustering: to write them again */
       WEIR_FILE_REMOVES = 4 /* tombstones too */
};

struct weir_checkpoint_files;
weir_rc weir_checkpoint_files_open(struct weir_store *st, const struct weir_checkpoint *cp, unsigned what,
                                   struct weir_quota *q, struct weir_checkpoint_files **out,
                                   struct weir_error *err);
/* The next add or remove; END. Texts are valid until the next call. CORRUPT, NOTFOUND as above. */
weir_rc weir_checkpoint_files_next(struct weir_checkpoint_files *cf, struct weir_file *out,
                                   struct weir_error *err);
void weir_checkpoint_files_close(struct weir_checkpoint_files *cf); /* NULL is fine */

#endif
