/* A snapshot as DuckDB's SQL. table/scan_int.h.
 *
 *   SELECT … AS c0, … FROM read_parquet([files], schema = MAP {physical name or field id: {name, type}})
 *   WHERE weir_alive(…) UNION ALL SELECT …
 *
 * 1. The schema is given, so no file is opened to bind the query; what a file lacks is null, at any depth,
 *    what it has in a narrower type is widened, and what it has beside that is not read.
 * 2. Columns are called p0, p1 … inside: no name of a table can mean something to DuckDB.
 * 3. Partition values are read by weir and printed as typed literals, chosen by the number of the file.
 *    DuckDB never sees the names of folders.
 * 4. Structs whose fields have other physical names are built anew field by field, also in lists and maps.
 * Pure functions. */
#include <inttypes.h>

#include "base/limits.h"
#include "base/str.h"
#include "table/scan_int.h"

void
scan_quote(struct weir_buf *sql, const char *text, char quote)
{
    weir_buf_byte(sql, quote);
    for (; *text != '\0'; text++) {
        if (*text == quote)
            weir_buf_byte(sql, quote);
        weir_buf_byte(sql, *text);
    }
    weir_buf_byte(sql, quote);
}

static void
type_struct(const struct weir_type *type, struct weir_buf *sql)
{
    weir_buf_str(sql, "STRUCT(");
    for (uint32_t i = 0; i < type->nfields; i++) {
        if (i > 0)
            weir_buf_str(sql, ", ");
        scan_quote(sql, type->fields[i].name, '"');
        weir_buf_byte(sql, ' ');
        scan_type(type->fields[i].type, sql);
    }
    weir_buf_byte(sql, ')');
}

void
scan_type(const struct weir_type *type, struct weir_buf *sql)
{
    static const char *const names[] = {[WEIR_BOOLEAN] = "BOOLEAN",
                                        [WEIR_BYTE] = "TINYINT",
                                        [WEIR_SHORT] = "SMALLINT",
                                        [WEIR_INT] = "INTEGER",
                                        [WEIR_LONG] = "BIGINT",
                                        [WEIR_FLOAT] = "FLOAT",
                                        [WEIR_DOUBLE] = "DOUBLE",
                                        [WEIR_DATE] = "DATE",
                                        [WEIR_TIMESTAMP] = "TIMESTAMP WITH TIME ZONE",
                                        [WEIR_TIMESTAMP_NTZ] = "TIMESTAMP",
                                        [WEIR_STRING] = "VARCHAR",
                                        [WEIR_BINARY] = "BLOB",
                                        [WEIR_VARIANT] = "STRUCT(\"value\" BLOB, \"metadata\" BLOB)",
                                        [WEIR_VOID] = "INTEGER"};

    switch (type->kind) {
    case WEIR_DECIMAL:
        weir_buf_printf(sql, "DECIMAL(%u, %u)", type->precision, type->scale);
        break;
    case WEIR_STRUCT:
        type_struct(type, sql);
        break;
    case WEIR_ARRAY:
        scan_type(type->fields[0].type, sql);
        weir_buf_str(sql, "[]");
        break;
    case WEIR_MAP:
        weir_buf_str(sql, "MAP(");
        scan_type(weir_map_key(type)->type, sql);
        weir_buf_str(sql, ", ");
        scan_type(weir_map_value(type)->type, sql);
        weir_buf_byte(sql, ')');
        break;
    default:
        weir_buf_str(sql, names[type->kind]);
    }
}

/* --- partition values ----------------------------------------------------------------------------------- */

static void
literal_bytes(const struct weir_str *s, struct weir_buf *sql)
{
    const unsigned char *p = (const unsigned char *)weir_str_ptr(s);

    weir_buf_byte(sql, '\'');
    for (uint32_t i = 0; i < s->len; i++)
        weir_buf_printf(sql, "\\x%02X", p[i]);
    weir_buf_byte(sql, '\'');
}

/* The one value of the column, typed. */
static void
literal(const struct weir_col *col, struct weir_buf *sql)
{
    weir_buf_str(sql, "CAST(");
    if (weir_col_is_null(col, 0)) {
        weir_buf_str(sql, "NULL");
    } else if (col->type->kind == WEIR_DATE) {
        weir_buf_printf(sql, "make_date(%" PRId32 ")", *(const int32_t *)col->data);
    } else if (col->type->kind == WEIR_TIMESTAMP) {
        weir_buf_printf(sql, "make_timestamptz(%" PRId64 ")", *(const int64_t *)col->data);
    } else if (col->type->kind == WEIR_TIMESTAMP_NTZ) {
        weir_buf_printf(sql, "make_timestamp(%" PRId64 ")", *(const int64_t *)col->data);
    } else if (col->type->kind == WEIR_BINARY) {
        literal_bytes(col->data, sql);
    } else if (col->type->kind == WEIR_STRING) {
        const struct weir_str *s = col->data;

        weir_buf_byte(sql, '\'');
        for (uint32_t i = 0; i < s->len; i++) {
            if (weir_str_ptr(s)[i] == '\'')
                weir_buf_byte(sql, '\'');
            weir_buf_byte(sql, weir_str_ptr(s)[i]);
        }
        weir_buf_byte(sql, '\'');
    } else { /* numbers and booleans: text that DuckDB reads as the same value */
        weir_buf_byte(sql, '\'');
        weir_slot_print(col, 0, sql);
        weir_buf_byte(sql, '\'');
    }
    weir_buf_str(sql, " AS ");
    scan_type(col->type, sql);
    weir_buf_byte(sql, ')');
}

