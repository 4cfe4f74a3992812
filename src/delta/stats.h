/* Statistics of a data file as Delta keeps them in `add.stats` (Delta protocol, "Per-file Statistics"). */
#ifndef WEIR_DELTA_STATS_H
#define WEIR_DELTA_STATS_H

#include "base/buf.h"
#include "codec/parquet_write.h"
#include "delta/action.h"

/* Which columns: the first delta.dataSkippingNumIndexedCols (32) leaves of the schema in order, or those of
 * delta.dataSkippingStatsColumns. Partition columns are left out. Columns that the file lacks count as null
 * in every row. tight: write tightBounds (tables that may have deletion vectors). */
weir_rc weir_stats_print(const struct weir_metadata *meta, const struct weir_filestats *stats, bool tight,
                         struct weir_buf *buf, struct weir_error *err);
/* The type of stats_parsed for a table, or NULL when its properties ask for no statistics: numRecords,
 * minValues, maxValues, nullCount and, with tight, tightBounds. physical: the schema with the names that
 * statistics have. */
weir_rc weir_stats_schema(const struct weir_metadata *meta, const struct weir_type *physical, bool tight,
                          struct weir_mem *mem, const struct weir_type **out, struct weir_error *err);
/* A slot from a bound as statistics have it. false: it bounds nothing (another type, a number that a double
 * may have changed); the slot is unspecified. Texts are copied into mem. A maximum of a timestamp is cut down
 * as it stands. */
bool weir_stats_bound(const json_t *value, struct weir_col *col, uint32_t row, struct weir_mem *mem);
/* USAGE: the two properties hold something that cannot be followed. */
weir_rc weir_stats_check(const struct weir_metadata *meta, struct weir_error *err);

#endif
