/* The schema of a checkpoint file, and its rows. delta/ckpt_int.h.
 *
 * Follows the Delta protocol, "Checkpoint Schema", with the columns in the order of Spark's files. dataChange
 * is false in all of them: a checkpoint is a state and changes nothing. Pure functions. */
#include "delta/ckpt_int.h"

#include <inttypes.h>

#include "base/str.h"
#include "column/text.h"
#include "delta/feature.h"
#include "delta/mapping.h"
#include "delta/stats.h"

enum { /* add's fields; remove's below */
       A_PATH,
       A_VALUES,
       A_SIZE,
       A_MTIME,
       A_CHANGE,
       A_TAGS,
       A_DV,
       A_ROW_ID,
       A_ROW_VERSION,
       A_CLUSTERING,
       A_STATS,
       A_MORE,
       R_PATH = 0,
       R_DELETED,
       R_CHANGE,
       R_EXTENDED,
       R_VALUES,
       R_SIZE,
       R_DV,
       R_ROW_ID,
       R_ROW_VERSION,
       R_FIELDS,
       DV_TYPE = 0,
       DV_TEXT,
       DV_OFFSET,
       DV_SIZE,
       DV_CARDINALITY,
       DV_FIELDS
};

/* --- the schema ----------------------------------------------------------------------------------------- */

struct named { /* a field; fields with `of` are structs that are built from it */
    const char *name;
    const struct weir_type *type;
};

static weir_rc
struct_of(struct weir_mem *mem, const struct named *fields, uint32_t n, const struct weir_type **out,
          struct weir_error *err)
{
    struct weir_field *made;
    weir_rc rc = WEIR_OK;

    WEIR_NEW(made, mem, (n + 1) * sizeof(*made));
    for (uint32_t i = 0; i < n; i++)
        made[i] =
            (struct weir_field){fields[i].name, (uint32_t)strlen(fields[i].name), true, fields[i].type, NULL};
    *out = weir_type_struct(mem, made, n);
    if (*out == NULL)
        rc = weir_mem_fail(mem, n * sizeof(*made), err);
out:
    return rc;
}

#define STRUCT_OF(out_, ...)                                                                                 \
    WEIR_TRY(struct_of(mem, (const struct named[]){__VA_ARGS__},                                             \
                       sizeof((const struct named[]){__VA_ARGS__}) / sizeof(struct named), (out_), err))

bool
ckpt_stats_as_json(const struct weir_metadata *meta)
{
    return weir_metadata_conf(meta, "delta.checkpoint.writeStatsAsJson") == NULL ||
           weir_metadata_conf_true(meta, "delta.checkpoint.writeStatsAsJson");
}

/* The typed forms: when the table asks for them, and for statistics also when there would be no others. */
static weir_rc
schema_parsed(const struct weir_snapshot *snap, struct weir_mem *mem, struct ckpt_schema *out,
              struct weir_error *err)
{
    const struct weir_metadata *meta = &snap->meta;
    bool asked = weir_metadata_conf_true(meta, "delta.checkpoint.writeStatsAsStruct");
    bool tight = weir_feature_has(&snap->protocol, "deletionVectors");
    const struct weir_type *physical;
    weir_mapping_mode mode;
    struct named *fields;
    weir_rc rc;

    out->values = out->stats = NULL;
    if (!asked && ckpt_stats_as_json(meta))
        return WEIR_OK;
    WEIR_GO(weir_mapping_of(&snap->protocol, meta, &mode, err));
    WEIR_GO(weir_mapping_physical(meta->schema, mode, mem, &physical, err));
    WEIR_GO(weir_stats_schema(meta, physical, tight, mem, &out->stats, err));
    if (!asked || meta->npartitions == 0)
        goto out;
    WEIR_NEW(fields, mem, meta->npartitions * sizeof(*fields));
    for (uint32_t i = 0; i < meta->npartitions; i++) {
        int at = weir_field_find(meta->schema, meta->partitions[i], strlen(meta->partitions[i]), true);

        fields[i] = (struct named){physical->fields[at].name, physical->fields[at].type};
    }
    rc = struct_of(mem, fields, meta->npartitions, &out->values, err);
out:
    return rc;
}

static weir_rc
schema_add(struct ckpt_schema *s, const struct weir_type *map, const struct weir_type *dv,
           struct weir_mem *mem, const struct weir_type **out, struct weir_error *err)
{
    struct named fields[A_MORE + 2] = {[A_PATH] = {"path", &weir_type_string},
                                       [A_VALUES] = {"partitionValues", map},
                                       [A_SIZE] = {"size", &weir_type_long},
                                       [A_MTIME] = {"modificationTime", &weir_type_long},
                                       [A_CHANGE] = {"dataChange", &weir_type_boolean},
                                       [A_TAGS] = {"tags", map},
                                       [A_DV] = {"deletionVector", dv},
                                       [A_ROW_ID] = {"baseRowId", &weir_type_long},
                                       [A_ROW_VERSION] = {"defaultRowCommitVersion", &weir_type_long},
                                       [A_CLUSTERING] = {"clusteringProvider", &weir_type_string},
                                       [A_STATS] = {"stats", &weir_type_string}};
    uint32_t n = A_MORE;

