/* weir table: what a Delta table is and how it became so, from its log. Writes nothing.
 *
 * show: version, protocol, properties, files, rows and bounds by statistics, the schema as a tree.
 * describe: its columns, with types as DDL spells them and comments; reads no list of files.
 * history: the newest commits, one a line. All also as JSON, one object a line. */
#include "cli/command.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/time.h"
#include "cli/print.h"
#include "delta/feature.h"
#include "delta/summary.h"
#include "pipeline/place.h"

#define TABLE_TEXT_MAX (16 * WEIR_MIB)

/* The table that a word of the command line names. */
static weir_rc
table_open(struct weir_cli *cli, const char *word, struct weir_store **out, struct weir_error *err)
{
    char dir[4096];
    const char *path;

    if (getcwd(dir, sizeof(dir)) == NULL)
        return weir_fail(err, WEIR_IO, "the current folder has no path");
    WEIR_TRY(weir_place_absolute(word, dir, cli->mem, &path, err));
    return weir_store_open(path, cli->mem, out, err);
}

/* What a person who named no table should hear: whether anything is there, and what a table's folder is. It is a slip
 * on the command line, not a table that went wrong. */
static weir_rc
table_missing(struct weir_store *st, weir_rc rc, struct weir_error *err)
{
    struct weir_object at;
    struct weir_error ignored = {0};

    if (rc != WEIR_NOTFOUND)
        return rc;
    if (weir_store_root(st, &at, &ignored) == WEIR_NOTFOUND)
        weir_fail(err, WEIR_USAGE, "%s is not there", st->path);
    err->rc = WEIR_USAGE;
    if (strstr(err->what, " has no version ") != NULL)
        return weir_error_hint(err, "weir table history lists its versions");
    return weir_error_hint(err, "name a table's folder: the one that holds _delta_log");
}

static void
json_key(struct weir_buf *buf, const char *key, bool first)
{
    weir_buf_printf(buf, "%s\"%s\":", first ? "" : ",", key);
}

static void
json_text(struct weir_buf *buf, const char *key, const char *text, bool first)
{
    json_key(buf, key, first);
    if (text != NULL)
        weir_buf_json(buf, text, strlen(text));
    else
        weir_buf_str(buf, "null");
}

static void
json_count(struct weir_buf *buf, const char *key, int64_t n)
{
    json_key(buf, key, false);
    weir_buf_printf(buf, "%" PRId64, n);
}

static void
json_texts(struct weir_buf *buf, const char *key, const char *const *texts, uint32_t n)
{
    json_key(buf, key, false);
    weir_buf_byte(buf, '[');
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0)
            weir_buf_byte(buf, ',');
        weir_buf_json(buf, texts[i], strlen(texts[i]));
    }
    weir_buf_byte(buf, ']');
}

/* --- show -------------------------------------------------------------------------------------------------------- */

static void
row(struct weir_buf *buf, const char *name)
{
    weir_buf_printf(buf, "  %-12s ", name);
}

static void
list(struct weir_buf *buf, const char *name, const char *const *texts, uint32_t n)
{
    if (n == 0)
        return;
    row(buf, name);
    for (uint32_t i = 0; i < n; i++)
        weir_buf_printf(buf, "%s%s", i > 0 ? ", " : "", texts[i]);
    weir_buf_byte(buf, '\n');
}

static const struct weir_summary_column *
column_bounds(const struct weir_summary *s, const struct weir_field *f)
{
    for (uint32_t i = 0; i < s->ncolumns; i++) {
        if (strcmp(s->columns[i].name, f->name) == 0)
            return &s->columns[i];
    }
    return NULL;
}

static void
type_name(const struct weir_type *type, struct weir_buf *buf)
{
    weir_buf_reset(buf);
    if (type->kind == WEIR_STRUCT || type->kind == WEIR_ARRAY || type->kind == WEIR_MAP)
        weir_buf_str(buf, weir_kind_name(type->kind)); /* what is in it follows below */
    else
        weir_type_print_simple(type, buf);
    weir_buf_byte(buf, '\0');
}

