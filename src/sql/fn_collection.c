/* Arrays. Maps and structs are in fn_map.c, functions that take functions in fn_lambda.c.
 *
 * 1. Elements compare as value.h says, so NaN is one value and nulls are equal to each other where Spark's
 *    sets of elements say so (array_distinct, array_union …), and unknown where it asks for a value
 *    (array_contains).
 * 2. Positions count from 1, from the end when negative; 0 is an error. get() and [] count from 0.
 * 3. An array and an element, or two arrays, are brought to one type first. */
#include <stdlib.h>

#include "sql/coerce.h"
#include "sql/fn_datetime.h"

static const struct weir_type *
array_arg(const struct weir_resolve *r, uint32_t i)
{
    return r->node->kids[i]->type;
}

static weir_rc
array_want(struct weir_resolve *r, uint32_t i, struct weir_error *err)
{
    return array_arg(r, i)->kind == WEIR_ARRAY ? weir_resolve_cast(r, i, array_arg(r, i), err)
                                               : weir_resolve_refuse(r, i, "an array", err);
}

static weir_rc
array_orderable(struct weir_resolve *r, uint32_t i, struct weir_error *err)
{
    WEIR_TRY(array_want(r, i, err));
    if (array_arg(r, i)->fields[0].type->kind == WEIR_MAP)
        return weir_resolve_refuse(r, i, "an array of values that have an order", err);
    return WEIR_OK;
}

/* The array in argument a and the element in argument e get one element type: *out is the array's. NULL has
 * none. */
static weir_rc
array_with_element(struct weir_resolve *r, uint32_t a, uint32_t e, bool null_is_one,
                   const struct weir_type **out, struct weir_error *err)
{
    const struct weir_type *array = array_arg(r, a), *element = array_arg(r, e);

    WEIR_TRY(array_want(r, a, err));
    if (element->kind == WEIR_VOID && !null_is_one)
        return weir_resolve_refuse(r, e, "a value", err);
    element = weir_coerce_wider(r->mem, r->set->ansi, array->fields[0].type, element);
    if (element == NULL)
        return weir_resolve_refuse(r, e, "a value of the array's type", err);
    *out = weir_type_array(r->mem, element, array->fields[0].nullable);
    if (*out == NULL)
        return weir_mem_fail(r->mem, sizeof(**out), err);
    WEIR_TRY(weir_resolve_cast(r, a, *out, err));
    return weir_resolve_cast(r, e, element, err);
}

/* Copies n elements of a list from `from` on to those of out from `at` on. */
static weir_rc
array_copy(struct weir_call *call, const struct weir_col *kid, uint64_t from, uint64_t n,
           struct weir_col *out, uint32_t at, struct weir_error *err)
{
    for (uint32_t i = 0; i < n; i++)
        WEIR_TRY(weir_value_copy(kid, (uint32_t)from + i, &out->kids[0], at + i, call->mem, err));
    return WEIR_OK;
}

/* Making. */

static weir_rc
resolve_array(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *element;
    bool nullable = false;

    WEIR_TRY(weir_resolve_common(r, 0, r->node->nkids, &element, err));
    for (uint32_t i = 0; i < r->node->nkids; i++)
        nullable = nullable || r->node->kids[i]->nullable;
    r->type = weir_type_array(r->mem, element, nullable);
    if (r->type == NULL)
        return weir_mem_fail(r->mem, sizeof(*r->type), err);
    r->nullable = false;
    r->plan.text = "[$*]";
    return WEIR_OK;
}

static weir_rc
array_repeat_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                 struct weir_error *err)
{
    int32_t n = weir_arg_null(&args[1], row) ? 0 : weir_arg(&args[1], int32_t, row);
    uint32_t at;

    if (weir_arg_null(&args[1], row)) {
        weir_value_null(out, row);
        return WEIR_OK;
    }
    WEIR_TRY(weir_out_list(out, row, n > 0 ? (uint64_t)n : 0, &at, err));
    for (int32_t i = 0; i < n; i++)
        WEIR_TRY(weir_value_copy(&args[0], row, &out->kids[0], at + (uint32_t)i, call->mem, err));
    return WEIR_OK;
}
WEIR_KERNEL_ALL(array_repeat)

static weir_rc
resolve_array_repeat(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type = weir_type_array(r->mem, array_arg(r, 0), r->node->kids[0]->nullable);

    if (type == NULL)
        return weir_mem_fail(r->mem, sizeof(*type), err);
    return weir_resolve_plain(r, ".i", type, array_repeat, err);
}

/* Asking. */

static weir_rc
array_size_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
               struct weir_error *err)
{
    (void)err;
    if (!weir_arg_null(&args[0], row))
        weir_out(out, int32_t, row) = (int32_t)weir_arg_list(&args[0], row).n;
    else if (call->data != NULL)
        weir_out(out, int32_t, row) = -1; /* size(NULL) as of old */
    else
        weir_value_null(out, row);
    return WEIR_OK;
}
WEIR_KERNEL_ALL(array_size)

