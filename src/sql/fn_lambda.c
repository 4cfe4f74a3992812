/* Functions that take functions, and generators.
 *
 * DuckDB runs lambdas, over lists only; so a map goes in as the list of its entries, two arrays as one of
 * pairs, and what comes out is put together by a kernel. weir_lambda says how the parameters are seen from
 * inside.
 * 1. Indexes count from 0, DuckDB's from 1.
 * 2. A fold carries a struct of the accumulator and the element, since DuckDB's folds have one type for both.
 * 3. exists and forall know three values.
 * Generators answer with an array of structs, which the printer unnests. */
#include "sql/coerce.h"
#include "sql/value.h"

static const struct weir_type *
lambda_arg(const struct weir_resolve *r, uint32_t i)
{
    return r->node->kids[i]->type;
}

static weir_rc
lambda_want_array(const struct weir_resolve *r, uint32_t i, struct weir_error *err)
{
    return lambda_arg(r, i)->kind == WEIR_ARRAY ? WEIR_OK : weir_resolve_refuse(r, i, "an array", err);
}

static weir_rc
lambda_want_map(const struct weir_resolve *r, uint32_t i, struct weir_error *err)
{
    return lambda_arg(r, i)->kind == WEIR_MAP ? WEIR_OK : weir_resolve_refuse(r, i, "a map", err);
}

static weir_rc
lambda_count(const struct weir_resolve *r, const struct weir_lambda *l, uint32_t least, uint32_t most,
             struct weir_error *err)
{
    if (l->n >= least && l->n <= most)
        return WEIR_OK;
    return weir_fail(err, WEIR_SCHEMA,
                     "[INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH] %s: a lambda of %u parameters, "
                     "not of %u",
                     r->node->text, l->n, least);
}

static void
lambda_param(struct weir_lambda *l, uint32_t i, const struct weir_type *type, bool nullable, const char *text)
{
    if (i < l->n) {
        l->param[i].type = type;
        l->param[i].nullable = nullable;
        l->param[i].text = text;
    }
}

/* The kid must be a lambda, whose type is that of its body. */
static weir_rc
lambda_is(const struct weir_resolve *r, uint32_t i, struct weir_error *err)
{
    return r->node->kids[i]->kind == WEIR_NODE_LAMBDA ? WEIR_OK
                                                      : weir_resolve_refuse(r, i, "a lambda: x -> …", err);
}

static weir_rc
lambda_done(struct weir_resolve *r, const struct weir_type *type, const char *text, struct weir_error *err)
{
    if (type == NULL)
        return weir_mem_fail(r->mem, sizeof(*type), err);
    r->type = type;
    r->plan.text = text;
    return WEIR_OK;
}

/* A kernel works on what the text gives. */
static weir_rc
lambda_finish(struct weir_resolve *r, const struct weir_type *type, const char *text,
              const struct weir_type *inner, weir_kernel *kernel, struct weir_error *err)
{
    if (inner == NULL)
        return weir_mem_fail(r->mem, sizeof(*inner), err);
    r->plan.inner = inner;
    r->plan.kernel = kernel;
    return lambda_done(r, type, text, err);
}

static const struct weir_type *
lambda_struct(struct weir_mem *mem, uint32_t n, const char *const *names,
              const struct weir_type *const *types)
{
    struct weir_field fields[4];

    for (uint32_t i = 0; i < n; i++) {
        if (types[i] == NULL)
            return NULL;
        fields[i] = (struct weir_field){
            .name = names[i], .name_len = (uint32_t)strlen(names[i]), .nullable = true, .type = types[i]};
    }
    return weir_type_struct(mem, fields, n);
}

static const struct weir_type *
lambda_array(struct weir_mem *mem, const struct weir_type *element)
{
    return element == NULL ? NULL : weir_type_array(mem, element, true);
}

/* transform, filter, exists, forall: x, or x and its index. */

static weir_rc
element_lambda(struct weir_resolve *r, uint32_t arg, struct weir_lambda *l, struct weir_error *err)
{
    bool indexed = strcmp(r->node->text, "transform") == 0 || strcmp(r->node->text, "filter") == 0;
    const struct weir_field *element;

    if (arg != 1)
        return weir_resolve_refuse(r, arg, "a value", err);
    WEIR_TRY(lambda_want_array(r, 0, err));
    WEIR_TRY(lambda_count(r, l, 1, indexed ? 2 : 1, err));
    element = &lambda_arg(r, 0)->fields[0];
    lambda_param(l, 0, element->type, element->nullable, "$1");
    lambda_param(l, 1, &weir_type_int, false, "CAST($2 - 1 AS INTEGER)");
    l->printed = l->n;
    if (strcmp(r->node->text, "transform") != 0)
        l->want = &weir_type_boolean;
    return WEIR_OK;
}