/* One field and those below it. */
static void
tree_field(struct weir_grid *grid, const struct weir_summary *s, const struct weir_field *f, unsigned depth,
           struct weir_buf *text)
{
    const struct weir_summary_column *b = depth == 0 ? column_bounds(s, f) : NULL;
    const struct weir_type *type = f->type->kind == WEIR_MAP ? f->type->fields[0].type : f->type;
    bool partition = depth == 0 && weir_metadata_partition(&s->snap->meta, f->name) >= 0;

    type_name(f->type, text);
    weir_grid_cell(grid, "%*s%s", (int)(2 * (depth < 40 ? depth : 40)), "", f->name);
    weir_grid_cell(grid, "%s", text->failed ? "?" : text->data);
    weir_grid_cell(grid, "%s", f->nullable ? "" : "not null");
    weir_grid_cell(grid, "%s", b != NULL && b->any && !b->partial ? b->min : "");
    weir_grid_cell(grid, "%s", b != NULL && b->any && !b->partial ? b->max : "");
    weir_grid_cell(grid, "%s", partition ? "partition column" : "");
    if (f->type->kind == WEIR_VARIANT)
        return;
    for (uint32_t i = 0; i < type->nfields; i++)
        tree_field(grid, s, &type->fields[i], depth + 1, text);
}

static weir_rc
show_schema(const struct weir_summary *s, struct weir_mem *mem, struct weir_buf *buf, struct weir_error *err)
{
    const struct weir_type *schema = s->snap->meta.schema;
    struct weir_buf text = WEIR_BUF(WEIR_SMALL_MAX);
    struct weir_grid grid;
    weir_rc rc;

    weir_grid_init(&grid, mem);
    weir_grid_column(&grid, "column", false);
    weir_grid_column(&grid, "type", false);
    weir_grid_column(&grid, "", false);
    weir_grid_column(&grid, "min", false);
    weir_grid_column(&grid, "max", false);
    weir_grid_column(&grid, "", false);
    for (uint32_t i = 0; i < schema->nfields; i++)
        tree_field(&grid, s, &schema->fields[i], 0, &text);
    weir_buf_byte(buf, '\n');
    rc = weir_grid_print(&grid, 2, buf, err);
    weir_buf_fini(&text);
    return rc;
}

/* Whether weir can append to it, and if not, why. */
static void
show_writable(const struct weir_summary *s, struct weir_buf *buf)
{
    struct weir_error why = {0};

    if (weir_feature_check_append(&s->snap->protocol, &s->snap->meta, &why) == WEIR_OK)
        return;
    row(buf, "append");
    weir_buf_printf(buf, "no: %s\n", why.what);
}

static weir_rc
show_text(const struct weir_store *st, const struct weir_summary *s, struct weir_mem *mem, struct weir_buf *buf,
          struct weir_error *err)
{
    const struct weir_metadata *meta = &s->snap->meta;
    const struct weir_protocol *p = &s->snap->protocol;
    char when[WEIR_ISO_SIZE], a[32];

