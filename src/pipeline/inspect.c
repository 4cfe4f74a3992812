/* check and status: the parts are opened as for a run, nothing is written, and a person is told what was found. */
#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "base/time.h"
#include "pipeline/pipeline.h"
#include "schema/log.h"

static void
count_tasks(const struct weir_tasks *tasks, uint64_t *bytes)
{
    *bytes = 0;
    for (uint32_t i = 0; i < tasks->n; i++)
        *bytes += tasks->at[i].size > 0 ? (uint64_t)tasks->at[i].size : 0;
}

static weir_rc
check_checkpoint(struct weir_pipeline *p, struct weir_buf *report, const char **id, struct weir_error *err)
{
    *id = NULL;
    if (p->spec->checkpoint == NULL) {
        weir_buf_str(report, "checkpoint: none (the sink keeps nothing)\n");
        return WEIR_OK;
    }
    WEIR_TRY(weir_checkpoint_open(p->spec->checkpoint, false, p->mem, &p->checkpoint, err));
    *id = weir_checkpoint_id(p->checkpoint);
    if (*id == NULL)
        weir_buf_printf(report, "checkpoint: %s is new\n", p->spec->checkpoint);
    else if (weir_checkpoint_planned(p->checkpoint) < 0)
        weir_buf_printf(report, "checkpoint: query %s, no batch yet\n", *id);
    else
        weir_buf_printf(report, "checkpoint: query %s, batch %" PRId64 " %s\n", *id,
                        weir_checkpoint_planned(p->checkpoint),
                        weir_checkpoint_committed(p->checkpoint) < weir_checkpoint_planned(p->checkpoint)
                            ? "planned, not committed: a run repeats it"
                            : "committed");
    return WEIR_OK;
}

static void
report_bytes(uint64_t n, struct weir_buf *report)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double v = (double)n;
    unsigned unit = 0;

    while (v >= 1000 && unit < 6) {
        v /= 1000;
        unit++;
    }
    weir_buf_printf(report, unit == 0 ? "%.0f %s" : "%.1f %s", v, units[unit]);
}

static weir_rc
check_source(struct weir_pipeline *p, struct weir_buf *report, struct weir_error *err)
{
    struct weir_backlog left = {.objects = UINT64_MAX, .bytes = UINT64_MAX};
    struct weir_tasks tasks = {0};
    int64_t began = weir_mono_us();
    uint64_t bytes;
    weir_rc rc;

    WEIR_GO(p->source_type->newest(p->source, err));
    weir_buf_printf(report, "source: %s, listed in %.1f ms\n", p->source_type->describe(p->source),
                    (double)(weir_mono_us() - began) / 1000);
    if (p->source_type->sample != NULL) {
        WEIR_GO(p->source_type->sample(p->source, UINT32_MAX, UINT64_MAX, &tasks, err));
        count_tasks(&tasks, &bytes);
        weir_buf_printf(report, "files: %" PRIu32 " there, ", tasks.n);
        report_bytes(bytes, report);
        weir_buf_byte(report, '\n');
    }
    p->source_type->backlog(p->source, &left);
    if (left.objects != UINT64_MAX && left.bytes != UINT64_MAX) {
        weir_buf_printf(report, "waiting: %" PRIu64 " of them not read yet, ", left.objects);
        report_bytes(left.bytes, report);
        weir_buf_byte(report, '\n');
    }
out:
    weir_tasks_fini(&tasks);
    return rc;
}

/* What it costs, and that DuckDB takes what weir made of it. */
static weir_rc
check_query(struct weir_pipeline *p, struct weir_buf *report, struct weir_error *err)
{
    static const char *const classes[] = {
        [WEIR_SQL_ROWWISE] = "A, row by row",
        [WEIR_SQL_JOIN] = "B, row by row with tables held in memory",
        [WEIR_SQL_BLOCKING] = "C, it needs the whole batch before its first row",
    };

    WEIR_TRY(weir_query_explain(p->query, NULL, err));
    weir_buf_printf(report, "query: class %s; SQL has %.0f MB%s\n", classes[weir_query_plan(p->query)->class_],
                    (double)p->budget.sql_bytes / WEIR_MIB,
                    p->spec->conf.temp_directory == NULL ? ", and no folder for spilling (weir.tempDirectory)" : "");
    return WEIR_OK;
}

