/* Types and schemas, in Spark's terms.
 *
 * 1. A type is immutable once built and lives in an arena; types are shared freely.
 * 2. A schema is a type of kind STRUCT.
 * 3. ARRAY has one field "element"; MAP has one field "key_value" whose type is a STRUCT of "key" and "value".
 *    So the tree of types and the tree of columns in a page have the same shape. containsNull and
 *    valueContainsNull are the `nullable` of element and value.
 * 4. Depth is at most WEIR_NEST_MAX, leaves at most WEIR_FIELDS_MAX.
 * Texts: Spark's DDL ("a INT, b STRUCT<c: STRING NOT NULL>") and Spark's JSON (Delta protocol, "Schema
 * Serialization Format"). */
#ifndef WEIR_COLUMN_TYPE_H
#define WEIR_COLUMN_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"

typedef enum weir_kind {
    WEIR_BOOLEAN,
    WEIR_BYTE,
    WEIR_SHORT,
    WEIR_INT,
    WEIR_LONG,
    WEIR_FLOAT,
    WEIR_DOUBLE,
    WEIR_DATE,          /* days since 1970-01-01, proleptic Gregorian */
    WEIR_TIMESTAMP,     /* microseconds since 1970-01-01T00:00:00Z */
    WEIR_TIMESTAMP_NTZ, /* microseconds since 1970-01-01T00:00:00, no zone */
    WEIR_DECIMAL,
    WEIR_STRING,
    WEIR_BINARY,
    WEIR_ARRAY,
    WEIR_MAP,
    WEIR_STRUCT,
    WEIR_VARIANT,
    WEIR_VOID
} weir_kind;

struct weir_field {
    const char *name; /* valid UTF-8, NUL-terminated */
    uint32_t name_len;
    bool nullable;
    const struct weir_type *type;
    const char *metadata; /* a JSON object as text, kept verbatim; NULL: {} */
};

struct weir_type {
    weir_kind kind;
    uint8_t precision, scale; /* DECIMAL: 1..38, 0..precision */
    uint32_t nfields;
    const struct weir_field *fields;
};

/* The scalar types, ready made. */
extern const struct weir_type weir_type_boolean, weir_type_byte, weir_type_short, weir_type_int, weir_type_long,
    weir_type_float, weir_type_double, weir_type_date, weir_type_timestamp, weir_type_timestamp_ntz,
    weir_type_string, weir_type_binary, weir_type_variant, weir_type_void;

/* Builders; NULL when the arena refuses. Names are copied, types are borrowed. */
struct weir_type *weir_type_decimal(struct weir_mem *mem, unsigned precision, unsigned scale);
struct weir_type *weir_type_array(struct weir_mem *mem, const struct weir_type *element, bool contains_null);
struct weir_type *weir_type_map(struct weir_mem *mem, const struct weir_type *key, const struct weir_type *value,
                                bool value_contains_null);
/* n fields are copied (the array, names and metadata). */
struct weir_type *weir_type_struct(struct weir_mem *mem, const struct weir_field *fields, uint32_t n);
/* A deep copy into mem. */
struct weir_type *weir_type_copy(struct weir_mem *mem, const struct weir_type *type);

static inline const struct weir_field *
weir_map_key(const struct weir_type *map)
{
    return &map->fields[0].type->fields[0];
}
static inline const struct weir_field *
weir_map_value(const struct weir_type *map)
{
    return &map->fields[0].type->fields[1];
}
static inline bool
weir_kind_is_nested(weir_kind k)
{
    return k == WEIR_ARRAY || k == WEIR_MAP || k == WEIR_STRUCT || k == WEIR_VARIANT;
}

/* Bytes of one slot in a page's data: 0 for STRUCT, VARIANT and VOID. */
size_t weir_type_width(const struct weir_type *type);
bool weir_type_equal(const struct weir_type *a, const struct weir_type *b); /* names, order, nullability too */
/* The same without nullability and metadata. */
bool weir_type_same(const struct weir_type *a, const struct weir_type *b);
/* Index of a field, or -1. Without regard to case the exact spelling wins. Case folding is ASCII. */
int weir_field_find(const struct weir_type *st, const char *name, size_t len, bool case_sensitive);

/* Spark's DDL. Accepts "name TYPE [NOT NULL] [COMMENT '…']" lists with or without ':', backquoted names, and
 * a bare type ("ARRAY<INT>") where `type` is asked for. USAGE with the position and what was expected. */
weir_rc weir_schema_parse_ddl(const char *text, size_t len, struct weir_mem *mem, const struct weir_type **out,
                              struct weir_error *err);
weir_rc weir_type_parse_ddl(const char *text, size_t len, struct weir_mem *mem, const struct weir_type **out,
                            struct weir_error *err);
/* Hints of Auto Loader: "a.b INT, users.element.id BIGINT, m.value.x DATE"; paths as parsed names.
 * cb is called for each entry; names are NUL-terminated and live in mem. */
struct weir_hint {
    const char *const *path; /* names; backquoted ones may hold dots */
    uint32_t depth;
    const struct weir_type *type;
};
weir_rc weir_hints_parse(const char *text, size_t len, struct weir_mem *mem, struct weir_hint **out, uint32_t *n,
                         struct weir_error *err);
/* Spark's JSON of a type: a string for scalars, an object for nested ones. CORRUPT on anything else. */
weir_rc weir_type_parse_json(const char *text, size_t len, struct weir_mem *mem, const struct weir_type **out,
                             struct weir_error *err);
void weir_type_print_json(const struct weir_type *type, struct weir_buf *buf); /* byte for byte Spark's */
void weir_type_print_ddl(const struct weir_type *type, struct weir_buf *buf);  /* "a BIGINT, b STRING"; a struct as top list */
void weir_type_print_simple(const struct weir_type *type, struct weir_buf *buf); /* Spark's simpleString: struct<a:bigint> */
const char *weir_kind_name(weir_kind kind); /* Spark's JSON name: "long" */

#endif
