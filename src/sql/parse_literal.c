/* Constants of Spark SQL: numbers, strings, dates and times, intervals; and the types of CAST.
 *
 * 1. A constant is checked here and kept in one canonical spelling, so that who reads it needs no second
 * grammar: integers "-7", decimals "1.50", doubles as Java prints them, DATE "2025-01-02", TIMESTAMP_NTZ and
 * TIMESTAMP without a zone "2025-01-02 03:04:05.6" (the session's zone is not known here), TIMESTAMP with a
 * zone the same in UTC with a "Z" behind it, INTERVAL the number of months or of microseconds.
 * 2. Types are those of Spark: 10 is INT, LONG or DECIMAL by its size; 1.50 is DECIMAL(3,2); 1e3 is DOUBLE.
 */
#include "sql/parse_int.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "column/text.h"

/* ---- numbers ---- */

static weir_rc
bad_number(struct weir_parse *p, const struct weir_token *tok, const char *type)
{
    size_t n = tok->text.len > 60 ? 60 : tok->text.len;

    weir_fail(p->err, WEIR_USAGE, "the number %.*s does not fit %s", (int)n, tok->text.ptr, type);
    return weir_parse_where(p, tok->at);
}

/* A LITERAL with a copy of this text. */
static weir_rc
constant(struct weir_parse *p, uint32_t at, const struct weir_type *type, const char *text, size_t len,
         struct weir_node **out)
{
    const char *copy = weir_mem_strndup(p->mem, text, len);

    if (copy == NULL || type == NULL)
        return weir_parse_nomem(p);
    WEIR_TRY(weir_parse_string_node(p, copy, (uint32_t)len, at, out));
    (*out)->type = type;
    return WEIR_OK;
}

/* Digits, point, exponent with its sign in front: a decimal with as many digits as are written. */
static weir_rc
decimal_constant(struct weir_parse *p, const struct weir_token *tok, uint32_t at, const char *text,
                 size_t len, struct weir_node **out)
{
    const char *e = memchr(text, 'e', len), *point, *c;
    size_t mantissa = e == NULL ? len : (size_t)(e - text);
    int64_t exponent = 0, precision = 0, scale, digits = 0;
    char plain[48];
    weir_i128 v;

    if (e != NULL &&
        (!weir_parse_int(weir_slice(e + 1 + (e[1] == '+'), len - mantissa - 1 - (e[1] == '+')), &exponent) ||
         exponent > 1000 || exponent < -1000))
        return bad_number(p, tok, "DECIMAL");
    point = memchr(text, '.', mantissa);
    for (c = text; c < text + mantissa; c++) {
        if (*c >= '0' && *c <= '9') {
            digits++;
            precision += precision > 0 || *c != '0';
        }
    }
    scale = (point == NULL ? 0 : text + mantissa - point - 1) - exponent;
    precision = precision == 0 ? 1 : precision;
    if (scale < 0) { /* 1e3BD is DECIMAL(4,0) */
        precision -= scale;
        scale = 0;
    }
    precision = precision < scale ? scale : precision;
    if (precision > 38 || !weir_decimal_parse(text, len, (unsigned)precision, (unsigned)scale, &v))
        return bad_number(p, tok, "DECIMAL(38)");
    len = weir_decimal_print(v, (unsigned)scale, plain);
    return constant(p, at, weir_type_decimal(p->mem, (unsigned)precision, (unsigned)scale), plain, len, out);
}

static weir_rc
float_constant(struct weir_parse *p, const struct weir_token *tok, uint32_t at, bool single, const char *text,
               size_t len, struct weir_node **out)
{
    char plain[40];
    double d;
    float f;

    if (single) {
        if (!weir_float_parse(text, len, &f) || isinf(f))
            return bad_number(p, tok, "FLOAT");
        return constant(p, at, &weir_type_float, plain, weir_float_print(f, plain), out);
    }
    if (!weir_double_parse(text, len, &d) || isinf(d))
        return bad_number(p, tok, "DOUBLE");
    return constant(p, at, &weir_type_double, plain, weir_double_print(d, plain), out);
}