static weir_rc
resolve_size(struct weir_resolve *r, struct weir_error *err)
{
    static const bool minus_one = true;
    bool only_array = strcmp(r->node->text, "array_size") == 0;

    if (array_arg(r, 0)->kind != WEIR_MAP || only_array)
        WEIR_TRY(array_want(r, 0, err));
    r->plan.data = !only_array && !r->set->ansi ? &minus_one : NULL;
    return weir_resolve_plain(r, ".", &weir_type_int, array_size, err);
}

/* The position, from 1, of args[1] in args[0]; 0: not there. */
static uint64_t
array_find(const struct weir_col *args, uint32_t row, bool *has_null)
{
    struct weir_list list = weir_arg_list(&args[0], row);
    const struct weir_col *kid = &args[0].kids[0];

    *has_null = false;
    for (uint64_t i = 0; i < list.n; i++) {
        uint32_t at = (uint32_t)(list.at + i);

        if (weir_col_is_null(kid, at))
            *has_null = true;
        else if (weir_value_equal(kid, at, &args[1], row))
            return i + 1;
    }
    return 0;
}

static weir_rc
array_contains_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                   struct weir_error *err)
{
    bool has_null, found = array_find(args, row, &has_null) > 0;

    (void)call;
    (void)err;
    if (!found && has_null)
        weir_value_null(out, row);
    else
        weir_out(out, uint8_t, row) = found;
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(array_contains)

static weir_rc
array_position_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                   struct weir_error *err)
{
    bool has_null;

    (void)call;
    (void)err;
    weir_out(out, int64_t, row) = (int64_t)array_find(args, row, &has_null);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(array_position)

static weir_rc
resolve_array_contains(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type = NULL;

    WEIR_TRY(array_with_element(r, 0, 1, false, &type, err));
    r->type = &weir_type_boolean;
    r->plan.kernel = array_contains;
    return WEIR_OK;
}

static weir_rc
resolve_array_position(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type = NULL;

    WEIR_TRY(array_with_element(r, 0, 1, false, &type, err));
    r->type = &weir_type_long;
    r->plan.kernel = array_position;
    return WEIR_OK;
}

static weir_rc
array_extreme(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
              int sign, struct weir_error *err)
{
    struct weir_list list = weir_arg_list(&args[0], row);
    const struct weir_col *kid = &args[0].kids[0];
    int64_t best = -1;

    for (uint64_t i = list.at; i < list.at + list.n; i++)
        if (!weir_col_is_null(kid, (uint32_t)i) &&
            (best < 0 || weir_value_compare(kid, (uint32_t)i, kid, (uint32_t)best) * sign > 0))
            best = (int64_t)i;
    if (best >= 0)
        return weir_value_copy(kid, (uint32_t)best, out, row, call->mem, err);
    weir_value_null(out, row);
    return WEIR_OK;
}

static weir_rc
array_min_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
              struct weir_error *err)
{
    return array_extreme(call, args, row, out, -1, err);
}
WEIR_KERNEL_STRICT(array_min)

static weir_rc
array_max_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
              struct weir_error *err)
{
    return array_extreme(call, args, row, out, 1, err);
}
WEIR_KERNEL_STRICT(array_max)

static weir_rc
resolve_array_extreme(struct weir_resolve *r, struct weir_error *err)
{
    WEIR_TRY(array_orderable(r, 0, err));
    r->type = array_arg(r, 0)->fields[0].type;
    r->plan.kernel = strcmp(r->node->text, "array_min") == 0 ? array_min : array_max;
    return WEIR_OK;
}

/* True when both have a value in common; unknown when one has a null that might be it. */
static weir_rc
arrays_overlap_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                   struct weir_error *err)
{
    struct weir_list a = weir_arg_list(&args[0], row), b = weir_arg_list(&args[1], row);
    struct weir_value_set set;
    bool has_null = false;

    WEIR_TRY(weir_value_set_init(&set, call->mem, a.n, err));
    for (uint64_t i = a.at; i < a.at + a.n; i++) {
        if (weir_col_is_null(&args[0].kids[0], (uint32_t)i))
            has_null = true;
        else
            (void)weir_value_set_add(&set, &args[0].kids[0], (uint32_t)i);
    }
    for (uint64_t i = b.at; i < b.at + b.n; i++) {
        if (weir_col_is_null(&args[1].kids[0], (uint32_t)i)) {
            has_null = true;
        } else if (weir_value_set_has(&set, &args[1].kids[0], (uint32_t)i)) {
            weir_out(out, uint8_t, row) = 1;
            return WEIR_OK;
        }
    }
    weir_out(out, uint8_t, row) = 0;
    if (has_null && a.n > 0 && b.n > 0)
        weir_value_null(out, row);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(arrays_overlap)

static weir_rc
resolve_arrays_overlap(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type;

    WEIR_TRY(array_want(r, 0, err));
    WEIR_TRY(array_want(r, 1, err));
    WEIR_TRY(weir_resolve_common(r, 0, 2, &type, err));
    r->type = &weir_type_boolean;
    r->plan.kernel = arrays_overlap;
    return WEIR_OK;
}

/* Elements by position. */

static weir_rc
element_at_array_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                     struct weir_error *err)
{
    struct weir_list list = weir_arg_list(&args[0], row);
    int64_t at = weir_arg(&args[1], int32_t, row);
    uint64_t size = (uint64_t)(at < 0 ? -at : at);

    if (at == 0)
        return weir_call_bad(call, out, row, err, "INVALID_INDEX_OF_ZERO",
                             "positions count from 1, or from -1 backwards");
    if (size > list.n)
        return WEIR_BAD_IF_ANSI(call, out, row, err, "INVALID_ARRAY_INDEX_IN_ELEMENT_AT",
                                "position %lld of an array of %llu", (long long)at,
                                (unsigned long long)list.n);
    at = at > 0 ? at - 1 : (int64_t)(list.n - size);
    return weir_value_copy(&args[0].kids[0], (uint32_t)list.at + (uint32_t)at, out, row, call->mem, err);
}
WEIR_KERNEL_STRICT(element_at_array)

