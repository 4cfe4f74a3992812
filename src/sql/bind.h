/* From Spark SQL to a plan: names and types are found, implicit casts are put in as Spark's analyzer does,
 * and the whole is printed as DuckDB's SQL over private names.
 *
 * Printed columns are c0, c1 … in the order of the schema, so that no name of a user can mean something in
 * DuckDB. Threads: one owner; a plan is read-only once made. */
#ifndef WEIR_SQL_BIND_H
#define WEIR_SQL_BIND_H

#include "sql/ast.h"
#include "sql/function.h"

/* In DuckDB a relation's columns are c0, c1 … (schema), h0, h1 … (hidden) and, of the stream when positions
 * are asked for, p0 INTEGER (the object) and p1 BIGINT (the place in it). So are those of the printed query:
 * c0, c1 … and, where plan->position is not -1, p0 and p1. */
struct weir_sql_relation { /* what a name in FROM stands for */
    const char *name;              /* private name in DuckDB: "r0" */
    const struct weir_type *schema; /* what SELECT * shows */
    const struct weir_type *hidden; /* columns that only their name shows: _metadata; NULL: none */
    bool is_stream;                /* the batch's feed, whose rows carry a source position */
    uint64_t rows;                 /* an estimate; 0: not known */
};

struct weir_sql_env {
    const struct weir_sql_settings *set;
    void *self;
    /* The relation of that name (parts as written; delta.`path` has two). version, timestamp: time travel, -1
     * / NULL when not asked for. NOTFOUND with a hint. */
    weir_rc (*relation)(void *self, const char *const *parts, uint32_t n, int64_t version,
                        const char *timestamp, struct weir_sql_relation *out, struct weir_error *err);
    bool positions; /* carry the hidden position columns of the stream through row-preserving queries */
};

typedef enum weir_sql_class {
    WEIR_SQL_ROWWISE, /* A: filter, project, generate */
    WEIR_SQL_JOIN,    /* B: A and joins that build on tables other than the stream */
    WEIR_SQL_BLOCKING /* C: aggregates, sorts, windows, joins that build on the stream */
} weir_sql_class;

struct weir_sql_call { /* a kernel to be registered: "weir_call_3" */
    const struct weir_node *node;
    const struct weir_call_plan *plan;
    const struct weir_type *const *arg_types;
    uint32_t nargs;
    const struct weir_type *type;
    const void *data;              /* what plan->prepare() made, or NULL */
};

struct weir_sql_plan {
    const char *text;               /* DuckDB's SQL */
    const struct weir_type *schema; /* of the result, in Spark's terms */
    weir_sql_class class_;
    const struct weir_sql_call *calls; /* call i is printed as weir_call_<i>( … ) */
    uint32_t ncalls;
    const struct weir_sql_relation *relations; /* used, each once */
    uint32_t nrelations;
    int position;                   /* index of p0 behind the schema's columns; -1: lost, or not asked for */
};

/* SCHEMA: a name or a type does not fit, with the nearest name; UNSUPPORTED: a function or clause by name. */
weir_rc weir_sql_bind(struct weir_node *query, const char *text, const struct weir_sql_env *env,
                      struct weir_mem *mem, struct weir_sql_plan **out, struct weir_error *err);

#endif
