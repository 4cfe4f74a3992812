/* Maps and structs.
 *
 * 1. A map keeps its entries in the order in which they came. A key that comes twice is an error, as in Spark
 *    with spark.sql.mapKeyDedupPolicy = EXCEPTION; a null key is one too.
 * 2. Structs are printed as rows of their values, which DuckDB casts to the names. */
#include "base/limits.h"
#include "sql/coerce.h"
#include "sql/regex.h"
#include "sql/value.h"

static const struct weir_type *
map_arg(const struct weir_resolve *r, uint32_t i)
{
    return r->node->kids[i]->type;
}

static weir_rc
map_want(struct weir_resolve *r, uint32_t i, struct weir_error *err)
{
    return map_arg(r, i)->kind == WEIR_MAP ? weir_resolve_cast(r, i, map_arg(r, i), err)
                                           : weir_resolve_refuse(r, i, "a map", err);
}

static weir_rc
map_done(struct weir_resolve *r, const struct weir_type *type, weir_kernel *kernel, struct weir_error *err)
{
    if (type == NULL)
        return weir_mem_fail(r->mem, sizeof(*type), err);
    r->type = type;
    r->plan.kernel = kernel;
    return WEIR_OK;
}

weir_rc
weir_map_check(struct weir_call *call, struct weir_col *out, uint32_t row, struct weir_error *err)
{
    struct weir_list list = weir_out(out, struct weir_list, row);
    const struct weir_col *keys = &out->kids[0].kids[0];
    struct weir_value_set seen;

    WEIR_TRY(weir_value_set_init(&seen, call->mem, list.n, err));
    for (uint64_t i = list.at; i < list.at + list.n; i++) {
        if (weir_col_is_null(keys, (uint32_t)i))
            return weir_call_bad(call, out, row, err, "NULL_MAP_KEY", "a map has no null as key");
        if (!weir_value_set_add(&seen, keys, (uint32_t)i)) {
            struct weir_buf text = WEIR_BUF(WEIR_SMALL_MAX);
            weir_rc rc;

            if (!weir_kind_is_nested(keys->type->kind))
                weir_slot_print(keys, (uint32_t)i, &text);
            rc = weir_call_bad(call, out, row, err, "DUPLICATED_MAP_KEY", "the key %s comes twice",
                               text.len > 0 ? text.data : "of a map");
            weir_buf_fini(&text);
            return rc;
        }
    }
    return WEIR_OK;
}

/* Making. */

static weir_rc
map_of_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
           struct weir_error *err)
{
    struct weir_col *entry = &out->kids[0];
    uint32_t at;

    WEIR_TRY(weir_out_list(out, row, call->nargs / 2, &at, err));
    for (uint32_t i = 0; i < call->nargs; i++)
        WEIR_TRY(weir_value_copy(&args[i], row, &entry->kids[i & 1], at + i / 2, call->mem, err));
    return weir_map_check(call, out, row, err);
}
WEIR_KERNEL_ALL(map_of)

/* The type that every second argument, from `from` on, is cast to. */
static weir_rc
map_common(struct weir_resolve *r, uint32_t from, const struct weir_type **out, bool *nullable,
           struct weir_error *err)
{
    *out = &weir_type_void;
    *nullable = false;
    for (uint32_t i = from; i < r->node->nkids; i += 2) {
        *out = weir_coerce_wider(r->mem, r->set->ansi, *out, map_arg(r, i));
        *nullable = *nullable || r->node->kids[i]->nullable;
        if (*out == NULL)
            return weir_resolve_refuse(
                r, i, from == 0 ? "a key of the other keys' type" : "a value of the others' type", err);
    }
    for (uint32_t i = from; i < r->node->nkids; i += 2)
        WEIR_TRY(weir_resolve_cast(r, i, *out, err));
    return WEIR_OK;
}

static weir_rc
resolve_map(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *key, *value;
    bool ignored, nullable;

    if (r->node->nkids % 2 != 0)
        return weir_fail(err, WEIR_SCHEMA, "[WRONG_NUM_ARGS] map wants keys and values in turn");
    WEIR_TRY(map_common(r, 0, &key, &ignored, err));
    WEIR_TRY(map_common(r, 1, &value, &nullable, err));
    if (key->kind == WEIR_MAP)
        return weir_resolve_refuse(r, 0, "a key that is no map", err);
    r->nullable = false;
    r->plan.may_fail = true;
    return map_done(r, weir_type_map(r->mem, key, value, nullable), map_of, err);
}

