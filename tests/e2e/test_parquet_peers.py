"""Parquet files of random schemas and rows (tests/tools/parquet_random.c): PyArrow and DuckDB must read each value that
was written; the footer's statistics, pages and row groups must be what the format and the options say, and the
statistics for Delta what the rows say."""
import decimal
import json
import math
import os
import struct
import subprocess

import pytest

import parquet_pages
import weir

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

FILES = int(os.environ.get("WEIR_PARQUET_FILES", "60"))
FIRST = int(os.environ.get("WEIR_PARQUET_FIRST", "1"))
decimal.getcontext().prec = 60


@pytest.fixture(scope="module")
def random_program():
    path = os.path.join(os.path.dirname(weir.binary()), "tests", "tools", "parquet_random")
    if not os.access(path, os.X_OK):
        pytest.skip("no program %s; build it" % path)
    return path


@pytest.fixture(scope="module")
def files(random_program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parquet")
    subprocess.run([random_program, str(FIRST), str(FILES), str(folder)], check=True)
    return folder


# ---- canonical values, as the program prints them ----

def unscaled(value):
    sign, digits, _ = value.as_tuple()
    return ("-" if sign and any(digits) else "") + (str(int("".join(map(str, digits)))))


def bits(value, size):
    if math.isnan(value):
        return "NaN"
    return "%x" % int.from_bytes(struct.pack("<f" if size == 4 else "<d", value), "little")


def canonical(array):
    """A list of canonical values of an Arrow array."""
    kind = array.type
    if isinstance(array, pa.ChunkedArray):
        return [v for chunk in array.chunks for v in canonical(chunk)]
    if pa.types.is_struct(kind):
        kids = [canonical(array.field(i)) for i in range(kind.num_fields)]
        return [[k[i] for k in kids] if ok else None for i, ok in enumerate(array.is_valid().to_pylist())]
    if pa.types.is_map(kind):
        pairs = list(map(list, zip(canonical(array.keys), canonical(array.items))))
        return lists(array, pairs)
    if pa.types.is_list(kind):
        return lists(array, canonical(array.values))
    return [None if v is None else v for v in scalars(array)]


def lists(array, values):
    offsets = array.offsets.to_pylist()
    valid = array.is_valid().to_pylist()
    return [values[offsets[i]:offsets[i + 1]] if ok else None for i, ok in enumerate(valid)]


def scalars(array):
    kind = array.type
    if pa.types.is_boolean(kind):
        return array.to_pylist()
    if pa.types.is_floating(kind):
        size = kind.bit_width // 8
        return [None if v is None else bits(v, size) for v in array.to_pylist()]
    if pa.types.is_decimal(kind):
        return [None if v is None else unscaled(v) for v in array.to_pylist()]
    if pa.types.is_date(kind):
        array = array.cast(pa.int32())
    elif pa.types.is_timestamp(kind):
        assert kind.unit == "us"
        array = array.cast(pa.int64())
    if pa.types.is_integer(array.type):
        return [None if v is None else str(v) for v in array.to_pylist()]
    return [None if v is None else (v.encode() if isinstance(v, str) else v).hex() for v in array.to_pylist()]


def rows_of(table):
    columns = [canonical(table.column(i)) for i in range(table.num_columns)]
    return [list(row) for row in zip(*columns)]


def expected_rows(files, seed):
    with open(files / ("%d.jsonl" % seed)) as f:
        return [json.loads(line) for line in f]


def about(files, seed):
    with open(files / ("%d.json" % seed)) as f:
        return json.load(f)


def compare(got, want, who, seed):
    assert len(got) == len(want), "%s, seed %d" % (who, seed)
    for i, (g, w) in enumerate(zip(got, want)):
        assert g == w, "%s, seed %d, row %d" % (who, seed, i)


SEEDS = range(FIRST, FIRST + FILES)


@pytest.mark.parametrize("seed", SEEDS)
def test_pyarrow_reads_every_value(files, seed):
    table = pq.ParquetFile(files / ("%d.parquet" % seed), page_checksum_verification=True).read()
    table.validate(full=True)
    compare(rows_of(table), expected_rows(files, seed), "pyarrow", seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_duckdb_reads_every_value(files, seed):
    duckdb = pytest.importorskip("duckdb")
    con = duckdb.connect()
    con.execute("set TimeZone = 'UTC'; set threads = 1")
    got = con.execute("select * from read_parquet('%s')" % (files / ("%d.parquet" % seed))).arrow()
    table = got.read_all() if hasattr(got, "read_all") else got
    compare(rows_of(table), expected_rows(files, seed), "duckdb", seed)


# ---- the footer ----

def check_field_ids(field, wanted, is_field):
    metadata = field.metadata or {}
    want = field.name.split("_")[1].encode() if wanted and is_field else None
    assert metadata.get(b"PARQUET:field_id") == want, field
    if pa.types.is_map(field.type):
        kids = [field.type.key_field, field.type.item_field]
    else:
        kids = [field.type.field(i) for i in range(field.type.num_fields)]
    for kid in kids:
        check_field_ids(kid, wanted, pa.types.is_struct(field.type))


@pytest.mark.parametrize("seed", SEEDS)
def test_field_ids_stand_at_struct_fields_when_asked_for(files, seed):
    for field in pq.read_schema(files / ("%d.parquet" % seed)):
        check_field_ids(field, about(files, seed)["field_ids"], True)


def test_spark_finds_its_schema_in_the_key_value_metadata(files):
    found = 0
    for seed in SEEDS:
        metadata = pq.read_metadata(files / ("%d.parquet" % seed)).metadata or {}
        columns = about(files, seed)["columns"]
        row = metadata.get(b"org.apache.spark.sql.parquet.row.metadata")
        if any(c["type"] == "void" for c in columns):
            assert row is None  # the file does not have all of the schema
        elif row is not None:
            assert [f["name"] for f in json.loads(row)["fields"]] == [c["name"] for c in columns]
            found += 1
    assert found > 0

def leaves(array, kind, path):
    """(path, entries, live Arrow values) of each leaf below, nulls above counted as entries."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks() if array.num_chunks != 1 else array.chunk(0)
    if pa.types.is_struct(kind):
        for i in range(kind.num_fields):
            yield from leaves(pa.array([], kind.field(i).type) if len(array) == 0 else
                              pa.concat_arrays([array.field(i).filter(array.is_valid())]),
                              kind.field(i).type, path + "." + kind.field(i).name)
    elif pa.types.is_map(kind):
        array = array.filter(array.is_valid())
        yield from leaves(array.keys, kind.key_type, path + ".key_value.key")
        yield from leaves(array.items, kind.item_type, path + ".key_value.value")
    elif pa.types.is_list(kind):
        array = array.filter(array.is_valid())
        yield from leaves(array.flatten(), kind.value_type, path + ".list.element")
    else:
        yield path, array.drop_null()


def order(value):
    return value.encode() if isinstance(value, str) else value


def check_bounds(st, values, logical):
    """st: pyarrow's Statistics; values: the live ones as Python has them."""
    kept = [order(v) for v in values]
    if any(isinstance(v, float) and math.isnan(v) for v in kept) or not kept:
        assert not st.has_min_max
        return
    low, high = min(kept), max(kept)
    if isinstance(low, bytes):
        assert st.has_min_max or len(high) > 64
        if not st.has_min_max:
            return
        got_low, got_high = order(st.min), order(st.max)
        assert got_low == low if len(low) <= 64 else low.startswith(got_low) and len(got_low) > 60
        if len(high) <= 64:
            assert got_high == high
        else:
            assert got_high > high and len(got_high) <= 68
        return
    assert (st.min, st.max) == (low, high), logical


@pytest.mark.parametrize("seed", SEEDS)
def test_footer_statistics_are_those_of_the_values(files, seed):
    f = pq.ParquetFile(files / ("%d.parquet" % seed))
    for g in range(f.metadata.num_row_groups):
        group = f.metadata.row_group(g)
        table = f.read_row_group(g)
        live = {}
        for i, field in enumerate(table.schema):
            live.update(leaves(table.column(i), field.type, field.name))
        assert group.num_rows == table.num_rows
        for c in range(group.num_columns):
            column = group.column(c)
            st = column.statistics
            values = live[column.path_in_schema]
            assert st.null_count == column.num_values - len(values), (seed, g, column.path_in_schema)
            if not pa.types.is_timestamp(values.type) and not pa.types.is_date(values.type):
                check_bounds(st, values.to_pylist(), (seed, g, column.path_in_schema))


@pytest.mark.parametrize("seed", SEEDS)
def test_pages_and_row_groups_keep_to_their_limits(files, seed):
    options = about(files, seed)
    with open(files / ("%d.parquet" % seed), "rb") as f:
        buf = f.read()
    meta = parquet_pages.footer(buf)
    assert len(buf) == options["bytes"] and meta[3] == options["rows"] == sum(g[3] for g in meta.get(4, []))
    assert len(meta[7]) == sum(5 not in e for e in meta[2])  # an order for each leaf
    for g in meta.get(4, []):
        raw = packed = 0
        for chunk in g[1]:
            check_chunk(buf, chunk[3], parquet_pages.pages(buf, chunk), options)
            raw += chunk[3][6]
            packed += chunk[3][7]
        assert (g[2], g[6]) == (raw, packed)
    # A group ends with the append that fills it: all but the last are full.
    if options["row_group_bytes"] == 1:
        assert len(meta.get(4, [])) >= options["rows"] / 2048
    for g in meta.get(4, [])[:-1]:
        assert g[2] >= options["row_group_bytes"] * 0.5 or options["row_group_bytes"] == 1


def check_chunk(buf, column, found, options):
    assert sum(h[5][1] for h, _ in found if 5 in h) == column[5]
    assert sum(size for _, size in found) == column[7]
    assert sum(size - h[3] + h[2] for h, size in found) == column[6]
    assert [1 for h, _ in found if h[1] == 2] == ([1] if 11 in column else [])
    assert (8 in column[2]) == (11 in column)
    stats = {(s[1], s[2]): s[3] for s in column[13]}
    seen = {}
    for h, _ in found:
        key = (h[1], h[5][2] if 5 in h else h[7][2])
        seen[key] = seen.get(key, 0) + 1
    assert stats == seen
    flat = b"list" not in column[3] and b"key_value" not in column[3]
    for h, _ in found:
        if 5 not in h:
            assert h[2] <= 1 << 20
        elif flat:  # an entry is a row
            assert h[5][1] <= options["page_rows"] + 2047
        if flat and 5 in h and column[1] in (1, 2, 4, 5):  # 8 bytes are the most over: one record
            assert h[2] <= options["page_bytes"] + 8 + 6000 / 8 + 64


# ---- Delta's statistics against the rows ----

def true_value(kind, value):
    if kind in ("float", "double") and value != "NaN":
        size = 4 if kind == "float" else 8
        return struct.unpack("<f" if size == 4 else "<d", int(value, 16).to_bytes(size, "little"))[0]
    if kind in ("float", "double"):
        return math.nan
    return bytes.fromhex(value) if kind == "string" else int(value)


def spark_max_text(text):
    """truncateMaxStringAgg over UTF-16 units, on the text as Java has it."""
    units = text.encode("utf-16-be")
    unit = [int.from_bytes(units[i:i + 2], "big") for i in range(0, len(units), 2)]
    if len(unit) <= 32:
        return text
    at = 33 if 0xD800 <= unit[31] < 0xDC00 else 32
    while at <= 64:
        if at >= len(unit):
            return text
        if unit[at:at + 2] == [0xDBFF, 0xDFFF]:
            at += 2
            continue
        return units[:2 * at].decode("utf-16-be") + ("\x7f" if unit[at] < 0x7F else "\U0010ffff")
    return None


def check_stats(columns, values, where):
    """values: one list of canonical values per stored column."""
    stored = iter(values)
    for column in columns:
        if column["type"] == "void":
            assert column["nulls"] == where[1], (where, column)
            continue
        mine = next(stored)
        live = [v for v in mine if v is not None]
        assert column["nulls"] == len(mine) - len(live), (where, column)
        if "kids" in column:
            width = sum(k["type"] != "void" for k in column["kids"])
            check_stats(column["kids"], [[None if v is None else v[i] for v in mine] for i in range(width)],
                        (where[0] + "." + column["name"], len(mine)))
        else:
            check_minmax(column, live, where)


def check_minmax(column, live, where):
    kind = column["type"]
    if not live or kind in ("binary", "array", "map", "struct"):
        assert "min" not in column and "max" not in column, (where, column)
        return
    kept = [true_value(kind, v) for v in live]
    if kind == "string":
        low, high = min(kept).decode(), max(kept).decode()
        assert bytes.fromhex(column["min"]).decode() == low[:32], (where, column)
        want = spark_max_text(high)
        assert (bytes.fromhex(column["max"]).decode() if "max" in column else None) == want, (where, column)
        return
    numbers = [v for v in kept if not (isinstance(v, float) and math.isnan(v))]
    low, high = true_value(kind, column["min"]), true_value(kind, column["max"])
    if len(numbers) < len(kept):
        assert math.isnan(high)
    else:
        assert high == max(numbers), (where, column)
    assert low == min(numbers) if numbers else math.isnan(low), (where, column)
    for bound in (low, high):  # never -0.0
        assert not (isinstance(bound, float) and bound == 0 and math.copysign(1, bound) < 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_delta_statistics_are_those_of_the_rows(files, seed):
    rows = expected_rows(files, seed)
    columns = about(files, seed)["columns"]
    width = sum(c["type"] != "void" for c in columns)
    check_stats(columns, [[r[i] for r in rows] for i in range(width)], ("seed %d" % seed, len(rows)))
