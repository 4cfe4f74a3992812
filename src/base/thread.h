/* Lanes: the same function on n threads, the caller's among them. */
#ifndef WEIR_BASE_THREAD_H
#define WEIR_BASE_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/error.h"

/* Runs fn(arg, lane, err) for lanes 0 .. n - 1, lane 0 on the calling thread, and waits for all. The first error
 * wins and sets *failed, which the others are to look at; END counts as OK. A thread that cannot be started is no
 * error: its lane does not run, so the lanes must share their work. */
weir_rc weir_lanes_run(unsigned n, weir_rc (*fn)(void *arg, unsigned lane, struct weir_error *err), void *arg,
                       _Atomic bool *failed, struct weir_error *err);
/* A joinable thread with weir's small stack and all signals blocked, so that signals reach the main thread. */
weir_rc weir_thread_start(void *(*fn)(void *arg), void *arg, unsigned long *id, struct weir_error *err);
void weir_thread_join(unsigned long id);

#endif
