/* CAST and TRY_CAST between all types, as Spark 4.0 does them, with ANSI on and off; and the functions
 * int(x), date(x) and their like.
 *
 * 1. A cast is a tree of steps with the shape of its types (struct cast), made once when the query is bound.
 *    A step turns one slot into another.
 * 2. A step that cannot says so (false). With ANSI off that slot is null; with it, or in TRY_CAST, the whole
 *    value is given up: an error of the row, or null.
 * 3. What DuckDB casts to the same value without ever failing is a template (cast_text); there are few of
 *    those.
 * 4. A binary that is no UTF-8 cannot become a string of weir's: that is an error of the row in every mode.
 *    */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sql/bind_int.h"
#include "sql/coerce.h"
#include "sql/value.h"
#include "sql/wide.h"

struct cast_run { /* one value on its way */
    struct weir_call *call;
    struct weir_error *err;
    weir_rc rc;       /* no memory, and the like */
    const char *code; /* why a step could not: Spark's error class */
    char text[160];
};

struct cast;
typedef bool cast_step(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
                       struct weir_col *to, uint32_t j);

struct cast {
    cast_step *step;
    const struct weir_type *from, *to;
    bool strict;             /* ANSI, or TRY_CAST */
    const struct cast *kids; /* of ARRAY: its element; of MAP: key and value; of STRUCT: its fields */
};

#define SECOND_US INT64_C(1000000)
#define DAY_US (86400 * SECOND_US)

/* ---- what steps share ---- */

#define IN(T) (((const T *)from->data)[i])
#define OUT(T) (((T *)to->data)[j])

static bool
cast_bad(struct cast_run *run, const char *code, const struct cast *c, const char *value, size_t n)
{
    struct weir_buf x = WEIR_BUF(4096), y = WEIR_BUF(4096);

    while (n > 60 || (n > 0 && n < 64 && n == 60 && ((unsigned char)value[n] & 0xc0) == 0x80))
        n = n > 60 ? 60 : n - 1;
    weir_type_print_simple(c->from, &x);
    weir_type_print_simple(c->to, &y);
    run->code = code;
    (void)snprintf(run->text, sizeof(run->text), "the value '%.*s' of type %.30s cannot be cast to %.30s",
                   (int)n, value, x.len > 0 ? x.data : "?", y.len > 0 ? y.data : "?");
    weir_buf_fini(&x);
    weir_buf_fini(&y);
    return false;
}

static weir_i128
whole_in(const struct weir_col *from, uint32_t i)
{
    switch (from->type->kind) {
    case WEIR_BOOLEAN:
        return IN(uint8_t) != 0;
    case WEIR_BYTE:
        return IN(int8_t);
    case WEIR_SHORT:
        return IN(int16_t);
    case WEIR_INT:
        return IN(int32_t);
    default:
        return IN(int64_t);
    }
}

static void
whole_out(struct weir_col *to, uint32_t j, int64_t v)
{
    switch (to->type->kind) {
    case WEIR_BYTE:
        OUT(int8_t) = (int8_t)v;
        break;
    case WEIR_SHORT:
        OUT(int16_t) = (int16_t)v;
        break;
    case WEIR_INT:
        OUT(int32_t) = (int32_t)v;
        break;
    default:
        OUT(int64_t) = v;
    }
}

static bool
whole_fits(weir_kind kind, weir_i128 v)
{
    static const int bits[] = {[WEIR_BYTE] = 7, [WEIR_SHORT] = 15, [WEIR_INT] = 31, [WEIR_LONG] = 63};
    weir_i128 limit = (weir_i128)1 << bits[kind];

    return v >= -limit && v < limit;
}

static bool
overflow(struct cast_run *run, const struct cast *c, const char *value, size_t n)
{
    return cast_bad(run, "CAST_OVERFLOW", c, value, n);
}

/* ---- to whole numbers ---- */

static bool
whole_from_whole(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
                 struct weir_col *to, uint32_t j)
{
    weir_i128 v = whole_in(from, i);
    char text[32];

