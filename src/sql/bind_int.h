/* What the parts of the binder and the printer share.
 *
 *   bind.c         entry, the class of a query, its schema
 *   bind_query.c   WITH, set operations, VALUES, ORDER BY, LIMIT
 *   bind_from.c    relations, joins, lateral views
 *   bind_select.c  one SELECT: lists, groups, windows, generators
 *   bind_scope.c   names, stars, fields
 *   bind_expr.c    expressions: types, casts, calls; bind_const.c folds what is constant
 *   bind_tree.c    walks over bound expressions; bind_name.c Spark's names for them
 *   print.c        relations as DuckDB's SQL; print_expr.c expressions, types, constants
 *
 * 1. The parser's tree is never changed: bound nodes are new ones. So a CTE is bound anew for each use of it.
 * 2. A plan is a tree of relations (struct weir_rel). Each column of each relation has a number of its own in
 *    the whole query (struct weir_attr) and is printed as a<number>: no name of a user reaches DuckDB,
 *    nothing is ever qualified, and a subquery reaches its outer columns by their numbers.
 * 3. A bound expression has type, nullable and, if a CALL or CAST, a plan; casts of arguments are CAST nodes
 *    in it.
 * 4. A NAME that is bound points (node->bound) to a struct weir_ref: a column, or a parameter of a lambda.
 * 5. A LITERAL that is bound and has text NULL is the null of its type; dates hold days, instants micros,
 *    both decimal.
 * 6. What a query may grow to, by CTEs and aliases used again and again, is limited (WEIR_BIND_NODES).
 * Errors stand in b->err; the innermost node that fails adds its line and column, once. */
#ifndef WEIR_SQL_BIND_INT_H
#define WEIR_SQL_BIND_INT_H

#include "base/str.h"
#include "sql/bind.h"
#include "sql/coerce.h"

enum { WEIR_BIND_NODES = 400000, WEIR_BIND_QUERIES = 2000, WEIR_BIND_DEPTH = 600 };
enum { WEIR_BOUND_PATH = 1 << 17 };  /* flag of a FIELD: a part of a name, a.b.c */
enum { WEIR_BOUND_SHOWN = 1 << 16 }; /* flag of a CAST that the text has, not the analyzer put in */

struct weir_attr {
    uint32_t id;
    const char *name; /* as Spark would show it */
    const struct weir_type *type;
    bool nullable;
};

struct weir_ref {                     /* what a bound NAME means */
    const struct weir_attr *attr;     /* a column; or NULL and: */
    const struct weir_lambda *lambda; /* param[i] of it */
    uint32_t lambda_id, param;
};

/* What a bound CALL, CAST or INDEX keeps beside its plan. */
struct weir_bound_call {
    const struct weir_node *shown; /* as it was before its function changed the arguments: for its name */
    const void *data;              /* of plan->prepare() */
    uint32_t index;                /* of its kernel + 1; 0: not printed yet */
};

struct weir_bound_lambda {
    struct weir_lambda made;
    uint32_t id;
};

struct weir_nodes {
    struct weir_node **at;
    uint32_t n, cap;
};
struct weir_attrs {
    struct weir_attr **at;
    uint32_t n, cap;
};

typedef enum weir_rel_kind {
    WEIR_REL_ONE,      /* one row, no columns */
    WEIR_REL_SCAN,     /* out: schema, then hidden */
    WEIR_REL_PROJECT,  /* exprs are out */
    WEIR_REL_FILTER,   /* exprs[0] */
    WEIR_REL_JOIN,     /* text, exprs[0] or none */
    WEIR_REL_AGG,      /* exprs are out, the first ngroups are the groups; sets */
    WEIR_REL_SORT,     /* orders, limit, offset */
    WEIR_REL_GENERATE, /* exprs[0] an array of structs, whose fields are the last columns of out; outer */
    WEIR_REL_SETOP,    /* text, distinct; exprs of both sides by position: left, right */
    WEIR_REL_VALUES,   /* rows: TUPLEs */
} weir_rel_kind;

