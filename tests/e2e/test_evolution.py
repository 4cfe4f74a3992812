"""New fields in later files: cloudFiles.schemaEvolutionMode, version after version, and kills in the middle of it."""
import json
import os

import pytest

import weir
from peers import deltars
from test_columns import columns, loader, table, version, versions

FAILED, USAGE, BAD_DATA = 1, 2, 3
TYPED = {"cloudFiles.inferColumnTypes": True, "cloudFiles.maxFilesPerTrigger": 1}


def started(pipeline, **options):
    """A pipeline that has read one file of {id, a}."""
    p = loader(pipeline, **{**TYPED, **options})
    p.put([{"id": 0, "a": "x"}, {"id": 1, "a": "y"}])
    p.run().check()
    return p


def ids(p):
    return deltars.column(p.table, "id")


# --- addNewColumns -----------------------------------------------------------------------------------------------------
def test_a_new_field_is_one_version_and_one_commit(pipeline):
    p = started(pipeline)
    p.put([{"id": 2, "a": "z", "b": 5}])
    p.run().check()
    assert versions(p) == [0, 1]
    data, _, facts = version(p, 1)
    assert data == [("a", "string"), ("id", "long"), ("b", "long")]  # new ones at the end
    assert (facts["batch"], facts["file"]) == (1, "part-00001.json")
    actions = deltars.commits(p.table)
    assert sorted(actions) == [0, 1]
    kinds = [next(k for k in a if k != "commitInfo") for a in actions[1] if list(a) != ["commitInfo"]]
    assert sorted(kinds) == ["add", "metaData", "txn"]
    assert [(r["id"], r["b"]) for r in table(p)] == [(0, None), (1, None), (2, 5)]
    assert dict(columns(p))["b"] == "long"
    p.put([{"id": 3, "b": 6}])
    p.run().check()  # nothing new any more
    assert versions(p) == [0, 1] and ids(p) == [0, 1, 2, 3]


def test_the_version_names_the_file_that_brought_the_field(pipeline):
    p = started(pipeline)
    p.spec["source"]["options"]["cloudFiles.maxFilesPerTrigger"] = 10
    p.write()
    p.put([{"id": 2}])
    p.put([{"id": 3}])
    p.put([{"id": 4, "c": 1}])
    p.put([{"id": 5, "b": 1}])
    p.run().check()
    assert version(p, 1)[2]["file"] == "part-00003.json"
    assert dict(columns(p))["b"] == dict(columns(p))["c"] == "long"
    assert ids(p) == [0, 1, 2, 3, 4, 5]


def test_a_field_in_the_middle_of_a_batch(pipeline):
    p = started(pipeline)
    rows = [{"id": i, **({"b": i} if i % 1000 == 999 else {})} for i in range(2, 40_002)]
    p.put(rows)
    ended = p.run().check()
    assert ids(p) == list(range(40_002))
    assert sorted(r["b"] for r in table(p) if r["b"] is not None) == list(range(999, 40_002, 1000))
    assert all(r["b"] in (None, r["id"]) for r in table(p))
    assert ended.rows == 40_000 and ended.batches[0]["weir"]["schemaVersion"] == 1
    assert ended.batches[0]["weir"]["numRescuedRows"] == 0


def test_new_nested_fields(pipeline):
    p = loader(pipeline, **TYPED)
    p.put([{"id": 1, "who": {"n": 1}, "list": [{"x": 1}]}])
    p.run().check()
    p.put([{"id": 2, "who": {"n": 2, "m": "new"}, "list": [{"x": 2}, {"y": True}]}])
    p.run().check()
    assert versions(p) == [0, 1]
    assert [(r["who"], r["list"]) for r in table(p)] == [
        ({"n": 1, "m": None}, [{"x": 1, "y": None}]),
        ({"n": 2, "m": "new"}, [{"x": 2, "y": None}, {"x": None, "y": True}])]


def test_versions_follow_each_other_within_a_run(pipeline):
    p = started(pipeline)
    for i in range(2, 6):
        p.put([{"id": i, "c%d" % i: i}])
    ended = p.run().check()
    assert versions(p) == [0, 1, 2, 3, 4] and ids(p) == list(range(6))
    assert [b["weir"]["schemaVersion"] for b in ended.batches] == [1, 2, 3, 4]
    assert [p.offset(n)[0]["conf"]["weir.schemaVersion"] for n in range(1, 5)] == ["0", "1", "2", "3"]


def test_a_name_that_delta_cannot_hold_stays_in_the_rescued_column(pipeline):
    p = started(pipeline)
    p.put([{"id": 2, "b c": 5, "A": "case"}])
    p.run().check()
    assert versions(p) == [0]
    kept = json.loads(table(p)[2]["_rescued_data"])
    assert (kept["b c"], kept["A"]) == (5, "case")


def test_hints_give_types_to_new_fields(pipeline):
    p = started(pipeline, **{"cloudFiles.schemaHints": "b INT"})
    p.put([{"id": 2, "b": 5}])
    p.run().check()
    assert dict(columns(p))["b"] == "integer" and versions(p) == [0]


