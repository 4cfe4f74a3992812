"""Whatever is done to a run, and whenever: after the next run the table holds each input row once.

Every gap of the commit protocol is a named fail point (src/base/points.def). The tests read that list, so a new
point is tested from the day it is added. Inputs are small and come one file a batch: every case has four batches.
"""
import glob
import os
import pathlib
import shutil
import signal
import tempfile

import pytest

import weir
from peers import deltars

POINTS = [name for name, _ in weir.points()]
EVERY_BATCH = ["planned", "source-log", "offsets", "file-half", "file-synced", "commit-tmp", "commit-linked", "sink",
               "commits", "ack"]
SHM = "/dev/shm"  # a kill loses nothing that was written, synced or not, so the tests need no real disk
GROUPS = [[1, 2, 3], [4], [5, 6], [7, 8, 9, 10]]
IDS = [i for group in GROUPS for i in group]


@pytest.fixture
def tmp_path(tmp_path):
    if not os.access(SHM, os.W_OK) or shutil.disk_usage(SHM).free < 32 << 20:
        yield tmp_path
        return
    path = tempfile.mkdtemp(prefix="weir-e2e-", dir=SHM)
    yield pathlib.Path(path)
    shutil.rmtree(path)


# --- the cases: each makes a pipeline with four batches to come --------------------------------------------------------
def fixed_schema(pipeline, folder):
    p = pipeline(folder, sink={"table": {"properties": {"delta.checkpointInterval": "1"}}})
    p.put_ids(*GROUPS)
    return p


def partitioned(pipeline, folder):
    """Several data files a batch."""
    p = pipeline(folder, schema="id BIGINT, name STRING", sink={"partitionBy": ["name"]})
    p.put_ids(*GROUPS)
    return p


def new_columns(pipeline, folder):
    """Inferred schema; each file brings a column of its own."""
    p = pipeline(folder, format="cloudFiles", schema=None, sink_options={"mergeSchema": True}, options={
        "cloudFiles.format": "json", "cloudFiles.schemaLocation": str(folder) + "/schema",
        "cloudFiles.inferColumnTypes": True, "cloudFiles.maxFilesPerTrigger": 1})
    del p.spec["source"]["options"]["maxFilesPerTrigger"]
    p.spec["source"]["options"]["cloudFiles.schemaHints"] = "id BIGINT"
    p.spec["conf"]["spark.databricks.cloudFiles.schemaInference.sampleSize.numFiles"] = 1
    p.write()
    for n, group in enumerate(GROUPS):
        p.put([{"id": i, "extra%d" % n: "x"} for i in group])
    return p


def with_sql(pipeline, folder):
    """The lanes are DuckDB's."""
    p = fixed_schema(pipeline, folder)
    p.spec["query"] = "SELECT id, id + 1 AS next FROM source WHERE id > 0"
    p.write()
    return p


def new_columns_with_sql(pipeline, folder):
    """A batch that meets a new column runs its query twice."""
    p = new_columns(pipeline, folder)
    p.spec["query"] = "SELECT *, id % 2 AS odd FROM source WHERE id > 0"
    p.write()
    return p


CASES = [fixed_schema, partitioned, new_columns, with_sql, new_columns_with_sql]


def shared_files(p):
    """{path: bytes} of all that two runs share: the checkpoint's logs, the table's log, the files that it names."""
    paths = [os.path.join(p.ckpt, "metadata")]
    for log in ("offsets", "commits", "sources/0"):
        paths += glob.glob(os.path.join(p.ckpt, log, "[0-9]*"))
    paths += glob.glob(os.path.join(p.table, "_delta_log", "[0-9]*.json"))
    paths += [os.path.join(p.table, a["add"]["path"]) for actions in deltars.commits(p.table).values()
              for a in actions if "add" in a and "=" not in a["add"]["path"]]
    found = {}
    for path in paths:
        with open(path, "rb") as f:
            found[path] = f.read()
    return found


