"""Delta tables read: whatever Spark writes weir reads, value for value and version for version; and what stays of a
table's log when its old commits are gone."""
import glob
import json
import os
import shutil

import pytest

import weir
from peers import deltars

ALL = ("id INT, b BYTE, s SHORT, l BIGINT, f FLOAT, d DOUBLE, dec DECIMAL(20,3), t STRING, bin BINARY, ok BOOLEAN, "
       "day DATE, at TIMESTAMP, st STRUCT<a: INT, xy: STRING>, arr ARRAY<STRUCT<k: INT>>, m MAP<STRING, INT>")
ROWS = [
    "1, 2, 3, 4, 1.5, 2.25, 3.125, 'text', X'00FF', true, DATE'2020-01-02', TIMESTAMP'2020-01-02 03:04:05.678901', "
    "named_struct('a', 1, 'xy', 'q'), array(named_struct('k', 7)), map('one', 1)",
    "2" + ", NULL" * 14,
    "3, -128, -32768, -9223372036854775808, float('NaN'), double('-Infinity'), -99999999999999999.999, '', X'', false, "
    "DATE'0001-01-01', TIMESTAMP'1969-12-31 23:59:59.999999', named_struct('a', NULL, 'xy', ''), array(), map()",
]


def filled(table, rows=ROWS):
    return ["INSERT INTO %s VALUES (%s)" % (table, row) for row in rows]


def kind(columns, *statements, options=""):
    return ["CREATE TABLE {t} (%s) USING delta %s" % (columns, options)] + list(statements)


KINDS = {
    "all types": kind(ALL, *filled("{t}")),
    "INT96": ["SET spark.sql.parquet.outputTimestampType=INT96"] + kind(ALL, *filled("{t}")) +
             ["SET spark.sql.parquet.outputTimestampType=TIMESTAMP_MICROS"],
    "partitioned by every type": kind(
        "id INT, b BYTE, l BIGINT, d DOUBLE, dec DECIMAL(5,2), t STRING, ok BOOLEAN, day DATE, at TIMESTAMP",
        "INSERT INTO {t} VALUES (1, 2, 3, 1.5E300, 1.25, 'a/b%c=d e', true, DATE'2020-02-29', TIMESTAMP'2020-01-02 03:04:05.678901')",
        "INSERT INTO {t} VALUES (2" + ", NULL" * 8 + ")",
        "INSERT INTO {t} VALUES (3, -1, -3, -0.5, -1.00, 'x''y*[z]?', false, DATE'1900-01-01', TIMESTAMP'1900-01-01 00:00:00')",
        options="PARTITIONED BY (b, l, d, dec, t, ok, day, at)"),
    "mapped by id": kind(
        "id INT, st STRUCT<a: INT, b: STRING>, arr ARRAY<STRUCT<k: INT>>, p STRING",
        "INSERT INTO {t} VALUES (1, named_struct('a', 1, 'b', 'x'), array(named_struct('k', 1)), 'p1')",
        "ALTER TABLE {t} RENAME COLUMN st.a TO c", "ALTER TABLE {t} RENAME COLUMN id TO number",
        "ALTER TABLE {t} ADD COLUMNS (`new one` INT, st.z DOUBLE)",
        "INSERT INTO {t} VALUES (2, named_struct('c', 2, 'b', 'y', 'z', 0.5), array(), 'p2', 7)",
        options="PARTITIONED BY (p) TBLPROPERTIES ('delta.columnMapping.mode'='id', 'delta.minReaderVersion'='2', "
                "'delta.minWriterVersion'='5')"),
    "deletion vectors and checkpoints": kind(
        "id INT, p INT",
        "INSERT INTO {t} SELECT id, id % 3 FROM range(0, 1000, 1, 4)", "DELETE FROM {t} WHERE id % 7 = 0",
        "UPDATE {t} SET p = 9 WHERE id BETWEEN 100 AND 120", "DELETE FROM {t} WHERE id < 10", "INSERT INTO {t} VALUES (5000, 1)",
        options="PARTITIONED BY (p) TBLPROPERTIES ('delta.enableDeletionVectors'='true', 'delta.checkpointInterval'='2')"),
    "V2 checkpoints with a Parquet top file": [
        "SET spark.databricks.delta.checkpointV2.topLevelFileFormat=parquet"] + kind(
        "id INT, t STRING", *["INSERT INTO {t} VALUES (%d, 'x%d')" % (n, n) for n in range(5)], "DELETE FROM {t} WHERE id = 1",
        options="TBLPROPERTIES ('delta.checkpointPolicy'='v2', 'delta.checkpointInterval'='2')"),
    "checkpoints in parts": ["SET spark.databricks.delta.checkpoint.partSize=2"] + kind(
        "id INT, t STRING", *["INSERT INTO {t} VALUES (%d, 'x%d')" % (n, n) for n in range(7)],
        options="TBLPROPERTIES ('delta.checkpointInterval'='3')") + ["RESET spark.databricks.delta.checkpoint.partSize"],
    "char, varchar and defaults": kind(
        "id INT, c CHAR(5), v VARCHAR(10), n INT DEFAULT 42", "INSERT INTO {t} (id, c, v) VALUES (1, 'ab', 'cd'), (2, NULL, 'ü')",
        "INSERT INTO {t} (id, c, v) VALUES (3, 'ü', '')",
        options="TBLPROPERTIES ('delta.feature.allowColumnDefaults'='supported')"),
    "clustered": kind("id INT, k INT", "INSERT INTO {t} SELECT id, id % 5 FROM range(100)", "OPTIMIZE {t}",
                      options="CLUSTER BY (k)"),
}