static weir_rc
check_schema(struct weir_pipeline *p, struct weir_buf *report, struct weir_error *err)
{
    weir_rc rc = pipeline_settle(p, -1, true, err);

    if (rc == WEIR_NOTFOUND && p->schema == NULL) {
        weir_buf_str(report, "schema: not known before the first file arrives\n");
        weir_error_clear(err);
        return WEIR_OK;
    }
    WEIR_TRY(rc);
    weir_buf_str(report, "schema: ");
    weir_type_print_ddl(p->schema, report);
    weir_buf_byte(report, '\n');
    return p->query == NULL ? WEIR_OK : check_query(p, report, err);
}

/* Whether a run could write where it must: what it has to make is not there yet, so the folders above count. */
static weir_rc
check_rights(struct weir_pipeline *p, struct weir_error *err)
{
    const char *places[] = {p->spec->checkpoint, p->spec->sink.path};
    struct weir_store *store = NULL;
    weir_rc rc = WEIR_OK;

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (places[i] == NULL)
            continue;
        WEIR_GO(weir_store_open(places[i], p->mem, &store, err));
        WEIR_GO(weir_store_writable(store, err));
        weir_store_close(store);
        store = NULL;
    }
    if (p->schema_location != NULL)
        rc = weir_store_writable(p->schema_location, err);
out:
    weir_store_close(store);
    return rc;
}

weir_rc
weir_pipeline_check_file(const struct weir_spec *spec, struct weir_error *err)
{
    struct weir_pipeline p;
    weir_rc rc;

    WEIR_GO(pipeline_init(&p, spec, NULL, err));
    rc = pipeline_try_options(&p, err);
out:
    pipeline_fini(&p);
    return rc == WEIR_OK ? rc : weir_error_context(err, "pipeline %s", spec->name);
}

weir_rc
weir_pipeline_check(const struct weir_spec *spec, struct weir_buf *report, struct weir_error *err)
{
    struct weir_sink_state st = {.newest = -1, .version = -1};
    struct weir_pipeline p;
    const char *id;
    weir_rc rc;

    WEIR_GO(pipeline_init(&p, spec, NULL, err));
    weir_buf_printf(report, "memory: %.0f MB for %u lanes, row groups of %.0f MB, window of %.0f MB\n",
                    (double)spec->conf.memory_limit / WEIR_MIB, p.budget.lanes,
                    (double)p.budget.row_group_bytes / WEIR_MIB, (double)p.budget.window_bytes / WEIR_MIB);
    WEIR_GO(check_checkpoint(&p, report, &id, err));
    p.looking = true;
    WEIR_GO(pipeline_open_source(&p, err));
    WEIR_GO(pipeline_open_sink(&p, id == NULL ? "" : id, err));
    WEIR_GO(pipeline_check_options(&p, err));
    WEIR_GO(check_source(&p, report, err));
    WEIR_GO(check_schema(&p, report, err));
    if (spec->sink.path != NULL) {
        WEIR_GO(p.sink_type->state(p.sink, &st, err));
        weir_buf_printf(report, "sink: %s, ", p.sink_type->describe(p.sink));
        if (st.exists)
            weir_buf_printf(report, "version %" PRId64 "\n", st.version);
        else
            weir_buf_str(report, "to be created\n");
        WEIR_GO(pipeline_start_checks(&p, WEIR_ACCEPT_NOTHING, err));
    }
    if (p.schema_location != NULL && p.checkpoint != NULL)
        WEIR_GO(weir_schema_log_owned(p.schema_location, id == NULL ? "" : id, err));
    WEIR_GO(check_rights(&p, err));
    weir_buf_str(report, "a run would start\n");
    WEIR_GO(weir_buf_check(report, err));
out:
    pipeline_fini(&p);
    return rc == WEIR_OK ? rc : weir_error_context(err, "pipeline %s", spec->name);
}

