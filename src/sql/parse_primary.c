/* What operators of Spark SQL stand between: names, constants, calls, CASE, CAST, subqueries, lambdas, and
 * what is written behind them: a.b, a[0], a::type, OVER, FILTER.
 *
 * 1. The forms with words inside their brackets (EXTRACT, TRIM, SUBSTRING …) become plain CALLs with the
 * arguments of the function of that name, in its order: TRIM(LEADING t FROM s) is ltrim(t, s).
 * 2. A path a.b.c of names is one NAME; where the table ends and the struct begins is for the binder to say.
 */
#include "sql/parse_int.h"

#include <string.h>

/* The words that would be nothing but a mistake as a column, and so give a better error; like(a, b) is a
 * function. */
static bool
at_no_name(const struct weir_parse *p)
{
    static const char *const functions[] = {"LIKE", "BETWEEN", NULL};
    static const char *const words[] = {"FROM", "WHERE", "HAVING", "SELECT",  "UNION", "THEN", "WHEN",
                                        "ELSE", "AND",   "OR",     "NOT",     "AS",    "ON",   "JOIN",
                                        "IN",   "IS",    "LIKE",   "BETWEEN", NULL};

    struct weir_token next = weir_parse_peek(p, 1);

    return weir_token_is_one_of(&p->tok, words) &&
           !(weir_token_is(&next, "(") && weir_token_is_one_of(&p->tok, functions));
}

static bool
is_type_word(const struct weir_token *tok)
{
    static const char *const words[] = {"DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "X",
                                        "TIME", NULL};

    return weir_token_is_one_of(tok, words);
}

/* ---- brackets ---- */

/* "(" x "," y {"," z} ")" "->" in hand? */
static bool
at_lambda_list(const struct weir_parse *p)
{
    struct weir_token tok = weir_parse_peek(p, 1);
    unsigned names = 0;

    for (;; names++) {
        if (!weir_token_is_name(&tok))
            return false;
        tok = weir_token_read(p->text, p->len, tok.end);
        if (!weir_token_is(&tok, ","))
            break;
        tok = weir_token_read(p->text, p->len, tok.end);
    }
    if (names == 0 || !weir_token_is(&tok, ")"))
        return false;
    tok = weir_token_read(p->text, p->len, tok.end);
    return weir_token_is(&tok, "->");
}

/* "->" in hand. */
static weir_rc
parse_lambda(struct weir_parse *p, const struct weir_parse_names *names, uint32_t at, struct weir_node **out)
{
    struct weir_node *body;

    WEIR_TRY(weir_parse_take(p, "->"));
    WEIR_TRY(weir_parse_expr(p, &body));
    WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_LAMBDA, at, &body, 1, out));
    weir_node_names(*out, names);
    return WEIR_OK;
}

static weir_rc
parse_subquery(struct weir_parse *p, uint32_t at, struct weir_node **out)
{
    struct weir_node *query;

    WEIR_TRY(weir_parse_query(p, &query));
    WEIR_TRY(weir_parse_take(p, ")"));
    return weir_parse_node_of(p, WEIR_NODE_SUBQUERY, at, &query, 1, out);
}

/* A tuple, an expression in brackets, or a query: "((SELECT 1) UNION (SELECT 2))" shows itself behind its
 * first term only. */
static weir_rc
parse_brackets(struct weir_parse *p, struct weir_node **out)
{
    struct weir_parse_names names = {0};
    struct weir_parse_list list = {0};
    uint32_t at = p->tok.at;
    struct weir_node *kid;

    if (at_lambda_list(p)) {
        WEIR_TRY(weir_parse_name_list(p, "a parameter", &names));
        return parse_lambda(p, &names, at, out);
    }
    weir_parse_next(p);
    if (weir_parse_at_query(p))
        return parse_subquery(p, at, out);
    do {
        WEIR_TRY(weir_parse_named(p, &kid));
        WEIR_TRY(weir_parse_push(p, &list, kid));
    } while (weir_parse_accept(p, ","));
    if (list.n == 1 && kid->kind == WEIR_NODE_SUBQUERY && weir_parse_at_query_tail(p)) {
        WEIR_TRY(weir_parse_query_tail(p, kid->kids[0], &kid->kids[0]));
        *out = kid;
        return weir_parse_take(p, ")");
    }
    if (list.n == 1 && kid->kind == WEIR_NODE_ALIAS)
        return weir_parse_expected(p, "\",\"");
    *out = kid;
    if (list.n > 1)
        WEIR_TRY(weir_parse_list_node(p, WEIR_NODE_TUPLE, at, &list, out));
    return weir_parse_take(p, ")");
}

