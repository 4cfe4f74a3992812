/* Delta tables as relations. table/scan.h.
 *
 * 1. What is read is decided once, here: the snapshot, its files, their deletion vectors. The query then sees
 *    only that, whatever others commit meanwhile.
 * 2. Every data file and deletion vector that the log names is looked for first: a missing one is said with
 *    its name, and nothing is read.
 * 3. Columns of type void are left out at any depth; in lists and maps, where Spark cannot either, they are
 *    refused.
 * 4. With mapping by id, top columns are found by their field id; what is nested below by its physical name.
 * Threads: scan_look() only reads. */
#include "table/scan.h"

#include <inttypes.h>

#include "base/limits.h"
#include "base/str.h"
#include "delta/dv.h"
#include "delta/feature.h"
#include "delta/files.h"
#include "delta/travel.h"
#include "delta/widening.h"
#include "table/scan_int.h"

#define SCAN_TEXT_MAX (256 * WEIR_MIB)

/* --- the table ------------------------------------------------------------------------------------------ */

/* A type without void, NULL when nothing is left. Logical and physical types are cut in the same places. */
static weir_rc
without_void(const struct weir_type *type, bool in_list, struct weir_mem *mem, const struct weir_type **out,
             struct weir_error *err)
{
    bool list = type->kind == WEIR_ARRAY || type->kind == WEIR_MAP;
    struct weir_field *fields;
    struct weir_type *cut;
    uint32_t n = 0;
    weir_rc rc = WEIR_OK;

    *out = type;
    if (type->kind == WEIR_VOID && in_list)
        return weir_fail(err, WEIR_UNSUPPORTED, "void in a list or map");
    if (type->kind == WEIR_VOID)
        *out = NULL;
    if (type->nfields == 0 || type->kind == WEIR_VARIANT)
        return WEIR_OK;
    WEIR_NEW(fields, mem, type->nfields * sizeof(*fields));
    for (uint32_t i = 0; i < type->nfields; i++) {
        fields[n] = type->fields[i];
        WEIR_TRY(without_void(type->fields[i].type, list, mem, &fields[n].type, err));
        n += fields[n].type != NULL;
    }
    if (n == 0) {
        *out = NULL;
        return WEIR_OK;
    }
    WEIR_NEW(cut, mem, sizeof(*cut));
    *cut = *type;
    cut->fields = fields;
    cut->nfields = n;
    *out = cut;
out:
    return rc;
}

static weir_rc
table_version(const struct weir_table_ask *ask, struct weir_store *st, struct weir_quota *q, int64_t *version,
              struct weir_error *err)
{
    int64_t us;

    *version = ask->version;
    if (ask->timestamp == NULL)
        return WEIR_OK;
    if (!weir_timestamp_parse(ask->timestamp, strlen(ask->timestamp),
                              ask->zone != NULL ? ask->zone : &weir_zone_utc, &us))
        return weir_fail(err, WEIR_USAGE, "%s is no timestamp", ask->timestamp);
    return weir_travel(st, us / 1000 - (us % 1000 < 0), q, version, err);
}

/* A shredded variant stands in columns of its own, and its value is null: that would be a wrong answer. */
static weir_rc
table_variants(const struct weir_protocol *p, const struct weir_type *schema, struct weir_error *err)
{
    for (uint32_t i = 0; i < p->nreader_features; i++) {
        if (weir_str_starts(p->reader_features[i], "variantShredding") &&
            weir_feature_uses(schema, WEIR_VARIANT))
            return weir_fail(err, WEIR_UNSUPPORTED,
                             "the table needs reader feature %s: its variants may be shredded",
                             p->reader_features[i]);
    }
    return WEIR_OK;
}

weir_rc
weir_table_open(const struct weir_table_ask *ask, struct weir_quota *q, struct weir_table **out,
                struct weir_error *err)
{
    struct weir_mem *mem = weir_mem_new(NULL, q, "table");
    struct weir_table *t = mem != NULL ? weir_mem_zalloc(mem, sizeof(*t)) : NULL;
    int64_t version;
    weir_rc rc;

