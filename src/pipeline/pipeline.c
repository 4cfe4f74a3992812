/* Opening the parts of a pipeline in an order in which nothing is written before everything was looked at. */
#include "pipeline/pipeline.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "base/time.h"

/* Options are read here; that one was read is marked in them. */
static struct weir_settings *
settings_of(const struct weir_settings *set)
{
    return (struct weir_settings *)(uintptr_t)set;
}

static weir_rc
pipeline_tables(struct weir_pipeline *p, const struct weir_query_table **out, struct weir_error *err)
{
    const struct weir_spec *spec = p->spec;
    struct weir_query_table *tables = weir_mem_zalloc(p->mem, (spec->ntables + 1) * sizeof(*tables));

    if (tables == NULL)
        return weir_mem_fail(p->mem, spec->ntables * sizeof(*tables), err);
    for (uint32_t i = 0; i < spec->ntables; i++)
        tables[i] = (struct weir_query_table){
            .name = spec->tables[i].name, .path = spec->tables[i].path, .line = spec->tables[i].line};
    *out = tables;
    return WEIR_OK;
}

static weir_rc
pipeline_sql(struct weir_pipeline *p, struct weir_error *err)
{
    const struct weir_conf *conf = &p->spec->conf;
    struct weir_query_env env = {.text = p->spec->query,
                                 .zone_name = conf->time_zone,
                                 .zone = p->zone,
                                 .ansi = conf->ansi,
                                 .null_on_row_error = p->spec->null_on_row_error,
                                 .case_sensitive = conf->case_sensitive,
                                 .corrupt_name = conf->corrupt_name,
                                 .ntables = p->spec->ntables,
                                 .dir = p->spec->dir,
                                 .quota = &p->quota,
                                 .stop = p->stop};

    if (conf->temp_directory != NULL) {
        env.temp_directory = weir_mem_printf(p->mem, "%s/weir-%s", conf->temp_directory, p->run_id);
        if (env.temp_directory == NULL)
            return weir_mem_fail(p->mem, 0, err);
    }
    WEIR_TRY(weir_budget_make(conf->memory_limit, conf->threads, true, &p->budget, err));
    env.memory_bytes = p->budget.sql_bytes;
    env.more_bytes = p->budget.sql_more_bytes;
    env.lanes = p->budget.lanes;
    WEIR_TRY(pipeline_tables(p, &env.tables, err));
    return weir_query_open(&env, &p->query, err);
}

/* Columns and fields alone need no DuckDB; what they are not is SQL. */
static weir_rc
pipeline_parse(struct weir_pipeline *p, struct weir_error *err)
{
    weir_rc rc = weir_projection_parse(p->spec->query, p->mem, &p->projection, err);

    if (rc == WEIR_UNSUPPORTED) {
        weir_error_clear(err);
        p->projection = NULL;
        rc = pipeline_sql(p, err);
    } else if (rc == WEIR_OK) {
        rc = weir_budget_make(p->spec->conf.memory_limit, p->spec->conf.threads, false, &p->budget, err);
    }
    p->quota.limit = p->budget.total;
    return rc;
}

