/* The operators of Spark SQL that compare, connect and look into values; those of arithmetic are in
 * fn_arithmetic.c. bind.c makes CALLs of all of them.
 *
 * 1. What types an operator takes and gives is Spark's: TypeCoercion, AnsiTypeCoercion (coerce.h).
 * 2. What cannot fail and is the same in DuckDB is a template: DuckDB pushes it down, joins by it, has
 *    statistics. */
#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "sql/coerce.h"
#include "sql/operator_int.h"
#include "sql/value.h"

/* ---- what resolvers share ---- */

/* Of the arguments as they will be cast. */
bool
weir_operands_nullable(const struct weir_resolve *r)
{
    for (uint32_t i = 0; i < r->node->nkids; i++)
        if (r->node->kids[i]->nullable || (r->wanted != NULL && r->wanted[i] != NULL &&
                                           weir_coerce_force_nullable(weir_operand(r, i), r->wanted[i])))
            return true;
    return false;
}

weir_rc
weir_operator_text(struct weir_resolve *r, const char *text, const struct weir_type *type)
{
    r->plan.text = text;
    r->plan.exact = true;
    r->type = type;
    r->nullable = weir_operands_nullable(r);
    return WEIR_OK;
}

weir_rc
weir_operator_kernel(struct weir_resolve *r, weir_kernel *kernel, const struct weir_type *type, bool may_fail)
{
    r->plan.kernel = kernel;
    r->plan.null_in_null_out = true;
    r->plan.may_fail = may_fail;
    r->type = type;
    r->nullable = weir_operands_nullable(r);
    return WEIR_OK;
}

/* "(a + b) wants …" */
weir_rc
weir_operands_refused(const struct weir_resolve *r, struct weir_error *err)
{
    struct weir_buf x = WEIR_BUF(4096), y = WEIR_BUF(4096);
    weir_rc rc;

    weir_type_print_simple(weir_operand(r, 0), &x);
    if (r->node->nkids > 1)
        weir_type_print_simple(weir_operand(r, 1), &y);
    if (r->node->nkids > 1)
        rc = weir_fail(err, WEIR_SCHEMA, "%s does not go with %s and %s", r->node->text,
                       x.len > 0 ? x.data : "?", y.len > 0 ? y.data : "?");
    else
        rc = weir_fail(err, WEIR_SCHEMA, "%s does not go with %s", r->node->text, x.len > 0 ? x.data : "?");
    weir_buf_fini(&x);
    weir_buf_fini(&y);
    return rc;
}

weir_rc
weir_operands_cast(struct weir_resolve *r, const struct weir_type *type, struct weir_error *err)
{
    for (uint32_t i = 0; i < r->node->nkids; i++)
        WEIR_TRY(weir_resolve_cast(r, i, type, err));
    return WEIR_OK;
}

/* The type in which two numbers meet; strings by the mode; NULL: none. */
const struct weir_type *
weir_operands_number(struct weir_resolve *r)
{
    const struct weir_type *a = weir_operand(r, 0), *b = weir_operand(r, 1);

    if (a->kind == WEIR_VOID && b->kind == WEIR_VOID)
        return &weir_type_double;
    if (a->kind == WEIR_STRING || b->kind == WEIR_STRING) {
        const struct weir_type *other = a->kind == WEIR_STRING ? b : a;

        if (!r->set->ansi)
            return other->kind == WEIR_STRING || other->kind == WEIR_VOID || weir_kind_is_numeric(other->kind)
                       ? &weir_type_double
                       : NULL;
        if (!weir_kind_is_numeric(other->kind))
            return NULL;
    }
    a = weir_coerce_wider(r->mem, r->set->ansi, a, b);
    return a != NULL && weir_kind_is_numeric(a->kind) ? a : NULL;
}

/* ---- bits ---- */

static weir_rc
resolve_bits(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type = weir_operands_number(r);
    char op = r->node->text[0];

    if (type == NULL || !weir_kind_is_integral(type->kind))
        return weir_operands_refused(r, err);
    WEIR_TRY(weir_operands_cast(r, type, err));
    return weir_operator_text(r, op == '&' ? "($1 & $2)" : op == '|' ? "($1 | $2)" : "xor($1, $2)", type);
}

