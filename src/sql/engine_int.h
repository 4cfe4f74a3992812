/* What engine.c, vector.c, relation.c, call.c and run.c share: the files that see DuckDB.
 *
 * 1. Callbacks are C, called from C++: they never unwind, and leave by setting DuckDB's error after theirs
 *    was kept by engine_run_fail(), which remembers the first. DuckDB's own text is used only where there is
 *    none of ours.
 * 2. What a callback hands to DuckDB by pointer (strings of pages, of kernels) lives until the same place in
 *    the plan is called again in the same lane: whatever keeps rows longer copies them. Tests overwrite what
 *    is past that point.
 * 3. DuckDB's tasks may move from thread to thread between two calls, so state belongs to the place in the
 *    plan, which DuckDB gives back to us, and only the drain's lane belongs to the thread. */
#ifndef WEIR_SQL_ENGINE_INT_H
#define WEIR_SQL_ENGINE_INT_H

#include <duckdb.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "sql/engine.h"

enum { ENGINE_LANES_MAX = 64 };

struct engine_run;

struct engine_call { /* what is registered as weir_call_<i>; outlives the runs */
    struct weir_engine *engine;
    const struct weir_sql_call *call; /* of the running query */
};

struct weir_engine {
    struct weir_engine_env env; /* temp_directory: in mem */
    struct weir_mem *mem;
    struct weir_mem *session;   /* of the open database: what was registered with it */
    duckdb_database db;
    duckdb_connection con;
    char *granted;              /* folders that may be read, each ended by a newline */
    char *signature;            /* of the functions that are registered */
    struct engine_call *calls;
    uint32_t ncalls;
    struct engine_run *run;     /* while a query runs or is explained */
};

/* engine.c */
/* The database for this query: opened, or opened anew when folders or functions differ. */
weir_rc engine_ready(struct weir_engine *e, const struct weir_engine_query *q, struct weir_error *err);
/* Executes a statement that has no result. */
weir_rc engine_exec(struct weir_engine *e, const char *sql, struct weir_error *err);
/* DuckDB's error as weir's. */
weir_rc engine_fail(const struct weir_engine *e, duckdb_error_type type, const char *text,
                    struct weir_error *err);
void engine_close_db(struct weir_engine *e);

/* vector.c */
/* DuckDB's type for one of weir's; to be destroyed. */
duckdb_logical_type vector_type(const struct weir_type *type);
bool vector_fits(duckdb_logical_type have, const struct weir_type *want);
/* A column for vector_lend(), with all below it. */
weir_rc vector_col(struct weir_col *col, const struct weir_type *type, struct weir_mem *mem,
                   struct weir_error *err);
/* The vector's memory becomes the column's, for reading: flat, `rows` rows. */
weir_rc vector_lend(struct weir_col *col, duckdb_vector vector, idx_t rows, struct weir_error *err);
/* Copies slots of the column's first `rows` rows into an empty vector; strings stay where they are. at: where
 * each row goes (NULL: in order); rows that get none are the caller's. Slots under nulls are zeroed. */
void vector_put(duckdb_vector vector, const struct weir_col *col, uint32_t rows, const uint32_t *at);

/* relation.c */
struct engine_feed { /* one feed during a run */
    const struct weir_feed *feed;
    const struct weir_sql_relation *relation;
    struct engine_run *run;
    struct engine_feed_lane *lanes;
    unsigned nlanes;
    _Atomic unsigned opened;
    unsigned bound; /* times that the query names it */
};
weir_rc relation_register(struct weir_engine *e, struct weir_error *err);
/* Gives the inputs their names. */
weir_rc relation_views(struct engine_run *run, struct weir_error *err);
weir_rc relation_open(struct engine_run *run, struct weir_mem *mem, struct weir_error *err);
void relation_close(struct engine_run *run);

/* call.c */
weir_rc call_register(struct weir_engine *e, const struct weir_engine_query *q, struct weir_error *err);
/* Points what is registered at this query's calls. */
void call_point(struct weir_engine *e, const struct weir_engine_query *q);
/* What the registered functions look like; the same text, the same functions. */
void call_signature(const struct weir_engine_query *q, struct weir_buf *out);

/* run.c */
struct engine_run {
    struct weir_engine *e;
    const struct weir_engine_query *q;
    struct weir_mem *mem;
    struct engine_feed *feeds; /* one an input; those of SELECTs have no feed */
    struct engine_lane *lanes;
    unsigned nlanes;
    pthread_mutex_t lock;
    struct weir_error first;   /* under lock */
    _Atomic bool bad;
    int64_t ticked;            /* lane 0's */
};
weir_rc sink_register(struct weir_engine *e, struct weir_error *err);
/* Keeps the first error, except that a STOPPED gives way to a cause. */
void engine_run_fail(struct engine_run *run, const struct weir_error *err);
/* On lane 0: the query's tick, when it is time. */
void engine_run_tick(struct engine_run *run);

#endif
