/* Queries of Spark SQL: WITH, SELECT and its clauses, set operations, VALUES.
 *
 *   query     = [WITH cte {"," cte}] term [ORDER BY …] [WINDOW …] [LIMIT …] [OFFSET …]
 *   term      = intersect {(UNION | EXCEPT | MINUS) [ALL | DISTINCT] intersect}
 *   intersect = primary {INTERSECT [ALL | DISTINCT] primary}
 *   primary   = SELECT … | VALUES … | TABLE name | "(" query ")"
 *
 * What orders rows only among a cluster's tasks (SORT BY, DISTRIBUTE BY, CLUSTER BY) is refused by name: weir
 * has no such tasks. QUALIFY is taken, as Databricks has it, although Spark 4.0 does not. */
#include "sql/parse_int.h"

#include <string.h>

/* ---- where a query begins and goes on ---- */

/* VALUES as a query, not as a name: a value follows. */
static bool
at_values(const struct weir_parse *p)
{
    static const char *const values[] = {"NULL", "TRUE", "FALSE", "CAST", "CASE", "INTERVAL", NULL};
    struct weir_token next, third;

    if (!weir_parse_at_word(p, "VALUES"))
        return false;
    next = weir_parse_peek(p, 1);
    third = weir_parse_peek(p, 2);
    return weir_token_is(&next, "(") || weir_token_is(&next, "-") || next.kind == WEIR_TOKEN_NUMBER ||
           next.kind == WEIR_TOKEN_STRING || weir_token_is_one_of(&next, values) ||
           (next.kind == WEIR_TOKEN_WORD && (weir_token_is(&third, "(") || third.kind == WEIR_TOKEN_STRING));
}

bool
weir_parse_at_query(const struct weir_parse *p)
{
    struct weir_token next = weir_parse_peek(p, 1), third;

    if (weir_parse_at_word(p, "SELECT"))
        return !weir_token_is(&next, ")") && !weir_token_is(&next, ",") && !weir_token_is(&next, ".");
    if (weir_parse_at_word(p, "WITH")) {
        third = weir_parse_peek(p, 2);
        return weir_token_is_name(&next) &&
               (weir_token_is_word(&third, "AS") || weir_token_is(&third, "(") || weir_token_is_name(&third));
    }
    if (weir_parse_at_word(p, "TABLE"))
        return weir_token_is_name(&next);
    return at_values(p);
}

bool
weir_parse_at_query_tail(const struct weir_parse *p)
{
    static const char *const words[] = {"UNION",    "INTERSECT", "EXCEPT", "MINUS",
                                        "SETMINUS", "LIMIT",     "OFFSET", NULL};
    struct weir_token next = weir_parse_peek(p, 1);

    return weir_token_is_one_of(&p->tok, words) ||
           (weir_parse_at_word(p, "ORDER") && weir_token_is_word(&next, "BY"));
}

/* ---- GROUP BY ---- */

/* One set of a grouping: "(" [expr {"," expr}] ")" as a TUPLE, or an expression. */
static weir_rc
parse_grouping_set(struct weir_parse *p, struct weir_node **out)
{
    struct weir_parse_list list = {0};
    uint32_t at = p->tok.at;

    if (!weir_parse_accept(p, "("))
        return weir_parse_expr(p, out);
    if (!weir_parse_at(p, ")"))
        WEIR_TRY(weir_parse_exprs(p, &list));
    WEIR_TRY(weir_parse_take(p, ")"));
    return weir_parse_list_node(p, WEIR_NODE_TUPLE, at, &list, out);
}

/* ROLLUP, CUBE or GROUPING SETS in front of "("; NULL when it is an expression. */
static const char *
grouping_kind(const struct weir_parse *p)
{
    struct weir_token next = weir_parse_peek(p, 1), third = weir_parse_peek(p, 2);

    if (weir_parse_at_word(p, "ROLLUP") && weir_token_is(&next, "("))
        return "ROLLUP";
    if (weir_parse_at_word(p, "CUBE") && weir_token_is(&next, "("))
        return "CUBE";
    if (weir_parse_at_word(p, "GROUPING") && weir_token_is_word(&next, "SETS") && weir_token_is(&third, "("))
        return "GROUPING SETS";
    return NULL;
}

static weir_rc parse_grouping(struct weir_parse *p, struct weir_node **out);

