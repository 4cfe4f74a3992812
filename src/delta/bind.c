/* Schema enforcement and evolution. delta/bind.h. Pure functions. */
#include "delta/bind.h"

#include <inttypes.h>

#include "base/limits.h"
#include "base/str.h"
#include "base/time.h"
#include "base/uuid.h"
#include "delta/feature.h"
#include "delta/stats.h"
#include "schema/merge.h"

struct bind {
    const struct weir_bind_options *opt;
    struct weir_mem *mem;
    bool typed_growth; /* the table has typeWidening: a grown type would need its history written */
    bool grew;         /* a merged schema differs from the table's */
};

enum { BIND_PATH = 256 };
struct bind_path { /* "a.b" for messages */
    char text[BIND_PATH];
};

static struct bind_path
path_under(const struct bind_path *up, const char *name)
{
    struct bind_path p;

    snprintf(p.text, sizeof(p.text), "%.120s%s%.130s", up->text, up->text[0] != '\0' ? "." : "", name);
    return p;
}

static weir_rc
bind_type_error(const struct bind_path *at, const struct weir_type *table, const struct weir_type *rows,
                struct weir_error *err)
{
    struct weir_buf a = WEIR_BUF(4096), b = WEIR_BUF(4096);

    weir_type_print_simple(table, &a);
    weir_type_print_simple(rows, &b);
    weir_fail(err, WEIR_SCHEMA, "column %s is %.*s in the table and %.*s in the rows", at->text,
              a.len > 100 ? 100 : (int)a.len, a.len > 0 ? a.data : "", b.len > 100 ? 100 : (int)b.len,
              b.len > 0 ? b.data : "");
    weir_buf_fini(&a);
    weir_buf_fini(&b);
    return weir_error_hint(err, "cast it in the query, or give its type by schemaHints");
}

/* Names that Delta cannot hold without column mapping. */
static weir_rc
bind_new_name(const struct weir_field *f, const struct bind_path *at, struct weir_error *err)
{
    if (weir_schema_name_holds(f->name, f->name_len))
        return WEIR_OK;
    weir_fail(err, WEIR_SCHEMA, "column name \"%s\" is empty or holds a blank or one of ,;{}()=", at->text);
    return weir_error_hint(err, "rename it in the query: SELECT `%s` AS …", f->name);
}

/* Names are unique without regard to case: two columns must not meet in one. */
static weir_rc
bind_no_twins(const struct weir_type *type, const struct bind_path *at, struct weir_error *err)
{
    for (uint32_t i = 1; i < type->nfields; i++) {
        const struct weir_field *f = &type->fields[i];

        for (uint32_t k = 0; k < i; k++) {
            if (f->name_len == type->fields[k].name_len &&
                weir_slice_is_nocase(weir_slice(f->name, f->name_len), type->fields[k].name))
                return weir_fail(err, WEIR_SCHEMA, "columns %s and %s differ in case only", path_under(at, f->name).text,
                                 type->fields[k].name);
        }
    }
    return WEIR_OK;
}

/* Whether a new column's type can be written, with all names in it. */
static weir_rc
bind_new_type(const struct weir_type *type, const struct bind_path *at, struct weir_error *err)
{
    if (type->kind == WEIR_VOID) {
        weir_fail(err, WEIR_SCHEMA, "column %s has held nothing but null so far, so it has no type", at->text);
        return weir_error_hint(err, "give its type by schemaHints or a cast");
    }
    if (type->kind == WEIR_VARIANT)
        return weir_fail(err, WEIR_UNSUPPORTED, "column %s is a variant: writing variants comes later", at->text);
    if (type->kind == WEIR_STRUCT && type->nfields == 0)
        return weir_fail(err, WEIR_SCHEMA, "column %s is a struct without fields: Parquet cannot hold it", at->text);
    if (type->kind == WEIR_STRUCT)
        WEIR_TRY(bind_no_twins(type, at, err));
    for (uint32_t i = 0; i < type->nfields; i++) {
        const struct weir_field *f = &type->fields[i];
        struct bind_path p = path_under(at, f->name);

        if (type->kind == WEIR_STRUCT)
            WEIR_TRY(bind_new_name(f, &p, err));
        WEIR_TRY(bind_new_type(f->type, &p, err));
    }
    return WEIR_OK;
}

