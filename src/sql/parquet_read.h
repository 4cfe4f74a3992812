/* Reading Parquet for the folders below: fills codec/parquet.h with DuckDB. */
#ifndef WEIR_SQL_PARQUET_READ_H
#define WEIR_SQL_PARQUET_READ_H

#include "codec/parquet.h"

extern const struct weir_parquet_io weir_parquet_duckdb;

#endif
