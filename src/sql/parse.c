/* Spark SQL's text as a tree: the entries, tokens, nodes and errors of the parser. See parse_int.h for its
 * rules.
 *
 * 1. The text is checked first: UTF-8, at most WEIR_SPEC_MAX bytes. Memory grows with the text, linearly.
 * 2. A tree deeper than WEIR_NEST_MAX is refused at the end, chains of operators included, so that no walk
 * over a tree needs a guard of its own. AND and OR are balanced as Spark does it: long ones are not deep.
 * 3. Each error names line and column, what was expected and what was found. */
#include "sql/ast.h"

#include <string.h>

#include "base/limits.h"
#include "sql/parse_int.h"

/* ---- tokens ---- */

void
weir_parse_next(struct weir_parse *p)
{
    p->prev = p->tok;
    if (p->tok.kind != WEIR_TOKEN_BAD)
        p->tok = weir_token_read(p->text, p->len, p->tok.end);
}

struct weir_token
weir_parse_peek(const struct weir_parse *p, unsigned n)
{
    struct weir_token tok = p->tok;

    for (; n > 0 && tok.kind != WEIR_TOKEN_BAD && tok.kind != WEIR_TOKEN_END; n--)
        tok = weir_token_read(p->text, p->len, tok.end);
    return tok;
}

bool
weir_token_is(const struct weir_token *tok, const char *mark)
{
    return tok->kind == WEIR_TOKEN_MARK && weir_slice_is(tok->text, mark);
}

bool
weir_token_is_word(const struct weir_token *tok, const char *word)
{
    return tok->kind == WEIR_TOKEN_WORD && weir_slice_is_nocase(tok->text, word);
}

bool
weir_token_is_one_of(const struct weir_token *tok, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (weir_token_is_word(tok, *words))
            return true;
    }
    return false;
}

bool
weir_parse_accept(struct weir_parse *p, const char *mark)
{
    bool here = weir_parse_at(p, mark);

    if (here)
        weir_parse_next(p);
    return here;
}

bool
weir_parse_accept_word(struct weir_parse *p, const char *word)
{
    bool here = weir_parse_at_word(p, word);

    if (here)
        weir_parse_next(p);
    return here;
}

bool
weir_parse_accept_words(struct weir_parse *p, const char *first, const char *second)
{
    struct weir_token next = weir_parse_peek(p, 1);

    if (!weir_parse_at_word(p, first) || !weir_token_is_word(&next, second))
        return false;
    weir_parse_next(p);
    weir_parse_next(p);
    return true;
}

weir_rc
weir_parse_take(struct weir_parse *p, const char *mark)
{
    char what[16] = "\"";

    if (weir_parse_accept(p, mark))
        return WEIR_OK;
    memcpy(what + 1, mark, strlen(mark));
    what[1 + strlen(mark)] = '"';
    return weir_parse_expected(p, what);
}

weir_rc
weir_parse_take_word(struct weir_parse *p, const char *word)
{
    return weir_parse_accept_word(p, word) ? WEIR_OK : weir_parse_expected(p, word);
}

weir_rc
weir_parse_token_text(struct weir_parse *p, const struct weir_token *tok, const char **out, uint32_t *len)
{
    weir_buf_reset(&p->word);
    if (tok->kind == WEIR_TOKEN_WORD)
        weir_buf_add(&p->word, tok->text.ptr, tok->text.len);
    else if (!weir_token_unquote(tok, &p->word)) {
        weir_fail(p->err, WEIR_USAGE, "%s",
                  tok->kind == WEIR_TOKEN_QUOTED ? "a name in back quotes is empty or holds a NUL"
                                                 : "an escape in this string is no character");
        return weir_parse_where(p, tok->at);
    }
    WEIR_TRY(weir_buf_check(&p->word, p->err));
    *len = (uint32_t)p->word.len;
    *out = weir_mem_strndup(p->mem, p->word.len == 0 ? "" : p->word.data, p->word.len);
    return *out == NULL ? weir_parse_nomem(p) : WEIR_OK;
}

weir_rc
weir_parse_name(struct weir_parse *p, const char *what, const char **out)
{
    uint32_t len;

    if (!weir_token_is_name(&p->tok))
        return weir_parse_expected(p, what);
    WEIR_TRY(weir_parse_token_text(p, &p->tok, out, &len));
    weir_parse_next(p);
    return WEIR_OK;
}

weir_rc
weir_parse_dotted(struct weir_parse *p, const char *what, struct weir_parse_names *out)
{
    const char *name;

    do {
        WEIR_TRY(weir_parse_name(p, what, &name));
        WEIR_TRY(weir_parse_push_name(p, out, name));
    } while (weir_parse_accept(p, "."));
    return WEIR_OK;
}