    if (c->strict && !whole_fits(c->to->kind, v))
        return overflow(run, c, text, weir_long_print((int64_t)v, text));
    whole_out(to, j, (int64_t)v);
    return true;
}

/* The limits of a type as doubles, as Java's Long.MaxValue.toDouble. */
static bool
real_in_range(weir_kind kind, double v)
{
    static const double limits[][2] = {[WEIR_BYTE] = {-128, 127},
                                       [WEIR_SHORT] = {-32768, 32767},
                                       [WEIR_INT] = {-2147483648.0, 2147483647.0},
                                       [WEIR_LONG] = {-9223372036854775808.0, 9223372036854775808.0}};

    return floor(v) <= limits[kind][1] && ceil(v) >= limits[kind][0];
}

/* Java's (long) and (int) of a double: NaN is 0, what is too large the limit. */
static int64_t
java_whole(double v, bool is_long)
{
    double low = is_long ? -9223372036854775808.0 : -2147483648.0,
           high = is_long ? 9223372036854775807.0 : 2147483647.0;

    if (isnan(v))
        return 0;
    if (v >= high)
        return is_long ? INT64_MAX : INT32_MAX;
    return v <= low ? (is_long ? INT64_MIN : INT32_MIN) : (int64_t)v;
}

static double
real_in(const struct weir_col *from, uint32_t i)
{
    return from->type->kind == WEIR_FLOAT ? (double)IN(float) : IN(double);
}

static bool
whole_from_real(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
                struct weir_col *to, uint32_t j)
{
    double v = real_in(from, i);
    char text[40];

    if (c->strict && !real_in_range(c->to->kind, v))
        return overflow(run, c, text, weir_double_print(v, text));
    whole_out(to, j, java_whole(v, c->to->kind == WEIR_LONG));
    return true;
}

/* The lowest bits of the whole part, as Java's longValue(); the int of it first for the small types. */
static bool
whole_from_decimal(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
                   struct weir_col *to, uint32_t j)
{
    weir_i128 v = weir_decimal_get(from, i), whole = v / weir_pow10(c->from->scale);
    char text[64];

    if (c->strict && !whole_fits(c->to->kind, whole))
        return overflow(run, c, text, weir_decimal_print(v, c->from->scale, text));
    whole_out(to, j, (int64_t)(uint64_t)whole);
    return true;
}

static bool
whole_from_timestamp(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
                     struct weir_col *to, uint32_t j)
{
    int64_t us = IN(int64_t), seconds = us / SECOND_US - (us % SECOND_US < 0);
    char text[32];

    if (!whole_fits(c->to->kind, seconds)) /* null with ANSI off, where numbers wrap around */
        return overflow(run, c, text, weir_long_print(seconds, text));
    whole_out(to, j, seconds);
    return true;
}

/* ---- to floating point ---- */

static bool
real_from_whole(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
                struct weir_col *to, uint32_t j)
{
    int64_t v = (int64_t)whole_in(from, i);

    (void)run;
    if (c->to->kind == WEIR_FLOAT)
        OUT(float) = (float)v;
    else
        OUT(double) = (double)v;
    return true;
}

static bool
real_from_real(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
               struct weir_col *to, uint32_t j)
{
    (void)run;
    if (c->to->kind == WEIR_FLOAT)
        OUT(float) = (float)real_in(from, i);
    else
        OUT(double) = real_in(from, i);
    return true;
}

/* By its text: the nearest value, as BigDecimal.doubleValue(). */
static bool
real_from_decimal(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
                  struct weir_col *to, uint32_t j)
{
    char text[64];
    size_t n = weir_decimal_print(weir_decimal_get(from, i), c->from->scale, text);

    (void)run;
    return c->to->kind == WEIR_FLOAT ? weir_float_parse(text, n, &OUT(float))
                                     : weir_double_parse(text, n, &OUT(double));
}

static bool
real_from_timestamp(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
                    struct weir_col *to, uint32_t j)
{
    double seconds = (double)IN(int64_t) / 1e6;