# --- one run after another ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("point", POINTS)
def test_a_kill_at_any_pass_of_a_point_loses_and_doubles_nothing(pipeline, tmp_path, point):
    reached = {}
    for case in CASES:
        for n in range(1, 60):
            p = case(pipeline, tmp_path / ("%s%d" % (case.__name__, n)))
            first = p.run(point="%s@%d=kill" % (point, n))
            if first.status == 0:
                break
            first.check(-signal.SIGKILL)
            reached[case.__name__] = n
            p.assert_exactly_once(IDS, run=p.run().check())
            assert p.run().check().rows == 0
    assert reached, "no case passes the point %s" % point
    if point in EVERY_BATCH:
        assert reached.get("fixed_schema", 0) >= len(GROUPS), reached


@pytest.mark.parametrize("point", POINTS)
def test_two_kills_in_a_row_lose_and_double_nothing(pipeline, tmp_path, point):
    for second in POINTS:
        p = new_columns(pipeline, tmp_path / second)
        p.run(point="%s@2=kill" % point)
        p.run(point="%s=kill" % second)
        p.assert_exactly_once(IDS, run=p.run().check())


@pytest.mark.parametrize("point", POINTS)
def test_an_io_error_at_a_point_ends_the_run_and_the_next_run_repairs(pipeline, tmp_path, point):
    for case in CASES:
        p = case(pipeline, tmp_path / case.__name__)
        first = p.run(point="%s@2=fail" % point)
        assert first.status in (0, 1), first
        assert first.status == 0 or first.err.strip(), "a silent failure: %s" % first
        p.assert_exactly_once(IDS, run=p.run().check())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
@pytest.mark.parametrize("point", EVERY_BATCH)
def test_a_signal_ends_the_run_with_its_status_and_the_next_run_goes_on(pipeline, tmp_path, point, number):
    p = fixed_schema(pipeline, tmp_path / "p")
    first = p.start(point="%s@2=stop" % point)
    assert first.wait_stopped(), first.wait()
    first.signal(number)
    first.signal(signal.SIGCONT)
    first.wait().check(128 + number)
    p.assert_exactly_once(IDS, run=p.run().check())


def test_files_that_come_between_runs_are_taken_once(pipeline):
    p = pipeline()
    want = []
    for turn in range(6):
        p.put_ids([turn * 10, turn * 10 + 1], [turn * 10 + 2])
        want += [turn * 10, turn * 10 + 1, turn * 10 + 2]
        assert p.run().check().rows == 3
        p.assert_exactly_once(want)
    assert len(p.log_ids("commits")) == 12


# --- two runs at once --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("point", EVERY_BATCH)
def test_a_second_run_is_turned_away_while_the_first_stands_at_a_point(pipeline, tmp_path, point):
    p = fixed_schema(pipeline, tmp_path / "p")
    first = p.start(point="%s@2=stop" % point)
    assert first.wait_stopped(), first.wait()
    p.run().check(4).says(str(first.pid))
    first.signal(signal.SIGCONT)
    p.assert_exactly_once(IDS, run=first.wait().check())


@pytest.mark.parametrize("point", EVERY_BATCH)
@pytest.mark.parametrize("batch", [1, len(GROUPS)], ids=["first-batch", "last-batch"])
def test_without_a_lease_the_second_run_wins_and_the_zombie_is_fenced(pipeline, tmp_path, point, batch):
    """The first run is frozen, its lease is gone, a second run does all the work, then the first wakes up."""
    p = fixed_schema(pipeline, tmp_path / "p")
    zombie = p.start(point="%s@%d=stop" % (point, batch))
    assert zombie.wait_stopped(), zombie.wait()
    p.break_lease()
    second = p.run().check()
    p.assert_exactly_once(IDS, run=second)
    before = shared_files(p)
    zombie.signal(signal.SIGCONT)
    ended = zombie.wait()
    done = batch == len(GROUPS) and point in ("commits", "ack")
    assert ended.status == 4 or (done and ended.status == 0), ended
    assert shared_files(p) == before, "the zombie changed what the other run had written\n%s" % ended
    p.assert_exactly_once(IDS, run=ended)
    assert p.run().check().rows == 0


