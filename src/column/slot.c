/* One slot of a page from and to text: partition values and CSV cells.
 *
 * Reading is Spark SQL's Cast from STRING with ANSI off, which is how Delta reads partitionValues: it forgives a
 * lot, and what it cannot forgive is null. Printing is Delta's "Partition Value Serialization".
 * 1. A failed parse leaves a null, never an unset slot.
 * 2. Only valid UTF-8 gets into a STRING column.
 * Threads: the page's owner. */
#include "column/text.h"

#include <math.h>

#include "column/text_int.h"

/* UTF8String.toLong: a fraction is cut off, after a look that it is one. "." is 0, as in Spark. */
static bool
slot_integer(const char *t, size_t n, int64_t least, int64_t most, int64_t *out)
{
    struct weir_slice s = text_trim(t, n);
    const char *p = s.ptr, *end = p + s.len;
    bool negative = false;
    int64_t v = 0;

    if (p < end && (*p == '-' || *p == '+'))
        negative = *p++ == '-';
    if (p == end)
        return false;
    for (; p < end && weir_is_digit(*p); p++) { /* downwards, as int64 reaches one further there */
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_sub_overflow(v, *p - '0', &v))
            return false;
    }
    if (p < end && *p++ != '.')
        return false;
    for (; p < end; p++) {
        if (!weir_is_digit(*p))
            return false;
    }
    if (!negative && v == INT64_MIN)
        return false;
    *out = negative ? v : -v;
    return *out >= least && *out <= most;
}

static bool
slot_bool(const char *t, size_t n, uint8_t *out)
{
    static const char *const words[2][5] = {{"false", "f", "no", "n", "0"}, {"true", "t", "yes", "y", "1"}};
    struct weir_slice s = text_trim(t, n);

    for (unsigned v = 0; v < 2; v++) {
        for (unsigned i = 0; i < 5; i++) {
            if (weir_slice_is_nocase(s, words[v][i])) {
                *out = (uint8_t)v;
                return true;
            }
        }
    }
    return false;
}

/* The words of Double.parseDouble and of Spark's Cast. */
static bool
slot_float_word(struct weir_slice s, double *out)
{
    static const char *const infinite[] = {"infinity", "inf"};
    bool negative = s.len > 0 && s.ptr[0] == '-';

    if (weir_slice_is_nocase(s, "nan")) {
        *out = (double)NAN;
        return true;
    }
    if (s.len > 0 && (s.ptr[0] == '-' || s.ptr[0] == '+'))
        s = weir_slice(s.ptr + 1, s.len - 1);
    if (weir_slice_is(s, "NaN")) { /* Java takes a sign before this spelling only */
        *out = (double)NAN;
        return true;
    }
    for (unsigned i = 0; i < 2; i++) {
        if (weir_slice_is_nocase(s, infinite[i])) {
            *out = negative ? -(double)INFINITY : (double)INFINITY;
            return true;
        }
    }
    return false;
}

/* A number, with Java's suffix of a literal ("1.5f") if it likes, or a word. Java's hexadecimal form is null here. */
static struct weir_slice
slot_float_text(const char *t, size_t n)
{
    struct weir_slice s = weir_slice_trim(weir_slice(t, n));

    if (s.len > 1 && memchr("fFdD", s.ptr[s.len - 1], 4) != NULL &&
        (weir_is_digit(s.ptr[s.len - 2]) || s.ptr[s.len - 2] == '.'))
        s.len--;
    return s;
}

static bool
slot_double(const char *t, size_t n, double *out)
{
    struct weir_slice s = slot_float_text(t, n);

    return weir_double_parse(s.ptr, s.len, out) || slot_float_word(s, out);
}

static bool
slot_float(const char *t, size_t n, float *out)
{
    struct weir_slice s = slot_float_text(t, n);
    double d;

    if (weir_float_parse(s.ptr, s.len, out))
        return true;
    if (!slot_float_word(s, &d))
        return false;
    *out = (float)d;
    return true;
}

static bool
slot_decimal(struct weir_col *col, uint32_t row, const char *t, size_t n)
{
    struct weir_slice s = weir_slice_trim(weir_slice(t, n));
    weir_i128 v;

    if (!weir_decimal_parse(s.ptr, s.len, col->type->precision, col->type->scale, &v))
        return false;
    weir_decimal_set(col, row, v);
    return true;
}

