/* Values of any type inside columns; see value.h. Nesting is bounded by WEIR_NEST_MAX, as types are. */
#include "sql/value.h"

#include <math.h>

#include "base/map.h"
#include "base/str.h"

enum { LIST_MAX = INT32_MAX - 15 }; /* elements, as Spark's MAX_ROUNDED_ARRAY_LENGTH */

static int
value_sign(bool less, bool more)
{
    return less ? -1 : more ? 1 : 0;
}

static int
value_compare_double(double a, double b)
{
    if (isnan(a) || isnan(b))
        return (isnan(a) ? 1 : 0) - (isnan(b) ? 1 : 0);
    return value_sign(a<b, a> b);
}

static int
value_compare_str(const struct weir_str *a, const struct weir_str *b)
{
    int order = memcmp(weir_str_ptr(a), weir_str_ptr(b), a->len < b->len ? a->len : b->len);

    return order != 0 ? order : value_sign(a->len<b->len, a->len> b->len);
}

static int
value_compare_list(const struct weir_col *a, uint32_t i, const struct weir_col *b, uint32_t j)
{
    struct weir_list x = weir_out(a, struct weir_list, i), y = weir_out(b, struct weir_list, j);

    for (uint64_t k = 0; k < x.n && k < y.n; k++) {
        int order = weir_value_compare(&a->kids[0], (uint32_t)(x.at + k), &b->kids[0], (uint32_t)(y.at + k));

        if (order != 0)
            return order;
    }
    return value_sign(x.n<y.n, x.n> y.n);
}

static int
value_compare_struct(const struct weir_col *a, uint32_t i, const struct weir_col *b, uint32_t j)
{
    for (uint32_t k = 0; k < a->nkids; k++) {
        int order = weir_value_compare(&a->kids[k], i, &b->kids[k], j);

        if (order != 0)
            return order;
    }
    return 0;
}

#define COMPARE(T)                                                                                           \
    value_sign(weir_out(a, const T, i) < weir_out(b, const T, j),                                            \
               weir_out(a, const T, i) > weir_out(b, const T, j))

int
weir_value_compare(const struct weir_col *a, uint32_t i, const struct weir_col *b, uint32_t j)
{
    bool null_a = weir_col_is_null(a, i), null_b = weir_col_is_null(b, j);

    if (null_a || null_b)
        return (null_a ? 0 : 1) - (null_b ? 0 : 1);
    i = weir_arg_row(a, i);
    j = weir_arg_row(b, j);
    switch (a->type->kind) {
    case WEIR_BOOLEAN:
        return COMPARE(uint8_t);
    case WEIR_BYTE:
        return COMPARE(int8_t);
    case WEIR_SHORT:
        return COMPARE(int16_t);
    case WEIR_INT:
    case WEIR_DATE:
        return COMPARE(int32_t);
    case WEIR_LONG:
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_NTZ:
        return COMPARE(int64_t);
    case WEIR_FLOAT:
        return value_compare_double((double)weir_out(a, const float, i), (double)weir_out(b, const float, j));
    case WEIR_DOUBLE:
        return value_compare_double(weir_out(a, const double, i), weir_out(b, const double, j));
    case WEIR_DECIMAL: {
        weir_i128 x = weir_decimal_get(a, i), y = weir_decimal_get(b, j);

        return value_sign(x<y, x> y);
    }
    case WEIR_STRING:
    case WEIR_BINARY:
        return value_compare_str(&weir_out(a, const struct weir_str, i),
                                 &weir_out(b, const struct weir_str, j));
    case WEIR_ARRAY:
    case WEIR_MAP:
        return value_compare_list(a, i, b, j);
    case WEIR_STRUCT:
    case WEIR_VARIANT:
        return value_compare_struct(a, i, b, j);
    default:
        return 0;
    }
}

static uint64_t
value_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

/* One NaN, one zero. */
static uint64_t
value_hash_double(double v)
{
    uint64_t bits = 0;

    if (isnan(v))
        return 1;
    if (v != 0.0)
        memcpy(&bits, &v, sizeof(bits));
    return bits;
}

static uint64_t
value_hash_i128(weir_i128 v)
{
    return value_mix((uint64_t)v, (uint64_t)(v >> 64));
}