static weir_rc
element_at_map_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                   struct weir_error *err)
{
    struct weir_list list = weir_arg_list(&args[0], row);
    const struct weir_col *keys = &args[0].kids[0].kids[0];

    for (uint64_t i = list.at; i < list.at + list.n; i++)
        if (weir_value_equal(keys, (uint32_t)i, &args[1], row))
            return weir_value_copy(&args[0].kids[0].kids[1], (uint32_t)i, out, row, call->mem, err);
    weir_value_null(out, row);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(element_at_map)

static weir_rc
resolve_element_at(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type = array_arg(r, 0), *key;

    r->plan.try_ = strcmp(r->node->text, "try_element_at") == 0;
    if (type->kind != WEIR_MAP) {
        WEIR_TRY(array_want(r, 0, err));
        r->plan.may_fail = !r->plan.try_;
        return weir_resolve_plain(r, ".i", type->fields[0].type, element_at_array, err);
    }
    key = weir_coerce_wider(r->mem, r->set->ansi, weir_map_key(type)->type, array_arg(r, 1));
    if (key == NULL || array_arg(r, 1)->kind == WEIR_VOID)
        return weir_resolve_refuse(r, 1, "a key of the map's type", err);
    r->type = weir_map_value(type)->type;
    type = weir_type_map(r->mem, key, r->type, weir_map_value(type)->nullable);
    if (type == NULL)
        return weir_mem_fail(r->mem, sizeof(*type), err);
    WEIR_TRY(weir_resolve_cast(r, 0, type, err));
    WEIR_TRY(weir_resolve_cast(r, 1, key, err));
    r->plan.kernel = element_at_map;
    return WEIR_OK;
}

static weir_rc
array_get_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
              struct weir_error *err)
{
    struct weir_list list = weir_arg_list(&args[0], row);
    int32_t at = weir_arg(&args[1], int32_t, row);

    if (at >= 0 && (uint64_t)at < list.n)
        return weir_value_copy(&args[0].kids[0], (uint32_t)list.at + (uint32_t)at, out, row, call->mem, err);
    weir_value_null(out, row);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(array_get)

static weir_rc
resolve_get(struct weir_resolve *r, struct weir_error *err)
{
    WEIR_TRY(array_want(r, 0, err));
    return weir_resolve_plain(r, ".i", array_arg(r, 0)->fields[0].type, array_get, err);
}

static weir_rc
slice_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
          struct weir_error *err)
{
    struct weir_list list = weir_arg_list(&args[0], row);
    int64_t from = weir_arg(&args[1], int32_t, row), n = weir_arg(&args[2], int32_t, row);
    uint32_t at;

    if (from == 0)
        return weir_call_bad(call, out, row, err, "INVALID_PARAMETER_VALUE.START", "slice counts from 1");
    if (n < 0)
        return weir_call_bad(call, out, row, err, "INVALID_PARAMETER_VALUE.LENGTH", "slice of length %lld",
                             (long long)n);
    from = from > 0 ? from - 1 : from + (int64_t)list.n;
    if (from < 0 || from >= (int64_t)list.n)
        n = 0;
    else if (n > (int64_t)list.n - from)
        n = (int64_t)list.n - from;
    WEIR_TRY(weir_out_list(out, row, (uint64_t)n, &at, err));
    return array_copy(call, &args[0].kids[0], list.at + (uint64_t)from, (uint64_t)n, out, at, err);
}
WEIR_KERNEL_STRICT(slice)

static weir_rc
resolve_slice(struct weir_resolve *r, struct weir_error *err)
{
    WEIR_TRY(array_want(r, 0, err));
    r->plan.may_fail = true;
    return weir_resolve_plain(r, ".ii", array_arg(r, 0), slice, err);
}

