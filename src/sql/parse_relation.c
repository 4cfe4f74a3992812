/* What stands behind FROM in Spark SQL: tables, subqueries, joins, table functions, LATERAL VIEW.
 *
 *   from     = relation {"," [LATERAL] relation} {LATERAL VIEW …}
 *   relation = primary {[NATURAL] kind JOIN [LATERAL] primary [ON … | USING (…)]}
 *   primary  = a.b [VERSION | TIMESTAMP AS OF …] | "(" query ")" | "(" relation ")" | VALUES … | function "("
 * … ")"
 *
 * A comma is a CROSS join. Joins are left-associative; brackets make another tree, not another node. */
#include "sql/parse_int.h"

#include <string.h>

/* ---- aliases ---- */

/* [AS] t [(a, b)]. A view of Hive (LATERAL VIEW) and time travel are seen before. */
static weir_rc
parse_table_alias(struct weir_parse *p, const char **alias, struct weir_parse_names *columns)
{
    WEIR_TRY(weir_parse_alias(p, alias));
    if (*alias != NULL && weir_parse_at(p, "("))
        WEIR_TRY(weir_parse_name_list(p, "a column name", columns));
    return WEIR_OK;
}

/* What Spark can do with a relation and weir cannot. */
static weir_rc
refuse_extensions(struct weir_parse *p)
{
    static const char *const names[] = {"PIVOT", "UNPIVOT", "TABLESAMPLE"};
    struct weir_token next = weir_parse_peek(p, 1);
    int i;

    for (i = 0; i < 3; i++) {
        if (weir_parse_at_word(p, names[i]) &&
            (weir_token_is(&next, "(") || weir_token_is_word(&next, "INCLUDE") ||
             weir_token_is_word(&next, "EXCLUDE")))
            return weir_parse_refuse(p, p->tok.at, names[i], NULL);
    }
    return WEIR_OK;
}

/* ---- what can be joined ---- */

/* Time travel: [FOR] VERSION | SYSTEM_VERSION AS OF n, [FOR] TIMESTAMP | SYSTEM_TIME AS OF expr. */
static weir_rc
parse_travel(struct weir_parse *p, struct weir_node *table)
{
    unsigned skip = weir_parse_at_word(p, "FOR");
    struct weir_token word = weir_parse_peek(p, skip), as = weir_parse_peek(p, skip + 1),
                      of = weir_parse_peek(p, skip + 2);
    bool version = weir_token_is_word(&word, "VERSION") || weir_token_is_word(&word, "SYSTEM_VERSION");

    if (!weir_token_is_word(&as, "AS") || !weir_token_is_word(&of, "OF") ||
        (!version && !weir_token_is_word(&word, "TIMESTAMP") && !weir_token_is_word(&word, "SYSTEM_TIME")))
        return WEIR_OK;
    for (skip += 3; skip > 0; skip--)
        weir_parse_next(p);
    if (!version)
        return weir_parse_value(p, &table->kids[1]);
    if (p->tok.kind == WEIR_TOKEN_STRING)
        return weir_parse_strings(p, &table->kids[0]);
    WEIR_TRY(weir_parse_number(p, false, &table->kids[0]));
    if (table->kids[0]->type->kind != WEIR_INT && table->kids[0]->type->kind != WEIR_LONG) {
        weir_fail(p->err, WEIR_USAGE, "a version is a whole number");
        return weir_parse_where(p, table->kids[0]->at);
    }
    return WEIR_OK;
}

/* Names as a LIST of NAME nodes. */
static weir_rc
name_nodes(struct weir_parse *p, const struct weir_parse_names *names, uint32_t at, struct weir_node **out)
{
    uint32_t i;

    WEIR_TRY(weir_parse_node(p, WEIR_NODE_LIST, at, names->n, out));
    for (i = 0; i < names->n; i++) {
        struct weir_parse_names one = {0};

        WEIR_TRY(weir_parse_node(p, WEIR_NODE_NAME, at, 0, &(*out)->kids[i]));
        WEIR_TRY(weir_parse_push_name(p, &one, names->items[i]));
        weir_node_names((*out)->kids[i], &one);
    }
    return WEIR_OK;
}