static const char *
file_value(const struct weir_file *f, const char *key)
{
    for (uint32_t i = 0; i < f->nvalues; i++) {
        if (strcmp(f->values[i].key, key) == 0)
            return f->values[i].value;
    }
    return NULL;
}

static weir_rc
value_add(struct scan_text *t, struct scan_value *v, const char *text, struct weir_error *err)
{
    struct weir_col *col = &v->slot->cols[0];
    size_t start, len;

    weir_page_reset(v->slot);
    (void)weir_slot_parse(col, 0, text != NULL ? text : "", text != NULL ? strlen(text) : 0, t->zone,
                          v->slot->mem);
    if (t->nfiles > 0)
        weir_buf_str(&v->list, ", ");
    start = v->list.len;
    literal(col, &v->list);
    WEIR_TRY(weir_buf_check(&v->list, err));
    len = v->list.len - start;
    if (t->nfiles == 0)
        v->first = len;
    v->same = t->nfiles == 0 ||
              (v->same && len == v->first && memcmp(v->list.data, v->list.data + start, len) == 0);
    return WEIR_OK;
}

/* --- files ---------------------------------------------------------------------------------------------- */

/* A path is a pattern to read_parquet(): what would be one is put in brackets. */
static void
text_path(struct weir_buf *sql, const char *path)
{
    weir_buf_byte(sql, '\'');
    for (; *path != '\0'; path++) {
        if (strchr("*?[", *path) != NULL)
            weir_buf_printf(sql, "[%c]", *path);
        else if (*path == '\'')
            weir_buf_str(sql, "''");
        else
            weir_buf_byte(sql, *path);
    }
    weir_buf_byte(sql, '\'');
}

weir_rc
scan_text_file(struct scan_text *t, const char *path, const struct weir_file *f, struct weir_error *err)
{
    for (uint32_t i = 0; i < t->ncolumns; i++) {
        const struct scan_column *c = &t->columns[i];

        if (c->partition >= 0)
            WEIR_TRY(value_add(t, &t->values[c->partition], file_value(f, c->physical->name), err));
    }
    if (t->nfiles > 0)
        weir_buf_str(&t->files, ", ");
    text_path(&t->files, path);
    t->vectors = t->vectors || f->dv.type != 0;
    t->nfiles++;
    return weir_buf_check(&t->files, err);
}

/* --- columns -------------------------------------------------------------------------------------------- */

static bool
names_differ(const struct weir_type *a, const struct weir_type *b)
{
    for (uint32_t i = 0; i < a->nfields; i++) {
        if (strcmp(a->fields[i].name, b->fields[i].name) != 0 ||
            names_differ(a->fields[i].type, b->fields[i].type))
            return true;
    }
    return false;
}

/* expr, whose type is physical, with the logical names. depth: of lambdas, for their parameters' names. */
static void
text_rename(const char *expr, const struct weir_type *physical, const struct weir_type *logical,
            unsigned depth, struct weir_buf *sql)
{
    struct weir_buf below = {.max = sql->max, .q = sql->q};
    char x[16];

    if (!names_differ(physical, logical)) {
        weir_buf_str(sql, expr);
        return;
    }
    snprintf(x, sizeof(x), "x%u", depth);
    weir_buf_printf(sql, "CASE WHEN %s IS NOT NULL THEN ", expr);
    if (physical->kind == WEIR_STRUCT) {
        weir_buf_str(sql, "struct_pack(");
        for (uint32_t i = 0; i < physical->nfields; i++) {
            weir_buf_reset(&below);
            weir_buf_printf(&below, "(%s).", expr);
            scan_quote(&below, physical->fields[i].name, '"');
            if (i > 0)
                weir_buf_str(sql, ", ");
            scan_quote(sql, logical->fields[i].name, '"');
            weir_buf_str(sql, " := ");
            if (below.failed)
                sql->failed = true;
            else
                text_rename(below.data, physical->fields[i].type, logical->fields[i].type, depth, sql);
        }
        weir_buf_byte(sql, ')');
    } else if (physical->kind == WEIR_ARRAY) {
        weir_buf_printf(sql, "list_transform(%s, lambda %s: ", expr, x);
        text_rename(x, physical->fields[0].type, logical->fields[0].type, depth + 1, sql);
        weir_buf_byte(sql, ')');
    } else {
        char part[24];

        weir_buf_printf(
            sql, "map_from_entries(list_transform(map_entries(%s), lambda %s: struct_pack(key := ", expr, x);
        snprintf(part, sizeof(part), "%s.key", x);
        text_rename(part, weir_map_key(physical)->type, weir_map_key(logical)->type, depth + 1, sql);
        weir_buf_str(sql, ", value := ");
        snprintf(part, sizeof(part), "%s.value", x);
        text_rename(part, weir_map_value(physical)->type, weir_map_value(logical)->type, depth + 1, sql);
        weir_buf_str(sql, ")))");
    }
    weir_buf_str(sql, " END");
    weir_buf_fini(&below);
}