/* Adding and removing. */

/* args: the array, the element. data: at the front. */
static weir_rc
array_append_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                 struct weir_error *err)
{
    uint32_t front = call->data != NULL, at;
    struct weir_list list;

    if (weir_arg_null(&args[0], row)) {
        weir_value_null(out, row);
        return WEIR_OK;
    }
    list = weir_arg_list(&args[0], row);
    WEIR_TRY(weir_out_list(out, row, list.n + 1, &at, err));
    WEIR_TRY(array_copy(call, &args[0].kids[0], list.at, list.n, out, at + front, err));
    return weir_value_copy(&args[1], row, &out->kids[0], front ? at : at + (uint32_t)list.n, call->mem, err);
}
WEIR_KERNEL_ALL(array_append)

static const struct weir_type *
array_nullable(struct weir_resolve *r, const struct weir_type *array)
{
    return weir_type_array(r->mem, array->fields[0].type, true);
}

static weir_rc
resolve_array_append(struct weir_resolve *r, struct weir_error *err)
{
    static const bool front = true;
    const struct weir_type *type = NULL;

    WEIR_TRY(array_with_element(r, 0, 1, true, &type, err));
    r->type = array_nullable(r, type);
    r->plan.data = strcmp(r->node->text, "array_prepend") == 0 ? &front : NULL;
    r->plan.kernel = array_append;
    return r->type != NULL ? WEIR_OK : weir_mem_fail(r->mem, sizeof(*type), err);
}

/* Positions behind the ends are reached over nulls. From the end, -1 is behind the last element. */
static weir_rc
array_insert_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                 struct weir_error *err)
{
    struct weir_col *kid = &out->kids[0];
    struct weir_list list;
    int64_t where, size, n;
    uint32_t at;

    if (weir_arg_null(&args[0], row) || weir_arg_null(&args[1], row)) {
        weir_value_null(out, row);
        return WEIR_OK;
    }
    list = weir_arg_list(&args[0], row);
    where = weir_arg(&args[1], int32_t, row);
    size = (int64_t)list.n;
    if (where == 0)
        return weir_call_bad(call, out, row, err, "INVALID_INDEX_OF_ZERO",
                             "positions count from 1, or from -1 backwards");
    where =
        where > 0 ? where - 1 : where + size + 1; /* of the new element; below 0: in front of so many nulls */
    n = where < 0 ? size - where + 1 : where > size ? where + 1 : size + 1;
    WEIR_TRY(weir_out_list(out, row, (uint64_t)n, &at, err));
    for (int64_t i = 0; i < n; i++) {
        /* of the old elements; the new one stands at `where` or, behind nulls, in front */
        int64_t from = where < 0 ? i - (n - size) : i < where ? i : i - 1;

        if (i == (where < 0 ? 0 : where))
            WEIR_TRY(weir_value_copy(&args[2], row, kid, at + (uint32_t)i, call->mem, err));
        else if (from >= 0 && from < size)
            WEIR_TRY(weir_value_copy(&args[0].kids[0], (uint32_t)list.at + (uint32_t)from, kid,
                                     at + (uint32_t)i, call->mem, err));
        else
            weir_value_null(kid, at + (uint32_t)i);
    }
    return WEIR_OK;
}
WEIR_KERNEL_ALL(array_insert)

static weir_rc
resolve_array_insert(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type = NULL;

    WEIR_TRY(array_with_element(r, 0, 2, true, &type, err));
    WEIR_TRY(weir_resolve_want(r, 1, &weir_type_int, err));
    r->type = array_nullable(r, type);
    r->plan.kernel = array_insert;
    r->plan.may_fail = true;
    return r->type != NULL ? WEIR_OK : weir_mem_fail(r->mem, sizeof(*type), err);
}

