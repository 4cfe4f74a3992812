/* Writing checkpoints: what the log says at a version, in one Parquet file, so that readers need not begin at
 * 0.
 *
 * Follows the Delta protocol, "Checkpoints" (V1, classic name), as Spark writes and reads them: protocol,
 * metaData, the newest txn of every query, domains, live files, and tombstones younger than
 * delta.deletedFileRetentionDuration. Never deletes anything: commits below a checkpoint stay. Written when a
 * version is a multiple of delta.checkpointInterval (10), after the commit and off its way. One that was
 * missed, because the process died or the disk was full, is made up for after the next commit. */
#ifndef WEIR_DELTA_CKPT_H
#define WEIR_DELTA_CKPT_H

#include "delta/snapshot.h"

/* The version whose checkpoint is due once snap->version is committed, as far as the snapshot knows; -1:
 * none. */
int64_t weir_ckpt_due(const struct weir_snapshot *snap);
/* Writes the checkpoint of `version`, then _last_checkpoint. One that is there already is left alone (OK).
 * Memory does not grow with the number of files. CORRUPT, IO, NOMEM, UNSUPPORTED: nothing is lost, there is
 * no checkpoint. */
weir_rc weir_ckpt_write(struct weir_store *st, int64_t version, struct weir_quota *q, struct weir_error *err);
/* Both, for a writer that has committed: a failure is a warning, and not tried again before the next
 * interval. Returns an error only from a fail point. */
void weir_ckpt_after(struct weir_store *st, struct weir_snapshot *snap, struct weir_quota *q);

#endif