weir_rc
weir_parse_name_list(struct weir_parse *p, const char *what, struct weir_parse_names *out)
{
    const char *name;

    WEIR_TRY(weir_parse_take(p, "("));
    do {
        WEIR_TRY(weir_parse_name(p, what, &name));
        WEIR_TRY(weir_parse_push_name(p, out, name));
    } while (weir_parse_accept(p, ","));
    return weir_parse_take(p, ")");
}

/* ---- errors ---- */

void
weir_sql_position(const char *text, uint32_t at, uint32_t *line, uint32_t *column)
{
    uint32_t i;

    *line = *column = 1;
    for (i = 0; i < at; i++) {
        if (text[i] == '\n') {
            ++*line;
            *column = 1;
        } else {
            *column += ((unsigned char)text[i] & 0xc0) != 0x80;
        }
    }
}

weir_rc
weir_parse_where(struct weir_parse *p, uint32_t at)
{
    uint32_t line, column;

    weir_sql_position(p->text, at, &line, &column);
    return weir_error_context(p->err, "SQL, line %u, column %u", line, column);
}

/* The keyword that a misspelt word stands for: the one in hand, or the one before it, which then was taken as
 * an alias ("SELECT a FORM t"). NULL: none is near, or it is one. */
static const char *
nearest_keyword(struct weir_parse *p)
{
    static const char *const words[] = {
        "SELECT",    "DISTINCT", "FROM",      "WHERE",    "GROUP",   "HAVING",  "ORDER",  "LIMIT",
        "OFFSET",    "UNION",    "INTERSECT", "EXCEPT",   "WINDOW",  "LATERAL", "INNER",  "CROSS",
        "LEFT",      "RIGHT",    "FULL",      "OUTER",    "JOIN",    "USING",   "VALUES", "WITH",
        "WHEN",      "THEN",     "ELSE",      "END",      "BETWEEN", "LIKE",    "RLIKE",  "ROWS",
        "RANGE",     "OVER",     "PARTITION", "INTERVAL", "NULLS",   "FIRST",   "LAST",   "PRECEDING",
        "FOLLOWING", "NULL",     "TRUE",      "FALSE",    "CASE",    "CAST"};
    const struct weir_token *toks[] = {&p->tok, &p->prev};
    size_t i, j, n = sizeof(words) / sizeof(words[0]);

    for (i = 0; i < 2; i++) {
        char word[16] = "";
        const char *near;

        if (toks[i]->kind != WEIR_TOKEN_WORD || toks[i]->text.len >= sizeof(word) || toks[i]->text.len < 3)
            continue;
        for (j = 0; j < toks[i]->text.len; j++) {
            char c = toks[i]->text.ptr[j];

            word[j] = (char)(c >= 'a' && c <= 'z' ? c - 32 : c);
        }
        near = weir_nearest(word, words, n);
        if (near != NULL && strcmp(near, word) != 0)
            return near;
    }
    return NULL;
}

weir_rc
weir_parse_expected(struct weir_parse *p, const char *what)
{
    const char *near;

    if (p->tok.kind == WEIR_TOKEN_BAD) {
        weir_fail(p->err, WEIR_USAGE, "%s", p->tok.why);
        return weir_parse_where(p, p->tok.at);
    }
    near = nearest_keyword(p);
    if (p->tok.kind == WEIR_TOKEN_END) {
        weir_fail(p->err, WEIR_USAGE, "expected %s, found the end of the text", what);
    } else {
        size_t n = p->tok.text.len > 60 ? 60 : p->tok.text.len;

        while (n > 0 && n < p->tok.text.len && ((unsigned char)p->tok.text.ptr[n] & 0xc0) == 0x80)
            n--; /* no half characters */
        weir_fail(p->err, WEIR_USAGE, "expected %s, found %s%.*s%s", what,
                  p->tok.kind == WEIR_TOKEN_MARK ? "\"" : "", (int)n, p->tok.text.ptr,
                  p->tok.kind == WEIR_TOKEN_MARK ? "\"" : "");
    }
    weir_parse_where(p, p->tok.at);
    return near == NULL ? p->err->rc : weir_error_hint(p->err, "did you mean %s?", near);
}

weir_rc
weir_parse_refuse(struct weir_parse *p, uint32_t at, const char *what, const char *hint)
{
    weir_fail(p->err, WEIR_UNSUPPORTED, "%s is not supported", what);
    weir_parse_where(p, at);
    return hint == NULL ? p->err->rc : weir_error_hint(p->err, "%s", hint);
}

