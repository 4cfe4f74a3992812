/* One batch's objects to pages, for all lanes at once. */
#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "reader/reader_int.h"

struct lane {
    struct weir_scan *scan;
    struct stream *stream;
    struct weir_records rec;
    void *decoder;
    int32_t *source;                  /* the reader's, but for columns that the object's path does not name */
    const struct weir_task *decoding; /* whose URI the decoder knows */
};

weir_rc
weir_scan_open(struct weir_reader *r, const struct weir_tasks *tasks, const struct weir_scan_env *env,
               struct weir_scan **out, struct weir_error *err)
{
    struct weir_scan *scan = calloc(1, sizeof(*scan));
    weir_rc rc;

    *out = NULL;
    if (scan == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory to read a batch");
    scan->r = r;
    scan->tasks = tasks;
    scan->env = *env;
    atomic_init(&scan->unknown, UINT32_MAX);
    pthread_mutex_init(&scan->lock, NULL);
    WEIR_GO(weir_block_pool_new(env->quota, env->window_bytes, r->env.stop, &scan->pool, err));
    *out = scan;
    scan = NULL;
out:
    weir_scan_close(scan);
    return rc;
}

void
weir_scan_close(struct weir_scan *scan)
{
    if (scan == NULL)
        return;
    WEIR_ASSERT(scan->open == NULL);
    weir_block_pool_free(scan->pool);
    pthread_mutex_destroy(&scan->lock);
    free(scan);
}

static void
lane_release(struct lane *lane)
{
    weir_block_put(lane->rec.block);
    lane->rec = (struct weir_records){0};
}

static void
lane_close(void *self)
{
    struct lane *lane = self;

    if (lane == NULL)
        return;
    lane_release(lane);
    if (lane->stream != NULL)
        stream_put(lane->stream);
    if (lane->decoder != NULL)
        lane->scan->r->format->decoder_free(lane->decoder);
    free(lane->source);
    free(lane);
}

static weir_rc
lane_new(struct weir_scan *scan, struct lane **out, struct weir_error *err)
{
    struct lane *lane = calloc(1, sizeof(*lane));

    *out = lane;
    if (lane == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory for a lane");
    lane->scan = scan;
    return WEIR_OK;
}

/* A decoder for what lane->source says, in place of the one before. */
static weir_rc
lane_decoder(struct lane *lane, struct weir_error *err)
{
    const struct weir_reader *r = lane->scan->r;
    struct weir_decode_env env = {.schema = r->schema,
                                  .source = lane->source,
                                  .rescued = r->rescued,
                                  .corrupt = r->corrupt,
                                  .rescue_path = r->rescued >= 0,
                                  .track_unknown = r->evolution == EVOLVE_ADD || r->evolution == EVOLVE_FAIL,
                                  .quota = lane->scan->env.quota};

    if (lane->decoder != NULL)
        r->format->decoder_free(lane->decoder);
    lane->decoder = NULL;
    return r->format->decoder_new(r->format_opt, &env, &lane->decoder, err);
}

static weir_rc
lane_open(void *self, unsigned number, void **out, struct weir_error *err)
{
    struct weir_scan *scan = self;
    size_t size = (scan->r->schema->nfields + 1) * sizeof(*scan->r->source);
    struct lane *lane;
    weir_rc rc;

    (void)number;
    WEIR_TRY(lane_new(scan, &lane, err));
    lane->source = malloc(size);
    if (lane->source == NULL)
        WEIR_GO(weir_fail(err, WEIR_NOMEM, "no memory for a lane"));
    memcpy(lane->source, scan->r->source, size - sizeof(*lane->source));
    WEIR_GO(lane_decoder(lane, err));
    *out = lane;
    lane = NULL;
out:
    lane_close(lane);
    return rc;
}

/* The next records for this lane, from its own object or another's. */
static weir_rc
lane_records(struct lane *lane, struct weir_error *err)
{
    struct weir_scan *scan = lane->scan;

    lane_release(lane);
    for (;;) {
        weir_rc rc;

        if (atomic_load_explicit(scan->env.failed, memory_order_relaxed))
            return weir_fail(err, WEIR_STOPPED, "another lane has failed");
        if (lane->stream == NULL) {
            lane->stream = stream_take(scan, err, &rc);
            if (lane->stream == NULL)
                return rc;
        }
        rc = stream_next(lane->stream, &lane->rec, err);
        if (rc != WEIR_END)
            return rc;
        stream_put(lane->stream);
        lane->stream = NULL;
    }
}

/* A partition column that the object's path does not name is the records'. Whether that is another answer
 * than for the object before. */
static bool
lane_sources(struct lane *lane, const struct weir_task *task)
{
    const struct weir_reader *r = lane->scan->r;
    bool changed = false;

    for (uint32_t i = 0; i < r->schema->nfields; i++) {
        int32_t source = r->source[i];

        if (r->part_of[i] >= 0)
            source = !task_names(task, r->partition->fields[r->part_of[i]].name);
        changed |= source != lane->source[i];
        lane->source[i] = source;
    }
    return changed;
}

static weir_rc
lane_object(struct lane *lane, struct weir_error *err)
{
    const struct weir_task *task = lane->stream->task;
    struct weir_buf uri = WEIR_BUF(WEIR_SMALL_MAX);
    weir_rc rc;

    if (lane->decoding == task)
        return WEIR_OK;
    if (lane_sources(lane, task))
        WEIR_TRY(lane_decoder(lane, err));
    task_uri(task, &uri);
    rc = weir_buf_check(&uri, err);
    if (rc == WEIR_OK)
        lane->scan->r->format->decoder_object(lane->decoder, uri.data);
    weir_buf_fini(&uri);
    lane->decoding = task;
    return rc;
}

static void
scan_count(struct weir_scan *scan, const struct weir_task *task, const struct weir_page *page)
{
    const struct weir_count *c = &page->count;

    atomic_fetch_add(&scan->records, c->records);
    atomic_fetch_add(&scan->rescued, c->rescued);
    atomic_fetch_add(&scan->corrupt, c->corrupt);
    atomic_fetch_add(&scan->blank, c->blank);
    atomic_fetch_add(&scan->dropped, c->dropped);
    if (c->lost > 0 && atomic_fetch_add(&scan->lost, c->lost) == 0) {
        pthread_mutex_lock(&scan->lock);
        snprintf(scan->first_lost, sizeof(scan->first_lost), "%s, at or after byte %" PRId64, task_name(task),
                 page->rows > 0 ? page->pos[0] : 0);
        pthread_mutex_unlock(&scan->lock);
    }
}

/* A field that the schema lacks. The earliest object of all lanes' is kept: it does not hang on who is faster. */
static weir_rc
lane_unknown(struct lane *lane, const struct weir_task *task, struct weir_error *err)
{
    struct weir_scan *scan = lane->scan;
    uint32_t at = (uint32_t)(task - scan->tasks->at), seen = atomic_load(&scan->unknown);

    if (scan->r->evolution == EVOLVE_FAIL)
        return weir_error_hint(err, "cloudFiles.schemaEvolutionMode is failOnNewColumns: add the field to "
                                    "cloudFiles.schemaHints, take the file away, or choose another mode");
    weir_error_clear(err);
    while (at < seen && !atomic_compare_exchange_weak(&scan->unknown, &seen, at))
        ;
    return WEIR_OK;
}

/* One page of the lane's records, which may have no rows. */
static weir_rc
lane_page(struct lane *lane, struct weir_page *page, struct weir_error *err)
{
    const struct weir_task *task = lane->stream->task;
    weir_rc rc;

    WEIR_GO(lane_object(lane, err));
    rc = lane->scan->r->format->decode(lane->decoder, &lane->rec, page, err);
    if (rc == WEIR_SCHEMA)
        rc = lane_unknown(lane, task, err);
    WEIR_GO(rc);
    page->object = task->object;
    if (page->rows > 0)
        WEIR_GO(constants_fill(lane->scan, task, page, err));
    scan_count(lane->scan, task, page);
out:
    return rc == WEIR_OK ? rc : weir_error_context(err, "%s", task_name(task));
}

static weir_rc
lane_next(void *self, struct weir_page *page, struct weir_error *err)
{
    struct lane *lane = self;

    do {
        weir_page_reset(page);
        if (lane->rec.at == lane->rec.end)
            WEIR_TRY(lane_records(lane, err)); /* END too */
        WEIR_TRY(lane_page(lane, page, err));
    } while (page->rows == 0);
    return WEIR_OK;
}

void
weir_scan_feed(struct weir_scan *scan, struct weir_feed *feed)
{
    *feed = (struct weir_feed){.schema = scan->r->schema,
                               .self = scan,
                               .lane_open = lane_open,
                               .next = lane_next,
                               .lane_close = lane_close};
}

weir_rc
scan_infer(struct weir_scan *scan, struct weir_infer *inf, struct weir_error *err)
{
    struct lane *lane;
    weir_rc rc;

    WEIR_TRY(lane_new(scan, &lane, err));
    while ((rc = lane_records(lane, err)) == WEIR_OK) {
        rc = scan->r->format->infer(scan->r->format_opt, &lane->rec, inf, err);
        if (rc != WEIR_OK) {
            weir_error_context(err, "%s", task_name(lane->stream->task));
            break;
        }
    }
    lane_close(lane);
    return rc == WEIR_END ? WEIR_OK : rc;
}

void
weir_scan_totals(struct weir_scan *scan, struct weir_scan_totals *out)
{
    *out = (struct weir_scan_totals){
        .objects = atomic_load(&scan->objects),
        .bytes = atomic_load(&scan->bytes),
        .missing = atomic_load(&scan->missing),
        .damaged = atomic_load(&scan->damaged),
        .count = {.records = atomic_load(&scan->records),
                  .rescued = atomic_load(&scan->rescued),
                  .corrupt = atomic_load(&scan->corrupt),
                  .blank = atomic_load(&scan->blank),
                  .dropped = atomic_load(&scan->dropped),
                  .lost = atomic_load(&scan->lost)},
    };
}

const struct weir_task *
weir_scan_unknown(const struct weir_scan *scan)
{
    uint32_t at = atomic_load(&scan->unknown);

    return at == UINT32_MAX ? NULL : &scan->tasks->at[at];
}

const char *
weir_scan_first_lost(struct weir_scan *scan)
{
    return atomic_load(&scan->lost) == 0 ? NULL : scan->first_lost;
}
