/* Schemas as Spark's DDL text, and Auto Loader's schema hints.
 *
 * Grammar (Spark SQL reference, "Data Types" and StructType.fromDDL; keywords in any case):
 *   schema  = column {"," column} | "STRUCT" "<" ... ">"
 *   column  = name [":"] type {"NOT" "NULL" | "COMMENT" string}
 *   type    = word | ("DECIMAL"|"DEC"|"NUMERIC") ["(" p ["," s] ")"] | ("CHAR"|"CHARACTER"|"VARCHAR") "(" n ")"
 *           | "ARRAY" "<" type ">" | "MAP" "<" type "," type ">" | "STRUCT" "<" [column {"," column}] ">"
 *   hints   = path [":"] type {"," path [":"] type};   path = name {"." name}
 *   name    = letters, digits, "_" (not digits alone), or anything in backquotes, a backquote doubled
 * Comments of SQL are blanks.
 *
 * 1. CHAR and VARCHAR become STRING; the column at the top keeps their text as Spark does, in its metadata under
 *    __CHAR_VARCHAR_TYPE_STRING. COMMENT is metadata too.
 * 2. Every error names the character where it is (from 1) and what was expected there.
 * 3. Text is untrusted: UTF-8 without NUL is checked first, depth and number of columns have ceilings.
 * Threads: none; all state is in struct ddl. */
#include "column/type.h"

#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "base/map.h"
#include "base/str.h"
#include "column/fields_int.h"

typedef enum ddl_kind { DDL_END, DDL_WORD, DDL_QUOTED, DDL_STRING, DDL_NUMBER, DDL_MARK } ddl_kind;

struct ddl_token {
    ddl_kind kind;
    size_t at;              /* where it starts in the text */
    struct weir_slice text; /* quoted ones: without quotes, escapes undone */
};

struct ddl {
    const char *text;
    size_t len, at;
    struct ddl_token tok;    /* the one to look at */
    struct weir_mem *mem;    /* of the result */
    struct weir_mem *scratch; /* until the end of the parse */
    struct weir_error *err;
    struct weir_buf spelled; /* catalogString of the column at the top, with CHAR and VARCHAR as they are */
    bool has_char;           /* there is one in it */
    unsigned depth;
    uint32_t leaves;
};

/* ---- errors ---- */

/* Adds where the text is wrong: at byte `at`, told as a character. */
static weir_rc
ddl_where(struct ddl *p, size_t at)
{
    size_t i, character = 1;

    for (i = 0; i < at && i < p->len; i++)
        character += ((unsigned char)p->text[i] & 0xc0) != 0x80;
    return weir_error_context(p->err, "schema text, character %zu", character);
}

static weir_rc
ddl_expected(struct ddl *p, const char *what)
{
    if (p->tok.kind == DDL_END)
        weir_fail(p->err, WEIR_USAGE, "expected %s, found the end", what);
    else
        weir_fail(p->err, WEIR_USAGE, "expected %s, found \"%.*s\"", what, (int)(p->tok.text.len & 0xff),
                  p->tok.text.ptr);
    return ddl_where(p, p->tok.at);
}

static weir_rc
ddl_nomem(struct ddl *p)
{
    return weir_mem_fail(p->scratch, 0, p->err);
}

/* ---- tokens ---- */

static bool
is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static bool
ddl_at(const struct ddl *p, const char *text)
{
    size_t n = strlen(text);

    return p->len - p->at >= n && memcmp(p->text + p->at, text, n) == 0;
}

static weir_rc
skip_blanks(struct ddl *p)
{
    while (p->at < p->len) {
        if ((unsigned char)p->text[p->at] <= ' ') {
            p->at++;
        } else if (ddl_at(p, "--")) {
            while (p->at < p->len && p->text[p->at] != '\n')
                p->at++;
        } else if (ddl_at(p, "/*")) {
            size_t start = p->at;

            for (p->at += 2; p->at < p->len && !ddl_at(p, "*/"); p->at++)
                ;
            if (p->at >= p->len) {
                weir_fail(p->err, WEIR_USAGE, "the comment does not end");
                return ddl_where(p, start);
            }
            p->at += 2;
        } else {
            break;
        }
    }
    return WEIR_OK;
}