/* kind "(" set {"," set} ")": a GROUP of that kind. */
static weir_rc
parse_grouping_sets(struct weir_parse *p, const char *kind, struct weir_node **out)
{
    struct weir_parse_list list = {0};
    uint32_t at = p->tok.at;
    struct weir_node *kid;

    WEIR_TRY(weir_parse_enter(p));
    if (strcmp(kind, "GROUPING SETS") == 0)
        weir_parse_next(p);
    weir_parse_next(p);
    WEIR_TRY(weir_parse_take(p, "("));
    do {
        if (grouping_kind(p) != NULL)
            WEIR_TRY(parse_grouping(p, &kid));
        else
            WEIR_TRY(parse_grouping_set(p, &kid));
        WEIR_TRY(weir_parse_push(p, &list, kid));
    } while (weir_parse_accept(p, ","));
    WEIR_TRY(weir_parse_take(p, ")"));
    weir_parse_leave(p);
    WEIR_TRY(weir_parse_list_node(p, WEIR_NODE_GROUP, at, &list, out));
    (*out)->text = kind;
    (*out)->text_len = (uint32_t)strlen(kind);
    return WEIR_OK;
}

static weir_rc
parse_grouping(struct weir_parse *p, struct weir_node **out)
{
    const char *kind = grouping_kind(p);

    return kind == NULL ? weir_parse_expr(p, out) : parse_grouping_sets(p, kind, out);
}

/* Hive's way: GROUP BY a, b WITH ROLLUP. */
static weir_rc
parse_with_kind(struct weir_parse *p, struct weir_node *group)
{
    if (weir_parse_accept_words(p, "WITH", "ROLLUP"))
        group->text = "ROLLUP";
    else if (weir_parse_accept_words(p, "WITH", "CUBE"))
        group->text = "CUBE";
    else if (grouping_kind(p) != NULL)
        return weir_parse_refuse(p, p->tok.at, "a list of expressions in front of GROUPING SETS",
                                 "write GROUP BY GROUPING SETS (…) with all of them inside");
    return WEIR_OK;
}

/* GROUP BY is taken. A single ROLLUP, CUBE or GROUPING SETS is the GROUP itself, one of several is a GROUP
 * inside. */
static weir_rc
parse_group(struct weir_parse *p, struct weir_node **out)
{
    struct weir_parse_list list = {0};
    struct weir_node *kid;
    uint32_t at = p->tok.at;

    do {
        WEIR_TRY(parse_grouping(p, &kid));
        WEIR_TRY(weir_parse_push(p, &list, kid));
    } while (weir_parse_accept(p, ","));
    if (list.n == 1 && kid->kind == WEIR_NODE_GROUP) {
        *out = kid;
        return WEIR_OK;
    }
    WEIR_TRY(weir_parse_list_node(p, WEIR_NODE_GROUP, at, &list, out));
    if (list.n == 1 && kid->kind == WEIR_NODE_NAME && kid->nnames == 1 &&
        weir_slice_is_nocase(weir_slice(kid->names[0], strlen(kid->names[0])), "ALL"))
        (*out)->flags = WEIR_NODE_ALL;
    return parse_with_kind(p, *out);
}

/* ---- SELECT ---- */

/* WINDOW is taken: name AS (…) {"," …}; a name alone stands for another window. */
static weir_rc
parse_named_windows(struct weir_parse *p, struct weir_node **out)
{
    struct weir_parse_list list = {0};
    struct weir_node *kid, *named;
    uint32_t at = p->tok.at;
    const char *name, *base;

    do {
        uint32_t here = p->tok.at;

        WEIR_TRY(weir_parse_name(p, "a window's name", &name));
        WEIR_TRY(weir_parse_take_word(p, "AS"));
        if (weir_parse_at(p, "(")) {
            WEIR_TRY(weir_parse_window(p, &kid));
        } else {
            WEIR_TRY(weir_parse_name(p, "a window's name or \"(\"", &base));
            WEIR_TRY(weir_parse_node(p, WEIR_NODE_WINDOW, here, 3, &kid));
            WEIR_TRY(weir_parse_node(p, WEIR_NODE_LIST, here, 0, &kid->kids[0]));
            WEIR_TRY(weir_parse_node(p, WEIR_NODE_LIST, here, 0, &kid->kids[1]));
            kid->text = base;
        }
        WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_NAMED_WINDOW, here, &kid, 1, &named));
        named->text = name;
        WEIR_TRY(weir_parse_push(p, &list, named));
    } while (weir_parse_accept(p, ","));
    return weir_parse_list_node(p, WEIR_NODE_LIST, at, &list, out);
}

