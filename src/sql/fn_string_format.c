/* Numbers and values as text: format_string (printf) and format_number, as java.util.Formatter and
 * java.text.DecimalFormat have them for the United States.
 *
 * 1. Both print the shortest digits of a double. Formatter rounds them half up; DecimalFormat half to even,
 *    and where they are half, by the exact value. So '%.2f' of 1.005 is 1.01 and format_number(1.005, 2) is
 *    1.00.
 * 2. What a format cannot print stops the query: such a format is wrong for every row.
 * 3. Conversions of Formatter that are not here (%a, %h, %t) and patterns of DecimalFormat that have more
 *    than # 0 , . are refused by name. */
#include "sql/fn_text.h"
#include "sql/regex.h"
#include "sql/unicode_case.h"

enum { FORMAT_WIDTH_MAX = 1000000, DIGITS_MAX = 340 };

/* ---- Digits of a number */

struct digits { /* 0.d1d2d3… * 10^point */
    bool negative;
    int n, point;
    char at[1200]; /* a double has at most 767 digits that count, and 309 in front of the point */
};

/* From "-12.5" or "1.5E-7". */
static void
digits_read(struct digits *d, const char *t, size_t len)
{
    const char *p = t, *end = t + len;
    int point = -1, exponent = 0;
    bool minus;

    *d = (struct digits){.negative = len > 0 && *t == '-'};
    for (p += d->negative; p < end && *p != 'E' && *p != 'e'; p++) {
        if (*p == '.')
            point = d->n;
        else if (d->n < (int)sizeof(d->at))
            d->at[d->n++] = *p;
    }
    if (p < end) {
        p++;
        minus = p < end && *p == '-';
        for (p += minus || (p < end && *p == '+'); p < end; p++)
            exponent = exponent * 10 + (*p - '0');
        exponent = minus ? -exponent : exponent;
    }
    d->point = (point < 0 ? d->n : point) + exponent;
}

/* Keeps `keep` digits (may be negative: none, far off). even: half to even, else half up. */
static void
digits_round(struct digits *d, int keep, bool even)
{
    bool up;

    if (keep >= d->n)
        return;
    if (keep < 0) {
        d->n = 0;
        return;
    }
    up = d->at[keep] >= '5';
    if (up && even && d->at[keep] == '5') {
        bool more = false;

        for (int i = keep + 1; i < d->n; i++)
            more |= d->at[i] != '0';
        up = more || (keep > 0 && (d->at[keep - 1] - '0') % 2 == 1);
    }
    d->n = keep;
    for (int i = keep - 1; up && i >= 0; i--) {
        up = d->at[i] == '9';
        d->at[i] = up ? '0' : (char)(d->at[i] + 1);
    }
    if (up) {
        memmove(d->at + 1, d->at, (size_t)d->n);
        d->at[0] = '1';
        d->n++;
        d->point++;
    }
}

/* At least int_min digits in front of the point and frac_min behind it, at most frac_max; group: digits
 * between commas, 0: none. */
static void
digits_print(const struct digits *d, int int_min, int frac_min, int frac_max, int group, struct weir_buf *buf)
{
    int whole = d->point > int_min ? d->point : int_min, last;

    for (int i = 0; i < whole; i++) { /* the digit that stands for 10^(whole - 1 - i) */
        int at = d->point - whole + i;

        if (i > 0 && group > 0 && (whole - i) % group == 0)
            weir_buf_byte(buf, ',');
        weir_buf_byte(buf, at >= 0 && at < d->n ? d->at[at] : '0');
    }
    for (last = frac_max; last > frac_min; last--) {
        int at = d->point + last - 1;

        if (at >= 0 && at < d->n && d->at[at] != '0')
            break;
    }
    if (last > 0)
        weir_buf_byte(buf, '.');
    for (int i = 0; i < last; i++) {
        int at = d->point + i;

        weir_buf_byte(buf, at >= 0 && at < d->n ? d->at[at] : '0');
    }
}

/* Zeros in front are no digits. */
static void
digits_trim(struct digits *d)
{
    int zeros = 0;

    while (zeros < d->n && d->at[zeros] == '0')
        zeros++;
    memmove(d->at, d->at + zeros, (size_t)(d->n - zeros));
    d->n -= zeros;
    d->point = d->n == 0 ? 0 : d->point - zeros;
}

