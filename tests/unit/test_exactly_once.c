/* Every fail point x every batch on a memory store: the store's image at the kill is what the restart finds. (The same
 * with kills of a real process on a real disk, read by other engines: tests/e2e/test_exactly_once.py.) */
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdatomic.h>

#include "base/log.h"
#include "base/point.h"
#include "pipeline_kit.h"
#include "store/mem.h"

static struct {
    weir_point_id at;
    unsigned nth;
    _Atomic unsigned passes;
    _Atomic bool killed;
} kill_plan;

static weir_rc
kill_hook(void *arg, weir_point_id id, struct weir_error *err)
{
    (void)arg;
    if (atomic_load(&kill_plan.killed))
        return weir_fail(err, WEIR_IO, "the process is dead");
    if (id != kill_plan.at || atomic_fetch_add(&kill_plan.passes, 1) + 1 != kill_plan.nth)
        return WEIR_OK;
    atomic_store(&kill_plan.killed, true);
    assert_true(weir_mem_store_copy("run", "image"));
    return weir_fail(err, WEIR_IO, "killed at %s", weir_point_name(id));
}

/* false: the point was passed fewer than nth times. */
static bool
kill_and_restart(weir_point_id at, unsigned nth)
{
    struct weir_error err;
    char when[128];
    weir_rc rc;

    snprintf(when, sizeof(when), "killed at pass %u of %s", nth, weir_point_name(at));
    weir_mem_store_drop("run");
    weir_mem_store_drop("image");
    kit_put_input("mem:run");
    kill_plan.at = at;
    kill_plan.nth = nth;
    atomic_store(&kill_plan.passes, 0);
    atomic_store(&kill_plan.killed, false);
    weir_point_hook(kill_hook, NULL);
    rc = kit_run("mem:run", NULL, &err);
    weir_point_hook(NULL, NULL);
    if (!atomic_load(&kill_plan.killed)) {
        if (rc != WEIR_OK)
            fail_msg("%s: %s: %s", when, err.where, err.what);
        kit_expect_each_row_once("mem:run", "not killed");
        return false;
    }
    assert_int_not_equal(rc, WEIR_OK);
    weir_mem_store_drop("run");
    assert_true(weir_mem_store_copy("image", "run"));
    kit_drop_lease("mem:run");
    rc = kit_run("mem:run", NULL, &err);
    if (rc != WEIR_OK)
        fail_msg("%s: the restart failed: %s: %s", when, err.where, err.what);
    kit_expect_each_row_once("mem:run", when);
    return true;
}

static void
a_kill_at_any_point_of_any_batch_leaves_each_row_once(void **state)
{
    (void)state;
    for (int at = 0; at < WEIR_POINTS; at++) {
        unsigned nth = 1;

        while (kill_and_restart((weir_point_id)at, nth))
            nth++;
        /* every point but a schema's evolution is passed in every batch; those of the table's checkpoint once */
        if (at != WEIR_POINT_SCHEMA_LOG && nth - 1 < (at >= WEIR_POINT_CKPT_TMP ? 1 : KIT_FILES))
            fail_msg("%s was passed %u times in %d batches", weir_point_name((weir_point_id)at), nth - 1, KIT_FILES);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kill_at_any_point_of_any_batch_leaves_each_row_once),
    };

    weir_log_setup(WEIR_LOG_ERROR, false);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
