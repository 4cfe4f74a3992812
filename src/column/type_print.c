/* Types as text for people and for SQL: Spark's DataType.sql / StructType.toDDL and DataType.catalogString.
 * simpleString is catalogString here: Spark cuts it after 25 fields, which helps nobody. */
#include "column/type.h"

#include <string.h>

#include "base/json.h"
#include "base/str.h"

static const char *
sql_name(weir_kind kind, bool upper)
{
    static const char *const names[][2] = {
        [WEIR_BOOLEAN] = {"boolean", "BOOLEAN"},
        [WEIR_BYTE] = {"tinyint", "TINYINT"},
        [WEIR_SHORT] = {"smallint", "SMALLINT"},
        [WEIR_INT] = {"int", "INT"},
        [WEIR_LONG] = {"bigint", "BIGINT"},
        [WEIR_FLOAT] = {"float", "FLOAT"},
        [WEIR_DOUBLE] = {"double", "DOUBLE"},
        [WEIR_DATE] = {"date", "DATE"},
        [WEIR_TIMESTAMP] = {"timestamp", "TIMESTAMP"},
        [WEIR_TIMESTAMP_NTZ] = {"timestamp_ntz", "TIMESTAMP_NTZ"},
        [WEIR_DECIMAL] = {"decimal", "DECIMAL"},
        [WEIR_STRING] = {"string", "STRING"},
        [WEIR_BINARY] = {"binary", "BINARY"},
        [WEIR_ARRAY] = {"array", "ARRAY"},
        [WEIR_MAP] = {"map", "MAP"},
        [WEIR_STRUCT] = {"struct", "STRUCT"},
        [WEIR_VARIANT] = {"variant", "VARIANT"},
        [WEIR_VOID] = {"void", "VOID"},
    };

    return names[kind][upper];
}

/* A name as it is, or in backquotes when it is not of letters, digits and "_", or starts with a digit. */
static void
print_name(const struct weir_field *f, struct weir_buf *buf)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    uint32_t i;

    if (f->name_len > 0 && strspn(f->name, plain) == f->name_len && strspn(f->name, "0123456789") == 0) {
        weir_buf_add(buf, f->name, f->name_len);
        return;
    }
    weir_buf_byte(buf, '`');
    for (i = 0; i < f->name_len; i++) {
        if (f->name[i] == '`')
            weir_buf_byte(buf, '`');
        weir_buf_byte(buf, f->name[i]);
    }
    weir_buf_byte(buf, '`');
}

/* COMMENT '…' out of the metadata. Metadata that does not load was never taken in: nothing is printed then. */
static void
print_comment(const struct weir_field *f, struct weir_buf *buf)
{
    struct weir_error err;
    const char *comment = NULL;
    json_t *doc = NULL;

    if (f->metadata == NULL || strstr(f->metadata, "\"comment\"") == NULL ||
        weir_json_load(f->metadata, strlen(f->metadata), &doc, &err) != WEIR_OK)
        return;
    if (weir_json_get_str(doc, "comment", &comment, &err) == WEIR_OK && comment != NULL) {
        weir_buf_str(buf, " COMMENT '");
        for (; *comment != '\0'; comment++) {
            if (*comment == '\'' || *comment == '\\')
                weir_buf_byte(buf, '\\');
            weir_buf_byte(buf, *comment);
        }
        weir_buf_byte(buf, '\'');
    }
    json_decref(doc);
}

static void print_type(const struct weir_type *type, bool sql, struct weir_buf *buf);

/* between: " " in a list of columns, ": " in a struct. */
static void
print_columns(const struct weir_type *st, const char *between, struct weir_buf *buf)
{
    uint32_t i;

    for (i = 0; i < st->nfields; i++) {
        const struct weir_field *f = &st->fields[i];

        weir_buf_str(buf, i == 0 ? "" : ", ");
        print_name(f, buf);
        weir_buf_str(buf, between);
        print_type(f->type, true, buf);
        weir_buf_str(buf, f->nullable ? "" : " NOT NULL");
        print_comment(f, buf);
    }
}

/* The fields of a struct in catalogString: names as they are, nothing but types behind them. */
static void
print_fields(const struct weir_type *st, struct weir_buf *buf)
{
    uint32_t i;

    for (i = 0; i < st->nfields; i++) {
        weir_buf_str(buf, i == 0 ? "" : ",");
        weir_buf_add(buf, st->fields[i].name, st->fields[i].name_len);
        weir_buf_byte(buf, ':');
        print_type(st->fields[i].type, false, buf);
    }
}

static void
print_type(const struct weir_type *type, bool sql, struct weir_buf *buf)
{
    weir_buf_str(buf, sql_name(type->kind, sql));
    if (type->kind == WEIR_DECIMAL)
        weir_buf_printf(buf, "(%u,%u)", type->precision, type->scale);
    if (!weir_kind_is_nested(type->kind) || type->kind == WEIR_VARIANT)
        return;
    weir_buf_byte(buf, '<');
    if (type->kind == WEIR_STRUCT && sql) {
        print_columns(type, ": ", buf);
    } else if (type->kind == WEIR_STRUCT) {
        print_fields(type, buf);
    } else if (type->kind == WEIR_ARRAY) {
        print_type(type->fields[0].type, sql, buf);
    } else {
        print_type(weir_map_key(type)->type, sql, buf);
        weir_buf_str(buf, sql ? ", " : ",");
        print_type(weir_map_value(type)->type, sql, buf);
    }
    weir_buf_byte(buf, '>');
}

void
weir_type_print_simple(const struct weir_type *type, struct weir_buf *buf)
{
    print_type(type, false, buf);
}

void
weir_type_print_ddl(const struct weir_type *type, struct weir_buf *buf)
{
    if (type->kind == WEIR_STRUCT)
        print_columns(type, " ", buf);
    else
        print_type(type, true, buf);
}
