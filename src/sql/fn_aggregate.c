/* Aggregates and window functions: DuckDB computes them; where its type, its overflow or its rounding is not
 * Spark's, a kernel finishes what it gives (plan.text and plan.kernel together, see function.h).
 *
 * 1. A sum is taken in 128 bits and then checked: an overflow in the middle that cancels out is no error
 *    here, while it may be one in Spark, by the order of its rows.
 * 2. Averages of decimals divide exactly, in integers.
 * 3. What DuckDB orders otherwise than Spark (nested values with nulls inside) is collected and compared
 *    here.
 * 4. DISTINCT is printed by the functions that have a meaning for it, all others refuse it.
 * Results that hang on the order of rows (first, collect_list, sums of doubles) are as undefined as in
 * Spark. */
#include <math.h>
#include <stdlib.h>

#include "sql/coerce.h"
#include "sql/value.h"

static bool
agg_is_distinct(const struct weir_resolve *r)
{
    return (r->node->flags & WEIR_NODE_DISTINCT) != 0;
}

static weir_rc
agg_no_distinct(const struct weir_resolve *r, struct weir_error *err)
{
    return agg_is_distinct(r) ? weir_resolve_unsupported(r, "DISTINCT has no meaning here", err) : WEIR_OK;
}

/* text, with "$D" as DISTINCT when the call says so. A text without one refuses it. */
static weir_rc
agg_text(struct weir_resolve *r, const struct weir_type *type, const char *text, struct weir_error *err)
{
    const char *at = strstr(text, "$D");
    const char *word = agg_is_distinct(r) ? "DISTINCT " : "";

    r->type = type;
    if (at == NULL) {
        WEIR_TRY(agg_no_distinct(r, err));
        r->plan.text = text;
        return WEIR_OK;
    }
    r->plan.text = weir_mem_printf(r->mem, "%.*s%s%s", (int)(at - text), text, word, at + 2);
    return r->plan.text != NULL ? WEIR_OK : weir_mem_fail(r->mem, strlen(text) + 16, err);
}

static weir_rc
agg_finish(struct weir_resolve *r, const struct weir_type *type, const char *text,
           const struct weir_type *inner, weir_kernel *kernel, struct weir_error *err)
{
    if (inner == NULL || type == NULL)
        return weir_mem_fail(r->mem, sizeof(*inner), err);
    WEIR_TRY(agg_text(r, type, text, err));
    r->plan.inner = inner;
    r->plan.kernel = kernel;
    return WEIR_OK;
}

static const struct weir_type *
agg_pair(struct weir_mem *mem, const char *a, const struct weir_type *ta, const char *b,
         const struct weir_type *tb)
{
    const struct weir_field fields[2] = {
        {.name = a, .name_len = (uint32_t)strlen(a), .nullable = true, .type = ta},
        {.name = b, .name_len = (uint32_t)strlen(b), .nullable = true, .type = tb},
    };

    return ta == NULL || tb == NULL ? NULL : weir_type_struct(mem, fields, 2);
}

static const struct weir_type *
agg_arg(const struct weir_resolve *r, uint32_t i)
{
    return r->node->kids[i]->type;
}

/* Sums and averages. */

static weir_rc
sum_long_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
             struct weir_error *err)
{
    weir_i128 sum = weir_decimal_get(&args[0], weir_arg_row(&args[0], row));

    weir_out(out, int64_t, row) = (int64_t)sum; /* with ANSI off it wraps, as Spark's does */
    if (sum == (int64_t)sum || (!call->set->ansi && !call->try_))
        return WEIR_OK;
    return weir_call_bad(call, out, row, err, "ARITHMETIC_OVERFLOW",
                         "the sum is beyond a bigint; try_sum gives NULL");
}
WEIR_KERNEL_STRICT(sum_long)

static weir_i128
agg_ten_to(unsigned n)
{
    weir_i128 v = 1;

    while (n-- > 0)
        v *= 10;
    return v;
}

static bool
agg_decimal_fits(weir_i128 v, unsigned precision)
{
    weir_i128 bound = agg_ten_to(precision);

    return v < bound && v > -bound;
}

static weir_rc
agg_decimal_out(struct weir_call *call, struct weir_col *out, uint32_t row, weir_i128 v,
                struct weir_error *err)
{
    if (agg_decimal_fits(v, call->type->precision)) {
        weir_decimal_set(out, row, v);
        return WEIR_OK;
    }
    return WEIR_BAD_IF_ANSI(call, out, row, err, "ARITHMETIC_OVERFLOW", "the result has more than %u digits",
                            (unsigned)call->type->precision);
}

static weir_rc
sum_decimal_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                struct weir_error *err)
{
    return agg_decimal_out(call, out, row, weir_decimal_get(&args[0], weir_arg_row(&args[0], row)), err);
}
WEIR_KERNEL_STRICT(sum_decimal)