static weir_rc
map_from_arrays_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                    struct weir_error *err)
{
    struct weir_list keys = weir_arg_list(&args[0], row), values = weir_arg_list(&args[1], row);
    struct weir_col *entry = &out->kids[0];
    uint32_t at;

    if (keys.n != values.n)
        return weir_call_bad(call, out, row, err, "_LEGACY_ERROR_TEMP_2128", "%llu keys for %llu values",
                             (unsigned long long)keys.n, (unsigned long long)values.n);
    WEIR_TRY(weir_out_list(out, row, keys.n, &at, err));
    for (uint32_t i = 0; i < keys.n; i++) {
        WEIR_TRY(weir_value_copy(&args[0].kids[0], (uint32_t)keys.at + i, &entry->kids[0], at + i, call->mem,
                                 err));
        WEIR_TRY(weir_value_copy(&args[1].kids[0], (uint32_t)values.at + i, &entry->kids[1], at + i,
                                 call->mem, err));
    }
    return weir_map_check(call, out, row, err);
}
WEIR_KERNEL_STRICT(map_from_arrays)

static weir_rc
resolve_map_from_arrays(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *key = map_arg(r, 0), *value = map_arg(r, 1);

    if (key->kind != WEIR_ARRAY || key->fields[0].type->kind == WEIR_MAP)
        return weir_resolve_refuse(r, 0, "an array of keys", err);
    if (value->kind != WEIR_ARRAY)
        return weir_resolve_refuse(r, 1, "an array", err);
    r->plan.may_fail = true;
    return map_done(
        r, weir_type_map(r->mem, key->fields[0].type, value->fields[0].type, value->fields[0].nullable),
        map_from_arrays, err);
}

/* A null entry makes the map null. */
static weir_rc
map_from_entries_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                     struct weir_error *err)
{
    struct weir_list list = weir_arg_list(&args[0], row);
    const struct weir_col *from = &args[0].kids[0];
    struct weir_col *entry = &out->kids[0];
    uint32_t at;

    for (uint64_t i = list.at; i < list.at + list.n; i++) {
        if (weir_col_is_null(from, (uint32_t)i)) {
            weir_value_null(out, row);
            return WEIR_OK;
        }
    }
    WEIR_TRY(weir_out_list(out, row, list.n, &at, err));
    for (uint32_t i = 0; i < list.n; i++)
        for (uint32_t k = 0; k < 2; k++)
            WEIR_TRY(weir_value_copy(&from->kids[k], (uint32_t)list.at + i, &entry->kids[k], at + i,
                                     call->mem, err));
    return weir_map_check(call, out, row, err);
}

weir_rc
weir_map_of_entries(struct weir_call *call, const struct weir_col *args, uint32_t rows, struct weir_col *out,
                    struct weir_error *err)
{
    return weir_rows_strict(call, args, rows, out, map_from_entries_row, err);
}

static weir_rc
resolve_map_from_entries(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type = map_arg(r, 0)->kind == WEIR_ARRAY ? map_arg(r, 0)->fields[0].type : NULL;

    if (type == NULL || type->kind != WEIR_STRUCT || type->nfields != 2)
        return weir_resolve_refuse(r, 0, "an array of structs of a key and a value", err);
    r->plan.may_fail = true;
    return map_done(
        r, weir_type_map(r->mem, type->fields[0].type, type->fields[1].type, type->fields[1].nullable),
        weir_map_of_entries, err);
}

static weir_rc
map_concat_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
               struct weir_error *err)
{
    uint64_t n = 0;
    uint32_t at;

    for (uint32_t i = 0; i < call->nargs; i++)
        n += weir_arg_list(&args[i], row).n;
    WEIR_TRY(weir_out_list(out, row, n, &at, err));
    for (uint32_t i = 0; i < call->nargs; i++) {
        struct weir_list list = weir_arg_list(&args[i], row);

        for (uint32_t k = 0; k < list.n; k++)
            WEIR_TRY(weir_value_copy(&args[i].kids[0], (uint32_t)list.at + k, &out->kids[0], at++, call->mem,
                                     err));
    }
    return weir_map_check(call, out, row, err);
}
WEIR_KERNEL_STRICT(map_concat)