/* \uXXXX at p->at (on the u); four hex digits, no surrogate, no NUL. */
static bool
unescape_unicode(struct ddl *p, char *out, size_t *n)
{
    uint32_t c = 0;
    int i;

    if (p->len - p->at < 5)
        return false;
    for (i = 1; i <= 4; i++) {
        int digit = weir_hex_digit(p->text[p->at + (size_t)i]);

        if (digit < 0)
            return false;
        c = c * 16 + (uint32_t)digit;
    }
    if (c == 0 || (c >= 0xd800 && c <= 0xdfff))
        return false;
    *n += weir_utf8_put(c, out + *n);
    p->at += 5;
    return true;
}

/* The character behind a backslash, as Spark's unescapeSQLString. false: one that cannot be. */
static bool
unescape(struct ddl *p, char *out, size_t *n)
{
    static const char from[] = "bnrtZ", to[] = "\b\n\r\t\x1a";
    const char *known;
    char c = p->text[p->at];

    if (c == 'u')
        return unescape_unicode(p, out, n);
    if (c == '0')
        return false; /* NUL: a C string would end there */
    if (c == '%' || c == '_')
        out[(*n)++] = '\\';
    known = memchr(from, c, sizeof(from) - 1);
    out[(*n)++] = known == NULL ? c : to[known - from];
    p->at++;
    return true;
}

/* 'text', "text" (backslash escapes) or `name`; a doubled quote stands for itself. p->at is on the quote. */
static weir_rc
quoted_token(struct ddl *p, char quote)
{
    char *out = weir_mem_alloc(p->scratch, p->len - p->at + 4);
    size_t n = 0;

    if (out == NULL)
        return ddl_nomem(p);
    for (p->at++; p->at < p->len;) {
        char c = p->text[p->at++];

        if (c == quote) {
            if (p->at == p->len || p->text[p->at] != quote) {
                p->tok.kind = quote == '`' ? DDL_QUOTED : DDL_STRING;
                p->tok.text = weir_slice(out, n);
                return WEIR_OK;
            }
            p->at++;
        } else if (c == '\\' && quote != '`' && p->at < p->len) {
            if (unescape(p, out, &n))
                continue;
            weir_fail(p->err, WEIR_USAGE, "this escape is not possible in a comment");
            return ddl_where(p, p->at - 1);
        }
        out[n++] = c;
    }
    weir_fail(p->err, WEIR_USAGE, "the closing %c is missing", quote);
    return ddl_where(p, p->tok.at);
}

/* Moves to the next token. */
static weir_rc
ddl_next(struct ddl *p)
{
    bool digits = true;
    char c;

    WEIR_TRY(skip_blanks(p));
    p->tok = (struct ddl_token){.kind = DDL_END, .at = p->at, .text = {p->text + p->at, 0}};
    if (p->at == p->len)
        return WEIR_OK;
    c = p->text[p->at];
    if (c == '`' || c == '\'' || c == '"')
        return quoted_token(p, c);
    while (p->at < p->len && is_word(p->text[p->at])) {
        digits = digits && p->text[p->at] >= '0' && p->text[p->at] <= '9';
        p->at++;
    }
    if (p->at == p->tok.at) {
        p->tok.kind = DDL_MARK;
        p->at++;
    } else {
        p->tok.kind = digits ? DDL_NUMBER : DDL_WORD;
    }
    p->tok.text.len = p->at - p->tok.at;
    return WEIR_OK;
}

static bool
tok_is(const struct ddl *p, const char *mark)
{
    return p->tok.kind == DDL_MARK && weir_slice_is(p->tok.text, mark);
}

static bool
tok_word(const struct ddl *p, const char *word)
{
    return p->tok.kind == DDL_WORD && weir_slice_is_nocase(p->tok.text, word);
}

/* Takes the mark or fails; what names it in the message. */
static weir_rc
take(struct ddl *p, const char *mark, const char *what)
{
    return tok_is(p, mark) ? ddl_next(p) : ddl_expected(p, what);
}

