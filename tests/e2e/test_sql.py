"""Queries that need SQL: what they write, what is fixed for a batch, what a person sees of them."""
import csv
import io
import json
import os
import re
import signal

import pytest
from deltalake import DeltaTable, write_deltalake
import pyarrow as pa

import weir
from peers import deltars

FAILED, USAGE, BAD_DATA = 1, 2, 3


def rows(p):
    return sorted(deltars.arrow(DeltaTable(p.table)).to_pylist(), key=lambda r: str(r))


def sql(query, *args):
    return weir.run("sql", "--format", "json", *args, query)


def sql_rows(query, *args):
    return [json.loads(line) for line in sql(query, *args).check().out.splitlines()]


def customers(folder, version=0):
    """A table to join: ids 1 and 2; later versions change the names."""
    data = pa.table({"id": pa.array([1, 2], pa.int64()), "name": ["ann-%d" % version, "bob-%d" % version]})
    write_deltalake(str(folder), data, mode="overwrite")
    return str(folder)


# --- pipelines ---------------------------------------------------------------------------------------------------------
def test_a_filter_and_expressions_write_what_the_query_says(pipeline):
    p = pipeline(query="SELECT id * 10 AS ten, upper(name) AS name FROM source WHERE id % 2 = 1")
    p.put_ids([1, 2, 3], [4, 5])
    assert p.run().check().rows == 5
    assert rows(p) == [{"ten": 10, "name": "N1"}, {"ten": 30, "name": "N3"}, {"ten": 50, "name": "N5"}]


def test_the_memory_stays_below_its_limit(pipeline):
    p = pipeline(query="SELECT id, concat(name, name) AS twice FROM source WHERE id >= 0", conf={"weir.memoryLimit": "64MB"})
    p.spec["source"]["options"] = {}
    p.write()
    for n in range(4):
        p.put([{"id": i, "name": "name of %d" % i * 8} for i in range(n * 50000, n * 50000 + 50000)])
    run = p.run().check()
    assert run.rows == 200000 and run.peak < 64 << 20
    assert DeltaTable(p.table).to_pyarrow_dataset().count_rows() == 200000


def test_aggregates_are_of_one_batch(pipeline):
    p = pipeline(query="SELECT count(*) AS n, sum(id) AS total FROM source")
    p.put_ids([1, 2, 3], [4, 5])
    p.run().check()
    assert rows(p) == [{"n": 2, "total": 9}, {"n": 3, "total": 6}]


def test_the_stream_may_be_named_twice(pipeline):
    p = pipeline(query="SELECT id, 'low' AS kind FROM source WHERE id < 3 UNION ALL SELECT id, 'all' FROM source")
    p.put_ids([1, 2, 3])
    p.run().check()
    assert len(rows(p)) == 5


def test_hidden_metadata_can_be_named_in_expressions(pipeline):
    p = pipeline(query="SELECT id, length(_metadata.file_name) AS n, _metadata.batch_id + 0 AS batch FROM source")
    p.put_ids([1], [2])
    p.run().check()
    assert rows(p) == [{"id": 1, "n": 15, "batch": 0}, {"id": 2, "n": 15, "batch": 1}]
    assert "_metadata" not in str(DeltaTable(p.table).schema())


def test_input_file_name_is_the_path_of_the_row(pipeline):
    p = pipeline(query="SELECT id, input_file_name() AS f, _metadata.file_path AS g FROM source WHERE id > 0")
    p.put_ids([1], [2])
    p.run().check()
    assert [(r["id"], r["f"] == r["g"], r["f"].rsplit("/", 1)[1]) for r in rows(p)] == [
        (1, True, "part-00000.json"), (2, True, "part-00001.json")]


def test_current_timestamp_is_the_time_of_the_batch_also_after_a_crash(pipeline):
    p = pipeline(query="SELECT id, current_timestamp() AS at FROM source")
    p.put_ids([1, 2])
    p.run(point="file-synced=kill").check(-signal.SIGKILL)
    promised = p.offset(0)[0]["batchTimestampMs"]
    p.run().check()
    assert {int(r["at"].timestamp() * 1000 + 0.5) for r in rows(p)} == {promised}


def test_a_row_that_cannot_be_computed_ends_the_run_and_nothing_is_written(pipeline):
    p = pipeline(query="SELECT 10 / (id - 2) AS x FROM source")
    p.put_ids([1, 2, 3])
    p.run().check(BAD_DATA).says("DIVIDE_BY_ZERO")
    assert not os.path.exists(p.table) or "add" not in str(deltars.commits(p.table))
    nulls = p.change(onRowError="null")
    preview = weir.run("preview", nulls.file, "--format", "json").check()
    assert [json.loads(line) for line in preview.out.splitlines()] == [{"x": -10.0}, {}, {"x": 10.0}]
    off = p.change(conf={"spark.sql.ansi.enabled": "false"})
    off.run().check()
    assert sorted(str(r["x"]) for r in rows(p)) == ["-10.0", "10.0", "None"]


