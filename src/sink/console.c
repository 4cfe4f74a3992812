/* The console sink: each batch's first rows on stdout, as Spark prints them. Keeps nothing.
 *
 * A batch is printed when it is whole, in commit(): a run that is repeated prints once. The rows shown are
 * the first that came; with several lanes which ones those are is not fixed.
 * Threads: lanes take turns under a lock; all else on the control thread. */
#include "sink/sink.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#include "base/limits.h"
#include "base/str.h"
#include "column/show.h"

enum { WIDTH = 20 }; /* show()'s */

#define TEXT_MAX (64 * WEIR_MIB)

struct console_sink {
    struct {
        int64_t rows;
        bool truncate;
    } opt;
    struct weir_quota *quota;
    const struct weir_zone *zone;
    pthread_mutex_t lock;
    struct weir_show show; /* of the running batch */
    struct weir_buf text;
    int64_t batch;
};

static const struct weir_option console_options[] = {
    {"numRows", WEIR_OPT_INT, WEIR_HONOURED, offsetof(struct console_sink, opt.rows), "20", NULL,
     "how many rows of a batch are shown"},
    {"truncate", WEIR_OPT_BOOL, WEIR_HONOURED, offsetof(struct console_sink, opt.truncate), "true", NULL,
     "whether texts of more than 20 characters are cut"},
    WEIR_OPTION_END,
};

static weir_rc
console_open(void *self, const struct weir_sink_env *env, struct weir_error *err)
{
    struct console_sink *s = self;

    s->quota = env->quota;
    s->zone = env->zone;
    pthread_mutex_init(&s->lock, NULL);
    weir_buf_init(&s->text, TEXT_MAX, env->quota);
    if (weir_options_apply(console_options, s, env->options, err) != WEIR_OK)
        return err->rc;
    if (s->opt.rows < 1)
        return weir_fail(err, WEIR_USAGE, "numRows must be at least 1");
    return WEIR_OK;
}

static const char *
console_describe(void *self)
{
    (void)self;
    return "ConsoleSink";
}

static weir_rc
console_state(void *self, struct weir_sink_state *out, struct weir_error *err)
{
    (void)self;
    (void)err;
    *out = (struct weir_sink_state){.newest = -1, .version = -1};
    return WEIR_OK;
}

static weir_rc
console_bind(void *self, const struct weir_type *schema, struct weir_error *err)
{
    (void)self;
    (void)schema;
    (void)err;
    return WEIR_OK;
}

/* --- a batch
 * ----------------------------------------------------------------------------------------------------- */

static weir_rc
console_lane_open(void *self, unsigned lane, void **out, struct weir_error *err)
{
    (void)lane;
    (void)err;
    *out = self;
    return WEIR_OK;
}

static weir_rc
console_write(void *lane, const struct weir_page *page, struct weir_error *err)
{
    struct console_sink *s = lane;
    weir_rc rc;

    pthread_mutex_lock(&s->lock);
    rc = weir_show_write(&s->show, page, err);
    pthread_mutex_unlock(&s->lock);
    return rc;
}

static weir_rc
console_lane_finish(void *lane, struct weir_error *err)
{
    (void)lane;
    (void)err;
    return WEIR_OK;
}

static void
console_lane_close(void *lane)
{
    (void)lane;
}

static weir_rc
console_text(void *self, const char *text, size_t len, struct weir_error *err)
{
    struct console_sink *s = self;

    weir_buf_add(&s->text, text, len);
    return weir_buf_check(&s->text, err);
}

static void
console_drop(struct console_sink *s)
{
    weir_show_fini(&s->show);
    weir_buf_reset(&s->text);
}

static weir_rc
console_prepare(void *self, const struct weir_sink_batch *batch, struct weir_drain *drain,
                struct weir_error *err)
{
    struct console_sink *s = self;

    (void)err;
    console_drop(s);
    s->batch = batch->id;
    s->show = (struct weir_show){.format = WEIR_SHOW_TABLE,
                                 .schema = batch->schema,
                                 .zone = s->zone,
                                 .width = s->opt.truncate ? WIDTH : 0,
                                 .most = (uint64_t)s->opt.rows,
                                 .out = console_text,
                                 .self = s,
                                 .quota = s->quota};
    *drain = (struct weir_drain){.self = self,
                                 .lane_open = console_lane_open,
                                 .write = console_write,
                                 .lane_finish = console_lane_finish,
                                 .lane_close = console_lane_close};
    return WEIR_OK;
}

static weir_rc
console_commit(void *self, struct weir_sink_result *out, struct weir_error *err)
{
    static const char rule[] = "-------------------------------------------";
    struct console_sink *s = self;

    *out = (struct weir_sink_result){.version = -1, .rows = s->show.rows};
    WEIR_TRY(weir_show_finish(&s->show, err));
    if (printf("%s\nBatch: %" PRId64 "\n%s\n%.*s\n", rule, s->batch, rule, (int)s->text.len, s->text.data) <
            0 ||
        fflush(stdout) != 0)
        return weir_fail(err, WEIR_IO, "stdout cannot be written");
    console_drop(s);
    return WEIR_OK;
}

static void
console_abort(void *self)
{
    console_drop(self);
}

static void
console_close(void *self)
{
    struct console_sink *s = self;

    weir_show_fini(&s->show);
    weir_buf_fini(&s->text);
    if (s->quota != NULL)
        pthread_mutex_destroy(&s->lock);
}

const struct weir_sink_type weir_sink_console = {
    .name = "console",
    .about = "shows the first rows of each batch on stdout",
    .options = console_options,
    .self_size = sizeof(struct console_sink),
    .open = console_open,
    .describe = console_describe,
    .state = console_state,
    .bind = console_bind,
    .prepare = console_prepare,
    .commit = console_commit,
    .abort = console_abort,
    .close = console_close,
};
