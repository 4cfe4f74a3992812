"""One stream, two engines: Spark and weir take turns on the same checkpoint and the same Delta table.

Each side starts from the files that the other left, with new input each time. Whoever dies where, the table must
hold each row once, and the batch ids must go on without a hole.
"""
import json
import os
import re

import pytest

import weir
from peers import deltars

SCHEMA = "id BIGINT, name STRING"
AWKWARD = ["plain.json", "with blank.json", "ümläut é.json", "北京.json", "100%.json", "a+b&c=d;e,f.json", "x#y.json",
           "quote'd \"twice\".json", "tilde~^`|<>.json", "%41%20.json"]
# Characters of a glob. Spark 4.0.0 writes the rows of a batch's other file twice when one file's name has such a
# character, so these names come only alone in their batch.
GLOBS = ["what?.json", "[brackets].json", "{braces}.json", "back\\slash.json", "star*.json"]


class Turns:
    """A pipeline that both engines run. `put` makes files with names of every kind."""

    def __init__(self, pipeline, spark, folder=None, options=None, conf=None, **spec):
        self.options = {"maxFilesPerTrigger": 2, **(options or {})}
        self.conf = conf or {}
        self.p = pipeline(folder, schema=SCHEMA, options=self.options, conf=conf, **spec)
        self.spark_side, self.ids, self.files = spark, [], 0

    def put(self, files=1, rows=3, names=AWKWARD):
        for _ in range(files):
            group = range(len(self.ids), len(self.ids) + rows)
            name = "%03d %s" % (self.files, names[self.files % len(names)])
            self.p.put([{"id": i, "name": "n%d" % i} for i in group], name=name)
            self.ids += group
            self.files += 1

    def weir(self, **how):
        return self.p.run(**how)

    def spark(self, die_when=None, conf=None):
        return self.spark_side.stream(self.p.src, self.p.table, self.p.ckpt, schema=SCHEMA, options=self.options,
                                      conf=self.conf if conf is None else conf, die_when=die_when)

    def turn(self, who):
        if who == "weir":
            return sum(b["numInputRows"] for b in self.weir().check().batches)
        return sum(b["numInputRows"] for b in self.spark())

    def check(self):
        self.p.assert_exactly_once(self.ids)

    def agree(self):
        theirs, ours = self.spark_side.read_table(self.p.table), deltars.read(self.p.table)
        assert theirs["rows"] == ours.rows
        assert theirs["schema"] == ours.schema


@pytest.fixture
def turns(pipeline, spark):
    return lambda **how: Turns(pipeline, spark, **how)


@pytest.mark.slow
def test_twenty_turns_of_spark_and_weir_write_each_row_once(turns, spark):
    t, compacted = turns(), {}
    for turn in range(20):
        who = ("spark", "weir")[turn % 2]
        t.put(3 if turn == 10 else 1 + turn % 2)  # turn 10 makes two batches, so that each side compacts once
        before = len(t.ids) - len(deltars.column(t.p.table, "id")) if turn else len(t.ids)
        assert t.turn(who) == before, "turn %d, %s" % (turn, who)
        t.check()
        for n in (9, 19):
            if os.path.exists(os.path.join(t.p.ckpt, "sources", "0", "%d.compact" % n)):
                compacted.setdefault(n, who)
    assert t.p.log_ids("commits") == list(range(21))
    assert compacted == {9: "weir", 19: "spark"}
    t.agree()
    told = spark.history(t.p.table)
    assert [h["operation"] for h in told] == ["STREAMING UPDATE"] * 21
    assert [int(h["parameters"]["epochId"]) for h in told] == list(range(21))
    assert {h["parameters"]["queryId"] for h in told} == {t.p.query_id}
    assert sum(int(h["metrics"]["numOutputRows"]) for h in told) == len(t.ids)


def test_neither_side_makes_a_batch_when_nothing_is_new(turns):
    """Spark compares offsets as text: one blank more, and it runs a batch without rows."""
    t = turns()
    t.put(3)
    t.turn("weir")
    for who in ("spark", "weir", "spark"):
        assert t.turn(who) == 0
        assert t.p.log_ids("offsets") == [0, 1], who
        t.check()


