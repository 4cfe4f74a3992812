/* Choice among values: by null, by condition, by order; and what is left: constants, types, errors, chance.
 *
 * 1. What must not evaluate all its arguments (if, coalesce, nvl …) is a text: DuckDB's CASE is lazy per row.
 * 2. An error that is asked for is the kernel's, so it comes back as it was, with Spark's class.
 * 3. Functions that would say something about partitions or files that are not there are refused, with the
 *    reason. */
#include "sql/coerce.h"
#include "sql/value.h"

static const struct weir_type *
choice_arg(const struct weir_resolve *r, uint32_t i)
{
    return r->node->kids[i]->type;
}

/* Choice among values. */

static weir_rc
choice_extreme(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
               int sign, struct weir_error *err)
{
    const struct weir_col *best = NULL;

    for (uint32_t i = 0; i < call->nargs; i++)
        if (!weir_arg_null(&args[i], row) &&
            (best == NULL || weir_value_compare(&args[i], row, best, row) * sign > 0))
            best = &args[i];
    if (best != NULL)
        return weir_value_copy(best, row, out, row, call->mem, err);
    weir_value_null(out, row);
    return WEIR_OK;
}

static weir_rc
greatest_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
             struct weir_error *err)
{
    return choice_extreme(call, args, row, out, 1, err);
}
WEIR_KERNEL_ALL(greatest)

static weir_rc
least_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
          struct weir_error *err)
{
    return choice_extreme(call, args, row, out, -1, err);
}
WEIR_KERNEL_ALL(least)

static weir_rc
resolve_choose(struct weir_resolve *r, struct weir_error *err)
{
    WEIR_TRY(weir_resolve_common(r, 0, r->node->nkids, &r->type, err));
    if (r->type->kind == WEIR_MAP || r->type->kind == WEIR_VARIANT)
        return weir_resolve_refuse(r, 0, "a value that has an order", err);
    r->plan.kernel = strcmp(r->node->text, "greatest") == 0 ? greatest : least;
    return WEIR_OK;
}

static weir_rc
choice_text(struct weir_resolve *r, uint32_t from, const char *text, struct weir_error *err)
{
    WEIR_TRY(weir_resolve_common(r, from, r->node->nkids, &r->type, err));
    r->plan.text = text;
    return WEIR_OK;
}

static weir_rc
resolve_coalesce(struct weir_resolve *r, struct weir_error *err)
{
    r->nullable = true;
    for (uint32_t i = 0; i < r->node->nkids; i++)
        r->nullable = r->nullable && r->node->kids[i]->nullable;
    return choice_text(r, 0, "coalesce($*)", err);
}

static weir_rc
resolve_nvl2(struct weir_resolve *r, struct weir_error *err)
{
    return choice_text(r, 1, "CASE WHEN $1 IS NOT NULL THEN $2 ELSE $3 END", err);
}

static weir_rc
resolve_if(struct weir_resolve *r, struct weir_error *err)
{
    WEIR_TRY(weir_resolve_want(r, 0, &weir_type_boolean, err));
    return choice_text(r, 1, "CASE WHEN $1 THEN $2 ELSE $3 END", err);
}

/* nullif(a, b): compared by "=", so a CALL of it is the first kid; the answer keeps the type of a. */
static weir_rc
resolve_nullif(struct weir_resolve *r, struct weir_error *err)
{
    struct weir_node *same, **kids = weir_mem_alloc(r->mem, 2 * sizeof(kids[0]));

    if (kids == NULL)
        return weir_mem_fail(r->mem, 2 * sizeof(kids[0]), err);
    WEIR_TRY(weir_resolve_call(r, "=", r->node->kids, 2, &same, err));
    kids[0] = same;
    kids[1] = r->node->kids[0];
    r->node->kids = kids;
    r->type = kids[1]->type;
    r->plan.text = "CASE WHEN $1 THEN NULL ELSE $2 END";
    return WEIR_OK;
}

static weir_rc
resolve_isnull(struct weir_resolve *r, struct weir_error *err)
{
    r->nullable = false;
    return weir_resolve_as_text(r, ".", &weir_type_boolean,
                                strcmp(r->node->text, "isnull") == 0 ? "($1 IS NULL)" : "($1 IS NOT NULL)",
                                err);
}

static weir_rc
resolve_equal_null(struct weir_resolve *r, struct weir_error *err)
{
    return weir_resolve_instead(r, "<=>", err);
}