/* Copies what must outlive the pipeline's own arena. */
static weir_rc
status_texts(struct weir_pipeline *p, struct weir_mem *mem, struct weir_pipeline_status *out,
             const struct weir_batch_record *rec, struct weir_error *err)
{
    const char *id = p->checkpoint == NULL ? NULL : weir_checkpoint_id(p->checkpoint);

    out->query_id = id == NULL ? NULL : weir_mem_strdup(mem, id);
    out->offset = rec == NULL || rec->offset == NULL ? NULL : weir_mem_strdup(mem, rec->offset);
    out->source = weir_mem_strdup(mem, p->source_type->describe(p->source));
    out->sink = weir_mem_strdup(mem, p->sink_type->describe(p->sink));
    if ((id != NULL && out->query_id == NULL) || out->source == NULL || out->sink == NULL)
        return weir_mem_fail(mem, 0, err);
    return WEIR_OK;
}

/* Of what is kept now: a batch may have brought a version after it was planned. */
static void
status_schema(struct weir_pipeline *p, struct weir_pipeline_status *out)
{
    struct weir_error ignored = {0};
    struct weir_schema_version v;

    if (p->schema_location != NULL && weir_schema_log_read(p->schema_location, -1, p->mem, &v, &ignored) == WEIR_OK)
        out->schema_version = v.version;
}

static weir_rc
status_position(struct weir_pipeline *p, struct weir_mem *mem, struct weir_pipeline_status *out,
                struct weir_batch_record *rec, bool *have, struct weir_error *err)
{
    *have = false;
    if (p->spec->checkpoint == NULL)
        return WEIR_OK;
    WEIR_TRY(weir_checkpoint_open(p->spec->checkpoint, false, p->mem, &p->checkpoint, err));
    out->planned = weir_checkpoint_planned(p->checkpoint);
    out->committed = weir_checkpoint_committed(p->checkpoint);
    out->holder = weir_lease_holder(p->checkpoint, mem);
    if (out->planned < 0)
        return WEIR_OK;
    WEIR_TRY(weir_checkpoint_read(p->checkpoint, out->planned, p->mem, rec, err));
    out->batch_time_ms = rec->time_ms;
    out->schema_version = rec->schema_version;
    *have = true;
    return WEIR_OK;
}

weir_rc
weir_pipeline_status(const struct weir_spec *spec, struct weir_mem *mem, struct weir_pipeline_status *out,
                     struct weir_error *err)
{
    struct weir_backlog left = {.objects = UINT64_MAX, .bytes = UINT64_MAX};
    struct weir_sink_state st = {.newest = -1, .version = -1};
    struct weir_batch_record rec = {0};
    struct weir_pipeline p;
    const char *id;
    bool have;
    weir_rc rc;

    *out = (struct weir_pipeline_status){
        .planned = -1, .committed = -1, .batch_time_ms = -1, .table_version = -1, .table_batch = -1, .schema_version = -1};
    WEIR_GO(pipeline_init(&p, spec, NULL, err));
    WEIR_GO(status_position(&p, mem, out, &rec, &have, err));
    id = p.checkpoint == NULL ? NULL : weir_checkpoint_id(p.checkpoint);
    p.looking = true;
    WEIR_GO(pipeline_open_source(&p, err));
    WEIR_GO(pipeline_open_sink(&p, id == NULL ? "" : id, err));
    WEIR_GO(status_texts(&p, mem, out, have ? &rec : NULL, err));
    status_schema(&p, out);
    if (p.source_type->newest(p.source, err) == WEIR_OK)
        p.source_type->backlog(p.source, &left);
    else
        out->hold = weir_mem_printf(mem, "%s", err->what);
    weir_error_clear(err);
    out->files_waiting = left.objects;
    out->bytes_waiting = left.bytes;
    if (spec->sink.path != NULL) {
        WEIR_GO(p.sink_type->state(p.sink, &st, err));
        out->table_version = st.version;
        out->table_batch = st.newest;
        if (pipeline_start_checks(&p, WEIR_ACCEPT_NOTHING, err) != WEIR_OK) {
            out->hold = weir_mem_printf(mem, "%s", err->what);
            weir_error_clear(err);
        }
    }
out:
    pipeline_fini(&p);
    return rc == WEIR_OK ? rc : weir_error_context(err, "pipeline %s", spec->name);
}
