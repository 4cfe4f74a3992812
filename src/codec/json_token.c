/* Tokens of JSON as Jackson reads them for Spark: JSON (RFC 8259) and the parts beyond it that the allow...
 * options of Spark's JSONOptions admit.
 *
 * 1. Nothing here allocates or recurses; weir_json_skip() keeps its brackets in a fixed stack of bits.
 * 2. Each byte of a text passes one of these functions or the decoder's own: a record is only good when all
 *    of it is JSON and all its strings are UTF-8, skipped ones too. */
#include <inttypes.h>

#include "codec/json_int.h"

#include "base/str.h"

void
weir_json_text_init(struct json_text *t, const struct json_options *opt, const char *end, bool lines)
{
    *t = (struct json_text){.opt = opt,
                            .scan = opt->scan,
                            .end = end,
                            .pause = opt->comments ? '/' : ' ',
                            .lines = lines,
                            .cr_ends = lines && opt->cr_ends};
}

/* p is at "//" or "/ *"; returns where the comment ends, p when it does not. */
static const char *
comment_skip(const struct json_text *t, const char *p)
{
    const char *q = p + 2;

    if (p[1] == '/') {
        while (q < t->end && *q != '\n' && *q != '\r')
            q++;
        return q;
    }
    for (; q < t->end && !(t->lines && (*q == '\n' || (*q == '\r' && t->cr_ends))); q++)
        if (q[0] == '*' && q[1] == '/' && q + 2 <= t->end)
            return q + 2;
    return p;
}

const char *
weir_json_blanks_skip(struct json_text *t, const char *p)
{
    for (;;) {
        const char *start = p;

        if (t->lines)
            while (*p == ' ' || *p == '\t' || (*p == '\r' && !t->cr_ends))
                p++;
        else
            p = t->scan->blanks(p);
        if (p >= t->end)
            return t->end;
        if (*p == '/' && t->pause == '/' && (p[1] == '/' || p[1] == '*') && p + 1 < t->end) {
            p = comment_skip(t, p);
            t->loose = true;
        }
        if (p == start || (unsigned char)*p > t->pause)
            return p;
    }
}

static const char *
string_body(struct json_text *t, const char *p, char quote, struct json_string *out)
{
    bool high = false;

    out->at = p;
    out->escaped = false;
    for (;;) {
        p = t->scan->string(p, quote, &high);
        if (*p == quote)
            break;
        if (p >= t->end)
            return json_fail(t, "a string is not closed");
        if (*p == '\\') {
            out->escaped = true;
            if (p + 1 >= t->end || (unsigned char)p[1] < ' ')
                return json_fail(t, "a string is not closed");
            high = high || (unsigned char)p[1] >= 0x80;
            p += 2;
        } else if (t->opt->control_chars && !(t->lines && (*p == '\n' || (*p == '\r' && t->cr_ends)))) {
            t->loose = true;
            p++;
        } else {
            return json_fail(t, "a control character stands in a string");
        }
    }
    out->len = (size_t)(p - out->at);
    if (p >= t->end || out->len > UINT32_MAX)
        return json_fail(t, "a string is not closed");
    if (high && !weir_utf8_valid(out->at, out->len))
        return json_fail(t, "a string is not UTF-8");
    return p + 1;
}

const char *
weir_json_string(struct json_text *t, const char *p, struct json_string *out)
{
    if (*p == '"')
        return string_body(t, p + 1, '"', out);
    if (*p == '\'' && t->opt->single_quotes) {
        t->loose = true;
        return string_body(t, p + 1, '\'', out);
    }
    return json_fail(t, "a string was expected");
}