static weir_rc
resolve_sum(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type = agg_arg(r, 0);
    struct weir_mem *mem = r->mem;

    r->plan.try_ = strcmp(r->node->text, "try_sum") == 0;
    r->plan.may_fail = !r->plan.try_;
    if (weir_kind_is_integral(type->kind))
        return agg_finish(r, &weir_type_long, "sum($D$1)$O", weir_type_decimal(mem, 38, 0), sum_long, err);
    if (type->kind == WEIR_DECIMAL)
        return agg_finish(r, weir_coerce_decimal_bounded(mem, type->precision + 10, type->scale),
                          "sum($D$1)$O", weir_type_decimal(mem, 38, type->scale), sum_decimal, err);
    r->plan.may_fail = false;
    WEIR_TRY(weir_resolve_want(r, 0, &weir_type_double, err));
    return agg_text(r, &weir_type_double, "sum($D$1)$O", err);
}

/* v * 10^up / n, rounded HALF_UP; false when it is beyond 38 digits. n > 0. */
static bool
agg_divide(weir_i128 v, unsigned up, int64_t n, weir_i128 *out)
{
    weir_i128 scale = agg_ten_to(up), q = v / n, rest = v % n * scale, half = rest % n;

    if (!agg_decimal_fits(q, 38 - up))
        return false;
    q = q * scale + rest / n;
    if (half * 2 >= n)
        q++;
    else if (half * 2 <= -(weir_i128)n)
        q--;
    *out = q;
    return true;
}

static weir_rc
avg_decimal_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                struct weir_error *err)
{
    const struct weir_col *sum = &args[0].kids[0];
    uint32_t at = weir_arg_row(&args[0], row);
    int64_t n = weir_arg(&args[0].kids[1], int64_t, at);
    weir_i128 v;

    if (weir_arg_null(sum, at) || n <= 0) {
        weir_value_null(out, row);
        return WEIR_OK;
    }
    if (!agg_divide(weir_decimal_get(sum, weir_arg_row(sum, at)),
                    (unsigned)(call->type->scale - sum->type->scale), n, &v))
        v = agg_ten_to(38); /* fits no decimal */
    return agg_decimal_out(call, out, row, v, err);
}
WEIR_KERNEL_STRICT(avg_decimal)

static weir_rc
resolve_avg(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type = agg_arg(r, 0);

    if (type->kind == WEIR_DECIMAL) {
        const struct weir_type *sum = weir_type_decimal(r->mem, 38, type->scale);
        const struct weir_type *inner = agg_pair(r->mem, "s", sum, "n", &weir_type_long);

        r->plan.try_ = strcmp(r->node->text, "try_avg") == 0;
        r->plan.may_fail = !r->plan.try_;
        return agg_finish(r, weir_coerce_decimal_bounded(r->mem, type->precision + 4, type->scale + 4),
                          agg_is_distinct(r) ? "{'s': sum(DISTINCT $1)$O, 'n': count($D$1)$O}"
                                             : "{'s': sum($1)$O, 'n': count($D$1)$O}",
                          inner, avg_decimal, err);
    }
    WEIR_TRY(weir_resolve_want(r, 0, &weir_type_double, err));
    return agg_text(r, &weir_type_double, "avg($D$1)$O", err);
}

/* Counts. */

/* Rows in which none of several arguments is null: distinct ones as rows of all of them. */
static weir_rc
resolve_count_several(struct weir_resolve *r, struct weir_error *err)
{
    struct weir_buf buf = WEIR_BUF(WEIR_KIB * 16);
    weir_rc rc = WEIR_OK;

    if (r->node->nkids > 9) /* templates name nine */
        WEIR_GO(weir_resolve_unsupported(r, "more than 9 arguments; count a struct of them", err));
    weir_buf_str(&buf, "count($DCASE WHEN ");
    for (uint32_t i = 0; i < r->node->nkids; i++)
        weir_buf_printf(&buf, "%s$%u IS NOT NULL", i > 0 ? " AND " : "", i + 1);
    weir_buf_str(&buf, " THEN row($*) END)$O");
    WEIR_GO(weir_buf_check(&buf, err));
    WEIR_GO(agg_text(r, &weir_type_long, buf.data, err)); /* copies, as there is a $D */
out:
    weir_buf_fini(&buf);
    return rc;
}

static weir_rc
resolve_count(struct weir_resolve *r, struct weir_error *err)
{
    r->nullable = false;
    if (r->node->nkids == 0 || r->node->kids[0]->kind == WEIR_NODE_STAR)
        return agg_text(r, &weir_type_long, "count(*)$O", err);
    if (r->node->nkids == 1)
        return agg_text(r, &weir_type_long, "count($D$1)$O", err);
    return resolve_count_several(r, err);
}

static weir_rc
resolve_count_if(struct weir_resolve *r, struct weir_error *err)
{
    r->nullable = false;
    WEIR_TRY(weir_resolve_want(r, 0, &weir_type_boolean, err));
    return agg_text(r, &weir_type_long, "count(CASE WHEN $1 THEN 1 END)$O", err);
}

static weir_rc
resolve_approx_count_distinct(struct weir_resolve *r, struct weir_error *err)
{
    r->nullable = false;
    return agg_text(r, &weir_type_long, "approx_count_distinct($1)$O", err);
}

