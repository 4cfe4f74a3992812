"""delta-rs as a peer: what it sees in a table, spelled as canon.py says; and the raw actions of the log.

delta-rs reads the log and the data files by itself. `commits()` is the one function that does not use it: it gives
the JSON of the log as it stands, for tests about the actions themselves.
"""
import json
import os
import re
from collections import namedtuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from deltalake import DeltaTable, QueryBuilder

from . import canon

Content = namedtuple("Content", "version schema partition_columns names rows hash")


def values(array):
    """The canonical values of an Arrow array or chunked array."""
    if isinstance(array, pa.ChunkedArray):
        return [v for chunk in array.chunks for v in values(chunk)]
    kind = array.type
    is_a = pa.types
    if isinstance(kind, pa.ExtensionType):
        return values(array.storage)
    if is_a.is_dictionary(kind):
        return values(array.dictionary_decode())
    if is_a.is_struct(kind):
        kids = [(kind.field(i).name, values(pc.struct_field(array, i))) for i in range(kind.num_fields)]
        return [canon.struct((name, kid[row]) for name, kid in kids) if valid else None
                for row, valid in enumerate(array.is_valid().to_pylist())]
    if is_a.is_map(kind):
        pairs = list(zip(values(array.keys), values(array.items)))
        return [canon.mapping(pairs[a:b]) if valid else None for a, b, valid in _spans(array)]
    if is_a.is_list(kind) or is_a.is_large_list(kind):
        items = values(array.values)
        return [items[a:b] if valid else None for a, b, valid in _spans(array)]
    spell = _scalar(kind)
    if is_a.is_timestamp(kind):
        array = array.cast(pa.timestamp("us", kind.tz), safe=False).cast(pa.int64())
    elif is_a.is_date32(kind):
        array = array.cast(pa.int32())
    return [None if v is None else spell(v) for v in array.to_pylist()]


def _spans(array):
    at = array.offsets.to_pylist()
    return zip(at, at[1:], array.is_valid().to_pylist())


def _scalar(kind):
    is_a = pa.types
    if is_a.is_float32(kind):
        return lambda v: canon.real(v, 9)
    if is_a.is_float64(kind):
        return lambda v: canon.real(v, 17)
    if is_a.is_decimal(kind):
        return lambda v: canon.decimal(v, kind.scale)
    if is_a.is_date(kind):
        return canon.date
    if is_a.is_timestamp(kind):
        return lambda v: canon.timestamp(v, kind.tz is not None)
    if is_a.is_binary(kind) or is_a.is_large_binary(kind) or is_a.is_binary_view(kind):
        return canon.binary
    return lambda v: v


def arrow_rows(table):
    """(names, sorted canonical rows) of an Arrow table."""
    names = list(table.column_names)
    return names, canon.rows(names, [values(table.column(n)) for n in names])


def arrow(table, what="*"):
    """A DeltaTable as an Arrow table. Read by delta-rs's own engine: pyarrow's reader takes the INT96 times that
    Spark writes for nanoseconds, which end at the years 1677 and 2262."""
    return pa.table(QueryBuilder().register("t", table).execute('SELECT %s FROM t' % what).read_all())


def read(path, version=None):
    """A table at a version (default: the newest) as a Content. Raises what delta-rs raises."""
    table = DeltaTable(str(path), version=version)
    names, lines = arrow_rows(arrow(table))
    return Content(table.version(), json.loads(table.schema().to_json()), list(table.metadata().partition_columns),
                   names, lines, canon.digest(names, lines))


def column_values(path, name, version=None):
    """The values of one column, nulls included, in no order."""
    return arrow(DeltaTable(str(path), version=version), '"%s"' % name).column(0).to_pylist()


def column(path, name, version=None):
    """The values of a column that has no nulls, sorted: the usual way to ask which ids a table holds."""
    return sorted(column_values(path, name, version))


def files(path):
    """The paths, relative to the table, of the files that the newest version holds."""
    return sorted(DeltaTable(str(path)).to_pyarrow_dataset().files)


def history(path):
    """Oldest first: one dict a commit, as delta-rs tells it."""
    return sorted(DeltaTable(str(path)).history(), key=lambda h: h["version"])


def read_parquet(path):
    names, lines = arrow_rows(pq.ParquetFile(str(path)).read())
    return names, lines


def commits(path):
    """{version: [action, ...]} of the JSON files that stand in the log."""
    log = os.path.join(str(path), "_delta_log")
    found = {}
    for name in sorted(os.listdir(log)):
        if re.fullmatch(r"\d{20}\.json", name):
            with open(os.path.join(log, name), encoding="utf-8") as f:
                found[int(name[:20])] = [json.loads(line) for line in f if line.strip()]
    return found


def txns(path):
    """[(table version, appId, batch id)] in the order of the log."""
    return [(version, a["txn"]["appId"], a["txn"]["version"])
            for version, actions in commits(path).items() for a in actions if "txn" in a]
