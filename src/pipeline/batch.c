/* One batch, from its durable range to the table commit.
 *
 * Batch N is a function of (offsets N-1, offsets N, batch time, schema version). When it meets unknown fields and the
 * evolution mode wants them, all that was written is dropped, the schema gets one new version, and the same range
 * runs once more; so there is one table commit, and a crash at any point leaves a range that runs again. */
#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/point.h"
#include "base/time.h"
#include "codec/compress.h"
#include "pipeline/drive.h"
#include "pipeline/pipeline.h"

enum { ATTEMPTS = 3 };

struct batch {
    struct weir_pipeline *p;
    const struct weir_batch_record *rec;
    const struct weir_run_observer *obs;
    struct weir_sink_batch sink;
    struct weir_tasks tasks;
    struct weir_scan *scan;
    struct weir_drive drive;
    struct weir_batch_result *out;
    char first_lost[1024];
};

static void
batch_tick(void *self)
{
    struct batch *b = self;
    struct weir_scan_totals t;

    weir_scan_totals(b->scan, &t);
    b->obs->tick(b->obs->self, t.objects, t.bytes, atomic_load(&b->drive.rows));
}

static void
batch_begin(struct batch *b)
{
    struct weir_backlog left = {0};
    uint64_t bytes = 0;

    if (b->obs == NULL || b->obs->batch_begin == NULL)
        return;
    for (uint32_t i = 0; i < b->tasks.n; i++)
        bytes += b->tasks.at[i].size > 0 ? (uint64_t)b->tasks.at[i].size : 0;
    b->p->source_type->backlog(b->p->source, &left);
    b->obs->batch_begin(b->obs->self, b->rec->id, b->tasks.n, bytes, left.objects, left.bytes);
}

static weir_rc
value_lost(struct batch *b, struct weir_error *err)
{
    uint64_t lost = b->out->count.lost;

    if (lost == 0)
        return WEIR_OK;
    if (b->p->spec->conf.on_value_lost == 0) {
        weir_warn("batch %" PRId64 ": %" PRIu64 " values did not fit and have no column to be kept in; the first in %s",
                  b->rec->id, lost, b->first_lost);
        return WEIR_OK;
    }
    weir_fail(err, WEIR_BADDATA, "%" PRIu64 " values do not fit and have no column to be kept in; the first in %s",
              lost, b->first_lost);
    return weir_error_hint(err, "add _corrupt_record STRING to the schema or rescuedDataColumn to the options, or set "
                                "weir.onValueLost: count");
}

static void
batch_count(struct batch *b)
{
    const char *lost = weir_scan_first_lost(b->scan);
    struct weir_scan_totals t;

    weir_scan_totals(b->scan, &t);
    b->out->rows = atomic_load(&b->drive.rows);
    b->out->files = t.objects;
    b->out->bytes = t.bytes;
    b->out->missing = t.missing;
    b->out->damaged = t.damaged;
    b->out->count = t.count;
    snprintf(b->first_lost, sizeof(b->first_lost), "%s", lost == NULL ? "" : lost);
}

/* A lane writes a file of its own, so one is only worth it for some bytes of input. */
static unsigned
batch_lanes(const struct batch *b)
{
    enum { INFLATED = 8 }; /* what text usually comes to */
    uint64_t bytes = 0, lanes;

    for (uint32_t i = 0; i < b->tasks.n; i++) {
        const struct weir_task *t = &b->tasks.at[i];
        uint64_t size = t->block != NULL ? t->block->len : t->size > 0 ? (uint64_t)t->size : 0;

        bytes += t->key != NULL && weir_compression_of(t->key) != WEIR_RAW ? size * INFLATED : size;
    }
    lanes = 1 + bytes / (4 * WEIR_MIB);
    return lanes < b->p->budget.lanes ? (unsigned)lanes : b->p->budget.lanes;
}

/* The query with SQL: bound for this batch, so that current_timestamp() and the tables are the same at each replay. */
static weir_rc
batch_query(struct batch *b, struct weir_error *err)
{
    struct weir_pipeline *p = b->p;
    const struct weir_query_run run = {.feed = b->drive.feed,
                                       .drain = b->drive.drain,
                                       .lanes = b->drive.lanes,
                                       .failed = &b->drive.failed,
                                       .taken = &b->drive.rows,
                                       .tick = b->drive.tick,
                                       .tick_self = b->drive.tick_self};
    const struct weir_type *schema;

    WEIR_TRY(weir_query_bind(p->query, weir_reader_schema(p->reader), b->rec->tables, b->rec->time_ms * 1000, &schema, err));
    if (!weir_type_equal(schema, p->schema))
        return weir_fail(err, WEIR_SCHEMA, "a table of the query has another schema at the version that the batch was "
                                           "planned with");
    return weir_query_run(p->query, &run, err);
}

static weir_rc
batch_drive(struct batch *b, struct weir_error *err)
{
    return b->p->query == NULL ? weir_drive_run(&b->drive, err) : batch_query(b, err);
}

