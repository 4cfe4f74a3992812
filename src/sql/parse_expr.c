/* Operators of Spark SQL by their precedence, aliases, orders and windows.
 *
 *   expr      = and {OR and};  and = not {AND not};  not = {NOT | "!"} predicate | EXISTS "(" query ")"
 *   predicate = value [[NOT] BETWEEN … | IN … | LIKE … | RLIKE … | IS …]      at most one
 *   value     = comparisons < "|" < "^" < "&" < shifts < "+" "-" "||" < "*" "/" "%" DIV < unary "-" "+" "~"
 *
 * 1. All binary operators are left-associative, comparisons too: a = b = c is (a = b) = c, as in Spark.
 * 2. What Spark's parser turns into something else is turned here too, so that the table of functions is
 * small: a <> b is not(a = b), a || b is concat(a, b), IS TRUE is <=>, IS DISTINCT FROM is not(<=>). */
#include "sql/parse_int.h"

#include <string.h>

/* ---- AND, OR, NOT ---- */

/* A chain of the same operator as a tree that is as flat as can be: Spark's shape, which its column names
 * show. */
static weir_rc
balance(struct weir_parse *p, const char *name, struct weir_node **items, uint32_t n, struct weir_node **out)
{
    struct weir_node *left, *right;

    if (n == 1) {
        *out = items[0];
        return WEIR_OK;
    }
    if (n == 2)
        return weir_parse_call2(p, name, items[0]->at, items[0], items[1], out);
    WEIR_TRY(balance(p, name, items, (n - 1) / 2 + 1, &left));
    WEIR_TRY(balance(p, name, items + (n - 1) / 2 + 1, n - 1 - (n - 1) / 2, &right));
    return weir_parse_call2(p, name, left->at, left, right, out);
}

static weir_rc parse_predicate(struct weir_parse *p, struct weir_node **out);

static weir_rc
parse_exists(struct weir_parse *p, struct weir_node **out)
{
    struct weir_node *query;
    uint32_t at = p->tok.at;

    weir_parse_next(p);
    weir_parse_next(p);
    WEIR_TRY(weir_parse_query(p, &query));
    WEIR_TRY(weir_parse_take(p, ")"));
    return weir_parse_node_of(p, WEIR_NODE_EXISTS, at, &query, 1, out);
}

/* EXISTS in front of a query; exists(array, x -> …) is a function. */
static bool
at_exists(const struct weir_parse *p)
{
    struct weir_parse inside = *p;

    if (!weir_parse_at_word(p, "EXISTS"))
        return false;
    inside.tok = weir_parse_peek(p, 1);
    if (!weir_parse_at(&inside, "("))
        return false;
    inside.tok = weir_parse_peek(p, 2);
    return weir_parse_at_query(&inside);
}

static weir_rc
parse_not(struct weir_parse *p, struct weir_node **out)
{
    struct weir_node *kid;
    uint32_t at = p->tok.at;

    if (!weir_parse_at_word(p, "NOT") && !weir_parse_at(p, "!"))
        return at_exists(p) ? parse_exists(p, out) : parse_predicate(p, out);
    weir_parse_next(p);
    WEIR_TRY(weir_parse_enter(p));
    WEIR_TRY(parse_not(p, &kid));
    weir_parse_leave(p);
    return weir_parse_call1(p, "not", at, kid, out);
}

static weir_rc
parse_and(struct weir_parse *p, struct weir_node **out)
{
    struct weir_parse_list list = {0};
    struct weir_node *kid;

    do {
        WEIR_TRY(parse_not(p, &kid));
        WEIR_TRY(weir_parse_push(p, &list, kid));
    } while (weir_parse_accept_word(p, "AND"));
    return balance(p, "and", list.items, list.n, out);
}

weir_rc
weir_parse_expr(struct weir_parse *p, struct weir_node **out)
{
    struct weir_parse_list list = {0};
    struct weir_node *kid;

    WEIR_TRY(weir_parse_enter(p));
    do {
        WEIR_TRY(parse_and(p, &kid));
        WEIR_TRY(weir_parse_push(p, &list, kid));
    } while (weir_parse_accept_word(p, "OR"));
    weir_parse_leave(p);
    return balance(p, "or", list.items, list.n, out);
}

