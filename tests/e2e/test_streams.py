"""Runs beside the rest of the world: files that come while weir runs, other writers of the table, other machines'
settings."""
import json
import os
import shutil
import signal
import threading
import time

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from deltalake.schema import Field, PrimitiveType

import weir
from peers import deltars


def until(true, process, seconds=120):
    """Waits for a condition while the process runs."""
    end = time.monotonic() + seconds
    while not true():
        assert process.popen.poll() is None, process.wait()
        assert time.monotonic() < end, "it did not come in %d s" % seconds
        time.sleep(0.02)


def rows(p):
    begun = os.path.exists(os.path.join(p.table, "_delta_log", "%020d.json" % 0))
    return len(deltars.column(p.table, "id")) if begun else 0


# --- files that come while it runs -------------------------------------------------------------------------------------
@pytest.mark.parametrize("trigger", [{"processingTime": "200 milliseconds"}, None], ids=["processingTime", "default"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_an_endless_run_takes_what_comes_and_ends_by_a_signal(pipeline, trigger, number):
    p = pipeline(conf={"weir.minCommitInterval": "0 seconds"})
    p.spec.pop("trigger")
    if trigger:
        p.spec["trigger"] = trigger
    p.write()
    p.put_ids([0])
    process = p.start()
    for turn in range(1, 5):
        until(lambda: rows(p) == turn, process)
        p.put_ids([turn])
    until(lambda: rows(p) == 5, process)
    process.signal(number)
    ended = process.wait().check(128 + number)
    p.assert_exactly_once(range(5), run=ended)
    assert p.run(args=["--available-now"]).check().rows == 0


def test_a_file_that_grows_is_taken_when_it_is_whole(pipeline):
    p = pipeline()
    p.put_ids([0])
    path = os.path.join(p.src, "growing.json")

    def grow():
        with open(path, "w") as f:
            for i in range(1, 11):
                f.write('{"id":%d,"name":"n"}\n' % i)
                f.flush()
                time.sleep(0.3)
    writer = threading.Thread(target=grow)
    writer.start()
    first = p.run().check()  # it may end before or wait for the file
    assert rows(p) in (1, 11), first
    writer.join()
    p.assert_exactly_once(range(11), run=p.run().check())


@pytest.mark.parametrize("format", ["json", "cloudFiles"])
@pytest.mark.parametrize("path, status", [("_raw/*.json", 0), ("*/_raw/*.json", 2), ("*/.raw/x", 2), ("*/_x=1/*", 0),
                                          ("_raw/_one.json", 2), ("x/[_]raw/*", 0)])
def test_a_path_that_only_hidden_names_match_is_refused(pipeline, format, path, status):
    """Such a run would find nothing new for ever, and succeed."""
    p = pipeline(format=format, schema="id BIGINT", options={"cloudFiles.format": "json"} if format != "json" else {})
    p.spec["source"]["options"].pop("maxFilesPerTrigger")
    p.spec["source"]["path"] = os.path.join(p.src, path)
    p.write()
    p.put([{"id": 1}], name="_raw/_one.json")
    if path == "*/_x=1/*" and format == "cloudFiles":
        status = 2
    ended = p.run().check(status)
    assert status == 0 or ended.says("hidden")


def test_hidden_and_half_written_names_are_not_taken(pipeline):
    p = pipeline()
    p.put_ids([1])
    for n, name in enumerate((".hidden.json", "_temporary.json", "_sub/part.json", ".sub/part.json")):
        p.put([{"id": 10 + n, "name": "x"}], name=name)
    p.assert_exactly_once([1], run=p.run().check())


def test_files_of_one_name_in_many_folders_are_all_taken(pipeline):
    p = pipeline(schema="id BIGINT, name STRING, day DATE", options={"maxFilesPerTrigger": 100})
    for n in range(20):
        p.put([{"id": n, "name": "x"}], name="day=2025-01-%02d/part.json" % (n + 1), at=weir.T0)
    ended = p.run().check()
    p.assert_exactly_once(range(20), run=ended)
    days = sorted(str(d) for d in deltars.column(p.table, "day"))
    assert days == ["2025-01-%02d" % (n + 1) for n in range(20)]


def test_many_small_files_in_one_batch(pipeline):
    p = pipeline(options={"maxFilesPerTrigger": 5000})
    p.put_ids(*[[n] for n in range(2000)])
    p.assert_exactly_once(range(2000), run=p.run().check())
    assert p.log_ids("commits") == [0]


# --- other writers of the table ----------------------------------------------------------------------------------------
def others_row(number):
    return pa.table({"id": pa.array([number], pa.int64()), "name": ["theirs"]})


@pytest.mark.parametrize("point", ["planned", "offsets", "file-half", "file-synced", "commit-tmp", "commit-linked"])
def test_another_writer_commits_while_a_batch_is_under_way(pipeline, point):
    p = pipeline()
    p.put_ids([1, 2], [3], [4, 5])
    process = p.start(point="%s@2=stop" % point)
    assert process.wait_stopped(), process.wait()
    for number in (100, 101, 102):
        write_deltalake(p.table, others_row(number), mode="append")
    process.signal(signal.SIGCONT)
    p.assert_exactly_once([1, 2, 3, 4, 5, 100, 101, 102], run=process.wait().check())
    assert [v for v in deltars.commits(p.table)] == list(range(6))


@pytest.mark.parametrize("point", ["offsets", "file-synced", "commit-tmp"])
def test_another_writer_adds_a_column_while_a_batch_is_under_way(pipeline, point):
    p = pipeline()
    p.put_ids([1, 2], [3])
    process = p.start(point="%s@2=stop" % point)
    assert process.wait_stopped(), process.wait()
    DeltaTable(p.table).alter.add_columns([Field("theirs", PrimitiveType("string"))])
    process.signal(signal.SIGCONT)
    ended = process.wait()
    if ended.status:
        ended.check(1)
        ended = p.run().check()
    p.assert_exactly_once([1, 2, 3], run=ended)
    assert "theirs" in deltars.read(p.table).names


@pytest.mark.parametrize("point", ["offsets", "commit-tmp"])
def test_a_table_that_is_removed_under_way_is_not_made_anew(pipeline, point):
    p = pipeline()
    p.put_ids([1, 2], [3])
    process = p.start(point="%s@2=stop" % point)
    assert process.wait_stopped(), process.wait()
    os.rename(p.table, p.table + ".away")
    process.signal(signal.SIGCONT)
    ended = process.wait()
    assert ended.status in (1, 2), ended
    shutil.rmtree(p.table, ignore_errors=True)
    os.rename(p.table + ".away", p.table)
    p.assert_exactly_once([1, 2, 3], run=p.run().check())


def test_two_pipelines_write_one_table_at_the_same_time(pipeline, tmp_path):
    pipelines = []
    for n in range(3):
        p = pipeline(tmp_path / ("p%d" % n), name="p%d" % n)
        p = p.change(sink={"path": str(tmp_path / "shared")})
        p.table = str(tmp_path / "shared")
        p.put_ids(*[[n * 1000 + i] for i in range(12)])
        pipelines.append(p)
    ended = [process.wait() for process in [p.start() for p in pipelines]]
    for run in ended:
        run.check()
    want = [n * 1000 + i for n in range(3) for i in range(12)]
    for p, run in zip(pipelines, ended):
        p.assert_exactly_once(want, run=run)
    assert len(deltars.commits(str(tmp_path / "shared"))) == 36


def test_a_table_that_was_made_anew_under_a_running_pipeline_is_left_alone(pipeline):
    """Its version 0 is another one: rows of the old schema would be nulls there, and the batches before are missing."""
    p = pipeline(conf={"weir.minCommitInterval": "0 seconds"})
    p.spec.pop("trigger")
    p.write()
    p.put_ids([0])
    process = p.start()
    until(lambda: rows(p) == 1, process)
    until(lambda: p.log_ids("commits") == [0], process)
    shutil.rmtree(p.table)
    write_deltalake(p.table, pa.table({"other": ["x"]}))
    p.put_ids([1])
    process.wait().check(2).says("version 0", "dropped or replaced")
    assert DeltaTable(p.table).version() == 0
    p.run().check(2).says("--accept-new-target")


# --- other machines' settings ------------------------------------------------------------------------------------------
RECORDS = [{"id": 1, "t": "2025-03-30 02:30:00", "d": 1234.5, "s": "İstanbul"},
           {"id": 2, "t": "2025-06-01T12:00:00+02:00", "d": 0.1, "s": "ß"}]


@pytest.mark.parametrize("env", [{"TZ": "Asia/Shanghai"}, {"TZ": "America/New_York", "LC_ALL": "C"},
                                 {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}, {"LC_ALL": "de_DE.UTF-8"}, {"HOME": ""}])
def test_the_machines_zone_and_language_change_nothing(pipeline, tmp_path, env):
    contents = []
    for n, settings in enumerate(({"TZ": "UTC"}, env)):
        p = pipeline(tmp_path / str(n), schema="id BIGINT, t TIMESTAMP, d DOUBLE, s STRING")
        p.put(RECORDS)
        p.run(env=settings).check()
        contents.append(deltars.read(p.table).rows)
    assert contents[0] == contents[1]


def test_relative_paths_belong_to_the_pipeline_file(pipeline, tmp_path):
    p = pipeline(tmp_path / "p")
    p.put_ids([1, 2])
    for part, key, path in (("source", "path", "in"), ("sink", "path", "./table"), (None, "checkpointLocation", "ckpt")):
        (p.spec[part] if part else p.spec)[key] = path
    p.write()
    p.assert_exactly_once([1, 2], run=weir.run("run", os.path.join("p", "pipeline.yaml"), cwd=tmp_path).check())


def test_progress_events_are_one_json_object_a_batch_with_sparks_fields(pipeline):
    p = pipeline()
    p.put_ids([1, 2], [3])
    ended = p.run().check()
    events = [json.loads(line) for line in ended.out.splitlines()]
    assert [e["batchId"] for e in events] == [0, 1]
    assert [e["numInputRows"] for e in events] == [2, 1]
    for n, event in enumerate(events):
        assert {"id", "runId", "name", "timestamp", "batchDuration", "inputRowsPerSecond", "processedRowsPerSecond",
                "durationMs", "stateOperators", "sources", "sink"} <= set(event)
        assert event["id"] == p.query_id
        assert event["sources"][0]["endOffset"] == {"logOffset": n}
        assert event["sources"][0]["startOffset"] == (None if n == 0 else {"logOffset": n - 1})
        assert event["sink"]["numOutputRows"] == event["numInputRows"]