/* ---- format_number */

struct number_pattern {
    int int_min, frac_min, frac_max, group;
    bool point; /* stands there without a fraction, too */
};

/* #,##0.00# of DecimalFormat. */
static weir_rc
pattern_read(struct weir_slice s, struct number_pattern *out, struct weir_error *err)
{
    int left = 0, zeros = 0, right = 0, point = -1, group = -1;

    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];

        if (c == '#' && zeros == 0)
            left++;
        else if (c == '#')
            right++;
        else if (c == '0' && right == 0)
            zeros++;
        else if (c == ',' && point < 0)
            group = 0;
        else if (c == '.' && point < 0)
            point = left + zeros + right;
        else
            return weir_fail(err, strchr("#0,.", c) != NULL && c != '\0' ? WEIR_USAGE : WEIR_UNSUPPORTED,
                             "format_number: the pattern '%.*s': weir reads # and 0, with a point and commas",
                             WEIR_SHOW(s));
        if (c != ',' && c != '.' && point < 0 && group >= 0)
            group++;
    }
    if (zeros == 0 && left > 0 && point >= 0) { /* "#.##": the digit in front of the point is a 0 */
        int n = point == 0 ? 1 : point;

        right = left - n;
        left = n - 1;
        zeros = 1;
    }
    if (left + zeros + right == 0 || group == 0 || (point < 0 && right > 0) ||
        (point >= 0 && (point < left || point > left + zeros)))
        return weir_fail(err, WEIR_USAGE, "format_number: the pattern '%.*s' is malformed", WEIR_SHOW(s));
    out->point = point == 0 || point == left + zeros + right;
    point = point >= 0 ? point : left + zeros + right;
    *out = (struct number_pattern){.point = out->point,
                                   .int_min = point - left,
                                   .frac_min = left + zeros - point,
                                   .frac_max = left + zeros + right - point,
                                   .group = group < 0 ? 0 : group};
    out->frac_min = out->frac_min < 0 ? 0 : out->frac_min;
    return WEIR_OK;
}

/* The digits of argument i; *special: NaN or an infinity instead. */
static void
argument_digits(const struct fn_row *r, uint32_t i, struct digits *d, const char **special)
{
    const struct weir_col *col = &r->args[i];
    char text[64];
    size_t n;
    double v;

    *special = NULL;
    switch (col->type->kind) {
    case WEIR_BYTE:
        n = weir_long_print(weir_arg(col, int8_t, r->row), text);
        break;
    case WEIR_SHORT:
        n = weir_long_print(weir_arg(col, int16_t, r->row), text);
        break;
    case WEIR_INT:
        n = weir_long_print(weir_arg(col, int32_t, r->row), text);
        break;
    case WEIR_LONG:
        n = weir_long_print(weir_arg(col, int64_t, r->row), text);
        break;
    case WEIR_DECIMAL:
        n = weir_decimal_print(weir_decimal_get(col, weir_arg_row(col, r->row)), col->type->scale, text);
        break;
    default:
        v = col->type->kind == WEIR_FLOAT ? (double)weir_arg(col, float, r->row)
                                          : weir_arg(col, double, r->row);
        if (v != v || v - v != 0) {
            *special = v != v ? "NaN" : v < 0 ? "-\xe2\x88\x9e" : "\xe2\x88\x9e";
            return;
        }
        n = weir_double_print(v, text);
    }
    digits_read(d, text, n);
    digits_trim(d);
}

/* Half to even. Where a double's shortest digits are half, what is behind them decides. */
static void
argument_round(const struct fn_row *r, struct digits *d, int keep)
{
    const struct weir_col *col = &r->args[0];
    bool binary = col->type->kind == WEIR_DOUBLE || col->type->kind == WEIR_FLOAT;
    char text[1200];
    double v;

    if (binary && keep >= 0 && keep == d->n - 1 && d->at[keep] == '5') {
        v = col->type->kind == WEIR_FLOAT ? (double)weir_arg(col, float, r->row)
                                          : weir_arg(col, double, r->row);
        digits_read(d, text, (size_t)snprintf(text, sizeof(text), "%.767e", v));
    }
    digits_round(d, keep, true);
}