static weir_rc
resolve_isnan(struct weir_resolve *r, struct weir_error *err)
{
    r->nullable = false;
    if (choice_arg(r, 0)->kind != WEIR_FLOAT)
        WEIR_TRY(weir_resolve_want(r, 0, &weir_type_double, err));
    return weir_resolve_as_text(r, ".", &weir_type_boolean, "coalesce(isnan($1), false)", err);
}

static weir_rc
resolve_nanvl(struct weir_resolve *r, struct weir_error *err)
{
    bool single = choice_arg(r, 0)->kind == WEIR_FLOAT && choice_arg(r, 1)->kind == WEIR_FLOAT;

    if (single)
        return weir_resolve_as_text(r, "..", &weir_type_float, "CASE WHEN isnan($1) THEN $2 ELSE $1 END",
                                    err);
    return weir_resolve_as_text(r, "dd", &weir_type_double, "CASE WHEN isnan($1) THEN $2 ELSE $1 END", err);
}

/* Constants, types, errors, chance. */

static weir_rc
resolve_e(struct weir_resolve *r, struct weir_error *err)
{
    r->nullable = false;
    return weir_resolve_as_text(r, "", &weir_type_double, "CAST('2.718281828459045' AS DOUBLE)", err);
}
static weir_rc
resolve_pi(struct weir_resolve *r, struct weir_error *err)
{
    r->nullable = false;
    return weir_resolve_as_text(r, "", &weir_type_double, "CAST('3.141592653589793' AS DOUBLE)", err);
}

static weir_rc
resolve_typeof(struct weir_resolve *r, struct weir_error *err)
{
    struct weir_buf name = WEIR_BUF(WEIR_MIB), text = WEIR_BUF(WEIR_MIB);
    weir_rc rc = WEIR_OK;

    weir_type_print_simple(choice_arg(r, 0), &name);
    weir_buf_byte(&text, '\'');
    for (size_t i = 0; i < name.len; i++) {
        if (name.data[i] == '\'' || name.data[i] == '$') /* a quote of SQL, a dollar of templates */
            weir_buf_byte(&text, name.data[i]);
        weir_buf_byte(&text, name.data[i]);
    }
    weir_buf_byte(&text, '\'');
    WEIR_GO(weir_buf_check(&name, err));
    WEIR_GO(weir_buf_check(&text, err));
    r->type = &weir_type_string;
    r->nullable = false;
    r->plan.text = weir_mem_strndup(r->mem, text.data, text.len);
    if (r->plan.text == NULL)
        WEIR_GO(weir_mem_fail(r->mem, text.len, err));
out:
    weir_buf_fini(&name);
    weir_buf_fini(&text);
    return rc;
}

/* Fails unless args[0] is true; the text is args[1]. The answer is always null. */
static weir_rc
demand_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
           struct weir_error *err)
{
    uint32_t len = 4;
    const char *text = weir_arg_null(&args[1], row) ? "null" : weir_arg_str(&args[1], row, &len);

    weir_value_null(out, row);
    if (!weir_arg_null(&args[0], row) && weir_arg(&args[0], uint8_t, row))
        return WEIR_OK;
    return weir_call_bad(call, out, row, err, "USER_RAISED_EXCEPTION", "%.*s", (int)(len < 200 ? len : 200),
                         text);
}
WEIR_KERNEL_ALL(demand)

/* The kernel's string, always null, becomes a NULL of any type; print.c keeps what may fail. */
static weir_rc
choice_demand(struct weir_resolve *r, struct weir_node *condition, struct weir_node *text,
              struct weir_error *err)
{
    static const struct weir_type *const types[2] = {&weir_type_boolean, &weir_type_string};
    struct weir_node *kids[2] = {condition, text}, *call;

    if (condition == NULL || text == NULL)
        return weir_mem_fail(r->mem, sizeof(*text), err);
    WEIR_TRY(weir_resolve_kernel(r, demand, NULL, &weir_type_string, kids, 2, types, &call, err));
    call->plan->is_volatile = true; /* it is wanted for what it does */
    r->node->kids[0] = call;
    r->node->nkids = 1;
    r->type = &weir_type_void;
    r->plan.text = "$1";
    r->plan.exact = true;
    r->plan.may_fail = true;
    return WEIR_OK;
}