def test_a_sink_without_merge_schema_says_what_to_set_and_nothing_is_half_done(pipeline):
    p = started(pipeline)
    p.spec["sink"]["options"] = {}
    p.write()
    p.put([{"id": 2, "b": 5}])
    p.run().check(USAGE).says("mergeSchema", "b")
    p.run().check(USAGE).says("mergeSchema")
    assert versions(p) == [0] and ids(p) == [0, 1] and sorted(deltars.commits(p.table)) == [0]
    p.spec["sink"]["options"] = {"mergeSchema": True}
    p.write()
    p.run().check()
    assert versions(p) == [0, 1] and ids(p) == [0, 1, 2]


def test_a_refused_field_can_be_rescued_instead(pipeline):
    p = started(pipeline)
    p.spec["sink"]["options"] = {}
    p.write()
    p.put([{"id": 2, "b": 5}])
    p.run().check(USAGE)
    p.spec["source"]["options"]["cloudFiles.schemaEvolutionMode"] = "rescue"
    p.write()
    p.run().check()
    assert versions(p) == [0] and json.loads(table(p)[2]["_rescued_data"])["b"] == 5


POINTS = ["offsets", "schema-log", "file-half", "file-synced", "commit-tmp", "commit-linked", "sink", "commits", "ack"]


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("nth", [1, 2])
def test_a_kill_around_a_new_field(pipeline, point, nth):
    p = started(pipeline)
    p.put([{"id": 2, "b": 5}])
    p.put([{"id": 3, "b": 6, "c": {"d": 1}}])
    killed = p.run(point="%s@%d=kill" % (point, nth))
    assert killed.status == -9 or (point == "file-half" and nth == 2), killed
    p.run().check()
    assert ids(p) == [0, 1, 2, 3]
    assert versions(p) == [0, 1, 2]
    assert [version(p, n)[2]["batch"] for n in (1, 2)] == [1, 2]
    assert [(r["b"], r["c"]) for r in table(p)] == [(None, None), (None, None), (5, None), (6, {"d": 1})]
    assert p.log_ids("offsets") == p.log_ids("commits") == [0, 1, 2]
    assert sorted(deltars.commits(p.table)) == [0, 1, 2]


def test_a_version_of_another_batch_stops_the_run(pipeline):
    p = started(pipeline)
    with open(os.path.join(p.state, "_schemas", "0")) as f:
        text = f.read()
    p.put([{"id": 2, "b": 5}])
    stopped = p.start(point="offsets=stop")
    assert stopped.wait_stopped()
    with open(os.path.join(p.state, "_schemas", "1"), "w") as f:
        f.write(text.replace('"batch":-1', '"batch":7'))
    stopped.signal(18)
    stopped.wait().check(4).says("version 1", "batch 7")
    assert ids(p) == [0, 1]


# --- the other modes ---------------------------------------------------------------------------------------------------
def test_rescue_keeps_the_schema(pipeline):
    p = started(pipeline, **{"cloudFiles.schemaEvolutionMode": "rescue"})
    p.put([{"id": 2, "b": {"c": [1, 2]}, "d": None}])
    ended = p.run().check()
    assert versions(p) == [0] and "b" not in dict(columns(p))
    kept = json.loads(table(p)[2]["_rescued_data"])
    assert kept["b"] == {"c": [1, 2]} and kept["_file_path"] == "file:" + p.src + "/part-00001.json"
    assert ended.batches[0]["weir"]["numRescuedRows"] == 1


def test_fail_on_new_columns(pipeline):
    p = started(pipeline, **{"cloudFiles.schemaEvolutionMode": "failOnNewColumns"})
    victim = p.put([{"id": 2}, {"id": 3, "b": 5}])
    for _ in range(2):
        p.run().check(USAGE).says("part-00001.json", '"b"', "schemaHints")
        assert versions(p) == [0] and ids(p) == [0, 1]
    with open(victim, "w") as f:
        f.write('{"id": 2}\n{"id": 3}\n')
    p.run().check()
    assert ids(p) == [0, 1, 2, 3]


def test_none_ignores_new_fields(pipeline):
    p = loader(pipeline, **{**TYPED, "cloudFiles.schemaEvolutionMode": "none"})
    p.put([{"id": 1, "a": "x"}])
    p.run().check()
    p.put([{"id": 2, "b": 5}])
    p.run().check()
    assert columns(p) == [("a", "string"), ("id", "long")] and ids(p) == [1, 2]
    assert versions(p) == [0]


def test_none_with_a_rescued_column(pipeline):
    p = loader(pipeline, **{**TYPED, "cloudFiles.schemaEvolutionMode": "none", "rescuedDataColumn": "rest"})
    p.put([{"id": 1, "a": "x"}])
    p.run().check()
    p.put([{"id": 2, "b": 5}])
    p.run().check()
    assert [n for n, _ in columns(p)] == ["a", "id", "rest"]
    assert json.loads(table(p)[1]["rest"])["b"] == 5


def test_evolution_does_not_go_with_a_given_schema(pipeline):
    p = loader(pipeline, **{"cloudFiles.schemaEvolutionMode": "addNewColumns"})
    p.spec["source"]["schema"] = "id BIGINT"
    p.write()
    p.put([{"id": 1}])
    p.run().check(USAGE).says("addNewColumns", "schemaHints")


def test_a_given_schema_ignores_what_it_does_not_name(pipeline):
    p = pipeline(schema="id BIGINT")
    p.put([{"id": 1, "b": 5}])
    ended = p.run().check()
    assert columns(p) == [("id", "long")]
    assert ended.batches[0]["weir"]["valuesLost"] == 0  # a field nobody asked for is no loss, as in Spark