uint64_t
weir_value_hash(const struct weir_col *col, uint32_t row)
{
    uint64_t h = 7;

    if (weir_col_is_null(col, row))
        return 3;
    row = weir_arg_row(col, row);
    switch (col->type->kind) {
    case WEIR_FLOAT:
        return value_mix(h, value_hash_double((double)weir_out(col, const float, row)));
    case WEIR_DOUBLE:
        return value_mix(h, value_hash_double(weir_out(col, const double, row)));
    case WEIR_DECIMAL:
        return value_mix(h, value_hash_i128(weir_decimal_get(col, row)));
    case WEIR_STRING:
    case WEIR_BINARY: {
        const struct weir_str *s = &weir_out(col, const struct weir_str, row);

        return weir_hash(weir_str_ptr(s), s->len);
    }
    case WEIR_ARRAY:
    case WEIR_MAP: {
        struct weir_list list = weir_out(col, const struct weir_list, row);

        for (uint64_t k = 0; k < list.n; k++)
            h = value_mix(h, weir_value_hash(&col->kids[0], (uint32_t)(list.at + k)));
        return h;
    }
    case WEIR_STRUCT:
    case WEIR_VARIANT:
        for (uint32_t k = 0; k < col->nkids; k++)
            h = value_mix(h, weir_value_hash(&col->kids[k], row));
        return h;
    case WEIR_VOID:
        return h;
    default: {
        size_t width = weir_type_width(col->type);
        uint64_t bits = 0;

        memcpy(&bits, (const char *)col->data + row * width, width);
        return value_mix(h, bits);
    }
    }
}

void
weir_value_null(struct weir_col *col, uint32_t row)
{
    size_t width = weir_type_width(col->type);

    weir_col_set_null(col, row);
    if (width > 0)
        memset((char *)col->data + row * width, 0, width);
    for (uint32_t k = 0;
         (col->type->kind == WEIR_STRUCT || col->type->kind == WEIR_VARIANT) && k < col->nkids; k++)
        weir_value_null(&col->kids[k], row);
}

weir_rc
weir_out_list(struct weir_col *out, uint32_t row, uint64_t n, uint32_t *at, struct weir_error *err)
{
    struct weir_col *kid = &out->kids[0];

    if (n > LIST_MAX || kid->len + n > LIST_MAX)
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "[COLLECTION_SIZE_LIMIT_EXCEEDED] arrays of a chunk have more than %d "
                         "elements",
                         LIST_MAX);
    WEIR_TRY(weir_col_room(kid, kid->len + (uint32_t)n, err));
    *at = kid->len;
    kid->len += (uint32_t)n;
    weir_out(out, struct weir_list, row) = (struct weir_list){*at, n};
    return WEIR_OK;
}

static weir_rc
value_copy_list(const struct weir_col *from, uint32_t i, struct weir_col *to, uint32_t j,
                struct weir_mem *mem, struct weir_error *err)
{
    struct weir_list list = weir_out(from, const struct weir_list, i);
    uint32_t at;

    WEIR_TRY(weir_out_list(to, j, list.n, &at, err));
    for (uint32_t k = 0; k < list.n; k++)
        WEIR_TRY(weir_value_copy(&from->kids[0], (uint32_t)list.at + k, &to->kids[0], at + k, mem, err));
    return WEIR_OK;
}

weir_rc
weir_value_copy(const struct weir_col *from, uint32_t i, struct weir_col *to, uint32_t j,
                struct weir_mem *mem, struct weir_error *err)
{
    size_t width = weir_type_width(to->type);

    if (weir_col_is_null(from, i) || from->type->kind == WEIR_VOID) {
        weir_value_null(to, j);
        return WEIR_OK;
    }
    i = weir_arg_row(from, i);
    switch (to->type->kind) {
    case WEIR_STRING:
    case WEIR_BINARY: {
        const struct weir_str *s = &weir_out(from, const struct weir_str, i);

        if (!weir_str_copy(mem, weir_str_ptr(s), s->len, &weir_out(to, struct weir_str, j)))
            return weir_mem_fail(mem, s->len, err);
        return WEIR_OK;
    }
    case WEIR_ARRAY:
    case WEIR_MAP:
        return value_copy_list(from, i, to, j, mem, err);
    case WEIR_STRUCT:
    case WEIR_VARIANT:
        for (uint32_t k = 0; k < to->nkids; k++)
            WEIR_TRY(weir_value_copy(&from->kids[k], i, &to->kids[k], j, mem, err));
        return WEIR_OK;
    default:
        memcpy((char *)to->data + j * width, (const char *)from->data + i * width, width);
        return WEIR_OK;
    }
}

/* Sets. */

