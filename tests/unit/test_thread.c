/* Lanes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>

#include "base/stop.h"
#include "base/thread.h"

static _Atomic unsigned lanes_seen;
static _Atomic bool failed;
static struct weir_error err;

static weir_rc
note_lane(void *arg, unsigned lane, struct weir_error *e)
{
    pthread_t *first = arg;

    (void)e;
    atomic_fetch_or(&lanes_seen, 1u << lane);
    if ((lane == 0) != (pthread_equal(*first, pthread_self()) != 0))
        return WEIR_BUG;
    return lane == 1 ? WEIR_END : WEIR_OK;
}

static void
every_lane_runs_once_and_the_first_on_the_callers_thread(void **state)
{
    pthread_t self = pthread_self();

    (void)state;
    lanes_seen = 0;
    failed = false;
    assert_int_equal(weir_lanes_run(1, note_lane, &self, &failed, &err), WEIR_OK);
    assert_int_equal(lanes_seen, 1);
    assert_int_equal(weir_lanes_run(5, note_lane, &self, &failed, &err), WEIR_OK);
    assert_int_equal(lanes_seen, 31);
    assert_false(failed);
}

static weir_rc
fail_or_follow(void *arg, unsigned lane, struct weir_error *e)
{
    (void)arg;
    if (lane == 2)
        return weir_fail(e, WEIR_CORRUPT, "lane %u", lane);
    while (!atomic_load(&failed))
        weir_stop_wait(NULL, 1, e);
    return weir_fail(e, WEIR_STOPPED, "another lane failed");
}

static void
the_cause_is_told_and_not_its_echoes(void **state)
{
    (void)state;
    failed = false;
    assert_int_equal(weir_lanes_run(4, fail_or_follow, NULL, &failed, &err), WEIR_CORRUPT);
    assert_string_equal(err.what, "lane 2");
    assert_true(failed);
}

static void *
note_signals(void *arg)
{
    pthread_sigmask(SIG_SETMASK, NULL, arg);
    return NULL;
}

static void
signals_stay_with_the_thread_that_starts_others(void **state)
{
    sigset_t inside, outside;
    unsigned long id;

    (void)state;
    assert_int_equal(weir_thread_start(note_signals, &inside, &id, &err), WEIR_OK);
    weir_thread_join(id);
    assert_true(sigismember(&inside, SIGTERM));
    assert_true(sigismember(&inside, SIGINT));
    pthread_sigmask(SIG_SETMASK, NULL, &outside);
    assert_false(sigismember(&outside, SIGTERM));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_lane_runs_once_and_the_first_on_the_callers_thread),
        cmocka_unit_test(the_cause_is_told_and_not_its_echoes),
        cmocka_unit_test(signals_stay_with_the_thread_that_starts_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