static weir_rc
number_put(const struct fn_row *r, const struct number_pattern *pattern)
{
    struct weir_buf buf = WEIR_BUF(WEIR_SMALL_MAX);
    const char *special;
    struct digits d;
    size_t start;
    weir_rc rc;

    argument_digits(r, 0, &d, &special);
    if (special != NULL)
        return row_put(r, special, strlen(special));
    argument_round(r, &d, d.point + pattern->frac_max);
    if (d.negative)
        weir_buf_byte(&buf, '-');
    start = buf.len;
    digits_print(&d, pattern->int_min, pattern->frac_min, pattern->frac_max, pattern->group, &buf);
    if (buf.len == start)
        weir_buf_byte(&buf, '0');
    if (pattern->point && memchr(buf.data, '.', buf.len) == NULL)
        weir_buf_byte(&buf, '.');
    rc = weir_buf_check(&buf, r->err);
    if (rc == WEIR_OK)
        rc = row_put(r, buf.len == 0 ? "" : buf.data, buf.len);
    weir_buf_fini(&buf);
    return rc;
}

static weir_rc
format_number_row(const struct fn_row *r)
{
    struct number_pattern pattern = {.int_min = 1, .group = 3};
    struct weir_slice text;

    if (r->args[1].type->kind == WEIR_INT) {
        if (row_int(r, 1) < 0)
            return row_put_null(r);
        pattern.frac_min = pattern.frac_max = row_int(r, 1) < DIGITS_MAX ? row_int(r, 1) : DIGITS_MAX;
        return number_put(r, &pattern);
    }
    text = row_str(r, 1);
    if (text.len == 0)
        pattern.frac_max = 0;
    else
        WEIR_TRY(pattern_read(text, &pattern, r->err));
    return number_put(r, &pattern);
}
WEIR_KERNEL(format_number)

/* ---- format_string */

struct format_item { /* %[index$][flags][width][.precision]conversion */
    bool left, alternate, plus, space, zero, group, parentheses, previous;
    int index, width, precision; /* index from 1; 0: the next argument. -1: not said */
    char conversion;
    bool upper;
};

static weir_rc
format_bad(const struct fn_row *r, const char *why)
{
    return weir_fail(r->err, WEIR_USAGE, "%s: the format '%.*s': %s", "format_string",
                     WEIR_SHOW(row_str(r, 0)), why);
}

static const char *
number_read(const char *p, const char *end, int *out)
{
    for (*out = 0; p < end && *p >= '0' && *p <= '9'; p++)
        *out = *out > FORMAT_WIDTH_MAX ? *out : *out * 10 + (*p - '0');
    return p;
}

static bool *
item_flag(struct format_item *item, char c)
{
    switch (c) {
    case '-':
        return &item->left;
    case '#':
        return &item->alternate;
    case '+':
        return &item->plus;
    case ' ':
        return &item->space;
    case '0':
        return &item->zero;
    case ',':
        return &item->group;
    case '(':
        return &item->parentheses;
    case '<':
        return &item->previous;
    default:
        return NULL;
    }
}

/* Behind the percent sign; *p moves behind the conversion. */
static weir_rc
item_read(const struct fn_row *r, const char **p_, const char *end, struct format_item *item)
{
    const char *p = *p_, *q;
    bool *flag;
    int n;

    *item = (struct format_item){.width = -1, .precision = -1};
    q = number_read(p, end, &n);
    if (q > p && *p != '0' && q < end && *q == '$') {
        item->index = n;
        p = q + 1;
    }
    for (; p < end && (flag = item_flag(item, *p)) != NULL; p++) {
        if (*flag)
            return format_bad(r, "a flag stands twice");
        *flag = true;
    }
    q = number_read(p, end, &n);
    if (q > p)
        item->width = n;
    p = q;
    if (p < end && *p == '.') {
        q = number_read(p + 1, end, &item->precision);
        if (q == p + 1)
            return format_bad(r, "a point without a precision");
        p = q;
    }
    if (p == end)
        return format_bad(r, "a conversion is missing at its end");
    item->upper = *p >= 'A' && *p <= 'Z';
    item->conversion = item->upper ? (char)(*p | 0x20) : *p;
    *p_ = p + 1;
    if (item->width > FORMAT_WIDTH_MAX || item->precision > FORMAT_WIDTH_MAX)
        return format_bad(r, "a width or precision over 1000000");
    if (((item->left || item->zero) && item->width < 0) || (item->left && item->zero) ||
        (item->plus && item->space))
        return format_bad(r, "flags that do not go together, or need a width");
    return WEIR_OK;
}

