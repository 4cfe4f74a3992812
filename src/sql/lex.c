/* Spark SQL's tokens (SqlBaseLexer of Spark 4.0, without the words: parse_*.c compare those where they may
 * stand).
 *
 * 1. The longest token wins; "1L" is a number, "1La" is a name, "1e5" is a number, "1e" is a name.
 * 2. A number with a point is one only when no letter, digit or "_" follows: in "t.1a" the point is a mark.
 * 3. Two strings side by side are two tokens; who reads strings joins them.
 * 4. Comments nest; a hint is a comment, because weir plans by itself.
 * 5. Unlike Spark, letters outside ASCII need no back quotes: every byte above 0x7f belongs to a name, but
 * for the blanks of Unicode. The text is untrusted; weir_sql_parse() has made sure that it is UTF-8. */
#include "sql/lex.h"

#include <string.h>

struct lex {
    const char *text;
    size_t len, at;
};

static bool
lex_starts(const struct lex *x, const char *what)
{
    size_t n = strlen(what);

    return x->len - x->at >= n && memcmp(x->text + x->at, what, n) == 0;
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char
peek_char(const struct lex *x, size_t ahead)
{
    return x->len - x->at > ahead ? x->text[x->at + ahead] : '\0';
}

/* ---- what is skipped ---- */

/* Bytes of the blank here, 0 when there is none. */
static size_t
blank_len(const struct lex *x)
{
    static const char *const wide[] = {
        "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81", "\xe2\x80\x82", "\xe2\x80\x83",
        "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86", "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89",
        "\xe2\x80\x8a", "\xe2\x80\xa8", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80"};
    unsigned char c = (unsigned char)x->text[x->at];
    size_t i;

    if (c == ' ' || (c >= '\t' && c <= '\r'))
        return 1;
    for (i = 0; c >= 0xc2 && i < sizeof(wide) / sizeof(wide[0]); i++) {
        if (lex_starts(x, wide[i]))
            return strlen(wide[i]);
    }
    return 0;
}

/* x->at is on the opening mark. false: the comment does not end. */
static bool
skip_comment(struct lex *x)
{
    size_t level = 0;

    while (x->at < x->len) {
        if (lex_starts(x, "/*")) {
            level++;
            x->at += 2;
        } else if (lex_starts(x, "*/")) {
            x->at += 2;
            if (--level == 0)
                return true;
        } else {
            x->at++;
        }
    }
    return false;
}

/* Blanks and comments; false: a comment without an end, x->at is where it began. */
static bool
skip_blanks(struct lex *x)
{
    while (x->at < x->len) {
        size_t n = blank_len(x), start = x->at;

        if (n > 0) {
            x->at += n;
        } else if (lex_starts(x, "--")) {
            while (x->at < x->len && x->text[x->at] != '\n') /* a backslash carries it over the line's end */
                x->at += lex_starts(x, "\\\n") ? 2 : 1;
        } else if (lex_starts(x, "/*")) {
            if (!skip_comment(x)) {
                x->at = start;
                return false;
            }
        } else {
            break;
        }
    }
    return true;
}

/* ---- tokens ---- */

static bool
is_word_here(const struct lex *x)
{
    unsigned char c = (unsigned char)peek_char(x, 0);

    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit((char)c) || c == '_' ||
           (c >= 0x80 && blank_len(x) == 0);
}

static void
skip_digits(struct lex *x)
{
    while (is_digit(peek_char(x, 0)))
        x->at++;
}

/* An exponent, when there is a whole one. */
static bool
skip_exponent(struct lex *x)
{
    size_t sign;

    if ((peek_char(x, 0) | 0x20) != 'e')
        return false;
    sign = peek_char(x, 1) == '+' || peek_char(x, 1) == '-';
    if (!is_digit(peek_char(x, 1 + sign)))
        return false;
    x->at += 1 + sign;
    skip_digits(x);
    return true;
}

/* L, S, Y behind whole digits only; D, F, BD behind any number. */
static void
skip_suffix(struct lex *x, bool whole)
{
    char c = (char)(peek_char(x, 0) | 0x20);

    if (c == 'd' || c == 'f' || (whole && (c == 'l' || c == 's' || c == 'y')))
        x->at++;
    else if (c == 'b' && (peek_char(x, 1) | 0x20) == 'd')
        x->at += 2;
}

/* A number from x->at, or false and nothing is read. */
static bool
read_number(struct lex *x)
{
    size_t start = x->at;
    bool exponent;

    skip_digits(x);
    exponent = x->at > start && skip_exponent(x);
    skip_suffix(x, !exponent);
    if (x->at > start && !is_word_here(x) && (peek_char(x, 0) != '.' || x->text[x->at - 1] > '9'))
        return true;
    x->at = start;
    skip_digits(x);
    if (peek_char(x, 0) == '.' && (x->at > start || is_digit(peek_char(x, 1)))) {
        size_t whole = x->at;

        x->at++;
        skip_digits(x);
        skip_exponent(x);
        skip_suffix(x, false);
        if (!is_word_here(x))
            return true;
        x->at = whole; /* "1.a": the number ends in front of the point */
        if (x->at > start)
            return true;
    }
    x->at = start;
    return false;
}

/* The bytes up to the closing quote; x->at is on the opening one. */
static bool
read_quoted(struct lex *x, bool escapes)
{
    char quote = x->text[x->at++];

    while (x->at < x->len) {
        char c = x->text[x->at++];

        if (c == '\\' && escapes && x->at < x->len) {
            x->at++;
        } else if (c == quote) {
            if (quote != '`' || peek_char(x, 0) != '`')
                return true;
            x->at++;
        }
    }
    return false;
}

static bool
read_mark(struct lex *x)
{
    static const char *const marks[] = {"<=>", ">>>", "<<", ">>", "<=", ">=", "<>", "!=", "==", "!>",
                                        "!<",  "||",  "|>", "->", "=>", "::", "=",  "<",  ">",  "+",
                                        "-",   "*",   "/",  "%",  "~",  "&",  "|",  "^",  ":",  "?",
                                        "(",   ")",   "[",  "]",  ",",  ".",  ";",  "!"};
    size_t i;

    for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        if (lex_starts(x, marks[i])) {
            x->at += strlen(marks[i]);
            return true;
        }
    }
    return false;
}

/* Reads what stands at x->at, which is no blank. */
static weir_token_kind
read_token(struct lex *x, const char **why)
{
    char c = peek_char(x, 0), next = peek_char(x, 1);
    bool raw = (c | 0x20) == 'r' && (next == '\'' || next == '"');

    if (raw || c == '\'' || c == '"') {
        x->at += raw;
        *why = "the string does not end";
        return read_quoted(x, !raw) ? WEIR_TOKEN_STRING : WEIR_TOKEN_BAD;
    }
    if (c == '`') {
        *why = "the name in back quotes does not end";
        return read_quoted(x, false) ? WEIR_TOKEN_QUOTED : WEIR_TOKEN_BAD;
    }
    if ((is_digit(c) || c == '.') && read_number(x))
        return WEIR_TOKEN_NUMBER;
    if (is_word_here(x)) {
        while (is_word_here(x))
            x->at++;
        return WEIR_TOKEN_WORD;
    }
    *why = "this character has no meaning in SQL";
    return read_mark(x) ? WEIR_TOKEN_MARK : WEIR_TOKEN_BAD;
}

struct weir_token
weir_token_read(const char *text, size_t len, size_t from)
{
    struct lex x = {text, len, from};
    struct weir_token tok = {.kind = WEIR_TOKEN_END, .why = "the comment does not end"};

    if (!skip_blanks(&x)) {
        tok.kind = WEIR_TOKEN_BAD;
        tok.at = tok.end = (uint32_t)x.at;
        return tok;
    }
    tok.at = (uint32_t)x.at;
    if (x.at < len)
        tok.kind = read_token(&x, &tok.why);
    tok.end = (uint32_t)x.at;
    tok.text = weir_slice(text + tok.at, x.at - tok.at);
    return tok;
}

/* ---- strings ---- */

/* n hexadecimal digits at p. */
static bool
read_hex(const char *p, const char *end, int n, uint32_t *out)
{
    uint32_t v = 0;

    if (end - p < n)
        return false;
    for (; n > 0; n--, p++) {
        char low = (char)(*p | 0x20);

        if (is_digit(*p))
            v = v * 16 + (uint32_t)(*p - '0');
        else if (low >= 'a' && low <= 'f')
            v = v * 16 + (uint32_t)(low - 'a' + 10);
        else
            return false;
    }
    *out = v;
    return true;
}

/* \uXXXX and \UXXXXXXXX; p is behind the backslash. Two halves of a surrogate pair make one character. The
 * bytes read are 0 when there are not enough digits; *ok is false for what is no character. */
static size_t
unescape_unicode(const char *p, const char *end, struct weir_buf *buf, bool *ok)
{
    int digits = *p == 'u' ? 4 : 8;
    size_t used = (size_t)digits + 1;
    uint32_t c, low;
    char bytes[4];

    if (!read_hex(p + 1, end, digits, &c))
        return 0;
    if (c >= 0xd800 && c < 0xdc00 && end - p > 10 && p[5] == '\\' && p[6] == 'u' &&
        read_hex(p + 7, end, 4, &low) && low >= 0xdc00 && low < 0xe000) {
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        used += 6;
    }
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
        *ok = false;
        return used;
    }
    weir_buf_add(buf, bytes, weir_utf8_put(c, bytes));
    return used;
}

