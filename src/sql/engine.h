/* DuckDB, and nothing of it is seen outside: what includes its header stands in engine_int.h and
 * parquet_read.c.
 *
 * 1. Opened only when SQL is needed. All threads are weir's: they come in through weir_engine_run() as lanes.
 * 2. Only text that weir wrote reaches it. Should that ever be wrong: no extension is loaded, no setting can
 *    be changed, and no file is opened but those below the folders that the query's inputs name.
 * Threads: an engine belongs to one control thread; lanes run inside weir_engine_run(). */
#ifndef WEIR_SQL_ENGINE_H
#define WEIR_SQL_ENGINE_H

#include "base/error.h"
#include "base/mem.h"
#include "base/stop.h"
#include "column/feed.h"
#include "sql/bind.h"

struct weir_engine;

struct weir_engine_env {
    uint64_t memory_bytes; /* DuckDB's own limit; it overshoots by tens of MB, which the caller's plan knows */
    unsigned lanes;
    const char *temp_directory; /* for spilling; NULL: a query that needs it fails and names the setting */
    struct weir_quota *quota;
    struct weir_stop *stop;
};

const char *weir_engine_version(void); /* "v1.5.6" */
/* What it opens is opened by the first query, about 12 ms; texts of env are copied. */
weir_rc weir_engine_open(const struct weir_engine_env *env, struct weir_engine **out, struct weir_error *err);
void weir_engine_close(struct weir_engine *e); /* NULL is fine */

/* Which rows of a SELECT's files are there: DuckDB's function weir_alive(N BIGINT, file BIGINT, row BIGINT)
 * -> BOOLEAN asks the input named "rN". */
struct weir_alive {
    void *self;
    /* alive[i]: 1 when row rows[i] of file files[i] is there. Pure; any thread, several at once. */
    void (*look)(void *self, const int64_t *files, const int64_t *rows, uint32_t n, uint8_t *alive);
};

/* What a relation's private name stands for while a query runs: pages, or DuckDB's SQL over files. */
struct weir_engine_input {
    const char *name;             /* as in weir_sql_relation */
    const struct weir_feed *feed; /* its schema: the relation's columns, then its hidden ones; or NULL and: */
    const char *select;           /* text over read_parquet() that yields its columns, c0, c1 … h0 … */
    const char *const *folders;   /* absolute, ended by NULL: all files that select reads are below them */
    const struct weir_alive *alive; /* of select; NULL: it does not use weir_alive() */
};

struct weir_engine_query {
    const struct weir_sql_plan *plan;
    const struct weir_sql_settings *set;
    const struct weir_engine_input *inputs;
    uint32_t ninputs;
    const struct weir_drain *drain; /* gets pages of plan->schema (and positions) */
    unsigned lanes;                 /* 1 keeps an ORDER BY's order */
    _Atomic bool *failed;
    _Atomic uint64_t *taken;        /* rows that came from the stream; NULL */
    _Atomic uint64_t *rows;         /* given to the drain; NULL */
    void (*tick)(void *self);
    void *tick_self;
};

/* Runs to its end. A feed can be read once: a query that names it twice has its rows kept in DuckDB, which
 * its memory must hold. NOMEM names weir.memoryLimit; BADDATA a row whose expression raises; STOPPED within
 * 100 ms. The first error of a feed, drain or kernel comes back as it was, not as DuckDB's text. */
weir_rc weir_engine_run(struct weir_engine *e, const struct weir_engine_query *q, struct weir_error *err);
/* Binds without running: what DuckDB refuses although weir_sql_bind() took it is a BUG with DuckDB's words.
 * */
weir_rc weir_engine_explain(struct weir_engine *e, const struct weir_engine_query *q, struct weir_buf *out,
                            struct weir_error *err);

#endif
