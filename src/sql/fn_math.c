/* Numbers: arithmetic beyond the operators, rounding, logarithms, angles, bits.
 *
 * 1. Functions of one or two doubles are libm's, with Java's answers where IEEE leaves a choice (pow). They
 *    may differ from Java's in the last digit.
 * 2. Rounding of doubles is that of their shortest decimal text, as Spark's BigDecimal; integers that leave
 *    their type by rounding fail with ANSI on and wrap with it off. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sql/coerce.h"
#include "sql/value.h"

static const struct weir_type *
math_arg(const struct weir_resolve *r, uint32_t i)
{
    return r->node->kids[i]->type;
}

/* Argument i as a number: strings and NULL become doubles. */
static weir_rc
math_number(struct weir_resolve *r, uint32_t i, const struct weir_type **out, struct weir_error *err)
{
    const struct weir_type *type = math_arg(r, i);

    *out = type;
    if (weir_kind_is_numeric(type->kind))
        return weir_resolve_cast(r, i, type, err);
    *out = &weir_type_double;
    if (type->kind != WEIR_STRING && type->kind != WEIR_VOID)
        return weir_resolve_refuse(r, i, "a number", err);
    return weir_resolve_want(r, i, *out, err);
}

/* Integers of any width. */

static int64_t
math_integer(const struct weir_col *col, uint32_t row)
{
    switch (weir_type_width(col->type)) {
    case 1:
        return weir_arg(col, int8_t, row);
    case 2:
        return weir_arg(col, int16_t, row);
    case 4:
        return weir_arg(col, int32_t, row);
    default:
        return weir_arg(col, int64_t, row);
    }
}

/* Stores v, wrapped; false when it does not fit. */
static bool
math_integer_out(struct weir_col *out, uint32_t row, weir_i128 v)
{
    switch (weir_type_width(out->type)) {
    case 1:
        weir_out(out, int8_t, row) = (int8_t)v;
        return v == (int8_t)v;
    case 2:
        weir_out(out, int16_t, row) = (int16_t)v;
        return v == (int16_t)v;
    case 4:
        weir_out(out, int32_t, row) = (int32_t)v;
        return v == (int32_t)v;
    default:
        weir_out(out, int64_t, row) = (int64_t)v;
        return v == (int64_t)v;
    }
}

static weir_rc
math_integer_checked(struct weir_call *call, struct weir_col *out, uint32_t row, weir_i128 v,
                     struct weir_error *err)
{
    if (math_integer_out(out, row, v) || !call->set->ansi)
        return WEIR_OK;
    return weir_call_bad(call, out, row, err, "ARITHMETIC_OVERFLOW", "the result is beyond %s",
                         weir_kind_name(out->type->kind));
}

/* abs, negative, positive. */

static weir_rc
math_flip(struct weir_call *call, const struct weir_col *arg, uint32_t row, struct weir_col *out,
          bool only_negative, struct weir_error *err)
{
    switch (arg->type->kind) {
    case WEIR_FLOAT: {
        float v = weir_arg(arg, float, row);

        weir_out(out, float, row) = only_negative ? fabsf(v) : -v;
        return WEIR_OK;
    }
    case WEIR_DOUBLE: {
        double v = weir_arg(arg, double, row);

        weir_out(out, double, row) = only_negative ? fabs(v) : -v;
        return WEIR_OK;
    }
    case WEIR_DECIMAL: {
        weir_i128 v = weir_decimal_get(arg, weir_arg_row(arg, row));

        weir_decimal_set(out, row, only_negative && v >= 0 ? v : -v);
        return WEIR_OK;
    }
    default: {
        weir_i128 v = math_integer(arg, row);

        return math_integer_checked(call, out, row, only_negative && v >= 0 ? v : -v, err);
    }
    }
}

static weir_rc
abs_of_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
           struct weir_error *err)
{
    return math_flip(call, &args[0], row, out, true, err);
}
WEIR_KERNEL_STRICT(abs_of)

static weir_rc
negative_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
             struct weir_error *err)
{
    return math_flip(call, &args[0], row, out, false, err);
}
WEIR_KERNEL_STRICT(negative)