weir_rc
weir_parse_nomem(struct weir_parse *p)
{
    return weir_mem_fail(p->mem, 0, p->err);
}

static weir_rc
too_deep(struct weir_parse *p, uint32_t at)
{
    weir_fail(p->err, WEIR_USAGE, "more than %d levels inside each other", WEIR_NEST_MAX);
    return weir_parse_where(p, at);
}

weir_rc
weir_parse_enter(struct weir_parse *p)
{
    if (p->depth == WEIR_NEST_MAX)
        return too_deep(p, p->tok.at);
    p->depth++;
    return WEIR_OK;
}

/* ---- nodes ---- */

weir_rc
weir_parse_node(struct weir_parse *p, weir_node_kind kind, uint32_t at, uint32_t nkids,
                struct weir_node **out)
{
    struct weir_node *node = weir_mem_zalloc(p->mem, sizeof(*node));

    if (node == NULL)
        return weir_parse_nomem(p);
    node->kind = kind;
    node->at = at;
    node->nkids = nkids;
    if (nkids > 0 && (node->kids = weir_mem_zalloc(p->mem, nkids * sizeof(*node->kids))) == NULL)
        return weir_parse_nomem(p);
    *out = node;
    return WEIR_OK;
}

weir_rc
weir_parse_node_of(struct weir_parse *p, weir_node_kind kind, uint32_t at, struct weir_node *const *kids,
                   uint32_t nkids, struct weir_node **out)
{
    WEIR_TRY(weir_parse_node(p, kind, at, nkids, out));
    if (nkids > 0)
        memcpy((*out)->kids, kids, nkids * sizeof(*kids));
    return WEIR_OK;
}

weir_rc
weir_parse_call(struct weir_parse *p, const char *name, uint32_t at, struct weir_node *const *kids,
                uint32_t nkids, struct weir_node **out)
{
    WEIR_TRY(weir_parse_node_of(p, WEIR_NODE_CALL, at, kids, nkids, out));
    (*out)->text = name;
    (*out)->text_len = (uint32_t)strlen(name);
    return WEIR_OK;
}

weir_rc
weir_parse_call1(struct weir_parse *p, const char *name, uint32_t at, struct weir_node *kid,
                 struct weir_node **out)
{
    return weir_parse_call(p, name, at, &kid, 1, out);
}

weir_rc
weir_parse_call2(struct weir_parse *p, const char *name, uint32_t at, struct weir_node *a,
                 struct weir_node *b, struct weir_node **out)
{
    struct weir_node *kids[] = {a, b};

    return weir_parse_call(p, name, at, kids, 2, out);
}

weir_rc
weir_parse_string_node(struct weir_parse *p, const char *text, uint32_t len, uint32_t at,
                       struct weir_node **out)
{
    WEIR_TRY(weir_parse_node(p, WEIR_NODE_LITERAL, at, 0, out));
    (*out)->text = text;
    (*out)->text_len = len;
    (*out)->type = &weir_type_string;
    return WEIR_OK;
}

weir_rc
weir_parse_bool_node(struct weir_parse *p, bool value, uint32_t at, struct weir_node **out)
{
    WEIR_TRY(weir_parse_string_node(p, value ? "true" : "false", value ? 4 : 5, at, out));
    (*out)->type = &weir_type_boolean;
    return WEIR_OK;
}

/* Room for one more of `size` bytes in an array of the arena; doubling, so what is left behind is as much
 * again. */
static weir_rc
grow(struct weir_parse *p, void **items, uint32_t n, uint32_t *cap, size_t size)
{
    void *more;

    if (n < *cap)
        return WEIR_OK;
    more = weir_mem_alloc(p->mem, (*cap == 0 ? 4 : *cap * 2) * size);
    if (more == NULL)
        return weir_parse_nomem(p);
    if (n > 0)
        memcpy(more, *items, n * size);
    *items = more;
    *cap = *cap == 0 ? 4 : *cap * 2;
    return WEIR_OK;
}

weir_rc
weir_parse_push(struct weir_parse *p, struct weir_parse_list *list, struct weir_node *node)
{
    void *items = list->items;

    WEIR_TRY(grow(p, &items, list->n, &list->cap, sizeof(*list->items)));
    list->items = items;
    list->items[list->n++] = node;
    return WEIR_OK;
}

weir_rc
weir_parse_push_name(struct weir_parse *p, struct weir_parse_names *list, const char *name)
{
    void *items = list->items;

    WEIR_TRY(grow(p, &items, list->n, &list->cap, sizeof(*list->items)));
    list->items = items;
    list->items[list->n++] = name;
    return WEIR_OK;
}

