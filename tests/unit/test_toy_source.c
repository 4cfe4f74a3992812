/* A source that fetches before it can name the end of a batch, through a whole pipeline: killed at every point of
 * every batch, each message is in the table once, and none is acknowledged before its batch is committed. */
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include <inttypes.h>

#include "base/log.h"
#include "base/point.h"
#include "pipeline_kit.h"
#include "store/mem.h"
#include "toy_source.h"

static const struct weir_run_options with_toy = {.source = &weir_source_toy};

static struct {
    weir_point_id at;
    unsigned nth, passes;
    bool killed;
} kill_plan;

/* While batch N is on its way its message and all later ones are still in the queue. */
static unsigned committed;

static weir_rc
hook(void *arg, weir_point_id id, struct weir_error *err)
{
    (void)arg;
    if (kill_plan.killed)
        return weir_fail(err, WEIR_IO, "the process is dead");
    if (id < WEIR_POINT_COMMITS && toy_queue_left() < KIT_FILES - committed)
        fail_msg("%s: a message was acknowledged before its commit", weir_point_name(id));
    committed += id == WEIR_POINT_COMMITS;
    if (id != kill_plan.at || ++kill_plan.passes != kill_plan.nth)
        return WEIR_OK;
    kill_plan.killed = true;
    weir_mem_store_copy("toy", "toy-image");
    toy_queue_save();
    return weir_fail(err, WEIR_IO, "killed at %s", weir_point_name(id));
}

static void
setup(void)
{
    char body[32];

    weir_mem_store_drop("toy");
    toy_queue_reset();
    committed = 0;
    for (int i = 0; i < KIT_FILES; i++) {
        snprintf(body, sizeof(body), "{\"id\":%d}", i);
        toy_queue_send(body);
    }
}

static void
run(const char *when)
{
    struct weir_error err;

    if (kit_run("mem:toy", &with_toy, &err) != WEIR_OK)
        fail_msg("%s: %s: %s", when, err.where, err.what);
    kit_expect_each_row_once("mem:toy", when);
    assert_int_equal(toy_queue_left(), 0);
}

static void
each_message_arrives_once(void **state)
{
    (void)state;
    setup();
    run("first run");
    toy_queue_show_again();
    run("nothing is new"); /* and nothing is planned */
}

/* false: the point was not passed nth times. */
static bool
kill_and_restart(weir_point_id at, unsigned nth)
{
    struct weir_error err;
    char when[64];

    snprintf(when, sizeof(when), "killed at %s, pass %u", weir_point_name(at), nth);
    setup();
    kill_plan = (typeof(kill_plan)){.at = at, .nth = nth};
    weir_point_hook(hook, NULL);
    (void)kit_run("mem:toy", &with_toy, &err);
    weir_point_hook(NULL, NULL);
    if (!kill_plan.killed)
        return false;
    weir_mem_store_drop("toy"); /* as it stood at that moment */
    assert_true(weir_mem_store_copy("toy-image", "toy"));
    weir_mem_store_drop("toy-image");
    toy_queue_restore();
    toy_queue_show_again(); /* the dead run's messages come again */
    kit_drop_lease("mem:toy");
    run(when);
    return true;
}

static void
a_kill_at_any_point_loses_and_doubles_nothing(void **state)
{
    (void)state;
    for (int at = 0; at < WEIR_POINTS; at++) {
        unsigned nth = 1;

        while (kill_and_restart((weir_point_id)at, nth))
            nth++;
        if (at != WEIR_POINT_SCHEMA_LOG && nth - 1 < (at >= WEIR_POINT_CKPT_TMP ? 1 : KIT_FILES))
            fail_msg("%s was passed %u times only", weir_point_name((weir_point_id)at), nth - 1);
    }
}

static void
an_acknowledgement_that_failed_is_repeated(void **state)
{
    struct weir_error err;

    (void)state;
    for (unsigned nth = 1; nth <= KIT_FILES; nth++) {
        setup();
        toy_queue_fail_delete(nth);
        assert_int_equal(kit_run("mem:toy", &with_toy, &err), WEIR_IO);
        assert_int_equal(toy_queue_left(), KIT_FILES - nth + 1);
        toy_queue_show_again();
        run("after a failed acknowledgement");
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_message_arrives_once),
        cmocka_unit_test(a_kill_at_any_point_loses_and_doubles_nothing),
        cmocka_unit_test(an_acknowledgement_that_failed_is_repeated),
    };

    weir_log_setup(WEIR_LOG_ERROR, false);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