static weir_rc
resolve_assert_true(struct weir_resolve *r, struct weir_error *err)
{
    struct weir_node **kids = r->node->kids;
    struct weir_node *text =
        r->node->nkids > 1 ? kids[1] : weir_resolve_literal(r, &weir_type_string, "assert_true: not true");

    WEIR_TRY(weir_resolve_want(r, 0, &weir_type_boolean, err));
    if (r->node->nkids > 1)
        WEIR_TRY(weir_resolve_want(r, 1, &weir_type_string, err));
    r->plan.arg_types = NULL; /* the inner call casts */
    return choice_demand(r, kids[0], text, err);
}

static weir_rc
resolve_raise_error(struct weir_resolve *r, struct weir_error *err)
{
    struct weir_node *text = r->node->kids[r->node->nkids - 1];

    if (r->node->nkids > 1)
        return weir_resolve_unsupported(r, "an error class with parameters; give the text alone", err);
    WEIR_TRY(weir_resolve_want(r, 0, &weir_type_string, err));
    r->plan.arg_types = NULL;
    return choice_demand(r, weir_resolve_literal(r, &weir_type_boolean, "false"), text, err);
}

static weir_rc
resolve_rand(struct weir_resolve *r, struct weir_error *err)
{
    if (r->node->nkids > 0)
        return weir_resolve_unsupported(r, "a seed fixes no row here, as rows have no order; leave it out",
                                        err);
    r->nullable = false;
    r->plan.is_volatile = true;
    return weir_resolve_as_text(r, "", &weir_type_double,
                                strcmp(r->node->text, "randn") == 0
                                    ? "(sqrt(-2.0 * ln(1.0 - random())) * cos(2.0 * pi() * random()))"
                                    : "random()",
                                err);
}

static weir_rc
resolve_no_partitions(struct weir_resolve *r, struct weir_error *err)
{
    return weir_resolve_unsupported(
        r,
        "rows have no partition here whose number would mean something; use uuid(), or "
        "_metadata.file_path and the row's own key",
        err);
}

static weir_rc
resolve_no_file(struct weir_resolve *r, struct weir_error *err)
{
    return weir_resolve_unsupported(
        r, "it stands for _metadata.file_path, which this query's source does not have", err);
}

#define FN(name, min, max, resolve)                                                                          \
    {                                                                                                        \
        name, WEIR_FN_SCALAR, min, max, resolve, NULL, NULL                                                  \
    }
#define FN_NOT(name, min, max, resolve, why)                                                                 \
    {                                                                                                        \
        name, WEIR_FN_SCALAR, min, max, resolve, why, NULL                                                   \
    }

static const char RANDOM[] = "other numbers, and without a seed only";
static const char REFUSED[] = "refused";

const struct weir_function weir_functions_choice[] = {
    FN("assert_true", 1, 2, resolve_assert_true),
    FN("coalesce", 1, 255, resolve_coalesce),
    FN("e", 0, 0, resolve_e),
    FN("equal_null", 2, 2, resolve_equal_null),
    FN("greatest", 2, 255, resolve_choose),
    FN("if", 3, 3, resolve_if),
    FN("ifnull", 2, 2, resolve_coalesce),
    FN("input_file_name", 0, 0, resolve_no_file),
    FN("isnan", 1, 1, resolve_isnan),
    FN("isnotnull", 1, 1, resolve_isnull),
    FN("isnull", 1, 1, resolve_isnull),
    FN("least", 2, 255, resolve_choose),
    FN_NOT("monotonically_increasing_id", 0, 0, resolve_no_partitions, REFUSED),
    FN("nanvl", 2, 2, resolve_nanvl),
    FN("nullif", 2, 2, resolve_nullif),
    FN("nvl", 2, 2, resolve_coalesce),
    FN("nvl2", 3, 3, resolve_nvl2),
    FN("pi", 0, 0, resolve_pi),
    FN("raise_error", 1, 2, resolve_raise_error),
    FN_NOT("rand", 0, 1, resolve_rand, RANDOM),
    FN_NOT("randn", 0, 1, resolve_rand, RANDOM),
    FN_NOT("random", 0, 1, resolve_rand, RANDOM),
    FN_NOT("spark_partition_id", 0, 0, resolve_no_partitions, REFUSED),
    FN("typeof", 1, 1, resolve_typeof),
    {0},
};
