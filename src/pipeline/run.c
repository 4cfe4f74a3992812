/* A run: takes the lease, checks, finishes what an earlier run left, then batch after batch as the trigger says.
 *
 * The order in batch N, each gap a fail point:
 *   plan (sources/S/N) -> offsets/N -> data files -> table commit with txn(query, N) -> commits/N -> source told
 * 1. Nothing is acknowledged before commits/N is durable.
 * 2. offsets/N and commits/N are put if absent; who loses either stops with FENCED and cleans nothing shared.
 * 3. At start the sink is asked for its own txn before the source is touched: a batch that it holds is not read again.
 * 4. A stop drops the running batch: its range is durable and runs again at the next start.
 * Threads: all on the control thread, which is lane 0 of each batch. */
#include "pipeline/run.h"

#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/point.h"
#include "base/time.h"
#include "pipeline/pipeline.h"
#include "schema/log.h"

struct run {
    struct weir_pipeline p;
    const struct weir_run_options *opt;
    const struct weir_run_observer *obs;
    weir_trigger trigger;
    struct weir_run_totals totals;
    int64_t next;          /* id of the next batch */
    char *from;            /* offset where it starts; NULL: the beginning. Heap, by strdup */
    int64_t last_batch_ms; /* when the last one began */
};

static weir_rc
run_set_from(struct run *r, const char *offset, struct weir_error *err)
{
    char *copy = offset == NULL ? NULL : strdup(offset);

    if (offset != NULL && copy == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory for an offset");
    free(r->from);
    r->from = copy;
    return WEIR_OK;
}

/* commits/N, then the source. The batch is done when this returns OK. */
static weir_rc
run_commit(struct run *r, const struct weir_batch_record *rec, struct weir_error *err)
{
    const struct weir_source_type *type = r->p.source_type;

    if (r->p.checkpoint != NULL)
        WEIR_TRY(weir_checkpoint_commit(r->p.checkpoint, rec->id, err));
    WEIR_TRY(weir_point(WEIR_POINT_COMMITS, err));
    WEIR_TRY(weir_point(WEIR_POINT_ACK_HALF, err));
    if (type->committed != NULL)
        WEIR_TRY(type->committed(r->p.source, rec->id, rec->offset, err));
    return weir_point(WEIR_POINT_ACK, err);
}

/* The next batch begins where this one ended. */
static weir_rc
run_advance(struct run *r, const struct weir_batch_record *rec, struct weir_error *err)
{
    WEIR_TRY(run_set_from(r, rec->offset, err));
    r->next = rec->id + 1;
    if (r->p.checkpoint != NULL)
        weir_checkpoint_purge(r->p.checkpoint, r->p.spec->conf.batches_to_retain);
    return WEIR_OK;
}

static weir_rc
run_report(struct run *r, const struct weir_batch_record *rec, const struct weir_batch_result *result, bool replay,
           int64_t began_ms, struct weir_error *err)
{
    struct weir_progress g = {.rec = rec, .from = r->from, .result = result, .replay = replay};
    struct weir_buf buf = WEIR_BUF(WEIR_SMALL_MAX * 4);
    weir_rc rc = WEIR_OK;

    r->totals.batches++;
    r->totals.rows += result->rows;
    r->totals.files += result->files;
    r->totals.bytes += result->bytes;
    r->totals.rescued += result->count.rescued;
    r->totals.corrupt += result->count.corrupt;
    r->totals.values_lost += result->count.lost;
    r->totals.dropped += result->count.dropped;
    if (result->sink.version >= 0)
        r->totals.version = result->sink.version;
    if (r->last_batch_ms > 0 && began_ms > r->last_batch_ms)
        g.input_rows_per_second = (double)result->rows * 1000 / (double)(began_ms - r->last_batch_ms);
    r->last_batch_ms = began_ms;
    if (r->obs == NULL || r->obs->progress == NULL)
        return WEIR_OK;
    WEIR_GO(weir_progress_print(&r->p, &g, &buf, err));
    r->obs->progress(r->obs->self, buf.data, buf.len);
out:
    weir_buf_fini(&buf);
    return rc;
}

/* rec is durable: the batch itself, commits/N, the source, the report. */
static weir_rc
run_batch(struct run *r, const struct weir_batch_record *rec, bool replay, struct weir_batch_result *result,
          int64_t began_us, struct weir_error *err)
{
    int64_t began_ms = weir_now_ms() - (weir_mono_us() - began_us) / 1000, at;
    weir_rc rc;

    WEIR_GO(weir_batch_run(&r->p, rec, r->from, r->obs, result, err));
    at = weir_mono_us();
    WEIR_GO(run_commit(r, rec, err));
    result->us.commit = weir_mono_us() - at;
    result->us.total = weir_mono_us() - began_us;
    WEIR_GO(run_report(r, rec, result, replay, began_ms, err));
    WEIR_GO(run_advance(r, rec, err));
    if (r->p.sink_type->tidy != NULL)
        r->p.sink_type->tidy(r->p.sink);
out:
    return rc == WEIR_OK ? rc : weir_error_context(err, "batch %" PRId64, rec->id);
}

/* The schema of the first batch. END: there is no record yet to infer it from; an endless run waits for one. */
static weir_rc
run_settle(struct run *r, struct weir_error *err)
{
    weir_rc rc = pipeline_settle(&r->p, -1, false, err);

    /* With a schema it was the sink that found no table. */
    if (rc != WEIR_NOTFOUND || r->p.schema != NULL || r->p.bounded)
        return rc;
    weir_error_clear(err);
    return WEIR_END;
}

/* A new batch, when there is something new. END: nothing. */
static weir_rc
run_next(struct run *r, bool look, struct weir_error *err)
{
    const struct weir_source_type *type = r->p.source_type;
    struct weir_admit_limits limits = {.all = r->trigger == WEIR_TRIGGER_ONCE};
    struct weir_batch_record rec = {.id = r->next, .schema_version = -1, .fingerprint = r->p.spec->fingerprint};
    struct weir_batch_result result = {.sink = {.version = -1}};
    struct weir_mem *mem = weir_mem_new(NULL, &r->p.quota, "batch");
    int64_t began = weir_mono_us();
    weir_rc rc;

    if (mem == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory for a batch");
    if (look)
        WEIR_GO(type->newest(r->p.source, err));
    WEIR_GO(weir_point(WEIR_POINT_PLANNED, err));
    WEIR_GO(type->admit(r->p.source, rec.id, r->from, &limits, mem, &rec.offset, err));
    result.us.latest = weir_mono_us() - began;
    if (r->p.schema == NULL)
        WEIR_GO(run_settle(r, err)); /* only now: a run that finds nothing new lists once and opens no schema */
    result.us.bind = weir_mono_us() - began - result.us.latest;
    if (r->p.query != NULL)
        WEIR_GO(weir_query_pin(r->p.query, &rec.tables, err));
    rec.time_ms = weir_now_ms();
    rec.schema_version = weir_reader_schema_version(r->p.reader);
    if (r->p.checkpoint != NULL)
        WEIR_GO(weir_checkpoint_plan(r->p.checkpoint, &rec, err));
    WEIR_GO(weir_point(WEIR_POINT_OFFSETS, err));
    if (type->discovered != NULL)
        WEIR_GO(type->discovered(r->p.source, rec.id, rec.offset, err));
    result.us.plan = weir_mono_us() - began - result.us.latest - result.us.bind;
    WEIR_GO(run_batch(r, &rec, false, &result, began, err));
out:
    weir_mem_free(mem);
    return rc;
}

/* The batch that an earlier run planned and did not finish. */
static weir_rc
run_replay(struct run *r, int64_t id, struct weir_error *err)
{
    struct weir_batch_result result = {.sink = {.version = -1, .already = true}};
    struct weir_batch_record rec;
    struct weir_sink_state state = {.newest = -1};
    struct weir_mem *mem = weir_mem_new(NULL, &r->p.quota, "batch");
    int64_t began = weir_mono_us();
    weir_rc rc;

    if (mem == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory for a batch");
    WEIR_GO(weir_checkpoint_read(r->p.checkpoint, id, mem, &rec, err));
    if (rec.offset == NULL)
        WEIR_GO(weir_fail(err, WEIR_CORRUPT, "offsets/%" PRId64 " of the checkpoint has no offset", id));
    WEIR_GO(r->p.source_type->check(r->p.source, r->from, rec.offset, err));
    if (rec.fingerprint != 0 && rec.fingerprint != r->p.spec->fingerprint)
        weir_warn("the pipeline changed since batch %" PRId64 " was planned; the batch runs as the pipeline is now", id);
    if (r->p.spec->sink.path != NULL)
        WEIR_GO(r->p.sink_type->state(r->p.sink, &state, err));
    if (state.newest >= id) {
        weir_info("batch %" PRId64 " is in the table already; nothing is read again", id);
        result.sink.version = state.version;
        WEIR_GO(run_commit(r, &rec, err));
        result.us.total = weir_mono_us() - began;
        WEIR_GO(run_report(r, &rec, &result, true, weir_now_ms(), err));
        WEIR_GO(run_advance(r, &rec, err));
        goto out;
    }
    weir_info("batch %" PRId64 " was planned and not finished; the same range runs again", id);
    WEIR_GO(r->p.source_type->newest(r->p.source, err));
    r->p.tables = rec.tables;
    if (r->p.schema == NULL)
        WEIR_GO(pipeline_settle(&r->p, rec.schema_version, false, err));
    if (r->p.source_type->discovered != NULL)
        WEIR_GO(r->p.source_type->discovered(r->p.source, rec.id, rec.offset, err));
    WEIR_GO(run_batch(r, &rec, true, &result, began, err));
out:
    weir_mem_free(mem);
    return rc;
}

/* Where the checkpoint stands: the source is told again of the newest committed batch; a planned one is finished. */
static weir_rc
run_resume(struct run *r, struct weir_error *err)
{
    int64_t planned, committed;
    struct weir_batch_record rec;
    struct weir_mem *mem;
    weir_rc rc = WEIR_OK;

    if (r->p.checkpoint == NULL)
        return WEIR_OK;
    planned = weir_checkpoint_planned(r->p.checkpoint);
    committed = weir_checkpoint_committed(r->p.checkpoint);
    if (committed > planned || planned > committed + 1)
        return weir_fail(err, WEIR_CORRUPT,
                         "the checkpoint's newest offsets are %" PRId64 ", its newest commits %" PRId64, planned, committed);
    mem = weir_mem_new(NULL, &r->p.quota, "resume");
    if (mem == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory to resume");
    if (committed >= 0) {
        WEIR_GO(weir_checkpoint_read(r->p.checkpoint, committed, mem, &rec, err));
        if (rec.offset != NULL) {
            WEIR_GO(r->p.source_type->check(r->p.source, NULL, rec.offset, err));
            if (r->p.source_type->committed != NULL)
                WEIR_GO(r->p.source_type->committed(r->p.source, committed, rec.offset, err));
        }
        WEIR_GO(run_set_from(r, rec.offset, err));
    }
    r->next = committed + 1;
    if (planned > committed)
        WEIR_GO(run_replay(r, planned, err));
out:
    weir_mem_free(mem);
    return rc;
}

static weir_rc
run_bounded(struct run *r, struct weir_error *err)
{
    bool once = r->trigger == WEIR_TRIGGER_ONCE;
    weir_rc rc = WEIR_OK;

    for (bool look = true; rc == WEIR_OK; look = false) {
        rc = weir_stop_check(r->p.stop, err);
        if (rc == WEIR_OK)
            rc = run_next(r, look, err);
        if (once && rc == WEIR_OK)
            break;
    }
    return rc == WEIR_END ? WEIR_OK : rc;
}

static weir_rc
run_endless(struct run *r, struct weir_error *err)
{
    const struct weir_conf *conf = &r->p.spec->conf;
    int64_t every = r->trigger == WEIR_TRIGGER_PROCESSING_TIME ? r->p.spec->trigger_ms : 0;

    for (;;) {
        int64_t began = weir_now_ms(), wait;
        weir_rc rc;

        WEIR_TRY(weir_stop_check(r->p.stop, err));
        rc = run_next(r, true, err);
        if (rc != WEIR_OK && rc != WEIR_END)
            return rc;
        if (every > 0) /* aligned on multiples since 1970; missed ticks are dropped */
            wait = (began / every + 1) * every - weir_now_ms();
        else
            wait = rc == WEIR_END ? conf->polling_delay_ms : began + conf->min_commit_ms - weir_now_ms();
        if (wait > 0)
            WEIR_TRY(weir_stop_wait(r->p.stop, wait, err));
    }
}

/* Everything is looked at before the first byte is written: first the options, then the table against the
 * checkpoint, and only then is a new checkpoint given its id. */
static weir_rc
run_open(struct run *r, struct weir_error *err)
{
    struct weir_pipeline *p = &r->p;
    const char *uri = p->spec->checkpoint, *id = NULL;
    int64_t wait = r->opt->if_running == WEIR_IF_RUNNING_WAIT ? INT64_MAX : 0;

    if (uri != NULL) {
        WEIR_TRY(weir_checkpoint_open(uri, false, p->mem, &p->checkpoint, err));
        WEIR_TRY(weir_lease_take(p->checkpoint, p->run_id, wait, p->stop, &p->lease, err));
        WEIR_TRY(weir_checkpoint_refresh(p->checkpoint, err));
        id = weir_checkpoint_id(p->checkpoint);
    }
    WEIR_TRY(pipeline_open_source(p, err));
    WEIR_TRY(pipeline_open_sink(p, id == NULL ? "" : id, err));
    WEIR_TRY(pipeline_check_options(p, err));
    WEIR_TRY(pipeline_start_checks(p, r->opt->accept, err));
    if (uri == NULL)
        return WEIR_OK;
    if (id == NULL) {
        WEIR_TRY(weir_checkpoint_create(p->checkpoint, err));
        id = weir_checkpoint_id(p->checkpoint);
        WEIR_TRY(pipeline_open_sink(p, id, err));
    }
    return p->schema_location == NULL ? WEIR_OK : weir_schema_log_own(p->schema_location, id, p->spec->name, err);
}

weir_rc
weir_pipeline_run(const struct weir_spec *spec, const struct weir_run_options *opt, const struct weir_run_observer *obs,
                  struct weir_stop *stop, struct weir_error *err)
{
    struct run r = {.opt = opt, .obs = obs, .totals = {.version = -1}};
    int64_t began = weir_mono_us();
    weir_rc rc;

    r.trigger = opt->has_trigger ? opt->trigger_override : spec->trigger;
    WEIR_GO(pipeline_init(&r.p, spec, stop, err));
    if (opt->source != NULL)
        r.p.source_type = opt->source;
    r.p.bounded = r.trigger == WEIR_TRIGGER_AVAILABLE_NOW || r.trigger == WEIR_TRIGGER_ONCE;
    rc = run_open(&r, err);
    if (rc == WEIR_FENCED && r.p.lease == NULL && opt->if_running == WEIR_IF_RUNNING_SKIP) {
        weir_info("%s is running already: %s", spec->name, err->what);
        weir_error_clear(err);
        r.totals.skipped = true;
        rc = WEIR_OK;
        goto out;
    }
    WEIR_GO(rc);
    WEIR_GO(run_resume(&r, err));
    if (r.p.bounded)
        WEIR_GO(run_bounded(&r, err));
    else
        WEIR_GO(run_endless(&r, err));
out:
    r.totals.elapsed_ms = (weir_mono_us() - began) / 1000;
    if (obs != NULL && obs->done != NULL)
        obs->done(obs->self, &r.totals);
    free(r.from);
    pipeline_fini(&r.p);
    return rc == WEIR_OK ? rc : weir_error_context(err, "pipeline %s", spec->name);
}