static weir_rc
resolve_transform(struct weir_resolve *r, struct weir_error *err)
{
    WEIR_TRY(lambda_is(r, 1, err));
    return lambda_done(r, weir_type_array(r->mem, lambda_arg(r, 1), r->node->kids[1]->nullable),
                       "list_transform($1, $2)", err);
}

static weir_rc
resolve_filter(struct weir_resolve *r, struct weir_error *err)
{
    WEIR_TRY(lambda_is(r, 1, err));
    return lambda_done(r, lambda_arg(r, 0), "list_filter($1, $2)", err);
}

/* One element that is `decides` decides; else a null leaves it open. */
static weir_rc
quantify_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
             struct weir_error *err)
{
    bool decides = call->data != NULL, has_null = false;
    struct weir_list list = weir_arg_list(&args[0], row);
    const struct weir_col *kid = &args[0].kids[0];

    (void)err;
    weir_out(out, uint8_t, row) = !decides;
    for (uint64_t i = list.at; i < list.at + list.n; i++) {
        if (weir_col_is_null(kid, (uint32_t)i)) {
            has_null = true;
        } else if ((weir_arg(kid, uint8_t, (uint32_t)i) != 0) == decides) {
            weir_out(out, uint8_t, row) = decides;
            return WEIR_OK;
        }
    }
    if (has_null)
        weir_value_null(out, row);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(quantify)

static weir_rc
resolve_quantify(struct weir_resolve *r, struct weir_error *err)
{
    static const bool yes = true;

    WEIR_TRY(lambda_is(r, 1, err));
    r->plan.data = strcmp(r->node->text, "exists") == 0 ? &yes : NULL;
    return lambda_finish(r, &weir_type_boolean, "list_transform($1, $2)",
                         lambda_array(r->mem, &weir_type_boolean), quantify, err);
}

/* aggregate(array, start, (acc, x) -> …[, acc -> …]) */

static weir_rc
fold_lambda(struct weir_resolve *r, uint32_t arg, struct weir_lambda *l, struct weir_error *err)
{
    if (arg < 2)
        return weir_resolve_refuse(r, arg, "a value", err);
    WEIR_TRY(lambda_want_array(r, 0, err));
    if (arg == 3) {
        WEIR_TRY(lambda_count(r, l, 1, 1, err));
        lambda_param(l, 0, lambda_arg(r, 1), true, "$1");
        l->printed = 1;
        return WEIR_OK;
    }
    WEIR_TRY(lambda_count(r, l, 2, 2, err));
    lambda_param(l, 0, lambda_arg(r, 1), true, "$1.a");
    lambda_param(l, 1, lambda_arg(r, 0)->fields[0].type, true, "$2.x");
    l->printed = 2;
    l->body = "{'a': $0, 'x': $2.x}";
    return WEIR_OK;
}

/* What is folded: {a: start, x: null}, then {a: null, x: element} each. */
static weir_rc
fold_list_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
              struct weir_error *err)
{
    struct weir_col *pair = &out->kids[0];
    struct weir_list list;
    uint32_t at;

    if (weir_arg_null(&args[0], row)) {
        weir_value_null(out, row);
        return WEIR_OK;
    }
    list = weir_arg_list(&args[0], row);
    WEIR_TRY(weir_out_list(out, row, list.n + 1, &at, err));
    WEIR_TRY(weir_value_copy(&args[1], row, &pair->kids[0], at, call->mem, err));
    weir_value_null(&pair->kids[1], at);
    for (uint32_t i = 0; i < list.n; i++) {
        weir_value_null(&pair->kids[0], ++at);
        WEIR_TRY(
            weir_value_copy(&args[0].kids[0], (uint32_t)list.at + i, &pair->kids[1], at, call->mem, err));
    }
    return WEIR_OK;
}
WEIR_KERNEL_ALL(fold_list)

