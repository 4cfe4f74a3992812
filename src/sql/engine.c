/* DuckDB is opened, set up and closed here. */
#include "sql/engine.h"

#include <duckdb.h>

const char *
weir_engine_version(void)
{
    return duckdb_library_version();
}