static weir_rc
math_same(struct weir_resolve *r, weir_kernel *kernel, struct weir_error *err)
{
    const struct weir_type *type;

    WEIR_TRY(math_number(r, 0, &type, err));
    r->type = type;
    r->nullable = r->node->kids[0]->nullable;
    r->plan.kernel = kernel;
    r->plan.may_fail = weir_kind_is_integral(type->kind);
    return WEIR_OK;
}
static weir_rc
resolve_abs(struct weir_resolve *r, struct weir_error *err)
{
    return math_same(r, abs_of, err);
}
static weir_rc
resolve_negative(struct weir_resolve *r, struct weir_error *err)
{
    return math_same(r, negative, err);
}
static weir_rc
resolve_positive(struct weir_resolve *r, struct weir_error *err)
{
    WEIR_TRY(math_same(r, NULL, err));
    r->plan.text = "$1";
    return WEIR_OK;
}

/* Functions of doubles. A function says by NAN_IS_NULL … what has no answer. */

typedef double real_function(double x);
typedef double real_function2(double x, double y);

static weir_rc
real_of(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
        struct weir_error *err)
{
    real_function *const *fn = call->data;

    (void)err;
    for (uint32_t row = 0; row < rows; row++) {
        if (weir_arg_null(&args[0], row))
            weir_value_null(out, row);
        else
            weir_out(out, double, row) = (*fn)(weir_arg(&args[0], double, row));
    }
    return WEIR_OK;
}

static weir_rc
real_of_two(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
            struct weir_error *err)
{
    real_function2 *const *fn = call->data;

    (void)err;
    for (uint32_t row = 0; row < rows; row++) {
        if (weir_arg_null(&args[0], row) || weir_arg_null(&args[1], row))
            weir_value_null(out, row);
        else
            weir_out(out, double, row) =
                (*fn)(weir_arg(&args[0], double, row), weir_arg(&args[1], double, row));
    }
    return WEIR_OK;
}

static double
real_sign(double x)
{
    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;
}
static double
real_cot(double x)
{
    return 1.0 / tan(x);
}
static double
real_sec(double x)
{
    return 1.0 / cos(x);
}
static double
real_csc(double x)
{
    return 1.0 / sin(x);
}
static double
real_asinh(double x)
{
    return isinf(x) && x < 0.0 ? x : log(x + sqrt(x * x + 1.0)); /* Spark's formula, cancellation included */
}
static double
real_acosh(double x)
{
    return log(x + sqrt(x * x - 1.0));
}
static double
real_atanh(double x)
{
    return 0.5 * (log1p(x) - log1p(-x));
}
static double
real_degrees(double x)
{
    return x * 57.29577951308232;
}
static double
real_radians(double x)
{
    return x * 0.017453292519943295;
}
/* Java's Math.pow: what is not a number stays so, but for the power 0. */
static double
real_pow(double x, double y)
{
    if (y == 0.0)
        return 1.0;
    if (isnan(y) || (fabs(x) == 1.0 && isinf(y)))
        return NAN;
    return pow(x, y);
}
static double
real_atan2(double y, double x)
{
    return atan2(y + 0.0, x + 0.0); /* no negative zero */
}

static const struct {
    const char *name;
    real_function *fn;
} reals[] = {
    {"acos", acos},        {"acosh", real_acosh}, {"asin", asin},
    {"asinh", real_asinh}, {"atan", atan},        {"atanh", real_atanh},
    {"cbrt", cbrt},        {"cos", cos},          {"cosh", cosh},
    {"cot", real_cot},     {"csc", real_csc},     {"degrees", real_degrees},
    {"exp", exp},          {"expm1", expm1},      {"radians", real_radians},
    {"rint", rint},        {"sec", real_sec},     {"sign", real_sign},
    {"signum", real_sign}, {"sin", sin},          {"sinh", sinh},
    {"sqrt", sqrt},        {"tan", tan},          {"tanh", tanh},
};

static const struct {
    const char *name;
    real_function2 *fn;
} reals2[] = {
    {"atan2", real_atan2},
    {"hypot", hypot},
    {"pow", real_pow},
    {"power", real_pow},
};

static weir_rc
resolve_real(struct weir_resolve *r, struct weir_error *err)
{
    for (size_t i = 0; i < sizeof(reals) / sizeof(reals[0]); i++)
        if (strcmp(reals[i].name, r->node->text) == 0)
            r->plan.data = &reals[i].fn;
    WEIR_ASSERT(r->plan.data != NULL);
    return weir_resolve_plain(r, "d", &weir_type_double, real_of, err);
}

static weir_rc
resolve_real2(struct weir_resolve *r, struct weir_error *err)
{
    for (size_t i = 0; i < sizeof(reals2) / sizeof(reals2[0]); i++)
        if (strcmp(reals2[i].name, r->node->text) == 0)
            r->plan.data = &reals2[i].fn;
    WEIR_ASSERT(r->plan.data != NULL);
    return weir_resolve_plain(r, "dd", &weir_type_double, real_of_two, err);
}