static weir_rc
take_number(struct ddl *p, int64_t low, int64_t high, const char *what, int64_t *out)
{
    if (p->tok.kind != DDL_NUMBER || !weir_parse_int(p->tok.text, out) || *out < low || *out > high)
        return ddl_expected(p, what);
    return ddl_next(p);
}

/* ---- types ---- */

static weir_rc parse_type(struct ddl *p, const struct weir_type **out);

static const struct {
    const char *name;
    const struct weir_type *type;
} plain_types[] = {
    {"BOOLEAN", &weir_type_boolean},
    {"TINYINT", &weir_type_byte},
    {"BYTE", &weir_type_byte},
    {"SMALLINT", &weir_type_short},
    {"SHORT", &weir_type_short},
    {"INT", &weir_type_int},
    {"INTEGER", &weir_type_int},
    {"BIGINT", &weir_type_long},
    {"LONG", &weir_type_long},
    {"FLOAT", &weir_type_float},
    {"REAL", &weir_type_float},
    {"DOUBLE", &weir_type_double},
    {"DATE", &weir_type_date},
    {"TIMESTAMP", &weir_type_timestamp},
    {"TIMESTAMP_LTZ", &weir_type_timestamp},
    {"TIMESTAMP_NTZ", &weir_type_timestamp_ntz},
    {"STRING", &weir_type_string},
    {"BINARY", &weir_type_binary},
    {"VARIANT", &weir_type_variant},
    {"VOID", &weir_type_void},
};
enum { PLAIN_TYPES = sizeof(plain_types) / sizeof(plain_types[0]) };

/* What Spark knows and weir does not. */
static const char *const refused_types[] = {"INTERVAL", "TIME", "GEOMETRY", "GEOGRAPHY", "OBJECT"};

static weir_rc
type_unknown(struct ddl *p)
{
    static const char *const nested[] = {"DECIMAL", "DEC", "NUMERIC", "CHAR", "CHARACTER", "VARCHAR",
                                         "ARRAY",   "MAP", "STRUCT"};
    const char *names[PLAIN_TYPES + sizeof(nested) / sizeof(nested[0])], *near, *word;
    size_t i, n = 0;

    if (p->tok.kind != DDL_WORD)
        return ddl_expected(p, "a type");
    for (i = 0; i < sizeof(refused_types) / sizeof(refused_types[0]); i++) {
        if (tok_word(p, refused_types[i])) {
            weir_fail(p->err, WEIR_UNSUPPORTED, "the type %s is not supported", refused_types[i]);
            return ddl_where(p, p->tok.at);
        }
    }
    for (i = 0; i < PLAIN_TYPES; i++)
        names[n++] = plain_types[i].name;
    for (i = 0; i < sizeof(nested) / sizeof(nested[0]); i++)
        names[n++] = nested[i];
    word = weir_mem_strndup(p->scratch, p->tok.text.ptr, p->tok.text.len);
    near = word == NULL ? NULL : weir_nearest(word, names, n);
    ddl_expected(p, "a type");
    return near == NULL ? p->err->rc : weir_error_hint(p->err, "did you mean %s?", near);
}

/* [(p[,s])], the word is taken. */
static weir_rc
parse_decimal(struct ddl *p, const struct weir_type **out)
{
    int64_t precision = 10, scale = 0;

    if (tok_is(p, "(")) {
        WEIR_TRY(ddl_next(p));
        WEIR_TRY(take_number(p, 1, 38, "a precision from 1 to 38", &precision));
        if (tok_is(p, ",")) {
            WEIR_TRY(ddl_next(p));
            WEIR_TRY(take_number(p, 0, precision, "a scale from 0 to the precision", &scale));
        }
        WEIR_TRY(take(p, ")", "\")\""));
    }
    *out = weir_type_decimal(p->mem, (unsigned)precision, (unsigned)scale);
    if (*out == NULL)
        return weir_mem_fail(p->mem, sizeof(**out), p->err);
    weir_type_print_simple(*out, &p->spelled);
    return WEIR_OK;
}

