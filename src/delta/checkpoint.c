/* Reading checkpoints. delta/checkpoint.h.
 *
 * 1. Any column or field may be missing: it reads as null. What a row is, is told by the one field that its
 *    action cannot be without.
 * 2. Small actions become JSON bodies, so that there is one reader of protocol and metaData, whatever they
 *    came from.
 * 3. File actions stand in the top file or in its sidecars, never in both; a reader takes both in any case,
 *    since each (path, deletion vector) stands in a checkpoint once.
 * 4. Statistics that stand only as a struct (stats_parsed) are given as JSON, in DuckDB's spelling of values,
 *    which the reader of statistics knows.
 * Threads: one owner. */
#include "delta/checkpoint.h"

#include <inttypes.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "codec/parquet.h"

#define SIDECAR_FOLDER WEIR_LOG_FOLDER "_sidecars/"

static const struct weir_field texts_element = {"element", 7, true, &weir_type_string, NULL};
static const struct weir_type type_texts = {.kind = WEIR_ARRAY, .nfields = 1, .fields = &texts_element};
static const struct weir_field map_fields[] = {{"key", 3, false, &weir_type_string, NULL},
                                               {"value", 5, true, &weir_type_string, NULL}};
static const struct weir_type map_entry = {.kind = WEIR_STRUCT, .nfields = 2, .fields = map_fields};
static const struct weir_field map_key_value = {"key_value", 9, false, &map_entry, NULL};
static const struct weir_type type_map = {.kind = WEIR_MAP, .nfields = 1, .fields = &map_key_value};

/* --- small actions -------------------------------------------------------------------------------------- */

/* The first column of each action is the one that it cannot be without. */
static const struct weir_parquet_want small_wants[] = {
    {{"protocol", "minReaderVersion"}, &weir_type_long, false, 0},
    {{"protocol", "minWriterVersion"}, &weir_type_long, false, 0},
    {{"protocol", "readerFeatures"}, &type_texts, false, 0},
    {{"protocol", "writerFeatures"}, &type_texts, false, 0},
    {{"metaData", "id"}, &weir_type_string, false, 0},
    {{"metaData", "name"}, &weir_type_string, false, 0},
    {{"metaData", "description"}, &weir_type_string, false, 0},
    {{"metaData", "format", "provider"}, &weir_type_string, false, 0},
    {{"metaData", "format", "options"}, &type_map, false, 0},
    {{"metaData", "schemaString"}, &weir_type_string, false, 0},
    {{"metaData", "partitionColumns"}, &type_texts, false, 0},
    {{"metaData", "configuration"}, &type_map, false, 0},
    {{"metaData", "createdTime"}, &weir_type_long, false, 0},
    {{"txn", "appId"}, &weir_type_string, false, 0},
    {{"txn", "version"}, &weir_type_long, false, 0},
    {{"txn", "lastUpdated"}, &weir_type_long, false, 0},
    {{"domainMetadata", "domain"}, &weir_type_string, false, 0},
    {{"domainMetadata", "configuration"}, &weir_type_string, false, 0},
    {{"domainMetadata", "removed"}, &weir_type_boolean, false, 0},
};
enum { SMALL_WANTS = sizeof(small_wants) / sizeof(*small_wants) };

static const struct small_action {
    weir_action_kind kind;
    unsigned first, n; /* of small_wants */
} small_actions[] = {
    {WEIR_ACTION_PROTOCOL, 0, 4},
    {WEIR_ACTION_METADATA, 4, 9},
    {WEIR_ACTION_TXN, 13, 3},
    {WEIR_ACTION_DOMAIN, 16, 3},
};

static json_t *
json_of_text(const struct weir_col *col, uint64_t row)
{
    const struct weir_str *s = &((const struct weir_str *)col->data)[row];

    return json_stringn(weir_str_ptr(s), s->len);
}

static json_t *json_of(const struct weir_col *col, uint32_t row);

