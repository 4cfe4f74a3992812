/* Clocks. The wall clock can be fixed for tests; that is the only state here, atomic. */
#include "base/time.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static _Atomic int64_t now_fixed = -1;

static int64_t
clock_us(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t
weir_now_ms(void)
{
    int64_t fixed = atomic_load_explicit(&now_fixed, memory_order_relaxed);

    return fixed >= 0 ? fixed : clock_us(CLOCK_REALTIME) / 1000;
}

void
weir_now_set(int64_t ms)
{
    atomic_store_explicit(&now_fixed, ms, memory_order_relaxed);
}

int64_t
weir_mono_us(void)
{
    return clock_us(CLOCK_MONOTONIC);
}

int64_t
weir_cpu_us(void)
{
    return clock_us(CLOCK_PROCESS_CPUTIME_ID);
}

char *
weir_time_iso(int64_t ms, char text[WEIR_ISO_SIZE])
{
    const int64_t year_0 = INT64_C(-62167219200000), year_9999 = INT64_C(253402300799999);
    time_t seconds;
    struct tm tm;

    if (ms < year_0) /* four digits of year are all that the form has */
        ms = year_0;
    if (ms > year_9999)
        ms = year_9999;
    seconds = (time_t)(ms / 1000 - (ms % 1000 < 0));
    gmtime_r(&seconds, &tm);
    snprintf(text, WEIR_ISO_SIZE, "%04u-%02u-%02uT%02u:%02u:%02u.%03uZ", (unsigned)(tm.tm_year + 1900) % 10000,
             (unsigned)(tm.tm_mon + 1) % 100, (unsigned)tm.tm_mday % 100, (unsigned)tm.tm_hour % 100,
             (unsigned)tm.tm_min % 100, (unsigned)tm.tm_sec % 100, (unsigned)(ms - seconds * 1000) % 1000);
    return text;
}