static weir_rc bind_merge(struct bind *b, const struct weir_type *table, const struct weir_type *rows,
                          const struct bind_path *at, const struct weir_type **out, struct weir_error *err);

static bool
bind_is_small_int(weir_kind k)
{
    return k == WEIR_BYTE || k == WEIR_SHORT || k == WEIR_INT;
}

static weir_rc
bind_scalar(struct bind *b, const struct weir_type *table, const struct weir_type *rows, const struct bind_path *at,
            const struct weir_type **out, struct weir_error *err)
{
    *out = table;
    if (weir_type_same(table, rows))
        return WEIR_OK;
    if (table->kind == WEIR_VOID && b->opt->merge_schema) {
        b->grew = true;
        *out = rows;
        return bind_new_type(rows, at, err);
    }
    if (!b->opt->merge_schema || !bind_is_small_int(table->kind) || !bind_is_small_int(rows->kind))
        return bind_type_error(at, table, rows, err);
    if (rows->kind > table->kind) {
        if (b->typed_growth)
            return weir_fail(err, WEIR_UNSUPPORTED,
                             "column %s would grow, and the table keeps a history of its types (typeWidening)",
                             at->text);
        b->grew = true;
        *out = rows;
    }
    return WEIR_OK;
}

/* A field of the rows that the table lacks. */
static weir_rc
bind_extra(struct bind *b, const struct weir_field *f, const struct bind_path *at, struct weir_field *out,
           struct weir_error *err)
{
    if (!b->opt->merge_schema) {
        weir_fail(err, WEIR_SCHEMA, "the rows have a column %s that the table lacks", at->text);
        return weir_error_hint(err, "set the sink option mergeSchema: true to add it to the table");
    }
    WEIR_TRY(bind_new_name(f, at, err));
    WEIR_TRY(bind_new_type(f->type, at, err));
    *out = *f;
    out->nullable = true;
    b->grew = true;
    return WEIR_OK;
}

/* A struct, by names; the table's fields keep their place, new ones follow. */
static weir_rc
bind_struct(struct bind *b, const struct weir_type *table, const struct weir_type *rows, const struct bind_path *at,
            const struct weir_type **out, struct weir_error *err)
{
    struct weir_field *fields;
    uint32_t n = table->nfields;
    bool grew = b->grew;
    weir_rc rc = WEIR_OK;

    WEIR_TRY(bind_no_twins(rows, at, err));
    b->grew = false;
    WEIR_NEW(fields, b->mem, ((size_t)table->nfields + rows->nfields) * sizeof(*fields));
    if (n > 0)
        memcpy(fields, table->fields, n * sizeof(*fields));
    for (uint32_t i = 0; i < rows->nfields; i++) {
        const struct weir_field *f = &rows->fields[i];
        struct bind_path p = path_under(at, f->name);
        int k = weir_field_find(table, f->name, f->name_len, false);

        if (k < 0) {
            WEIR_GO(bind_extra(b, f, &p, &fields[n], err));
            n++;
        } else {
            WEIR_GO(bind_merge(b, table->fields[k].type, f->type, &p, &fields[k].type, err));
        }
    }
    *out = table;
    if (b->grew) {
        *out = weir_type_struct(b->mem, fields, n);
        if (*out == NULL)
            rc = weir_mem_fail(b->mem, n * sizeof(*fields), err);
    }
out:
    b->grew = b->grew || grew;
    return rc;
}

/* An array's element or a map's key and value: fields[0] of both sides. */
static weir_rc
bind_inner(struct bind *b, const struct weir_type *table, const struct weir_type *rows, const struct bind_path *at,
           const struct weir_type **out, struct weir_error *err)
{
    const struct weir_type *kv_table, *kv_rows, *key, *value;
    struct bind_path p;

    if (table->kind == WEIR_ARRAY) {
        p = path_under(at, "element");
        WEIR_TRY(bind_merge(b, table->fields[0].type, rows->fields[0].type, &p, &value, err));
        *out = value == table->fields[0].type ? table : weir_type_array(b->mem, value, table->fields[0].nullable);
    } else {
        kv_table = table->fields[0].type;
        kv_rows = rows->fields[0].type;
        p = path_under(at, "key");
        WEIR_TRY(bind_merge(b, kv_table->fields[0].type, kv_rows->fields[0].type, &p, &key, err));
        p = path_under(at, "value");
        WEIR_TRY(bind_merge(b, kv_table->fields[1].type, kv_rows->fields[1].type, &p, &value, err));
        *out = key == kv_table->fields[0].type && value == kv_table->fields[1].type
                   ? table
                   : weir_type_map(b->mem, key, value, kv_table->fields[1].nullable);
    }
    return *out != NULL ? WEIR_OK : weir_mem_fail(b->mem, sizeof(**out), err);
}