weir_rc
weir_parse_exprs(struct weir_parse *p, struct weir_parse_list *out)
{
    struct weir_node *kid;

    do {
        WEIR_TRY(weir_parse_expr(p, &kid));
        WEIR_TRY(weir_parse_push(p, out, kid));
    } while (weir_parse_accept(p, ","));
    return WEIR_OK;
}

/* ---- predicates ---- */

static weir_rc
parse_between(struct weir_parse *p, struct weir_node *value, struct weir_node **out)
{
    struct weir_node *kids[3] = {value};

    weir_parse_next(p);
    WEIR_TRY(weir_parse_value(p, &kids[1]));
    WEIR_TRY(weir_parse_take_word(p, "AND"));
    WEIR_TRY(weir_parse_value(p, &kids[2]));
    return weir_parse_call(p, "between", value->at, kids, 3, out);
}

/* "(" expr {"," expr} ")" behind the value in list; the first may turn out to be the first term of a query.
 */
static weir_rc
parse_in(struct weir_parse *p, struct weir_node *value, struct weir_node **out)
{
    struct weir_parse_list list = {0};
    struct weir_node *kids[2] = {value};

    weir_parse_next(p);
    WEIR_TRY(weir_parse_take(p, "("));
    WEIR_TRY(weir_parse_push(p, &list, value));
    if (weir_parse_at_query(p)) {
        WEIR_TRY(weir_parse_query(p, &kids[1]));
        WEIR_TRY(weir_parse_take(p, ")"));
        return weir_parse_node_of(p, WEIR_NODE_IN_QUERY, value->at, kids, 2, out);
    }
    WEIR_TRY(weir_parse_exprs(p, &list));
    if (list.n == 2 && list.items[1]->kind == WEIR_NODE_SUBQUERY && weir_parse_at_query_tail(p)) {
        WEIR_TRY(weir_parse_query_tail(p, list.items[1]->kids[0], &kids[1]));
        WEIR_TRY(weir_parse_take(p, ")"));
        return weir_parse_node_of(p, WEIR_NODE_IN_QUERY, value->at, kids, 2, out);
    }
    WEIR_TRY(weir_parse_take(p, ")"));
    return weir_parse_call(p, "in", value->at, list.items, list.n, out);
}

/* LIKE ANY (…): ILIKE compares what lower() makes of both sides, as Spark does. The negation is part of the
 * name: NOT LIKE ANY means that one pattern does not fit. */
static weir_rc
parse_like_many(struct weir_parse *p, struct weir_node *value, bool nocase, bool negated,
                struct weir_node **out)
{
    static const char *const names[] = {"like any", "like all", "not like any", "not like all"};
    struct weir_parse_list list = {0};
    bool all = weir_parse_at_word(p, "ALL");
    uint32_t i;

    weir_parse_next(p);
    WEIR_TRY(weir_parse_take(p, "("));
    WEIR_TRY(weir_parse_push(p, &list, value));
    WEIR_TRY(weir_parse_exprs(p, &list));
    WEIR_TRY(weir_parse_take(p, ")"));
    for (i = 0; nocase && i < list.n; i++)
        WEIR_TRY(weir_parse_call1(p, "lower", list.items[i]->at, list.items[i], &list.items[i]));
    return weir_parse_call(p, names[all + 2 * negated], value->at, list.items, list.n, out);
}

/* ESCAPE 'c' behind a pattern: the third argument of like and ilike. */
static weir_rc
parse_escape(struct weir_parse *p, struct weir_node **out)
{
    if (p->tok.kind != WEIR_TOKEN_STRING)
        return weir_parse_expected(p, "a string of one character");
    WEIR_TRY(weir_parse_strings(p, out));
    if ((*out)->text_len == 0 || (*out)->text_len > 4 || weir_utf8_get(&(const char *){(*out)->text}) == 0) {
        weir_fail(p->err, WEIR_USAGE, "ESCAPE takes a string of one character");
        return weir_parse_where(p, (*out)->at);
    }
    return WEIR_OK;
}

