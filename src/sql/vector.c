/* DuckDB's vectors and weir's columns: the same slots (column/page.h says which), so reading is lending
 * pointers and writing is copying slots.
 *
 * 1. Vectors that DuckDB hands to a C function are flat, with all below them; so no other form is looked for.
 * 2. DuckDB takes a field of a null struct for null without asking the struct: nulls are written down to the
 *    leaves.
 * 3. What stands under a null is zeroed: DuckDB may copy it, but a pointer there must not be followed.
 * 4. A BOOLEAN is a byte, VOID is INTEGER without a value, VARIANT a struct of two BLOBs.
 * Depth is that of the types, at most WEIR_NEST_MAX. */
#include "sql/engine_int.h"

#include <string.h>

_Static_assert(sizeof(struct weir_str) == sizeof(duckdb_string_t), "strings have DuckDB's shape");
_Static_assert(sizeof(struct weir_list) == sizeof(duckdb_list_entry), "lists have DuckDB's shape");
_Static_assert(WEIR_STR_INLINE == 12, "DuckDB keeps twelve bytes inline");

/* --- types
 * ------------------------------------------------------------------------------------------------------- */

static duckdb_type
scalar_type(weir_kind kind)
{
    switch (kind) {
    case WEIR_BOOLEAN:
        return DUCKDB_TYPE_BOOLEAN;
    case WEIR_BYTE:
        return DUCKDB_TYPE_TINYINT;
    case WEIR_SHORT:
        return DUCKDB_TYPE_SMALLINT;
    case WEIR_INT:
        return DUCKDB_TYPE_INTEGER;
    case WEIR_LONG:
        return DUCKDB_TYPE_BIGINT;
    case WEIR_FLOAT:
        return DUCKDB_TYPE_FLOAT;
    case WEIR_DOUBLE:
        return DUCKDB_TYPE_DOUBLE;
    case WEIR_DATE:
        return DUCKDB_TYPE_DATE;
    case WEIR_TIMESTAMP:
        return DUCKDB_TYPE_TIMESTAMP_TZ;
    case WEIR_TIMESTAMP_NTZ:
        return DUCKDB_TYPE_TIMESTAMP;
    case WEIR_STRING:
        return DUCKDB_TYPE_VARCHAR;
    case WEIR_BINARY:
        return DUCKDB_TYPE_BLOB;
    case WEIR_VOID:
        return DUCKDB_TYPE_INTEGER;
    default:
        return DUCKDB_TYPE_INVALID;
    }
}

static duckdb_logical_type
struct_type(const char *const *names, duckdb_logical_type *types, uint32_t n)
{
    duckdb_logical_type made = duckdb_create_struct_type(types, (const char **)(uintptr_t)names, n);

    for (uint32_t i = 0; i < n; i++)
        duckdb_destroy_logical_type(&types[i]);
    return made;
}

static duckdb_logical_type
vector_struct(const struct weir_type *type)
{
    duckdb_logical_type *types = calloc(type->nfields + 1, sizeof(*types)), made = NULL;
    const char **names = calloc(type->nfields + 1, sizeof(*names));

    if (types != NULL && names != NULL) {
        for (uint32_t i = 0; i < type->nfields; i++) {
            names[i] = type->fields[i].name;
            types[i] = vector_type(type->fields[i].type);
        }
        made = struct_type(names, types, type->nfields);
    }
    free(types);
    free(names);
    return made;
}

duckdb_logical_type
vector_type(const struct weir_type *type)
{
    duckdb_logical_type key, value, made;

    switch (type->kind) {
    case WEIR_DECIMAL:
        return duckdb_create_decimal_type(type->precision, type->scale);
    case WEIR_ARRAY:
        value = vector_type(type->fields[0].type);
        made = duckdb_create_list_type(value);
        duckdb_destroy_logical_type(&value);
        return made;
    case WEIR_MAP:
        key = vector_type(weir_map_key(type)->type);
        value = vector_type(weir_map_value(type)->type);
        made = duckdb_create_map_type(key, value);
        duckdb_destroy_logical_type(&key);
        duckdb_destroy_logical_type(&value);
        return made;
    case WEIR_STRUCT:
    case WEIR_VARIANT:
        return vector_struct(type);
    default:
        return duckdb_create_logical_type(scalar_type(type->kind));
    }
}