/* text, padded to the width, which counts Java's units; in capitals for %S and its like. */
static weir_rc
item_pad(const struct fn_row *r, const struct format_item *item, const char *text, size_t n,
         struct weir_buf *out)
{
    size_t units = weir_utf16_count(text, n),
           pad = item->width > (int64_t)units ? (size_t)item->width - units : 0;

    for (size_t i = 0; i < pad && !item->left; i++)
        weir_buf_byte(out, ' ');
    if (item->upper) {
        char *to = weir_buf_room(out, n * WEIR_CASE_GROWTH + 1);

        if (to != NULL)
            weir_buf_used(out, weir_case_upper(text, n, to));
    } else {
        weir_buf_add(out, text, n);
    }
    for (size_t i = 0; i < pad && item->left; i++)
        weir_buf_byte(out, ' ');
    return weir_buf_check(out, r->err);
}

/* A whole number's value; false: the argument is none. *bits: of its type. */
static bool
argument_long(const struct fn_row *r, uint32_t i, int64_t *v, unsigned *bits)
{
    const struct weir_col *col = &r->args[i];

    switch (col->type->kind) {
    case WEIR_BYTE:
        *v = weir_arg(col, int8_t, r->row);
        *bits = 8;
        return true;
    case WEIR_SHORT:
        *v = weir_arg(col, int16_t, r->row);
        *bits = 16;
        return true;
    case WEIR_INT:
    case WEIR_DATE:
        *v = weir_arg(col, int32_t, r->row);
        *bits = 32;
        return true;
    case WEIR_LONG:
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_NTZ:
        *v = weir_arg(col, int64_t, r->row);
        *bits = 64;
        return true;
    default:
        return false;
    }
}

/* Sign, digits (and point), and zeros up to the width. */
static weir_rc
item_number_put(const struct fn_row *r, const struct format_item *item, bool negative, const char *text,
                size_t n, struct weir_buf *out)
{
    const char *sign = negative ? (item->parentheses ? "(" : "-") : item->plus ? "+" : item->space ? " " : "";
    size_t around = strlen(sign) + (negative && item->parentheses);
    struct weir_buf buf = WEIR_BUF(4 * WEIR_MIB);
    weir_rc rc;

    weir_buf_str(&buf, sign);
    for (size_t i = n + around; item->zero && (int64_t)i < item->width; i++)
        weir_buf_byte(&buf, '0');
    weir_buf_add(&buf, text, n);
    if (negative && item->parentheses)
        weir_buf_byte(&buf, ')');
    rc = weir_buf_check(&buf, r->err);
    if (rc == WEIR_OK)
        rc = item_pad(r, item, buf.len == 0 ? "" : buf.data, buf.len, out);
    weir_buf_fini(&buf);
    return rc;
}

static weir_rc
item_decimal(const struct fn_row *r, const struct format_item *item, uint32_t arg, struct weir_buf *out)
{
    struct weir_buf buf = WEIR_BUF(256);
    struct digits d;
    char text[24];
    unsigned bits;
    int64_t v;

    if (!argument_long(r, arg, &v, &bits))
        return format_bad(r, "%d takes whole numbers");
    if (item->precision >= 0 || item->alternate)
        return format_bad(r, "%d has no precision and no #");
    digits_read(&d, text, weir_long_print(v, text));
    digits_print(&d, 1, 0, 0, item->group ? 3 : 0, &buf);
    v = item_number_put(r, item, d.negative, buf.data, buf.len, out);
    weir_buf_fini(&buf);
    return (weir_rc)v;
}

static weir_rc
item_bits(const struct fn_row *r, const struct format_item *item, uint32_t arg, struct weir_buf *out)
{
    unsigned bits;
    char text[32];
    uint64_t u;
    int64_t v;
    int n;

    if (!argument_long(r, arg, &v, &bits))
        return format_bad(r, "%x and %o take whole numbers");
    if (item->precision >= 0 || item->plus || item->space || item->group || item->parentheses)
        return format_bad(r, "%x and %o have no precision, sign or commas");
    u = bits == 64 ? (uint64_t)v : (uint64_t)v & ((UINT64_C(1) << bits) - 1);
    n = snprintf(text, sizeof(text),
                 item->conversion == 'x' ? item->alternate ? "0x%llx" : "%llx"
                 : item->alternate       ? "0%llo"
                                         : "%llo",
                 (unsigned long long)u);
    return item_number_put(r, item, false, text, (size_t)n, out);
}

