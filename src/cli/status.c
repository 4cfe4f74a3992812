/* weir status: where pipelines stand, from what is on disk. Writes nothing and takes no lease. */
#include "cli/command.h"

#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "base/time.h"
#include "cli/bar.h"
#include "pipeline/run.h"
#include "pipeline/spec.h"

static void
row(struct weir_buf *buf, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void
row(struct weir_buf *buf, const char *name, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    weir_buf_printf(buf, "  %-12s %s\n", name, text);
}

static void
print_text(const struct weir_spec *spec, const struct weir_pipeline_status *st, struct weir_buf *buf)
{
    char when[WEIR_ISO_SIZE], bytes[16];

    weir_buf_printf(buf, "%s\n", spec->name);
    row(buf, "query id", "%s", st->query_id == NULL ? "none: it has never run" : st->query_id);
    row(buf, "running", "%s", st->holder == NULL ? "no" : st->holder);
    if (st->planned >= 0)
        row(buf, "batch", "%" PRId64 " of %s, %s", st->planned, weir_time_iso(st->batch_time_ms, when),
            st->committed >= st->planned ? "committed" : "planned, not committed: the next run repeats it");
    row(buf, "source", "%s", st->source == NULL ? spec->source.path : st->source);
    row(buf, "position", "%s", st->offset == NULL ? "at the start" : st->offset);
    if (st->files_waiting != UINT64_MAX && st->bytes_waiting != UINT64_MAX)
        row(buf, "waiting", "%" PRIu64 " file%s, %s", st->files_waiting, st->files_waiting == 1 ? "" : "s",
            weir_bar_bytes((double)st->bytes_waiting, bytes));
    else if (st->files_waiting != UINT64_MAX)
        row(buf, "waiting", "%" PRIu64 " file%s", st->files_waiting, st->files_waiting == 1 ? "" : "s");
    if (st->schema_version >= 0)
        row(buf, "schema", "version %" PRId64, st->schema_version);
    row(buf, "sink", "%s", st->sink == NULL ? spec->sink.format : st->sink);
    if (st->table_version >= 0 && st->table_batch >= 0)
        row(buf, "table", "version %" PRId64 ", holds batch %" PRId64, st->table_version, st->table_batch);
    else if (st->table_version >= 0)
        row(buf, "table", "version %" PRId64, st->table_version);
    if (st->hold != NULL)
        row(buf, "held", "%s", st->hold);
}

static void
json_text(struct weir_buf *buf, const char *key, const char *text)
{
    weir_buf_printf(buf, ",\"%s\":", key);
    if (text == NULL || !weir_utf8_valid(text, strlen(text)))
        weir_buf_str(buf, "null");
    else
        weir_buf_json(buf, text, strlen(text));
}

static void
json_int(struct weir_buf *buf, const char *key, int64_t n, bool known)
{
    if (known)
        weir_buf_printf(buf, ",\"%s\":%" PRId64, key, n);
    else
        weir_buf_printf(buf, ",\"%s\":null", key);
}

static void
print_json(const struct weir_spec *spec, const struct weir_pipeline_status *st, struct weir_buf *buf)
{
    char when[WEIR_ISO_SIZE];

    weir_buf_str(buf, "{\"name\":");
    weir_buf_json(buf, spec->name, strlen(spec->name));
    json_text(buf, "id", st->query_id);
    json_text(buf, "runningAs", st->holder);
    json_int(buf, "plannedBatch", st->planned, st->planned >= 0);
    json_int(buf, "committedBatch", st->committed, st->committed >= 0);
    json_text(buf, "batchTime", st->batch_time_ms < 0 ? NULL : weir_time_iso(st->batch_time_ms, when));
    json_text(buf, "source", st->source);
    json_text(buf, "offset", st->offset);
    json_int(buf, "filesWaiting", (int64_t)st->files_waiting, st->files_waiting != UINT64_MAX);
    json_int(buf, "bytesWaiting", (int64_t)st->bytes_waiting, st->bytes_waiting != UINT64_MAX);
    json_int(buf, "schemaVersion", st->schema_version, st->schema_version >= 0);
    json_text(buf, "sink", st->sink);
    json_int(buf, "tableVersion", st->table_version, st->table_version >= 0);
    json_int(buf, "tableBatch", st->table_batch, st->table_batch >= 0);
    json_text(buf, "held", st->hold);
    weir_buf_str(buf, "}\n");
}

static weir_rc
status_one(void *arg, const struct weir_spec *spec, struct weir_mem *mem, struct weir_error *err)
{
    const bool *json = arg;
    struct weir_buf buf = WEIR_BUF(WEIR_SPEC_MAX);
    struct weir_pipeline_status st = {0};
    weir_rc rc;

    WEIR_GO(weir_pipeline_status(spec, mem, &st, err));
    if (*json)
        print_json(spec, &st, &buf);
    else
        print_text(spec, &st, &buf);
    WEIR_GO(weir_buf_check(&buf, err));
    rc = weir_cli_out(buf.data, buf.len, err);
out:
    weir_buf_fini(&buf);
    return rc;
}

weir_rc
weir_cmd_status(struct weir_cli *cli, int argc, char **argv, struct weir_error *err)
{
    const char *format = "table";
    const struct weir_flag flags[] = {
        {"--format", "table|json", "for people, or one JSON object a line", NULL, &format, NULL},
        WEIR_FLAG_END,
    };
    const struct weir_usage usage = {"weir status", "FILE…",
                                     "Where pipelines stand: the last batch, the source's position and what waits there, the table.\n"
                                     "Nothing is written; a running pipeline is not disturbed.",
                                     flags, 1, 1000, NULL};
    char **files;
    unsigned n;
    bool json;

    WEIR_TRY(weir_cli_parse(&usage, argc, argv, &files, &n, err));
    json = strcmp(format, "json") == 0;
    return weir_cli_each_file(cli, files, n, status_one, &json, err);
}
