"""Tables that weir wrote, read by delta-rs and by Spark; and the same input, ingested by Spark, as the answer.

Spark runs the same stream into a table of its own. Rows, schema, partition values and history of the two tables must
be alike, to each reader.
"""
import glob
import json
import os
import shutil

import duckdb
import pytest

import random_rows
import weir
from peers import deltars
from peers.spark import SparkError


@pytest.fixture
def both(pipeline, spark):
    """Runs weir, then Spark on the same input; a second call goes on with both."""
    class Both:
        def __init__(self):
            self.p = None

        def open(self, schema, options=None, partition_by=None, sink_options=None):
            more = {"sink": {"partitionBy": partition_by}} if partition_by else {}
            self.p = pipeline(schema=schema, options=options, sink_options=sink_options, **more)
            self.other = self.p.table + "_of_spark"
            self.how = dict(schema=schema, options={"maxFilesPerTrigger": 1, **(options or {})},
                            partition_by=partition_by, sink_options=sink_options)
            return self.p

        def run(self, **how):
            self.how.update(how)
            self.said = self.p.run().check()
            spark.stream(self.p.src, self.other, self.other + "_ckpt", **self.how)

        def agree(self):
            ours, theirs = deltars.read(self.p.table), spark.read_table(self.p.table)
            same_rows(ours.rows, theirs["rows"], "delta-rs and Spark on the table of weir")
            assert ours.schema == theirs["schema"]
            answer = spark.read_table(self.other)
            same_rows(theirs["rows"], answer["rows"], "the table of weir and the table of Spark")
            assert theirs["schema"] == answer["schema"]
            assert theirs["partition_columns"] == answer["partition_columns"] == ours.partition_columns
            assert theirs["protocol"] == answer["protocol"]
            return theirs
    return Both()


def same_rows(a, b, what):
    if a != b:
        only_a, only_b = sorted(set(a) - set(b)), sorted(set(b) - set(a))
        shown = "\n".join("%s %s" % pair for pair in [("<", r) for r in only_a[:8]] + [(">", r) for r in only_b[:8]])
        raise AssertionError("%s: %d and %d rows, %d and %d only on one side\n%s" % (
            what, len(a), len(b), len(only_a), len(only_b), shown))


@pytest.mark.parametrize("seed", range(12))
def test_random_records_become_the_same_rows_as_in_spark(both, seed):
    generator = random_rows.Generator(seed)
    p = both.open(generator.ddl)
    for n in range(3):
        p.put(None, raw=generator.rows(n * 100, 100))
    both.run()
    assert len(both.agree()["rows"]) == 300


def test_the_statistics_of_weir_hide_no_row(pipeline, spark):
    """Values of each column are asked for by name: a wrong minimum or maximum would hide their files from Spark."""
    generator = random_rows.Generator(99, columns=0, strays=0)
    generator.fields += [("k%02d" % i, kind) for i, kind in enumerate(random_rows.SCALARS) if kind != "BINARY"]
    p = pipeline(schema=generator.ddl)
    for n in range(6):
        p.put(None, raw=generator.rows(n * 5, 5))
    p.run().check()
    content = spark.read_table(p.table)
    for at, name in enumerate(sorted(content["names"])):
        kind = dict(generator.fields)[name]
        values = {json.loads(row)[at] for row in content["rows"]}
        asked = sorted((v for v in values if v is not None and "\0" not in str(v)), key=str)[:8]
        quoted = [str(v).replace("\\", "\\\\").replace("'", "\\'") for v in asked]
        query = " UNION ALL ".join("SELECT %d, count(*) > 0 FROM delta.`%s` WHERE `%s` = CAST('%s' AS %s)" % (
            i, p.table, name, text, kind) for i, text in enumerate(quoted))
        found = [json.loads(row) for row in spark.sql(query)["rows"]]
        hidden = [asked[i] for seen, i in (sorted(row, key=str, reverse=True) for row in found) if seen is not True]
        assert len(found) == len(asked) and not hidden, "%s %s: hidden %s" % (name, kind, hidden)


PARTITIONS = {
    "BOOLEAN": [True, False, None], "INT": [0, -5, 2147483647, None], "BIGINT": [2 ** 63 - 1, None],
    "SMALLINT": [7, None], "DATE": ["2024-02-29", "1969-12-31", None], "DECIMAL(9,2)": ["1.50", "-0.01", None],
    "STRING": ["plain", "a=b", "a/b", "with blank", "ü 北京", "100%", "%41", "q?#[]{}", "x:y;z", "back\\slash", "'\"", "",
               None, "__HIVE_DEFAULT_PARTITION__x", ".hidden", "_under"],
    "TIMESTAMP": ["2024-01-02T03:04:05Z", "2024-01-02T03:04:05.123456Z", None],
    "DOUBLE": [0.5, -1e10, 1e-7, None],
}


@pytest.mark.parametrize("kind", PARTITIONS)
def test_partition_values_of_every_type_are_written_as_spark_writes_them(both, kind):
    p = both.open("id BIGINT, part %s" % kind, partition_by=["part"])
    p.put([{"id": i, "part": v} for i, v in enumerate(PARTITIONS[kind] * 2)])
    both.run()
    both.agree()
    adds = [sorted(json.dumps(a["add"]["partitionValues"]) for actions in deltars.commits(table).values()
                   for a in actions if "add" in a) for table in (p.table, both.other)]
    assert sorted(set(adds[0])) == sorted(set(adds[1]))
    for actions in deltars.commits(p.table).values():
        for add in (a["add"] for a in actions if "add" in a):
            assert add["path"].count("/") >= 1, "no folder for a partition: %s" % add["path"]