struct weir_rel {
    weir_rel_kind kind;
    struct weir_rel *kids[2];
    struct weir_attrs out;
    uint32_t relation; /* SCAN: index of the used one */
    struct weir_nodes exprs, rows;
    struct weir_nodes right; /* SETOP: exprs of the right side */
    const char *text;
    bool distinct, outer, windowed;
    uint32_t ngroups;
    uint64_t *sets; /* AGG: a bit a group that is there; NULL: the plain GROUP BY */
    uint32_t nsets;
    struct weir_node *limit, *offset;
    bool has_pos;
    uint32_t pos[2]; /* numbers of the position columns */
    bool has_stream; /* the stream is below */
    bool has_subquery_of_stream;
};

struct weir_scope_col {
    const char *const *quals; /* "delta", "/path"; or an alias */
    uint32_t nquals;
    const char *name;
    struct weir_node *expr; /* what it stands for, copied at each use */
    bool hidden;            /* SELECT * does not show it */
};

struct weir_scope_lambda {
    const struct weir_node *node;
    const struct weir_bound_lambda *bound;
    const struct weir_scope_lambda *outer;
};

struct weir_scope {
    struct weir_scope_col *cols;
    uint32_t n, cap;
    const struct weir_scope *fallback; /* of the same query, when nothing fits here */
    const struct weir_scope *outer;    /* of the query around */
    const struct weir_scope_lambda *lambdas;
};

struct weir_cte {
    const struct weir_node *node;
    const struct weir_cte *outer;   /* those that it sees itself */
    const struct weir_scope *scope; /* of the query around its WITH */
};

struct weir_bind {
    const struct weir_sql_env *env;
    const struct weir_sql_settings *set;
    struct weir_mem *mem;
    struct weir_error *err;
    const char *text;
    const struct weir_cte *ctes;
    struct weir_sql_relation *relations;
    uint32_t nrelations, relations_cap;
    uint32_t next_id, nodes, queries, depth;
    bool located;       /* the error has its line and column */
    bool aggregates_ok; /* an aggregate may stand here */
    bool windows_ok;
    const char *no_aggregates;             /* why not: "WHERE" */
    const struct weir_node *generator; /* the one call of a generator that is in its place */
    uint32_t stream_scans;     /* how often the stream is named */
    bool stream_in_subquery;               /* set when a subquery reads the stream */
    const struct weir_node *named_windows; /* LIST, or NULL */
};

#define WEIR_BIND_NEW(p, b_, size_)                                                                          \
    do {                                                                                                     \
        size_t size__ = (size_);                                                                             \
        (p) = weir_mem_zalloc((b_)->mem, size__);                                                            \
        if ((p) == NULL)                                                                                     \
            return weir_mem_fail((b_)->mem, size__, (b_)->err);                                              \
    } while (0)

/* --- small things (bind_tree.c) --- */

weir_rc weir_nodes_add(struct weir_bind *b, struct weir_nodes *list, struct weir_node *node);
weir_rc weir_attrs_add(struct weir_bind *b, struct weir_attrs *list, struct weir_attr *attr);
weir_rc weir_attr_new(struct weir_bind *b, const char *name, const struct weir_type *type, bool nullable,
                      struct weir_attr **out);
/* A relation above kid (may be NULL), whose position and stream it inherits. */
weir_rc weir_rel_new(struct weir_bind *b, weir_rel_kind kind, struct weir_rel *kid, struct weir_rel **out);
/* A bound node with room for n kids. at: where in the text. */
weir_rc weir_bound_new(struct weir_bind *b, weir_node_kind kind, uint32_t at, uint32_t nkids,
                       struct weir_node **out);