weir_rc
pipeline_init(struct weir_pipeline *p, const struct weir_spec *spec, struct weir_stop *stop, struct weir_error *err)
{
    *p = (struct weir_pipeline){.spec = spec, .stop = stop};
    weir_quota_init(&p->quota, NULL, spec->name, WEIR_SPEC_MEMORY);
    weir_uuid(p->run_id);
    p->mem = weir_mem_new(NULL, &p->quota, "pipeline");
    p->bind_mem = p->mem == NULL ? NULL : weir_mem_new(p->mem, &p->quota, "query");
    if (p->bind_mem == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory to open the pipeline");
    p->zone = weir_zone_find(spec->conf.time_zone, strlen(spec->conf.time_zone));
    p->source_type = weir_source_find(spec->source.format);
    p->sink_type = weir_sink_find(spec->sink.format);
    WEIR_ASSERT(p->zone != NULL && p->source_type != NULL && p->sink_type != NULL); /* spec.c refuses other names */
    if (pipeline_parse(p, err) != WEIR_OK)
        return weir_error_context(err, "%s:%d", spec->file, spec->query_line);
    return WEIR_OK;
}

void
pipeline_fini(struct weir_pipeline *p)
{
    if (p->sink != NULL)
        p->sink_type->close(p->sink);
    weir_reader_close(p->reader);
    if (p->source != NULL)
        p->source_type->close(p->source);
    weir_store_close(p->schema_location);
    weir_lease_release(p->lease);
    weir_checkpoint_close(p->checkpoint);
    weir_query_close(p->query);
    weir_mem_free(p->mem);
    *p = (struct weir_pipeline){0};
}

static weir_rc
open_reader(struct weir_pipeline *p, struct weir_error *err)
{
    const struct weir_spec *spec = p->spec;
    const struct weir_reader_env env = {.source_format = spec->source.format,
                                        .source_name = spec->name,
                                        .schema = spec->source.schema,
                                        .options = settings_of(&spec->source.options),
                                        .zone = p->zone,
                                        .corrupt_name = spec->conf.corrupt_name,
                                        .case_sensitive = spec->conf.case_sensitive,
                                        .schema_inference = spec->conf.schema_inference,
                                        .max_record_bytes = (uint64_t)spec->conf.max_record_bytes,
                                        .quota = &p->quota,
                                        .mem = p->mem,
                                        .stop = p->stop};

    return weir_reader_open(&env, &p->reader, err);
}

weir_rc
pipeline_open_source(struct weir_pipeline *p, struct weir_error *err)
{
    const struct weir_spec *spec = p->spec;
    const struct weir_source_env env = {.format = spec->source.format,
                                        .path = spec->source.path,
                                        .options = settings_of(&spec->source.options),
                                        .checkpoint = p->checkpoint == NULL ? NULL
                                                                            : weir_checkpoint_store(p->checkpoint),
                                        .settle_ms = p->looking ? 0 : spec->conf.settle_ms,
                                        .available_now = p->bounded,
                                        .compact_interval = spec->conf.compact_interval,
                                        .batches_to_retain = spec->conf.batches_to_retain,
                                        .zone = p->zone,
                                        .quota = &p->quota,
                                        .mem = p->mem,
                                        .stop = p->stop};
    const char *schemas;
    weir_rc rc;

    if (p->query != NULL && spec->conf.temp_directory != NULL)
        WEIR_TRY(weir_query_temp_check("weir.tempDirectory", spec->conf.temp_directory, err));
    WEIR_GO(open_reader(p, err));
    WEIR_NEW(p->source, p->mem, p->source_type->self_size);
    WEIR_GO(p->source_type->open(p->source, &env, err));
    schemas = weir_reader_schema_location(p->reader);
    if (schemas != NULL)
        WEIR_GO(weir_store_open(schemas, p->mem, &p->schema_location, err));
out:
    return rc == WEIR_OK ? rc : weir_error_context(err, "source %s", spec->source.format);
}

weir_rc
pipeline_open_sink(struct weir_pipeline *p, const char *query_id, struct weir_error *err)
{
    const struct weir_spec *spec = p->spec;
    struct weir_sink_env env = {.path = spec->sink.path,
                                .output_mode = spec->sink.output_mode,
                                .partition_by = spec->sink.partition_by,
                                .npartition_by = spec->sink.npartition_by,
                                .options = settings_of(&spec->sink.options),
                                .properties = settings_of(&spec->sink.properties),
                                .comment = spec->sink.comment,
                                .create = spec->sink.create,
                                .query_name = spec->name,
                                .query_id = query_id,
                                .zone = p->zone,
                                .lanes = p->budget.lanes,
                                .row_group_bytes = p->budget.row_group_bytes,
                                .writer_bytes = p->budget.writer_bytes,
                                .quota = &p->quota,
                                .mem = p->mem,
                                .stop = p->stop};
    weir_rc rc;

    if (p->sink != NULL)
        p->sink_type->close(p->sink);
    p->sink = NULL;
    WEIR_NEW(p->sink, p->mem, p->sink_type->self_size);
    WEIR_GO(p->sink_type->open(p->sink, &env, err));
out:
    return rc == WEIR_OK ? rc : weir_error_context(err, "sink %s", spec->sink.format);
}

/* Options of cloudFiles at another source: the file says so of itself, and no near name would help. */
static weir_rc
check_stray(const struct weir_spec *spec, struct weir_error *err)
{
    const struct weir_settings *set = &spec->source.options;

    for (uint32_t i = 0; i < set->n; i++) {
        if (set->at[i].used || strncasecmp(set->at[i].key, "cloudFiles.", 11) != 0 ||
            strcasecmp(spec->source.format, "cloudFiles") == 0)
            continue;
        weir_fail(err, WEIR_USAGE, "the source %s has no such option", spec->source.format);
        weir_error_hint(err, "write source.format: cloudFiles, or take it out");
        return weir_settings_at(set, set->at[i].key, err);
    }
    return WEIR_OK;
}

weir_rc
pipeline_check_options(struct weir_pipeline *p, struct weir_error *err)
{
    enum { MOST = 8 };
    const struct weir_option *tables[MOST];
    uint32_t n = weir_reader_tables(p->reader, tables, MOST - 1);

    if (p->source_type->options != NULL)
        tables[n++] = p->source_type->options;
    WEIR_TRY(check_stray(p->spec, err));
    WEIR_TRY(weir_options_unknown(tables, n, &p->spec->source.options, err));
    if (p->sink_type->options == NULL)
        return WEIR_OK;
    return weir_options_unknown(&p->sink_type->options, 1, &p->spec->sink.options, err);
}

/* A table over a self that is never opened: defaults and values are checked, and what was read is marked. */
static weir_rc
try_options(struct weir_pipeline *p, const struct weir_option *table, size_t self_size,
            const struct weir_settings *set, struct weir_error *err)
{
    void *self;
    weir_rc rc = WEIR_OK;

    if (table == NULL)
        return WEIR_OK;
    WEIR_NEW(self, p->mem, self_size);
    rc = weir_options_apply(table, self, settings_of(set), err);
out:
    return rc;
}

weir_rc
pipeline_try_options(struct weir_pipeline *p, struct weir_error *err)
{
    const struct weir_spec *spec = p->spec;

    if (open_reader(p, err) != WEIR_OK ||
        try_options(p, p->source_type->options, p->source_type->self_size, &spec->source.options, err) != WEIR_OK)
        return weir_error_context(err, "source %s", spec->source.format);
    if (try_options(p, p->sink_type->options, p->sink_type->self_size, &spec->sink.options, err) != WEIR_OK)
        return weir_error_context(err, "sink %s", spec->sink.format);
    return pipeline_check_options(p, err);
}

/* The schema outlives the binding: a batch binds the query anew, for its time and its tables. */
static weir_rc
pipeline_bind_query(struct weir_pipeline *p, struct weir_error *err)
{
    const struct weir_type *from = weir_reader_schema(p->reader), *schema;

    if (p->query == NULL)
        return weir_projection_bind(p->projection, from, p->bind_mem, &p->schema, err);
    WEIR_TRY(weir_query_bind(p->query, from, p->tables, weir_now_ms() * 1000, &schema, err));
    p->schema = weir_type_copy(p->bind_mem, schema);
    return p->schema == NULL ? weir_mem_fail(p->bind_mem, 0, err) : WEIR_OK;
}

weir_rc
pipeline_bind(struct weir_pipeline *p, struct weir_error *err)
{
    weir_mem_reset(p->bind_mem);
    p->schema = NULL;
    WEIR_TRY(weir_reader_bind(p->reader, p->query != NULL || weir_projection_wants_metadata(p->projection), err));
    if (pipeline_bind_query(p, err) != WEIR_OK)
        return weir_error_context(err, "%s:%d", p->spec->file, p->spec->query_line);
    if (p->sink != NULL && p->sink_type->bind(p->sink, p->schema, err) != WEIR_OK)
        return weir_error_context(err, "sink %s", p->spec->sink.format);
    return WEIR_OK;
}

weir_rc
pipeline_settle(struct weir_pipeline *p, int64_t version, bool dry, struct weir_error *err)
{
    struct weir_tasks sample = {0};
    weir_rc rc;

    if (p->source_type->sample != NULL && (dry || weir_reader_needs_sample(p->reader, p->schema_location)))
        WEIR_GO(p->source_type->sample(p->source, (uint32_t)p->spec->conf.sample_files,
                                       (uint64_t)p->spec->conf.sample_bytes, &sample, err));
    WEIR_GO(weir_reader_settle(p->reader, p->schema_location, &sample, version, dry, err));
    WEIR_GO(pipeline_bind(p, err));
out:
    weir_tasks_fini(&sample);
    return rc;
}

static weir_rc
checks_new_stream(struct weir_pipeline *p, const struct weir_sink_state *st, weir_accept accept, struct weir_error *err)
{
    if (st->other_query[0] == '\0' || accept == WEIR_ACCEPT_NEW_STREAM)
        return WEIR_OK;
    weir_fail(err, WEIR_USAGE, "the table %s holds batches of pipeline %s (query %s), but the checkpoint %s is new",
              p->spec->sink.path, p->spec->name, st->other_query, p->spec->checkpoint);
    return weir_error_hint(err, "a run would read everything again and write it twice: bring the checkpoint back, or run "
                                "with --new-stream if that is wanted");
}

weir_rc
pipeline_start_checks(struct weir_pipeline *p, weir_accept accept, struct weir_error *err)
{
    struct weir_sink_state st = {0};
    int64_t planned = p->checkpoint == NULL ? -1 : weir_checkpoint_planned(p->checkpoint);
    int64_t committed = p->checkpoint == NULL ? -1 : weir_checkpoint_committed(p->checkpoint);

    if (p->spec->sink.path == NULL) /* nothing is kept */
        return WEIR_OK;
    WEIR_TRY(p->sink_type->state(p->sink, &st, err));
    if (planned < 0)
        WEIR_TRY(checks_new_stream(p, &st, accept, err));
    if (st.newest > planned) {
        weir_fail(err, WEIR_USAGE, "the table %s holds batch %" PRId64 " of this query, the checkpoint %s only knows %" PRId64,
                  p->spec->sink.path, st.newest, p->spec->checkpoint, planned);
        return weir_error_hint(err, "the checkpoint is older than the table: going on would skip rows; bring the newer "
                                    "checkpoint back, or name a new one and run with --new-stream");
    }
    if (committed >= 0 && st.newest < committed && accept != WEIR_ACCEPT_NEW_TARGET) {
        weir_fail(err, WEIR_USAGE, "the checkpoint %s has committed batch %" PRId64 ", but %s %s", p->spec->checkpoint,
                  committed, p->spec->sink.path,
                  st.exists ? "does not hold it: it was made anew, restored, or is another table" : "does not exist");
        return weir_error_hint(err, "bring the table back, or go on into the new one with --accept-new-target (rows of "
                                    "earlier batches will not be in it)");
    }
    return WEIR_OK;
}