/* Logarithms: null where they have no value; NaN stays. */

static double
real_log2(double x)
{
    return log(x) / log(2.0);
}

static const struct logarithm {
    const char *name;
    real_function *fn;
    double above; /* arguments up to it are null */
} logarithms[] = {
    {"ln", log, 0.0},       {"log", log, 0.0},        {"log10", log10, 0.0},
    {"log1p", log1p, -1.0}, {"log2", real_log2, 0.0},
};

static weir_rc
logarithm_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
              struct weir_error *err)
{
    const struct logarithm *log_ = call->data;
    double x = weir_arg(&args[0], double, row);

    (void)err;
    if (x <= log_->above)
        weir_value_null(out, row);
    else
        weir_out(out, double, row) = log_->fn(x);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(logarithm)

static weir_rc
log_base_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
             struct weir_error *err)
{
    double base = weir_arg(&args[0], double, row), x = weir_arg(&args[1], double, row);

    (void)call;
    (void)err;
    if (base <= 0.0 || x <= 0.0)
        weir_value_null(out, row);
    else
        weir_out(out, double, row) = log(x) / log(base);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(log_base)

static weir_rc
resolve_logarithm(struct weir_resolve *r, struct weir_error *err)
{
    if (r->node->nkids == 2)
        return weir_resolve_plain(r, "dd", &weir_type_double, log_base, err);
    for (size_t i = 0; i < sizeof(logarithms) / sizeof(logarithms[0]); i++)
        if (strcmp(logarithms[i].name, r->node->text) == 0)
            r->plan.data = &logarithms[i];
    WEIR_ASSERT(r->plan.data != NULL);
    return weir_resolve_plain(r, "d", &weir_type_double, logarithm, err);
}

/* Rounding. */

enum rounding_mode { ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_CEILING, ROUND_FLOOR };

struct rounding {
    enum rounding_mode mode;
    int scale; /* digits kept behind the point; negative: before it */
};

static weir_i128
round_ten_to(int n)
{
    weir_i128 v = 1;

    while (n-- > 0)
        v *= 10;
    return v;
}

/* v / 10^digits, rounded. */
static weir_i128
round_drop(weir_i128 v, int digits, enum rounding_mode mode)
{
    weir_i128 unit, q, rest;

    if (digits <= 0)
        return v;
    if (digits > 38) /* |v| < 10^38 is less than half a unit */
        return mode == ROUND_CEILING && v > 0 ? 1 : mode == ROUND_FLOOR && v < 0 ? -1 : 0;
    unit = round_ten_to(digits);
    q = v / unit;
    rest = v % unit;
    switch (mode) {
    case ROUND_CEILING:
        return rest > 0 ? q + 1 : q;
    case ROUND_FLOOR:
        return rest < 0 ? q - 1 : q;
    default: {
        weir_i128 size = rest < 0 ? -rest : rest,
                  half = unit - size; /* compares 2 * size with unit, in range */
        bool away = size > half || (size == half && (mode == ROUND_HALF_UP || q % 2 != 0));

        return !away ? q : v < 0 ? q - 1 : q + 1;
    }
    }
}

/* The decimal text of a finite double is mant * 10^exp. */
static uint64_t
round_digits(double v, int *exp)
{
    char text[32];
    size_t n = weir_double_print(fabs(v), text);
    uint64_t mant = 0;
    int point = 0;

    *exp = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '.') {
            point = 1;
        } else if (text[i] == 'E') {
            *exp += (int)strtol(text + i + 1, NULL, 10);
            break;
        } else {
            mant = mant * 10 + (uint64_t)(text[i] - '0');
            *exp -= point;
        }
    }
    return mant;
}

/* The rounded value as a decimal text that reads back. */
static void
round_double_text(double v, const struct rounding *how, char text[64])
{
    int exp;
    weir_i128 mant = (weir_i128)round_digits(v, &exp);
    int drop = -how->scale - exp;

    if (v < 0.0)
        mant = -mant;
    if (drop > 0) {
        mant = round_drop(mant, drop, how->mode);
        exp = -how->scale;
    }
    (void)snprintf(text, 64, "%lldE%d", (long long)mant, exp);
}