/* ---- CASE, CAST ---- */

static weir_rc
parse_case(struct weir_parse *p, struct weir_node **out)
{
    struct weir_parse_list list = {0};
    struct weir_node *kid = NULL;
    uint32_t at = p->tok.at;

    weir_parse_next(p);
    if (!weir_parse_at_word(p, "WHEN"))
        WEIR_TRY(weir_parse_expr(p, &kid));
    WEIR_TRY(weir_parse_push(p, &list, kid));
    if (!weir_parse_at_word(p, "WHEN"))
        return weir_parse_expected(p, "WHEN");
    while (weir_parse_accept_word(p, "WHEN")) {
        WEIR_TRY(weir_parse_expr(p, &kid));
        WEIR_TRY(weir_parse_push(p, &list, kid));
        WEIR_TRY(weir_parse_take_word(p, "THEN"));
        WEIR_TRY(weir_parse_expr(p, &kid));
        WEIR_TRY(weir_parse_push(p, &list, kid));
    }
    kid = NULL;
    if (weir_parse_accept_word(p, "ELSE"))
        WEIR_TRY(weir_parse_expr(p, &kid));
    WEIR_TRY(weir_parse_push(p, &list, kid));
    if (!weir_parse_accept_word(p, "END"))
        return weir_parse_expected(p, "WHEN, ELSE or END");
    return weir_parse_list_node(p, WEIR_NODE_CASE, at, &list, out);
}

static weir_rc
parse_cast(struct weir_parse *p, struct weir_node **out)
{
    bool try_ = weir_parse_at_word(p, "TRY_CAST");
    uint32_t at = p->tok.at;
    const struct weir_type *type;
    struct weir_node *kid;

    weir_parse_next(p);
    WEIR_TRY(weir_parse_take(p, "("));
    WEIR_TRY(weir_parse_expr(p, &kid));
    WEIR_TRY(weir_parse_take_word(p, "AS"));
    WEIR_TRY(weir_parse_type(p, &type));
    WEIR_TRY(weir_parse_take(p, ")"));
    WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_CAST, at, &kid, 1, out));
    (*out)->type = type;
    (*out)->flags = try_ ? WEIR_NODE_TRY : 0;
    return WEIR_OK;
}

/* ---- calls with words inside ---- */

/* EXTRACT(field FROM value): the field becomes a string, as it is written. */
static weir_rc
parse_extract(struct weir_parse *p, struct weir_node **out)
{
    uint32_t at = p->tok.at, len;
    struct weir_node *kids[2];
    const char *field;

    weir_parse_next(p);
    WEIR_TRY(weir_parse_take(p, "("));
    WEIR_TRY(weir_parse_token_text(p, &p->tok, &field, &len));
    WEIR_TRY(weir_parse_string_node(p, field, len, p->tok.at, &kids[0]));
    weir_parse_next(p);
    WEIR_TRY(weir_parse_take_word(p, "FROM"));
    WEIR_TRY(weir_parse_value(p, &kids[1]));
    WEIR_TRY(weir_parse_take(p, ")"));
    return weir_parse_call(p, "extract", at, kids, 2, out);
}

/* TRIM([BOTH | LEADING | TRAILING] [what] FROM value) */
static weir_rc
parse_trim(struct weir_parse *p, struct weir_node **out)
{
    static const char *const names[] = {"trim", "ltrim", "rtrim"};
    struct weir_node *kids[2];
    uint32_t at = p->tok.at, n = 0;
    int side;

    weir_parse_next(p);
    WEIR_TRY(weir_parse_take(p, "("));
    side = weir_parse_at_word(p, "LEADING") ? 1 : weir_parse_at_word(p, "TRAILING") ? 2 : 0;
    if (side > 0 || weir_parse_at_word(p, "BOTH"))
        weir_parse_next(p);
    if (!weir_parse_at_word(p, "FROM"))
        WEIR_TRY(weir_parse_value(p, &kids[n++]));
    WEIR_TRY(weir_parse_take_word(p, "FROM"));
    WEIR_TRY(weir_parse_value(p, &kids[n++]));
    WEIR_TRY(weir_parse_take(p, ")"));
    return weir_parse_call(p, names[side], at, kids, n, out);
}