    weir_buf_printf(buf, "%s\n", st->path);
    row(buf, "version");
    weir_buf_printf(buf, "%" PRId64 ", %s\n", s->snap->version,
                    weir_time_iso(s->snap->ict != INT64_MIN ? s->snap->ict : s->newest_ms, when));
    row(buf, "id");
    weir_buf_printf(buf, "%s\n", meta->id);
    if (meta->name != NULL) {
        row(buf, "name");
        weir_buf_printf(buf, "%s\n", meta->name);
    }
    if (meta->description != NULL) {
        row(buf, "comment");
        weir_buf_printf(buf, "%s\n", meta->description);
    }
    row(buf, "protocol");
    weir_buf_printf(buf, "reader %d, writer %d\n", p->reader, p->writer);
    list(buf, "features", p->writer_features, p->writer >= 7 ? p->nwriter_features : 0);
    show_writable(s, buf);
    row(buf, "files");
    weir_buf_printf(buf, "%s, ", weir_print_count(s->files, a));
    weir_buf_printf(buf, "%s\n", weir_print_bytes(s->bytes, a));
    row(buf, "rows");
    weir_buf_printf(buf, "%s by statistics", weir_print_count(s->rows, a));
    if (s->files_unknown > 0)
        weir_buf_printf(buf, ", without %s files that have none", weir_print_count(s->files_unknown, a));
    if (s->deletion_vectors > 0)
        weir_buf_printf(buf, "; %s files have deleted rows", weir_print_count(s->deletion_vectors, a));
    weir_buf_byte(buf, '\n');
    list(buf, "partitions", meta->partitions, meta->npartitions);
    for (uint32_t i = 0; i < meta->nconf; i++) {
        row(buf, i == 0 ? "properties" : "");
        weir_buf_printf(buf, "%s = %s\n", meta->conf[i].key, meta->conf[i].value != NULL ? meta->conf[i].value : "null");
    }
    return show_schema(s, mem, buf, err);
}

static void
show_json(const struct weir_store *st, const struct weir_summary *s, struct weir_buf *buf)
{
    const struct weir_metadata *meta = &s->snap->meta;
    const struct weir_protocol *p = &s->snap->protocol;
    bool first = true;

    weir_buf_byte(buf, '{');
    json_text(buf, "path", st->path, true);
    json_count(buf, "version", s->snap->version);
    json_count(buf, "timestamp", s->snap->ict != INT64_MIN ? s->snap->ict : s->newest_ms);
    json_text(buf, "id", meta->id, false);
    json_text(buf, "name", meta->name, false);
    json_text(buf, "description", meta->description, false);
    json_count(buf, "minReaderVersion", p->reader);
    json_count(buf, "minWriterVersion", p->writer);
    json_texts(buf, "readerFeatures", p->reader_features, p->nreader_features);
    json_texts(buf, "writerFeatures", p->writer_features, p->nwriter_features);
    json_count(buf, "numFiles", (int64_t)s->files);
    json_count(buf, "sizeInBytes", (int64_t)s->bytes);
    json_count(buf, "numRecords", (int64_t)s->rows);
    json_count(buf, "numFilesWithoutRecords", (int64_t)s->files_unknown);
    json_count(buf, "numDeletionVectors", (int64_t)s->deletion_vectors);
    json_texts(buf, "partitionColumns", meta->partitions, meta->npartitions);
    json_key(buf, "properties", false);
    weir_buf_byte(buf, '{');
    for (uint32_t i = 0; i < meta->nconf; i++) {
        if (!first)
            weir_buf_byte(buf, ',');
        first = false;
        weir_buf_json(buf, meta->conf[i].key, strlen(meta->conf[i].key));
        weir_buf_byte(buf, ':');
        if (meta->conf[i].value != NULL)
            weir_buf_json(buf, meta->conf[i].value, strlen(meta->conf[i].value));
        else
            weir_buf_str(buf, "null");
    }
    weir_buf_str(buf, "},\"schema\":");
    weir_type_print_json(meta->schema, buf);
    weir_buf_str(buf, "}\n");
}

static const char table_about_show[] =
    "What a table is: version, protocol, files, rows and bounds by the files' statistics, and its schema.\n"
    "Reads the log, no data file.";