static bool
is_letter(char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

/* What may follow in a JavaScript name; Jackson lets some more pass than JavaScript does. */
static bool
is_name(char c)
{
    return is_letter(c) || weir_is_digit(c) || (unsigned char)c >= 0x80 ||
           (c != '\0' && strchr("_$@#*+-", c) != NULL);
}

const char *
weir_json_key(struct json_text *t, const char *p, struct json_string *out)
{
    const char *q = p;

    if (*p == '"' || (*p == '\'' && t->opt->single_quotes))
        return weir_json_string(t, p, out);
    if (!t->opt->unquoted_names || weir_is_digit(*p))
        return json_fail(t, "a name in quotes was expected");
    while (q < t->end && is_name(*q))
        q++;
    if (q == p || !weir_utf8_valid(p, (size_t)(q - p)))
        return json_fail(t, "a name was expected");
    t->loose = true;
    *out = (struct json_string){.at = p, .len = (size_t)(q - p)};
    return q;
}

static const char *
digits_skip(const char *p)
{
    while (weir_is_digit(*p))
        p++;
    return p;
}

static const struct {
    const char *word;
    json_number_kind kind;
} number_words[] = {
    {"NaN", NUMBER_NAN},       {"Infinity", NUMBER_INFINITE},        {"+Infinity", NUMBER_INFINITE},
    {"+INF", NUMBER_INFINITE}, {"-Infinity", NUMBER_MINUS_INFINITE}, {"-INF", NUMBER_MINUS_INFINITE},
};

static const char *
number_word(struct json_text *t, const char *p, struct json_number *out)
{
    for (size_t i = 0; t->opt->non_numeric && i < sizeof(number_words) / sizeof(number_words[0]); i++) {
        size_t n = strlen(number_words[i].word);

        if ((size_t)(t->end - p) >= n && memcmp(p, number_words[i].word, n) == 0 && !is_name(p[n])) {
            *out = (struct json_number){.at = p, .len = n, .kind = number_words[i].kind};
            t->loose = true;
            return p + n;
        }
    }
    return json_fail(t, "a value was expected");
}

/* The digits' run may pass `end` only over bytes that are there: the text ends with a byte that is no
 * digit. */
const char *
weir_json_number(struct json_text *t, const char *p, struct json_number *out)
{
    const char *q = p + (*p == '-'), *from = q;
    size_t digits;

    if (!weir_is_digit(*q))
        return number_word(t, p, out);
    *out = (struct json_number){.at = p, .kind = NUMBER_INTEGER};
    q = digits_skip(q);
    if (*from == '0' && q - from > 1) {
        if (!t->opt->leading_zeros)
            return json_fail(t, "a number begins with a zero");
        t->loose = true;
    }
    digits = (size_t)(q - from);
    if (*q == '.') {
        out->kind = NUMBER_FRACTION;
        from = q + 1;
        q = digits_skip(from);
        if (q == from)
            return json_fail(t, "a number ends with its point");
        digits += (size_t)(q - from);
    }
    if ((*q | 0x20) == 'e') {
        out->kind = NUMBER_FRACTION;
        from = q + 1 + (q[1] == '-' || q[1] == '+');
        q = digits_skip(from);
        if (q == from)
            return json_fail(t, "a number has no exponent");
        digits += (size_t)(q - from);
    }
    if (q > t->end || digits > (size_t)t->opt->max_number)
        return json_fail(t, "a number is too long");
    out->len = (size_t)(q - p);
    return is_name(*q) && q < t->end ? json_fail(t, "a number ends with a letter") : q;
}

const char *
weir_json_word(struct json_text *t, const char *p, char *out)
{
    const char *word = *p == 't' ? "true" : *p == 'f' ? "false" : "null";
    size_t n = strlen(word);

    *out = *p;
    if ((size_t)(t->end - p) < n || memcmp(p, word, n) != 0 || (p + n < t->end && is_name(p[n])))
        return json_fail(t, "a value was expected");
    return p + n;
}

/* \uXXXX behind the backslash's u; -1: no such thing. */
static int32_t
escape_unit(const char *p, const char *end)
{
    int32_t unit = 0;

    if (end - p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int d = weir_hex_digit(p[i]);

        if (d < 0)
            return -1;
        unit = unit << 4 | d;
    }
    return unit;
}

/* A code point from \u at p (behind the u), of one unit or two; *p moves. -1: bad, -2: a lone surrogate. */
static int32_t
escape_point(const char **p, const char *end)
{
    int32_t high = escape_unit(*p, end), low;

    if (high < 0)
        return -1;
    *p += 4;
    if (high < 0xd800 || high > 0xdfff)
        return high;
    if (high > 0xdbff || end - *p < 6 || (*p)[0] != '\\' || (*p)[1] != 'u')
        return -2;
    low = escape_unit(*p + 2, end);
    if (low < 0xdc00 || low > 0xdfff)
        return -2; /* a bad second unit is found when its turn comes */
    *p += 6;
    return 0x10000 + ((high - 0xd800) << 10 | (low - 0xdc00));
}

/* The byte that \c stands for; 0: none. */
static char
escape_byte(char c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/':
        return c;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return '\0';
    }
}

/* One escape behind its backslash at *p: writes it at *out (NULL: only looks). */
static bool
escape_one(struct json_text *t, const char **p, const char *end, char **out, bool *lone)
{
    char byte = escape_byte(**p);
    int32_t point;

    if (**p == 'u') {
        (*p)++;
        point = escape_point(p, end);
        if (point == -1)
            return false;
        if (point == -2)
            *lone = true;
        else if (*out != NULL)
            *out += weir_utf8_put((uint32_t)point, *out);
        return true;
    }
    if (byte == '\0') {
        /* Jackson: with single quotes allowed \' is an escape, too. */
        if (!t->opt->any_escape && !(**p == '\'' && t->opt->single_quotes))
            return false;
        t->loose = true;
        byte = **p; /* the first byte of a longer character: the rest follows as it is */
    }
    if (*out != NULL)
        *(*out)++ = byte;
    (*p)++;
    return true;
}

