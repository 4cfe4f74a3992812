"""The peers tell the truth about each other. When one of these fails, no failure elsewhere says anything on weir."""
import os

from peers import canon, deltars
import weir

ALL_TYPES = """CREATE TABLE delta.`%s` USING delta PARTITIONED BY (pd) AS SELECT * FROM VALUES
 (1Y, 2S, 3, 4L, 1.1F, 0.1D, 12.340BD, true, 'ö', X'00FF', DATE'1500-01-02', TIMESTAMP'2020-01-01 00:00:00.000001',
  TIMESTAMP_NTZ'9999-12-31 23:59:59.999999', array(1, null), map('b', 1.5D, 'a', null),
  named_struct('z', 1, 'a', array(named_struct('x', DATE'2020-01-01'))), DATE'2020-02-02'),
 (null, null, null, null, float('nan'), double('-infinity'), -0.01BD, null, '', null, null, null, null, array(), map(),
  null, null) AS t(b, s, i, l, f, d, dec, bo, st, bin, da, ts, ntz, ar, m, str, pd)"""


def put(folder, n, ids):
    path = os.path.join(folder, "part %d.json" % n)
    with open(path, "w", encoding="utf-8") as f:
        f.writelines('{"id":%d}\n' % i for i in ids)
    os.utime(path, (weir.T0 + n, weir.T0 + n))


def test_canonical_text_of_numbers_and_times():
    assert canon.timestamp(-1) == "1969-12-31T23:59:59.999999Z"
    assert canon.date(-719_162) == "0001-01-01"
    assert canon.date(2_932_896) == "9999-12-31"
    assert canon.real(float("-0.0"), 17) == "-0"
    assert canon.decimal(__import__("decimal").Decimal("-0.5"), 3) == "-0.500"


def test_both_readers_see_the_same_table_of_all_types(spark, tmp_path):
    table = tmp_path / "all"
    spark.sql(ALL_TYPES % table)
    theirs, ours = spark.read_table(table), deltars.read(table)
    assert theirs["rows"] == ours.rows
    assert theirs["hash"] == ours.hash
    assert theirs["schema"] == ours.schema
    assert theirs["partition_columns"] == ours.partition_columns == ["pd"]


def test_a_killed_stream_keeps_the_commit_and_loses_the_mark(spark, tmp_path):
    """SIGKILL between the sink's commit and commits/N is a real one, and Spark itself recovers from it."""
    folder, table, ckpt = str(tmp_path / "in"), str(tmp_path / "table"), str(tmp_path / "ckpt")
    os.makedirs(folder)
    for n in range(3):
        put(folder, n, [n])
    stream = dict(path=folder, table=table, checkpoint=ckpt, schema="id BIGINT", options={"maxFilesPerTrigger": 1})
    assert spark.stream(**stream, die_when=lambda: os.path.exists(table + "/_delta_log/%020d.json" % 1)) is None
    assert os.path.exists(ckpt + "/offsets/1") and not os.path.exists(ckpt + "/commits/1")
    assert [p["numInputRows"] for p in spark.stream(**stream)] == [0, 1]
    weir.assert_same([0, 1, 2], deltars.column(table, "id"))
