/* The footer: schema elements, column chunks, key-value metadata (parquet.thrift: FileMetaData and below).
 *
 * 1. Types are annotated as Spark writes them: byte and short as INT(8) and INT(16), int without, and both
 *    the converted and the logical type wherever the format has both.
 * 2. Lists are three levels "list.element", maps "key_value.key/value". VOID is not in the file.
 * 3. Field ids stand at struct fields, from the metadata key delta.columnMapping.id. */
#include "codec/parquet_int.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"

enum { REQUIRED = 0, OPTIONAL = 1, REPEATED = 2 };
enum { /* ConvertedType */
       CONV_NONE = -1,
       CONV_UTF8 = 0,
       CONV_MAP = 1,
       CONV_LIST = 3,
       CONV_DECIMAL = 5,
       CONV_DATE = 6,
       CONV_TIMESTAMP_MICROS = 10,
       CONV_INT_8 = 15,
       CONV_INT_16 = 16
};
enum { /* fields of the union LogicalType */
       LOGICAL_STRING = 1,
       LOGICAL_MAP = 2,
       LOGICAL_LIST = 3,
       LOGICAL_DECIMAL = 5,
       LOGICAL_DATE = 6,
       LOGICAL_TIMESTAMP = 8,
       LOGICAL_INTEGER = 10
};

/* ---- schema ---- */

static int32_t
converted_type(weir_kind kind)
{
    switch (kind) {
    case WEIR_BYTE:
        return CONV_INT_8;
    case WEIR_SHORT:
        return CONV_INT_16;
    case WEIR_DATE:
        return CONV_DATE;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_NTZ:
        return CONV_TIMESTAMP_MICROS;
    case WEIR_DECIMAL:
        return CONV_DECIMAL;
    case WEIR_STRING:
        return CONV_UTF8;
    case WEIR_ARRAY:
        return CONV_LIST;
    case WEIR_MAP:
        return CONV_MAP;
    default:
        return CONV_NONE;
    }
}

static void
logical_empty(struct weir_thrift *t, int16_t which)
{
    weir_thrift_struct(t, which);
    weir_thrift_close(t);
}

static void
logical_timestamp(struct weir_thrift *t, bool utc)
{
    weir_thrift_struct(t, LOGICAL_TIMESTAMP);
    weir_thrift_bool(t, 1, utc); /* isAdjustedToUTC */
    weir_thrift_struct(t, 2);    /* unit */
    logical_empty(t, 2);         /* MICROS */
    weir_thrift_close(t);
    weir_thrift_close(t);
}

static void
logical_type(struct weir_thrift *t, const struct weir_type *type)
{
    weir_thrift_struct(t, 10);
    switch (type->kind) {
    case WEIR_BYTE:
    case WEIR_SHORT:
        weir_thrift_struct(t, LOGICAL_INTEGER);
        weir_thrift_byte(t, 1, type->kind == WEIR_BYTE ? 8 : 16);
        weir_thrift_bool(t, 2, true); /* signed */
        weir_thrift_close(t);
        break;
    case WEIR_DECIMAL:
        weir_thrift_struct(t, LOGICAL_DECIMAL);
        weir_thrift_i32(t, 1, type->scale);
        weir_thrift_i32(t, 2, type->precision);
        weir_thrift_close(t);
        break;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_NTZ:
        logical_timestamp(t, type->kind == WEIR_TIMESTAMP);
        break;
    case WEIR_DATE:
        logical_empty(t, LOGICAL_DATE);
        break;
    case WEIR_ARRAY:
        logical_empty(t, LOGICAL_LIST);
        break;
    case WEIR_MAP:
        logical_empty(t, LOGICAL_MAP);
        break;
    default:
        logical_empty(t, LOGICAL_STRING);
        break;
    }
    weir_thrift_close(t);
}

/* delta.columnMapping.id; -1: none. */
static weir_rc
field_id(const struct weir_field *f, int64_t *id, struct weir_error *err)
{
    json_t *doc = NULL;
    weir_rc rc;

    *id = -1;
    if (f->metadata == NULL)
        return WEIR_OK;
    WEIR_GO(weir_json_load(f->metadata, strlen(f->metadata), &doc, err));
    WEIR_GO(weir_json_get_int(doc, "delta.columnMapping.id", -1, id, err));
    if (*id > INT32_MAX)
        rc = weir_fail(err, WEIR_CORRUPT, "delta.columnMapping.id is %" PRId64, *id);
out:
    json_decref(doc);
    return rc == WEIR_OK ? rc : weir_error_context(err, "metadata of column %s", f->name);
}

static void
element_group(struct weir_thrift *t, const char *name, int repetition, uint32_t kids)
{
    weir_thrift_open(t);
    if (repetition >= 0)
        weir_thrift_i32(t, 3, repetition);
    weir_thrift_binary(t, 4, name, strlen(name));
    weir_thrift_i32(t, 5, (int32_t)kids);
    weir_thrift_close(t);
}