/* *negated is taken back when the name says it. */
static weir_rc
parse_like(struct weir_parse *p, struct weir_node *value, bool *negated, struct weir_node **out)
{
    static const char *const many[] = {"ANY", "SOME", "ALL", NULL};
    bool nocase = weir_parse_at_word(p, "ILIKE");
    struct weir_node *kids[3] = {value};
    struct weir_token next;
    bool escaped;

    weir_parse_next(p);
    next = weir_parse_peek(p, 1);
    if (weir_token_is_one_of(&p->tok, many) && weir_token_is(&next, "(")) {
        WEIR_TRY(parse_like_many(p, value, nocase, *negated, out));
        *negated = false;
        return WEIR_OK;
    }
    WEIR_TRY(weir_parse_value(p, &kids[1]));
    escaped = weir_parse_accept_word(p, "ESCAPE");
    if (escaped)
        WEIR_TRY(parse_escape(p, &kids[2]));
    return weir_parse_call(p, nocase ? "ilike" : "like", value->at, kids, escaped ? 3 : 2, out);
}

static weir_rc
parse_rlike(struct weir_parse *p, struct weir_node *value, struct weir_node **out)
{
    struct weir_node *pattern;

    weir_parse_next(p);
    WEIR_TRY(weir_parse_value(p, &pattern));
    return weir_parse_call2(p, "rlike", value->at, value, pattern, out);
}

/* IS in hand. */
static weir_rc
parse_is(struct weir_parse *p, struct weir_node *value, struct weir_node **out)
{
    struct weir_node *other;
    bool negated, truth;

    weir_parse_next(p);
    negated = weir_parse_accept_word(p, "NOT") || weir_parse_accept(p, "!");
    if (weir_parse_accept_word(p, "NULL") || weir_parse_accept_word(p, "UNKNOWN"))
        return weir_parse_call1(p, negated ? "is not null" : "is null", value->at, value, out);
    truth = weir_parse_at_word(p, "TRUE");
    if (truth || weir_parse_at_word(p, "FALSE")) {
        WEIR_TRY(weir_parse_bool_node(p, truth, p->tok.at, &other));
        weir_parse_next(p);
    } else if (weir_parse_accept_word(p, "DISTINCT")) {
        WEIR_TRY(weir_parse_take_word(p, "FROM"));
        WEIR_TRY(weir_parse_value(p, &other));
        negated = !negated;
    } else {
        return weir_parse_expected(p, "NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM");
    }
    WEIR_TRY(weir_parse_call2(p, "<=>", value->at, value, other, out));
    return negated ? weir_parse_call1(p, "not", value->at, *out, out) : WEIR_OK;
}

/* NOT in front of the word that makes a predicate is taken. */
static bool
accept_not(struct weir_parse *p)
{
    static const char *const behind[] = {"BETWEEN", "IN", "LIKE", "ILIKE", "RLIKE", "REGEXP", NULL};
    struct weir_token next;

    if (!weir_parse_at_word(p, "NOT") && !weir_parse_at(p, "!"))
        return false;
    next = weir_parse_peek(p, 1);
    if (!weir_token_is_one_of(&next, behind))
        return false;
    weir_parse_next(p);
    return true;
}

static weir_rc
parse_predicate(struct weir_parse *p, struct weir_node **out)
{
    struct weir_node *value;
    bool negated;

    WEIR_TRY(weir_parse_value(p, &value));
    negated = accept_not(p);
    if (weir_parse_at_word(p, "BETWEEN"))
        WEIR_TRY(parse_between(p, value, out));
    else if (weir_parse_at_word(p, "IN"))
        WEIR_TRY(parse_in(p, value, out));
    else if (weir_parse_at_word(p, "LIKE") || weir_parse_at_word(p, "ILIKE"))
        WEIR_TRY(parse_like(p, value, &negated, out));
    else if (weir_parse_at_word(p, "RLIKE") || weir_parse_at_word(p, "REGEXP"))
        WEIR_TRY(parse_rlike(p, value, out));
    else if (weir_parse_at_word(p, "IS"))
        WEIR_TRY(parse_is(p, value, out));
    else
        *out = value;
    return negated ? weir_parse_call1(p, "not", value->at, *out, out) : WEIR_OK;
}