    (void)run;
    if (c->to->kind == WEIR_FLOAT)
        OUT(float) = (float)seconds;
    else
        OUT(double) = seconds;
    return true;
}

/* ---- to decimals ---- */

static bool
decimal_out(struct cast_run *run, const struct cast *c, weir_i128 v, unsigned scale, struct weir_col *to,
            uint32_t j)
{
    weir_i128 scaled;
    char text[64];

    if (!weir_decimal_rescale(v, scale, c->to->scale, &scaled) ||
        !weir_decimal_fits(scaled, c->to->precision))
        return cast_bad(run, "NUMERIC_VALUE_OUT_OF_RANGE", c, text, weir_decimal_print(v, scale, text));
    weir_decimal_set(to, j, scaled);
    return true;
}

static bool
decimal_from_whole(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
                   struct weir_col *to, uint32_t j)
{
    return decimal_out(run, c, whole_in(from, i), 0, to, j);
}

static bool
decimal_from_decimal(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
                     struct weir_col *to, uint32_t j)
{
    return decimal_out(run, c, weir_decimal_get(from, i), c->from->scale, to, j);
}

/* By the shortest text of the double, as Scala's BigDecimal(double). What is no number is null in every mode.
 * */
static bool
decimal_of_double(struct cast_run *run, const struct cast *c, double v, struct weir_col *to, uint32_t j)
{
    weir_i128 out;
    char text[40];
    size_t n = weir_double_print(v, text);

    if (isnan(v) || isinf(v)) {
        weir_value_null(to, j);
        return true;
    }
    if (!weir_decimal_parse(text, n, c->to->precision, c->to->scale, &out))
        return cast_bad(run, "NUMERIC_VALUE_OUT_OF_RANGE", c, text, n);
    weir_decimal_set(to, j, out);
    return true;
}

static bool
decimal_from_real(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
                  struct weir_col *to, uint32_t j)
{
    return decimal_of_double(run, c, real_in(from, i), to, j);
}

static bool
decimal_from_timestamp(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
                       struct weir_col *to, uint32_t j)
{
    return decimal_of_double(run, c, (double)IN(int64_t) / 1e6, to, j);
}

/* ---- to booleans ---- */

static bool
boolean_from_number(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
                    struct weir_col *to, uint32_t j)
{
    (void)run;
    if (c->from->kind == WEIR_DECIMAL)
        OUT(uint8_t) = weir_decimal_get(from, i) != 0;
    else if (c->from->kind == WEIR_FLOAT || c->from->kind == WEIR_DOUBLE)
        OUT(uint8_t) = real_in(from, i) != 0;
    else
        OUT(uint8_t) = whole_in(from, i) != 0;
    return true;
}

/* A date as a number or boolean, with ANSI off. */
static bool
always_null(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
            struct weir_col *to, uint32_t j)
{
    (void)run;
    (void)c;
    (void)from;
    (void)i;
    weir_value_null(to, j);
    return true;
}

/* ---- to dates and times ---- */

static int64_t
day_of(int64_t us)
{
    return us / DAY_US - (us % DAY_US < 0);
}

static bool
date_from_time(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
               struct weir_col *to, uint32_t j)
{
    int64_t us = IN(int64_t);

    OUT(int32_t) =
        (int32_t)day_of(c->from->kind == WEIR_TIMESTAMP ? weir_zone_to_local(run->call->set->zone, us) : us);
    return true;
}

static bool
time_from_date(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
               struct weir_col *to, uint32_t j)
{
    int64_t us;
    char text[32];

    if (__builtin_mul_overflow((int64_t)IN(int32_t), DAY_US, &us))
        return cast_bad(run, "DATETIME_OVERFLOW", c, text, weir_date_print(IN(int32_t), text));
    OUT(int64_t) = c->to->kind == WEIR_TIMESTAMP ? weir_zone_to_utc(run->call->set->zone, us) : us;
    return true;
}

