/* The sink that keeps nothing: for measuring a source, and for pipelines without a checkpoint.
 * Threads: lanes only count. */
#include "sink/sink.h"

#include <stdatomic.h>

struct noop_sink {
    _Atomic uint64_t rows;
};

static weir_rc
noop_open(void *self, const struct weir_sink_env *env, struct weir_error *err)
{
    (void)self;
    (void)env;
    (void)err;
    return WEIR_OK;
}

static const char *
noop_describe(void *self)
{
    (void)self;
    return "NoopSink";
}

static weir_rc
noop_state(void *self, struct weir_sink_state *out, struct weir_error *err)
{
    (void)self;
    (void)err;
    *out = (struct weir_sink_state){.newest = -1, .version = -1};
    return WEIR_OK;
}

static weir_rc
noop_bind(void *self, const struct weir_type *schema, struct weir_error *err)
{
    (void)self;
    (void)schema;
    (void)err;
    return WEIR_OK;
}

static weir_rc
noop_lane_open(void *self, unsigned lane, void **out, struct weir_error *err)
{
    (void)lane;
    (void)err;
    *out = self;
    return WEIR_OK;
}

static weir_rc
noop_write(void *lane, const struct weir_page *page, struct weir_error *err)
{
    struct noop_sink *s = lane;

    (void)err;
    atomic_fetch_add(&s->rows, page->rows);
    return WEIR_OK;
}

static weir_rc
noop_lane_finish(void *lane, struct weir_error *err)
{
    (void)lane;
    (void)err;
    return WEIR_OK;
}

static void
noop_lane_close(void *lane)
{
    (void)lane;
}

static weir_rc
noop_prepare(void *self, const struct weir_sink_batch *batch, struct weir_drain *drain, struct weir_error *err)
{
    struct noop_sink *s = self;

    (void)batch;
    (void)err;
    atomic_store(&s->rows, 0);
    *drain = (struct weir_drain){.self = self,
                                 .lane_open = noop_lane_open,
                                 .write = noop_write,
                                 .lane_finish = noop_lane_finish,
                                 .lane_close = noop_lane_close};
    return WEIR_OK;
}

static weir_rc
noop_commit(void *self, struct weir_sink_result *out, struct weir_error *err)
{
    struct noop_sink *s = self;

    (void)err;
    *out = (struct weir_sink_result){.version = -1, .rows = atomic_load(&s->rows)};
    return WEIR_OK;
}

static void
noop_abort(void *self)
{
    (void)self;
}

static void
noop_close(void *self)
{
    (void)self;
}

static const struct weir_option noop_options[] = {WEIR_OPTION_END};

const struct weir_sink_type weir_sink_noop = {
    .name = "noop",
    .about = "keeps nothing",
    .options = noop_options,
    .self_size = sizeof(struct noop_sink),
    .open = noop_open,
    .describe = noop_describe,
    .state = noop_state,
    .bind = noop_bind,
    .prepare = noop_prepare,
    .commit = noop_commit,
    .abort = noop_abort,
    .close = noop_close,
};