/* suffix: L, S, Y or 0. */
static weir_rc
integer_constant(struct weir_parse *p, const struct weir_token *tok, uint32_t at, char suffix,
                 const char *text, size_t len, struct weir_node **out)
{
    const struct weir_type *type = &weir_type_int;
    char plain[32];
    int64_t v;

    if (!weir_parse_int(weir_slice(text, len), &v)) {
        if (suffix == 0)
            return decimal_constant(p, tok, at, text, len, out);
        return bad_number(p, tok, suffix == 'l' ? "BIGINT" : suffix == 's' ? "SMALLINT" : "TINYINT");
    }
    if (suffix == 'y' && (v < INT8_MIN || v > INT8_MAX))
        return bad_number(p, tok, "TINYINT");
    if (suffix == 's' && (v < INT16_MIN || v > INT16_MAX))
        return bad_number(p, tok, "SMALLINT");
    if (suffix == 'y')
        type = &weir_type_byte;
    else if (suffix == 's')
        type = &weir_type_short;
    else if (suffix == 'l' || v < INT32_MIN || v > INT32_MAX)
        type = &weir_type_long;
    return constant(p, at, type, plain, weir_long_print(v, plain), out);
}

/* The suffix of a number in lower case ('b' stands for BD), and the length without it. */
static char
number_suffix(struct weir_slice s, size_t *len)
{
    char last = (char)(s.ptr[s.len - 1] | 0x20);

    *len = s.len;
    if (last >= '0' && last <= '9')
        return 0;
    if (s.ptr[s.len - 1] == '.')
        return 0;
    *len -= 1;
    if (last == 'd' && *len > 0 && (s.ptr[*len - 1] | 0x20) == 'b') {
        *len -= 1;
        return 'b';
    }
    return last;
}

/* The number in hand; its "-" is taken already. */
weir_rc
weir_parse_number(struct weir_parse *p, bool negative, struct weir_node **out)
{
    struct weir_token tok = p->tok;
    uint32_t at = negative ? p->prev.at : tok.at;
    size_t i, len;
    char suffix;
    bool whole = true, exponent = false;

    if (tok.kind != WEIR_TOKEN_NUMBER)
        return weir_parse_expected(p, "a number");
    suffix = number_suffix(tok.text, &len);
    weir_buf_reset(&p->word);
    if (negative)
        weir_buf_byte(&p->word, '-');
    for (i = 0; i < len; i++) {
        char c = tok.text.ptr[i];

        whole = whole && c >= '0' && c <= '9';
        exponent = exponent || (c | 0x20) == 'e';
        weir_buf_byte(&p->word, c == 'E' ? 'e' : c);
    }
    WEIR_TRY(weir_buf_check(&p->word, p->err));
    weir_parse_next(p);
    if (suffix == 'b')
        return decimal_constant(p, &tok, at, p->word.data, p->word.len, out);
    if (suffix == 'd' || suffix == 'f' || exponent)
        return float_constant(p, &tok, at, suffix == 'f', p->word.data, p->word.len, out);
    if (!whole)
        return decimal_constant(p, &tok, at, p->word.data, p->word.len, out);
    return integer_constant(p, &tok, at, suffix, p->word.data, p->word.len, out);
}

/* ---- strings, dates, times ---- */

/* One string or more, joined. */
weir_rc
weir_parse_strings(struct weir_parse *p, struct weir_node **out)
{
    struct weir_buf all;
    uint32_t at = p->tok.at, len;
    const char *text;
    weir_rc rc;

    WEIR_TRY(weir_parse_token_text(p, &p->tok, &text, &len));
    weir_parse_next(p);
    if (p->tok.kind != WEIR_TOKEN_STRING)
        return weir_parse_string_node(p, text, len, at, out);
    weir_buf_init(&all, WEIR_SPEC_MAX, weir_mem_quota(p->mem));
    weir_buf_add(&all, text, len);
    for (; p->tok.kind == WEIR_TOKEN_STRING; weir_parse_next(p)) {
        WEIR_GO(weir_parse_token_text(p, &p->tok, &text, &len));
        weir_buf_add(&all, text, len);
    }
    WEIR_GO(weir_buf_check(&all, p->err));
    rc = constant(p, at, &weir_type_string, all.len == 0 ? "" : all.data, all.len, out);
out:
    weir_buf_fini(&all);
    return rc;
}

