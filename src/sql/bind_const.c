/* Constants: from the parser's spelling to a bound literal, from there to a column of one row and back, and
 * the folding of calls whose arguments are all constant.
 *
 * 1. A constant is folded by the kernel that would compute it in the engine, so both ways give the same
 *    value.
 * 2. A call that gives an error stays, and is marked volatile: the error belongs to the rows that reach it,
 *    and DuckDB must not fold it either.
 * 3. Only scalars are folded. */
#include "sql/bind_int.h"

#include <string.h>

/* ---- literals ---- */

static weir_rc
literal_micros(struct weir_bind *b, const struct weir_node *node, int64_t *us)
{
    bool ok = node->type->kind == WEIR_TIMESTAMP_NTZ
                  ? weir_timestamp_ntz_cast(node->text, node->text_len, us)
                  : weir_timestamp_parse(node->text, node->text_len, b->set->zone, us);

    return ok ? WEIR_OK
              : weir_fail(b->err, WEIR_USAGE, "'%.60s' is no %s", node->text,
                          weir_kind_name(node->type->kind));
}

weir_rc
weir_bind_literal(struct weir_bind *b, const struct weir_node *node, struct weir_node **out)
{
    char text[32];
    int32_t days;
    int64_t us;
    size_t len;

    if (node->type->kind == WEIR_VOID) {
        WEIR_TRY(weir_bound_literal(b, node->type, NULL, 0, out));
    } else if (node->type->kind == WEIR_DATE) {
        if (!weir_date_cast(node->text, node->text_len, &days))
            return weir_fail(b->err, WEIR_USAGE, "'%.60s' is no DATE", node->text);
        len = weir_long_print(days, text);
        WEIR_TRY(weir_bound_literal(b, node->type, text, (uint32_t)len, out));
    } else if (node->type->kind == WEIR_TIMESTAMP || node->type->kind == WEIR_TIMESTAMP_NTZ) {
        WEIR_TRY(literal_micros(b, node, &us));
        len = weir_long_print(us, text);
        WEIR_TRY(weir_bound_literal(b, node->type, text, (uint32_t)len, out));
    } else {
        WEIR_TRY(weir_bound_literal(b, node->type, node->text, node->text_len, out));
    }
    (*out)->at = node->at;
    return WEIR_OK;
}

/* The parser counts in months or in micros; names are its units, for the column's name. */
weir_rc
weir_bind_interval(struct weir_bind *b, const struct weir_node *node, struct weir_node **out)
{
    bool months =
        node->nnames > 0 && (strcmp(node->names[0], "YEAR") == 0 || strcmp(node->names[0], "MONTH") == 0);

    WEIR_TRY(weir_bound_literal(b, months ? &weir_type_interval_month : &weir_type_interval_day, node->text,
                                node->text_len, out));
    (*out)->at = node->at;
    (*out)->names = node->names;
    (*out)->nnames = node->nnames;
    return WEIR_OK;
}

/* ---- columns of one row ---- */

/* Room for one row of a scalar or an interval. */
static weir_rc
const_col(struct weir_bind *b, const struct weir_type *type, struct weir_col *col)
{
    memset(col, 0, sizeof(*col));
    col->type = type;
    col->cap = 1;
    col->form = WEIR_CONST;
    WEIR_BIND_NEW(col->data, b, 64);
    WEIR_BIND_NEW(col->mask, b, sizeof(uint64_t));
    if (weir_type_is_interval(type)) {
        col->nkids = 1;
        WEIR_BIND_NEW(col->kids, b, sizeof(struct weir_col));
        WEIR_TRY(const_col(b, type->fields[0].type, col->kids));
    }
    return WEIR_OK;
}