/* Keeps the elements that are not args[1]; with one argument those that are not null. */
static weir_rc
array_remove_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                 struct weir_error *err)
{
    struct weir_list list = weir_arg_list(&args[0], row);
    const struct weir_col *kid = &args[0].kids[0];
    uint32_t at, n = 0;

    WEIR_TRY(weir_out_list(out, row, list.n, &at, err));
    for (uint64_t i = list.at; i < list.at + list.n; i++) {
        bool null = weir_col_is_null(kid, (uint32_t)i);

        if (call->nargs == 1 ? null : !null && weir_value_equal(kid, (uint32_t)i, &args[1], row))
            continue;
        WEIR_TRY(weir_value_copy(kid, (uint32_t)i, &out->kids[0], at + n++, call->mem, err));
    }
    weir_out_list_end(out, row, n);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(array_remove)

static weir_rc
resolve_array_remove(struct weir_resolve *r, struct weir_error *err)
{
    WEIR_TRY(array_with_element(r, 0, 1, false, &r->type, err));
    r->plan.kernel = array_remove;
    return WEIR_OK;
}

static weir_rc
resolve_array_compact(struct weir_resolve *r, struct weir_error *err)
{
    WEIR_TRY(array_want(r, 0, err));
    r->type = weir_type_array(r->mem, array_arg(r, 0)->fields[0].type, false);
    r->plan.kernel = array_remove;
    return r->type != NULL ? WEIR_OK : weir_mem_fail(r->mem, sizeof(*r->type), err);
}

/* Sets of elements. */

enum set_of { SET_DISTINCT, SET_UNION, SET_INTERSECT, SET_EXCEPT };

/* Adds to out's list the elements of one argument that are new to `seen` and, with `other`, in it or not in
 * it. */
static weir_rc
array_set_add(struct weir_call *call, const struct weir_col *arg, uint32_t row, struct weir_value_set *seen,
              const struct weir_value_set *other, bool in_other, struct weir_col *out, uint32_t at,
              uint32_t *n, struct weir_error *err)
{
    struct weir_list list = weir_arg_list(arg, row);
    const struct weir_col *kid = &arg->kids[0];

    for (uint64_t i = list.at; i < list.at + list.n; i++) {
        if (other != NULL && weir_value_set_has(other, kid, (uint32_t)i) != in_other)
            continue;
        if (weir_value_set_add(seen, kid, (uint32_t)i))
            WEIR_TRY(weir_value_copy(kid, (uint32_t)i, &out->kids[0], at + (*n)++, call->mem, err));
    }
    return WEIR_OK;
}

static weir_rc
array_set_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
              struct weir_error *err)
{
    enum set_of how = *(const enum set_of *)call->data;
    struct weir_list b = call->nargs > 1 ? weir_arg_list(&args[1], row) : (struct weir_list){0};
    uint64_t room = weir_arg_list(&args[0], row).n + (how == SET_UNION ? b.n : 0);
    struct weir_value_set seen, other;
    uint32_t at, n = 0;

    WEIR_TRY(weir_value_set_init(&seen, call->mem, room, err));
    WEIR_TRY(weir_value_set_init(&other, call->mem, b.n, err));
    WEIR_TRY(weir_out_list(out, row, room, &at, err));
    if (how == SET_INTERSECT || how == SET_EXCEPT)
        for (uint64_t i = b.at; i < b.at + b.n; i++)
            (void)weir_value_set_add(&other, &args[1].kids[0], (uint32_t)i);
    WEIR_TRY(array_set_add(call, &args[0], row, &seen,
                           how == SET_INTERSECT || how == SET_EXCEPT ? &other : NULL, how == SET_INTERSECT,
                           out, at, &n, err));
    if (how == SET_UNION)
        WEIR_TRY(array_set_add(call, &args[1], row, &seen, NULL, false, out, at, &n, err));
    weir_out_list_end(out, row, n);
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(array_set)

static weir_rc
resolve_array_set(struct weir_resolve *r, struct weir_error *err)
{
    static const enum set_of ways[] = {SET_DISTINCT, SET_UNION, SET_INTERSECT, SET_EXCEPT};
    static const char *const names[] = {"array_distinct", "array_union", "array_intersect", "array_except"};

    for (uint32_t i = 0; i < r->node->nkids; i++)
        WEIR_TRY(array_orderable(r, i, err));
    WEIR_TRY(weir_resolve_common(r, 0, r->node->nkids, &r->type, err));
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        if (strcmp(names[i], r->node->text) == 0)
            r->plan.data = &ways[i];
    r->plan.kernel = array_set;
    return WEIR_OK;
}

/* Sorting. */

struct sorting {
    bool descending, nulls_first;
};

struct sort_env {
    const struct weir_col *kid;
    struct sorting how;
};

static int
sort_order(const void *a, const void *b, void *arg)
{
    const struct sort_env *env = arg;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    bool null_i = weir_col_is_null(env->kid, i), null_j = weir_col_is_null(env->kid, j);
    int order;

    if (null_i || null_j)
        order = null_i && null_j ? 0 : null_i == env->how.nulls_first ? -1 : 1;
    else
        order = weir_value_compare(env->kid, i, env->kid, j) * (env->how.descending ? -1 : 1);
    return order != 0 ? order : i < j ? -1 : i > j; /* stable */
}

static weir_rc
sort_list(struct weir_call *call, const struct weir_col *arg, uint32_t row, struct sorting how,
          struct weir_col *out, struct weir_error *err)
{
    struct weir_list list = weir_arg_list(arg, row);
    struct sort_env env = {&arg->kids[0], how};
    uint32_t *order = weir_mem_alloc(call->mem, list.n * sizeof(*order)), at;