static weir_rc
resolve_bit_not(struct weir_resolve *r, struct weir_error *err)
{
    if (!weir_kind_is_integral(weir_operand(r, 0)->kind))
        return weir_operands_refused(r, err);
    return weir_operator_text(r, "(~ $1)", weir_operand(r, 0));
}

static weir_rc
resolve_shift(struct weir_resolve *r, struct weir_error *err)
{
    const char *op = r->node->text;

    return weir_resolve_instead(r,
                                strcmp(op, "<<") == 0   ? "shiftleft"
                                : strcmp(op, ">>") == 0 ? "shiftright"
                                                        : "shiftrightunsigned",
                                err);
}

/* ---- comparison ---- */

/* Nested values in Spark's order, where nulls come first. */
static weir_rc
compare_rows(const struct weir_col *args, uint32_t rows, struct weir_col *out, int low, int high)
{
    for (uint32_t row = 0; row < rows; row++) {
        int order;

        if (weir_arg_null(&args[0], row) || weir_arg_null(&args[1], row)) {
            weir_value_null(out, row);
            continue;
        }
        order =
            weir_value_compare(&args[0], weir_arg_row(&args[0], row), &args[1], weir_arg_row(&args[1], row));
        order = order < 0 ? -1 : order > 0;
        weir_out(out, uint8_t, row) = order >= low && order <= high;
    }
    return WEIR_OK;
}

#define COMPARE_KERNEL(name, low, high)                                                                      \
    static weir_rc name(struct weir_call *call, const struct weir_col *args, uint32_t rows,                  \
                        struct weir_col *out, struct weir_error *err)                                        \
    {                                                                                                        \
        (void)call;                                                                                          \
        (void)err;                                                                                           \
        return compare_rows(args, rows, out, low, high);                                                     \
    }

COMPARE_KERNEL(compare_less, -1, -1)
COMPARE_KERNEL(compare_less_equal, -1, 0)
COMPARE_KERNEL(compare_greater, 1, 1)
COMPARE_KERNEL(compare_greater_equal, 0, 1)

/* What both sides of a comparison become; NULL: they do not compare. */
static const struct weir_type *
compared_type(struct weir_resolve *r, uint32_t i, uint32_t j, bool equality)
{
    const struct weir_type *a = weir_operand(r, i), *b = weir_operand(r, j), *type;

    if (a->kind == WEIR_VOID && b->kind == WEIR_VOID)
        return &weir_type_boolean;
    type = weir_coerce_compared(r->mem, r->set->ansi, a, b);
    if (type == NULL && equality && !r->set->ansi) { /* BooleanEquality: b = 1 */
        if (a->kind == WEIR_BOOLEAN && weir_kind_is_numeric(b->kind))
            type = b;
        if (b->kind == WEIR_BOOLEAN && weir_kind_is_numeric(a->kind))
            type = a;
    }
    return type != NULL && weir_type_orderable(type) ? type : NULL;
}

static weir_rc
resolve_compare(struct weir_resolve *r, struct weir_error *err)
{
    static const struct {
        const char *op, *text;
        weir_kernel *nested;
    } ops[] = {
        {"=", "($1 = $2)", NULL},
        {"<=>", "($1 IS NOT DISTINCT FROM $2)", NULL},
        {"<", "($1 < $2)", compare_less},
        {"<=", "($1 <= $2)", compare_less_equal},
        {">", "($1 > $2)", compare_greater},
        {">=", "($1 >= $2)", compare_greater_equal},
    };
    size_t i = 0;
    const struct weir_type *type;

    while (strcmp(ops[i].op, r->node->text) != 0)
        i++;
    type = compared_type(r, 0, 1, i < 2);
    if (type == NULL)
        return weir_operands_refused(r, err);
    WEIR_TRY(weir_operands_cast(r, type, err));
    if (weir_kind_is_nested(type->kind) && ops[i].nested != NULL)
        return weir_operator_kernel(r, ops[i].nested, &weir_type_boolean, false);
    WEIR_TRY(weir_operator_text(r, ops[i].text, &weir_type_boolean));
    r->nullable = r->nullable && i != 1;
    return WEIR_OK;
}