weir_rc
weir_value_set_init(struct weir_value_set *set, struct weir_mem *mem, uint64_t room, struct weir_error *err)
{
    uint64_t cap = 8;

    while (cap < room * 2)
        cap *= 2;
    *set = (struct weir_value_set){.mem = mem, .cap = (uint32_t)cap};
    if (cap <= UINT32_MAX / 2)
        set->slots = weir_mem_zalloc(mem, cap * sizeof(*set->slots));
    return set->slots != NULL ? WEIR_OK : weir_mem_fail(mem, cap * sizeof(*set->slots), err);
}

/* The slot of the value, or the free one where it belongs. */
static struct weir_value_seen *
value_set_slot(const struct weir_value_set *set, const struct weir_col *col, uint32_t row, uint64_t hash)
{
    for (uint32_t at = (uint32_t)hash & (set->cap - 1);; at = (at + 1) & (set->cap - 1)) {
        struct weir_value_seen *seen = &set->slots[at];

        if (seen->col == NULL || (seen->hash == hash && weir_value_equal(seen->col, seen->row, col, row)))
            return seen;
    }
}

bool
weir_value_set_has(const struct weir_value_set *set, const struct weir_col *col, uint32_t row)
{
    return value_set_slot(set, col, row, weir_value_hash(col, row))->col != NULL;
}

bool
weir_value_set_add(struct weir_value_set *set, const struct weir_col *col, uint32_t row)
{
    uint64_t hash = weir_value_hash(col, row);
    struct weir_value_seen *seen = value_set_slot(set, col, row, hash);

    if (seen->col != NULL)
        return false;
    WEIR_ASSERT(++set->n <= set->cap / 2);
    *seen = (struct weir_value_seen){col, row, hash};
    return true;
}

/* Row loops. */

weir_rc
weir_rows_all(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
              weir_row_kernel *fn, struct weir_error *err)
{
    for (uint32_t row = 0; row < rows; row++)
        WEIR_TRY(fn(call, args, row, out, err));
    return WEIR_OK;
}

weir_rc
weir_rows_strict(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
                 weir_row_kernel *fn, struct weir_error *err)
{
    for (uint32_t row = 0; row < rows; row++) {
        bool null = false;

        for (uint32_t i = 0; i < call->nargs && !null; i++)
            null = weir_col_is_null(&args[i], row);
        if (null)
            weir_value_null(out, row);
        else
            WEIR_TRY(fn(call, args, row, out, err));
    }
    return WEIR_OK;
}

/* Resolvers. */

static const struct weir_type *
resolve_letter(char letter)
{
    switch (letter) {
    case 's':
        return &weir_type_string;
    case 'y':
        return &weir_type_binary;
    case 'b':
        return &weir_type_boolean;
    case 'i':
        return &weir_type_int;
    case 'l':
        return &weir_type_long;
    case 'd':
        return &weir_type_double;
    case 'D':
        return &weir_type_date;
    case 'T':
        return &weir_type_timestamp;
    case 'N':
        return &weir_type_timestamp_ntz;
    default:
        return NULL;
    }
}

static weir_rc
resolve_args(struct weir_resolve *r, const char *args, struct weir_error *err)
{
    for (uint32_t i = 0; i < r->node->nkids && args[i] != '\0'; i++) {
        const struct weir_type *type = resolve_letter(args[i]);

        if (type != NULL)
            WEIR_TRY(weir_resolve_want(r, i, type, err));
    }
    return WEIR_OK;
}

weir_rc
weir_resolve_plain(struct weir_resolve *r, const char *args, const struct weir_type *type,
                   weir_kernel *kernel, struct weir_error *err)
{
    WEIR_TRY(resolve_args(r, args, err));
    r->type = type;
    r->plan.kernel = kernel;
    return WEIR_OK;
}

weir_rc
weir_resolve_as_text(struct weir_resolve *r, const char *args, const struct weir_type *type, const char *text,
                     struct weir_error *err)
{
    WEIR_TRY(resolve_args(r, args, err));
    r->type = type;
    r->plan.text = text;
    return WEIR_OK;
}

struct weir_node *
weir_resolve_literal(struct weir_resolve *r, const struct weir_type *type, const char *text)
{
    struct weir_node *node = weir_mem_zalloc(r->mem, sizeof(*node));

    if (node == NULL)
        return NULL;
    node->kind = WEIR_NODE_LITERAL;
    node->at = r->node->at;
    node->type = type;
    node->text = text;
    node->text_len = text == NULL ? 0 : (uint32_t)strlen(text);
    node->nullable = text == NULL;
    return node;
}