static uint32_t
stored_kids(const struct weir_parquet_node *nodes, uint32_t n)
{
    uint32_t stored = 0;

    for (uint32_t i = 0; i < n; i++)
        stored += nodes[i].kind != WEIR_VOID;
    return stored;
}

/* The element of the node itself. */
static weir_rc
element_node(struct weir_thrift *t, const struct weir_parquet_node *node, const char *name, bool with_id,
             struct weir_error *err)
{
    const struct weir_type *type = node->field->type;
    int32_t converted = converted_type(node->kind);
    int64_t id = -1;

    if (with_id)
        WEIR_TRY(field_id(node->field, &id, err));
    weir_thrift_open(t);
    if (node->leaf != NULL)
        weir_thrift_i32(t, 1, node->leaf->phys);
    if (node->leaf != NULL && node->leaf->phys == WEIR_PHYS_FIXED)
        weir_thrift_i32(t, 2, node->leaf->fixed);
    weir_thrift_i32(t, 3, node->optional ? OPTIONAL : REQUIRED);
    weir_thrift_binary(t, 4, name, strlen(name));
    if (node->leaf == NULL)
        weir_thrift_i32(t, 5, node->kind == WEIR_STRUCT ? (int32_t)stored_kids(node->kids, node->nkids) : 1);
    if (converted != CONV_NONE)
        weir_thrift_i32(t, 6, converted);
    if (node->kind == WEIR_DECIMAL) {
        weir_thrift_i32(t, 7, type->scale);
        weir_thrift_i32(t, 8, type->precision);
    }
    if (id >= 0)
        weir_thrift_i32(t, 9, (int32_t)id);
    if (converted != CONV_NONE)
        logical_type(t, type);
    weir_thrift_close(t);
    return WEIR_OK;
}

/* The node and all below, depth first. */
static weir_rc
schema_node(struct weir_thrift *t, const struct weir_parquet_node *node, const char *name, bool ids,
            bool is_field, struct weir_error *err)
{
    const struct weir_parquet_node *pair = node->kids;

    if (node->kind == WEIR_VOID)
        return WEIR_OK;
    WEIR_TRY(element_node(t, node, name, ids && is_field, err));
    switch (node->kind) {
    case WEIR_STRUCT:
        for (uint32_t i = 0; i < node->nkids; i++)
            WEIR_TRY(schema_node(t, &node->kids[i], node->kids[i].field->name, ids, true, err));
        return WEIR_OK;
    case WEIR_ARRAY:
        element_group(t, "list", REPEATED, 1);
        return schema_node(t, &node->kids[0], "element", ids, false, err);
    case WEIR_MAP:
        element_group(t, "key_value", REPEATED, 2);
        WEIR_TRY(schema_node(t, &pair->kids[0], "key", ids, false, err));
        return schema_node(t, &pair->kids[1], "value", ids, false, err);
    default:
        return WEIR_OK;
    }
}

static uint32_t
count_elements(const struct weir_parquet_node *nodes, uint32_t n)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < n; i++) /* a list's middle group counts with it; a map's is its pair's node */
        if (nodes[i].kind != WEIR_VOID)
            count += 1 + (nodes[i].kind == WEIR_ARRAY) + count_elements(nodes[i].kids, nodes[i].nkids);
    return count;
}

static weir_rc
footer_schema(const struct weir_parquet *w, struct weir_thrift *t, struct weir_error *err)
{
    weir_thrift_list(t, 2, WEIR_THRIFT_STRUCT, 1 + count_elements(w->nodes, w->nnodes));
    element_group(t, "spark_schema", -1, stored_kids(w->nodes, w->nnodes));
    for (uint32_t i = 0; i < w->nnodes; i++)
        WEIR_TRY(schema_node(t, &w->nodes[i], w->nodes[i].field->name, w->opt.field_ids, true, err));
    return WEIR_OK;
}

/* ---- column chunks ---- */

static void
chunk_encodings(struct weir_thrift *t, const struct weir_leaf *leaf)
{
    weir_thrift_list(t, 2, WEIR_THRIFT_I32, leaf->dict_pages > 0 ? 3 : 2);
    weir_thrift_put_i32(t, ENC_PLAIN); /* the dictionary page's, too */
    weir_thrift_put_i32(t, ENC_RLE);
    if (leaf->dict_pages > 0)
        weir_thrift_put_i32(t, ENC_RLE_DICT);
}

static void
encoding_stat(struct weir_thrift *t, int32_t page, int32_t encoding, uint32_t n)
{
    if (n == 0)
        return;
    weir_thrift_open(t);
    weir_thrift_i32(t, 1, page);
    weir_thrift_i32(t, 2, encoding);
    weir_thrift_i32(t, 3, (int32_t)n);
    weir_thrift_close(t);
}