/* The digits as 1.234560e+01. */
static void
scientific_print(struct digits *d, int precision, struct weir_buf *buf)
{
    int exponent;

    digits_trim(d);
    digits_round(d, precision + 1, false);
    exponent = d->n == 0 ? 0 : d->point - 1;
    d->point = d->n == 0 ? 0 : 1;
    digits_print(d, 1, precision, precision, 0, buf);
    weir_buf_printf(buf, "e%c%02d", exponent < 0 ? '-' : '+', exponent < 0 ? -exponent : exponent);
}

/* %g: as %f where the exponent is from -4 on and below the precision, else as %e. */
static void
general_print(struct digits *d, int precision, int group, struct weir_buf *buf)
{
    int exponent;

    precision = precision == 0 ? 1 : precision;
    digits_round(d, precision, false);
    digits_trim(d);
    exponent = d->n == 0 ? 0 : d->point - 1;
    if (exponent >= -4 && exponent < precision)
        digits_print(d, 1, precision - 1 - exponent, precision - 1 - exponent, group, buf);
    else
        scientific_print(d, precision - 1, buf);
}

static weir_rc
item_float(const struct fn_row *r, const struct format_item *item, uint32_t arg, struct weir_buf *out)
{
    const struct weir_col *col = &r->args[arg];
    int precision = item->precision < 0 ? 6 : item->precision;
    struct weir_buf buf = WEIR_BUF(4 * WEIR_MIB);
    struct format_item plain = *item;
    struct digits d;
    char text[32];
    double v;
    weir_rc rc;

    if (col->type->kind != WEIR_DOUBLE && col->type->kind != WEIR_FLOAT)
        return format_bad(r, "%f, %e and %g take floats and doubles");
    if ((item->conversion == 'e' && item->group) || (item->conversion == 'g' && item->alternate))
        return format_bad(r, "%e has no commas, and %g no '#'");
    v = col->type->kind == WEIR_FLOAT ? (double)weir_arg(col, float, r->row) : weir_arg(col, double, r->row);
    if (v != v || v - v != 0) {
        plain.zero = false;
        return item_number_put(r, &plain, v < 0, v != v ? "NaN" : "Infinity", v != v ? 3 : 8, out);
    }
    digits_read(&d, text, weir_double_print(v, text));
    digits_trim(&d);
    if (item->conversion == 'e') {
        scientific_print(&d, precision, &buf);
    } else if (item->conversion == 'g') {
        general_print(&d, precision, item->group ? 3 : 0, &buf);
    } else {
        digits_round(&d, d.point + precision, false);
        digits_print(&d, 1, precision, precision, item->group ? 3 : 0, &buf);
    }
    if (precision == 0 && item->alternate && item->conversion == 'f')
        weir_buf_byte(&buf, '.');
    if (precision == 0 && item->alternate && item->conversion == 'e')
        rc = weir_fail(r->err, WEIR_UNSUPPORTED, "format_string: %%#.0e is not there");
    else
        rc = item_number_put(r, item, d.negative, buf.len == 0 ? "" : buf.data, buf.len, out);
    weir_buf_fini(&buf);
    return rc;
}

/* Java's toString of what Spark holds inside. */
static struct weir_slice
argument_text(const struct fn_row *r, uint32_t i, char text[64])
{
    const struct weir_col *col = &r->args[i];
    unsigned bits;
    int64_t v;

    if (col->type->kind == WEIR_STRING)
        return row_str(r, i);
    if (argument_long(r, i, &v, &bits))
        return weir_slice(text, weir_long_print(v, text));
    if (col->type->kind == WEIR_BOOLEAN)
        return weir_arg(col, uint8_t, r->row) ? weir_slice("true", 4) : weir_slice("false", 5);
    if (col->type->kind == WEIR_FLOAT)
        return weir_slice(text, weir_float_print(weir_arg(col, float, r->row), text));
    if (col->type->kind == WEIR_DOUBLE)
        return weir_slice(text, weir_double_print(weir_arg(col, double, r->row), text));
    return weir_slice(
        text, weir_decimal_print(weir_decimal_get(col, weir_arg_row(col, r->row)), col->type->scale, text));
}