static bool
slot_text(struct weir_col *col, uint32_t row, const char *t, size_t n, struct weir_mem *mem)
{
    if (n > UINT32_MAX || (col->type->kind == WEIR_STRING && !weir_utf8_valid(t, n)))
        return false;
    return weir_str_copy(mem, t, (uint32_t)n, &((struct weir_str *)col->data)[row]);
}

static bool
slot_set(struct weir_col *col, uint32_t row, const char *t, size_t n, const struct weir_zone *zone,
         struct weir_mem *mem)
{
    int64_t v;

    switch (col->type->kind) {
    case WEIR_BOOLEAN:
        return slot_bool(t, n, &((uint8_t *)col->data)[row]);
    case WEIR_BYTE:
        if (!slot_integer(t, n, INT8_MIN, INT8_MAX, &v))
            return false;
        ((int8_t *)col->data)[row] = (int8_t)v;
        return true;
    case WEIR_SHORT:
        if (!slot_integer(t, n, INT16_MIN, INT16_MAX, &v))
            return false;
        ((int16_t *)col->data)[row] = (int16_t)v;
        return true;
    case WEIR_INT:
        if (!slot_integer(t, n, INT32_MIN, INT32_MAX, &v))
            return false;
        ((int32_t *)col->data)[row] = (int32_t)v;
        return true;
    case WEIR_LONG:
        return slot_integer(t, n, INT64_MIN, INT64_MAX, &((int64_t *)col->data)[row]);
    case WEIR_FLOAT:
        return slot_float(t, n, &((float *)col->data)[row]);
    case WEIR_DOUBLE:
        return slot_double(t, n, &((double *)col->data)[row]);
    case WEIR_DATE:
        return weir_date_cast(t, n, &((int32_t *)col->data)[row]);
    case WEIR_TIMESTAMP:
        return weir_timestamp_parse(t, n, zone, &((int64_t *)col->data)[row]);
    case WEIR_TIMESTAMP_NTZ:
        return weir_timestamp_ntz_cast(t, n, &((int64_t *)col->data)[row]);
    case WEIR_DECIMAL:
        return slot_decimal(col, row, t, n);
    case WEIR_STRING:
    case WEIR_BINARY:
        return slot_text(col, row, t, n, mem);
    default:
        return false;
    }
}

bool
weir_slot_parse(struct weir_col *col, uint32_t row, const char *t, size_t n, const struct weir_zone *zone,
                struct weir_mem *mem)
{
    if (n > 0 && slot_set(col, row, t, n, zone, mem)) {
        weir_col_set_valid(col, row);
        return true;
    }
    weir_col_set_null(col, row);
    return n == 0 || col->type->kind == WEIR_VOID;
}

void
weir_slot_print(const struct weir_col *col, uint32_t row, struct weir_buf *buf)
{
    const struct weir_str *s;
    char text[64];
    size_t n = 0;

    if (col->form == WEIR_CONST)
        row = 0;
    switch (col->type->kind) {
    case WEIR_BOOLEAN:
        weir_buf_str(buf, ((const uint8_t *)col->data)[row] ? "true" : "false");
        return;
    case WEIR_BYTE:
        n = weir_long_print(((const int8_t *)col->data)[row], text);
        break;
    case WEIR_SHORT:
        n = weir_long_print(((const int16_t *)col->data)[row], text);
        break;
    case WEIR_INT:
        n = weir_long_print(((const int32_t *)col->data)[row], text);
        break;
    case WEIR_LONG:
        n = weir_long_print(((const int64_t *)col->data)[row], text);
        break;
    case WEIR_FLOAT:
        n = weir_float_print(((const float *)col->data)[row], text);
        break;
    case WEIR_DOUBLE:
        n = weir_double_print(((const double *)col->data)[row], text);
        break;
    case WEIR_DATE:
        n = weir_date_print(((const int32_t *)col->data)[row], text);
        break;
    case WEIR_TIMESTAMP:
        n = weir_timestamp_print(((const int64_t *)col->data)[row], 6, 'T', "Z", text);
        break;
    case WEIR_TIMESTAMP_NTZ:
        n = weir_timestamp_print(((const int64_t *)col->data)[row], -1, ' ', "", text);
        break;
    case WEIR_DECIMAL:
        n = weir_decimal_print(weir_decimal_get(col, row), col->type->scale, text);
        break;
    case WEIR_STRING:
    case WEIR_BINARY:
        s = &((const struct weir_str *)col->data)[row];
        weir_buf_add(buf, weir_str_ptr(s), s->len);
        return;
    default: /* nested types have no such text; VOID is always null */
        return;
    }
    weir_buf_add(buf, text, n);
}