/* Both comparisons in one type, which is wider than either of theirs where they differ. */
static weir_rc
resolve_between(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *low = compared_type(r, 0, 1, false), *high = compared_type(r, 0, 2, false), *type;

    if (low == NULL || high == NULL)
        return weir_operands_refused(r, err);
    type = weir_type_same(low, high) ? low : weir_coerce_compared(r->mem, r->set->ansi, low, high);
    if (type == NULL || weir_kind_is_nested(type->kind))
        return weir_operands_refused(r, err);
    WEIR_TRY(weir_operands_cast(r, type, err));
    return weir_operator_text(r, "($1 BETWEEN $2 AND $3)", &weir_type_boolean);
}

/* (a, b) IN ((1, 2)): structs are compared by place, so b takes the names of a. */
static const struct weir_type *
named_like(struct weir_mem *mem, const struct weir_type *a, const struct weir_type *b)
{
    struct weir_field *fields;

    if (a->kind != WEIR_STRUCT || b->kind != WEIR_STRUCT || a->nfields != b->nfields)
        return b;
    fields = weir_mem_zalloc(mem, (a->nfields + 1) * sizeof(*fields));
    for (uint32_t i = 0; fields != NULL && i < a->nfields; i++) {
        fields[i] = b->fields[i];
        fields[i].name = a->fields[i].name;
        fields[i].name_len = a->fields[i].name_len;
    }
    return fields == NULL ? b : weir_type_struct(mem, fields, a->nfields);
}

static weir_rc
resolve_in(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type = weir_operand(r, 0);

    for (uint32_t i = 1; i < r->node->nkids && type != NULL; i++)
        type = weir_coerce_wider(r->mem, r->set->ansi, type,
                                 named_like(r->mem, weir_operand(r, 0), weir_operand(r, i)));
    if (type == NULL || !weir_type_orderable(type))
        return weir_fail(err, WEIR_SCHEMA, "the values of IN have no common type that compares");
    WEIR_TRY(weir_operands_cast(r, type, err));
    return weir_operator_text(r, "($1 IN ($2*))", &weir_type_boolean);
}

static weir_rc
resolve_is_null(struct weir_resolve *r, struct weir_error *err)
{
    (void)err;
    WEIR_TRY(weir_operator_text(
        r, strcmp(r->node->text, "is null") == 0 ? "($1 IS NULL)" : "($1 IS NOT NULL)", &weir_type_boolean));
    r->nullable = false;
    return WEIR_OK;
}

/* ---- logic ---- */

static weir_rc
resolve_logic(struct weir_resolve *r, struct weir_error *err)
{
    const char *op = r->node->text;

    for (uint32_t i = 0; i < r->node->nkids; i++) {
        weir_kind kind = weir_operand(r, i)->kind;

        if (kind != WEIR_BOOLEAN && kind != WEIR_VOID &&
            !(r->set->ansi && kind == WEIR_STRING && r->node->nkids == 2))
            return weir_operands_refused(r, err);
        WEIR_TRY(weir_resolve_cast(r, i, &weir_type_boolean, err));
    }
    return weir_operator_text(r,
                              op[0] == 'n'   ? "(NOT $1)"
                              : op[0] == 'a' ? "($1 AND $2)"
                                             : "($1 OR $2)",
                              &weir_type_boolean);
}

/* ---- LIKE ---- */

/* [not] like any | all: a chain of LIKEs. */
static weir_rc
resolve_like_many(struct weir_resolve *r, struct weir_error *err)
{
    const char *op = r->node->text;
    bool negated = weir_str_starts(op, "not"), all = weir_str_ends(op, "all");
    struct weir_node *chain = NULL, *kids[2], *one;

    for (uint32_t i = 1; i < r->node->nkids; i++) {
        kids[0] = r->node->kids[0];
        kids[1] = r->node->kids[i];
        WEIR_TRY(weir_resolve_call(r, "like", kids, 2, &one, err));
        if (negated)
            WEIR_TRY(weir_resolve_call(r, "not", &one, 1, &one, err));
        kids[0] = chain;
        kids[1] = one;
        if (chain == NULL)
            chain = one;
        else
            WEIR_TRY(weir_resolve_call(r, all ? "and" : "or", kids, 2, &chain, err));
    }
    r->node->kids[0] = chain;
    r->node->nkids = 1;
    r->wanted = NULL;
    r->plan.arg_types = NULL;
    return weir_operator_text(r, "$1", &weir_type_boolean);
}