    if (order == NULL)
        return weir_mem_fail(call->mem, list.n * sizeof(*order), err);
    for (uint32_t i = 0; i < list.n; i++)
        order[i] = (uint32_t)list.at + i;
    if (list.n > 0)
        qsort_r(order, list.n, sizeof(*order), sort_order, &env);
    WEIR_TRY(weir_out_list(out, row, list.n, &at, err));
    for (uint32_t i = 0; i < list.n; i++)
        WEIR_TRY(weir_value_copy(env.kid, order[i], &out->kids[0], at + i, call->mem, err));
    return WEIR_OK;
}

static weir_rc
array_sort_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
               struct weir_error *err)
{
    return sort_list(call, &args[0], row, (struct sorting){false, false}, out, err);
}
WEIR_KERNEL_STRICT(array_sort)

static weir_rc
sort_array_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
               struct weir_error *err)
{
    bool ascending = call->nargs < 2 || weir_arg(&args[1], uint8_t, row);

    return sort_list(call, &args[0], row, (struct sorting){!ascending, ascending}, out, err);
}
WEIR_KERNEL_STRICT(sort_array)

static weir_rc
resolve_array_sort(struct weir_resolve *r, struct weir_error *err)
{
    WEIR_TRY(array_orderable(r, 0, err));
    return weir_resolve_plain(r, ".", array_arg(r, 0), array_sort, err);
}

static weir_rc
array_sort_lambda(struct weir_resolve *r, uint32_t arg, struct weir_lambda *out, struct weir_error *err)
{
    (void)arg;
    (void)out;
    return weir_resolve_unsupported(
        r, "an order of your own (a lambda); sort structs whose first field has it", err);
}

static weir_rc
resolve_sort_array(struct weir_resolve *r, struct weir_error *err)
{
    WEIR_TRY(array_orderable(r, 0, err));
    return weir_resolve_plain(r, ".b", array_arg(r, 0), sort_array, err);
}

/* Joining, flattening, zipping. */

static weir_rc
array_join_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
               struct weir_error *err)
{
    struct weir_list list = weir_arg_list(&args[0], row);
    const struct weir_col *kid = &args[0].kids[0];
    struct weir_buf buf;
    bool first = true;
    uint32_t len;
    weir_rc rc = WEIR_OK;

    weir_buf_init(&buf, UINT32_MAX / 2, weir_mem_quota(call->mem));
    for (uint64_t i = list.at; i < list.at + list.n; i++) {
        bool null = weir_col_is_null(kid, (uint32_t)i);
        const char *p;

        if (null && call->nargs < 3)
            continue;
        p = weir_arg_str(&args[1], row, &len);
        if (!first)
            weir_buf_add(&buf, p, len);
        first = false;
        p = null ? weir_arg_str(&args[2], row, &len) : weir_arg_str(kid, (uint32_t)i, &len);
        weir_buf_add(&buf, p, len);
    }
    WEIR_GO(weir_buf_check(&buf, err));
    WEIR_GO(weir_out_str(call, out, row, buf.len > 0 ? buf.data : "", buf.len, err));
out:
    weir_buf_fini(&buf);
    return rc;
}
WEIR_KERNEL_STRICT(array_join)

static weir_rc
resolve_array_join(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *strings = weir_type_array(r->mem, &weir_type_string, true);

    if (strings == NULL)
        return weir_mem_fail(r->mem, sizeof(*strings), err);
    WEIR_TRY(array_want(r, 0, err));
    WEIR_TRY(weir_resolve_want(r, 0, strings, err));
    return weir_resolve_plain(r, ".ss", &weir_type_string, array_join, err);
}

static weir_rc
flatten_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
            struct weir_error *err)
{
    struct weir_list outer = weir_arg_list(&args[0], row);
    const struct weir_col *inner = &args[0].kids[0];
    uint64_t n = 0;
    uint32_t at;

    for (uint64_t i = outer.at; i < outer.at + outer.n; i++) {
        if (weir_col_is_null(inner, (uint32_t)i)) {
            weir_value_null(out, row);
            return WEIR_OK;
        }
        n += weir_arg_list(inner, (uint32_t)i).n;
    }
    WEIR_TRY(weir_out_list(out, row, n, &at, err));
    for (uint64_t i = outer.at; i < outer.at + outer.n; i++) {
        struct weir_list list = weir_arg_list(inner, (uint32_t)i);

        WEIR_TRY(array_copy(call, &inner->kids[0], list.at, list.n, out, at, err));
        at += (uint32_t)list.n;
    }
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(flatten)

static weir_rc
resolve_flatten(struct weir_resolve *r, struct weir_error *err)
{
    WEIR_TRY(array_want(r, 0, err));
    if (array_arg(r, 0)->fields[0].type->kind != WEIR_ARRAY)
        return weir_resolve_refuse(r, 0, "an array of arrays", err);
    return weir_resolve_plain(r, ".", array_arg(r, 0)->fields[0].type, flatten, err);
}

static weir_rc
zip_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
        struct weir_error *err)
{
    uint64_t most = 0;
    uint32_t at;