def test_weir_goes_on_after_spark_was_killed_with_its_rows_committed(turns):
    t = turns()
    t.put(1)
    t.turn("spark")
    t.put(1)
    commit = os.path.join(t.p.table, "_delta_log", "%020d.json" % 1)
    assert t.spark(die_when=lambda: os.path.exists(commit)) is None
    assert t.p.log_ids("offsets") == [0, 1] and t.p.log_ids("commits") == [0]
    t.put(1)
    t.weir().check()
    t.check()
    t.put(1)
    t.turn("spark")
    t.check()
    t.agree()


def test_weir_goes_on_after_spark_was_killed_with_a_batch_only_planned(turns):
    t = turns()
    t.put(1)
    t.turn("spark")
    for attempt in range(5):  # the kill must come before Spark's own commit, about a second later
        t.put(1)
        n = t.p.log_ids("offsets")[-1] + 1
        assert t.spark(die_when=lambda: os.path.exists(os.path.join(t.p.ckpt, "offsets", str(n)))) is None
        early = not os.path.exists(os.path.join(t.p.table, "_delta_log", "%020d.json" % n))
        t.put(1)
        t.weir().check()
        t.check()
        if early:
            break
    assert early, "Spark was never killed before its commit"
    t.put(1)
    t.turn("spark")
    t.check()


@pytest.mark.parametrize("point", [name for name, _ in weir.points() if name not in ("schema-log", "ack-half")])
def test_spark_goes_on_after_weir_was_killed(turns, point):
    t = turns(options={"maxFilesPerTrigger": 1},
              sink={"table": {"properties": {"delta.checkpointInterval": "1"}}})  # so that each point is passed in each batch
    t.put(4)
    t.weir(point="%s@2=kill" % point).check(-9)
    t.put(1)
    t.turn("spark")
    t.check()
    t.put(1)
    t.weir().check()
    t.check()


@pytest.mark.parametrize("first, second", [("spark", "weir"), ("weir", "spark")])
def test_a_compaction_interval_in_use_goes_on_under_another_setting(turns, pipeline, first, second):
    three = {"spark.sql.streaming.fileSource.log.compactInterval": 3}
    t = turns(options={"maxFilesPerTrigger": 1}, conf=three)
    t.put(4)  # batches 0 to 3: compacted at 2
    t.turn(first)
    t.conf = {}
    t.p = t.p.change(conf={"spark.sql.streaming.fileSource.log.compactInterval": 10})
    t.put(5)  # 4 to 8: compacted at 5 and 8
    t.turn(second)
    t.check()
    names = os.listdir(os.path.join(t.p.ckpt, "sources", "0"))
    assert {"2.compact", "5.compact", "8.compact"} <= set(names), names
    t.put(1)
    t.turn(first)
    t.check()


@pytest.mark.parametrize("first, second", [("spark", "weir"), ("weir", "spark")])
def test_a_file_that_one_side_took_is_not_taken_again_by_the_other(turns, first, second):
    t = turns()
    t.put(len(AWKWARD))
    t.turn(first)
    for name in sorted(os.listdir(t.p.src)):  # rewritten, newer: known by its path
        path = os.path.join(t.p.src, name)
        if not name.startswith("."):
            os.utime(path, (weir.T0 + 1000, weir.T0 + 1000))
    assert t.turn(second) == 0
    t.check()


def test_settings_that_spark_froze_stay_in_the_offsets(turns):
    t = turns()
    t.put(1)
    t.turn("spark")
    theirs = t.p.offset(0)[0]["conf"]
    t.put(1)
    t.turn("weir")
    ours = t.p.offset(1)[0]["conf"]
    assert {k: v for k, v in ours.items() if not k.startswith("weir.")} == theirs
    assert [k for k in ours if k.startswith("weir.")], "no key of weir's own: Spark's tolerance is not tested"
    t.put(1)
    t.turn("spark")
    t.check()