static json_t *
json_of_list(const struct weir_col *col, uint32_t row)
{
    const struct weir_list *l = &((const struct weir_list *)col->data)[row];
    const struct weir_col *kid = &col->kids[0];
    json_t *out = col->type->kind == WEIR_ARRAY ? json_array() : json_object();
    int bad = out == NULL;

    for (uint64_t i = l->at; i < l->at + l->n && !bad; i++) {
        if (col->type->kind == WEIR_ARRAY) {
            bad = json_array_append_new(out, json_of(kid, (uint32_t)i));
        } else {
            json_t *key = json_of_text(&kid->kids[0], i);

            bad = key == NULL ||
                  json_object_set_new(out, json_string_value(key), json_of(&kid->kids[1], (uint32_t)i));
            json_decref(key);
        }
    }
    if (bad) {
        json_decref(out);
        return NULL;
    }
    return out;
}

static json_t *
json_of(const struct weir_col *col, uint32_t row)
{
    if (weir_col_is_null(col, row))
        return json_null();
    switch (col->type->kind) {
    case WEIR_STRING:
        return json_of_text(col, row);
    case WEIR_LONG:
        return json_integer(((const int64_t *)col->data)[row]);
    case WEIR_BOOLEAN:
        return json_boolean(((const uint8_t *)col->data)[row]);
    default:
        return json_of_list(col, row);
    }
}

/* The body of the action in this row; NULL: no memory. */
static json_t *
small_body(const struct weir_page *page, uint32_t row, const struct small_action *a)
{
    json_t *body = json_object();
    int bad = body == NULL;

    for (unsigned i = a->first; i < a->first + a->n && !bad; i++) {
        const struct weir_parquet_want *w = &small_wants[i];
        json_t *at = body, *value = json_of(&page->cols[i], row);

        if (w->path[2] != NULL && (at = json_object_get(body, w->path[1])) == NULL) {
            at = json_object();
            bad = json_object_set_new(body, w->path[1], at);
        }
        bad = bad || value == NULL || json_object_set_new(at, w->path[w->path[2] != NULL ? 2 : 1], value);
    }
    if (bad) {
        json_decref(body);
        return NULL;
    }
    return body;
}

static weir_rc
small_row(const struct weir_page *page, uint32_t row, weir_checkpoint_fn *fn, void *arg,
          struct weir_error *err)
{
    for (size_t i = 0; i < sizeof(small_actions) / sizeof(*small_actions); i++) {
        const struct small_action *a = &small_actions[i];
        json_t *body;
        weir_rc rc;

        if (weir_col_is_null(&page->cols[a->first], row))
            continue;
        body = small_body(page, row, a);
        if (body == NULL)
            return weir_fail(err, WEIR_CORRUPT, "an action of the checkpoint cannot be understood");
        rc = fn(arg, a->kind, body, err);
        json_decref(body);
        WEIR_TRY(rc);
    }
    return WEIR_OK;
}

static weir_rc
small_parquet(struct weir_store *st, const char *key, struct weir_quota *q, weir_checkpoint_fn *fn, void *arg,
              struct weir_error *err)
{
    struct weir_parquet_rows *rows;
    const struct weir_page *page;
    weir_rc rc;

    WEIR_TRY(weir_parquet_open(st, key, small_wants, SMALL_WANTS, true, q, &rows, err));
    while ((rc = weir_parquet_next(rows, &page, err)) == WEIR_OK) {
        for (uint32_t i = 0; i < page->rows; i++)
            WEIR_GO(small_row(page, i, fn, arg, err));
    }
    rc = rc == WEIR_END ? WEIR_OK : rc;
out:
    weir_parquet_close(rows);
    return rc;
}

static weir_rc
small_json(struct weir_store *st, const char *key, struct weir_quota *q, weir_checkpoint_fn *fn, void *arg,
           struct weir_error *err)
{
    struct weir_lines lines = {0};
    struct weir_action a = {0};
    const char *line;
    size_t len;
    weir_rc rc;

    WEIR_TRY(weir_lines_open(&lines, st, key, WEIR_ACTION_MAX, q, err));
    while ((rc = weir_lines_next(&lines, &line, &len, err)) == WEIR_OK) {
        weir_action_kind kind;

        if (weir_action_peek(line, len, &kind) && kind >= WEIR_ACTION_ADD && kind != WEIR_ACTION_DOMAIN)
            continue;
        WEIR_GO(weir_action_load(line, len, &a, err));
        if (a.kind != WEIR_ACTION_OTHER && (a.kind < WEIR_ACTION_ADD || a.kind == WEIR_ACTION_DOMAIN))
            WEIR_GO(fn(arg, a.kind, a.body, err));
        weir_action_fini(&a);
    }
    rc = rc == WEIR_END ? WEIR_OK : rc;
out:
    weir_action_fini(&a);
    weir_lines_close(&lines);
    return rc;
}