const char *
weir_resolve_field_name(struct weir_resolve *r, uint32_t i)
{
    struct weir_node **kid = &r->node->kids[i];
    const char *name = NULL;

    switch ((*kid)->kind) {
    case WEIR_NODE_ALIAS:
        name = (*kid)->text;
        *kid = (*kid)->kids[0];
        break;
    case WEIR_NODE_NAME:
        name = (*kid)->nnames > 0 ? (*kid)->names[(*kid)->nnames - 1] : NULL;
        break;
    case WEIR_NODE_FIELD:
        name = (*kid)->text;
        break;
    default:
        break;
    }
    return name;
}

weir_rc
weir_resolve_fields(const struct weir_resolve *r, const struct weir_field *fields, uint32_t n,
                    struct weir_error *err)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (!weir_slice_is_nocase(weir_slice(fields[i].name, fields[i].name_len), fields[k].name))
                continue;
            (void)weir_fail(err, WEIR_UNSUPPORTED, "%s(): two fields are named %s", r->node->text,
                            fields[i].name);
            return weir_error_hint(err, "name them with AS, or with named_struct('a', …, 'b', …)");
        }
    }
    return WEIR_OK;
}

/* A CALL with room for its plan and kids. NULL: no memory. */
static struct weir_node *
resolve_node(struct weir_resolve *r, const char *name, struct weir_node *const *kids, uint32_t n)
{
    struct weir_node *node = weir_mem_zalloc(r->mem, sizeof(*node));

    if (node == NULL)
        return NULL;
    node->plan = weir_mem_zalloc(r->mem, sizeof(*node->plan));
    node->kids = weir_mem_alloc(r->mem, (n + 1) * sizeof(node->kids[0]));
    if (node->plan == NULL || node->kids == NULL)
        return NULL;
    if (n > 0)
        memcpy(node->kids, kids, n * sizeof(node->kids[0]));
    node->kind = WEIR_NODE_CALL;
    node->at = r->node->at;
    node->nkids = n;
    node->text = name;
    node->text_len = (uint32_t)strlen(name);
    node->fn = r->node->fn;
    return node;
}

weir_rc
weir_resolve_call(struct weir_resolve *r, const char *name, struct weir_node *const *kids, uint32_t n,
                  struct weir_node **out, struct weir_error *err)
{
    struct weir_node *node = resolve_node(r, name, kids, n);
    struct weir_resolve inner = *r;

    if (node == NULL)
        return weir_mem_fail(r->mem, sizeof(*node), err);
    inner.node = node;
    WEIR_TRY(weir_resolve_instead(&inner, name, err));
    *node->plan = inner.plan;
    node->type = inner.type;
    node->nullable = inner.nullable;
    *out = node;
    return WEIR_OK;
}

weir_rc
weir_resolve_kernel(struct weir_resolve *r, weir_kernel *kernel, const void *data,
                    const struct weir_type *type, struct weir_node *const *kids, uint32_t n,
                    const struct weir_type *const *arg_types, struct weir_node **out, struct weir_error *err)
{
    struct weir_node *node = resolve_node(r, r->node->text, kids, n);
    const struct weir_type **types = weir_mem_zalloc(r->mem, (n + 1) * sizeof(types[0]));

    if (node == NULL || types == NULL)
        return weir_mem_fail(r->mem, sizeof(*node), err);
    if (arg_types != NULL)
        memcpy(types, arg_types, n * sizeof(types[0]));
    *node->plan =
        (struct weir_call_plan){.kernel = kernel, .data = data, .may_fail = true, .arg_types = types};
    node->type = type;
    node->nullable = true;
    *out = node;
    return WEIR_OK;
}

weir_rc
weir_resolve_instead(struct weir_resolve *r, const char *name, struct weir_error *err)
{
    const struct weir_function *fn = weir_function_find(name);

    if (fn == NULL)
        return weir_fail(err, WEIR_BUG, "%s() is computed by %s(), which is not there", r->node->text, name);
    r->node->fn = fn;
    r->node->text = fn->name;
    r->type = NULL;
    r->nullable = true;
    r->wanted = NULL;
    memset(&r->plan, 0, sizeof(r->plan));
    return fn->resolve(r, err);
}

weir_rc
weir_resolve_unsupported(const struct weir_resolve *r, const char *why, struct weir_error *err)
{
    return weir_fail(err, WEIR_UNSUPPORTED, "%s(): %s", r->node->text, why);
}
