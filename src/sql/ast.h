/* The tree of a Spark SQL text: what parse.c makes, bind.c gives types, and print.c writes as DuckDB's SQL.
 *
 * 1. Nodes live in the arena of their parse; nothing is shared between two parents.
 * 2. Operators are CALLs with the operator as name, in lower case: "+", "and", "not", "<=>", "||", "div", "%", "in",
 *    "between", "like", "rlike", "ilike", "is null", "is true", "-" with one kid … So the table of functions knows
 *    them all.
 * 3. Names keep their spelling; function names are lower case.
 * 4. Depth is at most WEIR_NEST_MAX; deeper texts are refused.
 * What the kids of each kind are stands in nodes.def. */
#ifndef WEIR_SQL_AST_H
#define WEIR_SQL_AST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "column/type.h"

typedef enum weir_node_kind {
#define NODE(symbol, kids) WEIR_NODE_##symbol,
#include "sql/nodes.def"
#undef NODE
} weir_node_kind;

enum { /* flags */
    WEIR_NODE_DISTINCT = 1,     /* CALL, SELECT; SETOP without ALL */
    WEIR_NODE_TRY = 2,          /* CAST */
    WEIR_NODE_DESC = 4,         /* ORDER */
    WEIR_NODE_NULLS_FIRST = 8,  /* ORDER: said so */
    WEIR_NODE_NULLS_LAST = 16,
    WEIR_NODE_OUTER = 32,       /* LATERAL_VIEW */
    WEIR_NODE_NATURAL = 64,     /* JOIN */
    WEIR_NODE_IGNORE_NULLS = 128, /* CALL */
    WEIR_NODE_ALL = 256,        /* GROUP BY ALL */
};

struct weir_function;
struct weir_call_plan;

struct weir_node {
    weir_node_kind kind;
    uint32_t flags;
    uint32_t at;              /* byte of the text where it begins, for errors */
    uint32_t nkids, nnames;
    struct weir_node **kids;  /* see nodes.def; an absent one is NULL */
    const char **names;       /* parts of a name; column aliases; lambda parameters: see nodes.def */
    const char *text;         /* see nodes.def; NUL-terminated, may hold NULs for literals: then text_len */
    uint32_t text_len;
    const struct weir_type *type; /* LITERAL, CAST: from the parser. Every expression: after binding */
    bool nullable;                /* after binding */
    const struct weir_function *fn;    /* CALL: after binding */
    struct weir_call_plan *plan;       /* CALL, CAST, INDEX: how it is computed, after binding; see function.h */
    void *bound;                       /* bind.c's own */
};

/* One query: SELECT, VALUES, WITH, set operations; a ';' may end it. USAGE with line, column and what was expected
 * there; UNSUPPORTED names a statement or clause that weir does not have. */
weir_rc weir_sql_parse(const char *text, size_t len, struct weir_mem *mem, struct weir_node **out,
                       struct weir_error *err);
/* One expression, for `expect` and the like. */
weir_rc weir_sql_parse_expr(const char *text, size_t len, struct weir_mem *mem, struct weir_node **out,
                            struct weir_error *err);
/* Line and column, both from 1, of a byte of the text. */
void weir_sql_position(const char *text, uint32_t at, uint32_t *line, uint32_t *column);
/* Spark's name for an unnamed expression: "(a + 1)", "upper(x)", "count(1)". */
void weir_node_print_spark(const struct weir_node *node, struct weir_buf *buf);

#endif