/* ---- values ---- */

enum { TIGHTEST = 7 };

/* The binary operator in hand: its precedence, 0 when there is none, and the name of its CALL. */
static int
binary_operator(const struct weir_parse *p, const char **name)
{
    static const struct {
        const char *mark, *name;
        int precedence;
    } operators[] = {
        {"=", "=", 1},   {"==", "=", 1},    {"<=>", "<=>", 1}, {"<>", "<>", 1}, {"!=", "<>", 1},
        {"<", "<", 1},   {">", ">", 1},     {"<=", "<=", 1},   {">=", ">=", 1}, {"!>", "<=", 1},
        {"!<", ">=", 1}, {"|", "|", 2},     {"^", "^", 3},     {"&", "&", 4},   {"<<", "<<", 5},
        {">>", ">>", 5}, {">>>", ">>>", 5}, {"+", "+", 6},     {"-", "-", 6},   {"||", "concat", 6},
        {"*", "*", 7},   {"/", "/", 7},     {"%", "%", 7},
    };
    size_t i;

    if (weir_parse_at_word(p, "DIV")) {
        *name = "div";
        return TIGHTEST;
    }
    for (i = 0; p->tok.kind == WEIR_TOKEN_MARK && i < sizeof(operators) / sizeof(operators[0]); i++) {
        if (weir_parse_at(p, operators[i].mark)) {
            *name = operators[i].name;
            return operators[i].precedence;
        }
    }
    return 0;
}

/* "-" in front of a number makes a negative constant, so that -2147483648 is an INT. */
static weir_rc
parse_unary(struct weir_parse *p, struct weir_node **out)
{
    const char *name = weir_parse_at(p, "-")   ? "-"
                       : weir_parse_at(p, "+") ? "+"
                       : weir_parse_at(p, "~") ? "~"
                                               : NULL;
    struct weir_token next;
    struct weir_node *kid;
    uint32_t at = p->tok.at;

    if (name == NULL)
        return weir_parse_primary(p, out);
    next = weir_parse_peek(p, 1);
    if (*name == '-' && next.kind == WEIR_TOKEN_NUMBER)
        return weir_parse_primary(p, out);
    weir_parse_next(p);
    WEIR_TRY(weir_parse_enter(p));
    WEIR_TRY(parse_unary(p, &kid));
    weir_parse_leave(p);
    return weir_parse_call1(p, name, at, kid, out);
}

static weir_rc
parse_binary(struct weir_parse *p, int least, struct weir_node **out)
{
    struct weir_node *left, *right;
    const char *name = NULL;
    int precedence;

    if (least > TIGHTEST)
        return parse_unary(p, out);
    WEIR_TRY(parse_binary(p, TIGHTEST + 1, &left));
    while ((precedence = binary_operator(p, &name)) >= least) {
        bool differs = strcmp(name, "<>") == 0;

        weir_parse_next(p);
        WEIR_TRY(parse_binary(p, precedence + 1, &right));
        WEIR_TRY(weir_parse_call2(p, differs ? "=" : name, left->at, left, right, &left));
        if (differs)
            WEIR_TRY(weir_parse_call1(p, "not", left->at, left, &left));
    }
    *out = left;
    return WEIR_OK;
}

weir_rc
weir_parse_value(struct weir_parse *p, struct weir_node **out)
{
    WEIR_TRY(weir_parse_enter(p));
    WEIR_TRY(parse_binary(p, 1, out));
    weir_parse_leave(p);
    return WEIR_OK;
}

/* ---- aliases, orders ---- */

/* Words behind an expression or a relation that begin the next clause, when something stands behind them;
 * alone they are an alias ("SELECT o.offset offset FROM"). */
