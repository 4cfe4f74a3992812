/* Lanes on POSIX threads. Stacks are small (WEIR_STACK_BYTES) because memory is planned; signals stay with the main
 * thread because only it may decide what they mean. */
#include "base/thread.h"

#include <pthread.h>
#include <signal.h>

#include "base/limits.h"

enum { LANES_MAX = 64 };

struct lane {
    weir_rc (*fn)(void *arg, unsigned lane, struct weir_error *err);
    void *arg;
    unsigned number;
    _Atomic bool *failed;
    struct weir_error err;
    weir_rc rc;
};

weir_rc
weir_thread_start(void *(*fn)(void *arg), void *arg, unsigned long *id, struct weir_error *err)
{
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all, before;
    int failed;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, WEIR_STACK_BYTES);
    failed = pthread_create(&thread, &attr, fn, arg);
    pthread_attr_destroy(&attr);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed != 0)
        return weir_fail_os(err, WEIR_IO, failed, "a thread could not be started");
    *id = (unsigned long)thread;
    return WEIR_OK;
}

void
weir_thread_join(unsigned long id)
{
    pthread_join((pthread_t)id, NULL);
}

static void *
lane_main(void *arg)
{
    struct lane *lane = arg;

    lane->rc = lane->fn(lane->arg, lane->number, &lane->err);
    if (lane->rc == WEIR_END)
        lane->rc = WEIR_OK;
    if (lane->rc != WEIR_OK)
        atomic_store(lane->failed, true);
    return NULL;
}

weir_rc
weir_lanes_run(unsigned n, weir_rc (*fn)(void *arg, unsigned lane, struct weir_error *err), void *arg,
               _Atomic bool *failed, struct weir_error *err)
{
    struct lane lanes[LANES_MAX];
    unsigned long ids[LANES_MAX];
    unsigned started = 1;
    const struct lane *first = NULL;

    WEIR_ASSERT(n >= 1 && n <= LANES_MAX);
    for (unsigned i = 0; i < n; i++)
        lanes[i] = (struct lane){.fn = fn, .arg = arg, .number = i, .failed = failed};
    while (started < n && weir_thread_start(lane_main, &lanes[started], &ids[started], &lanes[started].err) == WEIR_OK)
        started++;
    lane_main(&lanes[0]);
    for (unsigned i = 1; i < started; i++)
        weir_thread_join(ids[i]);
    for (unsigned i = 0; i < started; i++)
        /* What stopped the others is the cause; STOPPED is only its echo. */
        if (lanes[i].rc != WEIR_OK && (first == NULL || first->rc == WEIR_STOPPED))
            first = &lanes[i];
    if (first == NULL)
        return WEIR_OK;
    *err = first->err;
    return first->rc;
}