/* false: no such value. */
static bool
col_set(struct weir_bind *b, struct weir_col *col, const char *text, uint32_t len)
{
    struct weir_slice s = weir_slice(text, len);
    weir_i128 decimal;
    int64_t v = 0;
    bool whole = weir_parse_int(s, &v);

    switch (col->type->kind) {
    case WEIR_BOOLEAN:
        *(uint8_t *)col->data = weir_slice_is_nocase(s, "true");
        return true;
    case WEIR_BYTE:
        *(int8_t *)col->data = (int8_t)v;
        return whole;
    case WEIR_SHORT:
        *(int16_t *)col->data = (int16_t)v;
        return whole;
    case WEIR_INT:
    case WEIR_DATE:
        *(int32_t *)col->data = (int32_t)v;
        return whole;
    case WEIR_LONG:
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_NTZ:
        *(int64_t *)col->data = v;
        return whole;
    case WEIR_FLOAT:
        return weir_const_float(s, (float *)col->data);
    case WEIR_DOUBLE:
        return weir_const_double(s, (double *)col->data);
    case WEIR_DECIMAL:
        if (!weir_decimal_parse(text, len, col->type->precision, col->type->scale, &decimal))
            return false;
        weir_decimal_set(col, 0, decimal);
        return true;
    case WEIR_STRING:
    case WEIR_BINARY:
        return weir_str_copy(b->mem, text, len, col->data);
    case WEIR_STRUCT:
        return weir_type_is_interval(col->type) && col_set(b, col->kids, text, len);
    default:
        return false;
    }
}

bool
weir_const_double(struct weir_slice s, double *out)
{
    if (weir_slice_is(s, "NaN"))
        *out = __builtin_nan("");
    else if (weir_slice_is(s, "Infinity") || weir_slice_is(s, "-Infinity"))
        *out = s.ptr[0] == '-' ? -__builtin_inf() : __builtin_inf();
    else
        return weir_double_parse(s.ptr, s.len, out);
    return true;
}

bool
weir_const_float(struct weir_slice s, float *out)
{
    double wide;

    if (s.len == 0 || (s.ptr[0] != 'N' && s.ptr[s.len - 1] != 'y'))
        return weir_float_parse(s.ptr, s.len, out);
    if (!weir_const_double(s, &wide))
        return false;
    *out = (float)wide;
    return true;
}

/* A literal as a column; NULL in *out: it has no such form. */
static weir_rc
col_of_literal(struct weir_bind *b, const struct weir_node *node, const struct weir_col **out)
{
    struct weir_col *col;

    *out = NULL;
    if (node->type->kind == WEIR_VARIANT || node->type->kind == WEIR_VOID ||
        (weir_kind_is_nested(node->type->kind) && !weir_type_is_interval(node->type)))
        return WEIR_OK;
    WEIR_BIND_NEW(col, b, sizeof(*col));
    WEIR_TRY(const_col(b, node->type, col));
    if (node->text == NULL)
        weir_col_set_null(col, 0);
    else if (!col_set(b, col, node->text, node->text_len))
        return WEIR_OK;
    *out = col;
    return WEIR_OK;
}

/* The canonical spelling of a scalar. text: room for 64 bytes. */
static size_t
col_spell(const struct weir_col *col, char *text)
{
    switch (col->type->kind) {
    case WEIR_BYTE:
        return weir_long_print(*(const int8_t *)col->data, text);
    case WEIR_SHORT:
        return weir_long_print(*(const int16_t *)col->data, text);
    case WEIR_INT:
    case WEIR_DATE:
        return weir_long_print(*(const int32_t *)col->data, text);
    case WEIR_LONG:
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_NTZ:
        return weir_long_print(*(const int64_t *)col->data, text);
    case WEIR_FLOAT:
        return weir_float_print(*(const float *)col->data, text);
    case WEIR_DOUBLE:
        return weir_double_print(*(const double *)col->data, text);
    default:
        return weir_decimal_print(weir_decimal_get(col, 0), col->type->scale, text);
    }
}

static weir_rc
literal_of_col(struct weir_bind *b, const struct weir_col *col, struct weir_node **out)
{
    char text[64];

    if (weir_col_is_null(col, 0))
        return weir_bound_literal(b, col->type, NULL, 0, out);
    if (weir_type_is_interval(col->type)) {
        WEIR_TRY(literal_of_col(b, col->kids, out));
        (*out)->type = col->type;
        return WEIR_OK;
    }
    if (col->type->kind == WEIR_STRING || col->type->kind == WEIR_BINARY) {
        const struct weir_str *s = col->data;

        return weir_bound_literal(b, col->type, weir_str_ptr(s), s->len, out);
    }
    if (col->type->kind == WEIR_BOOLEAN) {
        const char *word = *(const uint8_t *)col->data ? "true" : "false";

        return weir_bound_literal(b, col->type, word, (uint32_t)strlen(word), out);
    }
    return weir_bound_literal(b, col->type, text, (uint32_t)col_spell(col, text), out);
}