    *out = NULL;
    if (t == NULL) {
        weir_mem_free(mem);
        return weir_fail(err, WEIR_NOMEM, "no memory for a table");
    }
    *t = (struct weir_table){.mem = mem, .quota = q};
    WEIR_GO(weir_store_open(ask->path, mem, &t->st, err));
    WEIR_GO(table_version(ask, t->st, q, &version, err));
    WEIR_GO(weir_snapshot_at(t->st, version, q, &t->snap, err));
    WEIR_GO(weir_feature_check_read(&t->snap->protocol, err));
    WEIR_GO(weir_widening_check(t->snap->meta.schema, err));
    WEIR_GO(table_variants(&t->snap->protocol, t->snap->meta.schema, err));
    WEIR_GO(without_void(t->snap->meta.schema, false, mem, &t->schema, err));
    if (t->schema == NULL)
        WEIR_GO(weir_fail(err, WEIR_UNSUPPORTED, "a table without any column that has a type"));
    *out = t;
out:
    if (rc == WEIR_OK)
        return rc;
    if (rc == WEIR_NOTFOUND && strstr(err->what, "holds no Delta table") != NULL)
        weir_error_hint(err, "name a table's folder: the one that holds _delta_log");
    if (t->st == NULL || strstr(err->what, t->st->path) == NULL)
        weir_error_context(err, "%s", ask->path);
    weir_table_close(t);
    return rc;
}

void
weir_table_close(struct weir_table *t)
{
    if (t == NULL)
        return;
    weir_snapshot_free(t->snap);
    weir_store_close(t->st);
    weir_mem_free(t->mem);
}

/* --- deletion vectors ----------------------------------------------------------------------------------- */

struct scan_vectors { /* by the number of the file */
    struct weir_alive alive;
    struct weir_dv **at;
    size_t cap, n; /* n: one behind the last file that has one */
    struct weir_quota *q;
};

static void
scan_look(void *self, const int64_t *files, const int64_t *rows, uint32_t n, uint8_t *alive)
{
    const struct scan_vectors *v = self;

    for (uint32_t i = 0; i < n; i++) {
        const struct weir_dv *dv = files[i] >= 0 && (size_t)files[i] < v->n ? v->at[files[i]] : NULL;

        alive[i] = dv == NULL || !weir_dv_has(dv, (uint64_t)rows[i]);
    }
}

static void
vectors_free(void *arg)
{
    struct scan_vectors *v = arg;

    for (size_t i = 0; i < v->n; i++)
        weir_dv_free(v->at[i]);
    weir_heap_free(v->q, v->at, v->cap * sizeof(*v->at));
}

static weir_rc
vectors_add(struct scan_vectors *v, struct weir_store *st, const struct weir_file *f, size_t file,
            struct weir_error *err)
{
    size_t cap = v->cap == 0 ? 64 : v->cap;
    struct weir_dv *dv;

    while (cap <= file)
        cap *= 2;
    if (cap > v->cap) {
        struct weir_dv **at = weir_heap_grow(v->q, v->at, v->cap * sizeof(*at), cap * sizeof(*at));

        if (at == NULL)
            return weir_fail(err, WEIR_NOMEM,
                             "no memory for a table's deletion vectors; raise weir.memoryLimit");
        memset(at + v->cap, 0, (cap - v->cap) * sizeof(*at));
        v->at = at;
        v->cap = cap;
    }
    if (weir_dv_read(st, &f->dv, v->q, &dv, err) != WEIR_OK)
        return weir_error_context(err, "deletion vector of %s", f->path);
    v->at[file] = dv;
    v->n = file + 1;
    return WEIR_OK;
}

/* --- files ---------------------------------------------------------------------------------------------- */

struct scan_build {
    const struct weir_table *table;
    struct weir_table_scan *scan;
    struct scan_vectors *vectors;
    struct scan_text text;
    struct weir_buf path, key; /* of the file at hand */
    const char **folders;
    uint32_t nfolders, cap_folders;
};