static bool
at_clause(const struct weir_parse *p)
{
    static const char *const clauses[] = {
        "FROM",       "WHERE",   "GROUP",   "HAVING",   "ORDER",  "LIMIT",   "OFFSET",  "UNION",
        "INTERSECT",  "EXCEPT",  "MINUS",   "SETMINUS", "WINDOW", "LATERAL", "QUALIFY", "SORT",
        "DISTRIBUTE", "CLUSTER", "JOIN",    "INNER",    "CROSS",  "LEFT",    "RIGHT",   "FULL",
        "SEMI",       "ANTI",    "NATURAL", "ON",       "USING",  "PIVOT",   "UNPIVOT", "TABLESAMPLE",
        "SELECT",     "AS",      "AND",     "OR",       "NOT",    "IN",      "IS",      "LIKE",
        "ILIKE",      "RLIKE",   "REGEXP",  "BETWEEN",  "WHEN",   "THEN",    "ELSE",    "ASC",
        "DESC",       "NULLS",   NULL};
    static const char *const strict[] = {
        "UNION", "INTERSECT", "EXCEPT", "SETMINUS", "LATERAL", "JOIN",  "INNER", "CROSS", "LEFT", "RIGHT",
        "FULL",  "SEMI",      "ANTI",   "NATURAL",  "ON",      "USING", "FROM",  "WHERE", NULL};
    struct weir_token next;

    if (!weir_token_is_one_of(&p->tok, clauses))
        return false;
    next = weir_parse_peek(p, 1);
    return weir_token_is_one_of(&p->tok, strict) ||
           !(next.kind == WEIR_TOKEN_END || weir_token_is(&next, ",") || weir_token_is(&next, ")") ||
             weir_token_is(&next, ";") || weir_token_is_word(&next, "FROM"));
}

weir_rc
weir_parse_alias(struct weir_parse *p, const char **out)
{
    *out = NULL;
    if (!weir_parse_accept_word(p, "AS") && (!weir_token_is_name(&p->tok) || at_clause(p)))
        return WEIR_OK;
    return weir_parse_name(p, "an alias", out);
}

weir_rc
weir_parse_named(struct weir_parse *p, struct weir_node **out)
{
    struct weir_parse_names names = {0};
    struct weir_node *kid;
    struct weir_token next;
    const char *name;

    WEIR_TRY(weir_parse_expr(p, &kid));
    *out = kid;
    next = weir_parse_peek(p, 1);
    if (weir_parse_at(p, "(") || (weir_parse_at_word(p, "AS") && weir_token_is(&next, "("))) {
        weir_parse_accept_word(p, "AS");
        WEIR_TRY(weir_parse_name_list(p, "an alias", &names));
        WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_ALIAS, kid->at, &kid, 1, out));
        weir_node_names(*out, &names);
        return WEIR_OK;
    }
    WEIR_TRY(weir_parse_alias(p, &name));
    if (name == NULL)
        return WEIR_OK;
    WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_ALIAS, kid->at, &kid, 1, out));
    (*out)->text = name;
    (*out)->text_len = (uint32_t)strlen(name);
    return WEIR_OK;
}

static weir_rc
parse_order(struct weir_parse *p, struct weir_node **out)
{
    struct weir_node *kid;
    uint32_t flags = 0;

    WEIR_TRY(weir_parse_expr(p, &kid));
    if (weir_parse_accept_word(p, "DESC"))
        flags = WEIR_NODE_DESC;
    else
        weir_parse_accept_word(p, "ASC");
    if (weir_parse_accept_word(p, "NULLS")) {
        if (weir_parse_accept_word(p, "FIRST"))
            flags |= WEIR_NODE_NULLS_FIRST;
        else if (weir_parse_accept_word(p, "LAST"))
            flags |= WEIR_NODE_NULLS_LAST;
        else
            return weir_parse_expected(p, "FIRST or LAST");
    }
    WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_ORDER, kid->at, &kid, 1, out));
    (*out)->flags = flags;
    return WEIR_OK;
}

weir_rc
weir_parse_orders(struct weir_parse *p, struct weir_node **out)
{
    struct weir_parse_list list = {0};
    struct weir_node *order, *kid;
    uint32_t at = p->tok.at;

    do {
        WEIR_TRY(parse_order(p, &order));
        WEIR_TRY(weir_parse_push(p, &list, order));
    } while (weir_parse_accept(p, ","));
    kid = order->kids[0];
    if (list.n == 1 && kid->kind == WEIR_NODE_NAME && kid->nnames == 1 &&
        weir_slice_is_nocase(weir_slice(kid->names[0], strlen(kid->names[0])), "ALL"))
        order->flags |= WEIR_NODE_ALL;
    return weir_parse_list_node(p, WEIR_NODE_LIST, at, &list, out);
}