weir_rc
weir_checkpoint_small(struct weir_store *st, const struct weir_checkpoint *cp, struct weir_quota *q,
                      weir_checkpoint_fn *fn, void *arg, struct weir_error *err)
{
    char key[WEIR_LOG_KEY];

    for (uint32_t i = 0; i < cp->parts; i++) {
        weir_rc rc;

        weir_checkpoint_key(cp, i, key);
        rc = cp->json ? small_json(st, key, q, fn, arg, err) : small_parquet(st, key, q, fn, arg, err);
        if (rc == WEIR_END)
            return WEIR_OK;
        if (rc != WEIR_OK)
            return weir_error_context(err, "%s/%s", st->path, key);
    }
    return WEIR_OK;
}

/* --- file actions --------------------------------------------------------------------------------------- */

enum { /* columns; those of removes stand as far behind as those of adds */
       F_PATH,
       F_VALUES,
       F_SIZE,
       F_DV_TYPE,
       F_DV_TEXT,
       F_DV_OFFSET,
       F_DV_SIZE,
       F_DV_CARDINALITY,
       F_ROW_ID,
       F_ROW_VERSION,
       F_COMMON,
       F_MTIME = 2 * F_COMMON,
       F_STATS,
       F_PARSED,
       F_TAGS,
       F_CLUSTERING,
       F_DELETED,
       F_EXTENDED,
       F_SIDECAR,
       F_COLUMNS
};

static const struct file_column {
    const char *path[WEIR_PARQUET_DEPTH];
    const struct weir_type *type;
    unsigned what; /* which asks for it; 0: always */
} file_columns[F_COLUMNS] = {
#define COMMON(at, action, bit)                                                                              \
    [at + F_PATH] = {{action, "path"}, &weir_type_string, bit},                                              \
          [at + F_VALUES] = {{action, "partitionValues"}, &type_map, bit},                                   \
          [at + F_SIZE] = {{action, "size"}, &weir_type_long, bit},                                          \
          [at + F_DV_TYPE] = {{action, "deletionVector", "storageType"}, &weir_type_string, bit},            \
          [at + F_DV_TEXT] = {{action, "deletionVector", "pathOrInlineDv"}, &weir_type_string, bit},         \
          [at + F_DV_OFFSET] = {{action, "deletionVector", "offset"}, &weir_type_long, bit},                 \
          [at + F_DV_SIZE] = {{action, "deletionVector", "sizeInBytes"}, &weir_type_long, bit},              \
          [at + F_DV_CARDINALITY] = {{action, "deletionVector", "cardinality"}, &weir_type_long, bit},       \
          [at + F_ROW_ID] = {{action, "baseRowId"}, &weir_type_long, bit != 0 ? bit : WEIR_FILE_REST},       \
          [at + F_ROW_VERSION] = {                                                                           \
              {action, "defaultRowCommitVersion"}, &weir_type_long, bit != 0 ? bit : WEIR_FILE_REST}
    COMMON(0, "add", 0),
    COMMON(F_COMMON, "remove", WEIR_FILE_REMOVES),
#undef COMMON
    [F_MTIME] = {{"add", "modificationTime"}, &weir_type_long, 0},
    [F_STATS] = {{"add", "stats"}, &weir_type_string, WEIR_FILE_STATS},
    [F_PARSED] = {{"add", "stats_parsed"}, &weir_type_string, WEIR_FILE_STATS},
    [F_TAGS] = {{"add", "tags"}, &type_map, WEIR_FILE_REST},
    [F_CLUSTERING] = {{"add", "clusteringProvider"}, &weir_type_string, WEIR_FILE_REST},
    [F_DELETED] = {{"remove", "deletionTimestamp"}, &weir_type_long, WEIR_FILE_REMOVES},
    [F_EXTENDED] = {{"remove", "extendedFileMetadata"}, &weir_type_boolean, WEIR_FILE_REMOVES},
    [F_SIDECAR] = {{"sidecar", "path"}, &weir_type_string, 0},
};

