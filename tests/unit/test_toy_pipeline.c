/* What a source that fetches first is told, and when: discovered() behind a durable offsets/N and before any data are
 * read, committed() behind a durable commits/N, and a replay asks for exactly the range that was planned. */
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include <inttypes.h>

#include "base/log.h"
#include "base/point.h"
#include "pipeline_kit.h"
#include "store/mem.h"
#include "toy_source.h"

enum { ASKED_MAX = 4 * KIT_FILES };

/* The toy source with an ear on its calls. */
static struct weir_source_type spy;
static struct {
    struct weir_store *checkpoint;
    int64_t discovered, committed; /* newest batch that was told of; -1 */
    unsigned ndiscovered, nasked;
    char asked[ASKED_MAX][64];     /* the ranges of tasks(): "FROM>TO" */
} heard;

static bool
has_log(const char *log, int64_t batch)
{
    struct weir_error err = {0};
    struct weir_object obj;
    char key[64];

    snprintf(key, sizeof(key), "%s/%" PRId64, log, batch);
    return weir_store_head(heard.checkpoint, key, &obj, &err) == WEIR_OK;
}

static weir_rc
spy_open(void *self, const struct weir_source_env *env, struct weir_error *err)
{
    heard.checkpoint = env->checkpoint;
    return weir_source_toy.open(self, env, err);
}

static weir_rc
spy_tasks(void *self, const char *from, const char *to, struct weir_tasks *out, struct weir_error *err)
{
    assert_true(heard.nasked < ASKED_MAX);
    snprintf(heard.asked[heard.nasked++], sizeof(heard.asked[0]), "%s>%s", from == NULL ? "" : from, to);
    return weir_source_toy.tasks(self, from, to, out, err);
}

static weir_rc
spy_discovered(void *self, int64_t batch, const char *to, struct weir_error *err)
{
    (void)self;
    (void)err;
    assert_non_null(to);
    assert_true(has_log("offsets", batch));
    assert_false(has_log("commits", batch));
    heard.discovered = batch;
    heard.ndiscovered++;
    return WEIR_OK;
}

static weir_rc
spy_committed(void *self, int64_t batch, const char *to, struct weir_error *err)
{
    assert_true(has_log("commits", batch));
    heard.committed = batch;
    return weir_source_toy.committed(self, batch, to, err);
}

static void
setup(void)
{
    char body[32];

    spy = weir_source_toy;
    spy.open = spy_open;
    spy.tasks = spy_tasks;
    spy.discovered = spy_discovered;
    spy.committed = spy_committed;
    memset(&heard, 0, sizeof(heard));
    heard.discovered = heard.committed = -1;
    weir_mem_store_drop("spy");
    toy_queue_reset();
    for (int i = 0; i < KIT_FILES; i++) {
        snprintf(body, sizeof(body), "{\"id\":%d}", i);
        toy_queue_send(body);
    }
}

static weir_rc
run(void)
{
    const struct weir_run_options opt = {.source = &spy};
    struct weir_error err;

    return kit_run("mem:spy", &opt, &err);
}

static void
a_source_is_told_of_each_batch_in_order(void **state)
{
    (void)state;
    setup();
    assert_int_equal(run(), WEIR_OK);
    kit_expect_each_row_once("mem:spy", "told");
    assert_int_equal(heard.ndiscovered, KIT_FILES);
    assert_int_equal(heard.discovered, KIT_FILES - 1);
    assert_int_equal(heard.committed, KIT_FILES - 1);
    assert_int_equal(heard.nasked, KIT_FILES);
}

static weir_point_id die_at;

static weir_rc
die(void *arg, weir_point_id id, struct weir_error *err)
{
    (void)arg;
    return id == die_at ? weir_fail(err, WEIR_IO, "died at %s", weir_point_name(id)) : WEIR_OK;
}

/* offsets: the plan is durable, nothing was told or read. file-synced: told and read, nothing committed. */
static void
a_replay_tells_again_and_asks_for_the_planned_range(void **state)
{
    static const struct { weir_point_id at; unsigned told, asked; } cases[] = {
        {WEIR_POINT_OFFSETS, 0, 0}, {WEIR_POINT_FILE_SYNCED, 1, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        setup();
        die_at = cases[i].at;
        weir_point_hook(die, NULL);
        assert_int_equal(run(), WEIR_IO);
        weir_point_hook(NULL, NULL);
        assert_int_equal(heard.ndiscovered, cases[i].told);
        assert_int_equal(heard.nasked, cases[i].asked);
        assert_int_equal(heard.committed, -1);
        assert_int_equal(toy_queue_left(), KIT_FILES);

        toy_queue_send("{\"id\":0}"); /* what comes meanwhile is no part of the planned range */
        toy_queue_show_again();
        kit_drop_lease("mem:spy");
        assert_int_equal(run(), WEIR_OK);
        assert_string_equal(heard.asked[cases[i].asked], ">{\"toy\":0}");
        if (cases[i].asked > 0)
            assert_string_equal(heard.asked[0], heard.asked[1]);
        assert_int_equal(heard.ndiscovered, cases[i].told + KIT_FILES + 1);
        assert_int_equal(toy_queue_left(), 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_source_is_told_of_each_batch_in_order),
        cmocka_unit_test(a_replay_tells_again_and_asks_for_the_planned_range),
    };

    weir_log_setup(WEIR_LOG_ERROR, false);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