static weir_rc
resolve_fold(struct weir_resolve *r, struct weir_error *err)
{
    static const char *const names[2] = {"a", "x"};
    const struct weir_type *types[2] = {lambda_arg(r, 1), NULL}, *list;
    bool finishes = r->node->nkids > 3;

    WEIR_TRY(lambda_is(r, 2, err));
    if (finishes)
        WEIR_TRY(lambda_is(r, 3, err));
    if (!weir_type_same(lambda_arg(r, 2), lambda_arg(r, 1))) {
        (void)weir_resolve_refuse(r, 2, "a lambda that gives the type of the start value", err);
        return weir_error_hint(err, "cast the start value: CAST(0 AS BIGINT)");
    }
    types[1] = lambda_arg(r, 0)->fields[0].type;
    list = lambda_array(r->mem, lambda_struct(r->mem, 2, names, types));
    if (list == NULL)
        return weir_mem_fail(r->mem, sizeof(*list), err);
    WEIR_TRY(weir_resolve_kernel(r, fold_list, NULL, list, r->node->kids, 2, NULL, &r->node->kids[0], err));
    return lambda_done(
        r, lambda_arg(r, finishes ? 3 : 2),
        finishes ? "CASE WHEN $1 IS NOT NULL THEN list_transform([list_reduce($1, $3).a], $4)[1] END"
                 : "list_reduce($1, $3).a",
        err);
}

/* zip_with(a, b, (x, y) -> …) */

static weir_rc
zip_lambda(struct weir_resolve *r, uint32_t arg, struct weir_lambda *l, struct weir_error *err)
{
    if (arg != 2)
        return weir_resolve_refuse(r, arg, "an array", err);
    WEIR_TRY(lambda_want_array(r, 0, err));
    WEIR_TRY(lambda_want_array(r, 1, err));
    WEIR_TRY(lambda_count(r, l, 2, 2, err));
    lambda_param(l, 0, lambda_arg(r, 0)->fields[0].type, true, "$1.a");
    lambda_param(l, 1, lambda_arg(r, 1)->fields[0].type, true, "$1.b");
    l->printed = 1;
    return WEIR_OK;
}

static weir_rc
resolve_zip_with(struct weir_resolve *r, struct weir_error *err)
{
    static const char *const names[2] = {"a", "b"};
    const struct weir_type *types[2], *list;

    WEIR_TRY(lambda_is(r, 2, err));
    types[0] = lambda_arg(r, 0)->fields[0].type;
    types[1] = lambda_arg(r, 1)->fields[0].type;
    list = lambda_array(r->mem, lambda_struct(r->mem, 2, names, types));
    if (list == NULL)
        return weir_mem_fail(r->mem, sizeof(*list), err);
    WEIR_TRY(
        weir_resolve_kernel(r, weir_arrays_zip, NULL, list, r->node->kids, 2, NULL, &r->node->kids[0], err));
    return lambda_done(r, lambda_array(r->mem, lambda_arg(r, 2)), "list_transform($1, $3)", err);
}

/* map_filter, transform_keys, transform_values: (k, v) -> … */

static weir_rc
entry_lambda(struct weir_resolve *r, uint32_t arg, struct weir_lambda *l, struct weir_error *err)
{
    const struct weir_type *map = lambda_arg(r, 0);

    if (arg != 1)
        return weir_resolve_refuse(r, arg, "a map", err);
    WEIR_TRY(lambda_want_map(r, 0, err));
    WEIR_TRY(lambda_count(r, l, 2, 2, err));
    lambda_param(l, 0, weir_map_key(map)->type, false, "$1.\"key\"");
    lambda_param(l, 1, weir_map_value(map)->type, weir_map_value(map)->nullable, "$1.\"value\"");
    l->printed = 1;
    if (strcmp(r->node->text, "map_filter") == 0)
        l->want = &weir_type_boolean;
    return WEIR_OK;
}

static weir_rc
resolve_map_filter(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *map = lambda_arg(r, 0);

    WEIR_TRY(lambda_is(r, 1, err));
    return lambda_finish(r, map, "list_filter(map_entries($1), $2)",
                         lambda_array(r->mem, map->fields[0].type), weir_map_of_entries, err);
}

/* A map of {k: keys, v: values}; null when both are. */
static weir_rc
map_of_lists(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
             struct weir_error *err)
{
    const struct weir_col *from = args[0].kids;
    struct weir_col *entry = &out->kids[0];

