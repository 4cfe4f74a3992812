/* What the parts of the parser share: parse.c (entry, tokens, nodes), parse_expr.c (operators),
 * parse_primary.c (what operators stand between), parse_literal.c (constants), parse_query.c,
 * parse_relation.c.
 *
 * 1. Recursive descent with one token in hand; looking ahead reads the text again and keeps nothing.
 * 2. Every recursion goes through weir_parse_enter(); chains of operators are loops.
 * 3. A bad token is an error only when something is expected in its place: weir_parse_expected() then tells
 * what is wrong with it. So moving on never fails.
 * 4. Spark reserves no word. A word is taken as a keyword where the grammar has one and what follows agrees,
 * and as a name everywhere else; after AS and after a point every word is a name. Threads: none; all state is
 * in struct weir_parse. */
#ifndef WEIR_SQL_PARSE_INT_H
#define WEIR_SQL_PARSE_INT_H

#include "sql/ast.h"
#include "sql/lex.h"

struct weir_parse {
    const char *text;
    size_t len;
    struct weir_token tok, prev; /* the one in hand; the one before it */
    struct weir_mem *mem;
    struct weir_error *err;
    struct weir_buf word; /* scratch of unquoted tokens */
    unsigned depth;
};

struct weir_parse_list { /* grows; the arena has it */
    struct weir_node **items;
    uint32_t n, cap;
};
struct weir_parse_names {
    const char **items;
    uint32_t n, cap;
};

/* --- tokens --- */

void weir_parse_next(struct weir_parse *p);
/* The n-th token behind the one in hand. */
struct weir_token weir_parse_peek(const struct weir_parse *p, unsigned n);
bool weir_token_is(const struct weir_token *tok, const char *mark);
bool weir_token_is_word(const struct weir_token *tok, const char *word);           /* any case */
bool weir_token_is_one_of(const struct weir_token *tok, const char *const *words); /* NULL ends them */
static inline bool
weir_token_is_name(const struct weir_token *tok)
{
    return tok->kind == WEIR_TOKEN_WORD || tok->kind == WEIR_TOKEN_QUOTED;
}
static inline bool
weir_parse_at(const struct weir_parse *p, const char *mark)
{
    return weir_token_is(&p->tok, mark);
}
static inline bool
weir_parse_at_word(const struct weir_parse *p, const char *word)
{
    return weir_token_is_word(&p->tok, word);
}
/* True and gone when it is there. */
bool weir_parse_accept(struct weir_parse *p, const char *mark);
bool weir_parse_accept_word(struct weir_parse *p, const char *word);
bool weir_parse_accept_words(struct weir_parse *p, const char *first, const char *second);
/* Gone, or the error that it was expected. */
weir_rc weir_parse_take(struct weir_parse *p, const char *mark);
weir_rc weir_parse_take_word(struct weir_parse *p, const char *word);
/* A word or a name in back quotes, as it is spelled. what: "a column name". */
weir_rc weir_parse_name(struct weir_parse *p, const char *what, const char **out);
/* name {"." name} */
weir_rc weir_parse_dotted(struct weir_parse *p, const char *what, struct weir_parse_names *out);
/* "(" name {"," name} ")" */
weir_rc weir_parse_name_list(struct weir_parse *p, const char *what, struct weir_parse_names *out);
/* The token as text in the arena: quotes and escapes undone. */
weir_rc weir_parse_token_text(struct weir_parse *p, const struct weir_token *tok, const char **out,
                              uint32_t *len);

/* --- errors --- */

/* USAGE: "expected WHAT, found TOKEN", with line, column and the nearest keyword. */
weir_rc weir_parse_expected(struct weir_parse *p, const char *what);
/* UNSUPPORTED: "WHAT is not supported". hint may be NULL. */
weir_rc weir_parse_refuse(struct weir_parse *p, uint32_t at, const char *what, const char *hint);
/* Adds line and column of a byte to the error. */
weir_rc weir_parse_where(struct weir_parse *p, uint32_t at);
weir_rc weir_parse_nomem(struct weir_parse *p);
/* One level deeper, or the error; weir_parse_leave() takes it back. */
weir_rc weir_parse_enter(struct weir_parse *p);
static inline void
weir_parse_leave(struct weir_parse *p)
{
    p->depth--;
}

/* --- nodes --- */

/* A node with room for nkids kids, all NULL. */
weir_rc weir_parse_node(struct weir_parse *p, weir_node_kind kind, uint32_t at, uint32_t nkids,
                        struct weir_node **out);
