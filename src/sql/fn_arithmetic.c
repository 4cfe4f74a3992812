/* Arithmetic: + - * / % div, of numbers, dates, instants and intervals.
 *
 * 1. Types are Spark's: TypeCoercion, AnsiTypeCoercion, DecimalPrecision (coerce.h).
 * 2. What may overflow or divide by zero is a kernel, by the mode an error, a null, or wrapped around; so is
 *    all arithmetic of decimals, which is exact (wide.h). Only + - * of floating point is DuckDB's.
 * 3. Days and months move the wall clock of spark.sql.session.timeZone, what is shorter the instant. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "sql/coerce.h"
#include "sql/operator_int.h"
#include "sql/value.h"
#include "sql/wide.h"

/* ---- numbers ---- */

static weir_i128
integer_at(const struct weir_col *col, uint32_t row)
{
    switch (col->type->kind) {
    case WEIR_BYTE:
        return weir_arg(col, int8_t, row);
    case WEIR_SHORT:
        return weir_arg(col, int16_t, row);
    case WEIR_INT:
        return weir_arg(col, int32_t, row);
    default:
        return weir_arg(col, int64_t, row);
    }
}

static void
integer_put(struct weir_col *col, uint32_t row, weir_i128 v)
{
    switch (col->type->kind) {
    case WEIR_BYTE:
        weir_out(col, int8_t, row) = (int8_t)v;
        break;
    case WEIR_SHORT:
        weir_out(col, int16_t, row) = (int16_t)v;
        break;
    case WEIR_INT:
        weir_out(col, int32_t, row) = (int32_t)v;
        break;
    default:
        weir_out(col, int64_t, row) = (int64_t)v;
    }
}

static bool
integer_fits(weir_kind kind, weir_i128 v)
{
    static const int bits[] = {[WEIR_BYTE] = 7, [WEIR_SHORT] = 15, [WEIR_INT] = 31, [WEIR_LONG] = 63};
    weir_i128 limit = (weir_i128)1 << bits[kind];

    return v >= -limit && v < limit;
}

static weir_rc
integer_overflow(struct weir_call *call, struct weir_col *out, uint32_t row, struct weir_error *err, char op)
{
    static const char *const names[] = {
        [WEIR_BYTE] = "tinyint", [WEIR_SHORT] = "smallint", [WEIR_INT] = "integer", [WEIR_LONG] = "long"};
    weir_kind kind = call->type->kind;

    return weir_call_bad(call, out, row, err,
                         kind <= WEIR_SHORT ? "BINARY_ARITHMETIC_OVERFLOW" : "ARITHMETIC_OVERFLOW",
                         "%s overflow in %c", names[kind], op);
}

/* The result of one row, which may be too wide. */
static weir_rc
integer_done(struct weir_call *call, struct weir_col *out, uint32_t row, weir_i128 v, char op,
             struct weir_error *err)
{
    if (!integer_fits(call->type->kind, v) && (call->set->ansi || call->try_))
        return integer_overflow(call, out, row, err, op);
    integer_put(out, row, v);
    return WEIR_OK;
}

/* A loop over rows of one width, for + - *: what a page of integers mostly is. */
#define INTEGER_LOOP(T, builtin, op)                                                                         \
    for (uint32_t row = 0; row < rows; row++) {                                                              \
        T v;                                                                                                 \
                                                                                                             \
        if (weir_arg_null(&args[0], row) || weir_arg_null(&args[1], row))                                    \
            weir_col_set_null(out, row);                                                                     \
        else if (builtin(weir_arg(&args[0], T, row), weir_arg(&args[1], T, row), &v) && strict)              \
            WEIR_TRY(integer_overflow(call, out, row, err, op));                                             \
        else                                                                                                 \
            weir_out(out, T, row) = v;                                                                       \
    }                                                                                                        \
    return WEIR_OK

#define INTEGER_KERNEL(name, builtin, op)                                                                    \
    static weir_rc name(struct weir_call *call, const struct weir_col *args, uint32_t rows,                  \
                        struct weir_col *out, struct weir_error *err)                                        \
    {                                                                                                        \
        bool strict = call->set->ansi || call->try_;                                                         \
                                                                                                             \
        switch (call->type->kind) {                                                                          \
        case WEIR_BYTE:                                                                                      \
            INTEGER_LOOP(int8_t, builtin, op);                                                               \
        case WEIR_SHORT:                                                                                     \
            INTEGER_LOOP(int16_t, builtin, op);                                                              \
        case WEIR_INT:                                                                                       \
            INTEGER_LOOP(int32_t, builtin, op);                                                              \
        default:                                                                                             \
            INTEGER_LOOP(int64_t, builtin, op);                                                              \
        }                                                                                                    \
    }