static weir_rc
bind_merge(struct bind *b, const struct weir_type *table, const struct weir_type *rows, const struct bind_path *at,
           const struct weir_type **out, struct weir_error *err)
{
    if (rows->kind == WEIR_VOID || rows->kind == WEIR_VARIANT)
        return bind_new_type(rows, at, err);
    if (table->kind != rows->kind || !weir_kind_is_nested(table->kind))
        return bind_scalar(b, table, rows, at, out, err);
    return table->kind == WEIR_STRUCT ? bind_struct(b, table, rows, at, out, err)
                                      : bind_inner(b, table, rows, at, out, err);
}

/* --- the columns of the files --------------------------------------------------------------------------------- */

/* The rows' type with the table's spelling and nullability: the shape stays the page's. */
static weir_rc
bind_file_type(struct weir_mem *mem, const struct weir_type *table, const struct weir_type *rows,
               const struct weir_type **out, struct weir_error *err)
{
    struct weir_field *fields;
    struct weir_type *type;
    weir_rc rc = WEIR_OK;

    *out = rows;
    if (!weir_kind_is_nested(rows->kind) || rows->kind == WEIR_VARIANT)
        return WEIR_OK;
    WEIR_NEW(fields, mem, rows->nfields * sizeof(*fields));
    for (uint32_t i = 0; i < rows->nfields; i++) {
        const struct weir_field *f = &rows->fields[i];
        int k = rows->kind == WEIR_STRUCT ? weir_field_find(table, f->name, f->name_len, false) : 0;

        fields[i] = table->fields[k];
        WEIR_GO(bind_file_type(mem, table->fields[k].type, f->type, &fields[i].type, err));
    }
    WEIR_NEW(type, mem, sizeof(*type));
    *type = *rows;
    type->fields = fields;
    *out = type;
out:
    return rc;
}

static bool
bind_has_not_null(const struct weir_type *type)
{
    if (type->kind == WEIR_MAP) /* its entries are never null; keys and values may not be */
        return !weir_map_value(type)->nullable || bind_has_not_null(weir_map_key(type)->type) ||
               bind_has_not_null(weir_map_value(type)->type);
    for (uint32_t i = 0; i < type->nfields; i++) {
        if (!type->fields[i].nullable || bind_has_not_null(type->fields[i].type))
            return true;
    }
    return false;
}

/* A column that the rows lack becomes null in them: it must be allowed to, at every level. */
static weir_rc
bind_missing(const struct weir_type *table, const struct weir_type *rows, const struct bind_path *at,
             struct weir_error *err)
{
    for (uint32_t i = 0; i < table->nfields; i++) {
        const struct weir_field *f = &table->fields[i];
        struct bind_path p = path_under(at, f->name);
        int k = table->kind == WEIR_STRUCT ? weir_field_find(rows, f->name, f->name_len, false) : 0;

        if (k >= 0) {
            if (weir_kind_is_nested(f->type->kind))
                WEIR_TRY(bind_missing(f->type, rows->fields[k].type, &p, err));
        } else if (f->metadata != NULL && strstr(f->metadata, "\"CURRENT_DEFAULT\"") != NULL) {
            weir_fail(err, WEIR_UNSUPPORTED, "the rows lack column %s, whose default is SQL", p.text);
            return weir_error_hint(err, "select a value for it in the query");
        } else if (!f->nullable) {
            return weir_fail(err, WEIR_SCHEMA, "the rows lack column %s, which is NOT NULL in the table", p.text);
        }
    }
    return WEIR_OK;
}