/* (n), the word is taken. */
static weir_rc
parse_char(struct ddl *p, const char *name, const struct weir_type **out)
{
    int64_t n = 0;

    WEIR_TRY(take(p, "(", "\"(\" and a length"));
    WEIR_TRY(take_number(p, 1, INT32_MAX, "a length of at least 1", &n));
    WEIR_TRY(take(p, ")", "\")\""));
    weir_buf_printf(&p->spelled, "%s(%" PRId64 ")", name, n);
    p->has_char = true;
    *out = &weir_type_string;
    return WEIR_OK;
}

static weir_rc
parse_array(struct ddl *p, const struct weir_type **out)
{
    const struct weir_type *element;

    weir_buf_str(&p->spelled, "array<");
    WEIR_TRY(take(p, "<", "\"<\""));
    WEIR_TRY(parse_type(p, &element));
    WEIR_TRY(take(p, ">", "\">\""));
    weir_buf_str(&p->spelled, ">");
    *out = weir_type_array(p->mem, element, true);
    return *out == NULL ? weir_mem_fail(p->mem, sizeof(**out), p->err) : WEIR_OK;
}

static weir_rc
parse_map(struct ddl *p, const struct weir_type **out)
{
    const struct weir_type *key, *value;

    weir_buf_str(&p->spelled, "map<");
    WEIR_TRY(take(p, "<", "\"<\""));
    WEIR_TRY(parse_type(p, &key));
    WEIR_TRY(take(p, ",", "\",\" and the type of the values"));
    weir_buf_str(&p->spelled, ",");
    WEIR_TRY(parse_type(p, &value));
    WEIR_TRY(take(p, ">", "\">\""));
    weir_buf_str(&p->spelled, ">");
    *out = weir_type_map(p->mem, key, value, true);
    return *out == NULL ? weir_mem_fail(p->mem, sizeof(**out), p->err) : WEIR_OK;
}

/* ---- columns ---- */

static weir_rc
parse_name(struct ddl *p, struct weir_slice *out)
{
    if (p->tok.kind != DDL_WORD && (p->tok.kind != DDL_QUOTED || p->tok.text.len == 0))
        return ddl_expected(p, "a column name");
    *out = p->tok.text;
    return ddl_next(p);
}

/* NOT NULL and COMMENT, in any order, each once. */
static weir_rc
parse_column_options(struct ddl *p, struct weir_field *field, struct weir_slice *comment)
{
    for (;;) {
        if (tok_word(p, "NOT") && field->nullable) {
            WEIR_TRY(ddl_next(p));
            if (!tok_word(p, "NULL"))
                return ddl_expected(p, "NULL");
            field->nullable = false;
            WEIR_TRY(ddl_next(p));
        } else if (tok_word(p, "COMMENT") && comment->ptr == NULL) {
            WEIR_TRY(ddl_next(p));
            if (p->tok.kind != DDL_STRING)
                return ddl_expected(p, "a comment in quotes");
            *comment = p->tok.text;
            WEIR_TRY(ddl_next(p));
        } else if (tok_word(p, "DEFAULT") || tok_word(p, "GENERATED")) {
            weir_fail(p->err, WEIR_UNSUPPORTED, "%s is not supported in a schema text",
                      tok_word(p, "DEFAULT") ? "DEFAULT" : "GENERATED");
            return ddl_where(p, p->tok.at);
        } else {
            return WEIR_OK;
        }
    }
}

/* The metadata's text, or NULL for none. spelled NULL: no CHAR or VARCHAR in the column. */
static weir_rc
column_metadata(struct ddl *p, struct weir_slice comment, const struct weir_buf *spelled, const char **out)
{
    struct weir_buf buf;

    *out = NULL;
    if (comment.ptr == NULL && spelled == NULL)
        return WEIR_OK;
    weir_buf_init(&buf, WEIR_SPEC_MAX, weir_mem_quota(p->scratch));
    weir_buf_byte(&buf, '{');
    if (comment.ptr != NULL) {
        weir_buf_str(&buf, "\"comment\":");
        weir_buf_json(&buf, comment.ptr, comment.len);
    }
    if (spelled != NULL) {
        weir_buf_str(&buf, comment.ptr == NULL ? "" : ",");
        weir_buf_str(&buf, "\"__CHAR_VARCHAR_TYPE_STRING\":");
        weir_buf_json(&buf, spelled->data, spelled->len);
    }
    weir_buf_byte(&buf, '}');
    if (!buf.failed)
        *out = weir_mem_strndup(p->scratch, buf.data, buf.len);
    weir_buf_fini(&buf);
    return *out == NULL ? ddl_nomem(p) : WEIR_OK;
}