INTEGER_KERNEL(integer_add, __builtin_add_overflow, '+')
INTEGER_KERNEL(integer_sub, __builtin_sub_overflow, '-')
INTEGER_KERNEL(integer_mul, __builtin_mul_overflow, '*')

/* An error of division: null with ANSI off. */
static weir_rc
zero_divisor(struct weir_call *call, struct weir_col *out, uint32_t row, const char *code,
             struct weir_error *err)
{
    if (!call->set->ansi && !call->try_) {
        weir_value_null(out, row);
        return WEIR_OK;
    }
    return weir_call_bad(call, out, row, err, code, "%s by zero", code[0] == 'D' ? "division" : "remainder");
}

static weir_rc
integer_div_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                struct weir_error *err)
{
    weir_i128 divisor = integer_at(&args[1], row);

    if (divisor == 0)
        return zero_divisor(call, out, row, "DIVIDE_BY_ZERO", err);
    return integer_done(call, out, row, integer_at(&args[0], row) / divisor, '/', err);
}
WEIR_KERNEL_STRICT(integer_div)

static weir_rc
integer_rem_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                struct weir_error *err)
{
    weir_i128 divisor = integer_at(&args[1], row);

    if (divisor == 0)
        return zero_divisor(call, out, row, "DIVIDE_BY_ZERO", err);
    integer_put(out, row, integer_at(&args[0], row) % divisor);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(integer_rem)

static weir_rc
integer_neg_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                struct weir_error *err)
{
    return integer_done(call, out, row, -integer_at(&args[0], row), '-', err);
}
WEIR_KERNEL_STRICT(integer_neg)

static double
real_at(const struct weir_col *col, uint32_t row)
{
    return col->type->kind == WEIR_FLOAT ? (double)weir_arg(col, float, row) : weir_arg(col, double, row);
}

static weir_rc
real_div_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
             struct weir_error *err)
{
    double divisor = weir_arg(&args[1], double, row);

    if (divisor == 0)
        return zero_divisor(call, out, row, "DIVIDE_BY_ZERO", err);
    weir_out(out, double, row) = weir_arg(&args[0], double, row) / divisor;
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(real_div)

static weir_rc
real_rem_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
             struct weir_error *err)
{
    double divisor = real_at(&args[1], row), rest;

    if (divisor == 0)
        return zero_divisor(call, out, row, "DIVIDE_BY_ZERO", err);
    rest = fmod(real_at(&args[0], row), divisor);
    if (out->type->kind == WEIR_FLOAT)
        weir_out(out, float, row) = (float)rest;
    else
        weir_out(out, double, row) = rest;
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(real_rem)

/* A decimal result, which may have no place in the type. */
static weir_rc
decimal_done(struct weir_call *call, struct weir_col *out, uint32_t row, bool fits, weir_i128 v,
             struct weir_error *err)
{
    if (fits && weir_decimal_fits(v, call->type->precision)) {
        weir_decimal_set(out, row, v);
        return WEIR_OK;
    }
    if (!call->set->ansi && !call->try_) {
        weir_value_null(out, row);
        return WEIR_OK;
    }
    return weir_call_bad(call, out, row, err, "NUMERIC_VALUE_OUT_OF_RANGE",
                         "the result has no place in decimal(%u,%u)", call->type->precision,
                         call->type->scale);
}

typedef bool decimal_op(weir_i128 a, unsigned sa, weir_i128 b, unsigned sb, unsigned s, weir_i128 *out);

static weir_rc
decimal_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
            decimal_op *op, struct weir_error *err)
{
    weir_i128 v = 0;
    bool fits = op(weir_decimal_get(&args[0], weir_arg_row(&args[0], row)), args[0].type->scale,
                   weir_decimal_get(&args[1], weir_arg_row(&args[1], row)), args[1].type->scale,
                   call->type->scale, &v);

    return decimal_done(call, out, row, fits, v, err);
}