/* A node around these kids. */
weir_rc weir_parse_node_of(struct weir_parse *p, weir_node_kind kind, uint32_t at,
                           struct weir_node *const *kids, uint32_t nkids, struct weir_node **out);
weir_rc weir_parse_call(struct weir_parse *p, const char *name, uint32_t at, struct weir_node *const *kids,
                        uint32_t nkids, struct weir_node **out);
weir_rc weir_parse_call1(struct weir_parse *p, const char *name, uint32_t at, struct weir_node *kid,
                         struct weir_node **out);
weir_rc weir_parse_call2(struct weir_parse *p, const char *name, uint32_t at, struct weir_node *a,
                         struct weir_node *b, struct weir_node **out);
weir_rc weir_parse_string_node(struct weir_parse *p, const char *text, uint32_t len, uint32_t at,
                               struct weir_node **out);
weir_rc weir_parse_bool_node(struct weir_parse *p, bool value, uint32_t at, struct weir_node **out);
weir_rc weir_parse_push(struct weir_parse *p, struct weir_parse_list *list, struct weir_node *node);
weir_rc weir_parse_push_name(struct weir_parse *p, struct weir_parse_names *list, const char *name);
weir_rc weir_parse_list_node(struct weir_parse *p, weir_node_kind kind, uint32_t at,
                             const struct weir_parse_list *list, struct weir_node **out);
static inline void
weir_node_names(struct weir_node *node, const struct weir_parse_names *names)
{
    node->names = names->items;
    node->nnames = names->n;
}

/* --- expressions --- */

weir_rc weir_parse_expr(struct weir_parse *p, struct weir_node **out);
/* Without AND, OR, NOT and predicates: what stands in front of IN, FROM, BETWEEN's AND. */
weir_rc weir_parse_value(struct weir_parse *p, struct weir_node **out);
weir_rc weir_parse_primary(struct weir_parse *p, struct weir_node **out);
/* An expression and its alias, if any. items: only those of SELECT know (a, b) and words without AS. */
weir_rc weir_parse_named(struct weir_parse *p, struct weir_node **out);
/* expr {"," expr} */
weir_rc weir_parse_exprs(struct weir_parse *p, struct weir_parse_list *out);
/* [ASC | DESC] [NULLS FIRST | LAST] behind each: an ORDER node each, in a LIST. */
weir_rc weir_parse_orders(struct weir_parse *p, struct weir_node **out);
/* Behind OVER and in WINDOW w AS: "(" … ")"; the "(" is in hand. */
weir_rc weir_parse_window(struct weir_parse *p, struct weir_node **out);
/* name "(" arguments ")" and what belongs to it; the "(" is in hand. */
weir_rc weir_parse_function(struct weir_parse *p, const struct weir_parse_names *name, uint32_t at,
                            struct weir_node **out);
/* [AS] name in front of something else; NULL when there is none. */
weir_rc weir_parse_alias(struct weir_parse *p, const char **out);

/* --- constants --- */

weir_rc weir_parse_number(struct weir_parse *p, bool negative, struct weir_node **out);
weir_rc weir_parse_strings(struct weir_parse *p, struct weir_node **out);
/* DATE'…', TIMESTAMP'…', X'…': the word is in hand, a string follows. */
weir_rc weir_parse_typed(struct weir_parse *p, struct weir_node **out);
/* Whether the word INTERVAL in hand begins a constant. */
bool weir_parse_at_interval(const struct weir_parse *p);
weir_rc weir_parse_interval(struct weir_parse *p, struct weir_node **out);
weir_rc weir_parse_type(struct weir_parse *p, const struct weir_type **out);

/* --- queries --- */

/* Whether a query begins with the token in hand, as seen behind a "(". */
bool weir_parse_at_query(const struct weir_parse *p);
weir_rc weir_parse_query(struct weir_parse *p, struct weir_node **out);
/* Whether a query that stood in brackets goes on: UNION, ORDER BY … */
bool weir_parse_at_query_tail(const struct weir_parse *p);
/* The rest of a query whose first term is there. */
weir_rc weir_parse_query_tail(struct weir_parse *p, struct weir_node *term, struct weir_node **out);
/* What follows FROM, and its LATERAL VIEWs. */
weir_rc weir_parse_from(struct weir_parse *p, struct weir_node **out);
weir_rc weir_parse_values(struct weir_parse *p, struct weir_node **out);

#endif