/* name [:] type options; a column at the top may carry the spelling of its CHARs. */
static weir_rc
parse_column(struct ddl *p, struct weir_fields *fields, bool top)
{
    struct weir_field field = {.nullable = true};
    struct weir_slice name = {NULL, 0}, comment = {NULL, 0};
    size_t at = p->tok.at;

    WEIR_TRY(parse_name(p, &name));
    field.name = weir_mem_strndup(p->scratch, name.ptr, name.len);
    field.name_len = (uint32_t)name.len;
    if (field.name == NULL)
        return ddl_nomem(p);
    if (top) {
        weir_buf_reset(&p->spelled);
        p->has_char = false;
    } else {
        weir_buf_printf(&p->spelled, "%s%s:", fields->n == 0 ? "" : ",", field.name);
    }
    if (tok_is(p, ":"))
        WEIR_TRY(ddl_next(p));
    WEIR_TRY(parse_type(p, &field.type));
    WEIR_TRY(parse_column_options(p, &field, &comment));
    if (top)
        WEIR_TRY(weir_buf_check(&p->spelled, p->err));
    WEIR_TRY(column_metadata(p, comment, top && p->has_char ? &p->spelled : NULL, &field.metadata));
    return weir_fields_add(fields, &field, p->err) == WEIR_OK ? WEIR_OK : ddl_where(p, at);
}

static weir_rc
parse_columns(struct ddl *p, bool top, const struct weir_type **out)
{
    struct weir_fields fields;

    weir_fields_init(&fields, p->scratch, &p->leaves, WEIR_USAGE);
    WEIR_TRY(parse_column(p, &fields, top));
    while (tok_is(p, ",")) {
        WEIR_TRY(ddl_next(p));
        WEIR_TRY(parse_column(p, &fields, top));
    }
    return weir_fields_build(&fields, p->mem, out, p->err);
}

static weir_rc
parse_struct(struct ddl *p, const struct weir_type **out)
{
    struct weir_fields none;

    weir_buf_str(&p->spelled, "struct<");
    WEIR_TRY(take(p, "<", "\"<\""));
    if (tok_is(p, ">")) {
        weir_fields_init(&none, p->scratch, &p->leaves, WEIR_USAGE);
        WEIR_TRY(weir_fields_build(&none, p->mem, out, p->err));
    } else {
        WEIR_TRY(parse_columns(p, false, out));
    }
    weir_buf_str(&p->spelled, ">");
    return take(p, ">", "\",\" or \">\"");
}

/* STRING COLLATE name: only the plain order of bytes is weir's. */
static weir_rc
parse_collation(struct ddl *p)
{
    if (!tok_word(p, "COLLATE"))
        return WEIR_OK;
    WEIR_TRY(ddl_next(p));
    if (tok_word(p, "UTF8_BINARY"))
        return ddl_next(p);
    weir_fail(p->err, WEIR_UNSUPPORTED, "strings with a collation are not supported");
    return ddl_where(p, p->tok.at);
}

