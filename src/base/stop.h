/* The wish to stop: one flag and one eventfd that wake every wait within 100 ms.
 * Threads: any thread may ask or wait; weir_stop_ask() is safe in a signal handler. */
#ifndef WEIR_BASE_STOP_H
#define WEIR_BASE_STOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct weir_stop {
    _Atomic int asked; /* 0, or 1 + the signal (1: without one) */
    int fd;            /* readable once asked */
};

weir_rc weir_stop_init(struct weir_stop *stop, struct weir_error *err);
void weir_stop_fini(struct weir_stop *stop);
void weir_stop_ask(struct weir_stop *stop, int signum);
static inline bool
weir_stop_asked(const struct weir_stop *stop)
{
    return stop != NULL && atomic_load_explicit(&stop->asked, memory_order_relaxed) != 0;
}
/* Sleeps at most ms. STOPPED when asked before or meanwhile, else OK. stop may be NULL. */
weir_rc weir_stop_wait(struct weir_stop *stop, int64_t ms, struct weir_error *err);
weir_rc weir_stop_check(const struct weir_stop *stop, struct weir_error *err); /* STOPPED or OK */

#endif