/* What follows a backslash; returns the bytes read. */
static size_t
unescape(const char *p, const char *end, struct weir_buf *buf, bool *ok)
{
    static const char from[] = "0bnrtZ", to[] = "\0\b\n\r\t\x1a";
    const char *known;
    size_t n;

    if ((*p == 'u' || *p == 'U') && (n = unescape_unicode(p, end, buf, ok)) > 0)
        return n;
    if (end - p >= 3 && (p[0] == '0' || p[0] == '1') && p[1] >= '0' && p[1] <= '7' && p[2] >= '0' &&
        p[2] <= '7') {
        char bytes[4]; /* octal, Latin-1 */

        weir_buf_add(buf, bytes,
                     weir_utf8_put((uint32_t)((p[0] - '0') * 64 + (p[1] - '0') * 8 + p[2] - '0'), bytes));
        return 3;
    }
    if (*p == '%' || *p == '_') /* a pattern of LIKE keeps them escaped */
        weir_buf_byte(buf, '\\');
    known = memchr(from, *p, sizeof(from) - 1);
    weir_buf_byte(buf, known == NULL ? *p : to[known - from]);
    return 1;
}

static bool
unquote_string(struct weir_slice s, struct weir_buf *buf)
{
    bool raw = (s.ptr[0] | 0x20) == 'r', ok = true;
    const char *p = s.ptr + 1 + raw, *end = s.ptr + s.len - 1;

    if (raw) {
        weir_buf_add(buf, p, (size_t)(end - p));
        return true;
    }
    while (p < end) {
        const char *slash = memchr(p, '\\', (size_t)(end - p));

        weir_buf_add(buf, p, (size_t)((slash == NULL ? end : slash) - p));
        if (slash == NULL)
            break;
        p = slash + 1;
        p += unescape(p, end, buf, &ok);
    }
    return ok;
}

bool
weir_token_unquote(const struct weir_token *tok, struct weir_buf *buf)
{
    const char *p = tok->text.ptr + 1, *end = tok->text.ptr + tok->text.len - 1;

    if (tok->kind == WEIR_TOKEN_STRING)
        return unquote_string(tok->text, buf);
    if (p == end || memchr(p, '\0', (size_t)(end - p)) != NULL)
        return false;
    for (; p < end; p++) {
        weir_buf_byte(buf, *p);
        p += *p == '`';
    }
    return true;
}