static bool
accept_window(struct weir_parse *p)
{
    struct weir_token next = weir_parse_peek(p, 1), third = weir_parse_peek(p, 2);

    if (!weir_parse_at_word(p, "WINDOW") || !weir_token_is_name(&next) || !weir_token_is_word(&third, "AS"))
        return false;
    weir_parse_next(p);
    return true;
}

static weir_rc
parse_items(struct weir_parse *p, struct weir_node **out)
{
    struct weir_parse_list list = {0};
    uint32_t at = p->tok.at;
    struct weir_node *kid;

    do {
        WEIR_TRY(weir_parse_named(p, &kid));
        WEIR_TRY(weir_parse_push(p, &list, kid));
    } while (weir_parse_accept(p, ","));
    return weir_parse_list_node(p, WEIR_NODE_LIST, at, &list, out);
}

enum {
    SELECT_ITEMS,
    SELECT_FROM,
    SELECT_WHERE,
    SELECT_GROUP,
    SELECT_HAVING,
    SELECT_QUALIFY,
    SELECT_WINDOWS,
    SELECT_KIDS
};

/* SELECT in hand. */
static weir_rc
parse_select(struct weir_parse *p, struct weir_node **out)
{
    struct weir_node *kids[SELECT_KIDS] = {NULL};
    uint32_t at = p->tok.at, flags = 0;
    struct weir_token next;

    weir_parse_next(p);
    next = weir_parse_peek(p, 1);
    if (!weir_token_is(&next, ",") && !weir_token_is_word(&next, "FROM") && next.kind != WEIR_TOKEN_END) {
        if (weir_parse_accept_word(p, "DISTINCT"))
            flags = WEIR_NODE_DISTINCT;
        else
            weir_parse_accept_word(p, "ALL");
    }
    WEIR_TRY(parse_items(p, &kids[SELECT_ITEMS]));
    if (weir_parse_accept_word(p, "FROM"))
        WEIR_TRY(weir_parse_from(p, &kids[SELECT_FROM]));
    else if (weir_parse_at_word(p, "LATERAL"))
        return weir_parse_expected(p, "FROM in front of LATERAL VIEW");
    if (weir_parse_accept_word(p, "WHERE"))
        WEIR_TRY(weir_parse_expr(p, &kids[SELECT_WHERE]));
    if (weir_parse_accept_words(p, "GROUP", "BY"))
        WEIR_TRY(parse_group(p, &kids[SELECT_GROUP]));
    if (weir_parse_accept_word(p, "HAVING"))
        WEIR_TRY(weir_parse_expr(p, &kids[SELECT_HAVING]));
    if (weir_parse_accept_word(p, "QUALIFY"))
        WEIR_TRY(weir_parse_expr(p, &kids[SELECT_QUALIFY]));
    if (accept_window(p))
        WEIR_TRY(parse_named_windows(p, &kids[SELECT_WINDOWS]));
    WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_SELECT, at, kids, SELECT_KIDS, out));
    (*out)->flags = flags;
    return WEIR_OK;
}

/* ---- VALUES, TABLE, brackets ---- */

/* A row: (a, b) and struct(a, b) are several columns, anything else is one. */
static weir_rc
parse_row(struct weir_parse *p, struct weir_node **out)
{
    uint32_t i;

    WEIR_TRY(weir_parse_expr(p, out));
    if ((*out)->kind == WEIR_NODE_CALL && strcmp((*out)->text, "struct") == 0) {
        (*out)->kind = WEIR_NODE_TUPLE;
        (*out)->text = NULL;
        (*out)->text_len = 0;
    }
    if ((*out)->kind != WEIR_NODE_TUPLE)
        return weir_parse_node_of(p, WEIR_NODE_TUPLE, (*out)->at, &(struct weir_node *){*out}, 1, out);
    for (i = 0; i < (*out)->nkids; i++) {
        if ((*out)->kids[i]->kind == WEIR_NODE_ALIAS)
            (*out)->kids[i] = (*out)->kids[i]->kids[0]; /* names of columns come from behind the rows */
    }
    return WEIR_OK;
}

/* VALUES in hand. Names behind it are left to the caller. */
weir_rc
weir_parse_values(struct weir_parse *p, struct weir_node **out)
{
    struct weir_parse_list list = {0};
    uint32_t at = p->tok.at;
    struct weir_node *row;

    weir_parse_next(p);
    do {
        WEIR_TRY(parse_row(p, &row));
        if (list.n > 0 && row->nkids != list.items[0]->nkids) {
            weir_fail(p->err, WEIR_USAGE, "this row has %u values, the first one %u", row->nkids,
                      list.items[0]->nkids);
            return weir_parse_where(p, row->at);
        }
        WEIR_TRY(weir_parse_push(p, &list, row));
    } while (weir_parse_accept(p, ","));
    return weir_parse_list_node(p, WEIR_NODE_VALUES, at, &list, out);
}