def test_a_table_whose_old_commits_stand_only_in_sparks_checkpoint(turns):
    """After Delta's log clean-up the table's protocol and schema, and the stream's txn, are in a Parquet file."""
    t = turns(options={"maxFilesPerTrigger": 1})
    t.put(12)
    t.turn("spark")
    log = os.path.join(t.p.table, "_delta_log")
    assert os.path.exists(os.path.join(log, "%020d.checkpoint.parquet" % 10))
    for version in range(10):
        os.remove(os.path.join(log, "%020d.json" % version))
    t.put(2)
    t.turn("weir")
    weir.assert_same(t.ids, deltars.column(t.p.table, "id"))
    assert t.p.log_ids("commits") == list(range(14))


def spelled(text):
    """A checkpoint file without what must differ: times, ids, and weir's own keys in conf."""
    text = re.sub(r'"weir\.[^"]*":"[^"]*",?', "", text)
    text = re.sub(r",}", "}", text)
    text = re.sub(r'("batchTimestampMs":)\d+', r"\1T", text)
    return re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "ID", text)


def test_the_checkpoint_is_spelled_as_spark_spells_it(turns, pipeline, tmp_path):
    texts = []
    for who in ("spark", "weir"):
        t = turns(folder=tmp_path / who, options={"maxFilesPerTrigger": 1}, conf={"spark.sql.shuffle.partitions": 200})
        t.put(len(AWKWARD + GLOBS), names=AWKWARD + GLOBS)
        t.turn(who)
        t.check()
        found = {}
        for folder, _, names in os.walk(t.p.ckpt):
            for name in names:
                path = os.path.join(folder, name)
                if not name.startswith(".") and "_weir" not in folder:
                    with open(path, encoding="utf-8", newline="") as f:
                        found[os.path.relpath(path, t.p.ckpt)] = spelled(f.read()).replace("/%s/in/" % who, "/X/in/")
        texts.append(found)
    assert sorted(texts[0]) == sorted(texts[1])
    for name, text in texts[0].items():
        if not name.startswith("offsets/"):
            assert texts[1][name] == text, name
        else:  # the conf of a checkpoint that weir began may hold fewer of Spark's settings, never other ones
            theirs, ours = text.split("\n"), texts[1][name].split("\n")
            assert ours[0] == theirs[0] and ours[2:] == theirs[2:], name
            spark_meta, weir_meta = (json.loads(lines[1].replace(":T", ":0")) for lines in (theirs, ours))
            assert set(weir_meta.pop("conf").items()) <= set(spark_meta.pop("conf").items()), name
            assert list(weir_meta.items()) == list(spark_meta.items()), name


def test_the_commit_is_spelled_as_spark_spells_it(turns, tmp_path):
    shapes = []
    for who in ("spark", "weir"):
        t = turns(folder=tmp_path / who)
        t.put(1)
        t.turn(who)
        actions = {next(iter(a)): next(iter(a.values())) for a in deltars.commits(t.p.table)[0]}
        info = actions["commitInfo"]
        assert actions["txn"]["appId"] == t.p.query_id and actions["txn"]["version"] == 0
        shapes.append({
            "operation": info["operation"],
            "outputMode": info["operationParameters"]["outputMode"],
            "epochId": info["operationParameters"]["epochId"],
            "mine": info["operationParameters"]["queryId"] == t.p.query_id,
            "isBlindAppend": info["isBlindAppend"],
            "metrics": sorted(info["operationMetrics"]),
            "protocol": [actions["protocol"]["minReaderVersion"], actions["protocol"]["minWriterVersion"]],
            "schema": json.loads(actions["metaData"]["schemaString"]),
            "format": actions["metaData"]["format"],
            "stats": json.loads(actions["add"]["stats"]),
            "dataChange": actions["add"]["dataChange"],
        })
    shapes[1]["stats"].pop("tightBounds", None)
    assert shapes[1] == shapes[0]
