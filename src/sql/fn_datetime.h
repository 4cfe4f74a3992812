/* What the datetime families share: wall clocks of the session's zone. Micros and days are those of
 * page.h. */
#ifndef WEIR_SQL_FN_DATETIME_H
#define WEIR_SQL_FN_DATETIME_H

#include "sql/value.h"

#define CLOCK_SECOND INT64_C(1000000)
#define CLOCK_MINUTE (60 * CLOCK_SECOND)
#define CLOCK_HOUR (60 * CLOCK_MINUTE)
#define CLOCK_DAY (24 * CLOCK_HOUR)

/* b > 0. */
static inline int64_t
clock_floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}
static inline int64_t
clock_floor_mod(int64_t a, int64_t b)
{
    return a % b + (a % b < 0 ? b : 0);
}

/* Wall-clock micros of a timestamp, in the session's zone, or of a timestamp_ntz as it stands. */
static inline int64_t
clock_local(const struct weir_call *call, const struct weir_col *col, uint32_t row)
{
    int64_t us = weir_arg(col, int64_t, row);

    return col->type->kind == WEIR_TIMESTAMP ? weir_zone_to_local(call->set->zone, us) : us;
}

/* The way back, for a column of that type. */
static inline int64_t
clock_stored(const struct weir_call *call, const struct weir_type *type, int64_t local)
{
    return type->kind == WEIR_TIMESTAMP ? weir_zone_to_utc(call->set->zone, local) : local;
}

/* n months later; the day is at most the month's last. */
int64_t weir_clock_add_months(int64_t days, int64_t n);
/* A date and a time of day to local micros; false: no such date, no such time, or beyond int64. */
bool weir_clock_make_date(int64_t y, int64_t m, int64_t d, int64_t *days);
/* Argument i as a timestamp, or a timestamp_ntz when it is one. */
weir_rc weir_resolve_clock(struct weir_resolve *r, uint32_t i, struct weir_error *err);

#endif