struct weir_checkpoint_files {
    struct weir_store *st;
    struct weir_quota *q;
    struct weir_checkpoint cp;
    unsigned what;
    struct weir_parquet_want wants[F_COLUMNS];
    int at[F_COLUMNS]; /* the page's column; -1: not asked for */
    uint32_t nwants;
    uint32_t object;                /* the next one: parts of the checkpoint, then sidecars */
    struct weir_buf sidecars;       /* their keys, NUL-terminated */
    size_t sidecar;                 /* the next one's place */
    char key[1024];                 /* of the object being read */
    struct weir_parquet_rows *rows; /* or: */
    struct weir_lines lines;
    bool reading_lines;
    const struct weir_page *page;
    uint32_t row;
    struct weir_mem *mem; /* of the action given out */
};

static void
files_wants(struct weir_checkpoint_files *cf)
{
    for (int i = 0; i < F_COLUMNS; i++) {
        cf->at[i] = -1;
        if (file_columns[i].what != 0 && (file_columns[i].what & cf->what) == 0)
            continue;
        cf->at[i] = (int)cf->nwants;
        memcpy(cf->wants[cf->nwants].path, file_columns[i].path, sizeof(file_columns[i].path));
        cf->wants[cf->nwants].type = file_columns[i].type;
        cf->wants[cf->nwants].json = i == F_PARSED;
        cf->wants[cf->nwants].unless = i == F_PARSED ? (uint32_t)cf->at[F_STATS] + 1 : 0;
        cf->nwants++;
    }
}

weir_rc
weir_checkpoint_files_open(struct weir_store *st, const struct weir_checkpoint *cp, unsigned what,
                           struct weir_quota *q, struct weir_checkpoint_files **out, struct weir_error *err)
{
    struct weir_checkpoint_files *cf = weir_heap_alloc(q, sizeof(*cf));

