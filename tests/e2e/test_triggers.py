"""When batches run and what goes into one: triggers, limits, young files, stops, and what a run says on stdout."""
import json
import os
import re
import signal
import time

import pytest

import weir
from peers import deltars

FAILED, USAGE, BAD_DATA = 1, 2, 3
STOPPED = 143
LONG_TEXT = "x" * 900


def wait_for(process, what, seconds=30):
    end = time.monotonic() + seconds
    while not what():
        assert process.popen.poll() is None, process.wait()
        assert time.monotonic() < end, "it did not come to that in %d s" % seconds
        time.sleep(0.02)


def stop(process, number=signal.SIGTERM):
    process.signal(number)
    return process.wait(60)


def files_of_batches(run):
    return [b["weir"]["inputFiles"] for b in run.batches]


# --- limits ------------------------------------------------------------------------------------------------------------
def test_max_files_per_trigger(pipeline):
    p = pipeline(options={"maxFilesPerTrigger": 2})
    p.put_ids([1], [2], [3], [4], [5])
    ended = p.run().check()
    assert files_of_batches(ended) == [2, 2, 1]
    p.assert_exactly_once([1, 2, 3, 4, 5], run=ended)


@pytest.mark.parametrize("format, want", [("json", [2, 2, 1]), ("cloudFiles", [3, 2])])
def test_max_bytes_per_trigger(pipeline, format, want):
    """Spark's source stays below the limit; with cloudFiles the file that crosses it is still taken."""
    p = pipeline(format=format)
    name = "cloudFiles.maxBytesPerTrigger" if format == "cloudFiles" else "maxBytesPerTrigger"
    p.spec["source"]["options"] = {name: "2500"}
    if format == "cloudFiles":
        p.spec["source"]["options"]["cloudFiles.format"] = "json"
    p.write()
    for i in range(5):
        p.put([{"id": i, "name": LONG_TEXT}])
    ended = p.run().check()
    assert files_of_batches(ended) == want
    p.assert_exactly_once(range(5), run=ended)


# --- bounded triggers --------------------------------------------------------------------------------------------------
def test_once_ignores_every_limit(pipeline):
    p = pipeline(trigger={"once": True}, options={"maxFilesPerTrigger": 1})
    p.spec["trigger"] = {"once": True}
    p.write()
    p.put_ids([1], [2], [3])
    ended = p.run().check()
    assert files_of_batches(ended) == [3]
    p.assert_exactly_once([1, 2, 3], run=ended)


@pytest.mark.parametrize("argument, want", [("--once", [3]), ("--available-now", [1, 1, 1])])
def test_arguments_win_over_the_file(pipeline, argument, want):
    p = pipeline()
    p.spec["trigger"] = {"processingTime": "1 hour"}
    p.write()
    p.put_ids([1], [2], [3])
    ended = p.run(args=[argument]).check()
    assert files_of_batches(ended) == want


def test_available_now_ends_with_what_was_there_at_the_start(pipeline):
    p = pipeline()
    p.put_ids([1], [2])
    process = p.start(point="offsets=stop")
    assert process.wait_stopped()
    p.put_ids([3])
    process.signal(signal.SIGCONT)
    p.assert_exactly_once([1, 2], run=process.wait().check())
    p.assert_exactly_once([1, 2, 3], run=p.run().check())


def test_a_run_with_nothing_new_writes_nothing(pipeline):
    p = pipeline()
    p.put_ids([1])
    p.run().check()
    before = {d: sorted(os.listdir(os.path.join(p.dir, d))) for d in ("ckpt/offsets", "ckpt/commits", "table/_delta_log")}
    ended = p.run().check()
    assert ended.batches == []
    assert before == {d: sorted(os.listdir(os.path.join(p.dir, d))) for d in before}