static bool
time_from_time(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
               struct weir_col *to, uint32_t j)
{
    const struct weir_zone *zone = run->call->set->zone;

    OUT(int64_t) = c->to->kind == WEIR_TIMESTAMP ? weir_zone_to_utc(zone, IN(int64_t))
                                                 : weir_zone_to_local(zone, IN(int64_t));
    return true;
}

/* Seconds; too many are the limit, as TimeUnit.toMicros(). true is one microsecond, as Spark has it. */
static bool
timestamp_from_whole(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
                     struct weir_col *to, uint32_t j)
{
    weir_i128 us = whole_in(from, i) * (c->from->kind == WEIR_BOOLEAN ? 1 : SECOND_US);

    (void)run;
    OUT(int64_t) = us > INT64_MAX ? INT64_MAX : us < INT64_MIN ? INT64_MIN : (int64_t)us;
    return true;
}

static bool
timestamp_from_real(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
                    struct weir_col *to, uint32_t j)
{
    double seconds = real_in(from, i);
    char text[40];

    if (isnan(seconds) || isinf(seconds))
        return cast_bad(run, "CAST_INVALID_INPUT", c, text, weir_double_print(seconds, text));
    if (c->strict && !real_in_range(WEIR_LONG, seconds * 1e6))
        return overflow(run, c, text, weir_double_print(seconds, text));
    OUT(int64_t) = java_whole(seconds * 1e6, true);
    return true;
}

static bool
timestamp_from_decimal(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
                       struct weir_col *to, uint32_t j)
{
    weir_i128 v = weir_decimal_get(from, i), whole = v / weir_pow10(c->from->scale),
              rest = v % weir_pow10(c->from->scale);
    unsigned scale = c->from->scale;

    (void)run;
    for (; scale > 32; scale--)
        rest /= 10; /* digits far behind the microseconds */
    rest = rest * SECOND_US / weir_pow10(scale);
    OUT(int64_t) =
        (int64_t)(uint64_t)((unsigned __int128)whole * (unsigned)SECOND_US + (unsigned __int128)rest);
    return true;
}

/* ---- from strings ---- */

static bool
has_point(const char *t, uint32_t n)
{
    return memchr(t, '.', n) != NULL;
}

/* Why a text is no decimal(p,s): a number that is too large, or none. */
static const char *
decimal_code(const struct cast *c, const char *t, uint32_t n)
{
    double v;

    return c->to->kind == WEIR_DECIMAL && weir_double_parse(t, n, &v) ? "NUMERIC_VALUE_OUT_OF_RANGE"
                                                                      : "CAST_INVALID_INPUT";
}

static bool
from_string(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
            struct weir_col *to, uint32_t j)
{
    const struct weir_str *s = &IN(struct weir_str);
    const char *t = weir_str_ptr(s);
    int64_t us;

    if (c->strict && weir_kind_is_integral(c->to->kind) && has_point(t, s->len))
        return cast_bad(run, "CAST_INVALID_INPUT", c, t, s->len);
    if (c->to->kind == WEIR_TIMESTAMP_NTZ) {
        if (!weir_timestamp_ntz_cast(t, s->len, &us))
            return cast_bad(run, "CAST_INVALID_INPUT", c, t, s->len);
        OUT(int64_t) = us;
        return true;
    }
    if (s->len > 0 && weir_slot_parse(to, j, t, s->len, run->call->set->zone, run->call->mem))
        return true;
    weir_col_set_valid(to, j);
    return cast_bad(run, decimal_code(c, t, s->len), c, t, s->len);
}

/* ---- to strings and binaries ---- */

static bool
text_out(struct cast_run *run, struct weir_col *to, uint32_t j, const char *p, size_t n)
{
    if (n <= UINT32_MAX - WEIR_STR_PAD &&
        weir_str_copy(run->call->mem, p, (uint32_t)n, &OUT(struct weir_str)))
        return true;
    run->rc = weir_mem_fail(run->call->mem, n, run->err);
    return false;
}

