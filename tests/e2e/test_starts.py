"""What a start refuses, and the ways on that its messages name."""
import json
import os
import shutil

from peers import deltars

USAGE = 2


def test_a_lost_checkpoint_stops_the_run_until_somebody_wants_a_new_stream(pipeline):
    p = pipeline()
    p.put_ids([1, 2])
    p.run().check()
    old = p.query_id
    shutil.rmtree(p.ckpt)
    p.run().check(USAGE).says(old, "--new-stream")
    assert not os.path.exists(os.path.join(p.ckpt, "metadata"))
    p.run(args=["--accept-new-target"]).check(USAGE)
    p.run(args=["--new-stream"]).check()
    assert sorted(deltars.column(p.table, "id")) == [1, 1, 2, 2] and p.query_id != old
    p.put_ids([3])
    p.run().check()


def test_a_lost_table_stops_the_run_until_somebody_accepts_a_new_one(pipeline):
    p = pipeline()
    p.put_ids([1])
    p.run().check()
    shutil.rmtree(p.table)
    p.put_ids([2])
    p.run().check(USAGE).says("--accept-new-target")
    assert not os.path.exists(p.table)
    p.run(args=["--new-stream"]).check(USAGE)
    p.run(args=["--accept-new-target"]).check()
    assert deltars.column(p.table, "id") == [2]


def test_an_endless_run_does_not_wait_for_a_table_that_it_may_not_make(pipeline):
    p = pipeline()
    p.put_ids([1])
    del p.spec["trigger"]
    p.spec["sink"]["table"] = {"createIfAbsent": False}
    p.write()
    p.run(timeout=20).check(1).says("createIfAbsent: true")
    assert p.log_ids("offsets") == []


def test_a_schema_version_that_its_batch_did_not_need_in_the_end(pipeline):
    """A killed batch has written version 1 for a file that is gone when it runs again; the next batch takes it up."""
    p = pipeline(format="cloudFiles", schema=None, sink_options={"mergeSchema": True})
    p.spec["source"]["options"] = {"cloudFiles.format": "json", "cloudFiles.schemaLocation": p.state,
                                   "cloudFiles.maxFilesPerTrigger": 1, "ignoreMissingFiles": True}
    p.write()
    p.put_ids([1])
    p.run().check()
    gone = p.put([{"id": 2, "extra": 1}])
    assert p.run(point="schema-log=kill").status == -9
    os.remove(gone)
    p.put([{"id": 3, "extra": 2}])
    p.put([{"id": 4, "extra": 2, "more": 3}])
    p.run().check()
    assert sorted(os.listdir(os.path.join(p.state, "_schemas")))[:3] == ["0", "1", "2"]
    with open(os.path.join(p.state, "_schemas", "1"), encoding="utf-8") as f:
        assert json.loads(f.read().split("\n")[1])["weir"]["batch"] == 1
    assert sorted(deltars.column(p.table, "id")) == ["1", "3", "4"]
    assert [v for v in deltars.column_values(p.table, "extra") if v is not None] == ["2", "2"]


def test_a_start_reads_no_checkpoint_of_the_log_when_commits_say_enough(pipeline):
    p = pipeline(options={"maxFilesPerTrigger": 1}, sink={"table": {"properties": {"delta.checkpointInterval": "2"}}})
    p.put_ids(*([i] for i in range(5)))
    p.run().check()
    path = os.path.join(p.table, "_delta_log", "%020d.checkpoint.parquet" % 4)
    with open(path, "wb") as f:  # whoever opens it, says that it is broken
        f.write(b"no Parquet")
    ended = p.run().check().says("nothing new")
    assert "checkpoint" not in ended.err, ended
    p.put_ids([5])
    ended = p.run().check()
    assert "checkpoint" not in ended.err and ended.rows == 1, ended