    if (s->values != NULL)
        fields[n++] = (struct named){"partitionValues_parsed", s->values};
    if (s->stats != NULL)
        fields[n++] = (struct named){"stats_parsed", s->stats};
    return struct_of(mem, fields, n, out, err);
}

weir_rc
ckpt_schema(const struct weir_snapshot *snap, struct weir_mem *mem, struct ckpt_schema *out,
            struct weir_error *err)
{
    const struct weir_type *map = weir_type_map(mem, &weir_type_string, &weir_type_string, true);
    const struct weir_type *texts = weir_type_array(mem, &weir_type_string, true);
    const struct weir_type *txn, *dv, *add, *rem, *format, *meta, *protocol, *domain;

    if (map == NULL || texts == NULL)
        return weir_mem_fail(mem, sizeof(*map), err);
    WEIR_TRY(schema_parsed(snap, mem, out, err));
    STRUCT_OF(&txn, {"appId", &weir_type_string}, {"version", &weir_type_long},
              {"lastUpdated", &weir_type_long});
    STRUCT_OF(&dv, {"storageType", &weir_type_string}, {"pathOrInlineDv", &weir_type_string},
              {"offset", &weir_type_int}, {"sizeInBytes", &weir_type_int}, {"cardinality", &weir_type_long});
    WEIR_TRY(schema_add(out, map, dv, mem, &add, err));
    STRUCT_OF(&rem, {"path", &weir_type_string}, {"deletionTimestamp", &weir_type_long},
              {"dataChange", &weir_type_boolean}, {"extendedFileMetadata", &weir_type_boolean},
              {"partitionValues", map}, {"size", &weir_type_long}, {"deletionVector", dv},
              {"baseRowId", &weir_type_long}, {"defaultRowCommitVersion", &weir_type_long});
    STRUCT_OF(&format, {"provider", &weir_type_string}, {"options", map});
    STRUCT_OF(&meta, {"id", &weir_type_string}, {"name", &weir_type_string},
              {"description", &weir_type_string}, {"format", format}, {"schemaString", &weir_type_string},
              {"partitionColumns", texts}, {"configuration", map}, {"createdTime", &weir_type_long});
    STRUCT_OF(&protocol, {"minReaderVersion", &weir_type_int}, {"minWriterVersion", &weir_type_int},
              {"readerFeatures", texts}, {"writerFeatures", texts});
    STRUCT_OF(&domain, {"domain", &weir_type_string}, {"configuration", &weir_type_string},
              {"removed", &weir_type_boolean});
    STRUCT_OF(&out->type, [CKPT_TXN] = {"txn", txn}, [CKPT_ADD] = {"add", add},
              [CKPT_REMOVE] = {"remove", rem}, [CKPT_METADATA] = {"metaData", meta},
              [CKPT_PROTOCOL] = {"protocol", protocol}, [CKPT_DOMAIN] = {"domainMetadata", domain});
    return WEIR_OK;
}

/* --- slots ---------------------------------------------------------------------------------------------- */

static weir_rc
put_text(struct weir_col *col, uint32_t row, const char *text, size_t len, struct weir_mem *mem,
         struct weir_error *err)
{
    if (text == NULL)
        weir_col_set_null(col, row);
    else if (len > UINT32_MAX ||
             !weir_str_copy(mem, text, (uint32_t)len, &((struct weir_str *)col->data)[row]))
        return weir_mem_fail(mem, len, err);
    return WEIR_OK;
}

static void
put_long(struct weir_col *col, uint32_t row, int64_t v, bool there)
{
    if (!there || (col->type->kind == WEIR_INT && (v < INT32_MIN || v > INT32_MAX)))
        weir_col_set_null(col, row);
    else if (col->type->kind == WEIR_INT)
        ((int32_t *)col->data)[row] = (int32_t)v;
    else
        ((int64_t *)col->data)[row] = v;
}

static void
put_bool(struct weir_col *col, uint32_t row, bool v)
{
    ((uint8_t *)col->data)[row] = v;
}

/* A list of n elements; they begin at *at in kids[0]. */
static weir_rc
put_list(struct weir_col *col, uint32_t row, size_t n, uint32_t *at, struct weir_error *err)
{
    struct weir_col *kid = &col->kids[0];

    if (n > UINT32_MAX - kid->len)
        return weir_fail(err, WEIR_NOMEM, "a list is too long");
    WEIR_TRY(weir_col_room(kid, kid->len + (uint32_t)n, err));
    *at = kid->len;
    ((struct weir_list *)col->data)[row] = (struct weir_list){kid->len, n};
    kid->len += (uint32_t)n;
    return WEIR_OK;
}