static weir_rc
parse_type_word(struct ddl *p, const struct weir_type **out)
{
    static const struct {
        const char *name;
        weir_rc (*parse)(struct ddl *p, const struct weir_type **out);
    } nested[] = {
        {"ARRAY", parse_array}, {"MAP", parse_map},     {"STRUCT", parse_struct},
        {"DEC", parse_decimal}, {"DECIMAL", parse_decimal}, {"NUMERIC", parse_decimal},
    };
    bool is_char = tok_word(p, "CHAR") || tok_word(p, "CHARACTER");
    size_t i;

    for (i = 0; i < PLAIN_TYPES; i++) {
        if (tok_word(p, plain_types[i].name)) {
            *out = plain_types[i].type;
            weir_type_print_simple(*out, &p->spelled);
            WEIR_TRY(ddl_next(p));
            return *out == &weir_type_string ? parse_collation(p) : WEIR_OK;
        }
    }
    for (i = 0; i < sizeof(nested) / sizeof(nested[0]); i++) {
        if (tok_word(p, nested[i].name)) {
            WEIR_TRY(ddl_next(p));
            return nested[i].parse(p, out);
        }
    }
    if (is_char || tok_word(p, "VARCHAR")) {
        WEIR_TRY(ddl_next(p));
        return parse_char(p, is_char ? "char" : "varchar", out);
    }
    return type_unknown(p);
}

static weir_rc
parse_type(struct ddl *p, const struct weir_type **out)
{
    *out = NULL;
    if (++p->depth > WEIR_NEST_MAX) {
        weir_fail(p->err, WEIR_USAGE, "types more than %d levels deep", WEIR_NEST_MAX);
        return ddl_where(p, p->tok.at);
    }
    WEIR_TRY(parse_type_word(p, out));
    p->depth--;
    return weir_kind_is_nested((*out)->kind) ? WEIR_OK : weir_leaf_count(&p->leaves, WEIR_USAGE, p->err);
}

/* ---- ways in ---- */

static weir_rc
ddl_open(struct ddl *p, const char *text, size_t len, struct weir_mem *mem, struct weir_error *err)
{
    *p = (struct ddl){.text = text, .len = len, .mem = mem, .err = err};
    if (len > WEIR_SPEC_MAX)
        return weir_fail(err, WEIR_USAGE, "a schema text of %zu bytes; the limit is %llu", len, WEIR_SPEC_MAX);
    if (memchr(text, '\0', len) != NULL || !weir_utf8_valid(text, len))
        return weir_fail(err, WEIR_USAGE, "the schema text is not UTF-8");
    p->scratch = weir_mem_new(mem, weir_mem_quota(mem), "schema text");
    if (p->scratch == NULL)
        return weir_mem_fail(mem, 0, err);
    weir_buf_init(&p->spelled, 2 * WEIR_SPEC_MAX, weir_mem_quota(mem));
    return ddl_next(p);
}

static void
ddl_close(struct ddl *p)
{
    weir_buf_fini(&p->spelled);
    weir_mem_free(p->scratch);
}

static weir_rc
ddl_end(struct ddl *p, const char *what)
{
    return p->tok.kind == DDL_END ? WEIR_OK : ddl_expected(p, what);
}

/* "STRUCT<" at the start: a column of that name would have no type. */
static bool
starts_struct(const struct ddl *p)
{
    size_t at = p->at;

    while (at < p->len && (unsigned char)p->text[at] <= ' ')
        at++;
    return tok_word(p, "STRUCT") && at < p->len && p->text[at] == '<';
}

weir_rc
weir_schema_parse_ddl(const char *text, size_t len, struct weir_mem *mem, const struct weir_type **out,
                      struct weir_error *err)
{
    struct ddl p;
    weir_rc rc;

    WEIR_GO(ddl_open(&p, text, len, mem, err));
    WEIR_GO(starts_struct(&p) ? parse_type(&p, out) : parse_columns(&p, true, out));
    WEIR_GO(ddl_end(&p, "\",\" or the end"));
out:
    ddl_close(&p);
    return rc;
}

weir_rc
weir_type_parse_ddl(const char *text, size_t len, struct weir_mem *mem, const struct weir_type **out,
                    struct weir_error *err)
{
    struct ddl p;
    weir_rc rc;

    WEIR_GO(ddl_open(&p, text, len, mem, err));
    WEIR_GO(parse_type(&p, out));
    WEIR_GO(ddl_end(&p, "the end"));
out:
    ddl_close(&p);
    return rc;
}

/* ---- hints ---- */

struct hint_list {
    struct weir_hint *at;
    uint32_t n, cap;
    struct weir_map seen;
};

