/* Which version a table had at a time.
 *
 * Follows the Delta protocol, "In-Commit Timestamps", and Spark's DeltaHistoryManager: in-commit timestamps
 * where they are on, before that the times of the commit files, made strictly rising. */
#ifndef WEIR_DELTA_TRAVEL_H
#define WEIR_DELTA_TRAVEL_H

#include "delta/snapshot.h"

/* The newest version that is not younger than time_ms. NOTFOUND: no table, or the time is before the first
 * version that is still there or after the newest one; the error says which times there are. */
weir_rc weir_travel(struct weir_store *st, int64_t time_ms, struct weir_quota *q, int64_t *version,
                    struct weir_error *err);

#endif
