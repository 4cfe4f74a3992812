/* Types and schemas: builders, comparison, look-up. See type.h for what a type promises.
 * Texts: ddl.c (Spark's DDL and hints), type_json.c (Spark's JSON). */
#include "column/type.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "column/page.h"

#define SCALAR(name, kind_) const struct weir_type weir_type_##name = {.kind = (kind_)}
SCALAR(boolean, WEIR_BOOLEAN);
SCALAR(byte, WEIR_BYTE);
SCALAR(short, WEIR_SHORT);
SCALAR(int, WEIR_INT);
SCALAR(long, WEIR_LONG);
SCALAR(float, WEIR_FLOAT);
SCALAR(double, WEIR_DOUBLE);
SCALAR(date, WEIR_DATE);
SCALAR(timestamp, WEIR_TIMESTAMP);
SCALAR(timestamp_ntz, WEIR_TIMESTAMP_NTZ);
SCALAR(string, WEIR_STRING);
SCALAR(binary, WEIR_BINARY);
SCALAR(void, WEIR_VOID);

/* A variant is a struct of two binaries to everything that walks columns. */
static const struct weir_field variant_fields[] = {
    {.name = "value", .name_len = 5, .type = &weir_type_binary},
    {.name = "metadata", .name_len = 8, .type = &weir_type_binary},
};
const struct weir_type weir_type_variant = {.kind = WEIR_VARIANT, .nfields = 2, .fields = variant_fields};

struct weir_type *
weir_type_decimal(struct weir_mem *mem, unsigned precision, unsigned scale)
{
    struct weir_type *type = weir_mem_zalloc(mem, sizeof(*type));

    WEIR_ASSERT(precision >= 1 && precision <= 38 && scale <= precision);
    if (type != NULL)
        *type = (struct weir_type){
            .kind = WEIR_DECIMAL, .precision = (uint8_t)precision, .scale = (uint8_t)scale};
    return type;
}

static bool
field_copy(struct weir_mem *mem, struct weir_field *to, const struct weir_field *from)
{
    *to = *from;
    to->name = weir_mem_strndup(mem, from->name, from->name_len);
    if (from->metadata != NULL)
        to->metadata = weir_mem_strdup(mem, from->metadata);
    return to->name != NULL && (from->metadata == NULL || to->metadata != NULL);
}

static struct weir_type *
type_with_fields(struct weir_mem *mem, weir_kind kind, const struct weir_field *fields, uint32_t n)
{
    struct weir_type *type = weir_mem_zalloc(mem, sizeof(*type));
    struct weir_field *copy = weir_mem_zalloc(mem, sizeof(*copy) * n);

    if (type == NULL || copy == NULL)
        return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (!field_copy(mem, &copy[i], &fields[i]))
            return NULL;
    *type = (struct weir_type){.kind = kind, .nfields = n, .fields = copy};
    return type;
}

struct weir_type *
weir_type_struct(struct weir_mem *mem, const struct weir_field *fields, uint32_t n)
{
    return type_with_fields(mem, WEIR_STRUCT, fields, n);
}

struct weir_type *
weir_type_array(struct weir_mem *mem, const struct weir_type *element, bool contains_null)
{
    struct weir_field f = {.name = "element", .name_len = 7, .nullable = contains_null, .type = element};

    return type_with_fields(mem, WEIR_ARRAY, &f, 1);
}

struct weir_type *
weir_type_map(struct weir_mem *mem, const struct weir_type *key, const struct weir_type *value,
              bool value_contains_null)
{
    struct weir_field kv[2] = {
        {.name = "key", .name_len = 3, .type = key},
        {.name = "value", .name_len = 5, .nullable = value_contains_null, .type = value},
    };
    struct weir_field entry = {.name = "key_value", .name_len = 9, .type = weir_type_struct(mem, kv, 2)};

    return entry.type == NULL ? NULL : type_with_fields(mem, WEIR_MAP, &entry, 1);
}

