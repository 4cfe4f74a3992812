/* A pipeline with all its parts open: what run, check and status share. Internal to pipeline/. */
#ifndef WEIR_PIPELINE_PIPELINE_H
#define WEIR_PIPELINE_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/uuid.h"
#include "column/text.h"
#include "pipeline/budget.h"
#include "pipeline/checkpoint.h"
#include "pipeline/project.h"
#include "pipeline/query.h"
#include "pipeline/run.h"
#include "pipeline/spec.h"
#include "reader/reader.h"
#include "sink/sink.h"
#include "source/source.h"

struct weir_pipeline {
    const struct weir_spec *spec;
    struct weir_stop *stop;
    struct weir_quota quota;
    struct weir_mem *mem, *bind_mem; /* bind_mem: of the bound query; emptied by the next binding */
    struct weir_budget budget;
    const struct weir_zone *zone;
    char run_id[WEIR_UUID_SIZE];
    bool bounded; /* the run ends with what is there at its start */
    bool looking; /* check, status, preview: a young file is there too, and nothing waits for it */

    struct weir_checkpoint *checkpoint; /* NULL: the sink keeps nothing and none is named */
    struct weir_lease *lease;

    const struct weir_source_type *source_type;
    void *source;
    struct weir_reader *reader;
    struct weir_store *schema_location; /* NULL: none */
    struct weir_projection *projection; /* NULL: the query needs SQL, and is: */
    struct weir_query *query;
    const char *tables;                 /* their versions for the next binding, as JSON; NULL: the newest */
    const struct weir_type *schema;     /* of the query's pages; NULL until there is something to read */

    const struct weir_sink_type *sink_type;
    void *sink;
};

/* Budget, zone, query, the types of source and sink; opens nothing outside. */
weir_rc pipeline_init(struct weir_pipeline *p, const struct weir_spec *spec, struct weir_stop *stop,
                      struct weir_error *err);
void pipeline_fini(struct weir_pipeline *p); /* closes whatever is open; releases the lease */
/* Source and reader with their options; looks once what is there. */
weir_rc pipeline_open_source(struct weir_pipeline *p, struct weir_error *err);
weir_rc pipeline_open_sink(struct weir_pipeline *p, const char *query_id, struct weir_error *err);
/* Instead of opening source and sink: their options as far as the file alone says. Opens nothing outside. */
weir_rc pipeline_try_options(struct weir_pipeline *p, struct weir_error *err);
/* Unknown options of source, reader and sink, once all three have read theirs. */
weir_rc pipeline_check_options(struct weir_pipeline *p, struct weir_error *err);
/* The schema of the pages, and whether the sink takes it. version: of a replay, -1: the newest. dry: keep nothing. */
weir_rc pipeline_settle(struct weir_pipeline *p, int64_t version, bool dry, struct weir_error *err);
/* Binds projection and sink to what the reader has now. */
weir_rc pipeline_bind(struct weir_pipeline *p, struct weir_error *err);
/* The start checks of a run: table against checkpoint. USAGE names both sides and the ways on. accept: what a person
 * decided. */
weir_rc pipeline_start_checks(struct weir_pipeline *p, weir_accept accept, struct weir_error *err);

/* batch.c */
struct weir_batch_result {
    uint64_t rows, files, bytes; /* of the input */
    uint64_t missing, damaged;   /* files passed over, because the options say so */
    struct weir_count count;
    struct weir_sink_result sink;
    struct { int64_t latest, bind, plan, tasks, add, commit, total; } us; /* where the time went */
};
/* Runs (from, to] as batch rec->id up to and with the table commit. rec is durable already. */
weir_rc weir_batch_run(struct weir_pipeline *p, const struct weir_batch_record *rec, const char *from,
                       const struct weir_run_observer *obs, struct weir_batch_result *out, struct weir_error *err);

/* progress.c: one line of Spark's StreamingQueryProgress with weir's own facts under "weir". */
struct weir_progress {
    const struct weir_batch_record *rec;
    const char *from;
    const struct weir_batch_result *result;
    double input_rows_per_second;
    bool replay;
};
weir_rc weir_progress_print(const struct weir_pipeline *p, const struct weir_progress *g, struct weir_buf *buf,
                            struct weir_error *err);

#endif