static weir_rc
bad_constant(struct weir_parse *p, const char *type, const struct weir_node *value)
{
    uint32_t n = value->text_len > 60 ? 60 : value->text_len;

    while (n > 0 && n < value->text_len && ((unsigned char)value->text[n] & 0xc0) == 0x80)
        n--;
    weir_fail(p->err, WEIR_USAGE, "'%.*s' is no %s", (int)n, value->text, type);
    return weir_parse_where(p, value->at);
}

static int
hex_digit(char c)
{
    char low = (char)(c | 0x20);

    return c >= '0' && c <= '9' ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

/* X'1F': an odd number of digits gets a zero in front. */
static weir_rc
binary_constant(struct weir_parse *p, struct weir_node *value)
{
    uint32_t i, n = (value->text_len + 1) / 2, odd = value->text_len % 2;
    char *bytes = weir_mem_zalloc(p->mem, n + 1);

    if (bytes == NULL)
        return weir_parse_nomem(p);
    for (i = 0; i < value->text_len; i++) {
        int digit = hex_digit(value->text[i]);

        if (digit < 0)
            return bad_constant(p, "binary value in hexadecimal digits", value);
        bytes[(i + odd) / 2] = (char)((unsigned char)bytes[(i + odd) / 2] << 4 | digit);
    }
    value->text = bytes;
    value->text_len = n;
    value->type = &weir_type_binary;
    return WEIR_OK;
}

/* 'today', 'now' and their like depend on when they are read. */
static bool
is_moving(const struct weir_node *value)
{
    static const char *const words[] = {"now", "today", "tomorrow", "yesterday"};
    struct weir_slice s = weir_slice_trim(weir_slice(value->text, value->text_len));
    size_t i;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (weir_slice_is_nocase(s, words[i]))
            return true;
    }
    return false;
}

static bool
is_epoch(const struct weir_node *value)
{
    return weir_slice_is_nocase(weir_slice_trim(weir_slice(value->text, value->text_len)), "epoch");
}

/* Reads the value as this type and prints it in its canonical form; false: it is none. */
static bool
canonical_time(const struct weir_type *type, const struct weir_node *value, char *t, size_t *len)
{
    int64_t us = 0;
    int32_t days = 0;
    bool epoch = is_epoch(value), local;

    if (type == &weir_type_date) {
        if (!epoch && !weir_date_cast(value->text, value->text_len, &days))
            return false;
        *len = weir_date_print(days, t);
        return true;
    }
    if (type == &weir_type_timestamp_ntz) { /* a zone is read and dropped */
        local = true;
        if (!epoch && !weir_timestamp_ntz_cast(value->text, value->text_len, &us))
            return false;
    } else {
        local = !epoch && weir_timestamp_ntz_parse(value->text, value->text_len, &us);
    }
    if (!local && !epoch && !weir_timestamp_parse(value->text, value->text_len, &weir_zone_utc, &us))
        return false;
    *len = weir_timestamp_print(us, -1, ' ', local ? "" : "Z", t);
    return true;
}

