/* The tree of a Spark SQL text: what parse.c makes, bind.c gives types, and print.c writes as DuckDB's SQL.
 *
 * 1. Nodes live in the arena of their parse; nothing is shared between two parents.
 * 2. Operators are CALLs whose name is one of these, so that the table of functions knows them all:
 *      "and" "or" "not"; "=" "<=>" "<" "<=" ">" ">="; "+" "-" (one kid or two) "*" "/" "%" "div"; "&" "|" "^" "~" "<<"
 *      ">>" ">>>"; "between" (value, low, high) "in" (value, items …) "like" "ilike" (value, pattern[, escape]) "rlike"
 *      "like any" "like all" "not like any" "not like all" (value, patterns …); "is null" "is not null".
 *    What Spark's parser turns into something else has been turned: <> and != are not(=), || is concat, IS [NOT] TRUE
 *    is [not] <=>, IS DISTINCT FROM is not(<=>), ILIKE ANY is like any over lower(). Forms with words inside are plain
 *    calls: extract('YEAR', x), locate(a, b) of POSITION, substring, overlay, trim, ltrim and rtrim (what, value),
 *    timestampadd('MONTH', n, t), timestampdiff('DAY', a, b); units are spelled as they were written.
 * 3. Names keep their spelling; function names are lower case. current_date, current_timestamp, current_user and their
 *    like without brackets are NAMEs: they are functions when no column has that name.
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
    WEIR_NODE_ALL = 256,        /* GROUP BY ALL; ORDER BY ALL: its expression is the NAME "all" */
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

#endif