/* Whether all files below the folder may be read; else it is added. */
static weir_rc
folder_add(struct scan_build *b, const char *folder, size_t len, struct weir_error *err)
{
    weir_rc rc = WEIR_OK;

    for (uint32_t i = 0; i < b->nfolders; i++) {
        if (strlen(b->folders[i]) == len && memcmp(b->folders[i], folder, len) == 0)
            return WEIR_OK;
    }
    if (b->nfolders + 1 >= b->cap_folders) {
        uint32_t cap = b->cap_folders == 0 ? 8 : b->cap_folders * 2;
        const char **more;

        WEIR_NEW(more, b->scan->mem, cap * sizeof(*more));
        if (b->nfolders > 0)
            memcpy(more, b->folders, b->nfolders * sizeof(*more));
        b->folders = more;
        b->cap_folders = cap;
    }
    b->folders[b->nfolders] = weir_mem_strndup(b->scan->mem, folder, len);
    if (b->folders[b->nfolders++] == NULL)
        rc = weir_mem_fail(b->scan->mem, len, err);
out:
    return rc;
}

/* A file by its absolute path, as shallow clones have: must be one of this machine. */
static weir_rc
path_absolute(struct scan_build *b, const char *path, struct weir_error *err)
{
    struct weir_mem *mem = weir_mem_new(NULL, b->table->quota, "path");
    struct weir_store *st = NULL;
    struct weir_object obj;
    char *slash;
    weir_rc rc;

    if (mem == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory for a path");
    slash = strrchr(b->key.data, '/');
    if (slash == NULL || slash[1] == '\0')
        WEIR_GO(weir_fail(err, WEIR_CORRUPT, "%s is no path of a file", path));
    *slash = '\0';
    WEIR_GO(weir_store_open(slash == b->key.data ? "/" : b->key.data, mem, &st, err));
    WEIR_GO(weir_store_head(st, slash + 1, &obj, err));
    weir_buf_printf(&b->path, "%s/%s", strcmp(st->path, "/") == 0 ? "" : st->path, slash + 1);
    WEIR_GO(weir_buf_check(&b->path, err));
    rc = folder_add(b, st->path, strlen(st->path), err);
out:
    weir_store_close(st);
    weir_mem_free(mem);
    return rc;
}

static weir_rc
path_relative(struct scan_build *b, struct weir_error *err)
{
    struct weir_store *st = b->table->st;
    struct weir_object obj;
    char local[4096];

    if (st->type->local == NULL)
        return weir_fail(err, WEIR_UNSUPPORTED, "queries read tables of this machine only, for now");
    WEIR_TRY(weir_store_head(st, b->key.data, &obj, err));
    WEIR_TRY(st->type->local(st->self, b->key.data, local, sizeof(local), err));
    weir_buf_str(&b->path, local);
    return weir_buf_check(&b->path, err);
}

static bool
path_is_absolute(const char *path)
{
    const char *colon = strchr(path, ':'), *slash = strchr(path, '/');

    return path[0] == '/' || (colon != NULL && slash != NULL && colon < slash && slash == colon + 1);
}

/* The file's path on this machine into b->path; it is there. */
static weir_rc
build_path(struct scan_build *b, const char *path, struct weir_error *err)
{
    weir_rc rc;

    weir_buf_reset(&b->path);
    weir_buf_reset(&b->key);
    if (!weir_uri_decode(path, strlen(path), &b->key)) {
        weir_buf_reset(&b->key);
        weir_buf_str(&b->key, path); /* escapes that are none: it is meant as it stands */
    }
    weir_buf_byte(&b->key, '\0');
    WEIR_TRY(weir_buf_check(&b->key, err));
    if (b->key.len > 2 && b->key.data[0] == '.' && b->key.data[1] == '/')
        memmove(b->key.data, b->key.data + 2, b->key.len - 2);
    rc = path_is_absolute(b->key.data) ? path_absolute(b, path, err) : path_relative(b, err);
    if (rc == WEIR_NOTFOUND) {
        err->rc = WEIR_CORRUPT;
        weir_error_hint(
            err, "the log names this data file: it was deleted from outside, or by a VACUUM that kept too "
                 "little; take another version or bring it back");
        return err->rc;
    }
    return rc;
}

/* numRecords of the statistics; -1: not said. An estimate is all that is asked for, so the text is not
 * parsed. */
static int64_t
stats_rows(const char *stats)
{
    const char *at = stats != NULL ? strstr(stats, "\"numRecords\":") : NULL;

    return at != NULL ? strtoll(at + strlen("\"numRecords\":"), NULL, 10) : -1;
}

static weir_rc
build_file(struct scan_build *b, const struct weir_file *f, bool *rows_known, struct weir_error *err)
{
    struct weir_table_scan *scan = b->scan;
    int64_t rows = stats_rows(f->stats);

    WEIR_TRY(build_path(b, f->path, err));
    if (f->dv.type != 0)
        WEIR_TRY(vectors_add(b->vectors, b->table->st, f, scan->files, err));
    WEIR_TRY(scan_text_file(&b->text, b->path.data, f, err));
    if (b->text.nfiles == SCAN_FILES)
        scan_text_part(&b->text);
    scan->files++;
    scan->bytes += f->size > 0 ? (uint64_t)f->size : 0;
    *rows_known = *rows_known && rows >= f->dv.cardinality;
    scan->rows += *rows_known ? (uint64_t)(rows - f->dv.cardinality) : 0;
    return WEIR_OK;
}

/* --- columns -------------------------------------------------------------------------------------------- */

static bool
type_has(const struct weir_type *type, weir_kind kind)
{
    return weir_feature_uses(type, kind);
}

/* The columns that are shown, with what they are called in the files. */
static weir_rc
build_columns(struct scan_build *b, struct weir_error *err)
{
    const struct weir_table *t = b->table;
    const struct weir_metadata *meta = &t->snap->meta;
    struct weir_mem *mem = b->scan->mem;
    const struct weir_type *physical;
    struct scan_column *columns;
    weir_mapping_mode mode;
    weir_rc rc;

    WEIR_GO(weir_mapping_of(&t->snap->protocol, meta, &mode, err));
    WEIR_GO(weir_mapping_physical(meta->schema, mode, mem, &physical, err));
    WEIR_GO(without_void(physical, false, mem, &physical, err));
    WEIR_NEW(columns, mem, t->schema->nfields * sizeof(*columns));
    for (uint32_t i = 0; i < t->schema->nfields; i++) {
        const struct weir_field *f = &t->schema->fields[i];

        columns[i] = (struct scan_column){.logical = f,
                                          .physical = &physical->fields[i],
                                          .id = mode == WEIR_MAPPING_ID ? weir_mapping_id(f) : -1,
                                          .pad = f->type->kind == WEIR_STRING ? weir_mapping_char(f) : 0,
                                          .partition = weir_metadata_partition(meta, f->name)};
        if (mode == WEIR_MAPPING_ID && columns[i].id < 0)
            WEIR_GO(weir_fail(err, WEIR_CORRUPT,
                              "column %s has no field id, and the table maps its columns by id", f->name));
    }
    b->text.columns = columns;
    b->text.ncolumns = t->schema->nfields;
    b->text.text_is_binary = type_has(t->schema, WEIR_BINARY) || type_has(t->schema, WEIR_VARIANT);
out:
    return rc;
}

static weir_rc
build_values(struct scan_build *b, struct weir_error *err)
{
    const struct weir_table *t = b->table;
    weir_rc rc = WEIR_OK;

    WEIR_NEW(b->text.values, b->scan->mem, (t->snap->meta.npartitions + 1) * sizeof(*b->text.values));
    b->text.nvalues = t->snap->meta.npartitions;
    for (uint32_t i = 0; i < b->text.nvalues; i++)
        weir_buf_init(&b->text.values[i].list, SCAN_TEXT_MAX, t->quota);
    for (uint32_t i = 0; i < b->text.ncolumns; i++) {
        const struct scan_column *c = &b->text.columns[i];
        const struct weir_type *one;

        if (c->partition < 0)
            continue;
        one = weir_type_struct(b->scan->mem, c->logical, 1);
        if (one == NULL)
            WEIR_GO(weir_mem_fail(b->scan->mem, sizeof(*one), err));
        WEIR_GO(weir_page_new(one, t->quota, &b->text.values[c->partition].slot, err));
    }
out:
    return rc;
}

/* --- a scan --------------------------------------------------------------------------------------------- */

static weir_rc
build_files(struct scan_build *b, const struct weir_pred *pred, struct weir_error *err)
{
    const struct weir_table *t = b->table;
    struct weir_live_ask ask = {.what = WEIR_FILE_STATS};
    struct weir_live *files = NULL;
    struct weir_prune *prune = NULL;
    struct weir_file f;
    bool known = true;
    weir_rc rc;

    if (pred != NULL)
        WEIR_GO(weir_prune_new(t->snap, pred, b->scan->mem, &prune, err));
    ask.prune = prune;
    WEIR_GO(weir_live_open(t->st, t->snap, &ask, t->quota, &files, err));
    while ((rc = weir_live_next(files, &f, err)) == WEIR_OK)
        WEIR_GO(build_file(b, &f, &known, err));
    if (rc != WEIR_END)
        goto out;
    rc = WEIR_OK;
    b->scan->pruned = weir_live_pruned(files);
    if (!known)
        b->scan->rows = 0;
out:
    weir_live_close(files);
    return rc;
}

/* The text and what goes with it, out of the build. */
static weir_rc
build_finish(struct scan_build *b, struct weir_error *err)
{
    struct weir_table_scan *scan = b->scan;

    scan_text_part(&b->text);
    if (scan->files == 0)
        scan_text_none(&b->text);
    WEIR_TRY(weir_buf_check(&b->text.sql, err));
    scan->select = weir_mem_strndup(scan->mem, b->text.sql.data, b->text.sql.len);
    if (scan->select == NULL)
        return weir_mem_fail(scan->mem, b->text.sql.len, err);
    scan->folders = b->folders;
    scan->alive = b->vectors->n > 0 ? &b->vectors->alive : NULL;
    return WEIR_OK;
}

static void
build_fini(struct scan_build *b)
{
    for (uint32_t i = 0; i < b->text.nvalues; i++) {
        weir_buf_fini(&b->text.values[i].list);
        weir_page_free(b->text.values[i].slot);
    }
    weir_buf_fini(&b->text.files);
    weir_buf_fini(&b->text.sql);
    weir_buf_fini(&b->path);
    weir_buf_fini(&b->key);
}

static weir_rc
scan_build(struct scan_build *b, const struct weir_table_scan_ask *ask, struct weir_error *err)
{
    const struct weir_table *t = b->table;
    weir_rc rc;

    WEIR_ASSERT(ask->name[0] == 'r');
    b->text = (struct scan_text){
        .table = t, .zone = ask->zone != NULL ? ask->zone : &weir_zone_utc, .number = ask->name + 1};
    weir_buf_init(&b->text.files, SCAN_TEXT_MAX, t->quota);
    weir_buf_init(&b->text.sql, SCAN_TEXT_MAX, t->quota);
    weir_buf_init(&b->path, WEIR_SMALL_MAX, t->quota);
    weir_buf_init(&b->key, WEIR_SMALL_MAX, t->quota);
    WEIR_NEW(b->vectors, b->scan->mem, sizeof(*b->vectors));
    *b->vectors = (struct scan_vectors){.q = t->quota};
    b->vectors->alive = (struct weir_alive){b->vectors, scan_look};
    if (!weir_mem_on_free(b->scan->mem, vectors_free, b->vectors))
        WEIR_GO(weir_fail(err, WEIR_NOMEM, "no memory for a scan"));
    WEIR_GO(folder_add(b, t->st->path, strlen(t->st->path), err));
    WEIR_GO(build_columns(b, err));
    WEIR_GO(build_values(b, err));
    WEIR_GO(build_files(b, ask->pred, err));
    rc = build_finish(b, err);
out:
    build_fini(b);
    return rc;
}

weir_rc
weir_table_scan(const struct weir_table *table, const struct weir_table_scan_ask *ask,
                struct weir_table_scan **out, struct weir_error *err)
{
    struct weir_mem *mem = weir_mem_new(NULL, table->quota, "scan");
    struct weir_table_scan *scan = mem != NULL ? weir_mem_zalloc(mem, sizeof(*scan)) : NULL;
    struct scan_build b = {.table = table, .scan = scan};

    *out = NULL;
    if (scan == NULL) {
        weir_mem_free(mem);
        return weir_fail(err, WEIR_NOMEM, "no memory for a scan");
    }
    scan->mem = mem;
    if (scan_build(&b, ask, err) != WEIR_OK) {
        weir_mem_free(mem);
        return weir_error_context(err, "%s", table->st->path);
    }
    *out = scan;
    return WEIR_OK;
}

void
weir_table_scan_free(struct weir_table_scan *scan)
{
    if (scan != NULL)
        weir_mem_free(scan->mem);
}