# --- endless triggers --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("number, status", [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_processing_time_is_aligned_and_ends_with_a_signal(pipeline, number, status):
    p = pipeline()
    p.spec["trigger"] = {"processingTime": "1 second"}
    p.write()
    p.put_ids([1])
    process = p.start()
    wait_for(process, lambda: p.log_ids("commits") == [0])
    p.put_ids([2], [3])
    wait_for(process, lambda: p.log_ids("commits") == [0, 1, 2])
    ended = stop(process, number).check(status)
    p.assert_exactly_once([1, 2, 3], run=ended)
    starts = [p.offset(n)[0]["batchTimestampMs"] for n in (1, 2)]
    assert all(at % 1000 < 500 for at in starts), starts  # multiples of the interval since 1970
    assert starts[1] - starts[0] >= 900


def test_the_default_trigger_goes_on_for_ever(pipeline):
    p = pipeline(conf={"weir.minCommitInterval": "0"})
    del p.spec["trigger"]
    p.write()
    process = p.start()
    for i in range(3):
        p.put_ids([i])
        wait_for(process, lambda: p.log_ids("commits") == list(range(i + 1)))
    p.assert_exactly_once([0, 1, 2], run=stop(process).check(STOPPED))


def test_an_endless_run_waits_for_the_first_file_to_infer_from(pipeline):
    p = pipeline(format="cloudFiles", schema=None)
    p.spec["source"]["options"] = {"cloudFiles.format": "json", "cloudFiles.schemaLocation": p.state}
    del p.spec["trigger"]
    p.write()
    process = p.start()
    time.sleep(0.5)
    p.put_ids([1])
    wait_for(process, lambda: p.log_ids("commits") == [0])
    stop(process).check(STOPPED)
    assert deltars.column(p.table, "id") == ["1"]


def test_min_commit_interval_spaces_the_batches_of_the_default_trigger(pipeline):
    p = pipeline(conf={"weir.minCommitInterval": "700 ms"})
    del p.spec["trigger"]
    p.write()
    p.put_ids([1], [2], [3])
    process = p.start()
    wait_for(process, lambda: p.log_ids("commits") == [0, 1, 2])
    stop(process).check(STOPPED)
    at = [p.offset(n)[0]["batchTimestampMs"] for n in range(3)]
    assert all(b - a >= 650 for a, b in zip(at, at[1:])), at


@pytest.mark.parametrize("point", ["offsets", "file-half", "file-synced", "commit-linked"])
def test_a_stop_within_a_batch_finishes_or_drops_it(pipeline, point):
    p = pipeline()
    del p.spec["trigger"]
    p.write()
    p.put([{"id": i, "name": "n"} for i in range(1000)])
    p.put_ids([1000])
    process = p.start(point=point + "=stop")
    assert process.wait_stopped()
    process.signal(signal.SIGTERM)
    process.signal(signal.SIGCONT)
    ended = process.wait(60).check(STOPPED)
    p.spec["trigger"] = {"availableNow": True}
    p.write()
    p.assert_exactly_once(range(1001), run=p.run().check())
    assert "error" not in ended.err.lower().split("stopped")[0], ended


# --- young files -------------------------------------------------------------------------------------------------------
def test_a_young_file_waits_until_it_is_settled(pipeline):
    p = pipeline(conf={"weir.settleTime": "2 seconds"})
    p.put([{"id": 1, "name": "old"}])
    p.put([{"id": 2, "name": "young"}], at=time.time())
    began = time.monotonic()
    ended = p.run().check()
    p.assert_exactly_once([1, 2], run=ended)
    assert time.monotonic() - began >= 1.2
    assert "waiting for them" in ended.err, ended


def test_a_young_file_counts_as_waiting_and_nothing_waits_for_it(pipeline):
    p = pipeline(conf={"weir.settleTime": "1 hour"})
    p.put([{"id": 1, "name": "young"}], at=time.time())
    checked, status = weir.run("check", p.file).check(), weir.run("status", p.file).check()
    assert "waiting: 1 of them not read yet" in checked.out and "waiting for them" not in checked.err, checked
    assert re.search(r"waiting +1 file,", status.out), status
    assert "young" in weir.run("preview", p.file).check().out


def test_no_settle_time_takes_a_file_at_once(pipeline):
    p = pipeline(conf={"weir.settleTime": "0"})
    p.put([{"id": 2, "name": "young"}], at=time.time())
    ended = p.run().check()
    p.assert_exactly_once([2], run=ended)
    assert "waiting for them" not in ended.err, ended