def test_new_columns_reach_a_query_with_a_star(pipeline):
    p = pipeline(format="cloudFiles", schema=None, query="SELECT *, id + 1 AS next FROM source", sink_options={"mergeSchema": True})
    p.spec["source"]["options"] = {"cloudFiles.format": "json", "cloudFiles.schemaLocation": p.state,
                                   "cloudFiles.maxFilesPerTrigger": 1, "cloudFiles.schemaHints": "id BIGINT"}
    p.write()
    p.put([{"id": 1}])
    p.run().check()
    p.put([{"id": 2, "more": "x"}])
    p.run().check()
    found = {r["id"]: r for r in rows(p)}
    assert found[1]["more"] is None and found[2]["more"] == "x" and found[2]["next"] == 3


@pytest.mark.parametrize("query, words", [
    ("SELECT nosuch(id) FROM source", ["nosuch"]),
    ("SELECT id + FROM source", ["line 1"]),
    ("SELECT idd + 1 AS a FROM source", ["idd", "did you mean id"]),
    ("SELECT id FROM source JOIN other USING (id)", ["other", "tables:"]),
    ("SELECT id + 1 AS id FROM delta.`/tmp/x`", ["tables:"]),
    ("DELETE FROM source", ["DELETE"]),
])
def test_a_wrong_query_is_told_with_its_line_before_anything_is_written(pipeline, query, words):
    p = pipeline(query=query)
    p.put_ids([1])
    for command in ("check", "run"):
        run = weir.run(command, p.file)
        assert run.status in (FAILED, USAGE), run
        run.says("pipeline.yaml:", *words)
    assert not os.path.exists(p.table) and not p.log_ids("offsets")


# --- tables ------------------------------------------------------------------------------------------------------------
def joined(pipeline, tmp_path, **more):
    p = pipeline(query="SELECT s.id, c.name AS customer FROM source s LEFT JOIN customers c ON s.id = c.id",
                 tables={"customers": {"format": "delta", "path": customers(tmp_path / "customers")}}, **more)
    return p


def test_a_table_can_be_joined_and_its_version_stands_in_the_promise(pipeline, tmp_path):
    p = joined(pipeline, tmp_path)
    p.put_ids([1, 2, 3])
    p.run().check()
    assert rows(p) == [{"id": 1, "customer": "ann-0"}, {"id": 2, "customer": "bob-0"}, {"id": 3, "customer": None}]
    assert json.loads(p.offset(0)[0]["conf"]["weir.tables"]) == {"customers": 0}
    customers(tmp_path / "customers", 1)
    p.put_ids([1])
    p.run().check()
    assert {r["customer"] for r in rows(p)} == {"ann-0", "bob-0", None, "ann-1"}
    assert json.loads(p.offset(1)[0]["conf"]["weir.tables"]) == {"customers": 1}


def test_a_batch_that_runs_again_sees_the_table_as_it_was_promised(pipeline, tmp_path):
    p = joined(pipeline, tmp_path)
    p.put_ids([1])
    p.run(point="offsets=kill").check(-signal.SIGKILL)
    customers(tmp_path / "customers", 1)
    p.run().check()
    assert rows(p) == [{"id": 1, "customer": "ann-0"}]


def test_a_table_that_is_not_there_is_told_by_its_name(pipeline, tmp_path):
    p = pipeline(query="SELECT id + 1 AS id FROM source JOIN gone USING (id)",
                 tables={"gone": {"format": "delta", "path": str(tmp_path / "gone")}})
    p.put_ids([1])
    for command in ("run", "check"):
        weir.run(command, p.file).check(USAGE).says("table gone")


@pytest.mark.parametrize("tables, words", [
    ({"source": {"format": "delta", "path": "/x"}}, ["source is the name of the batch"]),
    ({"c": {"format": "csv", "path": "/x"}}, ["csv is not in this version"]),
    ({"c": {"path": "/x"}}, ["format and path"]),
    ({"c": {"format": "delta", "path": "/x", "vers": 1}}, ["unknown key vers"]),
])
def test_what_tables_may_say(pipeline, tables, words):
    p = pipeline(query="SELECT id + 1 AS id FROM source", tables=tables)
    weir.run("check", p.file).check(USAGE).says("pipeline.yaml:", *words)