/* A decimal as BigDecimal.toString(): with an exponent when it is tiny. */
static size_t
decimal_print(weir_i128 v, unsigned scale, bool plain, char *text)
{
    weir_i128 rest = v < 0 ? -v : v;
    int digits = 1;
    char all[64];
    size_t n, at = 0;

    for (; rest >= 10; rest /= 10)
        digits++;
    if (plain || (int)scale - digits + 1 <= 6) /* the adjusted exponent is -6 at least */
        return weir_decimal_print(v, scale, text);
    n = weir_decimal_print(v < 0 ? -v : v, 0, all);
    if (v < 0)
        text[at++] = '-';
    text[at++] = all[0];
    if (n > 1) {
        text[at++] = '.';
        memcpy(text + at, all + 1, n - 1);
        at += n - 1;
    }
    return at + (size_t)snprintf(text + at, 16, "E-%d", (int)scale - digits + 1);
}

/* Spark's text of a scalar. text: room for 96 bytes. */
static size_t
scalar_print(const struct cast_run *run, bool strict, const struct weir_col *from, uint32_t i, char *text)
{
    int64_t us;

    switch (from->type->kind) {
    case WEIR_BOOLEAN:
        return (size_t)snprintf(text, 8, "%s", IN(uint8_t) ? "true" : "false");
    case WEIR_FLOAT:
        return weir_float_print(IN(float), text);
    case WEIR_DOUBLE:
        return weir_double_print(IN(double), text);
    case WEIR_DATE:
        return weir_date_print(IN(int32_t), text);
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_NTZ:
        us = IN(int64_t);
        if (from->type->kind == WEIR_TIMESTAMP)
            us = weir_zone_to_local(run->call->set->zone, us);
        return weir_timestamp_print(us, -1, ' ', "", text);
    case WEIR_DECIMAL:
        return decimal_print(weir_decimal_get(from, i), from->type->scale, strict, text);
    default:
        return weir_long_print((int64_t)whole_in(from, i), text);
    }
}

static void value_print(const struct cast_run *run, bool strict, const struct weir_col *from, uint32_t i,
                        struct weir_buf *buf);

static void
list_print(const struct cast_run *run, bool strict, const struct weir_col *from, uint32_t i,
           struct weir_buf *buf)
{
    struct weir_list list = IN(struct weir_list);
    bool map = from->type->kind == WEIR_MAP;
    const struct weir_col *kid = &from->kids[0];

    weir_buf_byte(buf, map ? '{' : '[');
    for (uint32_t k = 0; k < list.n; k++) {
        uint32_t at = (uint32_t)list.at + k;

        weir_buf_str(buf, k == 0 ? "" : ", ");
        value_print(run, strict, map ? &kid->kids[0] : kid, at, buf);
        if (map) {
            weir_buf_str(buf, " ->");
            weir_buf_byte(buf, ' ');
            value_print(run, strict, &kid->kids[1], at, buf);
        }
    }
    weir_buf_byte(buf, map ? '}' : ']');
}

/* Any value, as it stands inside another one: "null", [1, 2], {k -> v}, {1, x}. */
static void
value_print(const struct cast_run *run, bool strict, const struct weir_col *from, uint32_t i,
            struct weir_buf *buf)
{
    char text[96];

    if (weir_col_is_null(from, i)) {
        weir_buf_str(buf, "null");
        return;
    }
    i = weir_arg_row(from, i);
    switch (from->type->kind) {
    case WEIR_STRING:
    case WEIR_BINARY:
        weir_buf_add(buf, weir_str_ptr(&IN(struct weir_str)), IN(struct weir_str).len);
        break;
    case WEIR_ARRAY:
    case WEIR_MAP:
        list_print(run, strict, from, i, buf);
        break;
    case WEIR_STRUCT:
        weir_buf_byte(buf, '{');
        for (uint32_t k = 0; k < from->nkids; k++) {
            weir_buf_str(buf, k == 0 ? "" : ", ");
            value_print(run, strict, &from->kids[k], i, buf);
        }
        weir_buf_byte(buf, '}');
        break;
    default:
        weir_buf_add(buf, text, scalar_print(run, strict, from, i, text));
    }
}

