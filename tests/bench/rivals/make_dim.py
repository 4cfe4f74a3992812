"""The small table of the query in schema.py: a Delta table of 10,000 customers, one Parquet file."""
import sys

import pyarrow as pa
from deltalake import write_deltalake

ids = range(150_000, 160_000)
write_deltalake(sys.argv[1], pa.table({"id": pa.array(ids, pa.int64()), "segment": ["segment-%d" % (i % 17) for i in ids]}))