# --- what a person sees --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("query, words", [
    ("SELECT id + 1 AS a FROM source", "class A"),
    ("SELECT count(*) AS n FROM source", "class C"),
])
def test_check_says_class_memory_and_schema(pipeline, query, words):
    p = pipeline(query=query)
    p.put_ids([1])
    out = weir.run("check", p.file).check().out
    assert words in out and "SQL has" in out and "schema: " in out and "a run would start" in out


@pytest.mark.parametrize("query", [None, "SELECT id, name FROM source", "SELECT id, name FROM source WHERE id > 0"])
def test_preview_shows_the_first_rows_and_writes_nothing(pipeline, query):
    p = pipeline(**({"query": query} if query else {}))
    p.put_ids([1, 2, 3], [4])
    run = weir.run("preview", p.file, "-n", "2", "--format", "json").check()
    assert [json.loads(line) for line in run.out.splitlines()] == [{"id": 1, "name": "n1"}, {"id": 2, "name": "n2"}]
    assert "| id|name|" in weir.run("preview", p.file).check().out
    assert not os.path.exists(p.table) and not os.path.exists(p.ckpt)


def test_the_console_shows_each_batch(pipeline):
    p = pipeline(query="SELECT id, id + 1 AS next FROM source", options={})
    p.spec["sink"] = {"format": "console"}
    del p.spec["checkpointLocation"]
    p.write()
    p.put_ids([1], [2])
    out = p.run().check().out
    assert "Batch: 0" in out and "Batch: 1" in out and "|  2|   3|" in out


# --- weir sql ------------------------------------------------------------------------------------------------------------
def test_the_console_shows_as_many_rows_and_letters_as_it_is_told(pipeline):
    text = "a text of more than twenty letters"
    p = pipeline(query="SELECT id, '%s' AS t FROM source" % text, sink={"format": "console", "options": {}})
    p.put_ids(list(range(30)))
    assert len(re.findall(r"^\| +\d+\|", weir.run("run", "--once", p.file).check().out, re.M)) == 20
    p = pipeline(query="SELECT id, '%s' AS t FROM source" % text, sink={"format": "console", "options": {"numRows": 3, "truncate": "false"}})
    p.put_ids(list(range(30)))
    out = weir.run("run", "--once", p.file).check().out
    assert len(re.findall(r"^\| +\d+\|%s\|" % text, out, re.M)) == 3, out


def test_what_does_not_fit_goes_into_the_folder_for_it(pipeline, tmp_path):
    p = pipeline(query="SELECT s, count(*) AS n FROM source GROUP BY s", schema="id BIGINT, s STRING", conf={"weir.memoryLimit": "96MB"})
    p.put([{"id": i, "s": "a text that is long enough %d" % i} for i in range(500000)])
    p.run().check(FAILED).says("memory", "weir.tempDirectory")
    folder = tmp_path / "spill"
    p.change(conf={"weir.tempDirectory": str(folder)})
    for command in ("check", "run"):
        weir.run(command, p.file).check(USAGE).says("weir.tempDirectory", str(folder), "make it")
    folder.mkdir()
    p.run().check()
    assert len(rows(p)) == 500000 and os.listdir(folder) == []


def test_sql_reads_a_table_by_its_folder(tmp_path, weir_bin):
    path = customers(tmp_path / "c")
    assert sql_rows("SELECT id, upper(name) AS n FROM delta.`%s` ORDER BY id DESC" % path) == [
        {"id": 2, "n": "BOB-0"}, {"id": 1, "n": "ANN-0"}]
    out = weir.run("sql", "--format", "csv", "SELECT * FROM delta.`%s` ORDER BY id" % path).check().out
    assert list(csv.DictReader(io.StringIO(out))) == [{"id": "1", "name": "ann-0"}, {"id": "2", "name": "bob-0"}]
    assert "| id| name|" in weir.run("sql", "SELECT * FROM delta.`%s`" % path).check().out.replace("ann-0", "").replace("  name", " name")


def test_sql_reads_json_files(tmp_path, weir_bin):
    (tmp_path / "a.json").write_text('{"id": 1, "x": {"y": "a"}}\n{"id": 2}\n')
    (tmp_path / "b.json").write_text('{"id": 3}\n')
    path = tmp_path / "*.json"
    assert sql_rows("SELECT id, x.y AS y, _metadata.file_name AS f FROM json.`%s` ORDER BY id" % path) == [
        {"id": 1, "y": "a", "f": "a.json"}, {"id": 2, "f": "a.json"}, {"id": 3, "f": "b.json"}]
    assert sql_rows("SELECT count(*) AS n FROM json.`%s` a JOIN json.`%s` b ON a.id >= b.id" % (path, path)) == [{"n": 6}]


def test_sql_without_a_table_is_a_calculator(weir_bin):
    assert sql_rows("SELECT 1 + 1 AS two, array(1, 2) AS a") == [{"two": 2, "a": [1, 2]}]