/* A list's element, a map's key_value or a struct's field i; to be destroyed. */
static duckdb_logical_type
type_kid(duckdb_logical_type type, duckdb_type id, uint32_t i)
{
    duckdb_logical_type kids[2], made;
    static const char *const names[] = {"key", "value"};

    if (id == DUCKDB_TYPE_LIST)
        return duckdb_list_type_child_type(type);
    if (id == DUCKDB_TYPE_STRUCT)
        return duckdb_struct_type_child_type(type, i);
    kids[0] = duckdb_map_type_key_type(type);
    kids[1] = duckdb_map_type_value_type(type);
    made = struct_type(names, kids, 2);
    return made;
}

static bool
fits_kids(duckdb_logical_type have, duckdb_type id, const struct weir_type *want)
{
    if (id == DUCKDB_TYPE_STRUCT && duckdb_struct_type_child_count(have) != want->nfields)
        return false;
    for (uint32_t i = 0; i < want->nfields; i++) {
        duckdb_logical_type kid = type_kid(have, id, i);
        bool ok = vector_fits(kid, want->fields[i].type);

        duckdb_destroy_logical_type(&kid);
        if (!ok)
            return false;
    }
    return true;
}

bool
vector_fits(duckdb_logical_type have, const struct weir_type *want)
{
    duckdb_type id = duckdb_get_type_id(have);

    switch (want->kind) {
    case WEIR_VOID: /* nothing of it is read */
        return true;
    case WEIR_DECIMAL:
        return id == DUCKDB_TYPE_DECIMAL && duckdb_decimal_width(have) == want->precision &&
               duckdb_decimal_scale(have) == want->scale;
    case WEIR_ARRAY:
        return id == DUCKDB_TYPE_LIST && fits_kids(have, id, want);
    case WEIR_MAP:
        return id == DUCKDB_TYPE_MAP && fits_kids(have, id, want);
    case WEIR_STRUCT:
    case WEIR_VARIANT:
        return id == DUCKDB_TYPE_STRUCT && fits_kids(have, id, want);
    default:
        return id == scalar_type(want->kind);
    }
}

/* --- reading
 * ----------------------------------------------------------------------------------------------------- */

weir_rc
vector_col(struct weir_col *col, const struct weir_type *type, struct weir_mem *mem, struct weir_error *err)
{
    weir_rc rc = WEIR_OK;

    *col = (struct weir_col){.type = type, .nkids = type->nfields};
    if (type->nfields == 0)
        return WEIR_OK;
    WEIR_NEW(col->kids, mem, type->nfields * sizeof(*col->kids));
    for (uint32_t i = 0; i < type->nfields; i++)
        WEIR_GO(vector_col(&col->kids[i], type->fields[i].type, mem, err));
out:
    return rc;
}

/* All bits clear: a VOID column of any length would need as many, so it says null by its form. */
static void
lend_void(struct weir_col *col)
{
    static uint64_t none;

    col->data = NULL;
    col->valid = &none;
    col->form = WEIR_CONST;
}

weir_rc
vector_lend(struct weir_col *col, duckdb_vector vector, idx_t rows, struct weir_error *err)
{
    weir_kind kind = col->type->kind;

    if (rows > INT32_MAX)
        return weir_fail(err, WEIR_UNSUPPORTED, "a list column of %llu elements in one chunk",
                         (unsigned long long)rows);
    col->len = col->cap = (uint32_t)rows;
    if (kind == WEIR_VOID) {
        lend_void(col);
        return WEIR_OK;
    }
    col->data = kind == WEIR_STRUCT || kind == WEIR_VARIANT ? NULL : duckdb_vector_get_data(vector);
    col->valid = duckdb_vector_get_validity(vector);
    if (kind == WEIR_ARRAY || kind == WEIR_MAP)
        return vector_lend(&col->kids[0], duckdb_list_vector_get_child(vector),
                           duckdb_list_vector_get_size(vector), err);
    for (uint32_t i = 0; i < col->nkids; i++)
        WEIR_TRY(vector_lend(&col->kids[i], duckdb_struct_vector_get_child(vector, i), rows, err));
    return WEIR_OK;
}