weir_rc
weir_parse_typed(struct weir_parse *p, struct weir_node **out)
{
    static const struct {
        const char *word;
        const struct weir_type *type;
    } types[] = {
        {"DATE", &weir_type_date},
        {"TIMESTAMP", &weir_type_timestamp},
        {"TIMESTAMP_LTZ", &weir_type_timestamp},
        {"TIMESTAMP_NTZ", &weir_type_timestamp_ntz},
    };
    struct weir_token word = p->tok;
    size_t i, len;
    char t[64];

    if (weir_parse_at_word(p, "TIME"))
        return weir_parse_refuse(p, p->tok.at, "the type TIME", NULL);
    weir_parse_next(p);
    WEIR_TRY(weir_parse_strings(p, out));
    if (weir_token_is_word(&word, "X"))
        return binary_constant(p, *out);
    for (i = 0; i + 1 < sizeof(types) / sizeof(types[0]) && !weir_token_is_word(&word, types[i].word); i++)
        ;
    if (is_moving(*out))
        return weir_parse_refuse(p, word.at, "a constant that moves with the clock",
                                 "write current_date() or current_timestamp()");
    if (!canonical_time(types[i].type, *out, t, &len))
        return bad_constant(p, types[i].word, *out);
    return constant(p, word.at, types[i].type, t, len, out);
}

/* ---- types ---- */

/* The end of the type that begins with the token in hand: a word, brackets behind it, COLLATE and a name. */
static uint32_t
skip_type(struct weir_parse *p)
{
    static const char *const nested[] = {"ARRAY", "MAP", "STRUCT", NULL};
    bool angles = weir_token_is_one_of(&p->tok, nested);
    uint32_t end = p->tok.end;
    int level = 0;

    weir_parse_next(p);
    if (angles && weir_parse_at(p, "<>")) { /* struct<> */
        end = p->tok.end;
        weir_parse_next(p);
    } else if (angles && weir_parse_at(p, "<")) {
        do {
            level += weir_parse_at(p, "<") ? 1 : 0;
            level -= weir_parse_at(p, ">") ? 1 : weir_parse_at(p, ">>") ? 2 : weir_parse_at(p, ">>>") ? 3 : 0;
            end = p->tok.end;
            weir_parse_next(p);
        } while (level > 0 && p->tok.kind != WEIR_TOKEN_END && p->tok.kind != WEIR_TOKEN_BAD);
    } else if (weir_parse_at(p, "(")) {
        while (!weir_parse_at(p, ")") && p->tok.kind != WEIR_TOKEN_END && p->tok.kind != WEIR_TOKEN_BAD)
            weir_parse_next(p);
        end = p->tok.end;
        weir_parse_next(p);
    }
    if (weir_parse_accept_word(p, "COLLATE")) {
        end = p->tok.end;
        weir_parse_next(p);
    }
    return end;
}

weir_rc
weir_parse_type(struct weir_parse *p, const struct weir_type **out)
{
    uint32_t start = p->tok.at, end;

    if (p->tok.kind != WEIR_TOKEN_WORD)
        return weir_parse_expected(p, "a type");
    end = skip_type(p);
    if (weir_type_parse_ddl(p->text + start, end - start, p->mem, out, p->err) == WEIR_OK)
        return WEIR_OK;
    return weir_parse_where(p, start);
}

/* ---- intervals ---- */

#define SECOND_US INT64_C(1000000)
#define DAY_US (86400 * SECOND_US)

static const struct interval_unit {
    const char *name, *field; /* field: the one of the type that it counts for */
    int64_t months, us;       /* one of them */
    int rank;                 /* of the field, YEAR first */
} interval_units[] = {
    {"YEAR", "YEAR", 12, 0, 0},
    {"MONTH", "MONTH", 1, 0, 1},
    {"WEEK", "DAY", 0, 7 * DAY_US, 2},
    {"DAY", "DAY", 0, DAY_US, 2},
    {"HOUR", "HOUR", 0, 3600 * SECOND_US, 3},
    {"MINUTE", "MINUTE", 0, 60 * SECOND_US, 4},
    {"SECOND", "SECOND", 0, SECOND_US, 5},
    {"MILLISECOND", "SECOND", 0, 1000, 5},
    {"MICROSECOND", "SECOND", 0, 1, 5},
    {"NANOSECOND", "SECOND", 0, 0, 5},
};

struct interval {
    int64_t months, us;
    const struct interval_unit *first, *last; /* by rank */
    bool failed;                              /* no number, or too large */
};