static bool
string_from_scalar(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
                   struct weir_col *to, uint32_t j)
{
    char text[96];

    return text_out(run, to, j, text, scalar_print(run, c->strict, from, i, text));
}

static bool
string_from_nested(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
                   struct weir_col *to, uint32_t j)
{
    struct weir_buf buf = WEIR_BUF(64 * WEIR_MIB);
    bool ok = false;

    buf.q = weir_mem_quota(run->call->mem);
    value_print(run, c->strict, from, i, &buf);
    run->rc = weir_buf_check(&buf, run->err);
    if (run->rc == WEIR_OK && !weir_utf8_valid(buf.data, buf.len))
        (void)cast_bad(run, "INVALID_UTF8_STRING", c, "…", 3);
    else if (run->rc == WEIR_OK)
        ok = text_out(run, to, j, buf.data, buf.len);
    weir_buf_fini(&buf);
    return ok;
}

static bool
string_from_binary(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
                   struct weir_col *to, uint32_t j)
{
    const struct weir_str *s = &IN(struct weir_str);

    if (!weir_utf8_valid(weir_str_ptr(s), s->len))
        return cast_bad(run, "INVALID_UTF8_STRING", c, "(bytes)", 7);
    return text_out(run, to, j, weir_str_ptr(s), s->len);
}

/* The bytes of a whole number, the highest first. */
static bool
binary_from_whole(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
                  struct weir_col *to, uint32_t j)
{
    size_t width = weir_type_width(c->from);
    uint64_t v = (uint64_t)whole_in(from, i);
    char bytes[8];

    for (size_t k = 0; k < width; k++)
        bytes[k] = (char)(v >> (width - 1 - k) * 8);
    return text_out(run, to, j, bytes, width);
}

/* ---- nested ---- */

static bool
same_value(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
           struct weir_col *to, uint32_t j)
{
    (void)c;
    run->rc = weir_value_copy(from, i, to, j, run->call->mem, run->err);
    return run->rc == WEIR_OK;
}

/* One slot by its step; false ends the whole value. */
static bool
cast_slot(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
          struct weir_col *to, uint32_t j)
{
    if (weir_col_is_null(from, i) || c->from->kind == WEIR_VOID) {
        weir_value_null(to, j);
        return true;
    }
    weir_col_set_valid(to, j);
    if (c->step(run, c, from, weir_arg_row(from, i), to, j))
        return true;
    if (run->rc != WEIR_OK || c->strict || strcmp(run->code, "INVALID_UTF8_STRING") == 0)
        return false;
    weir_value_null(to, j);
    return true;
}

static bool
nested_list(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
            struct weir_col *to, uint32_t j)
{
    struct weir_list list = IN(struct weir_list);
    bool map = c->to->kind == WEIR_MAP;
    uint32_t at;

    run->rc = weir_out_list(to, j, list.n, &at, run->err);
    if (run->rc != WEIR_OK)
        return false;
    for (uint32_t k = 0; k < list.n; k++) {
        const struct weir_col *kid = &from->kids[0];
        uint32_t row = (uint32_t)list.at + k;

        if (map && (!cast_slot(run, &c->kids[0], &kid->kids[0], row, &to->kids[0].kids[0], at + k) ||
                    !cast_slot(run, &c->kids[1], &kid->kids[1], row, &to->kids[0].kids[1], at + k)))
            return false;
        if (!map && !cast_slot(run, &c->kids[0], kid, row, &to->kids[0], at + k))
            return false;
    }
    return true;
}

static bool
nested_struct(struct cast_run *run, const struct cast *c, const struct weir_col *from, uint32_t i,
              struct weir_col *to, uint32_t j)
{
    for (uint32_t k = 0; k < to->nkids; k++)
        if (!cast_slot(run, &c->kids[k], &from->kids[k], i, &to->kids[k], j))
            return false;
    return true;
}