    for (uint32_t row = 0; row < rows; row++) {
        uint32_t in = weir_arg_row(&args[0], row), at;

        if (weir_arg_null(&args[0], row) || weir_arg_null(&from[0], in) || weir_arg_null(&from[1], in)) {
            weir_value_null(out, row);
            continue;
        }
        struct weir_list list[2] = {weir_arg_list(&from[0], in), weir_arg_list(&from[1], in)};

        WEIR_ASSERT(list[0].n == list[1].n);
        WEIR_TRY(weir_out_list(out, row, list[0].n, &at, err));
        for (uint32_t i = 0; i < list[0].n; i++)
            for (uint32_t k = 0; k < 2; k++)
                WEIR_TRY(weir_value_copy(&from[k].kids[0], (uint32_t)list[k].at + i, &entry->kids[k], at + i,
                                         call->mem, err));
        WEIR_TRY(weir_map_check(call, out, row, err));
    }
    return WEIR_OK;
}

static weir_rc
lambda_map_of_lists(struct weir_resolve *r, const struct weir_type *key, const struct weir_type *value,
                    const char *text, struct weir_error *err)
{
    static const char *const names[2] = {"k", "v"};
    const struct weir_type *types[2] = {lambda_array(r->mem, key), lambda_array(r->mem, value)};

    r->plan.may_fail = true;
    return lambda_finish(r, weir_type_map(r->mem, key, value, true), text,
                         lambda_struct(r->mem, 2, names, types), map_of_lists, err);
}

static weir_rc
resolve_transform_entries(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *map = lambda_arg(r, 0), *body = lambda_arg(r, 1);

    WEIR_TRY(lambda_is(r, 1, err));
    if (strcmp(r->node->text, "transform_values") == 0)
        return lambda_map_of_lists(r, weir_map_key(map)->type, body,
                                   "{'k': map_keys($1), 'v': list_transform(map_entries($1), $2)}", err);
    if (body->kind == WEIR_MAP)
        return weir_resolve_refuse(r, 1, "a lambda whose keys are no maps", err);
    return lambda_map_of_lists(r, body, weir_map_value(map)->type,
                               "{'k': list_transform(map_entries($1), $2), 'v': map_values($1)}", err);
}

/* map_zip_with(a, b, (k, x, y) -> …): the keys of a, then those that only b has. */

static weir_rc
map_zip_lambda(struct weir_resolve *r, uint32_t arg, struct weir_lambda *l, struct weir_error *err)
{
    if (arg != 2)
        return weir_resolve_refuse(r, arg, "a map", err);
    WEIR_TRY(lambda_want_map(r, 0, err));
    WEIR_TRY(lambda_want_map(r, 1, err));
    if (!weir_type_same(weir_map_key(lambda_arg(r, 0))->type, weir_map_key(lambda_arg(r, 1))->type))
        return weir_resolve_refuse(r, 1, "a map with keys of the first one's type", err);
    WEIR_TRY(lambda_count(r, l, 3, 3, err));
    lambda_param(l, 0, weir_map_key(lambda_arg(r, 0))->type, false, "$1.k");
    lambda_param(l, 1, weir_map_value(lambda_arg(r, 0))->type, true, "$1.a");
    lambda_param(l, 2, weir_map_value(lambda_arg(r, 1))->type, true, "$1.b");
    l->printed = 1;
    return WEIR_OK;
}

/* The entry of the key, or -1. */
static int64_t
map_find(const struct weir_col *map, struct weir_list list, const struct weir_col *keys, uint32_t key)
{
    for (uint64_t i = list.at; i < list.at + list.n; i++)
        if (weir_value_equal(&map->kids[0].kids[0], (uint32_t)i, keys, key))
            return (int64_t)i;
    return -1;
}

static weir_rc
map_zip_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
            struct weir_error *err)
{
    struct weir_list list[2] = {weir_arg_list(&args[0], row), weir_arg_list(&args[1], row)};
    struct weir_col *triple = out->kids[0].kids;
    uint32_t at, n = 0;

