/* The folder _delta_log: names, where a snapshot begins, and its actions from the newest to the oldest.
 *
 * Follows the Delta protocol, "Delta Log Entries", "Checkpoints" and "Action Reconciliation". Nothing here
 * writes. */
#ifndef WEIR_DELTA_LOG_H
#define WEIR_DELTA_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "store/store.h"

enum { WEIR_LOG_KEY = 160, WEIR_LOG_BRIDGES = 8, WEIR_LOG_COMPACTIONS = 32 };
#define WEIR_LOG_FOLDER "_delta_log/"
void weir_log_key(char key[WEIR_LOG_KEY], int64_t version); /* "_delta_log/00000000000000000003.json" */
void weir_log_crc_key(char key[WEIR_LOG_KEY], int64_t version);

typedef enum weir_checkpoint_kind {
    WEIR_CHECKPOINT_NONE,
    WEIR_CHECKPOINT_CLASSIC, /* N.checkpoint.parquet: V1 or V2 */
    WEIR_CHECKPOINT_PARTS,   /* N.checkpoint.I.P.parquet, all P of them */
    WEIR_CHECKPOINT_NAMED    /* N.checkpoint.UUID.json or .parquet: V2 */
} weir_checkpoint_kind;

struct weir_checkpoint {
    weir_checkpoint_kind kind;
    int64_t version;         /* -1: none */
    uint32_t parts;          /* objects; 1 unless PARTS */
    bool json;               /* NAMED: the top file is JSON */
    char name[WEIR_LOG_KEY]; /* NAMED: its key */
};
void weir_checkpoint_key(const struct weir_checkpoint *cp, uint32_t part, char key[WEIR_LOG_KEY]);

struct weir_log_span { /* commits from .. to, both included */
    int64_t from, to;
};

struct weir_log_range {
    int64_t newest; /* the version that was asked for, or the newest there is */
    int64_t last_commit; /* the newest commit at or below it; -1: none. Below newest only beside a checkpoint */
    int64_t oldest; /* of the run of commits that ends at last_commit, log compactions bridging holes */
    int64_t oldest_commit;             /* of the run without a bridge */
    bool partial;                      /* the listing began at a checkpoint: older commits may be there */
    struct weir_checkpoint checkpoint; /* the newest whole one at or below newest */
    int64_t crc;                       /* newest version checksum at or below newest; -1: none */
    int64_t newest_ms;                 /* when last_commit was written */
    struct weir_log_span bridges[WEIR_LOG_BRIDGES]; /* compactions in place of commits that are gone */
    uint32_t nbridges;
};

struct weir_log_ask {
    int64_t version; /* -1: the newest */
    int64_t below;   /* use no checkpoint from this version on: it has shown to be broken. INT64_MAX: any */
    bool whole;      /* list all commits, not only those from the newest checkpoint on */
};
extern const struct weir_log_ask weir_log_newest; /* of everything */

/* What a snapshot is to be read from: its checkpoint and the commits above it. NOTFOUND: no table here, or
 * the version is not there. CORRUPT: a commit above the checkpoint is missing, or there is neither checkpoint
 * nor commit 0: then nothing can be read, and the error says what is missing. */
weir_rc weir_log_find(struct weir_store *st, const struct weir_log_ask *ask, struct weir_log_range *out,
                      struct weir_error *err);

/* Lines of the commits newest .. oldest of a range, newest first and within a commit last line first. So the
 * first that is seen of anything is what counts. Memory: one line and one block. */
struct weir_log_cursor;
weir_rc weir_log_open(struct weir_store *st, const struct weir_log_range *range, int64_t newest,
                      int64_t oldest, struct weir_quota *q, struct weir_log_cursor **out,
                      struct weir_error *err);
/* *line NULL: the commit *version ends; END behind the last one. A line is valid until the next call.
 * CORRUPT: a commit is missing. A log compaction's lines come with the newest version that it stands for. */
weir_rc weir_log_next(struct weir_log_cursor *cur, int64_t *version, const char **line, size_t *len,
                      struct weir_error *err);
/* Adds file and line to an error about the line given out last. */
weir_rc weir_log_blame(struct weir_log_cursor *cur, struct weir_error *err);
void weir_log_close(struct weir_log_cursor *cur); /* NULL is fine */

/* The same with a function for each line, also with line NULL. fn: OK, END to stop, or an error, which is
 * blamed. */
typedef weir_rc weir_log_fn(void *arg, int64_t version, const char *line, size_t len, struct weir_error *err);
weir_rc weir_log_walk(struct weir_store *st, const struct weir_log_range *range, int64_t newest,
                      int64_t oldest, struct weir_quota *q, weir_log_fn *fn, void *arg,
                      struct weir_error *err);

#endif