/* VALUES … [[AS] t [(a, b)]] */
static weir_rc
parse_values_term(struct weir_parse *p, struct weir_node **out)
{
    struct weir_parse_names names = {0};
    const char *alias;

    WEIR_TRY(weir_parse_values(p, out));
    WEIR_TRY(weir_parse_alias(p, &alias));
    if (alias != NULL && weir_parse_at(p, "("))
        WEIR_TRY(weir_parse_name_list(p, "a column name", &names));
    weir_node_names(*out, &names);
    return WEIR_OK;
}

/* TABLE a.b: SELECT * FROM a.b */
static weir_rc
parse_table_term(struct weir_parse *p, struct weir_node **out)
{
    struct weir_parse_names names = {0};
    struct weir_node *kids[SELECT_KIDS] = {NULL}, *star;
    uint32_t at = p->tok.at;

    weir_parse_next(p);
    WEIR_TRY(weir_parse_node(p, WEIR_NODE_STAR, at, 0, &star));
    WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_LIST, at, &star, 1, &kids[SELECT_ITEMS]));
    WEIR_TRY(weir_parse_node(p, WEIR_NODE_TABLE, p->tok.at, 3, &kids[SELECT_FROM]));
    WEIR_TRY(weir_parse_dotted(p, "a table's name", &names));
    weir_node_names(kids[SELECT_FROM], &names);
    return weir_parse_node_of(p, WEIR_NODE_SELECT, at, kids, SELECT_KIDS, out);
}

static weir_rc
parse_term_primary(struct weir_parse *p, struct weir_node **out)
{
    if (weir_parse_accept(p, "(")) {
        WEIR_TRY(weir_parse_query(p, out));
        return weir_parse_take(p, ")");
    }
    if (!weir_parse_at_query(p) || weir_parse_at_word(p, "WITH"))
        return weir_parse_expected(p, "SELECT");
    if (weir_parse_at_word(p, "VALUES"))
        return parse_values_term(p, out);
    return weir_parse_at_word(p, "TABLE") ? parse_table_term(p, out) : parse_select(p, out);
}

/* ---- set operations ---- */

/* The operator in hand, or NULL. */
static const char *
set_operator(const struct weir_parse *p, bool intersect)
{
    if (weir_parse_at_word(p, "INTERSECT"))
        return intersect ? "INTERSECT" : NULL;
    if (intersect)
        return NULL;
    if (weir_parse_at_word(p, "UNION"))
        return "UNION";
    if (weir_parse_at_word(p, "EXCEPT") || weir_parse_at_word(p, "MINUS") ||
        weir_parse_at_word(p, "SETMINUS"))
        return "EXCEPT";
    return NULL;
}

/* What follows *left at one level of precedence; INTERSECT binds tighter. */
static weir_rc
parse_set_operations(struct weir_parse *p, bool intersect, struct weir_node **left)
{
    const char *name;

    while ((name = set_operator(p, intersect)) != NULL) {
        struct weir_node *kids[2] = {*left};
        bool all;

        weir_parse_next(p);
        all = weir_parse_accept_word(p, "ALL");
        if (!all)
            weir_parse_accept_word(p, "DISTINCT");
        WEIR_TRY(parse_term_primary(p, &kids[1]));
        if (!intersect)
            WEIR_TRY(parse_set_operations(p, true, &kids[1]));
        WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_SETOP, kids[0]->at, kids, 2, left));
        (*left)->text = name;
        (*left)->text_len = (uint32_t)strlen(name);
        (*left)->flags = all ? 0 : WEIR_NODE_DISTINCT;
    }
    return WEIR_OK;
}

/* ---- the whole ---- */

static weir_rc
refuse_clauses(struct weir_parse *p)
{
    static const char *const names[] = {"SORT", "DISTRIBUTE", "CLUSTER"};
    static const char *const what[] = {"SORT BY", "DISTRIBUTE BY", "CLUSTER BY"};
    struct weir_token next = weir_parse_peek(p, 1);
    int i;

    for (i = 0; i < 3; i++) {
        if (weir_parse_at_word(p, names[i]) && weir_token_is_word(&next, "BY"))
            return weir_parse_refuse(p, p->tok.at, what[i], "write ORDER BY, or leave it out");
    }
    if (weir_parse_at(p, "|>"))
        return weir_parse_refuse(p, p->tok.at, "the pipe operator |>", "write a subquery");
    return WEIR_OK;
}