/* ---- calls ---- */

/* The call as its kernel sees it; constants of its arguments, NULL where it is none. */
static weir_rc
const_call(struct weir_bind *b, const struct weir_node *node, struct weir_call *call,
           const struct weir_col ***constants)
{
    const struct weir_type **types;

    memset(call, 0, sizeof(*call));
    WEIR_BIND_NEW(types, b, (node->nkids + 1) * sizeof(*types));
    WEIR_BIND_NEW(*constants, b, (node->nkids + 1) * sizeof(**constants));
    for (uint32_t i = 0; i < node->nkids; i++) {
        types[i] = node->kids[i]->type;
        if (node->kids[i]->kind == WEIR_NODE_LITERAL)
            WEIR_TRY(col_of_literal(b, node->kids[i], &(*constants)[i]));
    }
    call->set = b->set;
    call->arg_types = types;
    call->nargs = node->nkids;
    call->type = node->type;
    call->mem = b->mem;
    call->try_ = node->plan->try_;
    return WEIR_OK;
}

weir_rc
weir_bind_prepare(struct weir_bind *b, struct weir_node *node)
{
    const struct weir_col **constants;
    struct weir_bound_call *bound = node->bound;
    struct weir_call call;

    if (node->plan == NULL || node->plan->prepare == NULL)
        return WEIR_OK;
    WEIR_TRY(const_call(b, node, &call, &constants));
    return node->plan->prepare(&call, constants, b->mem, &bound->data, b->err);
}

/* Is it a scalar kernel over constants? */
static bool
may_fold(const struct weir_node *node)
{
    if (node->plan == NULL || node->plan->kernel == NULL || node->plan->text != NULL ||
        node->plan->is_volatile || (node->fn != NULL && node->fn->class_ != WEIR_FN_SCALAR) ||
        (weir_kind_is_nested(node->type->kind) && !weir_type_is_interval(node->type)) ||
        node->type->kind == WEIR_VOID)
        return false;
    for (uint32_t i = 0; i < node->nkids; i++)
        if (node->kids[i]->kind != WEIR_NODE_LITERAL)
            return false;
    return true;
}

weir_rc
weir_bind_fold(struct weir_bind *b, struct weir_node **node)
{
    struct weir_sql_settings strict = *b->set;
    const struct weir_col **constants;
    struct weir_bound_call *bound = (*node)->bound;
    struct weir_error ignored = {0};
    struct weir_node *literal;
    struct weir_col out, *args;
    struct weir_call call;
    bool null = false;

    if (!may_fold(*node))
        return WEIR_OK;
    WEIR_TRY(const_call(b, *node, &call, &constants));
    strict.on_row_error = WEIR_ROW_FAIL; /* a null that stands for an error is not a constant */
    call.set = &strict;
    call.data = bound == NULL ? NULL : bound->data;
    WEIR_BIND_NEW(args, b, ((*node)->nkids + 1) * sizeof(*args));
    for (uint32_t i = 0; i < (*node)->nkids; i++) {
        if (constants[i] == NULL)
            return WEIR_OK;
        args[i] = *constants[i];
        null = null || weir_col_is_null(constants[i], 0);
    }
    WEIR_TRY(const_col(b, (*node)->type, &out));
    out.form = WEIR_FLAT;
    if (null && (*node)->plan->null_in_null_out) {
        weir_col_set_null(&out, 0);
    } else if ((*node)->plan->kernel(&call, args, 1, &out, &ignored) != WEIR_OK) {
        (*node)->plan->is_volatile =
            true; /* DuckDB would try it while it plans, where no row has reached it */
        return WEIR_OK;
    }
    WEIR_TRY(literal_of_col(b, &out, &literal));
    literal->at = (*node)->at;
    literal->nullable = (*node)->nullable; /* as the schema would say */
    literal->bound = bound == NULL ? NULL : (void *)(uintptr_t)bound->shown;
    *node = literal;
    return WEIR_OK;
}