    if (cf == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory to read a checkpoint");
    *cf = (struct weir_checkpoint_files){.st = st, .q = q, .cp = *cp, .what = what};
    weir_buf_init(&cf->sidecars, WEIR_ACTION_MAX, q);
    cf->mem = weir_mem_new(NULL, q, "checkpoint");
    *out = cf;
    if (cf->mem == NULL) {
        weir_checkpoint_files_close(cf);
        return weir_fail(err, WEIR_NOMEM, "no memory to read a checkpoint");
    }
    files_wants(cf);
    return WEIR_OK;
}

static void
files_close_object(struct weir_checkpoint_files *cf)
{
    weir_parquet_close(cf->rows);
    cf->rows = NULL;
    cf->page = NULL;
    if (cf->reading_lines)
        weir_lines_close(&cf->lines);
    cf->reading_lines = false;
}

void
weir_checkpoint_files_close(struct weir_checkpoint_files *cf)
{
    if (cf == NULL)
        return;
    files_close_object(cf);
    weir_buf_fini(&cf->sidecars);
    weir_mem_free(cf->mem);
    weir_heap_free(cf->q, cf, sizeof(*cf));
}

/* A sidecar is named by its file alone, URI-encoded, or by a path from the table's root. */
static weir_rc
files_sidecar(struct weir_checkpoint_files *cf, const char *path, size_t len, struct weir_error *err)
{
    size_t start = cf->sidecars.len;

    if (memchr(path, ':', len) != NULL || (len > 0 && path[0] == '/'))
        return weir_fail(err, WEIR_UNSUPPORTED, "sidecar %.*s stands outside of the table",
                         (int)(len < 200 ? len : 200), path);
    if (memchr(path, '/', len) == NULL)
        weir_buf_str(&cf->sidecars, SIDECAR_FOLDER);
    if (!weir_uri_decode(path, len, &cf->sidecars))
        return weir_fail(err, WEIR_CORRUPT, "sidecar %.*s is no path", (int)(len < 200 ? len : 200), path);
    weir_buf_byte(&cf->sidecars, '\0');
    WEIR_TRY(weir_buf_check(&cf->sidecars, err));
    if (cf->sidecars.len - start > sizeof(cf->key))
        return weir_fail(err, WEIR_CORRUPT, "a sidecar's name is too long");
    return WEIR_OK;
}

/* Opens the next object; END behind the last. */
static weir_rc
files_open_object(struct weir_checkpoint_files *cf, struct weir_error *err)
{
    char key[WEIR_LOG_KEY];

    files_close_object(cf);
    if (cf->object < cf->cp.parts) {
        weir_checkpoint_key(&cf->cp, cf->object++, key);
        snprintf(cf->key, sizeof(cf->key), "%s", key);
        if (cf->cp.json) {
            WEIR_TRY(weir_lines_open(&cf->lines, cf->st, cf->key, WEIR_ACTION_MAX, cf->q, err));
            cf->reading_lines = true;
            return WEIR_OK;
        }
    } else if (cf->sidecar < cf->sidecars.len) {
        snprintf(cf->key, sizeof(cf->key), "%s", cf->sidecars.data + cf->sidecar);
        cf->sidecar += strlen(cf->sidecars.data + cf->sidecar) + 1;
    } else {
        return WEIR_END;
    }
    return weir_parquet_open(cf->st, cf->key, cf->wants, cf->nwants, true, cf->q, &cf->rows, err);
}

/* --- one row -------------------------------------------------------------------------------------------- */

static const struct weir_col *
row_col(const struct weir_checkpoint_files *cf, int column)
{
    const struct weir_col *col = cf->at[column] >= 0 ? &cf->page->cols[cf->at[column]] : NULL;

    return col != NULL && !weir_col_is_null(col, cf->row) ? col : NULL;
}

static int64_t
row_long(const struct weir_checkpoint_files *cf, int column, int64_t dflt)
{
    const struct weir_col *col = row_col(cf, column);

    return col != NULL ? ((const int64_t *)col->data)[cf->row] : dflt;
}

static weir_rc
text_copy(struct weir_mem *mem, const struct weir_str *s, const char **out, struct weir_error *err)
{
    *out = weir_mem_strndup(mem, weir_str_ptr(s), s->len);
    return *out != NULL ? WEIR_OK : weir_mem_fail(mem, s->len, err);
}

static weir_rc
row_text(const struct weir_checkpoint_files *cf, int column, const char **out, struct weir_error *err)
{
    const struct weir_col *col = row_col(cf, column);

    *out = NULL;
    return col == NULL ? WEIR_OK
                       : text_copy(cf->mem, &((const struct weir_str *)col->data)[cf->row], out, err);
}

static weir_rc
row_pairs(const struct weir_checkpoint_files *cf, int column, const struct weir_pair **out, uint32_t *n,
          struct weir_error *err)
{
    const struct weir_col *col = row_col(cf, column), *kid;
    const struct weir_list *l;
    struct weir_pair *pairs;
    weir_rc rc = WEIR_OK;