    WEIR_TRY(weir_out_list(out, row, list[0].n + list[1].n, &at, err));
    triple = out->kids[0].kids;
    for (uint32_t side = 0; side < 2; side++) {
        const struct weir_col *keys = &args[side].kids[0].kids[0];

        for (uint64_t i = list[side].at; i < list[side].at + list[side].n; i++) {
            int64_t other = map_find(&args[!side], list[!side], keys, (uint32_t)i);

            if (side == 1 && other >= 0)
                continue;
            WEIR_TRY(weir_value_copy(keys, (uint32_t)i, &triple[0], at + n, call->mem, err));
            WEIR_TRY(weir_value_copy(&args[side].kids[0].kids[1], (uint32_t)i, &triple[1 + side], at + n,
                                     call->mem, err));
            if (other >= 0)
                WEIR_TRY(weir_value_copy(&args[!side].kids[0].kids[1], (uint32_t)other, &triple[2 - side],
                                         at + n, call->mem, err));
            else
                weir_value_null(&triple[2 - side], at + n);
            n++;
        }
    }
    weir_out_list_end(out, row, n);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(map_zip)

static weir_rc
resolve_map_zip_with(struct weir_resolve *r, struct weir_error *err)
{
    static const char *const names[3] = {"k", "a", "b"};
    const struct weir_type *types[3], *list, *key;

    WEIR_TRY(lambda_is(r, 2, err));
    key = types[0] = weir_map_key(lambda_arg(r, 0))->type;
    types[1] = weir_map_value(lambda_arg(r, 0))->type;
    types[2] = weir_map_value(lambda_arg(r, 1))->type;
    list = lambda_array(r->mem, lambda_struct(r->mem, 3, names, types));
    if (list == NULL)
        return weir_mem_fail(r->mem, sizeof(*list), err);
    WEIR_TRY(weir_resolve_kernel(r, map_zip, NULL, list, r->node->kids, 2, NULL, &r->node->kids[0], err));
    return lambda_map_of_lists(r, key, lambda_arg(r, 2),
                               "{'k': list_transform($1, lambda e: e.k), 'v': list_transform($1, $3)}", err);
}

/* Generators. */

static weir_rc
generate_done(struct weir_resolve *r, uint32_t n, const char *const *names,
              const struct weir_type *const *types, const char *text, struct weir_error *err)
{
    r->plan.exact = true; /* the text is a list of them */
    return lambda_done(r, lambda_struct(r->mem, n, names, types), text, err);
}

static weir_rc
resolve_explode(struct weir_resolve *r, struct weir_error *err)
{
    static const char *const col[1] = {"col"}, *const entry[2] = {"key", "value"};
    const struct weir_type *type = lambda_arg(r, 0), *types[2];

    if (type->kind == WEIR_MAP) {
        types[0] = weir_map_key(type)->type;
        types[1] = weir_map_value(type)->type;
        return generate_done(r, 2, entry, types, "map_entries($1)", err);
    }
    if (type->kind != WEIR_ARRAY)
        return weir_resolve_refuse(r, 0, "an array or a map", err);
    types[0] = type->fields[0].type;
    return generate_done(r, 1, col, types, "list_transform($1, lambda x: {'col': x})", err);
}

static weir_rc
resolve_posexplode(struct weir_resolve *r, struct weir_error *err)
{
    static const char *const col[2] = {"pos", "col"}, *const entry[3] = {"pos", "key", "value"};
    const struct weir_type *type = lambda_arg(r, 0), *types[3] = {&weir_type_int};

    if (type->kind == WEIR_MAP) {
        types[1] = weir_map_key(type)->type;
        types[2] = weir_map_value(type)->type;
        return generate_done(r, 3, entry, types,
                             "list_transform(map_entries($1), lambda e, i: {'pos': CAST(i - 1 AS INTEGER), "
                             "'key': e.\"key\", 'value': e.\"value\"})",
                             err);
    }
    if (type->kind != WEIR_ARRAY)
        return weir_resolve_refuse(r, 0, "an array or a map", err);
    types[1] = type->fields[0].type;
    return generate_done(r, 2, col, types,
                         "list_transform($1, lambda x, i: {'pos': CAST(i - 1 AS INTEGER), 'col': x})", err);
}

static weir_rc
resolve_inline(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type = lambda_arg(r, 0);

    if (type->kind != WEIR_ARRAY || type->fields[0].type->kind != WEIR_STRUCT)
        return weir_resolve_refuse(r, 0, "an array of structs", err);
    r->plan.exact = true;
    return lambda_done(r, type->fields[0].type, "$1", err);
}

/* Row i of stack(): a struct of col0, col1 … */
static weir_rc
stack_row(struct weir_resolve *r, struct weir_node *const *values, uint32_t nvalues, uint32_t width,
          uint32_t i, struct weir_node **out, struct weir_error *err)
{
    struct weir_node **kids = weir_mem_zalloc(r->mem, (size_t)width * 2 * sizeof(kids[0]));

    if (kids == NULL)
        return weir_mem_fail(r->mem, (size_t)width * 2 * sizeof(kids[0]), err);
    for (uint32_t k = 0; k < width; k++) {
        char *name = weir_mem_printf(r->mem, "col%u", k);
        uint32_t at = i * width + k;

        kids[k * 2] = name == NULL ? NULL : weir_resolve_literal(r, &weir_type_string, name);
        kids[k * 2 + 1] = at < nvalues ? values[at] : weir_resolve_literal(r, &weir_type_void, NULL);
        if (kids[k * 2] == NULL || kids[k * 2 + 1] == NULL)
            return weir_mem_fail(r->mem, 64, err);
        kids[k * 2 + 1]->nullable = at < nvalues ? kids[k * 2 + 1]->nullable : true;
    }
    return weir_resolve_call(r, "named_struct", kids, width * 2, out, err);
}

/* Column k has one type in all rows, as Spark wants it. */
static weir_rc
stack_column(const struct weir_resolve *r, uint32_t width, uint32_t k, struct weir_error *err)
{
    const struct weir_type *type = NULL;

    for (uint32_t i = 1 + k; i < r->node->nkids; i += width) {
        const struct weir_type *next = lambda_arg(r, i);

        if (next->kind == WEIR_VOID)
            continue;
        if (type != NULL && !weir_type_same(type, next))
            return weir_resolve_refuse(r, i, "a value of the type above it", err);
        type = next;
    }
    return WEIR_OK;
}

static weir_rc
resolve_stack(struct weir_resolve *r, struct weir_error *err)
{
    uint32_t nvalues = r->node->nkids - 1, width;
    struct weir_node **rows;
    const struct weir_type *type;
    int64_t n;

    if (!weir_resolve_long(r, 0, &n) || n < 1 || n > 10000)
        return weir_resolve_refuse(r, 0, "a constant number of rows above 0", err);
    rows = weir_mem_zalloc(r->mem, (size_t)n * sizeof(rows[0]));
    if (rows == NULL)
        return weir_mem_fail(r->mem, (size_t)n * sizeof(rows[0]), err);
    width = (nvalues + (uint32_t)n - 1) / (uint32_t)n;
    for (uint32_t k = 0; k < width; k++)
        WEIR_TRY(stack_column(r, width, k, err));
    for (uint32_t i = 0; i < n; i++)
        WEIR_TRY(stack_row(r, r->node->kids + 1, nvalues, width, i, &rows[i], err));
    r->node->kids = rows;
    r->node->nkids = (uint32_t)n;
    WEIR_TRY(weir_resolve_common(r, 0, (uint32_t)n, &type, err));
    r->plan.exact = true;
    return lambda_done(r, type, "[$*]", err);
}

#define TAKES(name, min, max, resolve, lambda)                                                               \
    {                                                                                                        \
        name, WEIR_FN_SCALAR, min, max, resolve, NULL, lambda                                                \
    }
#define MAKES(name, min, max, resolve)                                                                       \
    {                                                                                                        \
        name, WEIR_FN_GENERATOR, min, max, resolve, NULL, NULL                                               \
    }

const struct weir_function weir_functions_lambda[] = {
    TAKES("aggregate", 3, 4, resolve_fold, fold_lambda),
    TAKES("exists", 2, 2, resolve_quantify, element_lambda),
    MAKES("explode", 1, 1, resolve_explode),
    MAKES("explode_outer", 1, 1, resolve_explode),
    TAKES("filter", 2, 2, resolve_filter, element_lambda),
    TAKES("forall", 2, 2, resolve_quantify, element_lambda),
    MAKES("inline", 1, 1, resolve_inline),
    MAKES("inline_outer", 1, 1, resolve_inline),
    TAKES("map_filter", 2, 2, resolve_map_filter, entry_lambda),
    TAKES("map_zip_with", 3, 3, resolve_map_zip_with, map_zip_lambda),
    MAKES("posexplode", 1, 1, resolve_posexplode),
    MAKES("posexplode_outer", 1, 1, resolve_posexplode),
    TAKES("reduce", 3, 4, resolve_fold, fold_lambda),
    MAKES("stack", 2, 255, resolve_stack),
    TAKES("transform", 2, 2, resolve_transform, element_lambda),
    TAKES("transform_keys", 2, 2, resolve_transform_entries, entry_lambda),
    TAKES("transform_values", 2, 2, resolve_transform_entries, entry_lambda),
    TAKES("zip_with", 3, 3, resolve_zip_with, zip_lambda),
    {0},
};