/* name(value WORD value [WORD value …]): POSITION(a IN b), SUBSTRING(a FROM b FOR c), OVERLAY(a PLACING b
 * FROM c). */
static weir_rc
parse_worded(struct weir_parse *p, const char *name, const char *const *words, struct weir_node **out)
{
    struct weir_node *kids[4];
    uint32_t at = p->tok.at, n = 0;

    weir_parse_next(p);
    WEIR_TRY(weir_parse_take(p, "("));
    do {
        WEIR_TRY(weir_parse_value(p, &kids[n++]));
    } while (words[n - 1] != NULL && weir_parse_accept_word(p, words[n - 1]));
    WEIR_TRY(weir_parse_take(p, ")"));
    return weir_parse_call(p, name, at, kids, n, out);
}

/* Whether this word stands in the brackets that open behind the word in hand, outside of any others. A comma
 * before it means that the call is an ordinary one. */
static bool
has_word_inside(const struct weir_parse *p, const char *word)
{
    struct weir_token tok = weir_parse_peek(p, 1);
    unsigned level = 0;

    for (; tok.kind != WEIR_TOKEN_END && tok.kind != WEIR_TOKEN_BAD;
         tok = weir_token_read(p->text, p->len, tok.end)) {
        if (weir_token_is(&tok, "(") || weir_token_is(&tok, "["))
            level++;
        else if ((weir_token_is(&tok, ")") || weir_token_is(&tok, "]")) && --level == 0)
            return false;
        else if (level == 1 && weir_token_is(&tok, ","))
            return false;
        else if (level == 1 && weir_token_is_word(&tok, word))
            return true;
    }
    return false;
}

/* A word in hand with "(" behind it. *done: it was such a form. */
static weir_rc
parse_special_call(struct weir_parse *p, bool *done, struct weir_node **out)
{
    static const struct {
        const char *word, *name, *words[4];
    } forms[] = {
        {"POSITION", "locate", {"IN"}},
        {"SUBSTRING", "substring", {"FROM", "FOR"}},
        {"SUBSTR", "substring", {"FROM", "FOR"}},
        {"OVERLAY", "overlay", {"PLACING", "FROM", "FOR"}},
    };
    struct weir_token third = weir_parse_peek(p, 3);
    size_t i;

    *done = true;
    if (weir_parse_at_word(p, "CAST") || weir_parse_at_word(p, "TRY_CAST"))
        return parse_cast(p, out);
    if (weir_parse_at_word(p, "EXTRACT") && weir_token_is_word(&third, "FROM"))
        return parse_extract(p, out);
    if (weir_parse_at_word(p, "TRIM") && has_word_inside(p, "FROM"))
        return parse_trim(p, out);
    if (weir_parse_at_word(p, "IDENTIFIER"))
        return weir_parse_refuse(p, p->tok.at, "IDENTIFIER(…)", "write the name itself");
    for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (weir_parse_at_word(p, forms[i].word) && has_word_inside(p, forms[i].words[0]))
            return parse_worded(p, forms[i].name, forms[i].words, out);
    }
    *done = false;
    return WEIR_OK;
}

/* ---- functions ---- */

static weir_rc
parse_argument(struct weir_parse *p, bool aliases, struct weir_node **out)
{
    struct weir_token next = weir_parse_peek(p, 1);
    struct weir_node *kid;
    uint32_t at = p->tok.at;
    const char *name;

    if (!weir_token_is_name(&p->tok) || !weir_token_is(&next, "=>"))
        return aliases ? weir_parse_named(p, out) : weir_parse_expr(p, out);
    WEIR_TRY(weir_parse_name(p, "a parameter", &name));
    weir_parse_next(p);
    WEIR_TRY(weir_parse_expr(p, &kid));
    WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_NAMED_ARG, at, &kid, 1, out));
    (*out)->text = name;
    (*out)->text_len = (uint32_t)strlen(name);
    return WEIR_OK;
}

/* IGNORE NULLS or RESPECT NULLS, in the brackets or behind them. */
static void
accept_nulls(struct weir_parse *p, struct weir_node *call)
{
    if (weir_parse_accept_words(p, "IGNORE", "NULLS"))
        call->flags |= WEIR_NODE_IGNORE_NULLS;
    else
        weir_parse_accept_words(p, "RESPECT", "NULLS");
}