def test_two_partition_columns_and_their_order(both):
    p = both.open("a STRING, id BIGINT, b INT", partition_by=["b", "a"])
    p.put([{"id": i, "a": "x%d" % (i % 3), "b": i % 2} for i in range(12)])
    p.put([{"id": i, "a": None, "b": i % 2} for i in range(12, 15)])
    both.run()
    assert both.agree()["partition_columns"] == ["b", "a"]


def test_merge_schema_adds_columns_as_spark_does(both):
    p = both.open("id BIGINT, s STRUCT<x: INT>", sink_options={"mergeSchema": "true"})
    p.put([{"id": 1, "s": {"x": 1}}])
    both.run()
    wider = "id BIGINT, s STRUCT<x: INT, y: STRING>, n DOUBLE, l ARRAY<INT>"
    both.p = p.change(source={"schema": wider})
    both.p.put([{"id": 2, "s": {"x": 2, "y": "b"}, "n": 1.5, "l": [1, None]}])
    both.run(schema=wider)
    both.agree()


def test_a_new_column_without_merge_schema_is_refused_and_nothing_is_written(both, spark):
    p = both.open("id BIGINT")
    p.put([{"id": 1}])
    both.run()
    both.p = p.change(source={"schema": "id BIGINT, more STRING"})
    both.p.put([{"id": 2, "more": "x"}])
    ended = both.p.run()
    assert ended.status in (1, 2), ended
    ended.says("more", "mergeSchema")
    weir.assert_same([1], deltars.column(p.table, "id"))
    with pytest.raises(SparkError):
        spark.stream(p.src, both.other, both.other + "_ckpt", **{**both.how, "schema": "id BIGINT, more STRING"})
    again = both.p.change(sink={"options": {"mergeSchema": True}})
    again.assert_exactly_once([1, 2], run=again.run().check())


def test_the_history_is_the_same_to_both_readers(both, spark):
    p = both.open("id BIGINT")
    p.put_ids([1, 2], [3], [4, 5, 6])
    both.run()
    theirs, ours = spark.history(p.table), deltars.history(p.table)
    assert [h["operation"] for h in theirs] == [h["operation"] for h in ours] == ["STREAMING UPDATE"] * 3
    answer = spark.history(both.other)
    for h in theirs + answer:
        h["parameters"].pop("queryId")
        h["metrics"].pop("numOutputBytes")
    assert [h["parameters"] for h in theirs] == [h["parameters"] for h in answer]
    assert [h["metrics"] for h in theirs] == [h["metrics"] for h in answer]


def test_every_version_can_be_read_by_both(pipeline, spark):
    p = pipeline(schema="id BIGINT")
    p.put_ids(*[[n] for n in range(13)])
    p.run().check()
    for version in (0, 10, 12):
        ours, theirs = deltars.read(p.table, version), spark.read_table(p.table, version)
        assert ours.rows == theirs["rows"] == sorted("[%d]" % n for n in range(version + 1))


def test_spark_and_delta_rs_read_a_table_whose_old_commits_are_only_in_a_checkpoint(pipeline, spark):
    """The JSON files before a checkpoint may go, as log clean-up does; Spark may append behind it, and weir too."""
    p = pipeline(schema="id BIGINT, part STRING", sink={"partitionBy": ["part"]})
    for n in range(12):
        p.put([{"id": n, "part": "p%d" % (n % 3)}])
    p.run().check()
    log = os.path.join(p.table, "_delta_log")
    assert [os.path.basename(f) for f in glob.glob(log + "/*.checkpoint*")] == ["%020d.checkpoint.parquet" % 10]
    at = 10
    copy = p.table + "_cleaned"
    shutil.copytree(p.table, copy)
    for version in range(at):
        os.remove(os.path.join(copy, "_delta_log", "%020d.json" % version))
    ours, theirs = deltars.read(copy), spark.read_table(copy)
    assert ours.rows == theirs["rows"] == deltars.read(p.table).rows
    # and Spark may append behind it
    spark.sql("INSERT INTO delta.`%s` VALUES (100, 'p9')" % copy)
    assert len(deltars.read(copy).rows) == 13


def test_duckdb_counts_the_rows_of_the_files_that_the_log_names(pipeline):
    """DuckDB's Parquet reader is a third one; its Delta extension cannot be had offline."""
    p = pipeline(schema="id BIGINT, v DOUBLE, t TIMESTAMP")
    for n in range(3):
        p.put([{"id": n * 1000 + i, "v": i / 8, "t": "2025-01-01T00:00:%02dZ" % (i % 60)} for i in range(1000)])
    p.run().check()
    names = [os.path.join(p.table, a["add"]["path"]) for actions in deltars.commits(p.table).values()
             for a in actions if "add" in a]
    got = duckdb.execute("SELECT count(*), sum(id), sum(v), min(epoch_us(t)) FROM read_parquet(?)", [names]).fetchone()
    assert got == (3000, sum(range(3000)), 3 * sum(i / 8 for i in range(1000)), 1735689600000000)


def test_delta_rs_can_append_between_two_runs_of_weir(pipeline):
    from deltalake import write_deltalake
    import pyarrow as pa
    p = pipeline(schema="id BIGINT, name STRING")
    p.put_ids([1, 2])
    p.run().check()
    write_deltalake(p.table, pa.table({"id": pa.array([50], pa.int64()), "name": ["theirs"]}), mode="append")
    p.put_ids([3])
    p.run().check()
    weir.assert_same([1, 2, 3, 50], deltars.column(p.table, "id"))
    assert p.log_ids("commits") == [0, 1]
