/* A pipeline as the commands see it: run it, check it, ask where it stands.
 *
 * Threads: all are called on one thread, which becomes the run's control thread; observers are called on it.
 * Exit statuses come from weir_rc_exit() of the result. */
#ifndef WEIR_PIPELINE_RUN_H
#define WEIR_PIPELINE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/stop.h"
#include "column/feed.h"
#include "column/text.h"
#include "pipeline/spec.h"

/* What a person decided about a start check that would end the run. */
typedef enum weir_accept { WEIR_ACCEPT_NOTHING, WEIR_ACCEPT_NEW_TARGET, WEIR_ACCEPT_NEW_STREAM } weir_accept;

typedef enum weir_if_running { WEIR_IF_RUNNING_FAIL, WEIR_IF_RUNNING_SKIP, WEIR_IF_RUNNING_WAIT } weir_if_running;

struct weir_source_type;

struct weir_run_options {
    bool has_trigger; /* --available-now, --once */
    weir_trigger trigger_override;
    weir_if_running if_running; /* SKIP: OK without a batch when another run holds the lease */
    weir_accept accept;         /* --accept-new-target, --new-stream */
    const struct weir_source_type *source; /* instead of the registry's: tests bring sources of their own; NULL */
};

struct weir_run_totals { /* of one run, whatever its end */
    uint64_t batches, rows, files, bytes; /* bytes: of input */
    uint64_t rescued, corrupt;            /* rows that have something in those columns */
    uint64_t values_lost;                 /* that no column could keep */
    uint64_t dropped;                     /* records without a row: DROPMALFORMED */
    int64_t version;                      /* of the table after the last commit; -1: none */
    int64_t elapsed_ms;
    bool skipped;                         /* another run holds the lease and SKIP was asked */
};

/* How somebody watches a run. Each slot MAY be NULL. */
struct weir_run_observer {
    void *self;
    void (*batch_begin)(void *self, int64_t batch, uint64_t files, uint64_t bytes, uint64_t files_left,
                        uint64_t bytes_left); /* left: after this batch; UINT64_MAX: unknown */
    void (*tick)(void *self, uint64_t files, uint64_t bytes, uint64_t rows); /* of this batch; ≤ 10 a second */
    void (*progress)(void *self, const char *json, size_t len);             /* Spark's StreamingQueryProgress, one line */
    void (*done)(void *self, const struct weir_run_totals *totals);         /* always, last */
};

/* Runs until the trigger is through, something fails, or stop is asked (STOPPED: the batch is finished or dropped).
 * FENCED: another run holds the checkpoint. */
weir_rc weir_pipeline_run(const struct weir_spec *spec, const struct weir_run_options *opt,
                          const struct weir_run_observer *obs, struct weir_stop *stop, struct weir_error *err);

/* What the file alone says of the pipeline, its options too; looks at nothing else. */
weir_rc weir_pipeline_check_file(const struct weir_spec *spec, struct weir_error *err);
/* Everything short of writing: source, schema, sink, checkpoint against table, what the next batch would take.
 * report is text for people, one finding a line. */
weir_rc weir_pipeline_check(const struct weir_spec *spec, struct weir_buf *report, struct weir_error *err);

/* The rows that the query makes of what is there now, beginning with the first files; the drain says when it is enough
 * (END). Given once the schema is known: show's. Writes nothing, and looks at no checkpoint. */
weir_rc weir_pipeline_preview(const struct weir_spec *spec, struct weir_stop *stop, struct weir_drain *drain,
                              weir_rc (*begin)(void *self, const struct weir_type *schema, const struct weir_zone *zone,
                                               struct weir_error *err),
                              struct weir_error *err);

struct weir_pipeline_status {
    const char *query_id;      /* NULL: it has never run */
    const char *holder;        /* who runs it now; NULL: nobody */
    int64_t planned, committed; /* newest offsets/N and commits/N; -1 */
    int64_t batch_time_ms;     /* of the newest planned batch; -1 */
    const char *offset;        /* where the source stands, its own text; NULL: at the start */
    const char *source, *sink; /* descriptions, as in progress events */
    uint64_t files_waiting, bytes_waiting; /* UINT64_MAX: unknown */
    int64_t table_version, table_batch;    /* -1; the newest batch of this query that the table holds */
    int64_t schema_version;    /* -1 */
    const char *hold;          /* why the next run would refuse to start; NULL: it would start */
};
/* Writes nothing. Texts live in mem. */
weir_rc weir_pipeline_status(const struct weir_spec *spec, struct weir_mem *mem, struct weir_pipeline_status *out,
                             struct weir_error *err);

#endif