static weir_rc
put_json_list(struct weir_col *col, uint32_t row, const json_t *value, struct weir_mem *mem,
              struct weir_error *err)
{
    uint32_t at;

    WEIR_TRY(put_list(col, row, json_array_size(value), &at, err));
    for (size_t i = 0; i < json_array_size(value); i++)
        WEIR_TRY(ckpt_put_json(&col->kids[0], at + (uint32_t)i, json_array_get(value, i), mem, err));
    return WEIR_OK;
}

static weir_rc
put_json_map(struct weir_col *col, uint32_t row, const json_t *value, struct weir_mem *mem,
             struct weir_error *err)
{
    struct weir_col *entry = &col->kids[0];
    const char *key;
    json_t *v;
    uint32_t at;

    WEIR_TRY(put_list(col, row, json_object_size(value), &at, err));
    json_object_foreach((json_t *)(uintptr_t)value, key, v)
    {
        WEIR_TRY(put_text(&entry->kids[0], at, key, strlen(key), mem, err));
        WEIR_TRY(ckpt_put_json(&entry->kids[1], at++, v, mem, err));
    }
    return WEIR_OK;
}

weir_rc
ckpt_put_json(struct weir_col *col, uint32_t row, const json_t *value, struct weir_mem *mem,
              struct weir_error *err)
{
    weir_kind k = col->type->kind;

    if (value == NULL || json_is_null(value)) {
        weir_col_set_null(col, row);
        return WEIR_OK;
    }
    if (k == WEIR_STRING && json_is_string(value))
        return put_text(col, row, json_string_value(value), json_string_length(value), mem, err);
    if (k == WEIR_BOOLEAN && json_is_boolean(value)) {
        put_bool(col, row, json_is_true(value));
    } else if ((k == WEIR_INT || k == WEIR_LONG) && json_is_integer(value)) {
        put_long(col, row, json_integer_value(value), true);
    } else if (k == WEIR_ARRAY && json_is_array(value)) {
        return put_json_list(col, row, value, mem, err);
    } else if (k == WEIR_MAP && json_is_object(value)) {
        return put_json_map(col, row, value, mem, err);
    } else if (k == WEIR_STRUCT && json_is_object(value)) {
        for (uint32_t i = 0; i < col->nkids; i++)
            WEIR_TRY(ckpt_put_json(&col->kids[i], row, json_object_get(value, col->type->fields[i].name), mem,
                                   err));
    } else {
        return weir_fail(err, WEIR_CORRUPT, "an action holds %s where it should not",
                         json_is_object(value) ? "an object" : "a value");
    }
    return WEIR_OK;
}

static weir_rc
put_pairs(struct weir_col *col, uint32_t row, const struct weir_pair *pairs, uint32_t n, bool there,
          struct weir_mem *mem, struct weir_error *err)
{
    struct weir_col *entry = &col->kids[0];
    uint32_t at;

    if (!there) {
        weir_col_set_null(col, row);
        return WEIR_OK;
    }
    WEIR_TRY(put_list(col, row, n, &at, err));
    for (uint32_t i = 0; i < n; i++, at++) {
        const char *value = pairs[i].value;

        WEIR_TRY(put_text(&entry->kids[0], at, pairs[i].key, strlen(pairs[i].key), mem, err));
        WEIR_TRY(put_text(&entry->kids[1], at, value, value != NULL ? strlen(value) : 0, mem, err));
    }
    return WEIR_OK;
}

static weir_rc
put_dv(struct weir_col *col, uint32_t row, const struct weir_dv_ref *dv, struct weir_mem *mem,
       struct weir_error *err)
{
    if (dv->type == 0) {
        weir_col_set_null(col, row);
        return WEIR_OK;
    }
    WEIR_TRY(put_text(&col->kids[DV_TYPE], row, &dv->type, 1, mem, err));
    WEIR_TRY(put_text(&col->kids[DV_TEXT], row, dv->text, strlen(dv->text), mem, err));
    put_long(&col->kids[DV_OFFSET], row, dv->offset, dv->offset >= 0);
    put_long(&col->kids[DV_SIZE], row, dv->size, true);
    put_long(&col->kids[DV_CARDINALITY], row, dv->cardinality, true);
    return WEIR_OK;
}

/* --- typed statistics and partition values -------------------------------------------------------------- */