static weir_rc
bind_files(struct bind *b, const struct weir_type *rows, struct weir_binding *out, struct weir_error *err)
{
    const struct weir_type *table = out->meta.schema;
    const struct bind_path top = {""};
    struct weir_field *fields;
    struct weir_type *file;
    uint32_t n = 0;
    weir_rc rc;

    WEIR_GO(bind_missing(table, rows, &top, err));
    WEIR_NEW(fields, b->mem, ((size_t)table->nfields + 1) * sizeof(*fields));
    WEIR_NEW(out->map, b->mem, ((size_t)table->nfields + 1) * sizeof(*out->map));
    WEIR_NEW(out->part, b->mem, ((size_t)out->meta.npartitions + 1) * sizeof(*out->part));
    for (uint32_t i = 0; i < table->nfields; i++) {
        const struct weir_field *f = &table->fields[i];
        int k = weir_field_find(rows, f->name, f->name_len, false), p = weir_metadata_partition(&out->meta, f->name);

        if (p >= 0) {
            out->part[p] = k >= 0 ? (uint16_t)k : WEIR_BIND_ABSENT;
        } else if (k >= 0) {
            fields[n] = *f;
            WEIR_GO(bind_file_type(b->mem, f->type, rows->fields[k].type, &fields[n].type, err));
            out->map[n++] = (uint16_t)k;
        }
    }
    if (n == 0)
        WEIR_GO(weir_fail(err, WEIR_SCHEMA, "no column is left for the data files: all are partition columns"));
    WEIR_NEW(file, b->mem, sizeof(*file));
    *file = (struct weir_type){.kind = WEIR_STRUCT, .nfields = n, .fields = fields};
    out->file = file;
    out->not_null = bind_has_not_null(table);
out:
    return rc;
}

/* --- partitions ----------------------------------------------------------------------------------------------- */

static weir_rc
bind_partition_type(const struct weir_field *f, struct weir_error *err)
{
    if (weir_kind_is_nested(f->type->kind) || f->type->kind == WEIR_VOID)
        return weir_fail(err, WEIR_UNSUPPORTED, "column %s cannot be a partition column: it is no scalar", f->name);
    return WEIR_OK;
}

/* partitionBy of a new table, in the schema's spelling. */
static weir_rc
bind_new_partitions(struct bind *b, struct weir_metadata *meta, struct weir_error *err)
{
    const struct weir_bind_options *opt = b->opt;
    const char **names;
    weir_rc rc = WEIR_OK;

    WEIR_NEW(names, b->mem, ((size_t)opt->npartition_by + 1) * sizeof(*names));
    for (uint32_t i = 0; i < opt->npartition_by; i++) {
        const char *name = opt->partition_by[i];
        int k = weir_field_find(meta->schema, name, strlen(name), false);

        if (k < 0)
            WEIR_GO(weir_fail(err, WEIR_SCHEMA, "partitionBy names column %s, which the rows lack", name));
        WEIR_GO(bind_partition_type(&meta->schema->fields[k], err));
        names[i] = meta->schema->fields[k].name;
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(names[j], names[i]) == 0)
                WEIR_GO(weir_fail(err, WEIR_USAGE, "partitionBy names column %s twice", name));
        }
    }
    meta->partitions = names;
    meta->npartitions = opt->npartition_by;
out:
    return rc;
}

static void
partitions_text(const char *const *names, uint32_t n, char *text, size_t size)
{
    size_t at = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < n && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s", i > 0 ? ", " : "", names[i]);
}

static weir_rc
bind_partitions_match(const struct weir_bind_options *opt, const struct weir_metadata *meta, struct weir_error *err)
{
    bool same = opt->npartition_by == meta->npartitions;
    char ours[128], theirs[128];

    if (opt->npartition_by == 0)
        return WEIR_OK;
    for (uint32_t i = 0; same && i < meta->npartitions; i++)
        same = weir_slice_is_nocase(weir_slice(opt->partition_by[i], strlen(opt->partition_by[i])),
                                    meta->partitions[i]);
    if (same)
        return WEIR_OK;
    partitions_text(opt->partition_by, opt->npartition_by, ours, sizeof(ours));
    partitions_text(meta->partitions, meta->npartitions, theirs, sizeof(theirs));
    weir_fail(err, WEIR_SCHEMA, "partitionBy is [%s], the table's is [%s]", ours, theirs);
    return weir_error_hint(err, "leave partitionBy out: the table's own is used");
}

/* --- new tables ----------------------------------------------------------------------------------------------- */