static weir_rc
round_double(const struct weir_col *arg, const struct rounding *how, uint32_t row, struct weir_col *out)
{
    bool single = arg->type->kind == WEIR_FLOAT;
    double v = single ? (double)weir_arg(arg, float, row) : weir_arg(arg, double, row);
    char text[64];

    if (isfinite(v))
        round_double_text(v, how, text);
    if (!single && (!isfinite(v) || !weir_double_parse(text, strlen(text), &weir_out(out, double, row))))
        weir_out(out, double, row) = v;
    if (single && (!isfinite(v) || !weir_float_parse(text, strlen(text), &weir_out(out, float, row))))
        weir_out(out, float, row) = (float)v;
    return WEIR_OK;
}

static weir_rc
round_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
          struct weir_error *err)
{
    const struct rounding *how = call->data;
    const struct weir_col *arg = &args[0];

    switch (arg->type->kind) {
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
        return round_double(arg, how, row, out);
    case WEIR_DECIMAL: {
        weir_i128 v = weir_decimal_get(arg, weir_arg_row(arg, row));

        v = round_drop(v, arg->type->scale - how->scale, how->mode);
        if (how->scale < 0 && v != 0) /* what is left of v has the digits that 38 leave */
            v = how->scale < -38 ? round_ten_to(38) : v * round_ten_to(-how->scale);
        weir_decimal_set(out, row, v);
        if (v < round_ten_to(out->type->precision) && v > -round_ten_to(out->type->precision))
            return WEIR_OK;
        return WEIR_BAD_IF_ANSI(call, out, row, err, "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
                                "the rounded value has more than %u digits", (unsigned)out->type->precision);
    }
    default: {
        weir_i128 v = math_integer(arg, row);

        if (how->scale >= 0)
            return math_integer_checked(call, out, row, v, err);
        v = how->scale < -20 ? 0 : round_drop(v, -how->scale, how->mode) * round_ten_to(-how->scale);
        return math_integer_checked(call, out, row, v, err);
    }
    }
}

static weir_rc
rounded(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
        struct weir_error *err)
{
    for (uint32_t row = 0; row < rows; row++) {
        if (weir_arg_null(&args[0], row))
            weir_value_null(out, row);
        else
            WEIR_TRY(round_row(call, args, row, out, err));
    }
    return WEIR_OK;
}

/* Spark's type of a decimal that is rounded to `scale` digits. */
static const struct weir_type *
round_decimal_type(struct weir_mem *mem, const struct weir_type *type, int scale)
{
    int whole = type->precision - type->scale + 1, kept = scale < type->scale ? scale : type->scale;

    if (scale < 0)
        return weir_coerce_decimal_bounded(mem, whole > -scale + 1 ? whole : -scale + 1, 0);
    return weir_coerce_decimal_bounded(mem, whole + kept, kept);
}

/* The constant second argument; beyond what any type can tell apart it does not matter. */
static weir_rc
round_scale(struct weir_resolve *r, struct rounding *how, struct weir_error *err)
{
    int64_t scale = 0;

    if (r->node->nkids > 1 && !weir_resolve_long(r, 1, &scale))
        return weir_resolve_refuse(r, 1, "a constant number of digits", err);
    how->scale = scale > 400 ? 400 : scale < -400 ? -400 : (int)scale;
    return WEIR_OK;
}

static weir_rc
round_plan(struct weir_resolve *r, enum rounding_mode mode, const struct weir_type *type,
           struct weir_error *err)
{
    struct rounding *how = weir_mem_zalloc(r->mem, sizeof(*how));

    if (how == NULL)
        return weir_mem_fail(r->mem, sizeof(*how), err);
    how->mode = mode;
    WEIR_TRY(round_scale(r, how, err));
    r->type = type->kind == WEIR_DECIMAL ? round_decimal_type(r->mem, type, how->scale) : type;
    if (r->type == NULL)
        return weir_mem_fail(r->mem, sizeof(*type), err);
    r->plan.kernel = rounded;
    r->plan.data = how;
    r->plan.may_fail = true;
    return WEIR_OK;
}

static weir_rc
resolve_round(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type;

    WEIR_TRY(math_number(r, 0, &type, err));
    return round_plan(r, strcmp(r->node->text, "round") == 0 ? ROUND_HALF_UP : ROUND_HALF_EVEN, type, err);
}

/* ceil and floor of a double are bigints, as Java's (long): NaN is 0, what is beyond stays at the end. */
static weir_rc
whole_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
          struct weir_error *err)
{
    const struct rounding *how = call->data;
    double v = weir_arg(&args[0], double, row);