/* Extremes. */

static bool
agg_has_map(const struct weir_type *type)
{
    if (type->kind == WEIR_MAP || type->kind == WEIR_VARIANT)
        return true;
    for (uint32_t i = 0; i < type->nfields; i++)
        if (agg_has_map(type->fields[i].type))
            return true;
    return false;
}

static weir_rc
agg_orderable(const struct weir_resolve *r, uint32_t i, struct weir_error *err)
{
    return agg_has_map(agg_arg(r, i)) ? weir_resolve_refuse(r, i, "a value that has an order", err) : WEIR_OK;
}

/* The least (sign -1) or greatest (1) element that is no null, of the list in args[0]. */
static weir_rc
extreme_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out, int sign,
            struct weir_error *err)
{
    struct weir_list list = weir_arg_list(&args[0], row);
    const struct weir_col *kid = &args[0].kids[0];
    int64_t best = -1;

    for (uint64_t i = list.at; i < list.at + list.n; i++) {
        if (weir_col_is_null(kid, (uint32_t)i))
            continue;
        if (best < 0 || weir_value_compare(kid, (uint32_t)i, kid, (uint32_t)best) * sign > 0)
            best = (int64_t)i;
    }
    if (best >= 0)
        return weir_value_copy(kid, (uint32_t)best, out, row, call->mem, err);
    weir_value_null(out, row);
    return WEIR_OK;
}

static weir_rc
least_of_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
             struct weir_error *err)
{
    return extreme_row(call, args, row, out, -1, err);
}
WEIR_KERNEL_STRICT(least_of)

static weir_rc
greatest_of_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                struct weir_error *err)
{
    return extreme_row(call, args, row, out, 1, err);
}
WEIR_KERNEL_STRICT(greatest_of)

static weir_rc
agg_extreme(struct weir_resolve *r, const char *text, weir_kernel *kernel, struct weir_error *err)
{
    const struct weir_type *type = agg_arg(r, 0);

    WEIR_TRY(agg_orderable(r, 0, err));
    if (weir_kind_is_nested(type->kind))
        return agg_finish(r, type, "list($D$1)$O", weir_type_array(r->mem, type, true), kernel, err);
    return agg_text(r, type, text, err);
}

static weir_rc
resolve_min(struct weir_resolve *r, struct weir_error *err)
{
    return agg_extreme(r, "min($D$1)$O", least_of, err);
}

static weir_rc
resolve_max(struct weir_resolve *r, struct weir_error *err)
{
    return agg_extreme(r, "max($D$1)$O", greatest_of, err);
}

static weir_rc
agg_extreme_by(struct weir_resolve *r, const char *text, struct weir_error *err)
{
    WEIR_TRY(agg_orderable(r, 1, err));
    if (weir_kind_is_nested(agg_arg(r, 1)->kind))
        return weir_resolve_unsupported(r, "ordering by a struct or an array", err);
    return agg_text(r, agg_arg(r, 0), text, err);
}

static weir_rc
resolve_min_by(struct weir_resolve *r, struct weir_error *err)
{
    return agg_extreme_by(r, "arg_min_null($1, $2)$O", err);
}

static weir_rc
resolve_max_by(struct weir_resolve *r, struct weir_error *err)
{
    return agg_extreme_by(r, "arg_max_null($1, $2)$O", err);
}

/* The first and the last value. */

/* IGNORE NULLS, or the second argument true, which is then dropped. */
static weir_rc
agg_ignores_nulls(struct weir_resolve *r, bool *out, struct weir_error *err)
{
    const struct weir_node *flag = r->node->nkids > 1 ? r->node->kids[1] : NULL;

    *out = (r->node->flags & WEIR_NODE_IGNORE_NULLS) != 0;
    if (flag == NULL)
        return WEIR_OK;
    if (flag->kind != WEIR_NODE_LITERAL || flag->type->kind != WEIR_BOOLEAN)
        return weir_resolve_refuse(r, 1, "true or false", err);
    *out = *out || flag->text[0] == 't' || flag->text[0] == 'T';
    r->node->nkids = 1;
    if (*out) /* what tells it from the other, which has the same argument now */
        r->node->flags |= WEIR_NODE_IGNORE_NULLS;
    return WEIR_OK;
}

static weir_rc
agg_edge(struct weir_resolve *r, const char *aggregate, const char *aggregate_ignoring, const char *window,
         const char *window_ignoring, struct weir_error *err)
{
    bool ignores;

    WEIR_TRY(agg_ignores_nulls(r, &ignores, err));
    if (r->over)
        return agg_text(r, agg_arg(r, 0), ignores ? window_ignoring : window, err);
    return agg_text(r, agg_arg(r, 0), ignores ? aggregate_ignoring : aggregate, err);
}

static weir_rc
resolve_first(struct weir_resolve *r, struct weir_error *err)
{
    return agg_edge(r, "first($1)$O", "any_value($1)$O", "first_value($1)$O",
                    "first_value($1 IGNORE NULLS)$O", err);
}