/* A table by its name, or a call of a table function. */
static weir_rc
parse_table(struct weir_parse *p, struct weir_node **out)
{
    struct weir_parse_names names = {0}, columns = {0};
    uint32_t at = p->tok.at;
    struct weir_node *call;
    struct weir_token next;
    const char *alias;

    WEIR_TRY(weir_parse_dotted(p, "a table", &names));
    if (weir_parse_at(p, "(")) {
        WEIR_TRY(weir_parse_function(p, &names, at, &call));
        WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_TABLE_CALL, at, &call, 1, out));
        WEIR_TRY(parse_table_alias(p, &alias, &columns));
        (*out)->text = alias;
        weir_node_names(*out, &columns);
        return WEIR_OK;
    }
    WEIR_TRY(weir_parse_node(p, WEIR_NODE_TABLE, at, 3, out));
    weir_node_names(*out, &names);
    WEIR_TRY(parse_travel(p, *out));
    next = weir_parse_peek(p, 1);
    if (weir_parse_at_word(p, "WITH") && weir_token_is(&next, "("))
        return weir_parse_refuse(p, p->tok.at, "WITH (options) behind a table", NULL);
    WEIR_TRY(refuse_extensions(p));
    WEIR_TRY(parse_table_alias(p, &alias, &columns));
    (*out)->text = alias;
    return columns.n == 0 ? WEIR_OK : name_nodes(p, &columns, at, &(*out)->kids[2]);
}

/* A query as a relation, with the alias behind it. */
static weir_rc
derived(struct weir_parse *p, struct weir_node *query, uint32_t at, struct weir_node **out)
{
    struct weir_parse_names columns = {0};
    const char *alias;

    WEIR_TRY(refuse_extensions(p));
    WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_DERIVED, at, &query, 1, out));
    WEIR_TRY(parse_table_alias(p, &alias, &columns));
    (*out)->text = alias;
    weir_node_names(*out, &columns);
    return WEIR_OK;
}

static weir_rc parse_joins(struct weir_parse *p, struct weir_node **left);
static weir_rc parse_relation_primary(struct weir_parse *p, struct weir_node **out);

/* "(" … ")" with a query (QUERY) or a relation inside. Which of them "((SELECT 1) …" is shows behind the
 * inner bracket. */
static weir_rc
parse_bracket_content(struct weir_parse *p, struct weir_node **out)
{
    uint32_t at = p->tok.at;
    struct weir_node *inner;

    WEIR_TRY(weir_parse_enter(p));
    WEIR_TRY(weir_parse_take(p, "("));
    if (weir_parse_at_query(p)) {
        WEIR_TRY(weir_parse_query(p, out));
    } else if (!weir_parse_at(p, "(")) {
        WEIR_TRY(parse_relation_primary(p, out));
        WEIR_TRY(parse_joins(p, out));
    } else {
        WEIR_TRY(parse_bracket_content(p, &inner));
        *out = inner;
        if (inner->kind != WEIR_NODE_QUERY) {
            WEIR_TRY(parse_joins(p, out));
        } else if (weir_parse_at_query_tail(p)) {
            WEIR_TRY(weir_parse_query_tail(p, inner, out));
        } else if (!weir_parse_at(p, ")")) {
            WEIR_TRY(derived(p, inner, at, out));
            WEIR_TRY(parse_joins(p, out));
        }
    }
    weir_parse_leave(p);
    return weir_parse_take(p, ")");
}

static weir_rc
parse_bracketed(struct weir_parse *p, struct weir_node **out)
{
    uint32_t at = p->tok.at;
    struct weir_node *inner;
    const char *alias;

    WEIR_TRY(parse_bracket_content(p, &inner));
    if (inner->kind == WEIR_NODE_QUERY)
        return derived(p, inner, at, out);
    WEIR_TRY(refuse_extensions(p));
    WEIR_TRY(weir_parse_alias(p, &alias));
    if (alias != NULL)
        return weir_parse_refuse(p, p->prev.at, "an alias for a join in brackets",
                                 "write (SELECT * FROM …) AS name");
    *out = inner;
    return WEIR_OK;
}