    (void)err;
    v = how->mode == ROUND_CEILING ? ceil(v) : floor(v);
    if (isnan(v))
        weir_out(out, int64_t, row) = 0;
    else if (v >= 0x1p63)
        weir_out(out, int64_t, row) = INT64_MAX;
    else
        weir_out(out, int64_t, row) = v <= -0x1p63 ? INT64_MIN : (int64_t)v;
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(whole)

/* With a scale everything becomes a decimal first. */
static weir_rc
resolve_whole_scaled(struct weir_resolve *r, enum rounding_mode mode, struct weir_error *err)
{
    const struct weir_type *type = math_arg(r, 0);

    if (type->kind == WEIR_STRING || type->kind == WEIR_VOID)
        type = weir_type_decimal(r->mem, 38, 18);
    else
        type = weir_kind_is_numeric(type->kind) ? weir_coerce_decimal_of(r->mem, type) : NULL;
    if (type == NULL)
        return weir_resolve_refuse(r, 0, "a number", err);
    WEIR_TRY(weir_resolve_cast(r, 0, type, err));
    return round_plan(r, mode, type, err);
}

static weir_rc
resolve_whole(struct weir_resolve *r, struct weir_error *err)
{
    static const struct rounding up = {ROUND_CEILING, 0}, down = {ROUND_FLOOR, 0};
    bool floor_ = strcmp(r->node->text, "floor") == 0;
    const struct weir_type *type = math_arg(r, 0);

    if (r->node->nkids > 1)
        return resolve_whole_scaled(r, floor_ ? ROUND_FLOOR : ROUND_CEILING, err);
    if (weir_kind_is_integral(type->kind))
        return weir_resolve_as_text(r, "l", &weir_type_long, "$1", err);
    if (type->kind == WEIR_DECIMAL) {
        const struct weir_type *same = type->scale == 0 ? type : NULL;

        WEIR_TRY(round_plan(r, floor_ ? ROUND_FLOOR : ROUND_CEILING, type, err));
        r->type = same != NULL ? same : r->type;
        return WEIR_OK;
    }
    r->plan.data = floor_ ? &down : &up;
    return weir_resolve_plain(r, "d", &weir_type_long, whole, err);
}

/* Remainders. */

static weir_rc
resolve_mod(struct weir_resolve *r, struct weir_error *err)
{
    return weir_resolve_instead(r, "%", err);
}

static double
pmod_real(double a, double n)
{
    double rest = fmod(a, n);

    return rest < 0.0 ? fmod(rest + n, n) : rest;
}

static weir_i128
pmod_integer(weir_i128 a, weir_i128 n)
{
    weir_i128 rest = a % n;

    return rest < 0 ? (rest + n) % n : rest;
}

/* Both at the finer scale; a scale apart of which 38 digits leave no room counts as no value. */
static bool
pmod_decimal(const struct weir_col *args, uint32_t row, struct weir_col *out)
{
    int a = args[0].type->scale, b = args[1].type->scale, scale = a > b ? a : b;
    weir_i128 x, y;

    if (__builtin_mul_overflow(weir_decimal_get(&args[0], weir_arg_row(&args[0], row)),
                               round_ten_to(scale - a), &x) ||
        __builtin_mul_overflow(weir_decimal_get(&args[1], weir_arg_row(&args[1], row)),
                               round_ten_to(scale - b), &y))
        return false;
    x = round_drop(pmod_integer(x, y), scale - out->type->scale, ROUND_HALF_UP);
    weir_decimal_set(out, row, x);
    return x < round_ten_to(out->type->precision) && x > -round_ten_to(out->type->precision);
}

static bool
pmod_by_zero(const struct weir_col *n, uint32_t row)
{
    switch (n->type->kind) {
    case WEIR_FLOAT:
        return weir_arg(n, float, row) == 0.0f;
    case WEIR_DOUBLE:
        return weir_arg(n, double, row) == 0.0;
    case WEIR_DECIMAL:
        return weir_decimal_get(n, weir_arg_row(n, row)) == 0;
    default:
        return math_integer(n, row) == 0;
    }
}

static weir_rc
pmod_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
         struct weir_error *err)
{
    if (pmod_by_zero(&args[1], row))
        return WEIR_BAD_IF_ANSI(call, out, row, err, "DIVIDE_BY_ZERO", "pmod by zero");
    switch (args[0].type->kind) {
    case WEIR_FLOAT:
        weir_out(out, float, row) =
            (float)pmod_real((double)weir_arg(&args[0], float, row), (double)weir_arg(&args[1], float, row));
        return WEIR_OK;
    case WEIR_DOUBLE:
        weir_out(out, double, row) =
            pmod_real(weir_arg(&args[0], double, row), weir_arg(&args[1], double, row));
        return WEIR_OK;
    case WEIR_DECIMAL:
        if (pmod_decimal(args, row, out))
            return WEIR_OK;
        return WEIR_BAD_IF_ANSI(call, out, row, err, "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
                                "pmod needs more than 38 digits");
    default:
        (void)math_integer_out(out, row,
                               pmod_integer(math_integer(&args[0], row), math_integer(&args[1], row)));
        return WEIR_OK;
    }
}
WEIR_KERNEL_STRICT(pmod)