bool
weir_json_unescape(struct json_text *t, const struct json_string *s, char *out, size_t *len, bool *lone)
{
    const char *p = s->at, *end = s->at + s->len;
    char *to = out;

    *lone = false;
    while (p < end) {
        const char *slash = memchr(p, '\\', (size_t)(end - p));
        size_t n = (size_t)((slash == NULL ? end : slash) - p);

        if (to != NULL) {
            memcpy(to, p, n);
            to += n;
        }
        p += n;
        if (p < end) {
            p++;
            if (p == end || !escape_one(t, &p, end, &to, lone)) {
                t->why = "a backslash begins no escape";
                return false;
            }
        }
    }
    *len = to == NULL ? 0 : (size_t)(to - out);
    return true;
}

/* The string's escapes are right; where they lead does not matter. */
static bool
string_check(struct json_text *t, const struct json_string *s)
{
    size_t len;
    bool lone;

    return !s->escaped || weir_json_unescape(t, s, NULL, &len, &lone);
}

static const char *
scalar_skip(struct json_text *t, const char *p)
{
    struct json_string s;
    struct json_number n;
    char word;

    switch (*p) {
    case '"':
    case '\'':
        p = weir_json_string(t, p, &s);
        return p != NULL && !string_check(t, &s) ? NULL : p;
    case 't':
    case 'f':
    case 'n':
        return weir_json_word(t, p, &word);
    default:
        return weir_json_number(t, p, &n);
    }
}

/* "key" : and the blanks behind it. */
static const char *
key_skip(struct json_text *t, const char *p)
{
    struct json_string s;

    p = weir_json_key(t, p, &s);
    if (p == NULL || !string_check(t, &s))
        return NULL;
    p = json_blanks(t, p);
    return *p == ':' ? json_blanks(t, p + 1) : json_fail(t, "a colon was expected");
}

struct skip_stack { /* which of the open brackets are objects */
    uint64_t objects[JSON_DEPTH_MAX / 64 + 1];
    unsigned level;
};

static bool
stack_push(struct json_text *t, struct skip_stack *stack, bool object)
{
    uint64_t bit = UINT64_C(1) << (stack->level & 63);

    if (t->depth + stack->level >= (unsigned)t->opt->max_depth) {
        t->why = "objects and arrays are nested too deeply";
        return false;
    }
    if (object)
        stack->objects[stack->level >> 6] |= bit;
    else
        stack->objects[stack->level >> 6] &= ~bit;
    stack->level++;
    return true;
}

static bool
stack_in_object(const struct skip_stack *stack)
{
    unsigned top = stack->level - 1;

    return stack->objects[top >> 6] >> (top & 63) & 1;
}

/* An opening bracket at p: its level is pushed; behind it and, in an object, behind its first key. *empty:
 * the bracket closes again at once, at the byte returned. */
static const char *
bracket_open(struct json_text *t, struct skip_stack *stack, const char *p, bool *empty)
{
    bool object = *p == '{';

    if (!stack_push(t, stack, object))
        return NULL;
    p = json_blanks(t, p + 1);
    *empty = *p == (object ? '}' : ']');
    return *empty || !object ? p : key_skip(t, p);
}

const char *
weir_json_skip(struct json_text *t, const char *p)
{
    struct skip_stack stack;
    bool close = false;

    if (*p != '{' && *p != '[')
        return scalar_skip(t, p);
    stack.level = 0;
    do {
        /* At a value, or at the bracket that closes an empty pair. */
        if (!close) {
            if (*p == '{' || *p == '[') {
                p = bracket_open(t, &stack, p, &close);
                if (p == NULL)
                    return NULL;
                continue;
            }
            p = scalar_skip(t, p);
            if (p == NULL)
                return NULL;
            p = json_blanks(t, p);
        }
        /* Behind a value: closing brackets, then a comma unless all are closed. */
        while (stack.level > 0 && *p == (stack_in_object(&stack) ? '}' : ']')) {
            stack.level--;
            p = stack.level > 0 ? json_blanks(t, p + 1) : p + 1;
        }
        close = false;
        if (stack.level == 0)
            break;
        if (*p != ',')
            return json_fail(t, stack_in_object(&stack) ? "a comma or } was expected"
                                                        : "a comma or ] was expected");
        p = json_blanks(t, p + 1);
        if (stack_in_object(&stack)) {
            p = key_skip(t, p);
            if (p == NULL)
                return NULL;
        }
    } while (true);
    return p > t->end ? json_fail(t, "the text ends too early") : p;
}
