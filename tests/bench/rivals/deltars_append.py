"""delta-rs: pyarrow's JSON reader, file by file, into one append. pyarrow reads no decimals from JSON numbers, so
total and price are doubles here, which is less work than the others do."""
import glob
import sys

import pyarrow as pa
import pyarrow.json as pj
from deltalake import write_deltalake

source, out, threads = sys.argv[1:4]
pa.set_cpu_count(int(threads))
item = pa.struct([("sku", pa.string()), ("qty", pa.int32()), ("price", pa.float64())])
schema = pa.schema([("order_id", pa.int64()), ("ts", pa.timestamp("us", "UTC")), ("status", pa.string()),
                    ("total", pa.float64()),
                    ("customer", pa.struct([("id", pa.int64()), ("city", pa.string()), ("tier", pa.string())])),
                    ("items", pa.list_(item)), ("note", pa.string())])


def batches():
    for path in sorted(glob.glob(source + "/*.json")):
        yield from pj.read_json(path, read_options=pj.ReadOptions(block_size=4 << 20), parse_options=pj.ParseOptions(
            explicit_schema=schema, unexpected_field_behavior="ignore")).to_batches(max_chunksize=65_536)


write_deltalake(out, pa.RecordBatchReader.from_batches(schema, batches()), mode="append")
