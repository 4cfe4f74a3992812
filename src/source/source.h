/* LAYER 1: where new data is, and what an offset means. sources.def lists the sources.
 *
 * An offset is text, byte for byte Spark's; only its source understands it. A batch is (from, to]; everything else
 * is a pure function of it. A source may fetch before it can name the end of a batch (queues, Kinesis): then
 * admit() takes what it fetched into its bounded window and names that; tasks() gives the same bytes out, and reads
 * them again when it is asked to replay.
 * Two acknowledgements: discovered(to) once offsets/N is durable, committed(to) once commits/N is.
 * Threads: all calls come from the control thread, one at a time. */
#ifndef WEIR_SOURCE_SOURCE_H
#define WEIR_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/block.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/option.h"
#include "base/stop.h"
#include "column/text.h"
#include "store/store.h"
#include "store/task.h"

struct weir_source_env {
    const char *format;          /* as the user wrote it: cloudFiles, json, … */
    const char *path;            /* absolute path or URI as the user spelled it; may hold a glob */
    struct weir_settings *options;
    struct weir_store *checkpoint; /* the checkpoint folder; the source's own log is below sources/<index>/ */
    unsigned index;
    int64_t settle_ms;           /* weir.settleTime: younger local files wait */
    bool available_now;          /* the run ends with what newest() finds: then it waits until young files settle */
    int64_t compact_interval;    /* spark.sql.streaming.fileSource.log.compactInterval */
    int64_t batches_to_retain;   /* spark.sql.streaming.minBatchesToRetain; <= 0: 100 */
    const struct weir_zone *zone; /* spark.sql.session.timeZone; NULL: UTC */
    struct weir_quota *quota;
    struct weir_mem *mem;        /* of the run */
    struct weir_stop *stop;
};

struct weir_admit_limits { /* of the trigger; the source adds its own options */
    bool all; /* Once: every limit is ignored */
};

struct weir_backlog { /* for the progress bar and for `weir status` */
    uint64_t objects, bytes; /* waiting after this batch; UINT64_MAX: unknown */
};

struct weir_source_type {
    const char *name, *about;
    const struct weir_option *options; /* offsets are into self */
    size_t self_size; /* the core allocates, zeroes and frees self */
    weir_rc (*open)(void *self, const struct weir_source_env *env, struct weir_error *err);       /* MUST */
    /* "FileStreamSource[file:/in]" for progress events. */
    const char *(*describe)(void *self);                                                          /* MUST */
    /* Up to n objects for inference, newest first, without taking them. */
    weir_rc (*sample)(void *self, uint32_t n, uint64_t bytes, struct weir_tasks *out, struct weir_error *err); /* MAY */
    /* Looks what is there now; cheap, no data. Called once for availableNow and once, else at each trigger. */
    weir_rc (*newest)(void *self, struct weir_error *err);                                        /* MUST */
    /* The end of batch `batch` that starts after `from` (NULL: nothing yet), within the limits; writes the source's
     * own log (point source-log). END: nothing new. to lives in mem. */
    weir_rc (*admit)(void *self, int64_t batch, const char *from, const struct weir_admit_limits *limits,
                     struct weir_mem *mem, const char **to, struct weir_error *err);              /* MUST */
    /* The work of (from, to]; pure, also for a replay after a restart. tasks->mem is made by the source. */
    weir_rc (*tasks)(void *self, const char *from, const char *to, struct weir_tasks *out, struct weir_error *err); /* MUST */
    /* USAGE when `text` is no offset of this source, or lies before `from`. */
    weir_rc (*check)(void *self, const char *from, const char *text, struct weir_error *err);     /* MUST */
    void (*backlog)(void *self, struct weir_backlog *out);                                        /* MUST */
    weir_rc (*discovered)(void *self, int64_t batch, const char *to, struct weir_error *err);     /* MAY, idempotent */
    weir_rc (*committed)(void *self, int64_t batch, const char *to, struct weir_error *err);      /* MAY, idempotent */
    void (*close)(void *self);                                                                    /* MUST, zeroed self is fine */
};

const struct weir_source_type *weir_source_find(const char *format); /* NULL: unknown */
const char *const *weir_source_names(void);                          /* NULL-terminated */
/* Whether a file source that lists `path` (which may hold a pattern) would come upon what lies in the place `other`:
 * then `other` may not be this pipeline's checkpoint or table. Hidden names count as inside. Both absolute. */
bool weir_source_covers(const char *path, const char *other);

#endif