weir_rc
weir_parse_list_node(struct weir_parse *p, weir_node_kind kind, uint32_t at,
                     const struct weir_parse_list *list, struct weir_node **out)
{
    return weir_parse_node_of(p, kind, at, list->items, list->n, out);
}

/* ---- entries ---- */

static weir_rc
check_depth(struct weir_parse *p, const struct weir_node *node, unsigned level)
{
    uint32_t i;

    if (level > WEIR_NEST_MAX)
        return too_deep(p, node->at);
    for (i = 0; i < node->nkids; i++) {
        if (node->kids[i] != NULL)
            WEIR_TRY(check_depth(p, node->kids[i], level + 1));
    }
    return WEIR_OK;
}

/* The words that begin what is SQL but no query. */
static weir_rc
refuse_statement(struct weir_parse *p)
{
    static const char *const statements[] = {
        "INSERT",  "MERGE",   "UPDATE",   "DELETE",  "CREATE", "DROP",    "ALTER",    "TRUNCATE", "REPLACE",
        "SHOW",    "DESC",    "DESCRIBE", "EXPLAIN", "SET",    "RESET",   "USE",      "CACHE",    "UNCACHE",
        "CLEAR",   "REFRESH", "ANALYZE",  "MSCK",    "REPAIR", "LOAD",    "ADD",      "LIST",     "GRANT",
        "REVOKE",  "CALL",    "COMMENT",  "DECLARE", "BEGIN",  "EXECUTE", "OPTIMIZE", "VACUUM",   "RESTORE",
        "CONVERT", "COPY",    "EXPORT",   "IMPORT",  NULL};
    size_t i;

    for (i = 0; statements[i] != NULL; i++) {
        if (weir_parse_at_word(p, statements[i])) {
            weir_fail(p->err, WEIR_UNSUPPORTED, "%s is not supported: it is a statement, not a query",
                      statements[i]);
            weir_parse_where(p, p->tok.at);
            return weir_error_hint(p->err, "write a SELECT; where its rows go stands in the pipeline");
        }
    }
    if (weir_parse_at_word(p, "FROM") || weir_parse_at_word(p, "MAP") || weir_parse_at_word(p, "REDUCE"))
        return weir_parse_refuse(p, p->tok.at, "a query that does not begin with SELECT",
                                 "write SELECT … FROM …");
    return WEIR_OK;
}

static weir_rc
parse_whole_query(struct weir_parse *p, struct weir_node **out)
{
    WEIR_TRY(refuse_statement(p));
    if (!weir_parse_at_query(p) && !weir_parse_at(p, "("))
        return weir_parse_expected(p, "SELECT");
    WEIR_TRY(weir_parse_query(p, out));
    while (weir_parse_accept(p, ";"))
        ;
    return WEIR_OK;
}

static weir_rc
parse_text(const char *text, size_t len, struct weir_mem *mem,
           weir_rc (*parse)(struct weir_parse *p, struct weir_node **out), struct weir_node **out,
           struct weir_error *err)
{
    struct weir_parse p = {.text = text, .len = len, .mem = mem, .err = err};
    weir_rc rc;

    weir_buf_init(&p.word, WEIR_SPEC_MAX, weir_mem_quota(mem));
    if (len > WEIR_SPEC_MAX)
        WEIR_GO(weir_fail(err, WEIR_USAGE, "a SQL text of %zu bytes is too long; the limit is %llu", len,
                          WEIR_SPEC_MAX));
    if (!weir_utf8_valid(text, len))
        WEIR_GO(weir_fail(err, WEIR_USAGE, "the SQL text is not UTF-8"));
    p.tok = weir_token_read(text, len, 0);
    WEIR_GO(parse(&p, out));
    if (p.tok.kind != WEIR_TOKEN_END)
        WEIR_GO(weir_parse_expected(&p, "the end"));
    WEIR_GO(check_depth(&p, *out, 1));
out:
    weir_buf_fini(&p.word);
    return rc;
}

weir_rc
weir_sql_parse(const char *text, size_t len, struct weir_mem *mem, struct weir_node **out,
               struct weir_error *err)
{
    return parse_text(text, len, mem, parse_whole_query, out, err);
}

weir_rc
weir_sql_parse_expr(const char *text, size_t len, struct weir_mem *mem, struct weir_node **out,
                    struct weir_error *err)
{
    return parse_text(text, len, mem, weir_parse_expr, out, err);
}