    for (uint32_t i = 0; i < call->nargs; i++)
        if (weir_arg_list(&args[i], row).n > most)
            most = weir_arg_list(&args[i], row).n;
    WEIR_TRY(weir_out_list(out, row, most, &at, err));
    for (uint32_t i = 0; i < call->nargs; i++) {
        struct weir_list list = weir_arg_list(&args[i], row);
        struct weir_col *field = &out->kids[0].kids[i];

        for (uint32_t k = 0; k < most; k++) {
            if (k < list.n)
                WEIR_TRY(
                    weir_value_copy(&args[i].kids[0], (uint32_t)list.at + k, field, at + k, call->mem, err));
            else
                weir_value_null(field, at + k);
        }
    }
    return WEIR_OK;
}

weir_rc
weir_arrays_zip(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
                struct weir_error *err)
{
    return weir_rows_strict(call, args, rows, out, zip_row, err);
}

/* Fields are named after their columns, or by number. */
static weir_rc
resolve_arrays_zip(struct weir_resolve *r, struct weir_error *err)
{
    uint32_t n = r->node->nkids;
    struct weir_field *fields = weir_mem_zalloc(r->mem, (n + 1) * sizeof(*fields));
    const struct weir_type *element;

    if (fields == NULL)
        return weir_mem_fail(r->mem, n * sizeof(*fields), err);
    for (uint32_t i = 0; i < n; i++) {
        const char *name = weir_resolve_field_name(r, i);

        WEIR_TRY(array_want(r, i, err));
        if (name == NULL)
            name = weir_mem_printf(r->mem, "%u", i);
        if (name == NULL)
            return weir_mem_fail(r->mem, 16, err);
        fields[i] = (struct weir_field){.name = name,
                                        .name_len = (uint32_t)strlen(name),
                                        .nullable = true,
                                        .type = r->plan.arg_types[i]->fields[0].type};
    }
    WEIR_TRY(weir_resolve_fields(r, fields, n, err));
    element = weir_type_struct(r->mem, fields, n);
    r->type = element != NULL ? weir_type_array(r->mem, element, false) : NULL;
    if (r->type == NULL)
        return weir_mem_fail(r->mem, sizeof(*element), err);
    r->plan.kernel = weir_arrays_zip;
    return WEIR_OK;
}

static weir_rc
resolve_shuffle(struct weir_resolve *r, struct weir_error *err)
{
    return weir_resolve_unsupported(r, "an order by chance would differ when a batch runs again", err);
}

/* Sequences. */

/* The step of this row: numbers, days, micros, or months. Without one: 1 or -1 of the unit, towards stop. */
static int64_t
sequence_step(const struct weir_call *call, const struct weir_col *args, uint32_t row,
              const struct weir_type *type, bool down, bool *months)
{
    int64_t step = type->kind == WEIR_TIMESTAMP || type->kind == WEIR_TIMESTAMP_NTZ ? CLOCK_DAY : 1;
    const struct weir_col *kid;

    *months = false;
    if (call->nargs < 3)
        return down ? -step : step;
    if (args[2].type->kind != WEIR_STRUCT) /* else an interval */
        return weir_arg(&args[2], int64_t, row);
    kid = &args[2].kids[0];
    row = weir_arg_row(&args[2], row);
    *months = kid->type->kind == WEIR_INT;
    step = *months ? weir_arg(kid, int32_t, row) : weir_arg(kid, int64_t, row);
    return type->kind == WEIR_DATE && !*months ? step / CLOCK_DAY : step;
}

static int64_t
sequence_value(const struct weir_col *arg, uint32_t row)
{
    return arg->type->kind == WEIR_DATE ? weir_arg(arg, int32_t, row) : weir_arg(arg, int64_t, row);
}

/* Element i from start; false: beyond the type. */
static bool
sequence_at(const struct weir_call *call, const struct weir_type *type, int64_t start, int64_t step,
            bool months, int64_t i, int64_t *out)
{
    int64_t by, local;

    if (__builtin_mul_overflow(step, i, &by))
        return false;
    if (!months)
        return !__builtin_add_overflow(start, by, out);
    if (by > 12 * 1000000 || by < -12 * 1000000)
        return false;
    if (type->kind == WEIR_DATE) {
        *out = weir_clock_add_months(start, by);
        return true;
    }
    local = type->kind == WEIR_TIMESTAMP ? weir_zone_to_local(call->set->zone, start) : start;
    local = weir_clock_add_months(clock_floor_div(local, CLOCK_DAY), by) * CLOCK_DAY +
            clock_floor_mod(local, CLOCK_DAY);
    *out = clock_stored(call, type, local);
    return true;
}

static void
sequence_store(struct weir_col *kid, uint32_t at, int64_t v)
{
    switch (weir_type_width(kid->type)) {
    case 1:
        weir_out(kid, int8_t, at) = (int8_t)v;
        break;
    case 2:
        weir_out(kid, int16_t, at) = (int16_t)v;
        break;
    case 4:
        weir_out(kid, int32_t, at) = (int32_t)v;
        break;
    default:
        weir_out(kid, int64_t, at) = v;
        break;
    }
}