static weir_rc
resolve_map_concat(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *type;

    if (r->node->nkids == 0) {
        r->nullable = false;
        return map_done(r, weir_type_map(r->mem, &weir_type_string, &weir_type_string, false), map_of, err);
    }
    for (uint32_t i = 0; i < r->node->nkids; i++)
        WEIR_TRY(map_want(r, i, err));
    WEIR_TRY(weir_resolve_common(r, 0, r->node->nkids, &type, err));
    r->plan.may_fail = true;
    return map_done(r, type, map_concat, err);
}

/* str_to_map: both delimiters are regular expressions. */

struct str_map {
    struct weir_regex *pair, *key; /* NULL: by row */
};

static weir_rc
str_map_regex(struct weir_call *call, struct weir_regex *fixed, const struct weir_col *arg, uint32_t row,
              struct weir_regex **re, struct weir_match *m, struct weir_error *err)
{
    uint32_t len;
    const char *text;

    *re = fixed;
    if (fixed == NULL) {
        text = weir_arg_str(arg, row, &len);
        WEIR_TRY(weir_regex_compile(weir_slice(text, len), call->mem, re, err));
    }
    return weir_match_new(*re, call->mem, m, err);
}

/* The piece of s from `from` to the next match of re, or to the end; *next: where the one behind begins, 0:
 * nowhere. */
static weir_rc
str_map_piece(const struct weir_regex *re, struct weir_match *m, struct weir_slice s, size_t from,
              struct weir_slice *piece, size_t *next, struct weir_error *err)
{
    bool found;

    WEIR_TRY(weir_regex_find(re, m, s, from, &found, err));
    if (found && m->span[1] == m->span[0])
        return weir_fail(err, WEIR_UNSUPPORTED, "str_to_map: a delimiter that matches nothing");
    *piece = weir_slice(s.ptr + from, (found ? m->span[0] : s.len) - from);
    *next = found ? m->span[1] : 0;
    return WEIR_OK;
}

static weir_rc
str_map_entry(struct weir_call *call, const struct weir_regex *re, struct weir_match *m,
              struct weir_slice piece, struct weir_col *entry, uint32_t at, struct weir_error *err)
{
    struct weir_slice key;
    size_t next;

    WEIR_TRY(str_map_piece(re, m, piece, 0, &key, &next, err));
    WEIR_TRY(weir_out_str(call, &entry->kids[0], at, key.ptr, key.len, err));
    if (next > 0)
        return weir_out_str(call, &entry->kids[1], at, piece.ptr + next, piece.len - next, err);
    weir_value_null(&entry->kids[1], at);
    return WEIR_OK;
}

static weir_rc
str_to_map_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
               struct weir_error *err)
{
    const struct str_map *fixed = call->data;
    struct weir_regex *pair, *key;
    struct weir_match pairs, keys;
    struct weir_slice s, piece;
    size_t next = 0;
    uint64_t n = 0;
    uint32_t at, len;

    WEIR_TRY(str_map_regex(call, fixed->pair, &args[1], row, &pair, &pairs, err));
    WEIR_TRY(str_map_regex(call, fixed->key, &args[2], row, &key, &keys, err));
    s.ptr = weir_arg_str(&args[0], row, &len);
    s.len = len;
    do {
        WEIR_TRY(str_map_piece(pair, &pairs, s, next, &piece, &next, err));
        n++;
    } while (next > 0);
    WEIR_TRY(weir_out_list(out, row, n, &at, err));
    do {
        WEIR_TRY(str_map_piece(pair, &pairs, s, next, &piece, &next, err));
        WEIR_TRY(str_map_entry(call, key, &keys, piece, &out->kids[0], at++, err));
    } while (next > 0);
    return weir_map_check(call, out, row, err);
}
WEIR_KERNEL_STRICT(str_to_map)