/* date_add(MONTH, 1, ts) is timestampadd('MONTH', 1, ts), and datediff alike; the unit keeps its spelling. */
static void
rewrite_timestamp_call(struct weir_node *call)
{
    static const char *const adders[] = {"timestampadd", "dateadd", "date_add"};
    static const char *const differs[] = {"timestampdiff", "datediff", "date_diff", "timediff"};
    static const char *const units[] = {"YEAR", "QUARTER", "MONTH",  "WEEK",        "DAY",        "DAYOFYEAR",
                                        "HOUR", "MINUTE",  "SECOND", "MILLISECOND", "MICROSECOND"};
    struct weir_node *unit = call->nkids == 3 ? call->kids[0] : NULL;
    const char *name = NULL;
    size_t i;

    for (i = 0; i < sizeof(adders) / sizeof(adders[0]); i++)
        name = strcmp(call->text, adders[i]) == 0 ? "timestampadd" : name;
    for (i = 0; i < sizeof(differs) / sizeof(differs[0]); i++)
        name = strcmp(call->text, differs[i]) == 0 ? "timestampdiff" : name;
    if (name == NULL || unit == NULL || unit->kind != WEIR_NODE_NAME || unit->nnames != 1)
        return;
    for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (!weir_slice_is_nocase(weir_slice(unit->names[0], strlen(unit->names[0])), units[i]))
            continue;
        *unit = (struct weir_node){.kind = WEIR_NODE_LITERAL,
                                   .at = unit->at,
                                   .text = unit->names[0],
                                   .text_len = (uint32_t)strlen(units[i]),
                                   .type = &weir_type_string};
        call->text = name;
        call->text_len = (uint32_t)strlen(name);
        return;
    }
}

/* The parts of the name joined, in lower case (ASCII). */
static weir_rc
function_name(struct weir_parse *p, const struct weir_parse_names *name, const char **out)
{
    char *text, *c;
    uint32_t i;

    weir_buf_reset(&p->word);
    for (i = 0; i < name->n; i++) {
        if (i > 0)
            weir_buf_byte(&p->word, '.');
        weir_buf_str(&p->word, name->items[i]);
    }
    WEIR_TRY(weir_buf_check(&p->word, p->err));
    text = weir_mem_strndup(p->mem, p->word.data, p->word.len);
    if (text == NULL)
        return weir_parse_nomem(p);
    for (c = text; *c != '\0'; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
    *out = text;
    return WEIR_OK;
}

/* FILTER (WHERE …), IGNORE NULLS, OVER …, around the call. */
static weir_rc
parse_around(struct weir_parse *p, struct weir_node *call, struct weir_node **out)
{
    struct weir_token next = weir_parse_peek(p, 1);
    struct weir_node *kids[2] = {call, NULL};
    const char *name = NULL;
    uint32_t len;

    *out = call;
    if (weir_parse_at_word(p, "WITHIN") && weir_token_is_word(&next, "GROUP"))
        return weir_parse_refuse(p, p->tok.at, "WITHIN GROUP", NULL);
    if (weir_parse_at_word(p, "FILTER") && weir_token_is(&next, "(")) {
        weir_parse_next(p);
        weir_parse_next(p);
        WEIR_TRY(weir_parse_take_word(p, "WHERE"));
        WEIR_TRY(weir_parse_expr(p, &kids[1]));
        WEIR_TRY(weir_parse_take(p, ")"));
        WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_FILTER, call->at, kids, 2, out));
    }
    accept_nulls(p, call);
    next = weir_parse_peek(p, 1);
    if (!weir_parse_at_word(p, "OVER") || (!weir_token_is(&next, "(") && !weir_token_is_name(&next)))
        return WEIR_OK;
    weir_parse_next(p);
    kids[0] = *out;
    kids[1] = NULL;
    if (weir_parse_at(p, "("))
        WEIR_TRY(weir_parse_window(p, &kids[1]));
    else
        WEIR_TRY(weir_parse_token_text(p, &p->tok, &name, &len));
    if (name != NULL)
        weir_parse_next(p);
    WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_OVER, call->at, kids, 2, out));
    (*out)->text = name;
    return WEIR_OK;
}