/* --- writing
 * ----------------------------------------------------------------------------------------------------- */

struct put { /* where rows go, and what is null above them */
    uint32_t rows;
    const uint32_t *at;
    const struct weir_col *col; /* of this level; only where it has nulls at all */
    const struct put *up;
};

static inline uint32_t
put_at(const struct put *p, uint32_t row)
{
    return p->at == NULL ? row : p->at[row];
}

static bool
put_null(const struct put *p, uint32_t row)
{
    for (; p != NULL; p = p->up)
        if (p->col != NULL && weir_col_is_null(p->col, row))
            return true;
    return false;
}

/* Slots of WIDTH bytes that the compiler sees, so that it copies each by one or two moves. */
#define PUT_SLOTS(WIDTH)                                                                                     \
    do {                                                                                                     \
        for (uint32_t i = 0; i < p->rows; i++)                                                               \
            memcpy(to + (size_t)put_at(p, i) * (WIDTH), from + (size_t)weir_row_of(col, i) * (WIDTH),        \
                   (WIDTH));                                                                                 \
    } while (0)

static inline uint32_t
weir_row_of(const struct weir_col *col, uint32_t row)
{
    return col->form == WEIR_CONST ? 0 : row;
}

static void
put_slots(const struct put *p, const struct weir_col *col, char *to, size_t width)
{
    const char *from = col->data;

    if (col->form == WEIR_FLAT && p->at == NULL) {
        memcpy(to, from, p->rows * width);
        return;
    }
    switch (width) {
    case 1:
        PUT_SLOTS(1);
        break;
    case 2:
        PUT_SLOTS(2);
        break;
    case 4:
        PUT_SLOTS(4);
        break;
    case 8:
        PUT_SLOTS(8);
        break;
    default:
        PUT_SLOTS(16);
        break;
    }
}

static void
put_nulls(duckdb_vector vector, const struct put *p, char *data, size_t width)
{
    uint64_t *valid = NULL;

    for (uint32_t i = 0; i < p->rows; i++) {
        uint32_t at = put_at(p, i);

        if (!put_null(p, i))
            continue;
        if (valid == NULL) {
            duckdb_vector_ensure_validity_writable(vector);
            valid = duckdb_vector_get_validity(vector);
        }
        valid[at >> 6] &= ~(UINT64_C(1) << (at & 63));
        if (width > 0)
            memset(data + at * width, 0, width);
    }
}

static void
put_col(duckdb_vector vector, const struct weir_col *col, uint32_t rows, const uint32_t *at,
        const struct put *up)
{
    const bool has_nulls = col->valid != NULL;
    const struct put p = {.rows = rows, .at = at, .col = has_nulls ? col : NULL, .up = up};
    const struct put *below = has_nulls ? &p : up;
    size_t width = weir_type_width(col->type);
    weir_kind kind = col->type->kind;
    char *data = width == 0 ? NULL : duckdb_vector_get_data(vector);

    if (width > 0)
        put_slots(&p, col, data, width);
    if (kind == WEIR_ARRAY || kind == WEIR_MAP) {
        const struct weir_col *kid = &col->kids[0];

        duckdb_list_vector_reserve(vector, kid->len);
        duckdb_list_vector_set_size(vector, kid->len);
        put_col(duckdb_list_vector_get_child(vector), kid, kid->len, NULL, NULL);
    } else if (kind == WEIR_STRUCT || kind == WEIR_VARIANT) {
        for (uint32_t i = 0; i < col->nkids; i++)
            put_col(duckdb_struct_vector_get_child(vector, i), &col->kids[i], rows, at, below);
    }
    if (kind == WEIR_VOID) {
        static uint64_t none;
        const struct weir_col nothing = {.valid = &none, .form = WEIR_CONST};
        const struct put all = {.rows = rows, .at = at, .col = &nothing};

        put_nulls(vector, &all, duckdb_vector_get_data(vector), sizeof(int32_t));
    } else if (below != NULL) {
        put_nulls(vector, &p, data, width);
    }
}

void
vector_put(duckdb_vector vector, const struct weir_col *col, uint32_t rows, const uint32_t *at)
{
    put_col(vector, col, rows, at, NULL);
}
