/* cap = base + window + lanes x (page + decoder + stack) + lanes x writer, with a tenth to spare.
 *
 * BASE is what no quota counts: the program, libraries, the heap's own slack; measured as the resident size of a run
 * over one row. The rest is shared out: a sixteenth for the window of input blocks, a sixteenth for each lane's row
 * group. A writer holds its row group encoded, a page being filled and its compressed copy; twice the row group
 * covers that, and what is left serves partitioned writes, which hold several files open.
 *
 * With SQL, ENGINE bytes are what DuckDB itself takes when it is opened, and its own limit comes on top: little at
 * 64 MB, where only filters and projections fit, three eighths from 256 MB on. The rest is shared out as above. */
#include "pipeline/budget.h"

#include <unistd.h>

#include "base/limits.h"

enum { LANES_MAX = 4 };

#define BASE_BYTES (12 * WEIR_MIB)
#define LANE_BYTES (4 * WEIR_MIB)
#define ENGINE_BYTES (20 * WEIR_MIB)
#define SQL_LEAST (12 * WEIR_MIB)

static uint64_t
clamp(uint64_t v, uint64_t low, uint64_t high)
{
    return v < low ? low : v > high ? high : v;
}

static unsigned
lanes_of(int64_t threads, uint64_t limit)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned lanes = threads > 0 ? (unsigned)clamp((uint64_t)threads, 1, LANES_MAX * 4)
                                 : (unsigned)clamp(cores < 1 ? 1 : (uint64_t)cores, 1, LANES_MAX);

    /* A lane needs its page, decoder and writer; small limits carry fewer. */
    return (unsigned)clamp(lanes, 1, clamp((limit - BASE_BYTES) / (16 * WEIR_MIB), 1, LANES_MAX * 4));
}

/* From SQL_LEAST at 64 MB in a straight line to three eighths at 256 MB, and so on. */
static uint64_t
sql_share(uint64_t cap)
{
    const uint64_t low = 64 * WEIR_MIB, high = 256 * WEIR_MIB, most = high * 3 / 8;

    return cap >= high ? cap / 8 * 3 : SQL_LEAST + (cap - low) / 64 * ((most - SQL_LEAST) / ((high - low) / 64));
}

weir_rc
weir_budget_make(int64_t limit, int64_t threads, bool sql, struct weir_budget *out, struct weir_error *err)
{
    uint64_t cap = (uint64_t)limit, fixed, share = 0;

    if (limit < (int64_t)WEIR_MEMORY_MIN * (sql ? 2 : 1)) {
        weir_fail(err, WEIR_USAGE, "weir.memoryLimit is %lld bytes", (long long)limit);
        return sql ? weir_error_hint(err, "a query with expressions, joins or aggregates needs 64 MB at least")
                   : weir_error_hint(err, "weir needs 32 MB at least; 64 MB is enough for most pipelines");
    }
    if (sql) {
        share = sql_share(cap);
        cap -= ENGINE_BYTES + share;
    }
    *out = (struct weir_budget){.lanes = lanes_of(threads, cap),
                                .total = cap - BASE_BYTES,
                                .window_bytes = clamp(cap / 16, 4 * WEIR_MIB, 32 * WEIR_MIB),
                                .row_group_bytes = clamp(cap / 16, 2 * WEIR_MIB, 32 * WEIR_MIB)};
    fixed = out->window_bytes + out->lanes * LANE_BYTES + cap / 10;
    out->sql_bytes = share;
    out->writer_bytes = out->total > fixed + 8 * WEIR_MIB ? out->total - fixed : 8 * WEIR_MIB;
    if (sql) /* what the writers of the other lanes would hold */
        out->sql_more_bytes = out->writer_bytes / out->lanes * (out->lanes - 1);
    return WEIR_OK;
}
