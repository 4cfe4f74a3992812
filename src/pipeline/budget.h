/* The memory plan: made before a batch, from weir.memoryLimit and the number of lanes. */
#ifndef WEIR_PIPELINE_BUDGET_H
#define WEIR_PIPELINE_BUDGET_H

#include <stdint.h>

#include "base/error.h"

struct weir_budget {
    unsigned lanes;
    uint64_t total;           /* what the quota of the run may hold: the limit less what is not counted */
    uint64_t window_bytes;    /* input blocks */
    uint64_t row_group_bytes; /* of each lane's open file */
    uint64_t writer_bytes;    /* of all open files together */
};

/* limit: weir.memoryLimit in bytes; threads: weir.threads, -1: by the cores. USAGE below WEIR_MEMORY_MIN. */
weir_rc weir_budget_make(int64_t limit, int64_t threads, struct weir_budget *out, struct weir_error *err);

#endif