/* The delimiters that are not given become literals. */
static weir_rc
resolve_str_to_map(struct weir_resolve *r, struct weir_error *err)
{
    static const char *const defaults[3] = {NULL, ",", ":"};
    struct str_map *fixed = weir_mem_zalloc(r->mem, sizeof(*fixed));
    struct weir_node **kids = weir_mem_zalloc(r->mem, 4 * sizeof(kids[0]));

    if (fixed == NULL || kids == NULL)
        return weir_mem_fail(r->mem, sizeof(*fixed), err);
    for (uint32_t i = 0; i < 3; i++) {
        kids[i] =
            i < r->node->nkids ? r->node->kids[i] : weir_resolve_literal(r, &weir_type_string, defaults[i]);
        if (kids[i] == NULL)
            return weir_mem_fail(r->mem, sizeof(*kids[i]), err);
    }
    r->node->kids = kids;
    r->node->nkids = 3;
    for (uint32_t i = 1; i < 3; i++) {
        const char *text = weir_resolve_text(r, i);

        if (text != NULL)
            WEIR_TRY(weir_regex_compile(weir_slice(text, strlen(text)), r->mem,
                                        i == 1 ? &fixed->pair : &fixed->key, err));
        WEIR_TRY(weir_resolve_want(r, i, &weir_type_string, err));
    }
    WEIR_TRY(weir_resolve_want(r, 0, &weir_type_string, err));
    r->plan.data = fixed;
    r->plan.may_fail = true;
    return map_done(r, weir_type_map(r->mem, &weir_type_string, &weir_type_string, true), str_to_map, err);
}

/* Taking apart. */

/* The keys (data NULL) or values of a map as an array. */
static weir_rc
map_side_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
             struct weir_error *err)
{
    struct weir_list list = weir_arg_list(&args[0], row);
    const struct weir_col *from = &args[0].kids[0].kids[call->data != NULL];
    uint32_t at;

