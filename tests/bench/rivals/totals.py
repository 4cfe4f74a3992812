"""What stands in a contender's output, read by DuckDB from the files that the Delta table names (or from the one Parquet
file): rows, sums of order_id, total (cents), ts (ms), customer.id, item quantities, item prices (cents), and how many
notes. tests/bench/run counts the same in the input."""
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
row = duckdb.execute("""
    SELECT count(*), sum(order_id), sum(CAST(round(total * 100) AS BIGINT)), sum(epoch_ms(ts)), sum(customer.id),
           sum(list_sum(list_transform(items, lambda i: i.qty))),
           sum(list_sum(list_transform(items, lambda i: CAST(round(i.price * 100) AS BIGINT)))), count(note)
    FROM read_parquet(?)""", [files]).fetchone()
print(json.dumps([int(v or 0) for v in row]))