/* From these a reader knows whether the dictionary names all the values. */
static void
chunk_encoding_stats(struct weir_thrift *t, const struct weir_leaf *leaf)
{
    uint32_t dict = leaf->dict_pages > 0;

    weir_thrift_list(t, 13, WEIR_THRIFT_STRUCT, 2 * dict + (leaf->plain_pages > 0));
    encoding_stat(t, PAGE_DICT, ENC_PLAIN, dict);
    encoding_stat(t, PAGE_DATA, ENC_RLE_DICT, leaf->dict_pages);
    encoding_stat(t, PAGE_DATA, ENC_PLAIN, leaf->plain_pages);
}

static int32_t
codec_number(weir_parquet_codec codec)
{
    return codec == WEIR_SNAPPY ? 1 : codec == WEIR_ZSTD ? 6 : 0;
}

void
weir_parquet_footer_chunk(struct weir_parquet *w, const struct weir_leaf *leaf, uint64_t dict_pos,
                          uint64_t data_pos)
{
    struct weir_thrift t = {.buf = &w->group};

    weir_thrift_open(&t);
    weir_thrift_i64(&t, 2, (int64_t)(dict_pos != 0 ? dict_pos : data_pos));
    weir_thrift_struct(&t, 3);
    weir_thrift_i32(&t, 1, leaf->phys);
    chunk_encodings(&t, leaf);
    weir_thrift_list(&t, 3, WEIR_THRIFT_BINARY, leaf->npath);
    for (uint32_t i = 0; i < leaf->npath; i++)
        weir_thrift_put_binary(&t, leaf->path[i], strlen(leaf->path[i]));
    weir_thrift_i32(&t, 4, codec_number(w->opt.codec));
    weir_thrift_i64(&t, 5, (int64_t)leaf->chunk_entries);
    weir_thrift_i64(&t, 6, (int64_t)leaf->chunk_raw);
    weir_thrift_i64(&t, 7, (int64_t)leaf->chunk_packed);
    weir_thrift_i64(&t, 9, (int64_t)data_pos);
    if (dict_pos != 0)
        weir_thrift_i64(&t, 11, (int64_t)dict_pos);
    weir_bounds_thrift(&leaf->chunk, leaf, leaf->chunk_nulls, &t, 12);
    chunk_encoding_stats(&t, leaf);
    weir_thrift_close(&t);
    weir_thrift_close(&t);
}

/* ---- the file ---- */

static bool
has_void(const struct weir_parquet_node *nodes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (nodes[i].kind == WEIR_VOID || has_void(nodes[i].kids, nodes[i].nkids))
            return true;
    return false;
}

/* Spark's schema as JSON, by which Spark reads a bare file with its own types. Left out when the file lacks a
 * column of it. */
static weir_rc
footer_key_values(const struct weir_parquet *w, struct weir_thrift *t, struct weir_error *err)
{
    static const char key[] = "org.apache.spark.sql.parquet.row.metadata";
    struct weir_buf json = {0};
    weir_rc rc;

    if (has_void(w->nodes, w->nnodes))
        return WEIR_OK;
    weir_buf_init(&json, WEIR_FOOTER_MAX, w->groups.q);
    weir_type_print_json(w->schema, &json);
    WEIR_GO(weir_buf_check(&json, err));
    weir_thrift_list(t, 5, WEIR_THRIFT_STRUCT, 1);
    weir_thrift_open(t);
    weir_thrift_binary(t, 1, key, strlen(key));
    weir_thrift_binary(t, 2, json.data, json.len);
    weir_thrift_close(t);
out:
    weir_buf_fini(&json);
    return rc;
}

static void
footer_orders(const struct weir_parquet *w, struct weir_thrift *t)
{
    weir_thrift_list(t, 7, WEIR_THRIFT_STRUCT, w->nleaves);
    for (uint32_t i = 0; i < w->nleaves; i++) {
        weir_thrift_open(t);
        weir_thrift_struct(t, 1); /* TypeDefinedOrder */
        weir_thrift_close(t);
        weir_thrift_close(t);
    }
}

weir_rc
weir_parquet_footer_build(const struct weir_parquet *w, struct weir_buf *out, struct weir_error *err)
{
    struct weir_thrift t = {.buf = out};

    weir_thrift_open(&t);
    weir_thrift_i32(&t, 1, 1);
    WEIR_TRY(footer_schema(w, &t, err));
    weir_thrift_i64(&t, 3, (int64_t)w->rows);
    weir_thrift_list(&t, 4, WEIR_THRIFT_STRUCT, w->ngroups);
    weir_buf_add(out, w->groups.data, w->groups.len);
    WEIR_TRY(footer_key_values(w, &t, err));
    weir_thrift_binary(&t, 6, w->opt.created_by, strlen(w->opt.created_by));
    footer_orders(w, &t);
    weir_thrift_close(&t);
    return weir_buf_check(out, err);
}