static void
put_stats(struct weir_col *col, uint32_t row, const json_t *value, struct weir_mem *mem)
{
    if (value == NULL || json_is_null(value) || (col->type->kind == WEIR_STRUCT && !json_is_object(value))) {
        weir_col_set_null(col, row);
    } else if (col->type->kind == WEIR_STRUCT) {
        for (uint32_t i = 0; i < col->nkids; i++)
            put_stats(&col->kids[i], row, json_object_get(value, col->type->fields[i].name), mem);
    } else if (col->type->kind == WEIR_BOOLEAN) {
        put_bool(col, row, json_is_true(value));
    } else if (!weir_stats_bound(value, col, row, mem)) {
        weir_col_set_null(col, row);
    }
}

static weir_rc
put_parsed(const struct ckpt_schema *s, struct weir_col *add, uint32_t row, const struct weir_file *f,
           struct weir_mem *mem)
{
    struct weir_error ignored = {0};
    unsigned at = A_MORE;
    json_t *doc = NULL;

    if (s->values != NULL) {
        struct weir_col *values = &add->kids[at++];

        for (uint32_t i = 0; i < values->nkids; i++) {
            const char *text = NULL;

            for (uint32_t k = 0; k < f->nvalues; k++) {
                if (strcmp(f->values[k].key, values->type->fields[i].name) == 0)
                    text = f->values[k].value;
            }
            (void)weir_slot_parse(&values->kids[i], row, text != NULL ? text : "",
                                  text != NULL ? strlen(text) : 0, &weir_zone_utc, mem);
        }
    }
    if (s->stats != NULL) {
        if (f->stats != NULL)
            (void)weir_json_load(f->stats, strlen(f->stats), &doc, &ignored);
        put_stats(&add->kids[at], row, doc, mem);
        json_decref(doc);
    }
    return WEIR_OK;
}

/* --- files ---------------------------------------------------------------------------------------------- */

static weir_rc
put_add(const struct ckpt_schema *s, struct weir_col *c, uint32_t row, const struct weir_file *f,
        bool json_stats, struct weir_mem *mem, struct weir_error *err)
{
    const char *stats = json_stats ? f->stats : NULL, *clustering = f->clustering;

    WEIR_TRY(put_text(&c->kids[A_PATH], row, f->path, strlen(f->path), mem, err));
    WEIR_TRY(put_pairs(&c->kids[A_VALUES], row, f->values, f->nvalues, true, mem, err));
    put_long(&c->kids[A_SIZE], row, f->size, true);
    put_long(&c->kids[A_MTIME], row, f->mtime_ms, true);
    put_bool(&c->kids[A_CHANGE], row, false);
    WEIR_TRY(put_pairs(&c->kids[A_TAGS], row, f->tags, f->ntags, f->ntags > 0, mem, err));
    WEIR_TRY(put_dv(&c->kids[A_DV], row, &f->dv, mem, err));
    put_long(&c->kids[A_ROW_ID], row, f->base_row_id, f->base_row_id != INT64_MIN);
    put_long(&c->kids[A_ROW_VERSION], row, f->row_commit_version, f->row_commit_version != INT64_MIN);
    WEIR_TRY(put_text(&c->kids[A_CLUSTERING], row, clustering, clustering != NULL ? strlen(clustering) : 0,
                      mem, err));
    WEIR_TRY(put_text(&c->kids[A_STATS], row, stats, stats != NULL ? strlen(stats) : 0, mem, err));
    return put_parsed(s, c, row, f, mem);
}

static weir_rc
put_remove(struct weir_col *c, uint32_t row, const struct weir_file *f, struct weir_mem *mem,
           struct weir_error *err)
{
    WEIR_TRY(put_text(&c->kids[R_PATH], row, f->path, strlen(f->path), mem, err));
    put_long(&c->kids[R_DELETED], row, f->deleted_ms, true);
    put_bool(&c->kids[R_CHANGE], row, false);
    put_bool(&c->kids[R_EXTENDED], row, f->extended);
    WEIR_TRY(put_pairs(&c->kids[R_VALUES], row, f->values, f->nvalues, f->extended, mem, err));
    put_long(&c->kids[R_SIZE], row, f->size, f->size >= 0);
    WEIR_TRY(put_dv(&c->kids[R_DV], row, &f->dv, mem, err));
    put_long(&c->kids[R_ROW_ID], row, f->base_row_id, f->base_row_id != INT64_MIN);
    put_long(&c->kids[R_ROW_VERSION], row, f->row_commit_version, f->row_commit_version != INT64_MIN);
    return WEIR_OK;
}

weir_rc
ckpt_put_file(const struct ckpt_schema *schema, struct weir_page *page, uint32_t row,
              const struct weir_file *f, bool json_stats, struct weir_error *err)
{
    struct weir_col *c = &page->cols[f->remove ? CKPT_REMOVE : CKPT_ADD];

    return f->remove ? put_remove(c, row, f, page->mem, err)
                     : put_add(schema, c, row, f, json_stats, page->mem, err);
}