static weir_rc
parse_relation_primary(struct weir_parse *p, struct weir_node **out)
{
    struct weir_node *kids[5] = {NULL};
    uint32_t at = p->tok.at;
    struct weir_node *query;

    if (weir_parse_at(p, "("))
        return parse_bracketed(p, out);
    if (weir_parse_at_word(p, "VALUES") && weir_parse_at_query(p)) {
        WEIR_TRY(weir_parse_values(p, &kids[1]));
        WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_QUERY, at, kids, 5, &query));
        return derived(p, query, at, out);
    }
    return parse_table(p, out);
}

/* LATERAL is taken: a subquery or a call that may use what stands left of it. */
static weir_rc
parse_lateral(struct weir_parse *p, struct weir_node **out)
{
    struct weir_parse_names names = {0};
    uint32_t at = p->tok.at;
    struct weir_node *kid;
    const char *alias;

    if (weir_parse_accept(p, "(")) {
        WEIR_TRY(weir_parse_query(p, &kid));
        WEIR_TRY(weir_parse_take(p, ")"));
    } else {
        WEIR_TRY(weir_parse_dotted(p, "\"(\" or a table function", &names));
        if (!weir_parse_at(p, "("))
            return weir_parse_expected(p, "\"(\"");
        WEIR_TRY(weir_parse_function(p, &names, at, &kid));
        names = (struct weir_parse_names){0};
    }
    WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_LATERAL, at, &kid, 1, out));
    WEIR_TRY(parse_table_alias(p, &alias, &names));
    (*out)->text = alias;
    weir_node_names(*out, &names);
    return WEIR_OK;
}

static weir_rc
parse_maybe_lateral(struct weir_parse *p, struct weir_node **out)
{
    struct weir_token next = weir_parse_peek(p, 1);

    if (weir_parse_at_word(p, "LATERAL") && (weir_token_is(&next, "(") || weir_token_is_name(&next))) {
        weir_parse_next(p);
        return parse_lateral(p, out);
    }
    return parse_relation_primary(p, out);
}

/* ---- joins ---- */

/* The kind of the join whose words are in hand, which are then taken up to JOIN; NULL: no join here. */
static const char *
accept_join(struct weir_parse *p)
{
    static const struct {
        const char *words[4], *kind;
    } joins[] = {
        {{"JOIN"}, "INNER"},
        {{"INNER", "JOIN"}, "INNER"},
        {{"CROSS", "JOIN"}, "CROSS"},
        {{"LEFT", "JOIN"}, "LEFT"},
        {{"LEFT", "OUTER", "JOIN"}, "LEFT"},
        {{"RIGHT", "JOIN"}, "RIGHT"},
        {{"RIGHT", "OUTER", "JOIN"}, "RIGHT"},
        {{"FULL", "JOIN"}, "FULL"},
        {{"FULL", "OUTER", "JOIN"}, "FULL"},
        {{"SEMI", "JOIN"}, "SEMI"},
        {{"LEFT", "SEMI", "JOIN"}, "SEMI"},
        {{"ANTI", "JOIN"}, "ANTI"},
        {{"LEFT", "ANTI", "JOIN"}, "ANTI"},
    };
    struct weir_token toks[3] = {p->tok, weir_parse_peek(p, 1), weir_parse_peek(p, 2)};
    size_t i, n;

    for (i = 0; i < sizeof(joins) / sizeof(joins[0]); i++) {
        for (n = 0; joins[i].words[n] != NULL && weir_token_is_word(&toks[n], joins[i].words[n]); n++)
            ;
        if (joins[i].words[n] != NULL)
            continue;
        for (; n > 0; n--)
            weir_parse_next(p);
        return joins[i].kind;
    }
    return NULL;
}