    *out = NULL;
    *n = 0;
    if (col == NULL)
        return WEIR_OK;
    l = &((const struct weir_list *)col->data)[cf->row];
    kid = &col->kids[0];
    WEIR_NEW(pairs, cf->mem, (size_t)l->n * sizeof(*pairs));
    for (uint64_t i = 0; i < l->n; i++) {
        uint32_t at = (uint32_t)(l->at + i);

        WEIR_TRY(text_copy(cf->mem, &((const struct weir_str *)kid->kids[0].data)[at], &pairs[i].key, err));
        if (!weir_col_is_null(&kid->kids[1], at))
            WEIR_TRY(
                text_copy(cf->mem, &((const struct weir_str *)kid->kids[1].data)[at], &pairs[i].value, err));
    }
    *out = pairs;
    *n = (uint32_t)l->n;
out:
    return rc;
}

static weir_rc
row_dv(const struct weir_checkpoint_files *cf, int base, struct weir_dv_ref *out, struct weir_error *err)
{
    const char *type;

    *out = (struct weir_dv_ref){.offset = -1};
    WEIR_TRY(row_text(cf, base + F_DV_TYPE, &type, err));
    WEIR_TRY(row_text(cf, base + F_DV_TEXT, &out->text, err));
    if (type == NULL && out->text == NULL)
        return WEIR_OK;
    if (type == NULL || type[0] == '\0' || type[1] != '\0' || out->text == NULL)
        return weir_fail(err, WEIR_CORRUPT, "a deletion vector without storageType or pathOrInlineDv");
    out->type = type[0];
    out->offset = row_long(cf, base + F_DV_OFFSET, -1);
    out->size = row_long(cf, base + F_DV_SIZE, 0);
    out->cardinality = row_long(cf, base + F_DV_CARDINALITY, 0);
    return WEIR_OK;
}

/* The file action in this row. */
static weir_rc
row_file(const struct weir_checkpoint_files *cf, bool remove, struct weir_file *out, struct weir_error *err)
{
    int base = remove ? F_COMMON : 0;
    const struct weir_col *extended = row_col(cf, F_EXTENDED);

    *out = (struct weir_file){.remove = remove};
    WEIR_TRY(row_text(cf, base + F_PATH, &out->path, err));
    WEIR_TRY(row_pairs(cf, base + F_VALUES, &out->values, &out->nvalues, err));
    WEIR_TRY(row_dv(cf, base, &out->dv, err));
    out->size = row_long(cf, base + F_SIZE, remove ? -1 : 0);
    out->base_row_id = row_long(cf, base + F_ROW_ID, INT64_MIN);
    out->row_commit_version = row_long(cf, base + F_ROW_VERSION, INT64_MIN);
    if (remove) {
        out->deleted_ms = row_long(cf, F_DELETED, 0);
        out->extended = extended != NULL && ((const uint8_t *)extended->data)[cf->row];
        return WEIR_OK;
    }
    out->mtime_ms = row_long(cf, F_MTIME, 0);
    WEIR_TRY(row_text(cf, F_STATS, &out->stats, err));
    if (out->stats == NULL)
        WEIR_TRY(row_text(cf, F_PARSED, &out->stats, err));
    WEIR_TRY(row_pairs(cf, F_TAGS, &out->tags, &out->ntags, err));
    return row_text(cf, F_CLUSTERING, &out->clustering, err);
}

/* The next of the page; END: it is used up. */
static weir_rc
files_row(struct weir_checkpoint_files *cf, struct weir_file *out, struct weir_error *err)
{
    for (; cf->row < cf->page->rows; cf->row++) {
        const struct weir_col *sidecar = row_col(cf, F_SIDECAR);
        bool add = row_col(cf, F_PATH) != NULL;

        if (sidecar != NULL) {
            const struct weir_str *s = &((const struct weir_str *)sidecar->data)[cf->row];

            WEIR_TRY(files_sidecar(cf, weir_str_ptr(s), s->len, err));
        }
        if (add || row_col(cf, F_COMMON + F_PATH) != NULL) {
            WEIR_TRY(row_file(cf, !add, out, err));
            cf->row++;
            return WEIR_OK;
        }
    }
    return WEIR_END;
}

/* The next of a JSON top file; END. */
static weir_rc
files_line(struct weir_checkpoint_files *cf, struct weir_file *out, struct weir_error *err)
{
    const char *line, *path;
    size_t len;
    weir_rc rc;

    while ((rc = weir_lines_next(&cf->lines, &line, &len, err)) == WEIR_OK) {
        struct weir_action a = {0};
        bool found = false;

        WEIR_TRY(weir_action_load(line, len, &a, err));
        if (a.kind == WEIR_ACTION_SIDECAR) {
            rc = weir_json_get_str(a.body, "path", &path, err);
            if (rc == WEIR_OK)
                rc = path != NULL ? files_sidecar(cf, path, strlen(path), err)
                                  : weir_fail(err, WEIR_CORRUPT, "a sidecar without a path");
        } else if (a.kind == WEIR_ACTION_ADD ||
                   (a.kind == WEIR_ACTION_REMOVE && (cf->what & WEIR_FILE_REMOVES))) {
            found = true;
            rc = weir_file_read(a.body, a.kind == WEIR_ACTION_REMOVE, cf->mem, out, err);
        }
        weir_action_fini(&a);
        if (rc != WEIR_OK || found)
            return rc;
    }
    return rc;
}

weir_rc
weir_checkpoint_files_next(struct weir_checkpoint_files *cf, struct weir_file *out, struct weir_error *err)
{
    weir_rc rc = WEIR_END;

    weir_mem_reset(cf->mem);
    for (;;) {
        if (cf->page != NULL)
            rc = files_row(cf, out, err);
        else if (cf->reading_lines)
            rc = files_line(cf, out, err);
        if (rc == WEIR_OK)
            return rc;
        if (rc == WEIR_END && cf->rows != NULL) {
            rc = weir_parquet_next(cf->rows, &cf->page, err);
            cf->row = 0;
            if (rc == WEIR_OK)
                continue;
        }
        if (rc == WEIR_END) {
            WEIR_TRY(files_open_object(cf, err));
            continue;
        }
        return weir_error_context(err, "%s/%s", cf->st->path, cf->key);
    }
}

/* --- a look in advance ---------------------------------------------------------------------------------- */

struct check { /* what a checkpoint cannot be without */
    bool protocol, metadata;
};

static weir_rc
check_small(void *arg, weir_action_kind kind, const json_t *body, struct weir_error *err)
{
    struct check *c = arg;

    (void)body;
    (void)err;
    c->protocol = c->protocol || kind == WEIR_ACTION_PROTOCOL;
    c->metadata = c->metadata || kind == WEIR_ACTION_METADATA;
    return c->protocol && c->metadata ? WEIR_END : WEIR_OK;
}

/* The rows are what costs, so of them only the column is read that is null in nearly all. */
static weir_rc
check_objects(struct weir_store *st, const struct weir_checkpoint *cp, struct weir_quota *q,
              struct weir_error *err)
{
    static const struct weir_parquet_want sidecar = {{"sidecar", "path"}, &weir_type_string, false, 0};
    struct weir_checkpoint_files *cf;
    struct weir_file ignored;
    weir_rc rc;

