/* An append as one commit: who writes it, what it says, and what happens when others commit at the same time.
 *
 * Follows the Delta protocol, "Delta Log Entries" (atomic creation of the next version), and Spark's DeltaSink and
 * OptimisticTransaction for the shape of the commit and for conflicts.
 * 1. A commit is one put-if-absent of version V + 1. Lost: each winner is read, in order, and judged; then the next
 *    version is tried.
 * 2. A put whose outcome is not known is settled at the same version, with the same bytes, by txnId: V + 2 is never
 *    tried before V + 1 is proved to be somebody else's.
 * 3. A winner that carries the own app id means that another run of this query is at work: FENCED.
 * 4. The transaction of (app id, batch) and the files are one commit, so a batch is in the table once or not at all. */
#ifndef WEIR_DELTA_TXN_H
#define WEIR_DELTA_TXN_H

#include "base/stop.h"
#include "delta/bind.h"
#include "delta/snapshot.h"

struct weir_txn {
    struct weir_store *st;
    struct weir_snapshot *snap;         /* moved to the committed version */
    const struct weir_binding *binding; /* of the files */
    const struct weir_type *rows;       /* for a new binding when the table has changed */
    const struct weir_bind_options *bind;
    struct weir_mem *mem;               /* of the batch */
    struct weir_quota *quota;
    struct weir_stop *stop;
    int64_t batch;
    const char *query_id, *pipeline;
    const char *from, *to;              /* the source's range; from may be NULL */
    const char *user_metadata;          /* may be NULL */
    uint64_t rows_written, files, bytes;
    const char *adds;                   /* lines of add actions */
    size_t adds_len;
};

/* On OK *version is the commit's. FENCED; CONFLICT: the table changed so that the files must be written again;
 * SCHEMA: it changed so that they cannot be. These and STOPPED prove that the commit was not made. After any other
 * code (UNKNOWN above all) it may have been: delete nothing. After anything but OK the snapshot is behind or half
 * moved: open a new one. */
weir_rc weir_txn_commit(const struct weir_txn *txn, int64_t *version, struct weir_error *err);
/* One line of an add action. values: JSON object of partition values; stats: JSON text. */
void weir_txn_add(struct weir_buf *buf, const char *path, size_t path_len, const char *values, size_t values_len,
                  uint64_t size, int64_t mtime_ms, const char *stats, size_t stats_len);

#endif
