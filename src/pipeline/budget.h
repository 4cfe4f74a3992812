/* The memory plan: made before a batch, from weir.memoryLimit and the number of lanes. */
#ifndef WEIR_PIPELINE_BUDGET_H
#define WEIR_PIPELINE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct weir_budget {
    unsigned lanes;
    uint64_t total;           /* what the quota of the run may hold: the limit less what is not counted */
    uint64_t window_bytes;    /* input blocks */
    uint64_t row_group_bytes; /* of each lane's open file */
    uint64_t writer_bytes;    /* of all open files together */
    uint64_t sql_bytes;       /* DuckDB's own limit; 0: it is not opened */
    uint64_t sql_more_bytes;  /* what can be added to it when there is one lane only */
};

/* limit: weir.memoryLimit in bytes; threads: weir.threads, -1: by the cores; sql: the query needs DuckDB. USAGE below
 * WEIR_MEMORY_MIN, with SQL below twice that. */
weir_rc weir_budget_make(int64_t limit, int64_t threads, bool sql, struct weir_budget *out, struct weir_error *err);

#endif
