/* A query that needs SQL: parsed once, bound for each batch, run by sql/. For pipelines and for `weir sql`.
 *
 * Its names: `source`, the batch, with its hidden column `_metadata`; the tables that it is given; and, where
 * paths are allowed, delta.`PATH` and json.`PATH`. Tables are read as they are at one version, which pin()
 * fixes and a batch keeps.
 * Threads: one owner; lanes run inside weir_query_run(). */
#ifndef WEIR_PIPELINE_QUERY_H
#define WEIR_PIPELINE_QUERY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/stop.h"
#include "column/feed.h"
#include "column/text.h"
#include "sql/bind.h"

struct weir_query_table { /* of `tables:` */
    const char *name, *path; /* a Delta table; path: absolute or a URI */
    int line;
};

struct weir_query_env {
    const char *text;
    const char *zone_name;
    const struct weir_zone *zone;
    bool ansi, case_sensitive;
    bool null_on_row_error;     /* a row whose expression cannot be computed has a null there */
    const char *corrupt_name;
    const struct weir_query_table *tables;
    uint32_t ntables;
    bool paths;                 /* delta.`PATH`, json.`PATH` may be named */
    const char *dir;            /* what relative paths stand against */
    const char *temp_directory; /* NULL: nothing is spilled */
    uint64_t memory_bytes;      /* DuckDB's share */
    uint64_t more_bytes;        /* what one lane alone leaves to it besides */
    unsigned lanes;
    struct weir_quota *quota;
    struct weir_stop *stop;
};

struct weir_query;

/* Parses. Texts of env are borrowed. USAGE, UNSUPPORTED with line and column. */
weir_rc weir_query_open(const struct weir_query_env *env, struct weir_query **out, struct weir_error *err);
void weir_query_close(struct weir_query *q); /* NULL is fine */
/* Whether a folder can take what a query spills: it is there and may be written to. name: the setting's. */
weir_rc weir_query_temp_check(const char *name, const char *folder, struct weir_error *err);

/* The versions of the tables as they are now, as JSON: {"customers":12}; NULL: the query has no tables. Lives
 * as long as the query. */
weir_rc weir_query_pin(struct weir_query *q, const char **versions, struct weir_error *err);
/* source: the feed's schema, whose last column is hidden; NULL: there is none. versions: of pin(); NULL: the
 * newest. now_us: current_timestamp(). *out lives until the next binding. */
weir_rc weir_query_bind(struct weir_query *q, const struct weir_type *source, const char *versions,
                        int64_t now_us, const struct weir_type **out, struct weir_error *err);
/* The bound plan. */
const struct weir_sql_plan *weir_query_plan(const struct weir_query *q);
/* Whether the result has an order that somebody asked for: it is kept with one lane. */
bool weir_query_ordered(const struct weir_query *q);
/* Whether DuckDB takes it; out may be NULL, else gets its plan. */
weir_rc weir_query_explain(struct weir_query *q, struct weir_buf *out, struct weir_error *err);

struct weir_query_run {
    const struct weir_feed *feed; /* NULL: without source */
    const struct weir_drain *drain;
    unsigned lanes;
    _Atomic bool *failed;
    _Atomic uint64_t *taken, *given; /* rows of the source and of the result; may be NULL */
    void (*tick)(void *self);
    void *tick_self;
};
/* NOMEM: it may be run again after weir_query_narrow(). */
weir_rc weir_query_run(struct weir_query *q, const struct weir_query_run *run, struct weir_error *err);
/* From now on one lane, and its memory for DuckDB. false: it was so already. */
bool weir_query_narrow(struct weir_query *q);

#endif