static weir_rc
table_show(struct weir_cli *cli, int argc, char **argv, struct weir_error *err)
{
    const char *format = "table";
    int64_t version = -1;
    const struct weir_flag flags[] = {
        {"--version", "N", "as it was at this version", NULL, NULL, &version},
        {"--format", "table|json", "for people, or one JSON object", NULL, &format, NULL},
        WEIR_FLAG_END,
    };
    const struct weir_usage usage = {"weir table show", "PATH", table_about_show, flags, 1, 1, NULL};
    struct weir_buf buf = {.max = TABLE_TEXT_MAX, .q = cli->quota};
    struct weir_summary s = {0};
    struct weir_store *st = NULL;
    char **words;
    unsigned n;
    weir_rc rc;

    WEIR_TRY(weir_cli_parse(&usage, argc, argv, &words, &n, err));
    WEIR_GO(table_open(cli, words[0], &st, err));
    WEIR_GO(table_missing(st, weir_summary_read(st, version, cli->quota, &s, err), err));
    if (strcmp(format, "json") == 0)
        show_json(st, &s, &buf);
    else
        WEIR_GO(show_text(st, &s, cli->mem, &buf, err));
    WEIR_GO(weir_buf_check(&buf, err));
    rc = weir_cli_out(buf.data, buf.len, err);
out:
    weir_buf_fini(&buf);
    weir_summary_fini(&s);
    weir_store_close(st);
    return rc;
}

/* --- describe ----------------------------------------------------------------------------------------------------- */

/* A field's comment; NULL: none. The document is freed by the caller. */
static const char *
field_comment(const struct weir_field *f, json_t **doc)
{
    struct weir_error ignored = {0};

    *doc = NULL;
    if (f->metadata != NULL)
        (void)weir_json_load(f->metadata, strlen(f->metadata), doc, &ignored);
    return json_string_value(json_object_get(*doc, "comment"));
}

static void
describe_json(const struct weir_field *f, const char *type, const char *comment, bool partition, struct weir_buf *buf)
{
    weir_buf_byte(buf, '{');
    json_text(buf, "name", f->name, true);
    json_text(buf, "type", type, false);
    weir_buf_printf(buf, ",\"nullable\":%s,\"partition\":%s", f->nullable ? "true" : "false",
                    partition ? "true" : "false");
    json_text(buf, "comment", comment, false);
    weir_buf_str(buf, "}\n");
}

static void
describe_columns(struct weir_grid *g)
{
    weir_grid_column(g, "column", false);
    weir_grid_column(g, "type", false);
    weir_grid_column(g, "", false);
    weir_grid_column(g, "", false);
    weir_grid_column(g, "comment", false);
}

/* One line a column. grid NULL: as JSON. */
static weir_rc
describe_field(const struct weir_metadata *meta, const struct weir_field *f, struct weir_grid *grid,
               struct weir_buf *buf, struct weir_error *err)
{
    struct weir_buf type = WEIR_BUF(WEIR_MIB);
    bool partition = weir_metadata_partition(meta, f->name) >= 0;
    const char *comment;
    json_t *doc;
    weir_rc rc;

    weir_type_print_simple(f->type, &type);
    weir_buf_byte(&type, '\0');
    comment = field_comment(f, &doc);
    WEIR_GO(weir_buf_check(&type, err));
    if (grid == NULL) {
        describe_json(f, type.data, comment, partition, buf);
        goto out;
    }
    weir_grid_cell(grid, "%s", f->name);
    weir_grid_cell(grid, "%s", type.data);
    weir_grid_cell(grid, "%s", f->nullable ? "" : "not null");
    weir_grid_cell(grid, "%s", partition ? "partition column" : "");
    weir_grid_cell(grid, "%s", comment != NULL ? comment : "");
out:
    json_decref(doc);
    weir_buf_fini(&type);
    return rc;
}