def test_sql_travels_in_time(tmp_path, weir_bin):
    path = customers(tmp_path / "c")
    customers(tmp_path / "c", 1)
    assert sql_rows("SELECT name FROM delta.`%s` VERSION AS OF 0 WHERE id = 1" % path) == [{"name": "ann-0"}]
    assert sql_rows("SELECT name FROM delta.`%s` WHERE id = 1" % path) == [{"name": "ann-1"}]


def test_sql_keeps_an_order(tmp_path, weir_bin):
    write_deltalake(str(tmp_path / "t"), pa.table({"id": pa.array(range(50000), pa.int64())}))
    got = [r["id"] for r in sql_rows("SELECT id FROM delta.`%s` ORDER BY id DESC" % (tmp_path / "t"), "--threads", "4")]
    assert got == list(range(49999, -1, -1))


@pytest.mark.parametrize("query, words", [
    ("SELECT * FROM nosuch", ["nosuch", "delta.`PATH`"]),
    ("SELECT * FROM delta.`/nowhere/at/all`", ["/nowhere/at/all"]),
    ("SELECT * FROM json.`/nowhere/at/all/*.json`", ["/nowhere/at/all/*.json", "no record", "a pattern that has a record"]),
    ("SELECT uper('a')", ["uper", "did you mean upper", "docs/sql.md"]),
    ("SELECT * FROM parquet.`/etc/passwd`", ["delta.`PATH` and json.`PATH`"]),
    ("INSERT INTO x VALUES (1)", ["INSERT"]),
    ("SELECT read_text('/etc/passwd')", ["read_text"]),
])
def test_sql_refuses_by_name(weir_bin, query, words):
    run = sql(query)
    assert run.status in (FAILED, USAGE) and run.out == "", run
    run.says(*words)


def test_sql_that_does_not_fit_names_the_setting(weir_bin):
    run = sql("SELECT count(*) AS n FROM (SELECT DISTINCT a.id * 3000 + b.id AS x, sha2(CAST(a.id * 3000 + b.id AS STRING), 256) AS h "
              "FROM (SELECT explode(sequence(0, 2999)) AS id) a CROSS JOIN (SELECT explode(sequence(0, 999)) AS id) b)", "--memory", "64m")
    run.check(FAILED).says("memory", "--memory")


# --- the printed sample ----------------------------------------------------------------------------------------------------
def test_the_sample_of_the_guide_runs_as_printed(weir_bin, tmp_path):
    orders = tmp_path / "landing" / "orders"
    os.makedirs(orders)
    write_deltalake(str(tmp_path / "gold" / "customers"), pa.table({"customer_id": pa.array([7], pa.int64()), "segment": ["gold"]}))
    with open(orders / "a.json", "w") as f:
        f.write('{"order_id": 1, "customer_id": 7, "placed_at": "2025-01-02T03:04:05Z", "total": 1.5}\n'
                '{"order_id": 2, "customer_id": 8, "placed_at": "2025-01-03T00:00:00Z", "total": 2.5}\n')
    os.utime(orders / "a.json", (weir.T0, weir.T0))
    file = tmp_path / "orders_bronze.yaml"
    file.write_text("""name: orders_bronze                 # query name: metrics, logs, commit tags
source:
  format: cloudFiles
  path: ./landing/orders            # `load` is the same
  options:
    cloudFiles.format: json
    cloudFiles.schemaLocation: ./state/orders/schema
    cloudFiles.schemaHints: order_id BIGINT, customer_id BIGINT, placed_at TIMESTAMP
tables:                             # other tables that the query may join: one snapshot per batch
  customers: { format: delta, path: ./gold/customers }
query: |                            # Spark SQL over `source`; default SELECT * FROM source
  SELECT o.*, c.segment, CAST(o.placed_at AS DATE) AS order_date, _metadata.file_path AS ingested_from
  FROM source o LEFT JOIN customers c ON o.customer_id = c.customer_id
sink:
  format: delta
  path: ./bronze/orders             # `save` is the same
  outputMode: append
  partitionBy: [order_date]
  options: { mergeSchema: true }
trigger: { availableNow: true }
checkpointLocation: ./state/orders/checkpoint
""")
    weir.run("check", file).check()
    weir.run("run", file).check()
    got = sorted(deltars.arrow(DeltaTable(str(tmp_path / "bronze" / "orders"))).to_pylist(), key=lambda r: r["order_id"])
    assert [(r["order_id"], r["segment"], str(r["order_date"])) for r in got] == [(1, "gold", "2025-01-02"), (2, None, "2025-01-03")]
    assert got[0]["ingested_from"].endswith("/landing/orders/a.json")