static weir_rc
resolve_last(struct weir_resolve *r, struct weir_error *err)
{
    return agg_edge(r, "last($1)$O", "list_filter(list($1)$O, lambda x: x IS NOT NULL)[-1]",
                    "last_value($1)$O", "last_value($1 IGNORE NULLS)$O", err);
}

/* Collections. */

static weir_rc
resolve_collect_list(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type = weir_type_array(r->mem, agg_arg(r, 0), false);

    r->nullable = false;
    if (type == NULL)
        return weir_mem_fail(r->mem, sizeof(*type), err);
    return agg_text(r, type, "coalesce(list_filter(list($D$1)$O, lambda x: x IS NOT NULL), [])", err);
}

/* Distinct in Spark's sense, without nulls; no rows make an empty list. */
static weir_rc
set_of_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
           struct weir_error *err)
{
    struct weir_list list =
        weir_arg_null(&args[0], row) ? (struct weir_list){0} : weir_arg_list(&args[0], row);
    const struct weir_col *kid = &args[0].kids[0];
    struct weir_value_set set;
    uint32_t at, n = 0;

    WEIR_TRY(weir_value_set_init(&set, call->mem, list.n, err));
    WEIR_TRY(weir_out_list(out, row, list.n, &at, err));
    for (uint64_t i = list.at; i < list.at + list.n; i++)
        if (!weir_col_is_null(kid, (uint32_t)i) && weir_value_set_add(&set, kid, (uint32_t)i))
            WEIR_TRY(weir_value_copy(kid, (uint32_t)i, &out->kids[0], at + n++, call->mem, err));
    weir_out_list_end(out, row, n);
    return WEIR_OK;
}
WEIR_KERNEL_ALL(set_of)

static weir_rc
resolve_collect_set(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *inner = weir_type_array(r->mem, agg_arg(r, 0), true);
    const struct weir_type *type = weir_type_array(r->mem, agg_arg(r, 0), false);

    r->nullable = false;
    if (agg_has_map(agg_arg(r, 0)))
        return weir_resolve_refuse(r, 0, "a value without maps", err);
    r->node->flags &= ~(uint32_t)WEIR_NODE_DISTINCT; /* it is one */
    return agg_finish(r, type, "list(DISTINCT $1)$O", inner, set_of, err);
}

static weir_rc
resolve_listagg(struct weir_resolve *r, struct weir_error *err)
{
    WEIR_TRY(weir_resolve_want(r, 0, &weir_type_string, err));
    if (r->node->nkids == 1)
        return agg_text(r, &weir_type_string, "string_agg($D$1, '')$O", err);
    if (weir_resolve_text(r, 1) == NULL)
        return weir_resolve_refuse(r, 1, "a constant string", err);
    return agg_text(r, &weir_type_string, "string_agg($D$1, $2)$O", err);
}

/* Statistics. DuckDB raises an error for what is not finite, where Spark answers NaN. */

static weir_rc
agg_moments(struct weir_resolve *r, const char *name, struct weir_error *err)
{
    WEIR_TRY(weir_resolve_want(r, 0, &weir_type_double, err));
    r->plan.text = weir_mem_printf(r->mem,
                                   "CASE WHEN bool_or(NOT isfinite($1))$O THEN CAST('NaN' AS DOUBLE) "
                                   "ELSE %s(CASE WHEN isfinite($1) THEN $1 END)$O END",
                                   name);
    if (r->plan.text == NULL)
        return weir_mem_fail(r->mem, 256, err);
    return agg_text(r, &weir_type_double, r->plan.text, err);
}

static weir_rc
resolve_stddev_samp(struct weir_resolve *r, struct weir_error *err)
{
    return agg_moments(r, "stddev_samp", err);
}
static weir_rc
resolve_stddev_pop(struct weir_resolve *r, struct weir_error *err)
{
    return agg_moments(r, "stddev_pop", err);
}
static weir_rc
resolve_var_samp(struct weir_resolve *r, struct weir_error *err)
{
    return agg_moments(r, "var_samp", err);
}
static weir_rc
resolve_var_pop(struct weir_resolve *r, struct weir_error *err)
{
    return agg_moments(r, "var_pop", err);
}

/* Two columns: rows with a null in either do not count; fewer than `least` rows have no answer. */
static weir_rc
agg_covariance(struct weir_resolve *r, const char *name, int least, struct weir_error *err)
{
    WEIR_TRY(weir_resolve_want(r, 0, &weir_type_double, err));
    WEIR_TRY(weir_resolve_want(r, 1, &weir_type_double, err));
    r->plan.text = weir_mem_printf(r->mem,
                                   "CASE WHEN regr_count($1, $2)$O < %d THEN NULL "
                                   "WHEN bool_or(NOT isfinite($1 + $2))$O THEN CAST('NaN' AS DOUBLE) "
                                   "ELSE %s(CASE WHEN isfinite($1 + $2) THEN $1 END, $2)$O END",
                                   least, name);
    if (r->plan.text == NULL)
        return weir_mem_fail(r->mem, 256, err);
    return agg_text(r, &weir_type_double, r->plan.text, err);
}