static weir_rc
table_describe(struct weir_cli *cli, int argc, char **argv, struct weir_error *err)
{
    const char *format = "table";
    int64_t version = -1;
    const struct weir_flag flags[] = {
        {"--version", "N", "as it was at this version", NULL, NULL, &version},
        {"--format", "table|json", "for people, or one JSON object a column", NULL, &format, NULL},
        WEIR_FLAG_END,
    };
    const struct weir_usage usage = {"weir table describe", "PATH", "A table's columns: names, types, comments.", flags, 1,
                                     1, NULL};
    struct weir_buf buf = {.max = TABLE_TEXT_MAX, .q = cli->quota};
    struct weir_snapshot *snap = NULL;
    struct weir_store *st = NULL;
    struct weir_grid grid;
    bool json;
    char **words;
    unsigned n;
    weir_rc rc;

    WEIR_TRY(weir_cli_parse(&usage, argc, argv, &words, &n, err));
    json = strcmp(format, "json") == 0;
    weir_grid_init(&grid, cli->mem);
    describe_columns(&grid);
    WEIR_GO(table_open(cli, words[0], &st, err));
    WEIR_GO(table_missing(st, weir_snapshot_at(st, version, cli->quota, &snap, err), err));
    if (weir_feature_check_read(&snap->protocol, err) != WEIR_OK)
        WEIR_GO(weir_error_context(err, "%s", st->path));
    for (uint32_t i = 0; i < snap->meta.schema->nfields; i++)
        WEIR_GO(describe_field(&snap->meta, &snap->meta.schema->fields[i], json ? NULL : &grid, &buf, err));
    if (!json)
        WEIR_GO(weir_grid_print(&grid, 0, &buf, err));
    WEIR_GO(weir_buf_check(&buf, err));
    rc = weir_cli_out(buf.data, buf.len, err);
out:
    weir_buf_fini(&buf);
    weir_snapshot_free(snap);
    weir_store_close(st);
    return rc;
}

/* --- history ------------------------------------------------------------------------------------------------------ */

struct history_out {
    struct weir_grid grid;
    struct weir_buf *buf;
    bool json;
};

static weir_rc
history_json(const struct weir_history *h, struct weir_buf *buf, struct weir_error *err)
{
    weir_buf_printf(buf, "{\"version\":%" PRId64, h->version);
    if (h->time_ms != INT64_MIN)
        json_count(buf, "timestamp", h->time_ms);
    json_text(buf, "operation", h->operation, false);
    json_text(buf, "queryId", h->query_id, false);
    json_text(buf, "epochId", h->epoch, false);
    json_text(buf, "pipeline", h->pipeline, false);
    json_text(buf, "from", h->from, false);
    json_text(buf, "to", h->to, false);
    json_count(buf, "numAddedFiles", (int64_t)h->added_files);
    json_count(buf, "numRemovedFiles", (int64_t)h->removed_files);
    json_count(buf, "numAddedBytes", (int64_t)h->added_bytes);
    if (h->added_rows >= 0)
        json_count(buf, "numAddedRecords", h->added_rows);
    json_text(buf, "engine", h->engine, false);
    weir_buf_str(buf, "}\n");
    return weir_buf_check(buf, err);
}

static weir_rc
history_one(void *arg, const struct weir_history *h, struct weir_error *err)
{
    struct history_out *out = arg;
    struct weir_grid *g = &out->grid;
    char when[WEIR_ISO_SIZE], text[32];

    if (out->json)
        return history_json(h, out->buf, err);
    weir_grid_cell(g, "%" PRId64, h->version);
    weir_grid_cell(g, "%s", h->time_ms != INT64_MIN ? weir_time_iso(h->time_ms, when) : "");
    weir_grid_cell(g, "%s", h->operation != NULL ? h->operation : "");
    weir_grid_cell(g, "%s", h->added_rows >= 0 ? weir_print_count((uint64_t)h->added_rows, text) : "");
    weir_grid_cell(g, "%s", weir_print_count(h->added_files, text));
    weir_grid_cell(g, "%s", h->removed_files > 0 ? weir_print_count(h->removed_files, text) : "");
    weir_grid_cell(g, "%s", weir_print_bytes(h->added_bytes, text));
    weir_grid_cell(g, "%s", h->epoch != NULL ? h->epoch : "");
    weir_grid_cell(g, "%s", h->pipeline != NULL ? h->pipeline : h->query_id != NULL ? h->query_id : "");
    weir_grid_cell(g, "%s", h->engine != NULL ? h->engine : "");
    return WEIR_OK;
}