/* Types are those of the operator %. */
static weir_rc
resolve_pmod(struct weir_resolve *r, struct weir_error *err)
{
    WEIR_TRY(weir_resolve_instead(r, "%", err));
    r->plan.text = NULL;
    r->plan.prepare = NULL;
    r->plan.data = NULL;
    r->plan.kernel = pmod;
    r->plan.may_fail = true;
    return WEIR_OK;
}

/* The operators that answer null where + - * / % fail. */
static weir_rc
resolve_try(struct weir_resolve *r, struct weir_error *err)
{
    static const char *const names[][2] = {
        {"try_add", "+"}, {"try_subtract", "-"}, {"try_multiply", "*"}, {"try_divide", "/"}, {"try_mod", "%"},
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i][0], r->node->text) != 0)
            continue;
        WEIR_TRY(weir_resolve_instead(r, names[i][1], err));
        r->plan.try_ = true;
        r->nullable = true;
        return WEIR_OK;
    }
    return weir_resolve_unsupported(r, "not known", err);
}

static weir_rc
factorial_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
              struct weir_error *err)
{
    int32_t n = weir_arg(&args[0], int32_t, row);
    int64_t v = 1;

    (void)call;
    (void)err;
    if (n < 0 || n > 20) {
        weir_value_null(out, row);
        return WEIR_OK;
    }
    for (int32_t i = 2; i <= n; i++)
        v *= i;
    weir_out(out, int64_t, row) = v;
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(factorial)

static weir_rc
resolve_factorial(struct weir_resolve *r, struct weir_error *err)
{
    return weir_resolve_plain(r, "i", &weir_type_long, factorial, err);
}

static weir_rc
width_bucket_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                 struct weir_error *err)
{
    double v = weir_arg(&args[0], double, row), from = weir_arg(&args[1], double, row);
    double to = weir_arg(&args[2], double, row);
    int64_t n = weir_arg(&args[3], int64_t, row);
    double low = from < to ? from : to, high = from < to ? to : from;

    (void)call;
    (void)err;
    if (n <= 0 || n == INT64_MAX || isnan(v) || !isfinite(from) || !isfinite(to) || from == to)
        weir_value_null(out, row);
    else if (from < to ? v < low : v > high)
        weir_out(out, int64_t, row) = 0;
    else if (from < to ? v >= high : v <= low)
        weir_out(out, int64_t, row) = n + 1;
    else
        weir_out(out, int64_t, row) =
            (int64_t)((double)n * (from < to ? v - low : high - v) / (high - low)) + 1;
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(width_bucket)

static weir_rc
resolve_width_bucket(struct weir_resolve *r, struct weir_error *err)
{
    return weir_resolve_plain(r, "dddl", &weir_type_long, width_bucket, err);
}

/* Bits and bases. */

enum shift { SHIFT_LEFT, SHIFT_RIGHT, SHIFT_UNSIGNED };

static int64_t
shift_long(int64_t v, unsigned n, enum shift how)
{
    return how == SHIFT_LEFT    ? (int64_t)((uint64_t)v << n)
           : how == SHIFT_RIGHT ? v >> n
                                : (int64_t)((uint64_t)v >> n);
}

static int32_t
shift_int(int32_t v, unsigned n, enum shift how)
{
    return how == SHIFT_LEFT    ? (int32_t)((uint32_t)v << n)
           : how == SHIFT_RIGHT ? v >> n
                                : (int32_t)((uint32_t)v >> n);
}

/* Java counts shifts modulo the width. */
static weir_rc
shift_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
          struct weir_error *err)
{
    const enum shift *how = call->data;
    unsigned n = (unsigned)weir_arg(&args[1], int32_t, row);