static const struct interval_unit *
interval_unit(struct weir_slice s, bool plural)
{
    char word[16];
    size_t i;

    for (i = 0; i < sizeof(interval_units) / sizeof(interval_units[0]); i++) {
        const struct interval_unit *unit = &interval_units[i];
        size_t n = strlen(unit->name);

        if (weir_slice_is_nocase(s, unit->name))
            return unit;
        memcpy(word, unit->name, n);
        memcpy(word + n, "S", 2);
        if (plural && weir_slice_is_nocase(s, word))
            return unit;
    }
    return NULL;
}

/* [+-] digits [. digits]: whole, and the fraction in nanoseconds of one. false: not that. */
static bool
interval_number(struct weir_slice s, bool *negative, int64_t *whole, int64_t *nanos)
{
    const char *c = s.ptr, *end = s.ptr + s.len;
    int digits = 0;

    *negative = c < end && *c == '-';
    c += c < end && (*c == '-' || *c == '+');
    for (*whole = 0; c < end && *c >= '0' && *c <= '9'; c++, digits++) {
        if (__builtin_mul_overflow(*whole, 10, whole) || __builtin_add_overflow(*whole, *c - '0', whole))
            return false;
    }
    *nanos = 0;
    if (c < end && *c == '.') {
        int64_t unit = 100000000;

        for (c++; c < end && *c >= '0' && *c <= '9' && unit > 0; c++, digits++, unit /= 10)
            *nanos += unit * (*c - '0');
    }
    return digits > 0 && c == end;
}

/* Adds value × unit. A fraction is for seconds only. */
static void
interval_add(struct interval *v, struct weir_slice value, bool minus, const struct interval_unit *unit)
{
    int64_t whole, nanos, months = 0, us = 0;
    bool negative;

    v->failed = v->failed || !interval_number(weir_slice_trim(value), &negative, &whole, &nanos) ||
                (memchr(value.ptr, '.', value.len) != NULL && (unit->us != SECOND_US));
    if (v->failed)
        return;
    if (unit->months == 0 && unit->us == 0) { /* nanoseconds: what is below a microsecond is cut */
        us = whole / 1000;
    } else {
        v->failed = __builtin_mul_overflow(whole, unit->months, &months) ||
                    __builtin_mul_overflow(whole, unit->us, &us) ||
                    __builtin_add_overflow(us, nanos / 1000, &us);
        if (v->failed)
            return;
    }
    if (negative != minus) {
        months = -months;
        us = -us;
    }
    v->failed = v->failed || __builtin_add_overflow(v->months, months, &v->months) ||
                __builtin_add_overflow(v->us, us, &v->us) || v->months > INT32_MAX || v->months < INT32_MIN;
    if (v->first == NULL || unit->rank < v->first->rank)
        v->first = unit;
    if (v->last == NULL || unit->rank > v->last->rank)
        v->last = unit;
}

static weir_rc
bad_interval(struct weir_parse *p, uint32_t at, const char *why)
{
    weir_fail(p->err, WEIR_USAGE, "%s", why);
    return weir_parse_where(p, at);
}

static weir_rc
interval_node(struct weir_parse *p, uint32_t at, const struct interval *v, struct weir_node **out)
{
    char plain[32];
    const char **fields;
    size_t n;

    if (v->failed)
        return bad_interval(p, at,
                            "this interval has no number in front of its unit, a fraction that is not of "
                            "seconds, or is too large");
    if (v->first->months > 0 && v->last->months == 0)
        return bad_interval(p, at,
                            "an interval is of years and months, or of days and shorter units, not of both");
    n = weir_long_print(v->first->months > 0 ? v->months : v->us, plain);
    WEIR_TRY(constant(p, at, &weir_type_string, plain, n, out));
    (*out)->kind = WEIR_NODE_INTERVAL;
    (*out)->type = NULL;
    fields = weir_mem_alloc(p->mem, 2 * sizeof(*fields));
    if (fields == NULL)
        return weir_parse_nomem(p);
    fields[0] = v->first->field;
    fields[1] = v->last->field;
    (*out)->names = fields;
    (*out)->nnames = 2;
    return WEIR_OK;
}