static bool
decimal_is_zero(const struct weir_col *col, uint32_t row)
{
    return weir_decimal_get(col, weir_arg_row(col, row)) == 0;
}

static bool
decimal_sub(weir_i128 a, unsigned sa, weir_i128 b, unsigned sb, unsigned s, weir_i128 *out)
{
    return weir_decimal_add(a, sa, -b, sb, s, out);
}

#define DECIMAL_KERNEL(name, op)                                                                             \
    static weir_rc name##_row(struct weir_call *call, const struct weir_col *args, uint32_t row,             \
                              struct weir_col *out, struct weir_error *err)                                  \
    {                                                                                                        \
        return decimal_row(call, args, row, out, op, err);                                                   \
    }                                                                                                        \
    WEIR_KERNEL_STRICT(name)

DECIMAL_KERNEL(decimal_plus, weir_decimal_add)
DECIMAL_KERNEL(decimal_minus, decimal_sub)
DECIMAL_KERNEL(decimal_times, weir_decimal_mul)

static weir_rc
decimal_divide_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                   struct weir_error *err)
{
    if (decimal_is_zero(&args[1], row))
        return zero_divisor(call, out, row, "DIVIDE_BY_ZERO", err);
    return decimal_row(call, args, row, out, weir_decimal_div, err);
}
WEIR_KERNEL_STRICT(decimal_divide)

static weir_rc
decimal_remainder_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                      struct weir_error *err)
{
    if (decimal_is_zero(&args[1], row))
        return zero_divisor(call, out, row, "DIVIDE_BY_ZERO", err);
    return decimal_row(call, args, row, out, weir_decimal_rem, err);
}
WEIR_KERNEL_STRICT(decimal_remainder)

static weir_rc
decimal_quotient_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                     struct weir_error *err)
{
    const struct weir_type *a = args[0].type, *b = args[1].type;
    int digits = a->precision - a->scale + b->scale; /* of Spark's type for the quotient */

    if (decimal_is_zero(&args[1], row))
        return zero_divisor(call, out, row, "DIVIDE_BY_ZERO", err);
    digits = digits < 1 ? 1 : digits > 38 ? 38 : digits;
    if (!weir_decimal_quot(weir_decimal_get(&args[0], weir_arg_row(&args[0], row)), a->scale,
                           weir_decimal_get(&args[1], weir_arg_row(&args[1], row)), b->scale,
                           (unsigned)digits, &weir_out(out, int64_t, row)))
        return WEIR_BAD_IF_ANSI(call, out, row, err, "NUMERIC_VALUE_OUT_OF_RANGE",
                                "the quotient has more than %d digits", digits);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(decimal_quotient)

static weir_rc
decimal_neg_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                struct weir_error *err)
{
    (void)call;
    (void)err;
    weir_decimal_set(out, row, -weir_decimal_get(&args[0], weir_arg_row(&args[0], row)));
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(decimal_neg)

/* ---- dates and intervals ---- */

enum { DAY_SECONDS = 86400 };
#define DAY_US (INT64_C(1000000) * DAY_SECONDS)

/* An interval's number: its struct's only field. */
static int64_t
interval_at(const struct weir_col *col, uint32_t row)
{
    const struct weir_col *kid = &col->kids[0];

    row = weir_arg_row(col, row);
    return kid->type->kind == WEIR_INT ? weir_arg(kid, int32_t, row) : weir_arg(kid, int64_t, row);
}

static weir_rc
interval_put(struct weir_call *call, struct weir_col *out, uint32_t row, weir_i128 v, struct weir_error *err)
{
    struct weir_col *kid = &out->kids[0];

    if (!integer_fits(kid->type->kind, v))
        return weir_call_bad(call, out, row, err, "INTERVAL_ARITHMETIC_OVERFLOW", "interval overflow");
    integer_put(kid, row, v);
    return WEIR_OK;
}

/* The civil date so many months on; the day is the month's last at most. */
static int64_t
add_months(int64_t days, int64_t months)
{
    static const unsigned lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned month, day, last;
    int64_t year, all;

    weir_civil_from_days(days, &year, &month, &day);
    all = year * 12 + (int64_t)month - 1 + months;
    year = all >= 0 ? all / 12 : -((11 - all) / 12);
    month = (unsigned)(all - year * 12) + 1;
    last = lengths[month - 1] + (month == 2 && weir_civil_valid(year, 2, 29) ? 1 : 0);
    return weir_days_from_civil(year, month, day < last ? day : last);
}

static weir_rc
date_put(struct weir_call *call, struct weir_col *out, uint32_t row, weir_i128 days, struct weir_error *err)
{
    if (!integer_fits(WEIR_INT, days))
        return weir_call_bad(call, out, row, err, "DATETIME_OVERFLOW", "the date has no place in a DATE");
    weir_out(out, int32_t, row) = (int32_t)days;
    return WEIR_OK;
}

/* date + int: Java's int, which wraps around. */
static weir_rc
date_shift(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out, int sign)
{
    uint32_t days = (uint32_t)integer_at(&args[1], row);

    (void)call;
    weir_out(out, int32_t, row) =
        (int32_t)((uint32_t)weir_arg(&args[0], int32_t, row) + (sign < 0 ? 0 - days : days));
    return WEIR_OK;
}

static weir_rc
date_plus_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
              struct weir_error *err)
{
    (void)err;
    return date_shift(call, args, row, out, 1);
}
WEIR_KERNEL_STRICT(date_plus)

