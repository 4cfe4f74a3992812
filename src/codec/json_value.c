/* Scalars of JSON into slots, by the type of the column, as Spark's JacksonParser converts them.
 *
 * 1. A slot is written only when the value fits. What does not fit is skipped and reported as a misfit; it
 *    never becomes another value: no overflow, no Infinity from 1e400, no days from a string of digits.
 * 2. Each type has a quick way for its usual form and one general way behind the tokens of json_token.c; the
 *    quick ways take nothing that the general way would read otherwise. */
#include <math.h>

#include "codec/json_decode_int.h"

#include "base/str.h"

enum { DOUBLE_DIGITS = 15, DOUBLE_POWER = 22, LONG_DIGITS = 18 };

static const double power_double[DOUBLE_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
static const int64_t power_long[LONG_DIGITS + 1] = {1,
                                                    10,
                                                    100,
                                                    1000,
                                                    10000,
                                                    100000,
                                                    1000000,
                                                    10000000,
                                                    100000000,
                                                    1000000000,
                                                    10000000000,
                                                    100000000000,
                                                    1000000000000,
                                                    10000000000000,
                                                    100000000000000,
                                                    1000000000000000,
                                                    10000000000000000,
                                                    100000000000000000,
                                                    1000000000000000000};

/* ---- Slots */

/* 16 bytes at p are readable. */
static inline void
slot_string(struct weir_col *col, uint32_t row, const char *p, size_t len)
{
    struct weir_str *slot = (struct weir_str *)col->data + row;
    uint64_t a;
    uint32_t b;

    slot->len = (uint32_t)len;
    if (len > WEIR_STR_INLINE) {
        memcpy(slot->head, p, sizeof(slot->head));
        slot->u.ptr = p;
        return;
    }
    memcpy(&a, p, sizeof(a));
    memcpy(&b, p + sizeof(a), sizeof(b));
    if (len < 8) {
        a &= (UINT64_C(1) << len * 8) - 1;
        b = 0;
    } else if (len < 12) {
        b &= (UINT32_C(1) << (len - 8) * 8) - 1;
    }
    memcpy(slot->head, &a, sizeof(slot->head));
    a = a >> 32 | (uint64_t)b << 32;
    memcpy(slot->u.tail, &a, sizeof(a));
}

/* false: v is beyond the type. */
static inline bool
slot_integer(struct weir_col *col, weir_kind kind, uint32_t row, int64_t v)
{
    switch (kind) {
    case WEIR_BYTE:
        if (v < INT8_MIN || v > INT8_MAX)
            return false;
        ((int8_t *)col->data)[row] = (int8_t)v;
        return true;
    case WEIR_SHORT:
        if (v < INT16_MIN || v > INT16_MAX)
            return false;
        ((int16_t *)col->data)[row] = (int16_t)v;
        return true;
    case WEIR_INT:
        if (v < INT32_MIN || v > INT32_MAX)
            return false;
        ((int32_t *)col->data)[row] = (int32_t)v;
        return true;
    default:
        ((int64_t *)col->data)[row] = v;
        return true;
    }
}

static inline bool
slot_stamp(struct weir_col *col, uint32_t row, int64_t us)
{
    ((int64_t *)col->data)[row] = us;
    return true;
}

static inline bool
slot_date(struct weir_col *col, uint32_t row, int32_t days)
{
    ((int32_t *)col->data)[row] = days;
    return true;
}

/* ---- Strings as other types */

bool
weir_json_plain(struct json_decoder *d, const struct json_string *s, struct weir_slice *out, bool *lone)
{
    size_t len;
    char *room;

    *lone = false;
    *out = weir_slice(s->at, s->len);
    if (!s->escaped)
        return true;
    weir_buf_reset(&d->scratch);
    room = weir_buf_room(&d->scratch, s->len + 1);
    if (room == NULL) {
        d->rc = weir_buf_check(&d->scratch, d->err);
        return false;
    }
    if (!weir_json_unescape(&d->walk.text, s, room, &len, lone))
        return false;
    *out = weir_slice(room, len);
    return true;
}

/* Jackson's MIME_NO_LINEFEEDS: groups of four, blanks between groups only, padding required. */
static int
base64_digit(char c)
{
    if ((unsigned char)((c | 0x20) - 'a') < 26)
        return c >= 'a' ? c - 'a' + 26 : c - 'A';
    return (unsigned char)(c - '0') < 10 ? c - '0' + 52 : c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Writes 0 to 3 bytes; false: bad. */
static bool
base64_group(const char *p, char *out, size_t *n)
{
    int a = base64_digit(p[0]), b = base64_digit(p[1]), c = base64_digit(p[2]), e = base64_digit(p[3]);

    if (a < 0 || b < 0 || (c < 0 && (p[2] != '=' || p[3] != '=')) || (e < 0 && p[3] != '='))
        return false;
    out[(*n)++] = (char)(a << 2 | b >> 4);
    if (c >= 0)
        out[(*n)++] = (char)(b << 4 | c >> 2);
    if (c >= 0 && e >= 0)
        out[(*n)++] = (char)(c << 6 | e);
    return true;
}

static bool
base64_decode(struct weir_slice s, char *out, size_t *n)
{
    size_t at = 0;

    *n = 0;
    for (;;) {
        while (at < s.len && (unsigned char)s.ptr[at] <= ' ')
            at++;
        if (at == s.len)
            return true;
        if (s.len - at < 4 || !base64_group(s.ptr + at, out, n))
            return false;
        at += 4;
    }
}

static bool
binary_set(struct json_decoder *d, struct weir_col *col, uint32_t row, struct weir_slice s)
{
    size_t n;
    char *out = weir_mem_alloc(d->page->mem, s.len / 4 * 3 + WEIR_STR_PAD);

    if (out == NULL) {
        d->rc = weir_mem_fail(d->page->mem, s.len, d->err);
        return false;
    }
    if (!base64_decode(s, out, &n))
        return false;
    memset(out + n, 0, WEIR_STR_PAD);
    slot_string(col, row, out, n);
    return true;
}

/* "1,234.5": Spark drops the commas of a quoted decimal. */
static bool
decimal_set(struct json_decoder *d, const struct weir_type *type, struct weir_col *col, uint32_t row,
            struct weir_slice s, bool commas)
{
    weir_i128 v;

    if (commas && s.len > 0 && memchr(s.ptr, ',', s.len) != NULL) {
        char plain[JSON_NUMBER_MAX];
        size_t n = 0;

        if (s.len > sizeof(plain))
            return false;
        for (size_t i = 0; i < s.len; i++)
            if (s.ptr[i] != ',')
                plain[n++] = s.ptr[i];
        return decimal_set(d, type, col, row, weir_slice(plain, n), false);
    }
    if (!weir_decimal_parse(s.ptr, s.len, type->precision, type->scale, &v))
        return false;
    weir_decimal_set(col, row, v);
    if (d->env.rescued >= 0 && !weir_decimal_exact(s.ptr, s.len, type->scale))
        d->fit = JSON_PARTIAL;
    return true;
}

static bool
date_set(const struct json_decoder *d, struct weir_col *col, uint32_t row, struct weir_slice s)
{
    int32_t days;

    if (d->opt->date != NULL)
        return weir_pattern_parse_date(d->opt->date, s.ptr, s.len, &days) && slot_date(col, row, days);
    /* Not weir_date_parse(): Spark takes other digits as days since 1970, and "20250102" becomes the year
     * 57412. */
    return weir_date_cast(s.ptr, s.len, &days) && slot_date(col, row, days);
}

/* "03:04" is today's time for Spark: a replay on another day would give another value. */
bool
weir_json_is_bare_time(struct weir_slice s)
{
    s = weir_slice_trim(s);
    return s.len > 0 && (s.ptr[0] == 'T' || (s.len > 1 && s.ptr[1] == ':') || (s.len > 2 && s.ptr[2] == ':'));
}

static bool
timestamp_set(const struct json_decoder *d, struct weir_col *col, uint32_t row, struct weir_slice s)
{
    const struct json_options *opt = d->opt;
    bool has_zone;
    int64_t us;

    if (opt->timestamp != NULL) {
        if (!weir_pattern_parse(opt->timestamp, s.ptr, s.len, &us, &has_zone))
            return false;
        return slot_stamp(col, row, has_zone ? us : weir_zone_to_utc(opt->zone, us));
    }
    return !weir_json_is_bare_time(s) && weir_timestamp_parse(s.ptr, s.len, opt->zone, &us) &&
           slot_stamp(col, row, us);
}

static bool
timestamp_ntz_set(const struct json_decoder *d, struct weir_col *col, uint32_t row, struct weir_slice s)
{
    bool has_zone;
    int64_t us;

    if (d->opt->ntz != NULL)
        return weir_pattern_parse(d->opt->ntz, s.ptr, s.len, &us, &has_zone) && !has_zone &&
               slot_stamp(col, row, us);
    return weir_timestamp_ntz_parse(s.ptr, s.len, &us) && slot_stamp(col, row, us);
}

static bool
double_set(weir_kind kind, struct weir_col *col, uint32_t row, double v)
{
    if (kind == WEIR_FLOAT)
        ((float *)col->data)[row] = (float)v;
    else
        ((double *)col->data)[row] = v;
    return true;
}

/* The words in quotes that Spark knows. */
static bool
double_word_set(const struct json_decoder *d, weir_kind kind, struct weir_col *col, uint32_t row,
                struct weir_slice s)
{
    double infinity = (double)INFINITY;

    if (!d->opt->non_numeric)
        return false;
    if (weir_slice_is(s, "NaN"))
        return double_set(kind, col, row, (double)NAN);
    if (weir_slice_is(s, "Infinity") || weir_slice_is(s, "+Infinity") || weir_slice_is(s, "+INF"))
        return double_set(kind, col, row, infinity);
    return (weir_slice_is(s, "-Infinity") || weir_slice_is(s, "-INF")) &&
           double_set(kind, col, row, -infinity);
}

/* A number's text; too large is no infinity. */
static bool
double_text_set(weir_kind kind, struct weir_col *col, uint32_t row, struct weir_slice s)
{
    double v;
    float f;

    if (kind == WEIR_FLOAT) {
        if (!weir_float_parse(s.ptr, s.len, &f) || isinf(f))
            return false;
        ((float *)col->data)[row] = f;
        return true;
    }
    return weir_double_parse(s.ptr, s.len, &v) && !isinf(v) && double_set(kind, col, row, v);
}

/* A string in a column that is none. */
static bool
string_as(struct json_decoder *d, const struct json_node *node, struct weir_col *col, uint32_t row,
          struct weir_slice s)
{
    switch (node->kind) {
    case WEIR_BINARY:
        return binary_set(d, col, row, s);
    case WEIR_DECIMAL:
        return decimal_set(d, node->type, col, row, s, true);
    case WEIR_DATE:
        return date_set(d, col, row, s);
    case WEIR_TIMESTAMP:
        return timestamp_set(d, col, row, s);
    case WEIR_TIMESTAMP_NTZ:
        return timestamp_ntz_set(d, col, row, s);
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
        return double_word_set(d, node->kind, col, row, s);
    default:
        return false;
    }
}

/* ---- Values of each token, whatever the type */

/* A STRING with escapes: its plain text goes into the page's memory. */
static const char *
escaped_string(struct json_decoder *d, struct weir_col *col, uint32_t row, const struct json_string *s,
               const char *p)
{
    char *out = weir_mem_alloc(d->page->mem, s->len + WEIR_STR_PAD);
    size_t n;
    bool lone;

    if (out == NULL) {
        d->rc = weir_mem_fail(d->page->mem, s->len, d->err);
        return NULL;
    }
    if (!weir_json_unescape(&d->walk.text, s, out, &n, &lone))
        return NULL;
    if (lone)
        return json_misfit(d, p); /* Spark makes a '?' of it */
    memset(out + n, 0, s->len + WEIR_STR_PAD - n);
    slot_string(col, row, out, n);
    return p;
}

static const char *
string_value(struct json_decoder *d, const struct json_node *node, struct weir_col *col, uint32_t row,
             const char *p)
{
    struct json_string s;
    struct weir_slice text;
    bool lone;

    p = weir_json_string(&d->walk.text, p, &s);
    if (p == NULL)
        return NULL;
    if (node->kind == WEIR_STRING) {
        if (s.escaped)
            return escaped_string(d, col, row, &s, p);
        slot_string(col, row, s.at, s.len);
        return p;
    }
    if (!weir_json_plain(d, &s, &text, &lone))
        return NULL;
    if (!lone && string_as(d, node, col, row, text))
        return p;
    return d->rc != WEIR_OK ? NULL : json_misfit(d, p);
}

static bool
integer_as(const struct json_node *node, struct weir_col *col, uint32_t row, struct weir_slice s)
{
    int64_t v;

    while (s.len > 1 && s.ptr[0] == '0') /* allowNumericLeadingZeros */
        s = weir_slice(s.ptr + 1, s.len - 1);
    if (!weir_parse_int(s, &v))
        return false;
    if (node->kind == WEIR_TIMESTAMP) /* seconds */
        return !__builtin_mul_overflow(v, INT64_C(1000000), &v) && slot_stamp(col, row, v);
    return slot_integer(col, node->kind, row, v);
}

/* An integer below 0: -0 is the integer 0, while -0.0 keeps its sign. */
static bool
integer_double_set(weir_kind kind, struct weir_col *col, uint32_t row, struct weir_slice s)
{
    size_t zeros = 1;

    while (zeros < s.len && s.ptr[zeros] == '0')
        zeros++;
    return zeros == s.len ? double_set(kind, col, row, 0) : double_text_set(kind, col, row, s);
}

/* An integer in the slot of a real is an id as often as not: one that the slot cannot hold to its last digit
 * is kept in the rescued column too. */
static void
integer_double_check(struct json_decoder *d, weir_kind kind, const struct weir_col *col, uint32_t row,
                     struct weir_slice s)
{
    enum { FLOAT_DIGITS = 7, INTEGER_DIGITS = 38 };
    double got;
    weir_i128 v;

    if (d->env.rescued < 0 || s.len <= (kind == WEIR_FLOAT ? FLOAT_DIGITS : DOUBLE_DIGITS))
        return;
    got = kind == WEIR_FLOAT ? (double)((const float *)col->data)[row] : ((const double *)col->data)[row];
    if (!weir_decimal_parse(s.ptr, s.len, INTEGER_DIGITS, 0, &v) || (weir_i128)got != v)
        d->fit = JSON_PARTIAL;
}

static bool
number_as(struct json_decoder *d, const struct json_node *node, struct weir_col *col, uint32_t row,
          const struct json_number *n)
{
    struct weir_slice s = weir_slice(n->at, n->len);

    switch (node->kind) {
    case WEIR_STRING:
        slot_string(col, row, s.ptr, s.len);
        return true;
    case WEIR_BYTE:
    case WEIR_SHORT:
    case WEIR_INT:
    case WEIR_LONG:
    case WEIR_TIMESTAMP:
        return n->kind == NUMBER_INTEGER && integer_as(node, col, row, s);
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
        if (n->kind >= NUMBER_NAN)
            return double_set(node->kind, col, row,
                              n->kind == NUMBER_NAN        ? (double)NAN
                              : n->kind == NUMBER_INFINITE ? (double)INFINITY
                                                           : -(double)INFINITY);
        if (!(n->kind == NUMBER_INTEGER && s.ptr[0] == '-' ? integer_double_set(node->kind, col, row, s)
                                                           : double_text_set(node->kind, col, row, s)))
            return false;
        if (n->kind == NUMBER_INTEGER)
            integer_double_check(d, node->kind, col, row, s);
        return true;
    case WEIR_DECIMAL:
        return n->kind < NUMBER_NAN && decimal_set(d, node->type, col, row, s, false);
    default:
        return false;
    }
}

static const char *
number_value(struct json_decoder *d, const struct json_node *node, struct weir_col *col, uint32_t row,
             const char *p)
{
    struct json_number n;

    p = weir_json_number(&d->walk.text, p, &n);
    if (p == NULL || number_as(d, node, col, row, &n))
        return p;
    return json_misfit(d, p);
}

static const char *
word_value(struct json_decoder *d, const struct json_node *node, struct weir_col *col, uint32_t row,
           const char *p)
{
    const char *text = p;
    char word;

    p = weir_json_word(&d->walk.text, p, &word);
    if (p == NULL)
        return NULL;
    if (word == 'n') {
        weir_col_set_null(col, row);
        return p;
    }
    if (node->kind == WEIR_BOOLEAN) {
        ((uint8_t *)col->data)[row] = word == 't';
        return p;
    }
    if (node->kind == WEIR_STRING) {
        slot_string(col, row, text, (size_t)(p - text));
        return p;
    }
    return json_misfit(d, p);
}

/* An object or array where a scalar is expected: a STRING keeps its text. */
static const char *
nested_value(struct json_decoder *d, const struct json_node *node, struct weir_col *col, uint32_t row,
             const char *p)
{
    const char *text = p;

    p = weir_json_skip(&d->walk.text, p);
    if (p == NULL)
        return NULL;
    if (node->kind != WEIR_STRING)
        return json_misfit(d, p);
    slot_string(col, row, text, (size_t)(p - text));
    return p;
}

const char *
weir_json_read_any(struct json_decoder *d, struct json_node *node, struct weir_col *col, uint32_t row,
                   const char *p)
{
    switch (*p) {
    case '{':
    case '[':
        return nested_value(d, node, col, row, p);
    case '"':
    case '\'':
        return string_value(d, node, col, row, p);
    case 't':
    case 'f':
    case 'n':
        return word_value(d, node, col, row, p);
    default:
        return number_value(d, node, col, row, p);
    }
}

/* ---- Quick ways: NULL when the general way must decide */

/* The digits at p, 8 at a time; *v is right for up to 18 of them. Returns the byte behind them. */
static inline const char *
quick_digits(const char *p, uint64_t *v)
{
    uint64_t sum = 0, x, marks;
    unsigned n;

    do {
        memcpy(&x, p, sizeof(x));
        x ^= UINT64_C(0x3030303030303030);
        marks =
            (x | (x + UINT64_C(0x7676767676767676))) & UINT64_C(0x8080808080808080); /* the first is right */
        n = marks == 0 ? 8 : (unsigned)__builtin_ctzll(marks) >> 3;
        if (n == 0)
            break;
        x <<= 64 - n * 8; /* zeros in front; the first digit is in the lowest byte */
        x = (x * 10 + (x >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
        x = (x * 100 + (x >> 16)) & UINT64_C(0x0000ffff0000ffff);
        x = (x * 10000 + (x >> 32)) & UINT64_C(0x00000000ffffffff);
        sum = sum * (uint64_t)power_long[n] + x;
        p += n;
    } while (n == 8);
    *v = sum;
    return p;
}

/* c continues a number that so far is an integer. What else may not follow one is found by who looks for a
 * comma. */
static inline bool
more_number(char c)
{
    return c == '.' || (c | 0x20) == 'e';
}

static inline const char *
quick_integer(const char *p, int64_t *out)
{
    bool minus = *p == '-';
    const char *from = p + minus, *q;
    uint64_t v;

    q = quick_digits(from, &v);
    if (more_number(*q) || q == from || q - from > LONG_DIGITS || (*from == '0' && q - from > 1))
        return NULL;
    *out = minus ? -(int64_t)v : (int64_t)v;
    return q;
}

/* Digits with or without a fraction: *out without the point, *scale its digits. */
static inline const char *
quick_number(const char *p, int64_t *out, unsigned *scale, unsigned *digits)
{
    bool minus = *p == '-';
    const char *from = p + minus, *q;
    uint64_t v, fraction;

    q = quick_digits(from, &v);
    if (q == from || (*from == '0' && q - from > 1))
        return NULL;
    *scale = 0;
    *digits = (unsigned)(q - from);
    if (*q == '.') {
        const char *end = quick_digits(q + 1, &fraction);

        *scale = (unsigned)(end - q) - 1;
        *digits += *scale;
        if (*scale == 0 || *digits > LONG_DIGITS)
            return NULL;
        v = v * (uint64_t)power_long[*scale] + fraction;
        q = end;
    }
    if (more_number(*q) || *digits > LONG_DIGITS)
        return NULL;
    *out = minus ? -(int64_t)v : (int64_t)v;
    return q;
}

static inline const char *
quick_decimal(const struct weir_type *type, struct weir_col *col, uint32_t row, const char *p)
{
    unsigned scale, digits;
    int64_t v;

    p = quick_number(p, &v, &scale, &digits);
    if (p == NULL || scale > type->scale || digits + (type->scale - scale) > LONG_DIGITS)
        return NULL;
    v *= power_long[type->scale - scale];
    if (type->precision < LONG_DIGITS &&
        (v >= power_long[type->precision] || v <= -power_long[type->precision]))
        return NULL;
    if (type->precision > 9 && type->precision <= 18)
        ((int64_t *)col->data)[row] = v;
    else
        weir_decimal_set(col, row, v);
    return p;
}

/* Exact: both the digits and the power of ten are doubles, and one division rounds once. */
static inline const char *
quick_double(struct weir_col *col, uint32_t row, const char *p)
{
    bool minus = *p == '-';
    unsigned scale, digits;
    int64_t v;

    p = quick_number(p, &v, &scale, &digits);
    if (p == NULL || digits > DOUBLE_DIGITS || (v == 0 && minus)) /* -0.0 */
        return NULL;
    ((double *)col->data)[row] = (double)v / power_double[scale];
    return p;
}

/* Eight characters of which those under `marks` must be as in `shape` and the others digits; the digits'
 * values. */
static inline bool
eight(const char *p, uint64_t shape, uint64_t marks, uint64_t *out)
{
    uint64_t x;

    memcpy(&x, p, 8);
    x ^= shape;
    *out = x;
    return (x & marks) == 0 && ((x | (x + UINT64_C(0x0606060606060606))) & UINT64_C(0xf0f0f0f0f0f0f0f0)) == 0;
}

static inline unsigned
pair(uint64_t x, unsigned byte)
{
    return (unsigned)(x >> byte * 8 & 15) * 10 + (unsigned)(x >> (byte + 1) * 8 & 15);
}

/* "YYYY-MM-DD" at p. */
static inline bool
quick_day(struct json_decoder *d, const char *p, int64_t *day)
{
    uint64_t x, text;
    uint16_t text2;
    unsigned month, dom, year;

    memcpy(&text, p, 8);
    memcpy(&text2, p + 8, 2);
    if (text == d->day_text && text2 == d->day_text2) {
        *day = d->day;
        return true;
    }
    if (!eight(p, UINT64_C(0x2d30302d30303030), UINT64_C(0xff0000ff00000000), &x) || !weir_is_digit(p[8]) ||
        !weir_is_digit(p[9]))
        return false;
    year = pair(x, 0) * 100 + pair(x, 2);
    month = pair(x, 5);
    dom = (unsigned)(p[8] - '0') * 10 + (unsigned)(p[9] - '0');
    if (!weir_civil_valid(year, month, dom))
        return false;
    *day = d->day = weir_days_from_civil(year, month, dom);
    d->day_text = text;
    d->day_text2 = text2;
    return true;
}

/* A fraction of one to six digits at the point, as micros. */
static inline const char *
quick_fraction(const char *p, int64_t *us)
{
    const char *from = ++p;
    int64_t v = 0;

    while (weir_is_digit(*p))
        v = v * 10 + (*p++ - '0');
    if (p == from || p - from > 6)
        return NULL;
    *us = v * power_long[6 - (p - from)];
    return p;
}

/* "YYYY-MM-DDThh:mm:ss[.f]Z" in its quotes; without the Z where local time is UTC. */
static inline const char *
quick_timestamp(struct json_decoder *d, struct weir_col *col, uint32_t row, const char *p)
{
    uint64_t x;
    int64_t day, us = 0;
    unsigned h, m, s;

    if (*p++ != '"' || !quick_day(d, p, &day) || (p[10] != 'T' && p[10] != ' ') ||
        !eight(p + 11, UINT64_C(0x30303a30303a3030), UINT64_C(0x0000ff0000ff0000), &x))
        return NULL;
    h = pair(x, 0);
    m = pair(x, 3);
    s = pair(x, 6);
    if (h > 23 || m > 59 || s > 59)
        return NULL;
    p += 19;
    if (*p == '.') {
        p = quick_fraction(p, &us);
        if (p == NULL)
            return NULL;
    }
    if (*p == 'Z')
        p++;
    else if (d->opt->zone != &weir_zone_utc)
        return NULL;
    if (*p != '"')
        return NULL;
    ((int64_t *)col->data)[row] = (((day * 24 + h) * 60 + m) * 60 + s) * 1000000 + us;
    return p + 1;
}

static inline const char *
quick_date(struct json_decoder *d, struct weir_col *col, uint32_t row, const char *p)
{
    int64_t day;

    if (p[0] != '"' || !quick_day(d, p + 1, &day) || p[11] != '"')
        return NULL;
    ((int32_t *)col->data)[row] = (int32_t)day;
    return p + 12;
}

static const char *
read_string(struct json_decoder *d, struct json_node *node, struct weir_col *col, uint32_t row, const char *p)
{
    bool high = false;
    const char *q;

    if (*p != '"')
        return weir_json_read_any(d, node, col, row, p);
    q = d->walk.text.scan->string(p + 1, '"', &high);
    if (__builtin_expect(*q != '"' || (high && !weir_utf8_valid(p + 1, (size_t)(q - p - 1))), 0))
        return weir_json_read_any(d, node, col, row, p);
    slot_string(col, row, p + 1, (size_t)(q - p - 1));
    return q + 1;
}

static const char *
read_integer(struct json_decoder *d, struct json_node *node, struct weir_col *col, uint32_t row,
             const char *p)
{
    int64_t v;
    const char *q = quick_integer(p, &v);

    if (q == NULL)
        return weir_json_read_any(d, node, col, row, p);
    return slot_integer(col, node->kind, row, v) ? q : json_misfit(d, q);
}

static const char *
read_long(struct json_decoder *d, struct json_node *node, struct weir_col *col, uint32_t row, const char *p)
{
    int64_t v;
    const char *q = quick_integer(p, &v);

    if (q == NULL)
        return weir_json_read_any(d, node, col, row, p);
    ((int64_t *)col->data)[row] = v;
    return q;
}

static const char *
read_decimal(struct json_decoder *d, struct json_node *node, struct weir_col *col, uint32_t row,
             const char *p)
{
    const char *q = quick_decimal(node->type, col, row, p);

    return q != NULL ? q : weir_json_read_any(d, node, col, row, p);
}

static const char *
read_double(struct json_decoder *d, struct json_node *node, struct weir_col *col, uint32_t row, const char *p)
{
    const char *q = quick_double(col, row, p);

    return q != NULL ? q : weir_json_read_any(d, node, col, row, p);
}

static const char *
read_timestamp(struct json_decoder *d, struct json_node *node, struct weir_col *col, uint32_t row,
               const char *p)
{
    const char *q = quick_timestamp(d, col, row, p);

    return q != NULL ? q : weir_json_read_any(d, node, col, row, p);
}

static const char *
read_date(struct json_decoder *d, struct json_node *node, struct weir_col *col, uint32_t row, const char *p)
{
    const char *q = quick_date(d, col, row, p);

    return q != NULL ? q : weir_json_read_any(d, node, col, row, p);
}

static const char *
read_boolean(struct json_decoder *d, struct json_node *node, struct weir_col *col, uint32_t row,
             const char *p)
{
    bool yes = memcmp(p, "true", 4) == 0;
    const char *q = p + (yes ? 4 : 5);

    if (!yes && memcmp(p, "false", 5) != 0)
        return weir_json_read_any(d, node, col, row, p);
    ((uint8_t *)col->data)[row] = yes;
    return q;
}

/* The quick ways read numbers of up to LONG_DIGITS digits, and times in Spark's default form. */
json_read *
weir_json_reader(weir_kind kind, const struct json_options *opt)
{
    bool numbers = opt->max_number >= LONG_DIGITS;

    switch (kind) {
    case WEIR_STRING:
        return read_string;
    case WEIR_BYTE:
    case WEIR_SHORT:
    case WEIR_INT:
        return numbers ? read_integer : weir_json_read_any;
    case WEIR_LONG:
        return numbers ? read_long : weir_json_read_any;
    case WEIR_DECIMAL:
        return numbers ? read_decimal : weir_json_read_any;
    case WEIR_DOUBLE:
        return numbers ? read_double : weir_json_read_any;
    case WEIR_TIMESTAMP:
        return opt->timestamp == NULL ? read_timestamp : weir_json_read_any;
    case WEIR_DATE:
        return opt->date == NULL ? read_date : weir_json_read_any;
    case WEIR_BOOLEAN:
        return read_boolean;
    default:
        return weir_json_read_any;
    }
}