/* ---- choosing steps ---- */

static cast_step *
step_to_scalar(weir_kind from, weir_kind to)
{
    bool whole = weir_kind_is_integral(from) || from == WEIR_BOOLEAN,
         real = from == WEIR_FLOAT || from == WEIR_DOUBLE;

    if (from == WEIR_STRING)
        return from_string;
    if (from == WEIR_DATE && !weir_kind_is_datetime(to))
        return always_null;
    switch (to) {
    case WEIR_BOOLEAN:
        return boolean_from_number;
    case WEIR_BYTE:
    case WEIR_SHORT:
    case WEIR_INT:
    case WEIR_LONG:
        return whole                  ? whole_from_whole
               : real                 ? whole_from_real
               : from == WEIR_DECIMAL ? whole_from_decimal
                                      : whole_from_timestamp;
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
        return whole                  ? real_from_whole
               : real                 ? real_from_real
               : from == WEIR_DECIMAL ? real_from_decimal
                                      : real_from_timestamp;
    case WEIR_DECIMAL:
        return whole                  ? decimal_from_whole
               : real                 ? decimal_from_real
               : from == WEIR_DECIMAL ? decimal_from_decimal
                                      : decimal_from_timestamp;
    case WEIR_DATE:
        return date_from_time;
    case WEIR_TIMESTAMP:
        if (whole || real)
            return whole ? timestamp_from_whole : timestamp_from_real;
        return from == WEIR_DECIMAL ? timestamp_from_decimal
               : from == WEIR_DATE  ? time_from_date
                                    : time_from_time;
    case WEIR_TIMESTAMP_NTZ:
        return from == WEIR_DATE ? time_from_date : time_from_time;
    default:
        return binary_from_whole;
    }
}

static cast_step *
step_of(const struct weir_type *from, const struct weir_type *to)
{
    if (weir_type_same(from, to) || from->kind == WEIR_VOID)
        return same_value;
    if (to->kind == WEIR_STRING)
        return from->kind == WEIR_BINARY         ? string_from_binary
               : weir_kind_is_nested(from->kind) ? string_from_nested
                                                 : string_from_scalar;
    if (from->kind == WEIR_STRING && to->kind == WEIR_BINARY)
        return same_value;
    if (to->kind == WEIR_STRUCT)
        return nested_struct;
    if (to->kind == WEIR_ARRAY || to->kind == WEIR_MAP)
        return nested_list;
    return step_to_scalar(from->kind, to->kind);
}

/* Depth is bounded by the types'. */
static weir_rc
cast_build(struct weir_mem *mem, const struct weir_type *from, const struct weir_type *to, bool strict,
           struct cast *out, struct weir_error *err)
{
    const struct weir_type *x = to->kind == WEIR_MAP ? from->fields[0].type : from;
    const struct weir_type *y = to->kind == WEIR_MAP ? to->fields[0].type : to;
    struct cast *kids;

    *out = (struct cast){step_of(from, to), from, to, strict, NULL};
    if (out->step != nested_struct && out->step != nested_list)
        return WEIR_OK;
    kids = weir_mem_zalloc(mem, (y->nfields + 1) * sizeof(*kids));
    if (kids == NULL)
        return weir_mem_fail(mem, y->nfields * sizeof(*kids), err);
    for (uint32_t i = 0; i < y->nfields; i++)
        WEIR_TRY(cast_build(mem, x->fields[i].type, y->fields[i].type, strict, &kids[i], err));
    out->kids = kids;
    return WEIR_OK;
}

/* ---- the kernel ---- */

static weir_rc
cast_kernel(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
            struct weir_error *err)
{
    const struct cast *c = call->data;

    for (uint32_t row = 0; row < rows; row++) {
        struct cast_run run = {.call = call, .err = err, .rc = WEIR_OK};

        if (cast_slot(&run, c, &args[0], row, out, row))
            continue;
        if (run.rc != WEIR_OK)
            return run.rc;
        WEIR_TRY(weir_call_bad(call, out, row, err, run.code, "%s", run.text));
        weir_value_null(out, row); /* only reached when the row goes on */
    }
    return WEIR_OK;
}