static weir_rc
date_less_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
              struct weir_error *err)
{
    (void)err;
    return date_shift(call, args, row, out, -1);
}
WEIR_KERNEL_STRICT(date_less)

static weir_rc
date_minus_date_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                    struct weir_error *err)
{
    weir_i128 days = (weir_i128)weir_arg(&args[0], int32_t, row) - weir_arg(&args[1], int32_t, row);

    return interval_put(call, out, row, days * DAY_US, err);
}
WEIR_KERNEL_STRICT(date_minus_date)

/* Instants in wall time, as Spark subtracts them. */
static weir_rc
time_minus_time_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                    struct weir_error *err)
{
    int64_t a = weir_arg(&args[0], int64_t, row), b = weir_arg(&args[1], int64_t, row);

    if (args[0].type->kind == WEIR_TIMESTAMP) {
        a = weir_zone_to_local(call->set->zone, a);
        b = weir_zone_to_local(call->set->zone, b);
    }
    return interval_put(call, out, row, (weir_i128)a - b, err);
}
WEIR_KERNEL_STRICT(time_minus_time)

/* How an interval is added to a date or an instant: in the data of the plan. */
struct interval_add {
    int sign;
};
static const struct interval_add interval_plus = {1}, interval_minus = {-1};

static weir_rc
date_interval_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                  struct weir_error *err)
{
    weir_i128 n = (weir_i128)interval_at(&args[1], row) * ((const struct interval_add *)call->data)->sign;
    int64_t days = weir_arg(&args[0], int32_t, row);

    if (args[1].type == &weir_type_interval_month || args[1].kids[0].type->kind == WEIR_INT)
        return date_put(call, out, row, add_months(days, (int64_t)n), err);
    return date_put(call, out, row, days + n / DAY_US, err);
}
WEIR_KERNEL_STRICT(date_interval)

static weir_rc
time_put(struct weir_call *call, struct weir_col *out, uint32_t row, weir_i128 us, struct weir_error *err)
{
    if (!integer_fits(WEIR_LONG, us))
        return weir_call_bad(call, out, row, err, "DATETIME_OVERFLOW",
                             "the instant has no place in a TIMESTAMP");
    weir_out(out, int64_t, row) = (int64_t)us;
    return WEIR_OK;
}

/* Whole days and months move the wall clock; the rest moves the instant. */
static weir_rc
time_interval_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                  struct weir_error *err)
{
    bool zoned = args[0].type->kind == WEIR_TIMESTAMP;
    weir_i128 n = (weir_i128)interval_at(&args[1], row) * ((const struct interval_add *)call->data)->sign;
    int64_t us = weir_arg(&args[0], int64_t, row),
            local = zoned ? weir_zone_to_local(call->set->zone, us) : us;
    int64_t days = local / DAY_US - (local % DAY_US < 0);
    weir_i128 moved, rest = 0;

    if (args[1].kids[0].type->kind == WEIR_INT) {
        moved = (weir_i128)add_months(days, (int64_t)n) * DAY_US + (local - (weir_i128)days * DAY_US);
    } else {
        moved = local + n / DAY_US * DAY_US;
        rest = n % DAY_US;
    }
    if (!integer_fits(WEIR_LONG, moved))
        return time_put(call, out, row, moved, err);
    if (moved != local)
        us = zoned ? weir_zone_to_utc(call->set->zone, (int64_t)moved) : (int64_t)moved;
    return time_put(call, out, row, us + rest, err);
}
WEIR_KERNEL_STRICT(time_interval)