/* A use of a column; name NULL: the column's own. */
weir_rc weir_bound_ref(struct weir_bind *b, const struct weir_attr *attr, const char *name, uint32_t at,
                       struct weir_node **out);
weir_rc weir_bound_literal(struct weir_bind *b, const struct weir_type *type, const char *text, uint32_t len,
                           struct weir_node **out);
/* A deep copy of a bound expression. */
weir_rc weir_bound_copy(struct weir_bind *b, const struct weir_node *node, struct weir_node **out);
/* The same but for positions in the text and the spelling of names. */
bool weir_bound_equal(const struct weir_node *a, const struct weir_node *b);
/* Calls fn for the node and, where it returns true, for those below it. */
void weir_bound_walk(const struct weir_node *node, bool (*fn)(void *self, const struct weir_node *node),
                     void *self);
bool weir_bound_has_aggregate(const struct weir_node *node); /* outside of OVER's own function */
bool weir_bound_has_window(const struct weir_node *node);
bool weir_bound_is_volatile(const struct weir_node *node);
bool weir_bound_may_fail(const struct weir_node *node);
static inline const struct weir_ref *
weir_bound_ref_of(const struct weir_node *node)
{
    return node->kind == WEIR_NODE_NAME ? node->bound : NULL;
}
static inline const struct weir_attr *
weir_bound_attr(const struct weir_node *node)
{
    const struct weir_ref *ref = weir_bound_ref_of(node);

    return ref == NULL ? NULL : ref->attr;
}
bool weir_bind_same_name(const struct weir_bind *b, const char *x, const char *y);
/* Adds line and column of the node to the error, once. */
weir_rc weir_bind_where(struct weir_bind *b, const struct weir_node *node, weir_rc rc);

/* --- names (bind_scope.c) --- */

weir_rc weir_scope_add(struct weir_bind *b, struct weir_scope *sc, const char *const *quals, uint32_t nquals,
                       const char *name, struct weir_node *expr, bool hidden);
/* All columns of attrs, under one qualifier. */
weir_rc weir_scope_add_attrs(struct weir_bind *b, struct weir_scope *sc, const char *const *quals,
                             uint32_t nquals, const struct weir_attrs *attrs);
weir_rc weir_scope_resolve(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *name,
                           struct weir_node **out);
/* NOTFOUND (without words) instead of the error when nothing fits. */
weir_rc weir_scope_try(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *name,
                       struct weir_node **out);
/* What a * stands for; each in *out is a NAME, a FIELD or an ALIAS. */
weir_rc weir_scope_star(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *star,
                        struct weir_nodes *out);
/* base.field */
weir_rc weir_bind_field(struct weir_bind *b, struct weir_node *base, const char *field, uint32_t at,
                        struct weir_node **out);

/* --- expressions (bind_expr.c, bind_const.c) --- */

weir_rc weir_bind_expr(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *node,
                       struct weir_node **out);
/* The same, and it must be a boolean. what: "WHERE". */
weir_rc weir_bind_condition(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *node,
                            const char *what, struct weir_node **out);
/* node as `type`: itself, a CAST, a typed null, or the constant. */
weir_rc weir_bind_cast(struct weir_bind *b, struct weir_node *node, const struct weir_type *type, bool try_,
                       bool shown, struct weir_node **out);
/* A CALL of a function of the table on kids that are bound already. */
weir_rc weir_bind_call(struct weir_bind *b, const char *name, struct weir_node *const *kids, uint32_t n,
                       uint32_t at, struct weir_node **out);
/* An ORDER of a bound key. */
weir_rc weir_bind_order(struct weir_bind *b, const struct weir_node *order, struct weir_node *key,
                        struct weir_node **out);