    WEIR_TRY(weir_out_list(out, row, list.n, &at, err));
    for (uint32_t i = 0; i < list.n; i++)
        WEIR_TRY(weir_value_copy(from, (uint32_t)list.at + i, &out->kids[0], at + i, call->mem, err));
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(map_side)

static weir_rc
resolve_map_side(struct weir_resolve *r, struct weir_error *err)
{
    static const bool values = true;
    const struct weir_field *side;

    WEIR_TRY(map_want(r, 0, err));
    r->plan.data = strcmp(r->node->text, "map_values") == 0 ? &values : NULL;
    side = r->plan.data != NULL ? weir_map_value(map_arg(r, 0)) : weir_map_key(map_arg(r, 0));
    return map_done(r, weir_type_array(r->mem, side->type, side->nullable), map_side, err);
}

static weir_rc
map_entries_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                struct weir_error *err)
{
    struct weir_list list = weir_arg_list(&args[0], row);
    uint32_t at;

    WEIR_TRY(weir_out_list(out, row, list.n, &at, err));
    for (uint32_t i = 0; i < list.n; i++)
        WEIR_TRY(
            weir_value_copy(&args[0].kids[0], (uint32_t)list.at + i, &out->kids[0], at + i, call->mem, err));
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(map_entries)

static weir_rc
resolve_map_entries(struct weir_resolve *r, struct weir_error *err)
{
    WEIR_TRY(map_want(r, 0, err));
    return map_done(r, weir_type_array(r->mem, map_arg(r, 0)->fields[0].type, false), map_entries, err);
}

static weir_rc
map_contains_row(struct weir_call *call, const struct weir_col *args, uint32_t row, struct weir_col *out,
                 struct weir_error *err)
{
    struct weir_list list = weir_arg_list(&args[0], row);
    const struct weir_col *keys = &args[0].kids[0].kids[0];
    bool found = false;

    (void)call;
    (void)err;
    for (uint64_t i = list.at; i < list.at + list.n && !found; i++)
        found = weir_value_equal(keys, (uint32_t)i, &args[1], row);
    weir_out(out, uint8_t, row) = found;
    return WEIR_OK;
}
WEIR_KERNEL_STRICT(map_contains)

static weir_rc
resolve_map_contains(struct weir_resolve *r, struct weir_error *err)
{
    const struct weir_type *map = map_arg(r, 0), *key;

    WEIR_TRY(map_want(r, 0, err));
    key = weir_coerce_wider(r->mem, r->set->ansi, weir_map_key(map)->type, map_arg(r, 1));
    if (key == NULL || map_arg(r, 1)->kind == WEIR_VOID)
        return weir_resolve_refuse(r, 1, "a key of the map's type", err);
    map = weir_type_map(r->mem, key, weir_map_value(map)->type, weir_map_value(map)->nullable);
    if (map == NULL)
        return weir_mem_fail(r->mem, sizeof(*map), err);
    WEIR_TRY(weir_resolve_cast(r, 0, map, err));
    WEIR_TRY(weir_resolve_cast(r, 1, key, err));
    return map_done(r, &weir_type_boolean, map_contains, err);
}

/* Structs. */

/* struct<names> of the arguments, which stay as they are. */
static weir_rc
struct_done(struct weir_resolve *r, const struct weir_field *fields, struct weir_error *err)
{
    WEIR_TRY(weir_resolve_fields(r, fields, r->node->nkids, err));
    r->type = weir_type_struct(r->mem, fields, r->node->nkids);
    r->nullable = false;
    r->plan.text = "row($*)";
    return r->type != NULL ? WEIR_OK : weir_mem_fail(r->mem, sizeof(*r->type), err);
}

static weir_rc
resolve_struct(struct weir_resolve *r, struct weir_error *err)
{
    uint32_t n = r->node->nkids;
    struct weir_field *fields = weir_mem_zalloc(r->mem, (n + 1) * sizeof(*fields));

    if (fields == NULL)
        return weir_mem_fail(r->mem, n * sizeof(*fields), err);
    for (uint32_t i = 0; i < n; i++) {
        const char *name = weir_resolve_field_name(r, i);

        if (name == NULL)
            name = weir_mem_printf(r->mem, "col%u", i + 1);
        if (name == NULL)
            return weir_mem_fail(r->mem, 16, err);
        fields[i] = (struct weir_field){.name = name,
                                        .name_len = (uint32_t)strlen(name),
                                        .nullable = r->node->kids[i]->nullable,
                                        .type = map_arg(r, i)};
    }
    return struct_done(r, fields, err);
}

/* Names and values in turn; the names are constants and go into the type. */
static weir_rc
resolve_named_struct(struct weir_resolve *r, struct weir_error *err)
{
    uint32_t n = r->node->nkids / 2;
    struct weir_field *fields = weir_mem_zalloc(r->mem, (n + 1) * sizeof(*fields));
    struct weir_node **kids = weir_mem_zalloc(r->mem, (n + 1) * sizeof(kids[0]));

    if (r->node->nkids % 2 != 0)
        return weir_fail(err, WEIR_SCHEMA, "[WRONG_NUM_ARGS] named_struct wants names and values in turn");
    if (fields == NULL || kids == NULL)
        return weir_mem_fail(r->mem, n * sizeof(*fields), err);
    for (uint32_t i = 0; i < n; i++) {
        const char *name = weir_resolve_text(r, i * 2);

        if (name == NULL)
            return weir_resolve_refuse(r, i * 2, "a constant name", err);
        kids[i] = r->node->kids[i * 2 + 1];
        fields[i] = (struct weir_field){.name = name,
                                        .name_len = (uint32_t)strlen(name),
                                        .nullable = kids[i]->nullable,
                                        .type = kids[i]->type};
    }
    r->node->kids = kids;
    r->node->nkids = n;
    return struct_done(r, fields, err);
}

#define FN(name, min, max, resolve)                                                                          \
    {                                                                                                        \
        name, WEIR_FN_SCALAR, min, max, resolve, NULL, NULL                                                  \
    }

const struct weir_function weir_functions_map[] = {
    FN("map", 0, 255, resolve_map),
    FN("map_concat", 0, 255, resolve_map_concat),
    FN("map_contains_key", 2, 2, resolve_map_contains),
    FN("map_entries", 1, 1, resolve_map_entries),
    FN("map_from_arrays", 2, 2, resolve_map_from_arrays),
    FN("map_from_entries", 1, 1, resolve_map_from_entries),
    FN("map_keys", 1, 1, resolve_map_side),
    FN("map_values", 1, 1, resolve_map_side),
    FN("named_struct", 2, 255, resolve_named_struct),
    FN("str_to_map", 1, 3, resolve_str_to_map),
    FN("struct", 1, 255, resolve_struct),
    {0},
};