@pytest.mark.parametrize("point", ["source-log", "offsets", "file-synced", "commit-tmp", "commit-linked", "commits"])
def test_without_a_lease_two_runs_that_go_on_together_write_each_row_once(pipeline, tmp_path, point):
    """Nobody is frozen for good: the second run is frozen where the first is, then both go on at the same time."""
    p = fixed_schema(pipeline, tmp_path / "p")
    first = p.start(point="%s@1=stop" % point)
    assert first.wait_stopped(), first.wait()
    p.break_lease()
    second = p.start(point="%s@1=stop" % point)
    second.wait_stopped()
    for process in (first, second):
        if process.popen.returncode is None:
            process.signal(signal.SIGCONT)
    ended = [first.wait(), second.wait()]
    assert all(run.status in (0, 4) for run in ended), "\n".join(map(str, ended))
    p.break_lease()
    p.assert_exactly_once(IDS, run=p.run().check())


def test_a_sleeping_run_keeps_its_lease(pipeline, tmp_path):
    p = fixed_schema(pipeline, tmp_path / "p")
    first = p.start(point="file-synced@2=sleep:3000")
    while not os.path.exists(os.path.join(p.ckpt, "offsets", "1")):
        assert first.popen.poll() is None, first.wait()
    statuses = {p.run().status for _ in range(3)}
    assert statuses == {4}, statuses
    p.assert_exactly_once(IDS, run=first.wait().check())


def test_a_lease_of_a_dead_process_is_no_obstacle(pipeline, tmp_path):
    p = fixed_schema(pipeline, tmp_path / "p")
    p.run(point="file-synced=kill").check(-signal.SIGKILL)
    assert os.listdir(os.path.join(p.ckpt, "_weir")), "no lease was left: this test proves nothing"
    p.assert_exactly_once(IDS, run=p.run().check())


# --- what a run must notice before it writes ---------------------------------------------------------------------------
def test_a_checkpoint_that_is_gone_does_not_double_the_table(pipeline, tmp_path):
    p = fixed_schema(pipeline, tmp_path / "p")
    p.run().check()
    os.rename(p.ckpt, p.ckpt + ".away")
    p.run().check(2).says(p.table)
    weir.assert_same(IDS, deltars.column(p.table, "id"))


def test_a_table_that_was_made_anew_is_not_taken_for_the_old_one(pipeline, tmp_path):
    p = fixed_schema(pipeline, tmp_path / "p")
    p.run().check()
    os.rename(p.table, p.table + ".away")
    p.put_ids([11])
    p.run().check(2).says(p.table)
    assert not glob.glob(p.table + "/*.parquet")


def test_a_checkpoint_older_than_its_table_is_refused(pipeline, tmp_path):
    """A restored backup: Spark would skip the next batches in silence and lose their rows."""
    p = fixed_schema(pipeline, tmp_path / "p")
    p.run().check()
    for log in ("offsets", "commits", "sources/0"):
        for n in (2, 3):
            os.remove(os.path.join(p.ckpt, log, str(n)))
    p.run().check(2)
    weir.assert_same(IDS, deltars.column(p.table, "id"))


def test_a_deleted_input_file_does_not_block_the_replay_of_a_batch_that_the_table_holds(pipeline, tmp_path):
    p = fixed_schema(pipeline, tmp_path / "p")
    p.run(point="commit-linked@2=kill").check(-signal.SIGKILL)
    os.remove(os.path.join(p.src, "part-00001.json"))
    p.assert_exactly_once(IDS, run=p.run().check())