struct weir_type *
weir_type_copy(struct weir_mem *mem, const struct weir_type *type)
{
    struct weir_type *copy = type_with_fields(mem, type->kind, type->fields, type->nfields);

    if (copy == NULL)
        return NULL;
    copy->precision = type->precision;
    copy->scale = type->scale;
    for (uint32_t i = 0; i < type->nfields; i++) {
        struct weir_field *f = (struct weir_field *)(uintptr_t)&copy->fields[i];

        f->type = weir_type_copy(mem, type->fields[i].type);
        if (f->type == NULL)
            return NULL;
    }
    return copy;
}

size_t
weir_type_width(const struct weir_type *type)
{
    switch (type->kind) {
    case WEIR_BOOLEAN:
    case WEIR_BYTE:
        return 1;
    case WEIR_SHORT:
        return 2;
    case WEIR_INT:
    case WEIR_DATE:
    case WEIR_FLOAT:
        return 4;
    case WEIR_LONG:
    case WEIR_DOUBLE:
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_NTZ:
        return 8;
    case WEIR_DECIMAL:
        return type->precision <= 4 ? 2 : type->precision <= 9 ? 4 : type->precision <= 18 ? 8 : 16;
    case WEIR_STRING:
    case WEIR_BINARY:
        return sizeof(struct weir_str);
    case WEIR_ARRAY:
    case WEIR_MAP:
        return sizeof(struct weir_list);
    case WEIR_STRUCT:
    case WEIR_VARIANT:
    case WEIR_VOID:
        return 0;
    }
    return 0;
}

static bool
metadata_equal(const char *a, const char *b)
{
    return strcmp(a == NULL ? "{}" : a, b == NULL ? "{}" : b) == 0;
}

static bool
type_compare(const struct weir_type *a, const struct weir_type *b, bool strict)
{
    if (a == b)
        return true;
    if (a->kind != b->kind || a->nfields != b->nfields)
        return false;
    if (a->kind == WEIR_DECIMAL && (a->precision != b->precision || a->scale != b->scale))
        return false;
    for (uint32_t i = 0; i < a->nfields; i++) {
        const struct weir_field *fa = &a->fields[i], *fb = &b->fields[i];

        if (fa->name_len != fb->name_len || memcmp(fa->name, fb->name, fa->name_len) != 0)
            return false;
        if (strict && (fa->nullable != fb->nullable || !metadata_equal(fa->metadata, fb->metadata)))
            return false;
        if (!type_compare(fa->type, fb->type, strict))
            return false;
    }
    return true;
}

bool
weir_type_equal(const struct weir_type *a, const struct weir_type *b)
{
    return type_compare(a, b, true);
}

bool
weir_type_same(const struct weir_type *a, const struct weir_type *b)
{
    return type_compare(a, b, false);
}

int
weir_field_find(const struct weir_type *st, const char *name, size_t len, bool case_sensitive)
{
    int near = -1;

    for (uint32_t i = 0; i < st->nfields; i++) {
        const struct weir_field *f = &st->fields[i];

        if (f->name_len != len)
            continue;
        if (memcmp(f->name, name, len) == 0)
            return (int)i;
        if (!case_sensitive && near < 0 && weir_slice_is_nocase(weir_slice(name, len), f->name))
            near = (int)i;
    }
    return near;
}

const char *
weir_kind_name(weir_kind kind)
{
    static const char *const names[] = {
        [WEIR_BOOLEAN] = "boolean",     [WEIR_BYTE] = "byte",
        [WEIR_SHORT] = "short",         [WEIR_INT] = "integer",
        [WEIR_LONG] = "long",           [WEIR_FLOAT] = "float",
        [WEIR_DOUBLE] = "double",       [WEIR_DATE] = "date",
        [WEIR_TIMESTAMP] = "timestamp", [WEIR_TIMESTAMP_NTZ] = "timestamp_ntz",
        [WEIR_DECIMAL] = "decimal",     [WEIR_STRING] = "string",
        [WEIR_BINARY] = "binary",       [WEIR_ARRAY] = "array",
        [WEIR_MAP] = "map",             [WEIR_STRUCT] = "struct",
        [WEIR_VARIANT] = "variant",     [WEIR_VOID] = "void",
    };

    return names[kind];
}
