/* Statistics of a data file as Delta keeps them in `add.stats` (Delta protocol, "Per-file Statistics"). */
#ifndef WEIR_DELTA_STATS_H
#define WEIR_DELTA_STATS_H

#include "base/buf.h"
#include "codec/parquet_write.h"
#include "delta/action.h"

/* Which columns: the first delta.dataSkippingNumIndexedCols (32) leaves of the schema in order, or those of
 * delta.dataSkippingStatsColumns. Partition columns are left out. Columns that the file lacks count as null in
 * every row. tight: write tightBounds (tables that may have deletion vectors). */
weir_rc weir_stats_print(const struct weir_metadata *meta, const struct weir_filestats *stats, bool tight,
                         struct weir_buf *buf, struct weir_error *err);
/* USAGE: the two properties hold something that cannot be followed. */
weir_rc weir_stats_check(const struct weir_metadata *meta, struct weir_error *err);

#endif