/* From the parser's constant to a bound one. */
weir_rc weir_bind_literal(struct weir_bind *b, const struct weir_node *node, struct weir_node **out);
weir_rc weir_bind_interval(struct weir_bind *b, const struct weir_node *node, struct weir_node **out);
/* *node becomes a LITERAL when its kernel and arguments are constant and it gives no error. */
weir_rc weir_bind_fold(struct weir_bind *b, struct weir_node **node);
/* "1.5", "NaN", "-Infinity" */
bool weir_const_double(struct weir_slice s, double *out);
bool weir_const_float(struct weir_slice s, float *out);
/* plan.prepare() of a CALL. */
weir_rc weir_bind_prepare(struct weir_bind *b, struct weir_node *call);

/* How a value is cast (fn_cast.c); the types are castable. constant: by a kernel, so that it can be folded.
 * */
weir_rc weir_cast_plan(struct weir_mem *mem, const struct weir_sql_settings *set,
                       const struct weir_type *from, const struct weir_type *to, bool try_, bool constant,
                       struct weir_call_plan *out, struct weir_error *err);

/* --- relations (bind_from.c, bind_select.c, bind_query.c) --- */

/* sc becomes the scope of what stands in FROM. outer: of the query around. */
weir_rc weir_bind_from(struct weir_bind *b, const struct weir_node *node, const struct weir_scope *outer,
                       struct weir_scope *sc, struct weir_rel **out);
weir_rc weir_bind_query(struct weir_bind *b, const struct weir_node *query, const struct weir_scope *outer,
                        struct weir_rel **out);
/* orders (may be NULL): of the QUERY around, since they see more than the SELECT shows. */
weir_rc weir_bind_select(struct weir_bind *b, const struct weir_node *select, const struct weir_node *orders,
                         const struct weir_scope *outer, struct weir_rel **out);
/* call is the parser's; the new columns are the last of out. names: aliases (0: the function's own). */
weir_rc weir_bind_generate(struct weir_bind *b, struct weir_node *call, bool outer, const char *const *names,
                           uint32_t nnames, struct weir_rel *kid, struct weir_rel **out);
/* kid with these orders; NULL orders: only limit and offset. */
weir_rc weir_bind_limit(struct weir_bind *b, const struct weir_node *limit, const struct weir_node *offset,
                        struct weir_rel *kid, struct weir_rel **out);

weir_rc weir_bind_filter(struct weir_bind *b, struct weir_node *condition, struct weir_rel *kid,
                         struct weir_rel **out);
/* ORDER BY 2, GROUP BY 2: a place in the list. */
bool weir_bind_ordinal(const struct weir_node *node, int64_t *out);
/* Does a subquery use any of these columns, which are not its own? */
bool weir_rel_reaches(const struct weir_rel *rel, const struct weir_attrs *attrs);

/* --- names and text --- */

/* Spark's name for an unnamed expression, in b->mem. */
weir_rc weir_bind_name(struct weir_bind *b, const struct weir_node *node, const char **out);

struct weir_print {
    struct weir_buf *buf;
    struct weir_mem *mem;
    struct weir_error *err;
    struct weir_sql_call *calls;
    uint32_t ncalls, cap;
    const struct weir_sql_relation *relations;
    uint32_t aliases; /* of subqueries, so far */
    weir_rc rc;       /* the first failure */
};

void weir_print_expr(struct weir_print *p, const struct weir_node *node);
void weir_print_query(struct weir_print *p,
                      const struct weir_rel *rel); /* without brackets, columns a<number> */
void weir_print_root(struct weir_print *p, const struct weir_rel *rel); /* columns c0 … p1 */
void weir_print_type(struct weir_buf *buf, const struct weir_type *type);
void weir_print_quoted(struct weir_buf *buf, const char *name);               /* "name" */
void weir_print_string(struct weir_buf *buf, const char *text, uint32_t len); /* 'text' */
/* A boolean where NULL is as good as FALSE: WHERE, ON. */
void weir_print_condition(struct weir_print *p, const struct weir_node *node);
void weir_print_orders(struct weir_print *p, struct weir_node *const *orders, uint32_t n);

#endif