# --- what a run says ---------------------------------------------------------------------------------------------------
SPARK_KEYS = ["id", "runId", "name", "timestamp", "batchId", "batchDuration", "numInputRows", "inputRowsPerSecond",
              "processedRowsPerSecond", "durationMs", "stateOperators", "sources", "sink", "weir"]


def test_one_line_of_progress_a_batch_and_nothing_else_on_stdout(pipeline):
    p = pipeline()
    p.put_ids([1], [2, 3])
    ended = p.run().check()
    assert ended.out.endswith("\n")
    events = [json.loads(line) for line in ended.out.splitlines()]
    assert len(events) == 2
    for n, event in enumerate(events):
        assert list(event) == SPARK_KEYS
        assert (event["id"], event["name"], event["batchId"]) == (p.query_id, "orders", n)
        assert list(event["durationMs"]) == ["addBatch", "commitOffsets", "getBatch", "latestOffset", "queryPlanning",
                                             "triggerExecution", "walCommit"]
        assert sum(v for k, v in event["durationMs"].items() if k != "triggerExecution") <= \
            event["durationMs"]["triggerExecution"] + 1
        assert list(event["sources"][0]) == ["description", "startOffset", "endOffset", "latestOffset", "numInputRows",
                                             "inputRowsPerSecond", "processedRowsPerSecond"]
        assert event["sources"][0]["description"] == "FileStreamSource[file:%s]" % p.src
        assert list(event["sink"]) == ["description", "numOutputRows"]
    assert [e["numInputRows"] for e in events] == [1, 2] == [e["sink"]["numOutputRows"] for e in events]
    assert [e["sources"][0]["startOffset"] for e in events] == [None, {"logOffset": 0}]
    assert [e["sources"][0]["endOffset"] for e in events] == [{"logOffset": 0}, {"logOffset": 1}]
    assert [e["weir"]["inputBytes"] for e in events] == [
        os.path.getsize(os.path.join(p.src, "part-0000%d.json" % n)) for n in (0, 1)]
    assert events[0]["weir"]["tableVersion"] == 0 and events[1]["weir"]["tableVersion"] == 1


def test_a_failed_run_prints_no_half_line(pipeline):
    p = pipeline(options={"mode": "FAILFAST"})
    p.put_ids([1])
    p.put(None, raw=b"{\n")
    ended = p.run().check(BAD_DATA)
    assert [json.loads(line)["batchId"] for line in ended.out.splitlines()] == [0] and ended.out.endswith("\n")


# --- endless runs and the schema ---------------------------------------------------------------------------------------
def endless(pipeline):
    p = pipeline(format="cloudFiles", schema=None)
    p.spec["source"]["options"] = {"cloudFiles.format": "json", "cloudFiles.schemaLocation": p.state}
    p.spec["trigger"] = {"processingTime": "200 milliseconds"}
    p.write()
    return p


def test_an_endless_run_waits_for_a_record_to_infer_the_schema_from(pipeline):
    """The empty file is in the source's log before the schema is known: it and what follows are taken once."""
    p = endless(pipeline)
    p.put([], raw=b"")
    process = p.start()
    wait_for(process, lambda: os.path.exists(os.path.join(p.ckpt, "sources", "0", "0")))
    p.put_ids([1])
    wait_for(process, lambda: os.path.exists(os.path.join(p.ckpt, "commits", "1")))
    p.put_ids([2])
    wait_for(process, lambda: os.path.exists(os.path.join(p.ckpt, "commits", "2")))
    stop(process).check(STOPPED)
    rows = deltars.arrow(deltars.DeltaTable(p.table)).to_pylist()
    assert sorted(r["id"] for r in rows) == ["1", "2"]


def test_an_endless_run_ends_when_the_sink_refuses_the_schema(pipeline):
    p = endless(pipeline)
    p.put_ids([1])
    p.run(args=["--available-now"]).check()
    p.spec["source"]["options"]["cloudFiles.schemaLocation"] = p.state + "-2"   # inferred anew, with one column more
    p.write()
    p.put([{"id": 2, "name": "b", "more": 1}])
    p.run().check(USAGE).says("mergeSchema")