/* The first `precision` of Java's units; half of a pair is a question mark, as in Java's UTF-8. */
static weir_rc
item_cut(const struct fn_row *r, const struct format_item *item, struct weir_slice s, struct weir_buf *out)
{
    struct weir_buf cut = WEIR_BUF(8 * WEIR_MIB);
    int units = 0;
    size_t i = 0;
    weir_rc rc;

    while (i < s.len && units < item->precision) {
        units += (unsigned char)s.ptr[i] >= 0xf0 ? 2 : 1;
        if (units > item->precision)
            break;
        i += utf8_width((unsigned char)s.ptr[i]);
    }
    weir_buf_add(&cut, s.ptr, i);
    if (units > item->precision)
        weir_buf_byte(&cut, '?');
    rc = weir_buf_check(&cut, r->err);
    if (rc == WEIR_OK)
        rc = item_pad(r, item, cut.len == 0 ? "" : cut.data, cut.len, out);
    weir_buf_fini(&cut);
    return rc;
}

static weir_rc
item_text(const struct fn_row *r, const struct format_item *item, struct weir_slice s, struct weir_buf *out)
{
    if (item->alternate || item->plus || item->space || item->zero || item->group || item->parentheses)
        return format_bad(r, "%s, %b and %c have no flag but '-'");
    if (item->precision >= 0 && weir_utf16_count(s.ptr, s.len) > (size_t)item->precision)
        return item_cut(r, item, s, out);
    return item_pad(r, item, s.ptr, s.len, out);
}

static weir_rc
item_char(const struct fn_row *r, const struct format_item *item, uint32_t arg, struct weir_buf *out)
{
    unsigned bits;
    char text[4];
    int64_t v;

    if (!argument_long(r, arg, &v, &bits) || bits == 64)
        return format_bad(r, "%c takes a code point, as a byte, short or int");
    if (v < 0 || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff) || item->precision >= 0)
        return format_bad(r, "%c of what is no code point, or with a precision");
    return item_text(r, item, weir_slice(text, weir_utf8_put((uint32_t)v, text)), out);
}

/* A null is "null" for every conversion but %b. */
static weir_rc
item_put(const struct fn_row *r, const struct format_item *item, uint32_t arg, struct weir_buf *out)
{
    bool null = row_is_null(r, arg) || r->args[arg].type->kind == WEIR_VOID;
    char text[64];

    if (strchr("bsdxofecg", item->conversion) == NULL ||
        (item->upper && strchr("dfo", item->conversion) != NULL))
        return weir_fail(r->err, strchr("ath", item->conversion) != NULL ? WEIR_UNSUPPORTED : WEIR_USAGE,
                         "format_string: the conversion %%%c is not there",
                         item->upper ? item->conversion & ~0x20 : item->conversion);
    if (item->conversion == 'b') {
        bool yes =
            !null && (r->args[arg].type->kind != WEIR_BOOLEAN || weir_arg(&r->args[arg], uint8_t, r->row));

        return item_text(r, item, yes ? weir_slice("true", 4) : weir_slice("false", 5), out);
    }
    if (null) {
        struct format_item plain = {
            .left = item->left, .width = item->width, .upper = item->upper, .precision = item->precision};

        return item_text(r, &plain, weir_slice("null", 4), out);
    }
    switch (item->conversion) {
    case 's':
        return item_text(r, item, argument_text(r, arg, text), out);
    case 'd':
        return item_decimal(r, item, arg, out);
    case 'x':
    case 'o':
        return item_bits(r, item, arg, out);
    case 'c':
        return item_char(r, item, arg, out);
    default:
        return item_float(r, item, arg, out);
    }
}

static weir_rc
format_put(const struct fn_row *r, struct weir_buf *out)
{
    struct weir_slice s = row_str(r, 0);
    const char *p = s.ptr, *end = s.ptr + s.len;
    int next = 1, last = 0;

    while (p < end) {
        const char *percent = memchr(p, '%', (size_t)(end - p));
        struct format_item item;

        weir_buf_add(out, p, (size_t)((percent == NULL ? end : percent) - p));
        if (percent == NULL)
            break;
        p = percent + 1;
        WEIR_TRY(item_read(r, &p, end, &item));
        if (item.conversion == 'n' || item.conversion == '%') {
            if (item.conversion == 'n' && item.width >= 0)
                return format_bad(r, "%n has no width");
            WEIR_TRY(item_pad(r, &item, item.conversion == 'n' ? "\n" : "%", 1, out));
            continue;
        }
        if (!item.previous || item.index > 0)
            last = item.index > 0 ? item.index : next++;
        if (last < 1 || (uint32_t)last >= r->call->nargs)
            return format_bad(r, "there is no argument for a conversion");
        WEIR_TRY(item_put(r, &item, (uint32_t)last, out));
    }
    return weir_buf_check(out, r->err);
}