static weir_rc
sequence_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
             struct weir_error *err)
{
    const struct weir_type *type = out->kids[0].type;
    int64_t start = sequence_value(&args[0], row), stop = sequence_value(&args[1], row), v = start;
    weir_i128 n = 1;
    bool months;
    int64_t step = sequence_step(call, args, row, type, start > stop, &months);
    uint32_t at;

    if (start != stop && (step == 0 || (step > 0) != (stop > start)))
        return weir_call_bad(call, out, row, err, "ILLEGAL_SEQUENCE_BOUNDARIES",
                             "a sequence from %lld to %lld by %lld", (long long)start, (long long)stop,
                             (long long)step);
    if (!months && step != 0)
        n = ((weir_i128)stop - start) / step + 1;
    while (months && start != stop && sequence_at(call, type, start, step, true, (int64_t)n, &v) &&
           (step < 0 ? v >= stop : v <= stop))
        n++;
    WEIR_TRY(weir_out_list(out, row, n > UINT32_MAX ? UINT32_MAX : (uint64_t)n, &at, err));
    for (int64_t i = 0; i < n; i++) {
        (void)sequence_at(call, type, start, step, months, i, &v);
        sequence_store(&out->kids[0], at + (uint32_t)i, v);
    }
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(sequence)

static weir_rc
resolve_sequence(struct weir_resolve *r, struct weir_error *err)
{
    bool interval = r->node->nkids > 2 && weir_type_is_interval(array_arg(r, 2));
    const struct weir_type *type;

    WEIR_TRY(weir_resolve_common(r, 0, interval ? 2 : r->node->nkids, &type, err));
    if (!weir_kind_is_integral(type->kind) && !weir_kind_is_datetime(type->kind))
        return weir_resolve_refuse(r, 0, "integers, dates or timestamps", err);
    if (weir_kind_is_datetime(type->kind) && r->node->nkids > 2 && !interval)
        return weir_resolve_refuse(r, 2, "an interval", err);
    for (uint32_t i = 0; weir_kind_is_integral(type->kind) && i < r->node->nkids; i++)
        WEIR_TRY(weir_resolve_cast(r, i, &weir_type_long, err));
    r->type = weir_type_array(r->mem, type, false);
    r->plan.kernel = sequence;
    r->plan.may_fail = true;
    return r->type != NULL ? WEIR_OK : weir_mem_fail(r->mem, sizeof(*type), err);
}

#define FN(name, min, max, resolve)                                                                          \
    {                                                                                                        \
        name, WEIR_FN_SCALAR, min, max, resolve, NULL, NULL                                                  \
    }
#define FN_NOT(name, min, max, resolve, why)                                                                 \
    {                                                                                                        \
        name, WEIR_FN_SCALAR, min, max, resolve, why, NULL                                                   \
    }

static const char ZEROS[] = "0.0 and -0.0 are one value, as they are everywhere else";

const struct weir_function weir_functions_collection[] = {
    FN("array", 0, 255, resolve_array),
    FN("array_append", 2, 2, resolve_array_append),
    FN("array_compact", 1, 1, resolve_array_compact),
    FN("array_contains", 2, 2, resolve_array_contains),
    FN_NOT("array_distinct", 1, 1, resolve_array_set, ZEROS),
    FN_NOT("array_except", 2, 2, resolve_array_set, ZEROS),
    FN("array_insert", 3, 3, resolve_array_insert),
    FN_NOT("array_intersect", 2, 2, resolve_array_set, ZEROS),
    FN("array_join", 2, 3, resolve_array_join),
    FN("array_max", 1, 1, resolve_array_extreme),
    FN("array_min", 1, 1, resolve_array_extreme),
    FN("array_position", 2, 2, resolve_array_position),
    FN("array_prepend", 2, 2, resolve_array_append),
    FN("array_remove", 2, 2, resolve_array_remove),
    FN("array_repeat", 2, 2, resolve_array_repeat),
    FN("array_size", 1, 1, resolve_size),
    {"array_sort", WEIR_FN_SCALAR, 1, 2, resolve_array_sort, "no comparator", array_sort_lambda},
    FN_NOT("array_union", 2, 2, resolve_array_set, ZEROS),
    FN("arrays_overlap", 2, 2, resolve_arrays_overlap),
    FN("arrays_zip", 1, 255, resolve_arrays_zip),
    FN("cardinality", 1, 1, resolve_size),
    FN("element_at", 2, 2, resolve_element_at),
    FN("flatten", 1, 1, resolve_flatten),
    FN("get", 2, 2, resolve_get),
    FN("sequence", 2, 3, resolve_sequence),
    FN_NOT("shuffle", 1, 2, resolve_shuffle, "refused"),
    FN("size", 1, 1, resolve_size),
    FN("slice", 3, 3, resolve_slice),
    FN("sort_array", 1, 2, resolve_sort_array),
    FN("try_element_at", 2, 2, resolve_element_at),
    {0},
};