/* One join behind *left; *more: there was one. */
static weir_rc
parse_join(struct weir_parse *p, struct weir_node **left, bool *more)
{
    struct weir_parse_names using = {0};
    struct weir_node *kids[3] = {*left, NULL, NULL};
    bool natural = weir_parse_accept_word(p, "NATURAL");
    const char *kind = accept_join(p);

    *more = kind != NULL;
    if (kind == NULL)
        return natural ? weir_parse_expected(p, "JOIN") : WEIR_OK;
    WEIR_TRY(parse_maybe_lateral(p, &kids[1]));
    if (!natural && weir_parse_accept_word(p, "ON"))
        WEIR_TRY(weir_parse_expr(p, &kids[2]));
    else if (!natural && weir_parse_accept_word(p, "USING"))
        WEIR_TRY(weir_parse_name_list(p, "a column name", &using));
    WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_JOIN, kids[0]->at, kids, 3, left));
    (*left)->text = kind;
    (*left)->flags = natural ? WEIR_NODE_NATURAL : 0;
    weir_node_names(*left, &using);
    return WEIR_OK;
}

static weir_rc
parse_joins(struct weir_parse *p, struct weir_node **left)
{
    bool more = true;

    while (more) {
        WEIR_TRY(refuse_extensions(p));
        WEIR_TRY(parse_join(p, left, &more));
    }
    return WEIR_OK;
}

/* ---- LATERAL VIEW ---- */

/* Whether the word in hand names columns of a view: none that begins the next clause. */
static bool
at_view_name(const struct weir_parse *p)
{
    static const char *const clauses[] = {"WHERE",  "GROUP",      "HAVING",    "ORDER", "LIMIT",   "OFFSET",
                                          "UNION",  "EXCEPT",     "INTERSECT", "MINUS", "LATERAL", "QUALIFY",
                                          "WINDOW", "SORT",       "ON",        "USING", "JOIN",    "CLUSTER",
                                          "AS",     "DISTRIBUTE", NULL};

    return weir_token_is_name(&p->tok) && !weir_token_is_one_of(&p->tok, clauses);
}

/* LATERAL VIEW is taken: [OUTER] f(…) t [[AS] a {"," b}] around the relation. */
static weir_rc
parse_view(struct weir_parse *p, struct weir_node **relation)
{
    struct weir_parse_names names = {0};
    struct weir_node *kids[2] = {*relation, NULL};
    bool outer = weir_parse_accept_word(p, "OUTER");
    uint32_t at = p->tok.at;
    const char *alias = NULL, *column;

    WEIR_TRY(weir_parse_dotted(p, "a generator: explode, posexplode, inline …", &names));
    if (!weir_parse_at(p, "("))
        return weir_parse_expected(p, "\"(\"");
    WEIR_TRY(weir_parse_function(p, &names, at, &kids[1]));
    names = (struct weir_parse_names){0};
    if (at_view_name(p))
        WEIR_TRY(weir_parse_name(p, "an alias", &alias));
    if (weir_parse_accept_word(p, "AS") || at_view_name(p)) {
        do {
            WEIR_TRY(weir_parse_name(p, "a column name", &column));
            WEIR_TRY(weir_parse_push_name(p, &names, column));
        } while (weir_parse_accept(p, ","));
    }
    WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_LATERAL_VIEW, at, kids, 2, relation));
    (*relation)->text = alias;
    (*relation)->flags = outer ? WEIR_NODE_OUTER : 0;
    weir_node_names(*relation, &names);
    return WEIR_OK;
}

weir_rc
weir_parse_from(struct weir_parse *p, struct weir_node **out)
{
    struct weir_node *kids[3] = {NULL, NULL, NULL};

    WEIR_TRY(parse_maybe_lateral(p, out));
    WEIR_TRY(parse_joins(p, out));
    while (weir_parse_accept(p, ",")) {
        kids[0] = *out;
        WEIR_TRY(parse_maybe_lateral(p, &kids[1]));
        WEIR_TRY(parse_joins(p, &kids[1]));
        WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_JOIN, kids[0]->at, kids, 3, out));
        (*out)->text = "CROSS";
    }
    while (weir_parse_accept_words(p, "LATERAL", "VIEW"))
        WEIR_TRY(parse_view(p, out));
    return WEIR_OK;
}