def as_spark_says(spark, table):
    """Rows as Spark's JSON, which leaves nulls out; binary columns are base64 in both."""
    (rows,) = [spark.sql("SELECT to_json(struct(*)) FROM delta.`%s`" % table)["rows"]]
    return sorted(json.dumps(json.loads(json.loads(row)[0]), sort_keys=True) for row in rows)


def as_weir_says(table):
    out = weir.run("sql", "SELECT * FROM delta.`%s`" % table, "--format", "json").check().out
    return sorted(json.dumps(json.loads(line), sort_keys=True) for line in out.splitlines())


@pytest.mark.parametrize("name", KINDS)
def test_whatever_spark_writes_weir_reads(spark, tmp_path, name):
    table = str(tmp_path / "t")
    for statement in KINDS[name]:
        spark.sql(statement.replace("{t}", "delta.`%s`" % table))
    theirs = as_spark_says(spark, table)
    assert theirs and as_weir_says(table) == theirs


def test_every_version_of_a_table_that_spark_changed(spark, tmp_path):
    table = str(tmp_path / "t")
    name = "delta.`%s`" % table
    for statement in kind("id INT", "INSERT INTO {t} SELECT id FROM range(10)", "DELETE FROM {t} WHERE id < 5",
                          "UPDATE {t} SET id = 100 WHERE id = 7", "INSERT OVERWRITE {t} VALUES (1)"):
        spark.sql(statement.replace("{t}", name))
    for version in range(5):
        theirs = [json.loads(r)[0] for r in spark.read_table(table, version)["rows"]]
        out = weir.run("sql", "SELECT id FROM %s VERSION AS OF %d" % (name, version), "--format", "json").check().out
        assert sorted(json.loads(line)["id"] for line in out.splitlines()) == sorted(theirs)
    weir.run("sql", "SELECT id FROM %s VERSION AS OF 9" % name).check(2).says("newest is 4")


def twelve(pipeline, **sink):
    p = pipeline(schema="id BIGINT, part STRING", sink=dict(partitionBy=["part"], **sink))
    for n in range(12):
        p.put([{"id": n, "part": "p%d" % (n % 3)}])
    p.run().check()
    return p


def test_weir_goes_on_behind_its_own_checkpoint(pipeline):
    p = twelve(pipeline)
    log = os.path.join(p.table, "_delta_log")
    for version in range(10):
        os.remove(os.path.join(log, "%020d.json" % version))
    p.put([{"id": 12, "part": "p9"}])
    p.run().check()
    assert sorted(deltars.column(p.table, "id")) == list(range(13))
    shown = json.loads(weir.run("table", "show", "--format", "json", p.table).check().out)
    assert (shown["numFiles"], shown["numRecords"]) == (13, 13)
    assert len(weir.run("table", "history", "--format", "json", p.table).check().out.splitlines()) == 3


def test_a_checkpoint_that_cannot_be_written_is_a_warning(pipeline):
    p = pipeline(schema="id BIGINT")
    p.put_ids(*[[n] for n in range(12)])
    ended = p.run(point="ckpt-tmp=fail").check()
    assert "checkpoint 10" in ended.err
    assert not glob.glob(p.table + "/_delta_log/*.checkpoint.parquet")
    assert not glob.glob(p.table + "/_delta_log/.*tmp")
    p.put_ids([12])
    p.run().check()  # the next commit makes it
    assert [os.path.basename(f) for f in glob.glob(p.table + "/_delta_log/*.checkpoint.parquet")] == [
        "%020d.checkpoint.parquet" % 10]


def test_a_broken_checkpoint_is_passed_over_and_said(pipeline):
    p = twelve(pipeline)
    copy = p.table + "_broken"
    shutil.copytree(p.table, copy)
    with open(os.path.join(copy, "_delta_log", "%020d.checkpoint.parquet" % 10), "r+b") as f:
        f.truncate(500)
    counted = weir.run("sql", "SELECT count(*) AS n FROM delta.`%s`" % copy, "--format", "json").check()
    assert json.loads(counted.out) == {"n": 12} and "checkpoint 10" in counted.err
    os.remove(os.path.join(copy, "_delta_log", "%020d.json" % 4))
    weir.run("sql", "SELECT count(*) FROM delta.`%s`" % copy).check(1).says("checkpoint.parquet")


def test_a_data_file_that_is_gone_is_named(pipeline):
    p = twelve(pipeline)
    gone = deltars.files(p.table)[0]
    os.remove(os.path.join(p.table, gone) if not os.path.isabs(gone) else gone)
    weir.run("sql", "SELECT count(*) FROM delta.`%s`" % p.table).check(1).says(os.path.basename(gone))
