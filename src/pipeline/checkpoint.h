/* The checkpoint folder, in Spark's layout (docs/internals/checkpoint.md).
 *
 *   metadata        {"id":"<uuid>"}
 *   offsets/N       v1 / {"batchWatermarkMs":0,"batchTimestampMs":…,"conf":{…}} / one line a source
 *   commits/N       v1 / {"nextBatchWatermarkMs":0}
 *   sources/S/N     the source's own log
 *   _weir/lease     who runs it now
 *
 * 1. offsets/N and commits/N are put if absent: of two runs one loses, and stops with FENCED.
 * 2. offsets N-1 and N both exist whenever N does.
 * 3. weir's own facts about a batch stand in `conf`, where Spark keeps foreign keys: weir.fingerprint,
 *    weir.schemaVersion, weir.tables. Spark resumes from such a file.
 * Threads: the control thread; the lease renews itself on a thread of its own. */
#ifndef WEIR_PIPELINE_CHECKPOINT_H
#define WEIR_PIPELINE_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/stop.h"
#include "store/store.h"

struct weir_batch_record { /* what offsets/N says */
    int64_t id;
    int64_t time_ms;        /* batchTimestampMs */
    int64_t watermark_ms;
    const char *offset;     /* the source's line; NULL for "-" */
    uint64_t fingerprint;   /* 0: not written by weir */
    int64_t schema_version; /* -1: none */
    const char *tables;     /* their versions, as JSON: {"customers":12}; NULL: the query has none */
    const char *conf;       /* the conf object as it stood, so that Spark's frozen settings go on; NULL: weir's own */
};

struct weir_checkpoint;
/* Reads metadata (or makes it, with a new id, when there is none and `create`); finds the newest offsets and commits.
 * USAGE: offsets without metadata, a hole, a v2 log, two source lines. The folder need not exist. */
weir_rc weir_checkpoint_open(const char *uri, bool create, struct weir_mem *mem, struct weir_checkpoint **out,
                             struct weir_error *err);
void weir_checkpoint_close(struct weir_checkpoint *cp);
/* Makes metadata with a new id, for one that was opened without `create` and had none. */
weir_rc weir_checkpoint_create(struct weir_checkpoint *cp, struct weir_error *err);
/* Looks again for id, newest offsets and newest commits: after the lease was taken. */
weir_rc weir_checkpoint_refresh(struct weir_checkpoint *cp, struct weir_error *err);
struct weir_store *weir_checkpoint_store(struct weir_checkpoint *cp);
const char *weir_checkpoint_id(const struct weir_checkpoint *cp); /* the query id; NULL: new and not created */
int64_t weir_checkpoint_planned(const struct weir_checkpoint *cp);   /* newest offsets/N, -1 */
int64_t weir_checkpoint_committed(const struct weir_checkpoint *cp); /* newest commits/N, -1 */
weir_rc weir_checkpoint_read(struct weir_checkpoint *cp, int64_t id, struct weir_mem *mem,
                             struct weir_batch_record *out, struct weir_error *err);
/* Put if absent, durable. FENCED: somebody else wrote it (the same bytes count as ours after an unknown outcome). */
weir_rc weir_checkpoint_plan(struct weir_checkpoint *cp, const struct weir_batch_record *rec, struct weir_error *err);
weir_rc weir_checkpoint_commit(struct weir_checkpoint *cp, int64_t id, struct weir_error *err);
/* Removes offsets and commits older than the newest `keep`; failures are only warned about. */
void weir_checkpoint_purge(struct weir_checkpoint *cp, int64_t keep);

/* The lease: a courtesy that ends a second run at once. */
struct weir_lease;
/* FENCED: a live one, naming its host, pid and age. An expired one, or one of a dead process of this host, is taken
 * over. wait_ms: how long to wait for it (0: not), until stop (may be NULL) is asked. */
weir_rc weir_lease_take(struct weir_checkpoint *cp, const char *run_id, int64_t wait_ms, struct weir_stop *stop,
                        struct weir_lease **out, struct weir_error *err);
/* FENCED when it was lost. Cheap. */
weir_rc weir_lease_check(struct weir_lease *lease, struct weir_error *err);
void weir_lease_release(struct weir_lease *lease); /* NULL is fine */
/* Who holds it now, for `weir status`: NULL when nobody. */
const char *weir_lease_holder(struct weir_checkpoint *cp, struct weir_mem *mem);
void weir_lease_expiry(int64_t ms); /* for tests; 30 s. Renewed each third of it */

#endif