static weir_rc
interval_sum_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                 struct weir_error *err)
{
    int sign = ((const struct interval_add *)call->data)->sign;

    return interval_put(call, out, row,
                        (weir_i128)interval_at(&args[0], row) + sign * (weir_i128)interval_at(&args[1], row),
                        err);
}
WEIR_KERNEL_STRICT(interval_sum)

static weir_rc
interval_neg_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                 struct weir_error *err)
{
    return interval_put(call, out, row, -(weir_i128)interval_at(&args[0], row), err);
}
WEIR_KERNEL_STRICT(interval_neg)

/* ---- types ---- */

/* Does the interval count whole days only? Then a date stays a date. */
static bool
is_whole_days(const struct weir_node *node)
{
    return node->kind == WEIR_NODE_LITERAL && node->nnames > 0 && strcmp(node->names[0], "DAY") == 0 &&
           strcmp(node->names[node->nnames - 1], "DAY") == 0;
}

/* One side is an interval, in its place: value ± interval, interval + value. */
static weir_rc
resolve_interval(struct weir_resolve *r, bool minus, struct weir_error *err)
{
    const struct weir_type *a = weir_operand(r, 0), *b = weir_operand(r, 1);

    r->plan.data = minus ? &interval_minus : &interval_plus;
    if (a == b)
        return weir_operator_kernel(r, interval_sum, a, true);
    if (!minus && weir_type_is_interval(a)) {
        struct weir_node *kid = r->node->kids[0];

        r->node->kids[0] = r->node->kids[1];
        r->node->kids[1] = kid;
        a = weir_operand(r, 0);
        b = weir_operand(r, 1);
    }
    if (!weir_type_is_interval(b) || weir_type_is_interval(a))
        return weir_operands_refused(r, err);
    if (a->kind == WEIR_STRING) {
        WEIR_TRY(weir_resolve_cast(r, 0, &weir_type_timestamp, err));
        return weir_operator_kernel(r, time_interval, &weir_type_timestamp, true);
    }
    if (a->kind == WEIR_DATE && (b == &weir_type_interval_month || is_whole_days(r->node->kids[1])))
        return weir_operator_kernel(r, date_interval, &weir_type_date, true);
    if (a->kind == WEIR_DATE) {
        WEIR_TRY(weir_resolve_cast(r, 0, &weir_type_timestamp, err));
        return weir_operator_kernel(r, time_interval, &weir_type_timestamp, true);
    }
    if (a->kind == WEIR_TIMESTAMP || a->kind == WEIR_TIMESTAMP_NTZ)
        return weir_operator_kernel(r, time_interval, a, true);
    return weir_operands_refused(r, err);
}

/* date - date, time - time, date ± days. */
static weir_rc
resolve_datetime(struct weir_resolve *r, bool minus, struct weir_error *err)
{
    const struct weir_type *a = weir_operand(r, 0), *b = weir_operand(r, 1);
    bool date_a = a->kind == WEIR_DATE, days_b = weir_kind_is_integral(b->kind) && b->kind <= WEIR_INT;

    if (date_a && days_b)
        return weir_operator_kernel(r, minus ? date_less : date_plus, &weir_type_date, false);
    if (!minus && b->kind == WEIR_DATE && weir_kind_is_integral(a->kind) && a->kind <= WEIR_INT) {
        struct weir_node *kid = r->node->kids[0];

        r->node->kids[0] = r->node->kids[1];
        r->node->kids[1] = kid;
        return weir_operator_kernel(r, date_plus, &weir_type_date, false);
    }
    if (!minus)
        return weir_operands_refused(r, err);
    if ((date_a || a->kind == WEIR_STRING) && (b->kind == WEIR_DATE || b->kind == WEIR_STRING)) {
        WEIR_TRY(weir_operands_cast(r, &weir_type_date, err));
        return weir_operator_kernel(r, date_minus_date, &weir_type_interval_day, true);
    }
    if ((weir_kind_is_datetime(a->kind) || a->kind == WEIR_STRING) &&
        (weir_kind_is_datetime(b->kind) || b->kind == WEIR_STRING)) {
        bool local = a->kind != WEIR_TIMESTAMP && b->kind != WEIR_TIMESTAMP;

        WEIR_TRY(weir_operands_cast(r, local ? &weir_type_timestamp_ntz : &weir_type_timestamp, err));
        return weir_operator_kernel(r, time_minus_time, &weir_type_interval_day, true);
    }
    return weir_operands_refused(r, err);
}