enum { QUERY_WITH, QUERY_BODY, QUERY_ORDER, QUERY_LIMIT, QUERY_OFFSET, QUERY_KIDS };

/* ORDER BY, WINDOW, LIMIT, OFFSET behind the body. */
static weir_rc
parse_organization(struct weir_parse *p, struct weir_node **kids)
{
    WEIR_TRY(refuse_clauses(p));
    if (weir_parse_accept_words(p, "ORDER", "BY"))
        WEIR_TRY(weir_parse_orders(p, &kids[QUERY_ORDER]));
    WEIR_TRY(refuse_clauses(p));
    if (kids[QUERY_BODY]->kind == WEIR_NODE_SELECT && kids[QUERY_BODY]->kids[SELECT_WINDOWS] == NULL &&
        accept_window(p))
        WEIR_TRY(parse_named_windows(p, &kids[QUERY_BODY]->kids[SELECT_WINDOWS]));
    if (weir_parse_accept_word(p, "LIMIT") && !weir_parse_accept_word(p, "ALL"))
        WEIR_TRY(weir_parse_expr(p, &kids[QUERY_LIMIT]));
    if (weir_parse_accept_word(p, "OFFSET"))
        WEIR_TRY(weir_parse_expr(p, &kids[QUERY_OFFSET]));
    return refuse_clauses(p);
}

static weir_rc
parse_rest(struct weir_parse *p, struct weir_node *with, struct weir_node *term, struct weir_node **out)
{
    struct weir_node *kids[QUERY_KIDS] = {with, term};
    uint32_t at = with == NULL ? term->at : with->at;

    WEIR_TRY(parse_set_operations(p, true, &kids[QUERY_BODY]));
    WEIR_TRY(parse_set_operations(p, false, &kids[QUERY_BODY]));
    WEIR_TRY(parse_organization(p, kids));
    return weir_parse_node_of(p, WEIR_NODE_QUERY, at, kids, QUERY_KIDS, out);
}

weir_rc
weir_parse_query_tail(struct weir_parse *p, struct weir_node *term, struct weir_node **out)
{
    return parse_rest(p, NULL, term, out);
}

/* WITH in hand: name [(a, b)] [AS] (query) {"," …} */
static weir_rc
parse_with(struct weir_parse *p, struct weir_node **out)
{
    struct weir_parse_list list = {0};
    uint32_t at = p->tok.at;
    struct weir_node *query, *cte;
    struct weir_token next = weir_parse_peek(p, 2);
    const char *name;

    weir_parse_next(p);
    if (weir_parse_at_word(p, "RECURSIVE") && weir_token_is_name(&next) && !weir_token_is_word(&next, "AS"))
        return weir_parse_refuse(p, p->tok.at, "WITH RECURSIVE", NULL);
    do {
        struct weir_parse_names names = {0};
        uint32_t here = p->tok.at;

        WEIR_TRY(weir_parse_name(p, "a name for the query", &name));
        next = weir_parse_peek(p, 1);
        if (weir_parse_at(p, "(") && weir_token_is_name(&next) && !weir_token_is_word(&next, "SELECT"))
            WEIR_TRY(weir_parse_name_list(p, "a column name", &names));
        weir_parse_accept_word(p, "AS");
        WEIR_TRY(weir_parse_take(p, "("));
        WEIR_TRY(weir_parse_query(p, &query));
        WEIR_TRY(weir_parse_take(p, ")"));
        WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_CTE, here, &query, 1, &cte));
        cte->text = name;
        weir_node_names(cte, &names);
        WEIR_TRY(weir_parse_push(p, &list, cte));
    } while (weir_parse_accept(p, ","));
    return weir_parse_list_node(p, WEIR_NODE_LIST, at, &list, out);
}

weir_rc
weir_parse_query(struct weir_parse *p, struct weir_node **out)
{
    struct weir_node *with = NULL, *term;

    WEIR_TRY(weir_parse_enter(p));
    if (weir_parse_at_word(p, "WITH"))
        WEIR_TRY(parse_with(p, &with));
    WEIR_TRY(parse_term_primary(p, &term));
    WEIR_TRY(parse_rest(p, with, term, out));
    weir_parse_leave(p);
    return WEIR_OK;
}