weir_rc
weir_parse_function(struct weir_parse *p, const struct weir_parse_names *name, uint32_t at,
                    struct weir_node **out)
{
    struct weir_parse_list list = {0};
    struct weir_node *kid, *call;
    struct weir_token next;
    const char *text = NULL;
    bool distinct;

    WEIR_TRY(function_name(p, name, &text));
    WEIR_TRY(weir_parse_take(p, "("));
    next = weir_parse_peek(p, 1);
    distinct = weir_parse_at_word(p, "DISTINCT") && !weir_token_is(&next, ")") && !weir_token_is(&next, ",");
    if (distinct ||
        (weir_parse_at_word(p, "ALL") && (weir_token_is_name(&next) || weir_token_is(&next, "("))))
        weir_parse_next(p);
    while (!weir_parse_at(p, ")")) {
        WEIR_TRY(parse_argument(p, strcmp(text, "struct") == 0, &kid));
        WEIR_TRY(weir_parse_push(p, &list, kid));
        if (!weir_parse_accept(p, ","))
            break;
        if (weir_parse_at(p, ")"))
            return weir_parse_expected(p, "an expression");
    }
    WEIR_TRY(weir_parse_call(p, text, at, list.items, list.n, &call));
    accept_nulls(p, call);
    if (!weir_parse_accept(p, ")"))
        return weir_parse_expected(p, "\",\" or \")\"");
    call->flags |= distinct ? WEIR_NODE_DISTINCT : 0;
    rewrite_timestamp_call(call);
    return parse_around(p, call, out);
}

/* ---- names ---- */

/* "*" in hand, perhaps behind "t."; EXCEPT (a, b) may follow. */
static weir_rc
parse_star(struct weir_parse *p, const struct weir_parse_names *qualifier, uint32_t at,
           struct weir_node **out)
{
    struct weir_token next = weir_parse_peek(p, 2);
    struct weir_parse_list list = {0};
    struct weir_node *kid;

    weir_parse_next(p);
    if (weir_parse_at_word(p, "EXCEPT") && (next = weir_parse_peek(p, 1), weir_token_is(&next, "("))) {
        struct weir_parse inside = *p;

        inside.tok = weir_parse_peek(p, 2);
        if (!weir_parse_at_query(&inside) && !weir_parse_at(&inside, "(")) { /* else a set operation */
            weir_parse_next(p);
            do {
                struct weir_parse_names names = {0};

                weir_parse_next(p);
                WEIR_TRY(weir_parse_node(p, WEIR_NODE_NAME, p->tok.at, 0, &kid));
                WEIR_TRY(weir_parse_dotted(p, "a column name", &names));
                weir_node_names(kid, &names);
                WEIR_TRY(weir_parse_push(p, &list, kid));
            } while (weir_parse_at(p, ","));
            WEIR_TRY(weir_parse_take(p, ")"));
        }
    }
    WEIR_TRY(weir_parse_list_node(p, WEIR_NODE_STAR, at, &list, out));
    weir_node_names(*out, qualifier);
    return WEIR_OK;
}

/* name {"." name} ["." "*"]: a NAME, a STAR, a lambda, or a call when "(" follows. */
static weir_rc
parse_name(struct weir_parse *p, struct weir_node **out)
{
    struct weir_parse_names names = {0};
    uint32_t at = p->tok.at;
    const char *name;

    do {
        if (names.n > 0 && weir_parse_at(p, "*"))
            return parse_star(p, &names, at, out);
        WEIR_TRY(weir_parse_name(p, names.n == 0 ? "an expression" : "a name or \"*\"", &name));
        WEIR_TRY(weir_parse_push_name(p, &names, name));
    } while (weir_parse_accept(p, "."));
    if (names.n == 1 && weir_parse_at(p, "->"))
        return parse_lambda(p, &names, at, out);
    if (weir_parse_at(p, "("))
        return weir_parse_function(p, &names, at, out);
    WEIR_TRY(weir_parse_node(p, WEIR_NODE_NAME, at, 0, out));
    weir_node_names(*out, &names);
    return WEIR_OK;
}

static weir_rc
parse_null(struct weir_parse *p, struct weir_node **out)
{
    WEIR_TRY(weir_parse_string_node(p, "NULL", 4, p->tok.at, out));
    (*out)->type = &weir_type_void;
    weir_parse_next(p);
    return WEIR_OK;
}