static weir_rc
hint_path(struct ddl *p, struct weir_hint *hint)
{
    const char *names[WEIR_NEST_MAX], **copy;
    struct weir_slice name = {NULL, 0};

    for (;;) {
        if (hint->depth == WEIR_NEST_MAX) {
            weir_fail(p->err, WEIR_USAGE, "a path of more than %d names", WEIR_NEST_MAX);
            return ddl_where(p, p->tok.at);
        }
        WEIR_TRY(parse_name(p, &name));
        names[hint->depth] = weir_mem_strndup(p->mem, name.ptr, name.len);
        if (names[hint->depth++] == NULL)
            return weir_mem_fail(p->mem, name.len, p->err);
        if (!tok_is(p, "."))
            break;
        WEIR_TRY(ddl_next(p));
    }
    copy = weir_mem_alloc(p->mem, hint->depth * sizeof(*copy));
    if (copy == NULL)
        return weir_mem_fail(p->mem, hint->depth * sizeof(*copy), p->err);
    memcpy(copy, names, hint->depth * sizeof(*copy));
    hint->path = copy;
    return WEIR_OK;
}

/* Two hints for one path contradict each other or say nothing. */
static weir_rc
hint_note(struct ddl *p, struct hint_list *list, struct weir_hint *hint, size_t at)
{
    struct weir_buf key;
    void *before = NULL;
    uint32_t i;
    size_t c;
    weir_rc rc;

    weir_buf_init(&key, WEIR_SPEC_MAX, weir_mem_quota(p->scratch));
    for (i = 0; i < hint->depth; i++)
        weir_buf_add(&key, hint->path[i], strlen(hint->path[i]) + 1);
    WEIR_GO(weir_buf_check(&key, p->err));
    for (c = 0; c < key.len; c++)
        key.data[c] = weir_lower(key.data[c]);
    WEIR_GO(weir_map_put(&list->seen, key.data, key.len, list, &before, p->err));
    if (before != NULL) {
        weir_fail(p->err, WEIR_USAGE, "there are two hints for this path");
        rc = ddl_where(p, at);
    }
out:
    weir_buf_fini(&key);
    return rc;
}

static weir_rc
hint_add(struct ddl *p, struct hint_list *list, const struct weir_hint *hint)
{
    if (list->n == list->cap) {
        uint32_t cap = list->cap == 0 ? 8 : list->cap * 2;
        struct weir_hint *at = weir_mem_alloc(p->mem, cap * sizeof(*at));

        if (at == NULL)
            return weir_mem_fail(p->mem, cap * sizeof(*at), p->err);
        if (list->n > 0)
            memcpy(at, list->at, list->n * sizeof(*at));
        list->at = at;
        list->cap = cap;
    }
    list->at[list->n++] = *hint;
    return WEIR_OK;
}

static weir_rc
parse_hint(struct ddl *p, struct hint_list *list)
{
    struct weir_hint hint = {0};
    size_t at = p->tok.at;

    WEIR_TRY(hint_path(p, &hint));
    if (tok_is(p, ":"))
        WEIR_TRY(ddl_next(p));
    WEIR_TRY(parse_type(p, &hint.type));
    WEIR_TRY(hint_note(p, list, &hint, at));
    return hint_add(p, list, &hint);
}

weir_rc
weir_hints_parse(const char *text, size_t len, struct weir_mem *mem, struct weir_hint **out, uint32_t *n,
                 struct weir_error *err)
{
    struct hint_list list = {0};
    struct ddl p;
    weir_rc rc;

    WEIR_GO(ddl_open(&p, text, len, mem, err));
    weir_map_init(&list.seen, p.scratch);
    if (p.tok.kind != DDL_END)
        WEIR_GO(parse_hint(&p, &list));
    while (tok_is(&p, ",")) {
        WEIR_GO(ddl_next(&p));
        WEIR_GO(parse_hint(&p, &list));
    }
    WEIR_GO(ddl_end(&p, "\",\" or the end"));
    *out = list.at;
    *n = list.n;
out:
    ddl_close(&p);
    return rc;
}
