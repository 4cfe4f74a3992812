"""What stands in a contender's output: rows, the sum of order_id, the sum of total in cents, read by DuckDB from the
files that the Delta table names (or from the one Parquet file)."""
import json
import os
import sys

import duckdb

out = sys.argv[1]
if os.path.isdir(out):
    from deltalake import DeltaTable
    files = DeltaTable(out).file_uris()
else:
    files = [out + ".parquet"]
row = duckdb.execute("SELECT count(*), sum(order_id), sum(CAST(round(total * 100) AS BIGINT)) FROM read_parquet(?)",
                     [files]).fetchone()
print(json.dumps([int(v or 0) for v in row]))