static weir_rc
resolve_corr(struct weir_resolve *r, struct weir_error *err)
{
    return agg_covariance(r, "corr", 2, err);
}
static weir_rc
resolve_covar_samp(struct weir_resolve *r, struct weir_error *err)
{
    return agg_covariance(r, "covar_samp", 2, err);
}
static weir_rc
resolve_covar_pop(struct weir_resolve *r, struct weir_error *err)
{
    return agg_covariance(r, "covar_pop", 1, err);
}

/* Sums of powers of the distances from the mean of the doubles in a list, nulls left out. */
static uint64_t
agg_central(const struct weir_col *col, uint32_t row, double *m2, double *m3, double *m4)
{
    struct weir_list list = weir_arg_list(col, row);
    const struct weir_col *kid = &col->kids[0];
    double mean = 0.0;
    uint64_t n = 0;

    for (uint64_t i = list.at; i < list.at + list.n; i++)
        if (!weir_col_is_null(kid, (uint32_t)i)) /* a running mean: no overflow before the values have one */
            mean += (weir_arg(kid, double, (uint32_t)i) - mean) / (double)++n;
    *m2 = *m3 = *m4 = 0.0;
    for (uint64_t i = list.at; i < list.at + list.n; i++) {
        double d;

        if (weir_col_is_null(kid, (uint32_t)i))
            continue;
        d = weir_arg(kid, double, (uint32_t)i) - mean;
        *m2 += d * d;
        *m3 += d * d * d;
        *m4 += d * d * d * d;
    }
    return n;
}

