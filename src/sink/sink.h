/* LAYER 4: pages become a commit. sinks.def lists the sinks.
 *
 * commit() is idempotent for (query id, batch): a sink that already holds the batch says so in state() before the
 * source is touched, and again when its commit loses against its own txn.
 * Threads: lanes write each on its own thread; all else comes from the control thread. */
#ifndef WEIR_SINK_SINK_H
#define WEIR_SINK_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/option.h"
#include "base/stop.h"
#include "column/feed.h"
#include "column/text.h"
#include "column/type.h"

struct weir_sink_env {
    const char *path;            /* absolute path or URI as the user spelled it; NULL: a sink that keeps nothing */
    const char *output_mode;     /* "append" */
    const char *const *partition_by;
    uint32_t npartition_by;
    struct weir_settings *options, *properties; /* sink.options; sink.table.properties */
    const char *comment;
    bool create;                 /* createIfAbsent */
    const char *query_name, *query_id;
    const struct weir_zone *zone;
    unsigned lanes;
    uint64_t row_group_bytes;
    uint64_t writer_bytes;       /* of all open files of all lanes together; 0: two row groups a lane */
    struct weir_quota *quota;
    struct weir_mem *mem;
    struct weir_stop *stop;
};

struct weir_sink_batch {
    int64_t id;
    int64_t time_ms;                  /* batchTimestampMs */
    const struct weir_type *schema;   /* of the pages */
    const char *from, *to;            /* the source's range, for the commit's tags; from may be NULL */
};

struct weir_sink_result {
    int64_t version;        /* of the table; -1: none */
    uint64_t rows, files, bytes;
    bool already;           /* the sink held the batch before */
};

struct weir_sink_state { /* what start checks compare */
    bool exists;            /* the table is there */
    int64_t newest;         /* newest batch of this query id that it holds; -1: none */
    int64_t version;
    char other_query[64];   /* a query id whose commits carry our query's name in their tags, or "" */
};

struct weir_sink_type {
    const char *name, *about;
    bool keeps; /* rows stay where sink.path says: then a pipeline needs that and a checkpoint */
    const struct weir_option *options; /* offsets are into self */
    size_t self_size;
    weir_rc (*open)(void *self, const struct weir_sink_env *env, struct weir_error *err);             /* MUST */
    const char *(*describe)(void *self);                                                              /* MUST: "DeltaSink[PATH]" */
    weir_rc (*state)(void *self, struct weir_sink_state *out, struct weir_error *err);                /* MUST */
    /* Whether pages of this schema can be written: SCHEMA says what to set. Writes nothing. */
    weir_rc (*bind)(void *self, const struct weir_type *schema, struct weir_error *err);              /* MUST */
    /* Ready for the lanes of a batch; drain is filled. */
    weir_rc (*prepare)(void *self, const struct weir_sink_batch *batch, struct weir_drain *drain, struct weir_error *err); /* MUST */
    /* All lanes are finished and closed. FENCED: another run of this query was first. CONFLICT: the table changed so
     * that the same range must be read and written once more: prepare() again. */
    weir_rc (*commit)(void *self, struct weir_sink_result *out, struct weir_error *err);              /* MUST */
    /* Drops what lanes wrote, unless a commit may name it. After a commit that failed it is not needed. */
    void (*abort)(void *self);                                                                        /* MUST */
    /* Housekeeping, when the batch is done and told: may take its time, fails nothing (a warning). */
    void (*tidy)(void *self);                                                                         /* MAY */
    void (*close)(void *self);                                                                        /* MUST, zeroed self is fine */
};

const struct weir_sink_type *weir_sink_find(const char *format);
const char *const *weir_sink_names(void);

#endif