    (void)err;
    if (out->type->kind == WEIR_LONG)
        weir_out(out, int64_t, row) = shift_long(weir_arg(&args[0], int64_t, row), n & 63, *how);
    else
        weir_out(out, int32_t, row) = shift_int(weir_arg(&args[0], int32_t, row), n & 31, *how);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(shift)

static weir_rc
resolve_shift(struct weir_resolve *r, struct weir_error *err)
{
    static const enum shift ways[3] = {SHIFT_LEFT, SHIFT_RIGHT, SHIFT_UNSIGNED};
    const char *name = r->node->text;
    bool is_long = math_arg(r, 0)->kind == WEIR_LONG;

    r->plan.data = strcmp(name, "shiftleft") == 0    ? &ways[0]
                   : strcmp(name, "shiftright") == 0 ? &ways[1]
                                                     : &ways[2];
    return weir_resolve_plain(r, is_long ? "li" : "ii", is_long ? &weir_type_long : &weir_type_int, shift,
                              err);
}

static weir_rc
bit_count_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
              struct weir_error *err)
{
    (void)call;
    (void)err;
    weir_out(out, int32_t, row) = __builtin_popcountll((unsigned long long)math_integer(&args[0], row));
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(bit_count)

static weir_rc
resolve_bit_count(struct weir_resolve *r, struct weir_error *err)
{
    weir_kind kind = math_arg(r, 0)->kind;

    if (kind != WEIR_BOOLEAN && !weir_kind_is_integral(kind))
        WEIR_TRY(weir_resolve_want(r, 0, &weir_type_long, err));
    return weir_resolve_plain(r, ".", &weir_type_int, bit_count, err);
}

static weir_rc
bit_get_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
            struct weir_error *err)
{
    int32_t at = weir_arg(&args[1], int32_t, row), bits = (int32_t)weir_type_width(args[0].type) * 8;

    if (at < 0 || at >= bits)
        return weir_call_bad(call, out, row, err, "INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE",
                             "bit %d of a value that has bits 0 to %d", at, bits - 1);
    weir_out(out, int8_t, row) = (int8_t)(math_integer(&args[0], row) >> at & 1);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(bit_get)

static weir_rc
resolve_bit_get(struct weir_resolve *r, struct weir_error *err)
{
    if (!weir_kind_is_integral(math_arg(r, 0)->kind))
        WEIR_TRY(weir_resolve_want(r, 0, &weir_type_long, err));
    r->plan.may_fail = true;
    return weir_resolve_plain(r, ".i", &weir_type_byte, bit_get, err);
}

/* v in that base, from the back of text; returns where it begins. */
static char *
base_print(uint64_t v, unsigned base, char *end)
{
    do
        *--end = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[v % base];
    while ((v /= base) > 0);
    return end;
}

static weir_rc
bin_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
        struct weir_error *err)
{
    char text[64], *at = base_print((uint64_t)weir_arg(&args[0], int64_t, row), 2, text + sizeof(text));

    return weir_out_str(call, out, row, at, (size_t)(text + sizeof(text) - at), err);
}
WEIR_KERNEL_STRICT(bin)

static weir_rc
resolve_bin(struct weir_resolve *r, struct weir_error *err)
{
    return weir_resolve_plain(r, "l", &weir_type_string, bin, err);
}

static unsigned
conv_digit(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    c |= 0x20;
    return c >= 'a' && c <= 'z' ? (unsigned)(c - 'a') + 10 : 99;
}

/* The digits at p up to the first that is none; false: beyond 64 bits, and *out is all ones. */
static bool
conv_read(const char *p, const char *end, unsigned base, uint64_t *out)
{
    uint64_t v = 0;

    for (; p < end && conv_digit(*p) < base; p++) {
        if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
            __builtin_add_overflow(v, (uint64_t)conv_digit(*p), &v)) {
            *out = UINT64_MAX;
            return false;
        }
    }
    *out = v;
    return true;
}

static weir_rc
conv_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
         struct weir_error *err)
{
    int64_t from = weir_arg(&args[1], int32_t, row), to = weir_arg(&args[2], int32_t, row);
    uint64_t base = (uint64_t)(to < 0 ? -to : to), v;
    uint32_t len;
    const char *p = weir_arg_str(&args[0], row, &len), *end = p + len;
    char text[72], *at;
    bool negative;

    while (p < end && *p == ' ')
        p++;
    while (end > p && end[-1] == ' ')
        end--;
    if (from < 2 || from > 36 || base < 2 || base > 36 || p == end) {
        weir_value_null(out, row);
        return WEIR_OK;
    }
    negative = *p == '-';
    if (!conv_read(p + negative, end, (unsigned)from, &v) && call->set->ansi)
        return weir_call_bad(call, out, row, err, "ARITHMETIC_OVERFLOW",
                             "conv: the number is beyond 64 bits");
    if (negative && to > 0)
        v = (int64_t)v < 0 ? UINT64_MAX : -v;
    if (to < 0 && (int64_t)v < 0) {
        v = -v;
        negative = true;
    }
    at = base_print(v, (unsigned)base, text + sizeof(text));
    if (negative && to < 0)
        *--at = '-';
    return weir_out_str(call, out, row, at, (size_t)(text + sizeof(text) - at), err);
}
WEIR_KERNEL_STRICT(conv)