static weir_rc
bind_create(struct bind *b, const struct weir_type *rows, struct weir_binding *out, struct weir_error *err)
{
    const struct bind_path top = {""};
    struct weir_metadata *meta = &out->meta;
    char uuid[WEIR_UUID_SIZE];
    weir_rc rc;

    if (!b->opt->create) {
        weir_fail(err, WEIR_NOTFOUND, "there is no table, and sink.table.createIfAbsent is false");
        return weir_error_hint(err, "make the table first, or set createIfAbsent: true");
    }
    WEIR_GO(bind_new_type(rows, &top, err));
    weir_uuid(uuid);
    meta->id = weir_mem_strdup(b->mem, uuid);
    meta->schema = weir_type_copy(b->mem, rows);
    if (meta->id == NULL || meta->schema == NULL)
        WEIR_GO(weir_mem_fail(b->mem, sizeof(*meta), err));
    meta->description = b->opt->comment;
    meta->created_ms = weir_now_ms();
    WEIR_GO(bind_new_partitions(b, meta, err));
    WEIR_GO(weir_feature_properties(b->opt->properties, b->mem, meta, err));
    WEIR_GO(weir_feature_protocol(meta, b->mem, &out->protocol, err));
    out->creates = true;
out:
    return rc;
}

static weir_rc
bind_existing(struct bind *b, const struct weir_snapshot *snap, const struct weir_type *rows,
              struct weir_binding *out, struct weir_error *err)
{
    const struct bind_path top = {""};

    out->meta = snap->meta;
    out->protocol = snap->protocol;
    b->typed_growth = weir_feature_has(&snap->protocol, "typeWidening") ||
                      weir_feature_has(&snap->protocol, "typeWidening-preview");
    WEIR_TRY(weir_feature_check_append(&snap->protocol, &snap->meta, err));
    WEIR_TRY(bind_partitions_match(b->opt, &snap->meta, err));
    WEIR_TRY(bind_struct(b, snap->meta.schema, rows, &top, &out->meta.schema, err));
    out->evolves = b->grew;
    if (out->evolves && weir_feature_uses(out->meta.schema, WEIR_TIMESTAMP_NTZ) &&
        !weir_feature_uses(snap->meta.schema, WEIR_TIMESTAMP_NTZ) && !weir_feature_has(&snap->protocol, "timestampNtz")) {
        weir_fail(err, WEIR_SCHEMA, "a timestamp_ntz column would be added, and the table lacks the feature timestampNtz");
        return weir_error_hint(err, "add it first: ALTER TABLE … SET TBLPROPERTIES "
                                    "('delta.feature.timestampNtz' = 'supported')");
    }
    return WEIR_OK;
}

weir_rc
weir_bind(const struct weir_snapshot *snap, const struct weir_type *rows, const struct weir_bind_options *opt,
          struct weir_mem *mem, struct weir_binding *out, struct weir_error *err)
{
    struct bind b = {.opt = opt, .mem = mem};

    *out = (struct weir_binding){0};
    if (rows->nfields == 0 || rows->nfields >= WEIR_BIND_ABSENT)
        return weir_fail(err, WEIR_SCHEMA, "rows of %u columns cannot be written", rows->nfields);
    if (snap->version < 0)
        WEIR_TRY(bind_create(&b, rows, out, err));
    else
        WEIR_TRY(bind_existing(&b, snap, rows, out, err));
    WEIR_TRY(weir_stats_check(&out->meta, err));
    return bind_files(&b, rows, out, err);
}

bool
weir_bind_same_files(const struct weir_binding *a, const struct weir_binding *b)
{
    /* Rows are not looked at again, so nothing may have become NOT NULL meanwhile: nullability counts. */
    if (a->meta.npartitions != b->meta.npartitions || !weir_type_equal(a->file, b->file))
        return false;
    for (uint32_t i = 0; i < a->meta.npartitions; i++) {
        const char *name = a->meta.partitions[i];
        int ka = weir_field_find(a->meta.schema, name, strlen(name), true);
        int kb = weir_field_find(b->meta.schema, name, strlen(name), true);

        if (strcmp(name, b->meta.partitions[i]) != 0 || ka < 0 || kb < 0 ||
            a->meta.schema->fields[ka].nullable != b->meta.schema->fields[kb].nullable ||
            !weir_type_same(a->meta.schema->fields[ka].type, b->meta.schema->fields[kb].type))
            return false;
    }
    return true;
}

/* --- rows ------------------------------------------------------------------------------------------------------ */

/* The first of rows at .. at + n - 1 where the field is null though it must not be, while its parents are there. */
static weir_rc rows_check(const struct weir_type *table, const struct weir_col *col, const struct bind_path *at,
                          uint64_t from, uint64_t n, struct weir_error *err);