static weir_rc
skewness_of_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                struct weir_error *err)
{
    double m2, m3, m4;
    uint64_t n = agg_central(&args[0], row, &m2, &m3, &m4);

    (void)call;
    (void)err;
    if (n == 0 || m2 == 0.0)
        weir_value_null(out, row);
    else
        weir_out(out, double, row) = sqrt((double)n) * m3 / sqrt(m2 * m2 * m2);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(skewness_of)

static weir_rc
kurtosis_of_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                struct weir_error *err)
{
    double m2, m3, m4;
    uint64_t n = agg_central(&args[0], row, &m2, &m3, &m4);

    (void)call;
    (void)err;
    if (n == 0 || m2 == 0.0)
        weir_value_null(out, row);
    else
        weir_out(out, double, row) = (double)n * m4 / (m2 * m2) - 3.0;
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(kurtosis_of)

static weir_rc
agg_of_doubles(struct weir_resolve *r, weir_kernel *kernel, struct weir_error *err)
{
    WEIR_TRY(weir_resolve_want(r, 0, &weir_type_double, err));
    return agg_finish(r, &weir_type_double, "list($D$1)$O", weir_type_array(r->mem, &weir_type_double, true),
                      kernel, err);
}

static weir_rc
resolve_skewness(struct weir_resolve *r, struct weir_error *err)
{
    return agg_of_doubles(r, skewness_of, err);
}
static weir_rc
resolve_kurtosis(struct weir_resolve *r, struct weir_error *err)
{
    return agg_of_doubles(r, kurtosis_of, err);
}

/* Percentiles. The inner value is {v: the list, p: one fraction or an array of them}. */

struct rank { /* rows of a list, ascending, nulls left out */
    const struct weir_col *kid;
    uint32_t *at;
    uint64_t n;
};

static int
rank_order(const void *a, const void *b, void *kid)
{
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

    return weir_value_compare(kid, i, kid, j);
}

static weir_rc
rank_make(struct weir_call *call, const struct weir_col *col, uint32_t row, struct rank *out,
          struct weir_error *err)
{
    struct weir_list list = weir_arg_null(col, row) ? (struct weir_list){0} : weir_arg_list(col, row);

    *out = (struct rank){.kid = &col->kids[0], .at = weir_mem_alloc(call->mem, list.n * sizeof(*out->at))};
    if (out->at == NULL)
        return weir_mem_fail(call->mem, list.n * sizeof(*out->at), err);
    for (uint64_t i = list.at; i < list.at + list.n; i++)
        if (!weir_col_is_null(out->kid, (uint32_t)i))
            out->at[out->n++] = (uint32_t)i;
    qsort_r(out->at, out->n, sizeof(*out->at), rank_order, &col->kids[0]);
    return WEIR_OK;
}

/* Between the two nearest ranks, as Spark's Percentile. */
static double
rank_between(const struct rank *rank, double p)
{
    double position = (double)(rank->n - 1) * p, low = floor(position), high = ceil(position);
    double a = weir_arg(rank->kid, double, rank->at[(uint64_t)low]);
    double b = weir_arg(rank->kid, double, rank->at[(uint64_t)high]);

    if (low == high || a == b)
        return a;
    return (high - position) * a + (position - low) * b;
}

static weir_rc
rank_percentile(struct weir_call *call, const struct rank *rank, double p, struct weir_col *out, uint32_t row,
                struct weir_error *err)
{
    uint64_t at;

    if (!(p >= 0.0 && p <= 1.0))
        return weir_fail(err, WEIR_USAGE,
                         "[DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE] a percentage is from 0.0 to 1.0");
    if (rank->kid->type->kind == WEIR_DOUBLE && out->type->kind == WEIR_DOUBLE && call->data == NULL) {
        weir_out(out, double, row) = rank_between(rank, p);
        return WEIR_OK;
    }
    at = (uint64_t)ceil(p * (double)rank->n);
    return weir_value_copy(rank->kid, rank->at[at > 0 ? at - 1 : 0], out, row, call->mem, err);
}

/* One result, or an array of them, by the form of p. */
static weir_rc
percentile_of_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                  struct weir_error *err)
{
    const struct weir_col *p = &args[0].kids[1];
    uint32_t in = weir_arg_row(&args[0], row), at;
    struct weir_list list;
    struct rank rank;

    WEIR_TRY(rank_make(call, &args[0].kids[0], in, &rank, err));
    if (rank.n == 0 || weir_arg_null(p, in)) {
        weir_value_null(out, row);
        return WEIR_OK;
    }
    if (p->type->kind != WEIR_ARRAY)
        return rank_percentile(call, &rank, weir_arg(p, double, in), out, row, err);
    list = weir_arg_list(p, in);
    WEIR_TRY(weir_out_list(out, row, list.n, &at, err));
    for (uint32_t i = 0; i < list.n; i++)
        WEIR_TRY(rank_percentile(call, &rank, weir_arg(&p->kids[0], double, (uint32_t)list.at + i),
                                 &out->kids[0], at + i, err));
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(percentile_of)

/* percentile_approx(): the value of a rank, never one in between; told apart by data. */
static weir_rc
percentile_exact_rank(const struct weir_call *call, const struct weir_col *const *constants,
                      struct weir_mem *mem, const void **data, struct weir_error *err)
{
    static const bool yes = true;

    (void)call;
    (void)constants;
    (void)mem;
    (void)err;
    *data = &yes;
    return WEIR_OK;
}

static weir_rc
agg_percentile(struct weir_resolve *r, const struct weir_type *element, const char *text,
               struct weir_error *err)
{
    const struct weir_type *p = &weir_type_double, *type = element,
                           *list = weir_type_array(r->mem, element, true);

    if (r->node->nkids > 1 && agg_arg(r, 1)->kind == WEIR_ARRAY) {
        p = weir_type_array(r->mem, &weir_type_double, false);
        type = weir_type_array(r->mem, element, false);
    }
    if (p == NULL || type == NULL || list == NULL)
        return weir_mem_fail(r->mem, sizeof(*p), err);
    if (r->node->nkids > 1)
        WEIR_TRY(weir_resolve_want(r, 1, p, err));
    return agg_finish(r, type, text, agg_pair(r->mem, "v", list, "p", p), percentile_of, err);
}

static weir_rc
resolve_percentile(struct weir_resolve *r, struct weir_error *err)
{
    if (r->node->nkids > 2)
        return weir_resolve_unsupported(r, "frequencies (a third argument) are not read", err);
    WEIR_TRY(weir_resolve_want(r, 0, &weir_type_double, err));
    return agg_percentile(r, &weir_type_double, "{'v': list($D$1)$O, 'p': $2}", err);
}

static weir_rc
resolve_median(struct weir_resolve *r, struct weir_error *err)
{
    WEIR_TRY(weir_resolve_want(r, 0, &weir_type_double, err));
    return agg_percentile(r, &weir_type_double, "{'v': list($D$1)$O, 'p': CAST(0.5 AS DOUBLE)}", err);
}

static weir_rc
resolve_percentile_approx(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type = agg_arg(r, 0);

    if (type->kind == WEIR_STRING || type->kind == WEIR_VOID) {
        type = &weir_type_double;
        WEIR_TRY(weir_resolve_want(r, 0, type, err));
    }
    if (!weir_kind_is_numeric(type->kind) && !weir_kind_is_datetime(type->kind))
        return weir_resolve_refuse(r, 0, "a number, a date or a timestamp", err);
    r->plan.prepare = percentile_exact_rank;
    return agg_percentile(r, type, "{'v': list($D$1)$O, 'p': $2}", err);
}

static weir_rc
resolve_mode(struct weir_resolve *r, struct weir_error *err)
{
    return agg_text(r, agg_arg(r, 0), "mode($1)$O", err);
}

/* Booleans, bits, grouping. */

static weir_rc
agg_boolean(struct weir_resolve *r, const char *text, struct weir_error *err)
{
    WEIR_TRY(weir_resolve_want(r, 0, &weir_type_boolean, err));
    return agg_text(r, &weir_type_boolean, text, err);
}
static weir_rc
resolve_bool_and(struct weir_resolve *r, struct weir_error *err)
{
    return agg_boolean(r, "bool_and($D$1)$O", err);
}
static weir_rc
resolve_bool_or(struct weir_resolve *r, struct weir_error *err)
{
    return agg_boolean(r, "bool_or($D$1)$O", err);
}

static weir_rc
agg_bits(struct weir_resolve *r, const char *text, struct weir_error *err)
{
    if (!weir_kind_is_integral(agg_arg(r, 0)->kind))
        return weir_resolve_refuse(r, 0, "an integer", err);
    return agg_text(r, agg_arg(r, 0), text, err);
}
static weir_rc
resolve_bit_and(struct weir_resolve *r, struct weir_error *err)
{
    return agg_bits(r, "bit_and($D$1)$O", err);
}
static weir_rc
resolve_bit_or(struct weir_resolve *r, struct weir_error *err)
{
    return agg_bits(r, "bit_or($D$1)$O", err);
}
static weir_rc
resolve_bit_xor(struct weir_resolve *r, struct weir_error *err)
{
    return agg_bits(r, "bit_xor($D$1)$O", err);
}

static weir_rc
resolve_grouping(struct weir_resolve *r, struct weir_error *err)
{
    r->nullable = false;
    return agg_text(r, &weir_type_byte, "grouping($1)", err);
}

static weir_rc
resolve_grouping_id(struct weir_resolve *r, struct weir_error *err)
{
    r->nullable = false;
    if (r->node->nkids == 0)
        return weir_resolve_unsupported(r, "name the grouping columns as its arguments", err);
    return agg_text(r, &weir_type_long, "grouping($*)", err);
}

/* Window functions. */

static weir_rc
window_text(struct weir_resolve *r, const struct weir_type *type, const char *text, struct weir_error *err)
{
    if (!r->over)
        return weir_fail(err, WEIR_SCHEMA, "%s() is a window function: it wants OVER (…)", r->node->text);
    return agg_text(r, type, text, err);
}

static weir_rc
resolve_row_number(struct weir_resolve *r, struct weir_error *err)
{
    r->nullable = false;
    return window_text(r, &weir_type_int, "row_number()$O", err);
}
static weir_rc
resolve_rank(struct weir_resolve *r, struct weir_error *err)
{
    r->nullable = false;
    return window_text(r, &weir_type_int, "rank()$O", err);
}
static weir_rc
resolve_dense_rank(struct weir_resolve *r, struct weir_error *err)
{
    r->nullable = false;
    return window_text(r, &weir_type_int, "dense_rank()$O", err);
}
static weir_rc
resolve_percent_rank(struct weir_resolve *r, struct weir_error *err)
{
    r->nullable = false;
    return window_text(r, &weir_type_double, "percent_rank()$O", err);
}
static weir_rc
resolve_cume_dist(struct weir_resolve *r, struct weir_error *err)
{
    r->nullable = false;
    return window_text(r, &weir_type_double, "cume_dist()$O", err);
}

static weir_rc
resolve_ntile(struct weir_resolve *r, struct weir_error *err)
{
    int64_t n = 1;

    if (r->node->nkids == 0)
        return window_text(r, &weir_type_int, "ntile(1)$O", err);
    if (!weir_resolve_long(r, 0, &n) || n < 1 || n > INT32_MAX)
        return weir_resolve_refuse(r, 0, "a constant number of buckets above 0", err);
    return window_text(r, &weir_type_int, "ntile($1)$O", err);
}

/* lag and lead: the offset is a constant, the default has the type of the value. */
static weir_rc
window_shift(struct weir_resolve *r, const char *name, struct weir_error *err)
{
    static const char *const args[4] = {"", "$1, 1", "$1, $2", "$1, $2, $3"};
    bool ignores = (r->node->flags & WEIR_NODE_IGNORE_NULLS) != 0;
    const char *text;
    int64_t n;

    if (r->node->nkids > 1 && !weir_resolve_long(r, 1, &n))
        return weir_resolve_refuse(r, 1, "a constant offset", err);
    if (r->node->nkids > 2)
        WEIR_TRY(weir_resolve_want(r, 2, agg_arg(r, 0), err));
    text = weir_mem_printf(r->mem, "%s(%s%s)$O", name, args[r->node->nkids], ignores ? " IGNORE NULLS" : "");
    if (text == NULL)
        return weir_mem_fail(r->mem, 64, err);
    return window_text(r, agg_arg(r, 0), text, err);
}

static weir_rc
resolve_lag(struct weir_resolve *r, struct weir_error *err)
{
    return window_shift(r, "lag", err);
}
static weir_rc
resolve_lead(struct weir_resolve *r, struct weir_error *err)
{
    return window_shift(r, "lead", err);
}

static weir_rc
resolve_nth_value(struct weir_resolve *r, struct weir_error *err)
{
    bool ignores = (r->node->flags & WEIR_NODE_IGNORE_NULLS) != 0;
    int64_t n;

    if (!weir_resolve_long(r, 1, &n) || n < 1)
        return weir_resolve_refuse(r, 1, "a constant position above 0", err);
    return window_text(r, agg_arg(r, 0), ignores ? "nth_value($1, $2 IGNORE NULLS)$O" : "nth_value($1, $2)$O",
                       err);
}

#define AGG(name, min, max, resolve, differs)                                                                \
    {                                                                                                        \
        name, WEIR_FN_AGGREGATE, min, max, resolve, differs, NULL                                            \
    }
#define WIN(name, min, max, resolve)                                                                         \
    {                                                                                                        \
        name, WEIR_FN_WINDOW, min, max, resolve, NULL, NULL                                                  \
    }

static const char ORDER_OF_ROWS[] = "same, but for the last digits, which hang on the order of rows";
static const char APPROX[] =
    "DuckDB's sketch: an estimate of like quality, not the same number; the wanted error is "
    "not taken";
static const char EXACT_RANK[] = "the exact rank, not an approximation; accuracy is not needed";
static const char ONE_NAN[] = "NaN is kept once";
static const char CORR[] = "same, but for the last digits; NaN where a column is constant, with ANSI on too";
static const char MODE_TIES[] = "any one of several most frequent values";

const struct weir_function weir_functions_aggregate[] = {
    AGG("any", 1, 1, resolve_bool_or, NULL),
    AGG("any_value", 1, 2, resolve_first, NULL),
    AGG("approx_count_distinct", 1, 1, resolve_approx_count_distinct, APPROX),
    AGG("approx_percentile", 2, 3, resolve_percentile_approx, EXACT_RANK),
    AGG("array_agg", 1, 1, resolve_collect_list, NULL),
    AGG("avg", 1, 1, resolve_avg, NULL),
    AGG("bit_and", 1, 1, resolve_bit_and, NULL),
    AGG("bit_or", 1, 1, resolve_bit_or, NULL),
    AGG("bit_xor", 1, 1, resolve_bit_xor, NULL),
    AGG("bool_and", 1, 1, resolve_bool_and, NULL),
    AGG("bool_or", 1, 1, resolve_bool_or, NULL),
    AGG("collect_list", 1, 1, resolve_collect_list, NULL),
    AGG("collect_set", 1, 1, resolve_collect_set, ONE_NAN),
    AGG("corr", 2, 2, resolve_corr, CORR),
    AGG("count", 0, 255, resolve_count, NULL),
    AGG("count_if", 1, 1, resolve_count_if, NULL),
    AGG("covar_pop", 2, 2, resolve_covar_pop, ORDER_OF_ROWS),
    AGG("covar_samp", 2, 2, resolve_covar_samp, ORDER_OF_ROWS),
    WIN("cume_dist", 0, 0, resolve_cume_dist),
    WIN("dense_rank", 0, 0, resolve_dense_rank),
    AGG("every", 1, 1, resolve_bool_and, NULL),
    AGG("first", 1, 2, resolve_first, NULL),
    AGG("first_value", 1, 2, resolve_first, NULL),
    AGG("grouping", 1, 1, resolve_grouping, NULL),
    AGG("grouping_id", 0, 255, resolve_grouping_id, NULL),
    AGG("kurtosis", 1, 1, resolve_kurtosis, ORDER_OF_ROWS),
    WIN("lag", 1, 3, resolve_lag),
    AGG("last", 1, 2, resolve_last, NULL),
    AGG("last_value", 1, 2, resolve_last, NULL),
    WIN("lead", 1, 3, resolve_lead),
    AGG("listagg", 1, 2, resolve_listagg, NULL),
    AGG("max", 1, 1, resolve_max, NULL),
    AGG("max_by", 2, 2, resolve_max_by, NULL),
    AGG("mean", 1, 1, resolve_avg, NULL),
    AGG("median", 1, 1, resolve_median, NULL),
    AGG("min", 1, 1, resolve_min, NULL),
    AGG("min_by", 2, 2, resolve_min_by, NULL),
    AGG("mode", 1, 1, resolve_mode, MODE_TIES),
    WIN("nth_value", 2, 2, resolve_nth_value),
    WIN("ntile", 0, 1, resolve_ntile),
    WIN("percent_rank", 0, 0, resolve_percent_rank),
    AGG("percentile", 2, 3, resolve_percentile, NULL),
    AGG("percentile_approx", 2, 3, resolve_percentile_approx, EXACT_RANK),
    WIN("rank", 0, 0, resolve_rank),
    WIN("row_number", 0, 0, resolve_row_number),
    AGG("skewness", 1, 1, resolve_skewness, ORDER_OF_ROWS),
    AGG("some", 1, 1, resolve_bool_or, NULL),
    AGG("std", 1, 1, resolve_stddev_samp, ORDER_OF_ROWS),
    AGG("stddev", 1, 1, resolve_stddev_samp, ORDER_OF_ROWS),
    AGG("stddev_pop", 1, 1, resolve_stddev_pop, ORDER_OF_ROWS),
    AGG("stddev_samp", 1, 1, resolve_stddev_samp, ORDER_OF_ROWS),
    AGG("string_agg", 1, 2, resolve_listagg, NULL),
    AGG("sum", 1, 1, resolve_sum, NULL),
    AGG("try_avg", 1, 1, resolve_avg, NULL),
    AGG("try_sum", 1, 1, resolve_sum, NULL),
    AGG("var_pop", 1, 1, resolve_var_pop, ORDER_OF_ROWS),
    AGG("var_samp", 1, 1, resolve_var_samp, ORDER_OF_ROWS),
    AGG("variance", 1, 1, resolve_var_samp, ORDER_OF_ROWS),
    {0},
};
