/* The source and the reader of a pipeline that has nothing else. */
#include "pipeline/files_table.h"

#include "base/limits.h"
#include "base/time.h"
#include "pipeline/pipeline.h"

#define MEMORY (64 * WEIR_MIB)

struct weir_files_table {
    struct weir_mem *mem;
    struct weir_spec spec;
    struct weir_pipeline p;
    struct weir_tasks tasks;
    struct weir_scan *scan;
    bool opened;
};

static weir_rc
files_spec(struct weir_files_table *t, const char *format, const char *path, const char *zone_name,
           struct weir_error *err)
{
    struct weir_settings none = {.file = "query"};

    t->spec = (struct weir_spec){.file = "query", .dir = "/", .name = format};
    WEIR_TRY(weir_options_apply(weir_conf_options, &t->spec.conf, &none, err));
    t->spec.sink.format = "noop";
    t->spec.source.format = format;
    t->spec.source.path = path;
    t->spec.source.options.file = "query";
    t->spec.conf.schema_inference = true;
    t->spec.conf.memory_limit = MEMORY;
    t->spec.conf.time_zone = zone_name;
    t->spec.conf.settle_ms = 0;
    return WEIR_OK;
}

weir_rc
weir_files_table_open(const char *format, const char *path, const char *zone_name, struct weir_stop *stop,
                      struct weir_files_table **out, struct weir_error *err)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "files");
    struct weir_files_table *t = mem == NULL ? NULL : weir_mem_zalloc(mem, sizeof(*t));
    bool changed;
    weir_rc rc;

    *out = NULL;
    if (t == NULL) {
        weir_mem_free(mem);
        return weir_fail(err, WEIR_NOMEM, "no memory to read files");
    }
    t->mem = mem;
    WEIR_GO(files_spec(t, format, weir_mem_strdup(mem, path), weir_mem_strdup(mem, zone_name), err));
    t->opened = true;
    WEIR_GO(pipeline_init(&t->p, &t->spec, stop, err));
    WEIR_GO(pipeline_open_source(&t->p, err));
    WEIR_GO(t->p.source_type->newest(t->p.source, err));
    WEIR_GO(t->p.source_type->sample(t->p.source, UINT32_MAX, UINT64_MAX, &t->tasks, err));
    rc = pipeline_settle(&t->p, -1, true, err);
    if (rc == WEIR_NOTFOUND && t->p.schema == NULL) { /* a slip in the query: none will come */
        weir_fail(err, WEIR_USAGE, "there is no record to infer the schema from");
        rc = weir_error_hint(err, "name a folder, a file or a pattern that has a record in it");
    }
    WEIR_GO(rc);
    WEIR_GO(weir_reader_paths(t->p.reader, &t->tasks, &changed, err));
    WEIR_GO(weir_reader_bind(t->p.reader, true, err));
    *out = t;
out:
    if (rc != WEIR_OK) {
        weir_files_table_close(t);
        return weir_error_context(err, "%s.`%s`", format, path);
    }
    return rc;
}

void
weir_files_table_close(struct weir_files_table *t)
{
    if (t == NULL)
        return;
    weir_scan_close(t->scan);
    weir_tasks_fini(&t->tasks);
    if (t->opened)
        pipeline_fini(&t->p);
    weir_mem_free(t->mem);
}

const struct weir_type *
weir_files_table_schema(const struct weir_files_table *t)
{
    return weir_reader_schema(t->p.reader);
}

uint64_t
weir_files_table_bytes(const struct weir_files_table *t)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < t->tasks.n; i++)
        bytes += t->tasks.at[i].size > 0 ? (uint64_t)t->tasks.at[i].size : 0;
    return bytes;
}

weir_rc
weir_files_table_feed(struct weir_files_table *t, unsigned lanes, _Atomic bool *failed,
                      struct weir_feed *feed, struct weir_error *err)
{
    const struct weir_scan_env env = {.batch_time_ms = weir_now_ms(),
                                      .window_bytes = t->p.budget.window_bytes,
                                      .lanes = lanes,
                                      .quota = &t->p.quota,
                                      .failed = failed};

    weir_scan_close(t->scan);
    t->scan = NULL;
    WEIR_TRY(weir_scan_open(t->p.reader, &t->tasks, &env, &t->scan, err));
    weir_scan_feed(t->scan, feed);
    return WEIR_OK;
}