/* ---- a[i] ---- */

static weir_rc
element_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
            struct weir_error *err)
{
    struct weir_list list = weir_arg_list(&args[0], row);
    int64_t i = weir_arg(&args[1], int64_t, row);

    if (i < 0 || (uint64_t)i >= list.n)
        return WEIR_BAD_IF_ANSI(call, out, row, err, "INVALID_ARRAY_INDEX",
                                "the index %" PRId64 " is out of bounds: the array has %" PRIu64 " elements",
                                i, list.n);
    if (weir_col_is_null(&args[0].kids[0], (uint32_t)(list.at + (uint64_t)i))) {
        weir_value_null(out, row);
        return WEIR_OK;
    }
    return weir_value_copy(&args[0].kids[0], (uint32_t)(list.at + (uint64_t)i), out, row, call->mem, err);
}
WEIR_KERNEL_STRICT(element)

static weir_rc
resolve_index(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type = weir_operand(r, 0);
    int64_t i;

    if (type->kind == WEIR_MAP) {
        WEIR_TRY(weir_resolve_want(r, 1, weir_map_key(type)->type, err));
        WEIR_TRY(weir_operator_text(r, "map_extract_value($1, $2)", weir_map_value(type)->type));
        r->nullable = true;
        return WEIR_OK;
    }
    if (type->kind != WEIR_ARRAY)
        return weir_resolve_refuse(r, 0, "an array or a map", err);
    if (!weir_kind_is_integral(weir_operand(r, 1)->kind) && weir_operand(r, 1)->kind != WEIR_VOID)
        return weir_resolve_refuse(r, 1, "a whole number", err);
    WEIR_TRY(weir_resolve_cast(r, 1, &weir_type_long, err));
    if (!r->set->ansi && weir_resolve_long(r, 1, &i) && i >= 0) {
        r->plan.text = weir_mem_printf(r->mem, "list_extract($1, %" PRId64 ")", i + 1);
        if (r->plan.text == NULL)
            return weir_mem_fail(r->mem, 32, err);
        r->plan.exact = r->node->kids[0]->kind != WEIR_NODE_LITERAL; /* of a NULL DuckDB forgets the type */
        r->type = type->fields[0].type;
        r->nullable = true;
        return WEIR_OK;
    }
    WEIR_TRY(weir_operator_kernel(r, element, type->fields[0].type, r->set->ansi));
    r->nullable = r->nullable || type->fields[0].nullable || !r->set->ansi;
    return WEIR_OK;
}

/* ---- the table ---- */

#define OP(name, min, max, resolve)                                                                          \
    {                                                                                                        \
        name, WEIR_FN_SCALAR, min, max, resolve, NULL, NULL                                                  \
    }

const struct weir_function weir_functions_operator[] = {
    OP("&", 2, 2, resolve_bits),
    OP("<", 2, 2, resolve_compare),
    OP("<<", 2, 2, resolve_shift),
    OP("<=", 2, 2, resolve_compare),
    OP("<=>", 2, 2, resolve_compare),
    OP("=", 2, 2, resolve_compare),
    OP(">", 2, 2, resolve_compare),
    OP(">=", 2, 2, resolve_compare),
    OP(">>", 2, 2, resolve_shift),
    OP(">>>", 2, 2, resolve_shift),
    OP("[]", 2, 2, resolve_index),
    OP("^", 2, 2, resolve_bits),
    OP("and", 2, 2, resolve_logic),
    OP("between", 3, 3, resolve_between),
    OP("in", 2, 255, resolve_in),
    OP("is not null", 1, 1, resolve_is_null),
    OP("is null", 1, 1, resolve_is_null),
    OP("like all", 2, 255, resolve_like_many),
    OP("like any", 2, 255, resolve_like_many),
    OP("not", 1, 1, resolve_logic),
    OP("not like all", 2, 255, resolve_like_many),
    OP("not like any", 2, 255, resolve_like_many),
    OP("or", 2, 2, resolve_logic),
    OP("|", 2, 2, resolve_bits),
    OP("~", 1, 1, resolve_bit_not),
    {0},
};
