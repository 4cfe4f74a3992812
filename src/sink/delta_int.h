/* The Delta sink's two halves: delta.c (one a pipeline, the control thread) and delta_lane.c (files, one a lane). */
#ifndef WEIR_SINK_DELTA_INT_H
#define WEIR_SINK_DELTA_INT_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "codec/parquet_write.h"
#include "delta/bind.h"
#include "delta/txn.h"
#include "sink/sink.h"
#include "store/store.h"

struct delta_options {
    bool merge_schema, data_change;
    int64_t max_records; /* of a file; -1: no limit */
    int compression;     /* as in the option table; -1: unset */
    const char *user_metadata;
};

struct delta_sink {
    struct delta_options opt;
    struct weir_sink_env env;
    struct weir_store *store;
    struct weir_snapshot *snap;
    bool stale;                   /* the snapshot must be opened anew */
    char describe[256];

    struct weir_mem *bind_mem;    /* of the binding; emptied by the next one */
    struct weir_bind_options bind;
    struct weir_binding binding;
    const struct weir_type *rows; /* copied */
    enum weir_parquet_codec codec;
    bool tight;                   /* statistics say tightBounds */

    struct weir_sink_batch batch;
    bool already;                 /* the table holds the batch: lanes drop their rows */
    bool committing;              /* a commit may name the files */
    _Atomic uint32_t nfiles;      /* given out as part numbers */
    _Atomic bool warned_empty;    /* that empty strings become null as partition values */

    pthread_mutex_t lock;         /* over what follows: lanes add to it */
    bool lock_made;
    struct weir_buf adds;         /* lines of add actions */
    struct weir_buf keys;         /* of every file of the batch, NUL-terminated */
    uint64_t rows_written, files, bytes;
};

weir_rc delta_lane_open(void *self, unsigned lane, void **out, struct weir_error *err);
weir_rc delta_lane_write(void *lane, const struct weir_page *page, struct weir_error *err);
weir_rc delta_lane_finish(void *lane, struct weir_error *err);
void delta_lane_close(void *lane);

#endif