static void
history_columns(struct weir_grid *g)
{
    weir_grid_column(g, "version", true);
    weir_grid_column(g, "time", false);
    weir_grid_column(g, "operation", false);
    weir_grid_column(g, "rows", true);
    weir_grid_column(g, "files", true);
    weir_grid_column(g, "removed", true);
    weir_grid_column(g, "bytes", true);
    weir_grid_column(g, "batch", true);
    weir_grid_column(g, "query", false);
    weir_grid_column(g, "engine", false);
}

static weir_rc
table_history(struct weir_cli *cli, int argc, char **argv, struct weir_error *err)
{
    const char *format = "table";
    int64_t most = 20;
    const struct weir_flag flags[] = {
        {"--number -n", "N", "how many versions, the newest first (20)", NULL, NULL, &most},
        {"--format", "table|json", "for people, or one JSON object a line", NULL, &format, NULL},
        WEIR_FLAG_END,
    };
    const struct weir_usage usage = {"weir table history", "PATH", "How a table became what it is: its newest commits.",
                                     flags, 1, 1, NULL};
    struct weir_buf buf = {.max = TABLE_TEXT_MAX, .q = cli->quota};
    struct history_out out = {.buf = &buf};
    struct weir_store *st = NULL;
    char **words;
    unsigned n;
    weir_rc rc;

    WEIR_TRY(weir_cli_parse(&usage, argc, argv, &words, &n, err));
    out.json = strcmp(format, "json") == 0;
    weir_grid_init(&out.grid, cli->mem);
    history_columns(&out.grid);
    WEIR_GO(table_open(cli, words[0], &st, err));
    WEIR_GO(table_missing(st, weir_history_read(st, most, cli->quota, history_one, &out, err), err));
    if (!out.json)
        WEIR_GO(weir_grid_print(&out.grid, 0, &buf, err));
    WEIR_GO(weir_buf_check(&buf, err));
    rc = weir_cli_out(buf.data, buf.len, err);
out:
    weir_buf_fini(&buf);
    weir_store_close(st);
    return rc;
}

weir_rc
weir_cmd_table(struct weir_cli *cli, int argc, char **argv, struct weir_error *err)
{
    static const struct weir_flag none[] = {WEIR_FLAG_END};
    static const struct weir_usage usage = {
        "weir table", "show|describe|history PATH", "Delta tables, read from their log.", none, 1, 2,
        "  weir table show PATH       what it is: version, files, rows, schema\n"
        "  weir table describe PATH   its columns: names, types, comments\n"
        "  weir table history PATH    how it became so: its newest commits"};
    static const char *const names[] = {"show", "describe", "history"};
    char **words;
    unsigned n;
    weir_rc rc;

    if (argc > 1 && strcmp(argv[1], "show") == 0)
        rc = table_show(cli, argc - 1, argv + 1, err);
    else if (argc > 1 && strcmp(argv[1], "describe") == 0)
        rc = table_describe(cli, argc - 1, argv + 1, err);
    else if (argc > 1 && strcmp(argv[1], "history") == 0)
        rc = table_history(cli, argc - 1, argv + 1, err);
    else {
        rc = weir_cli_parse(&usage, argc, argv, &words, &n, err);
        if (rc == WEIR_OK) {
            const char *near = weir_nearest(words[0], names, sizeof(names) / sizeof(*names));

            rc = weir_fail(err, WEIR_USAGE, "table %.64s is not known%s%s", words[0],
                           near != NULL ? "; did you mean " : "", near != NULL ? near : "");
            weir_error_hint(err, "weir table show, describe or history PATH");
        }
    }
    return rc == WEIR_END ? WEIR_OK : rc;
}