static weir_rc
format_string_kernel(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
                     struct weir_error *err)
{
    struct fn_row r = {.call = call, .args = args, .out = out, .err = err};
    struct weir_buf buf;
    weir_rc rc = WEIR_OK;

    weir_buf_init(&buf, TEXT_MAX, weir_mem_quota(call->mem));
    for (; r.row < rows; r.row++) {
        if (row_is_null(&r, 0)) {
            weir_col_set_null(out, r.row);
            continue;
        }
        weir_buf_reset(&buf);
        WEIR_GO(format_put(&r, &buf));
        WEIR_GO(row_put(&r, buf.len == 0 ? "" : buf.data, buf.len));
    }
out:
    weir_buf_fini(&buf);
    return rc;
}

/* ---- The table */

static weir_rc format_resolve(struct weir_resolve *r, struct weir_error *err);
static weir_rc format_number_resolve(struct weir_resolve *r, struct weir_error *err);

#define FORMAT_DIFFERS "conversions %a, %h and %t are refused, and arguments that are nested or binary"
#define NUMBER_DIFFERS "patterns of # 0 , . only"

#define FUNCTIONS(F)                                                                                         \
    F(format_number, 2, 2, format_number_resolve, "s:..", format_number, SIGNATURE_MAY_FAIL, NUMBER_DIFFERS) \
    F(format_string, 1, 255, format_resolve, "s:s.*", format_string,                                         \
      SIGNATURE_SEES_NULLS | SIGNATURE_MAY_FAIL, FORMAT_DIFFERS)                                             \
    F(printf, 1, 255, format_resolve, "s:s.*", format_string, SIGNATURE_SEES_NULLS | SIGNATURE_MAY_FAIL,     \
      FORMAT_DIFFERS)

static const struct weir_signature format_signatures[] = {
#define ROW(name, min, max, resolve, types, kernel, flags, differs)                                          \
    {#name, types, kernel##_kernel, NULL, flags},
    FUNCTIONS(ROW)
#undef ROW
};

static weir_rc
signature_resolve(struct weir_resolve *r, struct weir_error *err)
{
    return weir_signature_resolve(r, format_signatures,
                                  sizeof(format_signatures) / sizeof(format_signatures[0]), err);
}

static weir_rc
format_resolve(struct weir_resolve *r, struct weir_error *err)
{
    for (uint32_t i = 1; i < r->node->nkids; i++) {
        weir_kind kind = r->node->kids[i]->type->kind;

        if (weir_kind_is_nested(kind) || kind == WEIR_BINARY)
            return weir_resolve_refuse(r, i, "a string, a number, a boolean or a date", err);
    }
    WEIR_TRY(signature_resolve(r, err));
    r->nullable = r->node->kids[0]->nullable;
    return WEIR_OK;
}

static weir_rc
format_number_resolve(struct weir_resolve *r, struct weir_error *err)
{
    weir_kind kind = r->node->kids[0]->type->kind;
    weir_kind by = r->node->kids[1]->type->kind;

    if (kind == WEIR_VOID)
        WEIR_TRY(weir_resolve_want(r, 0, &weir_type_double, err));
    else if (!(kind >= WEIR_BYTE && kind <= WEIR_DOUBLE) && kind != WEIR_DECIMAL)
        return weir_resolve_refuse(r, 0, "a number", err);
    WEIR_TRY(weir_resolve_want(r, 1, by == WEIR_STRING ? &weir_type_string : &weir_type_int, err));
    return signature_resolve(r, err);
}

const struct weir_function weir_functions_string_format[] = {
#define ROW(name, min, max, resolve, types, kernel, flags, differs)                                          \
    {#name, WEIR_FN_SCALAR, min, max, resolve, differs, NULL},
    FUNCTIONS(ROW)
#undef ROW
        {0},
};
