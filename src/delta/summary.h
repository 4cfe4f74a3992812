/* A table as a person asks about it: its files counted, and its history. */
#ifndef WEIR_DELTA_SUMMARY_H
#define WEIR_DELTA_SUMMARY_H

#include "delta/snapshot.h"

enum { WEIR_SUMMARY_COLUMNS = 32, WEIR_SUMMARY_TEXT = 72 };

struct weir_summary_column { /* bounds by the files' statistics */
    const char *name;        /* borrowed from the snapshot */
    const char *physical;    /* what the statistics call it */
    weir_kind kind;
    uint8_t scale;               /* DECIMAL */
    bool any, partial;       /* partial: some live file has no bounds for it */
    union { int64_t i; double d; } min_num, max_num;
    char min[WEIR_SUMMARY_TEXT], max[WEIR_SUMMARY_TEXT]; /* as text, cut */
};

struct weir_summary {
    struct weir_snapshot *snap; /* owned; see weir_summary_free */
    int64_t newest_ms;
    uint64_t files, bytes, rows; /* rows: of the files whose statistics say so, less deleted ones */
    uint64_t files_unknown;      /* live files without numRecords */
    uint64_t deletion_vectors, txns;
    uint32_t ncolumns;
    struct weir_summary_column columns[WEIR_SUMMARY_COLUMNS];
};

/* As of a version; -1: the newest. NOTFOUND: no table, no such version. UNSUPPORTED: reader features.
 * CORRUPT. Memory: 32 bytes a file that commits above the checkpoint name, under q. */
weir_rc weir_summary_read(struct weir_store *st, int64_t version, struct weir_quota *q, struct weir_summary *out,
                          struct weir_error *err);
void weir_summary_fini(struct weir_summary *s); /* a zeroed one is fine */

struct weir_history { /* one version; texts are valid during the call */
    int64_t version;
    int64_t time_ms;          /* in-commit timestamp, else commitInfo.timestamp; INT64_MIN: not said */
    const char *operation, *engine, *query_id, *epoch, *pipeline; /* each may be NULL */
    const char *from, *to;    /* the source's range of weir's commits; may be NULL */
    uint64_t added_files, added_bytes, removed_files;
    int64_t added_rows;       /* -1: not said by all files */
};
/* Newest first, at most n versions, as far back as commits are there. */
weir_rc weir_history_read(struct weir_store *st, int64_t n, struct weir_quota *q,
                          weir_rc (*fn)(void *arg, const struct weir_history *h, struct weir_error *err), void *arg,
                          struct weir_error *err);

#endif