    WEIR_TRY(weir_checkpoint_files_open(st, cp, 0, q, &cf, err));
    cf->wants[0] = sidecar;
    for (int i = 0; i < F_COLUMNS; i++)
        cf->at[i] = i == F_SIDECAR ? 0 : -1;
    cf->nwants = 1;
    do
        rc = weir_checkpoint_files_next(cf, &ignored, err);
    while (rc == WEIR_OK);
    weir_checkpoint_files_close(cf);
    return rc == WEIR_END ? WEIR_OK : rc;
}

weir_rc
weir_checkpoint_check(struct weir_store *st, const struct weir_checkpoint *cp, struct weir_quota *q,
                      struct weir_error *err)
{
    struct check c = {false, false};

    WEIR_TRY(check_objects(st, cp, q, err));
    WEIR_TRY(weir_checkpoint_small(st, cp, q, check_small, &c, err));
    if (c.protocol && c.metadata)
        return WEIR_OK;
    return weir_fail(err, WEIR_CORRUPT, "holds no %s", c.protocol ? "metaData" : "protocol");
}

weir_rc
weir_checkpoint_range(struct weir_store *st, int64_t version, struct weir_quota *q,
                      struct weir_log_range *out, struct weir_error *err)
{
    struct weir_log_ask ask = {.version = version, .below = INT64_MAX};
    struct weir_error first = {0};

    for (;;) {
        weir_rc rc = weir_log_find(st, &ask, out, err);

        if (rc != WEIR_OK && first.rc != WEIR_OK) {
            *err = first;
            err->rc = WEIR_CORRUPT;
            return weir_error_hint(
                err, "bring the file back from a copy: the commits that it stands for are gone");
        }
        WEIR_TRY(rc);
        if (out->checkpoint.version < 0)
            return WEIR_OK;
        rc = weir_checkpoint_check(st, &out->checkpoint, q, err);
        if (rc != WEIR_CORRUPT && rc != WEIR_NOTFOUND)
            return rc;
        weir_warn("%s: checkpoint %" PRId64 " cannot be used (%s); what stands before it is read instead",
                  st->path, out->checkpoint.version, err->what);
        if (first.rc == WEIR_OK)
            first = *err;
        weir_error_clear(err);
        ask.below = out->checkpoint.version;
    }
}