/* '1 day 2 hours': pairs of numbers and units in one string. */
static weir_rc
interval_of_text(struct weir_parse *p, uint32_t at, const struct weir_node *text, struct weir_node **out)
{
    struct interval v = {0};
    const char *c = text->text, *end = c + text->text_len;
    struct weir_slice word, number = {0};
    const struct interval_unit *unit;

    for (;;) {
        while (c < end && (unsigned char)*c <= ' ')
            c++;
        if (c == end)
            break;
        word = weir_slice(c, 0);
        if (*c == '-' || *c == '+') { /* blanks may follow the sign */
            for (word.len = 1; c + word.len < end && c[word.len] == ' '; word.len++)
                ;
        }
        while (c + word.len < end && (unsigned char)c[word.len] > ' ')
            word.len++;
        c += word.len;
        unit = interval_unit(word, true);
        if (unit == NULL && number.ptr == NULL && v.first == NULL && weir_slice_is_nocase(word, "INTERVAL"))
            continue;
        if ((unit == NULL) != (number.ptr == NULL))
            return bad_interval(p, at, "an interval is written as numbers and units: '1 day 2 hours'");
        if (unit == NULL) {
            number = word;
        } else {
            bool minus = number.ptr[0] == '-';

            number.ptr += minus || number.ptr[0] == '+';
            number.len = (size_t)(word.ptr - number.ptr);
            interval_add(&v, number, minus, unit);
            number = (struct weir_slice){0};
        }
    }
    if (v.first == NULL || number.ptr != NULL)
        return bad_interval(p, at, "an interval is written as numbers and units: '1 day 2 hours'");
    return interval_node(p, at, &v, out);
}

/* The parts of 'd h:m:s' or 'y-m', from one unit to the other, as they follow each other in the table. Behind
 * the first one each has its natural limit. */
static bool
interval_parts(struct interval *v, struct weir_slice s, bool minus, const struct interval_unit *from,
               const struct interval_unit *to)
{
    const struct interval_unit *unit = from;

    s = weir_slice_trim(s);
    if (s.len > 0 && (*s.ptr == '-' || *s.ptr == '+')) {
        minus = minus != (*s.ptr == '-');
        s = weir_slice(s.ptr + 1, s.len - 1);
    }
    for (; unit <= to; unit++) {
        char mark = unit->rank == 0 ? '-' : unit->rank == 2 ? ' ' : ':';
        const char *end = unit == to ? s.ptr + s.len : memchr(s.ptr, mark, s.len);
        int64_t whole, nanos, most = unit->rank == 1 ? 11 : unit->rank == 3 ? 23 : 59;
        struct weir_slice part = weir_slice(s.ptr, end == NULL ? 0 : (size_t)(end - s.ptr));
        bool negative;

        if (!interval_number(part, &negative, &whole, &nanos) || part.ptr[0] < '0' || part.ptr[0] > '9' ||
            (unit != from && whole > most))
            return false;
        interval_add(v, part, minus, unit);
        if (unit != to)
            s = weir_slice(end + 1, s.len - part.len - 1);
    }
    return !v->failed;
}

/* A unit that types have: WEEK and the parts of a second are others' multiples. */
static bool
is_field(const struct interval_unit *unit)
{
    return strcmp(unit->name, unit->field) == 0;
}

/* from TO to; TO is in hand. */
static weir_rc
interval_range(struct weir_parse *p, uint32_t at, struct weir_slice value, bool minus,
               const struct interval_unit *from, struct weir_node **out)
{
    const struct interval_unit *to;
    struct interval v = {0};

    weir_parse_next(p);
    to = p->tok.kind == WEIR_TOKEN_WORD ? interval_unit(p->tok.text, false) : NULL;
    if (to == NULL || to->rank <= from->rank || (from->months > 0) != (to->months > 0) || !is_field(from) ||
        !is_field(to))
        return weir_parse_expected(
            p, "YEAR TO MONTH, or two of DAY, HOUR, MINUTE, SECOND, the longer one first");
    weir_parse_next(p);
    if (!interval_parts(&v, value, minus, from, to))
        return bad_interval(p, at, "the text of this interval does not fit its units: 'y-m', 'd h:m:s.f'");
    v.first = from;
    v.last = to;
    return interval_node(p, at, &v, out);
}

