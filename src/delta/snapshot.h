/* What a writer must know of a table: its newest version, protocol, metaData, and how far one query has come.
 * Not its files (delta/files.h): an append does not grow with the table.
 *
 * The cost of opening: a listing of the log folder from the newest checkpoint on; then commits from the
 * newest down until protocol, metaData and the query's txn are found, and the checkpoint's small columns when
 * they are not. Commits of weir carry in their tags where protocol and metaData stand, and a version checksum
 * (.crc) of Spark's carries all three, so that is usually a handful of files. A query id that the table has
 * never seen costs a pass over the whole log, once: another query of the same pipeline may stand anywhere in
 * it. Afterwards the snapshot is moved on by each commit, its own or a winner's, without listing. */
#ifndef WEIR_DELTA_SNAPSHOT_H
#define WEIR_DELTA_SNAPSHOT_H

#include "delta/action.h"
#include "delta/log.h"

#define WEIR_TAG_PIPELINE "weir.pipeline"
#define WEIR_TAG_PROTOCOL "weir.log.protocol"
#define WEIR_TAG_METADATA "weir.log.metaData"

struct weir_snapshot {
    int64_t version; /* -1: there is no table */
    int64_t size, mtime_ms; /* of that commit's file, by which it is known again; size -1: not known */
    struct weir_protocol protocol;
    struct weir_metadata meta;
    int64_t protocol_version, meta_version; /* the commits that hold them; -1: not known */
    int64_t checkpoint;                     /* newest one that is known of; -1: none */
    int64_t txn;                            /* newest version of the app id asked for; -1: none */
    int64_t written_ms;                     /* when the commit was written, by the store; of opening time */
    int64_t ict;                            /* in-commit timestamp of `version`; INT64_MIN: none */
    char other_query[64];                   /* another query id whose commits carry our pipeline's name, or "" */
    struct weir_mem *mem;                   /* owns all texts */
    const char *app_id, *pipeline;          /* borrowed */
};

/* app_id and pipeline may be NULL. No table: version -1. CORRUPT, UNSUPPORTED. Does not judge the protocol.
 * */
weir_rc weir_snapshot_open(struct weir_store *st, const char *app_id, const char *pipeline, struct weir_quota *q,
                           struct weir_snapshot **out, struct weir_error *err);
/* The table as it was at a version (-1: as it is), for readers. NOTFOUND: no table, or no such version. */
weir_rc weir_snapshot_at(struct weir_store *st, int64_t version, struct weir_quota *q, struct weir_snapshot **out,
                         struct weir_error *err);
void weir_snapshot_free(struct weir_snapshot *snap); /* NULL is fine */

struct weir_winner { /* what a commit brought, as far as an append cares */
    bool protocol, metadata;
    bool own_txn;
    int64_t txn;
    char txn_id[64]; /* commitInfo.txnId, or "" */
};
/* Reads commit version + 1 and moves the snapshot to it. NOTFOUND: it is not there. */
weir_rc weir_snapshot_advance(struct weir_snapshot *snap, struct weir_store *st, struct weir_winner *out,
                              struct weir_error *err);
/* The snapshot's own commit made version + 1: it moves there without reading it. */
void weir_snapshot_step(struct weir_snapshot *snap, struct weir_store *st, int64_t ict);
/* USAGE: the snapshot's commit is gone, or another file stands in its place: it is another table now. */
weir_rc weir_snapshot_check(const struct weir_snapshot *snap, struct weir_store *st, struct weir_error *err);

#endif