/* The decimal type of an operand: of a constant as many digits as it has. */
static const struct weir_type *
decimal_operand(const struct weir_resolve *r, uint32_t i)
{
    const struct weir_node *node = r->node->kids[i];
    uint32_t digits;

    if (node->kind != WEIR_NODE_LITERAL || node->bound != NULL || node->text == NULL ||
        !weir_kind_is_integral(node->type->kind))
        return weir_coerce_decimal_of(r->mem, node->type);
    digits = node->text_len - (node->text[0] == '-' ? 1 : 0);
    return weir_type_decimal(r->mem, digits, 0);
}

/* DecimalPrecision: the result of a (p1, s1) op b (p2, s2). */
static const struct weir_type *
decimal_result(struct weir_mem *mem, char op, const struct weir_type *a, const struct weir_type *b)
{
    int p1 = a->precision, s1 = a->scale, p2 = b->precision, s2 = b->scale;
    int top = s1 > s2 ? s1 : s2, more = p1 - s1 > p2 - s2 ? p1 - s1 : p2 - s2;
    int less = p1 - s1 < p2 - s2 ? p1 - s1 : p2 - s2, scale;

    switch (op) {
    case '*':
        return weir_coerce_decimal(mem, p1 + p2 + 1, s1 + s2);
    case '/':
        scale = s1 + p2 + 1 > 6 ? s1 + p2 + 1 : 6;
        return weir_coerce_decimal(mem, p1 - s1 + s2 + scale, scale);
    case '%':
        return weir_coerce_decimal(mem, less + top, top);
    default:
        return weir_coerce_decimal(mem, more + top + 1, top);
    }
}

static weir_rc
resolve_decimal(struct weir_resolve *r, char op, struct weir_error *err)
{
    const struct weir_type *a = decimal_operand(r, 0), *b = decimal_operand(r, 1), *type;
    weir_kernel *kernel = op == '+'   ? decimal_plus
                          : op == '-' ? decimal_minus
                          : op == '*' ? decimal_times
                          : op == '/' ? decimal_divide
                          : op == '%' ? decimal_remainder
                                      : decimal_quotient;

    if (a == NULL || b == NULL)
        return weir_operands_refused(r, err);
    WEIR_TRY(weir_resolve_cast(r, 0, a, err));
    WEIR_TRY(weir_resolve_cast(r, 1, b, err));
    type = op == 'd' ? &weir_type_long : decimal_result(r->mem, op, a, b);
    if (type == NULL)
        return weir_mem_fail(r->mem, sizeof(*type), err);
    WEIR_TRY(weir_operator_kernel(r, kernel, type, r->set->ansi));
    r->nullable = r->nullable || op == '/' || op == '%' || op == 'd' || !r->set->ansi;
    return WEIR_OK;
}

/* + - * of numbers that are no decimals. */
static weir_rc
resolve_number(struct weir_resolve *r, char op, const struct weir_type *type, struct weir_error *err)
{
    static const char *const texts[] = {"($1 + $2)", "($1 - $2)", "($1 * $2)"};
    static weir_kernel *const kernels[] = {integer_add, integer_sub, integer_mul};
    int i = op == '+' ? 0 : op == '-' ? 1 : 2;

    WEIR_TRY(weir_operands_cast(r, type, err));
    if (weir_kind_is_integral(type->kind))
        return weir_operator_kernel(r, kernels[i], type, r->set->ansi);
    return weir_operator_text(r, texts[i], type);
}