/* A word in hand. */
static weir_rc
parse_word(struct weir_parse *p, struct weir_node **out)
{
    struct weir_token next = weir_parse_peek(p, 1);
    bool done = false, truth = weir_parse_at_word(p, "TRUE");

    if (weir_token_is(&next, "->") || weir_token_is(&next, "."))
        return parse_name(p, out);
    if (weir_parse_at_word(p, "NULL"))
        return parse_null(p, out);
    if (truth || weir_parse_at_word(p, "FALSE")) {
        WEIR_TRY(weir_parse_bool_node(p, truth, p->tok.at, out));
        weir_parse_next(p);
        return WEIR_OK;
    }
    if (next.kind == WEIR_TOKEN_STRING && is_type_word(&p->tok))
        return weir_parse_typed(p, out);
    if (weir_parse_at_interval(p))
        return weir_parse_interval(p, out);
    if (weir_parse_at_word(p, "CASE") && next.kind != WEIR_TOKEN_END && !weir_token_is(&next, ",") &&
        !weir_token_is(&next, ")") && !weir_token_is_word(&next, "FROM"))
        return parse_case(p, out);
    if (weir_token_is(&next, "(")) {
        WEIR_TRY(parse_special_call(p, &done, out));
        if (done)
            return WEIR_OK;
    }
    if (at_no_name(p))
        return weir_parse_expected(p, "an expression");
    return parse_name(p, out);
}

static weir_rc
parse_atom(struct weir_parse *p, struct weir_node **out)
{
    static const struct weir_parse_names none;
    bool negative;

    switch (p->tok.kind) {
    case WEIR_TOKEN_WORD:
        return parse_word(p, out);
    case WEIR_TOKEN_QUOTED:
        return parse_name(p, out);
    case WEIR_TOKEN_STRING:
        return weir_parse_strings(p, out);
    case WEIR_TOKEN_NUMBER:
        return weir_parse_number(p, false, out);
    default:
        break;
    }
    if (weir_parse_at(p, "("))
        return parse_brackets(p, out);
    if (weir_parse_at(p, "*"))
        return parse_star(p, &none, p->tok.at, out);
    if (weir_parse_at(p, "?") || weir_parse_at(p, ":"))
        return weir_parse_refuse(p, p->tok.at, "a parameter",
                                 "write the value, or ${name} in the pipeline file");
    negative = weir_parse_accept(p, "-"); /* parse_unary() has seen the number */
    return negative ? weir_parse_number(p, true, out) : weir_parse_expected(p, "an expression");
}

/* ---- what stands behind ---- */

static weir_rc
parse_field(struct weir_parse *p, struct weir_node *base, struct weir_node **out)
{
    const char *name;

    if (weir_parse_at(p, "*"))
        return weir_parse_refuse(p, p->tok.at, "\".*\" behind an expression",
                                 "give the struct a name in a subquery");
    WEIR_TRY(weir_parse_name(p, "a field's name", &name));
    WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_FIELD, base->at, &base, 1, out));
    (*out)->text = name;
    (*out)->text_len = (uint32_t)strlen(name);
    return WEIR_OK;
}

static weir_rc
parse_collate(struct weir_parse *p)
{
    uint32_t at = p->tok.at;

    weir_parse_next(p);
    if (weir_parse_accept_word(p, "UTF8_BINARY"))
        return WEIR_OK;
    return weir_parse_refuse(p, at, "a collation other than UTF8_BINARY", NULL);
}

weir_rc
weir_parse_primary(struct weir_parse *p, struct weir_node **out)
{
    struct weir_node *kids[2];
    const struct weir_type *type;

    WEIR_TRY(parse_atom(p, out));
    for (;;) {
        kids[0] = *out;
        if (weir_parse_accept(p, "[")) {
            WEIR_TRY(weir_parse_value(p, &kids[1]));
            WEIR_TRY(weir_parse_take(p, "]"));
            WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_INDEX, kids[0]->at, kids, 2, out));
        } else if (kids[0]->kind != WEIR_NODE_STAR && weir_parse_accept(p, ".")) {
            WEIR_TRY(parse_field(p, kids[0], out));
        } else if (weir_parse_accept(p, "::")) {
            WEIR_TRY(weir_parse_type(p, &type));
            WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_CAST, kids[0]->at, kids, 1, out));
            (*out)->type = type;
        } else if (weir_parse_at_word(p, "COLLATE")) {
            WEIR_TRY(parse_collate(p));
        } else {
            return WEIR_OK;
        }
    }
}