static weir_rc
resolve_conv(struct weir_resolve *r, struct weir_error *err)
{
    r->plan.may_fail = true;
    return weir_resolve_plain(r, "sii", &weir_type_string, conv, err);
}

#define FN(name, min, max, resolve)                                                                          \
    {                                                                                                        \
        name, WEIR_FN_SCALAR, min, max, resolve, NULL, NULL                                                  \
    }
#define FN_NEAR(name, min, max, resolve)                                                                     \
    {                                                                                                        \
        name, WEIR_FN_SCALAR, min, max, resolve, "the last digit may differ", NULL                           \
    }

const struct weir_function weir_functions_math[] = {
    FN("abs", 1, 1, resolve_abs),
    FN_NEAR("acos", 1, 1, resolve_real),
    FN_NEAR("acosh", 1, 1, resolve_real),
    FN_NEAR("asin", 1, 1, resolve_real),
    FN_NEAR("asinh", 1, 1, resolve_real),
    FN_NEAR("atan", 1, 1, resolve_real),
    FN_NEAR("atan2", 2, 2, resolve_real2),
    FN_NEAR("atanh", 1, 1, resolve_real),
    FN("bin", 1, 1, resolve_bin),
    FN("bit_count", 1, 1, resolve_bit_count),
    FN("bit_get", 2, 2, resolve_bit_get),
    FN("bround", 1, 2, resolve_round),
    FN_NEAR("cbrt", 1, 1, resolve_real),
    FN("ceil", 1, 2, resolve_whole),
    FN("ceiling", 1, 2, resolve_whole),
    FN("conv", 3, 3, resolve_conv),
    FN_NEAR("cos", 1, 1, resolve_real),
    FN_NEAR("cosh", 1, 1, resolve_real),
    FN_NEAR("cot", 1, 1, resolve_real),
    FN_NEAR("csc", 1, 1, resolve_real),
    FN("degrees", 1, 1, resolve_real),
    FN_NEAR("exp", 1, 1, resolve_real),
    FN_NEAR("expm1", 1, 1, resolve_real),
    FN("factorial", 1, 1, resolve_factorial),
    FN("floor", 1, 2, resolve_whole),
    FN("getbit", 2, 2, resolve_bit_get),
    FN_NEAR("hypot", 2, 2, resolve_real2),
    FN_NEAR("ln", 1, 1, resolve_logarithm),
    FN_NEAR("log", 1, 2, resolve_logarithm),
    FN_NEAR("log10", 1, 1, resolve_logarithm),
    FN_NEAR("log1p", 1, 1, resolve_logarithm),
    FN_NEAR("log2", 1, 1, resolve_logarithm),
    FN("mod", 2, 2, resolve_mod),
    FN("negative", 1, 1, resolve_negative),
    FN("pmod", 2, 2, resolve_pmod),
    FN("positive", 1, 1, resolve_positive),
    FN_NEAR("pow", 2, 2, resolve_real2),
    FN_NEAR("power", 2, 2, resolve_real2),
    FN("radians", 1, 1, resolve_real),
    FN("rint", 1, 1, resolve_real),
    FN("round", 1, 2, resolve_round),
    FN_NEAR("sec", 1, 1, resolve_real),
    FN("shiftleft", 2, 2, resolve_shift),
    FN("shiftright", 2, 2, resolve_shift),
    FN("shiftrightunsigned", 2, 2, resolve_shift),
    FN("sign", 1, 1, resolve_real),
    FN("signum", 1, 1, resolve_real),
    FN_NEAR("sin", 1, 1, resolve_real),
    FN_NEAR("sinh", 1, 1, resolve_real),
    FN("sqrt", 1, 1, resolve_real),
    FN_NEAR("tan", 1, 1, resolve_real),
    FN_NEAR("tanh", 1, 1, resolve_real),
    FN("try_add", 2, 2, resolve_try),
    FN("try_divide", 2, 2, resolve_try),
    FN("try_mod", 2, 2, resolve_try),
    FN("try_multiply", 2, 2, resolve_try),
    FN("try_subtract", 2, 2, resolve_try),
    FN("width_bucket", 4, 4, resolve_width_bucket),
    {0},
};