/* op: '+' '-' '*' '%' */
static weir_rc
resolve_arithmetic(struct weir_resolve *r, char op, struct weir_error *err)
{
    const struct weir_type *a = weir_operand(r, 0), *b = weir_operand(r, 1), *type;

    if ((op == '+' || op == '-') && (weir_type_is_interval(a) || weir_type_is_interval(b)))
        return resolve_interval(r, op == '-', err);
    if ((op == '+' || op == '-') && (weir_kind_is_datetime(a->kind) || weir_kind_is_datetime(b->kind)))
        return resolve_datetime(r, op == '-', err);
    type = weir_operands_number(r);
    if (type == NULL)
        return weir_operands_refused(r, err);
    if (type->kind == WEIR_DECIMAL)
        return resolve_decimal(r, op, err);
    if (op != '%')
        return resolve_number(r, op, type, err);
    WEIR_TRY(weir_operands_cast(r, type, err));
    WEIR_TRY(weir_operator_kernel(r, weir_kind_is_integral(type->kind) ? integer_rem : real_rem, type,
                                  r->set->ansi));
    r->nullable = true;
    return WEIR_OK;
}

static weir_rc
resolve_add(struct weir_resolve *r, struct weir_error *err)
{
    if (r->node->nkids == 1) { /* +x */
        bool string = weir_operand(r, 0)->kind == WEIR_STRING;

        if (!string && !weir_kind_is_numeric(weir_operand(r, 0)->kind) &&
            !weir_type_is_interval(weir_operand(r, 0)))
            return weir_operands_refused(r, err);
        if (string)
            WEIR_TRY(weir_resolve_cast(r, 0, &weir_type_double, err));
        return weir_operator_text(r, "$1", string ? &weir_type_double : weir_operand(r, 0));
    }
    return resolve_arithmetic(r, '+', err);
}

static weir_rc
resolve_negate(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type = weir_operand(r, 0);

    if (type->kind == WEIR_STRING || type->kind == WEIR_VOID) {
        type = &weir_type_double;
        WEIR_TRY(weir_resolve_cast(r, 0, type, err));
    }
    if (weir_type_is_interval(type))
        return weir_operator_kernel(r, interval_neg, type, true);
    if (weir_kind_is_integral(type->kind))
        return weir_operator_kernel(r, integer_neg, type, r->set->ansi);
    if (type->kind == WEIR_DECIMAL)
        return weir_operator_kernel(r, decimal_neg, type, false);
    if (type->kind == WEIR_FLOAT || type->kind == WEIR_DOUBLE)
        return weir_operator_text(r, "(- $1)", type);
    return weir_operands_refused(r, err);
}

static weir_rc
resolve_subtract(struct weir_resolve *r, struct weir_error *err)
{
    return r->node->nkids == 1 ? resolve_negate(r, err) : resolve_arithmetic(r, '-', err);
}

static weir_rc
resolve_multiply(struct weir_resolve *r, struct weir_error *err)
{
    return resolve_arithmetic(r, '*', err);
}

static weir_rc
resolve_remainder(struct weir_resolve *r, struct weir_error *err)
{
    return resolve_arithmetic(r, '%', err);
}

/* The quotient of decimals is a decimal, of anything else a double. */
static weir_rc
resolve_divide(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type = weir_operands_number(r);

    if (type == NULL)
        return weir_operands_refused(r, err);
    if (type->kind == WEIR_DECIMAL)
        return resolve_decimal(r, '/', err);
    WEIR_TRY(weir_operands_cast(r, &weir_type_double, err));
    WEIR_TRY(weir_operator_kernel(r, real_div, &weir_type_double, r->set->ansi));
    r->nullable = true;
    return WEIR_OK;
}

static weir_rc
resolve_div(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type = weir_operands_number(r);

    if (type == NULL || type->kind == WEIR_FLOAT || type->kind == WEIR_DOUBLE)
        return weir_operands_refused(r, err);
    if (type->kind == WEIR_DECIMAL)
        return resolve_decimal(r, 'd', err);
    WEIR_TRY(weir_operands_cast(r, &weir_type_long, err));
    WEIR_TRY(weir_operator_kernel(r, integer_div, &weir_type_long, r->set->ansi));
    r->nullable = true;
    return WEIR_OK;
}

/* ---- the table ---- */

#define OP(name, min, max, resolve)                                                                          \
    {                                                                                                        \
        name, WEIR_FN_SCALAR, min, max, resolve, NULL, NULL                                                  \
    }

const struct weir_function weir_functions_arithmetic[] = {
    OP("%", 2, 2, resolve_remainder),
    OP("*", 2, 2, resolve_multiply),
    OP("+", 1, 2, resolve_add),
    OP("-", 1, 2, resolve_subtract),
    OP("/", 2, 2, resolve_divide),
    OP("div", 2, 2, resolve_div),
    {0},
};