static weir_rc
rows_null(const struct bind_path *at, struct weir_error *err)
{
    weir_fail(err, WEIR_BADDATA, "column %s is NOT NULL in the table, and a row has no value for it", at->text);
    return weir_error_hint(err, "filter such rows in the query, or drop NOT NULL from the table");
}

static weir_rc
rows_struct(const struct weir_type *table, const struct weir_col *col, const struct bind_path *at, uint64_t row,
            struct weir_error *err)
{
    for (uint32_t i = 0; i < col->nkids; i++) {
        const struct weir_field *in = &col->type->fields[i];
        int k = weir_field_find(table, in->name, in->name_len, false);
        const struct weir_field *f = k >= 0 ? &table->fields[k] : NULL;
        struct bind_path p = path_under(at, in->name);

        if (f == NULL)
            continue;
        if (!f->nullable && weir_col_is_null(&col->kids[i], (uint32_t)row))
            return rows_null(&p, err);
        if (weir_kind_is_nested(f->type->kind) && bind_has_not_null(f->type))
            WEIR_TRY(rows_check(f->type, &col->kids[i], &p, row, 1, err));
    }
    return WEIR_OK;
}

static weir_rc
rows_list(const struct weir_type *table, const struct weir_col *col, const struct bind_path *at, uint64_t row,
          struct weir_error *err)
{
    const struct weir_list *l = &((const struct weir_list *)col->data)[row];
    const struct weir_type *type = table->fields[0].type;
    struct bind_path p;

    if (table->kind == WEIR_MAP) {
        const struct weir_col *kv = &col->kids[0];

        for (uint32_t i = 0; i < 2; i++) {
            p = path_under(at, i == 0 ? "key" : "value");
            for (uint64_t r = l->at; i == 1 && !type->fields[1].nullable && r < l->at + l->n; r++) {
                if (weir_col_is_null(&kv->kids[1], (uint32_t)r))
                    return rows_null(&p, err);
            }
            if (bind_has_not_null(type->fields[i].type))
                WEIR_TRY(rows_check(type->fields[i].type, &kv->kids[i], &p, l->at, l->n, err));
        }
        return WEIR_OK;
    }
    p = path_under(at, "element");
    for (uint64_t r = l->at; !table->fields[0].nullable && r < l->at + l->n; r++) {
        if (weir_col_is_null(&col->kids[0], (uint32_t)r))
            return rows_null(&p, err);
    }
    return bind_has_not_null(type) ? rows_check(type, &col->kids[0], &p, l->at, l->n, err) : WEIR_OK;
}

static weir_rc
rows_check(const struct weir_type *table, const struct weir_col *col, const struct bind_path *at, uint64_t from,
           uint64_t n, struct weir_error *err)
{
    if (table->kind == WEIR_VARIANT || !weir_kind_is_nested(table->kind))
        return WEIR_OK;
    for (uint64_t r = from; r < from + n; r++) {
        uint64_t row = col->form == WEIR_CONST ? 0 : r;

        if (weir_col_is_null(col, (uint32_t)row))
            continue;
        WEIR_TRY(table->kind == WEIR_STRUCT ? rows_struct(table, col, at, row, err)
                                            : rows_list(table, col, at, row, err));
    }
    return WEIR_OK;
}

weir_rc
weir_bind_rows(const struct weir_binding *b, const struct weir_page *page, struct weir_error *err)
{
    const struct weir_type *table = b->meta.schema;
    const struct bind_path top = {""};

    for (uint32_t i = 0; b->not_null && i < page->ncols; i++) {
        const struct weir_field *in = &page->schema->fields[i];
        int k = weir_field_find(table, in->name, in->name_len, false);
        struct bind_path p = path_under(&top, in->name);

        if (k < 0)
            continue;
        for (uint32_t r = 0; !table->fields[k].nullable && r < page->rows; r++) {
            if (weir_col_is_null(&page->cols[i], r))
                return rows_null(&p, err);
            if (page->cols[i].form == WEIR_CONST || page->cols[i].valid == NULL)
                break;
        }
        if (bind_has_not_null(table->fields[k].type))
            WEIR_TRY(rows_check(table->fields[k].type, &page->cols[i], &p, 0, page->rows, err));
    }
    return WEIR_OK;
}