static void
text_value(const struct scan_text *t, uint32_t i, struct weir_buf *sql)
{
    const struct scan_column *c = &t->columns[i];
    char name[16];

    if (c->partition >= 0) {
        const struct scan_value *v = &t->values[c->partition];

        if (v->same)
            weir_buf_add(sql, v->list.data, v->first);
        else
            weir_buf_printf(sql, "([%s])[CAST(t.file_index AS BIGINT) + 1]", v->list.data);
    } else {
        snprintf(name, sizeof(name), "t.p%u", i);
        text_rename(name, c->physical->type, c->logical->type, 0, sql);
    }
}

static void
text_column(const struct scan_text *t, uint32_t i, struct weir_buf *sql)
{
    int64_t pad = t->columns[i].pad;

    text_value(t, i, sql);
    if (pad > 0) {
        weir_buf_printf(sql, " || repeat(' ', greatest(0, %" PRId64 " - length(", pad);
        text_value(t, i, sql);
        weir_buf_str(sql, ")))");
    }
    weir_buf_printf(sql, " AS c%u", i);
}

/* MAP {'name in the files': {name: 'p0', type: 'BIGINT', default_value: NULL}, …} */
static void
text_schema(const struct scan_text *t, struct weir_buf *sql)
{
    struct weir_buf type = {.max = sql->max, .q = sql->q};
    bool any = false;

    weir_buf_str(sql, "MAP {");
    for (uint32_t i = 0; i < t->ncolumns; i++) {
        const struct scan_column *c = &t->columns[i];

        if (c->partition >= 0)
            continue;
        if (any)
            weir_buf_str(sql, ", ");
        any = true;
        if (c->id >= 0)
            weir_buf_printf(sql, "%" PRId64, c->id);
        else
            scan_quote(sql, c->physical->name, '\'');
        weir_buf_printf(sql, ": {name: 'p%u', type: ", i);
        weir_buf_reset(&type);
        scan_type(c->physical->type, &type);
        weir_buf_byte(&type, '\0');
        if (type.failed)
            sql->failed = true;
        else
            scan_quote(sql, type.data, '\'');
        weir_buf_str(sql, ", default_value: NULL}");
    }
    if (!any) /* nothing but partition columns: the rows are only counted */
        weir_buf_str(sql, "'': {name: 'none', type: 'INTEGER', default_value: NULL}");
    weir_buf_byte(sql, '}');
    weir_buf_fini(&type);
}

void
scan_text_part(struct scan_text *t)
{
    struct weir_buf *sql = &t->sql;

    if (t->nfiles == 0)
        return;
    weir_buf_str(sql, t->base > 0 ? " UNION ALL SELECT " : "SELECT ");
    for (uint32_t i = 0; i < t->ncolumns; i++) {
        if (i > 0)
            weir_buf_str(sql, ", ");
        text_column(t, i, sql);
    }
    weir_buf_printf(sql, " FROM read_parquet([%s], hive_partitioning = false, ", t->files.data);
    if (!t->text_is_binary)
        weir_buf_str(sql, "binary_as_string = true, ");
    weir_buf_str(sql, "schema = ");
    text_schema(t, sql);
    weir_buf_str(sql, ") t");
    if (t->vectors)
        weir_buf_printf(
            sql,
            " WHERE weir_alive(%s, CAST(t.file_index AS BIGINT) + %u, CAST(t.file_row_number AS BIGINT))",
            t->number, t->base);
    t->base += t->nfiles;
    t->nfiles = 0;
    t->vectors = false;
    weir_buf_reset(&t->files);
    for (uint32_t i = 0; i < t->nvalues; i++)
        weir_buf_reset(&t->values[i].list);
}

void
scan_text_none(struct scan_text *t)
{
    weir_buf_str(&t->sql, "SELECT ");
    for (uint32_t i = 0; i < t->ncolumns; i++) {
        weir_buf_str(&t->sql, i > 0 ? ", CAST(NULL AS " : "CAST(NULL AS ");
        scan_type(t->columns[i].logical->type, &t->sql);
        weir_buf_printf(&t->sql, ") AS c%u", i);
    }
    weir_buf_str(&t->sql, " WHERE false");
}