/* Reads and writes the whole range once. Data files are durable at the end, nothing is committed. */
static weir_rc
batch_attempt(struct batch *b, const struct weir_task **unknown, struct weir_error *err)
{
    struct weir_pipeline *p = b->p;
    struct weir_scan_env env = {.batch = b->rec->id,
                                .batch_time_ms = b->rec->time_ms,
                                .window_bytes = p->budget.window_bytes,
                                .lanes = p->budget.lanes,
                                .quota = &p->quota,
                                .failed = &b->drive.failed};
    struct weir_drain drain;
    struct weir_feed feed;
    weir_rc rc;

    *unknown = NULL;
    b->drive = (struct weir_drive){.feed = &feed,
                                   .drain = &drain,
                                   .projection = p->projection,
                                   .lanes = batch_lanes(b),
                                   .quota = &p->quota,
                                   .tick = b->obs != NULL && b->obs->tick != NULL ? batch_tick : NULL,
                                   .tick_self = b};
    b->sink.schema = p->schema;
    WEIR_GO(weir_scan_open(p->reader, &b->tasks, &env, &b->scan, err));
    weir_scan_feed(b->scan, &feed);
    WEIR_GO(p->sink_type->prepare(p->sink, &b->sink, &drain, err));
    WEIR_GO(batch_drive(b, err));
    batch_count(b);
    *unknown = weir_scan_unknown(b->scan);
out:
    if (rc != WEIR_OK)
        p->sink_type->abort(p->sink);
    weir_scan_close(b->scan);
    b->scan = NULL;
    return rc;
}

/* A wider schema for the batch, when its new fields can be columns. The sink is asked before the version is kept: a
 * refusal leaves nothing behind. */
static weir_rc
batch_evolve(struct batch *b, const struct weir_task *first, bool *changed, struct weir_error *err)
{
    struct weir_pipeline *p = b->p;

    WEIR_TRY(weir_reader_evolve(p->reader, p->schema_location, &b->tasks, first, b->rec->id, changed, err));
    if (!*changed)
        return WEIR_OK;
    p->sink_type->abort(p->sink);
    WEIR_TRY(pipeline_bind(p, err));
    WEIR_TRY(weir_reader_keep(p->reader, p->schema_location, err));
    return weir_point(WEIR_POINT_SCHEMA_LOG, err);
}

/* A query that did not fit runs once more, in one lane with what the others leave: the range is promised already. */
static weir_rc
batch_attempt_fitting(struct batch *b, const struct weir_task **unknown, struct weir_error *err)
{
    weir_rc rc = batch_attempt(b, unknown, err);

    if (rc != WEIR_NOMEM || b->p->query == NULL || !weir_query_narrow(b->p->query))
        return rc;
    weir_warn("batch %" PRId64 ": %s; it runs again in one lane", b->rec->id, err->what);
    weir_error_clear(err);
    return batch_attempt(b, unknown, err);
}

static weir_rc
batch_read(struct batch *b, struct weir_error *err)
{
    const struct weir_task *unknown;
    bool changed = true;
    weir_rc rc = WEIR_OK;

    for (int i = 0; i < ATTEMPTS && changed; i++) {
        WEIR_TRY(batch_attempt_fitting(b, &unknown, err));
        changed = false;
        if (unknown != NULL && i < ATTEMPTS - 1)
            WEIR_GO(batch_evolve(b, unknown, &changed, err));
    }
    WEIR_GO(value_lost(b, err));
out:
    if (rc != WEIR_OK)
        b->p->sink_type->abort(b->p->sink);
    return rc;
}

/* CONFLICT: another writer changed the table's schema meanwhile; nothing of this attempt is left. */
static weir_rc
batch_write(struct batch *b, struct weir_error *err)
{
    struct weir_pipeline *p = b->p;
    weir_rc rc;

    WEIR_TRY(batch_read(b, err));
    rc = weir_point(WEIR_POINT_FILE_SYNCED, err);
    if (rc == WEIR_OK && p->lease != NULL)
        rc = weir_lease_check(p->lease, err);
    if (rc != WEIR_OK) {
        p->sink_type->abort(p->sink);
        return rc;
    }
    WEIR_TRY(p->sink_type->commit(p->sink, &b->out->sink, err));
    return weir_point(WEIR_POINT_SINK, err);
}

weir_rc
weir_batch_run(struct weir_pipeline *p, const struct weir_batch_record *rec, const char *from,
               const struct weir_run_observer *obs, struct weir_batch_result *out, struct weir_error *err)
{
    struct batch b = {.p = p, .rec = rec, .obs = obs, .out = out};
    int64_t began = weir_mono_us();
    bool changed;
    weir_rc rc;

    b.sink = (struct weir_sink_batch){.id = rec->id, .time_ms = rec->time_ms, .from = from, .to = rec->offset};
    WEIR_GO(p->source_type->tasks(p->source, from, rec->offset, &b.tasks, err));
    out->us.tasks = weir_mono_us() - began;
    batch_begin(&b);
    if (p->schema == NULL)
        WEIR_GO(pipeline_settle(p, rec->schema_version, false, err));
    p->tables = rec->tables;
    WEIR_GO(weir_reader_paths(p->reader, &b.tasks, &changed, err));
    changed = changed || rec->tables != NULL; /* they may have another schema at this version */
    if (changed)
        WEIR_GO(pipeline_bind(p, err));
    out->us.bind += weir_mono_us() - began - out->us.tasks;
    rc = batch_write(&b, err);
    for (int again = 1; rc == WEIR_CONFLICT && again < ATTEMPTS; again++) {
        weir_warn("batch %" PRId64 ": %s; it is written anew", rec->id, err->what);
        weir_error_clear(err);
        WEIR_GO(pipeline_bind(p, err));
        rc = batch_write(&b, err);
    }
    out->us.add = weir_mono_us() - began - out->us.tasks;
out:
    p->tables = NULL; /* the record's */
    weir_tasks_fini(&b.tasks);
    return rc;
}
