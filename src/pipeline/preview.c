/* What a pipeline would write: its query over the files that are there, in one lane, for a person to look at.
 * */
#include "base/time.h"
#include "pipeline/drive.h"
#include "pipeline/pipeline.h"

/* begin is called once the schema is known, before the first row. */
static weir_rc
preview_drive(struct weir_pipeline *p, const struct weir_feed *feed, const struct weir_drain *drain,
              _Atomic bool *failed, struct weir_error *err)
{
    struct weir_drive native = {
        .feed = feed, .drain = drain, .projection = p->projection, .lanes = 1, .quota = &p->quota};
    const struct weir_query_run run = {.feed = feed, .drain = drain, .lanes = 1, .failed = failed};

    return p->query == NULL ? weir_drive_run(&native, err) : weir_query_run(p->query, &run, err);
}

/* A sample begins with the newest, since it is for a schema; a run begins with the oldest. */
static void
oldest_first(struct weir_tasks *tasks)
{
    for (uint32_t i = 0, k = tasks->n; i + 1 < k; i++) {
        struct weir_task last = tasks->at[--k];

        tasks->at[k] = tasks->at[i];
        tasks->at[i] = last;
    }
}

static weir_rc
preview_scan(struct weir_pipeline *p, const struct weir_tasks *tasks, const struct weir_drain *drain,
             struct weir_error *err)
{
    _Atomic bool failed = false;
    struct weir_scan_env env = {.batch_time_ms = weir_now_ms(),
                                .window_bytes = p->budget.window_bytes,
                                .lanes = 1,
                                .quota = &p->quota,
                                .failed = &failed};
    struct weir_scan *scan = NULL;
    struct weir_feed feed;
    weir_rc rc;

    WEIR_GO(weir_scan_open(p->reader, tasks, &env, &scan, err));
    weir_scan_feed(scan, &feed);
    rc = preview_drive(p, &feed, drain, &failed, err);
out:
    weir_scan_close(scan);
    return rc;
}

weir_rc
weir_pipeline_preview(const struct weir_spec *spec, struct weir_stop *stop, struct weir_drain *drain,
                      weir_rc (*begin)(void *self, const struct weir_type *schema,
                                       const struct weir_zone *zone, struct weir_error *err),
                      struct weir_error *err)
{
    struct weir_tasks tasks = {0};
    struct weir_pipeline p;
    bool changed;
    weir_rc rc;

    WEIR_GO(pipeline_init(&p, spec, stop, err));
    p.looking = true;
    WEIR_GO(pipeline_open_source(&p, err));
    WEIR_GO(p.source_type->newest(p.source, err));
    if (p.source_type->sample == NULL)
        WEIR_GO(weir_fail(err, WEIR_UNSUPPORTED, "the source %s cannot be looked at without a run",
                          spec->source.format));
    WEIR_GO(p.source_type->sample(p.source, UINT32_MAX, UINT64_MAX, &tasks, err));
    oldest_first(&tasks);
    WEIR_GO(pipeline_settle(&p, -1, true, err));
    WEIR_GO(weir_reader_paths(p.reader, &tasks, &changed, err));
    if (changed)
        WEIR_GO(pipeline_bind(&p, err));
    WEIR_GO(begin(drain->self, p.schema, p.zone, err));
    rc = preview_scan(&p, &tasks, drain, err);
out:
    weir_tasks_fini(&tasks);
    pipeline_fini(&p);
    return rc == WEIR_OK ? rc : weir_error_context(err, "pipeline %s", spec->name);
}