/* ---- windows ---- */

static weir_rc
parse_bound(struct weir_parse *p, struct weir_node **out)
{
    struct weir_node *kid = NULL;
    uint32_t at = p->tok.at;
    const char *text;
    bool unbounded;

    if (weir_parse_accept_words(p, "CURRENT", "ROW")) {
        text = "CURRENT ROW";
    } else {
        unbounded = weir_parse_accept_word(p, "UNBOUNDED");
        if (!unbounded)
            WEIR_TRY(weir_parse_expr(p, &kid));
        if (weir_parse_accept_word(p, "PRECEDING"))
            text = unbounded ? "UNBOUNDED PRECEDING" : "PRECEDING";
        else if (weir_parse_accept_word(p, "FOLLOWING"))
            text = unbounded ? "UNBOUNDED FOLLOWING" : "FOLLOWING";
        else
            return weir_parse_expected(p, "PRECEDING or FOLLOWING");
    }
    WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_BOUND, at, &kid, 1, out));
    (*out)->text = text;
    (*out)->text_len = (uint32_t)strlen(text);
    return WEIR_OK;
}

/* ROWS or RANGE in hand. */
static weir_rc
parse_frame(struct weir_parse *p, struct weir_node **out)
{
    struct weir_node *kids[2] = {NULL, NULL};
    const char *text = weir_parse_at_word(p, "ROWS") ? "ROWS" : "RANGE";
    uint32_t at = p->tok.at;

    weir_parse_next(p);
    if (weir_parse_accept_word(p, "BETWEEN")) {
        WEIR_TRY(parse_bound(p, &kids[0]));
        WEIR_TRY(weir_parse_take_word(p, "AND"));
        WEIR_TRY(parse_bound(p, &kids[1]));
    } else {
        WEIR_TRY(parse_bound(p, &kids[0]));
    }
    WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_FRAME, at, kids, 2, out));
    (*out)->text = text;
    (*out)->text_len = (uint32_t)strlen(text);
    return WEIR_OK;
}

/* PARTITION BY and its two other names. */
static bool
accept_partition_by(struct weir_parse *p)
{
    return weir_parse_accept_words(p, "PARTITION", "BY") || weir_parse_accept_words(p, "DISTRIBUTE", "BY") ||
           weir_parse_accept_words(p, "CLUSTER", "BY");
}

weir_rc
weir_parse_window(struct weir_parse *p, struct weir_node **out)
{
    struct weir_parse_list partition = {0};
    struct weir_node *kids[3] = {NULL, NULL, NULL};
    const char *base = NULL;
    uint32_t at = p->tok.at;
    struct weir_token next;

    WEIR_TRY(weir_parse_take(p, "("));
    next = weir_parse_peek(p, 1);
    if (weir_token_is_name(&p->tok) && weir_token_is(&next, ")"))
        WEIR_TRY(weir_parse_name(p, "a window's name", &base));
    if (accept_partition_by(p))
        WEIR_TRY(weir_parse_exprs(p, &partition));
    WEIR_TRY(weir_parse_list_node(p, WEIR_NODE_LIST, at, &partition, &kids[0]));
    if (weir_parse_accept_words(p, "ORDER", "BY") || weir_parse_accept_words(p, "SORT", "BY"))
        WEIR_TRY(weir_parse_orders(p, &kids[1]));
    else
        WEIR_TRY(weir_parse_node(p, WEIR_NODE_LIST, at, 0, &kids[1]));
    if (weir_parse_at_word(p, "ROWS") || weir_parse_at_word(p, "RANGE"))
        WEIR_TRY(parse_frame(p, &kids[2]));
    WEIR_TRY(weir_parse_take(p, ")"));
    WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_WINDOW, at, kids, 3, out));
    (*out)->text = base;
    return WEIR_OK;
}