/* [+-] number or string, then a unit. */
bool
weir_parse_at_interval(const struct weir_parse *p)
{
    struct weir_token value = weir_parse_peek(p, 1), unit = weir_parse_peek(p, 2);

    if (!weir_parse_at_word(p, "INTERVAL"))
        return false;
    if (value.kind == WEIR_TOKEN_STRING)
        return true;
    if (weir_token_is(&value, "-") || weir_token_is(&value, "+")) {
        value = unit;
        unit = weir_parse_peek(p, 3);
    }
    return (value.kind == WEIR_TOKEN_STRING || value.kind == WEIR_TOKEN_NUMBER) &&
           unit.kind == WEIR_TOKEN_WORD && interval_unit(unit.text, true) != NULL;
}

/* One value with its sign; quotes are gone. */
static weir_rc
interval_value(struct weir_parse *p, bool *minus, struct weir_slice *out)
{
    uint32_t len;

    *minus = weir_parse_at(p, "-");
    if (*minus || weir_parse_at(p, "+"))
        weir_parse_next(p);
    *out = p->tok.text;
    if (p->tok.kind == WEIR_TOKEN_STRING) {
        WEIR_TRY(weir_parse_token_text(p, &p->tok, &out->ptr, &len));
        out->len = len;
    } else if (p->tok.kind != WEIR_TOKEN_NUMBER) {
        return weir_parse_expected(p, "a number");
    }
    weir_parse_next(p);
    return WEIR_OK;
}

weir_rc
weir_parse_interval(struct weir_parse *p, struct weir_node **out)
{
    struct weir_token ahead = weir_parse_peek(p, 2);
    const struct interval_unit *unit;
    uint32_t at = p->tok.at;
    struct interval v = {0};
    struct weir_slice value;
    bool minus, more;

    weir_parse_next(p);
    if (p->tok.kind == WEIR_TOKEN_STRING &&
        (ahead.kind != WEIR_TOKEN_WORD || interval_unit(ahead.text, true) == NULL)) {
        WEIR_TRY(weir_parse_strings(p, out));
        return interval_of_text(p, at, *out, out);
    }
    do {
        struct weir_token signs;

        WEIR_TRY(interval_value(p, &minus, &value));
        unit = p->tok.kind == WEIR_TOKEN_WORD ? interval_unit(p->tok.text, true) : NULL;
        if (unit == NULL)
            return weir_parse_expected(p, "a unit, YEAR to MICROSECOND");
        weir_parse_next(p);
        if (v.first == NULL && weir_parse_at_word(p, "TO"))
            return interval_range(p, at, value, minus, unit, out);
        interval_add(&v, value, minus, unit);
        ahead = weir_parse_peek(p, 1);
        signs = weir_parse_peek(p, 2);
        more = p->tok.kind == WEIR_TOKEN_NUMBER || p->tok.kind == WEIR_TOKEN_STRING;
        if (more)
            more = ahead.kind == WEIR_TOKEN_WORD && interval_unit(ahead.text, true) != NULL;
        else if (weir_parse_at(p, "-") ||
                 weir_parse_at(p, "+")) /* "1 DAY -2 HOURS" is one interval, as in Spark */
            more = (ahead.kind == WEIR_TOKEN_NUMBER || ahead.kind == WEIR_TOKEN_STRING) &&
                   signs.kind == WEIR_TOKEN_WORD && interval_unit(signs.text, true) != NULL;
    } while (more && !v.failed);
    return interval_node(p, at, &v, out);
}