/* What DuckDB casts to the same value, always. */
static const char *
cast_text(const struct weir_type *from, const struct weir_type *to)
{
    bool whole = weir_kind_is_integral(from->kind);

    if (whole && weir_kind_is_integral(to->kind) && from->kind < to->kind)
        return "$1";
    if (whole && (to->kind == WEIR_FLOAT || to->kind == WEIR_DOUBLE || to->kind == WEIR_STRING))
        return "$1";
    if (from->kind == WEIR_FLOAT && to->kind == WEIR_DOUBLE)
        return "$1";
    if (from->kind == WEIR_BOOLEAN && (weir_kind_is_integral(to->kind) || to->kind == WEIR_STRING))
        return "$1";
    if (from->kind == WEIR_STRING && to->kind == WEIR_BINARY)
        return "encode($1)";
    if (to->kind == WEIR_DECIMAL && (whole || from->kind == WEIR_DECIMAL) &&
        !weir_coerce_force_nullable(from, to))
        return "$1";
    return NULL;
}

weir_rc
weir_cast_plan(struct weir_mem *mem, const struct weir_sql_settings *set, const struct weir_type *from,
               const struct weir_type *to, bool try_, bool constant, struct weir_call_plan *out,
               struct weir_error *err)
{
    struct cast *c;

    *out = (struct weir_call_plan){.null_in_null_out = true, .try_ = try_};
    out->text = constant ? NULL : cast_text(from, to);
    if (out->text != NULL)
        return WEIR_OK;
    c = weir_mem_zalloc(mem, sizeof(*c));
    if (c == NULL)
        return weir_mem_fail(mem, sizeof(*c), err);
    WEIR_TRY(cast_build(mem, from, to, set->ansi || try_, c, err));
    out->kernel = cast_kernel;
    out->data = c;
    out->may_fail = set->ansi || from->kind == WEIR_BINARY || weir_kind_is_nested(from->kind);
    return WEIR_OK;
}

/* ---- int(x) and its like ---- */

static const struct {
    const char *name;
    const struct weir_type *type;
} cast_functions[] = {
    {"bigint", &weir_type_long},     {"binary", &weir_type_binary},
    {"boolean", &weir_type_boolean}, {"date", &weir_type_date},
    {"double", &weir_type_double},   {"float", &weir_type_float},
    {"int", &weir_type_int},         {"smallint", &weir_type_short},
    {"string", &weir_type_string},   {"timestamp", &weir_type_timestamp},
    {"tinyint", &weir_type_byte},
};

static weir_rc
resolve_cast(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_node *kid = r->node->kids[0];

    for (size_t i = 0; i < sizeof(cast_functions) / sizeof(cast_functions[0]); i++) {
        if (strcmp(cast_functions[i].name, r->node->text) != 0)
            continue;
        r->type = cast_functions[i].type;
        if (!weir_coerce_castable(r->set->ansi, kid->type, r->type))
            return weir_resolve_refuse(r, 0, "what can be cast so", err);
        r->nullable = kid->nullable || weir_coerce_force_nullable(kid->type, r->type);
        r->plan.text = "$1";
        r->plan.exact = true;
        return weir_resolve_cast(r, 0, r->type, err);
    }
    return weir_fail(err, WEIR_BUG, "no cast is called %s", r->node->text);
}

#define CAST(name)                                                                                           \
    {                                                                                                        \
        name, WEIR_FN_SCALAR, 1, 1, resolve_cast, NULL, NULL                                                 \
    }

const struct weir_function weir_functions_cast[] = {
    CAST("bigint"), CAST("binary"),   CAST("boolean"), CAST("date"),      CAST("double"),  CAST("float"),
    CAST("int"),    CAST("smallint"), CAST("string"),  CAST("timestamp"), CAST("tinyint"), {0},
};
