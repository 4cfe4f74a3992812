"""Which columns there are: given, stored or inferred schemas, hints, partition columns from paths, `_metadata`."""
import json
import os
import time

import pyarrow.dataset as ds
import pytest

import weir
from peers import deltars

FAILED, USAGE, BAD_DATA = 1, 2, 3


def loader(pipeline, query=None, **options):
    """A cloudFiles pipeline without a schema: it infers one into schema/."""
    p = pipeline(format="cloudFiles", schema=None)
    p.spec["source"]["options"] = {"cloudFiles.format": "json", "cloudFiles.schemaLocation": p.state, **options}
    p.spec["sink"]["options"] = {"mergeSchema": True}
    if query:
        p.spec["query"] = query
    p.write()
    return p


def table(p):
    """The rows as dicts, in the order of id where there is one."""
    rows = deltars.arrow(deltars.DeltaTable(p.table)).to_pylist()
    return sorted(rows, key=lambda r: str(r.get("id")))


def columns(p):
    """[(name, type)] as the table's schema has them."""
    fields = json.loads(deltars.DeltaTable(p.table).schema().to_json())["fields"]
    return [(f["name"], f["type"]) for f in fields]


def version(p, n):
    """(data fields, partition fields, weir's own facts) of schema version n."""
    with open(os.path.join(p.state, "_schemas", str(n)), encoding="utf-8") as f:
        first, second = f.read().split("\n")
    assert first == "v1"
    doc = json.loads(second)
    fields = [[(f["name"], f["type"]) for f in json.loads(doc[key])["fields"]]
              for key in ("dataSchemaJson", "partitionSchemaJson")]
    return (*fields, doc["weir"])


def versions(p):
    return sorted(int(n) for n in os.listdir(os.path.join(p.state, "_schemas")) if n.isdigit())


# --- given -------------------------------------------------------------------------------------------------------------
SPARK_JSON = json.dumps({"type": "struct", "fields": [
    {"name": "id", "type": "long", "nullable": True, "metadata": {}},
    {"name": "at", "type": "timestamp", "nullable": True, "metadata": {}},
    {"name": "tags", "type": {"type": "array", "elementType": "string", "containsNull": True}, "nullable": True,
     "metadata": {}},
    {"name": "who", "type": {"type": "struct", "fields": [
        {"name": "n", "type": "decimal(5,2)", "nullable": True, "metadata": {}}]}, "nullable": True, "metadata": {}}]})
DDL = "id BIGINT, at TIMESTAMP, tags ARRAY<STRING>, who STRUCT<n: DECIMAL(5,2)>"


@pytest.mark.parametrize("schema", [DDL, SPARK_JSON], ids=["DDL", "JSON"])
@pytest.mark.parametrize("format", ["json", "cloudFiles"])
def test_a_given_schema(pipeline, schema, format):
    p = pipeline(format=format, schema=schema)
    if format == "cloudFiles":
        p.spec["source"]["options"] = {"cloudFiles.format": "json"}
        p.write()
    p.put([{"id": 1, "at": "2025-01-02T03:04:05Z", "tags": ["a", None], "who": {"n": 1.25}, "more": 1}, {"id": 2}])
    p.run().check()
    assert [n for n, _ in columns(p)] == ["id", "at", "tags", "who"]
    one, two = table(p)
    assert (one["tags"], str(one["who"]["n"]), one["at"].isoformat()) == (["a", None], "1.25",
                                                                         "2025-01-02T03:04:05+00:00")
    assert two == {"id": 2, "at": None, "tags": None, "who": None}


def test_spark_s_own_source_does_not_infer_by_itself(pipeline):
    p = pipeline(schema=None)
    p.put_ids([1])
    p.run().check(USAGE).says("source.schema", "schemaInference")
    again = p.change(conf={"spark.sql.streaming.schemaInference": True})
    again.run().check()
    assert columns(p) == [("id", "long"), ("name", "string")]
    assert not os.path.exists(p.state)


def test_a_schema_that_cannot_be_had_says_what_to_do(pipeline):
    p = loader(pipeline)
    p.run().check().says("nothing new")     # no file has come yet: that is no fault
    del p.spec["source"]["options"]["cloudFiles.schemaLocation"]
    p.write()
    p.run().check(USAGE).says("cloudFiles.schemaLocation")
    p.put_ids([1])
    p.run().check(USAGE).says("cloudFiles.schemaLocation")
    assert not os.path.exists(p.table)


# --- inferred and stored -----------------------------------------------------------------------------------------------
SAMPLE = [{"id": 1, "price": 1.5, "ok": True, "who": {"age": 7, "name": "x"}, "tags": [1, 2]},
          {"id": 2, "price": 2, "new": None}]


def test_inference_without_types_makes_every_leaf_a_string(pipeline):
    p = loader(pipeline)
    p.put(SAMPLE)
    p.run().check()
    who = {"type": "struct", "fields": [{"name": n, "type": "string", "nullable": True, "metadata": {}}
                                        for n in ("age", "name")]}
    tags = {"type": "array", "elementType": "string", "containsNull": True}
    data, part, facts = version(p, 0)
    assert data == [("id", "string"), ("new", "string"), ("ok", "string"), ("price", "string"), ("tags", tags),
                    ("who", who)]
    assert part == [] and facts["file"] == "part-00000.json" and facts["batch"] == -1
    assert columns(p) == data + [("_rescued_data", "string")]
    assert table(p)[0] == {"id": "1", "new": None, "ok": "true", "price": "1.5", "tags": ["1", "2"],
                           "who": {"age": "7", "name": "x"}, "_rescued_data": None}


def test_inference_with_types(pipeline):
    p = loader(pipeline, **{"cloudFiles.inferColumnTypes": True})
    p.put(SAMPLE)
    p.run().check()
    data, _, _ = version(p, 0)
    assert [(n, t) for n, t in data if n not in ("who", "tags")] == [
        ("id", "long"), ("new", "string"), ("ok", "boolean"), ("price", "double")]
    assert table(p)[1]["price"] == 2.0


INFER_OPTIONS = {
    "primitivesAsString": ([{"a": 1, "b": [True], "s": "x"}], {"a": "string", "s": "string"}),
    "prefersDecimal": ([{"a": 1.25}, {"a": 12.5}], {"a": "decimal(4,2)"}),
    "dropFieldIfAllNull": ([{"a": 1, "b": None, "c": []}], {"a": "long"}),
    "inferTimestamp": ([{"a": "2025-01-02T03:04:05Z", "s": "2025"}], {"a": "timestamp"}),
}


@pytest.mark.parametrize("option", INFER_OPTIONS)
def test_options_of_inference(pipeline, option):
    rows, want = INFER_OPTIONS[option]
    plain = loader(pipeline, **{"cloudFiles.inferColumnTypes": True})
    plain.put(rows)
    plain.run().check()
    p = loader(pipeline, **{"cloudFiles.inferColumnTypes": True, option: True})
    p.put(rows)
    p.run().check()
    found = {n: t for n, t in version(p, 0)[0]}
    assert {n: found.get(n) for n in want} == want
    assert found != {n: t for n, t in version(plain, 0)[0]}, "the option changes nothing"


def test_the_second_run_uses_the_stored_schema(pipeline):
    p = loader(pipeline, **{"cloudFiles.inferColumnTypes": True})
    p.put([{"id": 1, "v": 5}])
    p.run().check()
    path = os.path.join(p.state, "_schemas", "0")
    before = os.stat(path)
    p.put([{"id": 2, "v": "text now"}])
    p.run().check()
    assert versions(p) == [0] and os.stat(path).st_mtime_ns == before.st_mtime_ns
    assert [(r["id"], r["v"]) for r in table(p)] == [(1, 5), (2, None)]
    assert json.loads(table(p)[1]["_rescued_data"])["v"] == "text now"


def test_check_says_whose_the_schema_location_is_as_a_run_does(pipeline):
    first = loader(pipeline)
    first.put_ids([1])
    first.run().check()
    other = loader(pipeline, **{"cloudFiles.schemaLocation": first.state})
    other.put_ids([1])
    for command in ("check", "run"):
        weir.run(command, other.file).check(USAGE).says("belongs to the pipeline", first.query_id)
    weir.run("check", first.file).check()


def test_a_damaged_schema_version_is_named(pipeline):
    p = loader(pipeline)
    p.put_ids([1])
    p.run().check()
    path = os.path.join(p.state, "_schemas", "0")
    with open(path, "w") as f:
        f.write("v1\n{")
    p.put_ids([2])
    p.run().check(FAILED).says(path)
    assert deltars.column(p.table, "id") == ["1"]


def test_hints(pipeline):
    hints = "id BIGINT, who.age INT, tags ARRAY<INT>, added DATE, `a.b` DOUBLE"
    p = loader(pipeline, **{"cloudFiles.schemaHints": hints})
    p.put([{**SAMPLE[0], "a.b": 2.5}, {"id": 2, "who": {"age": "old"}}])
    p.run().check()
    found = dict(columns(p))
    assert (found["id"], found["added"], found["a.b"], found["price"]) == ("long", "date", "double", "string")
    one, two = table(p)
    assert (one["id"], one["who"]["age"], one["tags"], one["a.b"]) == (1, 7, [1, 2], 2.5)
    assert two["who"]["age"] is None and json.loads(two["_rescued_data"])["who"]["age"] == "old"


def test_a_hint_that_is_no_type_is_refused(pipeline):
    p = loader(pipeline, **{"cloudFiles.schemaHints": "id BIGINTT"})
    p.put_ids([1])
    p.run().check(USAGE).says("BIGINTT")
    assert not os.path.exists(os.path.join(p.state, "_schemas", "0"))


# --- partition columns -------------------------------------------------------------------------------------------------
def test_partition_columns_come_from_paths(pipeline):
    p = loader(pipeline, **{"cloudFiles.inferColumnTypes": True})
    p.put([{"id": 1}], name="day=2025-01-02/region=a%20b/x.json")
    p.put([{"id": 2}], name="day=2025-01-03/region=__HIVE_DEFAULT_PARTITION__/x.json")
    p.put([{"id": 3, "region": "data", "day": "1999-01-01"}], name="day=2025-01-03/region=c%2Fd/x.json")
    p.run().check()
    assert version(p, 0)[1] == [("day", "date"), ("region", "string")]
    rows = table(p)
    assert [(str(r["day"]), r["region"]) for r in rows] == [
        ("2025-01-02", "a b"), ("2025-01-03", None), ("2025-01-03", "c/d")]  # the path wins over the data
    assert json.loads(rows[2]["_rescued_data"])["region"] == "data"


def test_partition_types_without_inference_are_strings(pipeline):
    p = loader(pipeline)
    p.put([{"id": 1}], name="n=007/x.json")
    p.run().check()
    assert version(p, 0)[1] == [("n", "string")]
    assert table(p)[0]["n"] == "007"


def test_layouts_that_do_not_agree_become_no_columns(pipeline):
    p = loader(pipeline)
    p.put([{"id": 1}], name="y=1/w=2/x.json")
    p.put([{"id": 2}], name="y=1/m=2/d=3/x.json")
    ended = p.run().check()
    assert version(p, 0)[1] == []
    assert sorted(dict(columns(p))) == ["_rescued_data", "id"]
    ended.says("do not agree")


def test_the_option_partition_columns_chooses(pipeline):
    p = loader(pipeline, **{"cloudFiles.partitionColumns": "m, z"})
    p.put([{"id": 1}], name="y=1/m=2/x.json")
    p.put([{"id": 2}], name="y=1/x.json")
    p.run().check()
    assert version(p, 0)[1] == [("m", "string"), ("z", "string")]
    assert [(r["m"], r["z"]) for r in table(p)] == [("2", None), (None, None)]
    none = loader(pipeline, **{"cloudFiles.partitionColumns": ""})
    none.put([{"id": 1}], name="y=1/x.json")
    none.run().check()
    assert "y" not in dict(columns(none))


def test_partition_columns_beside_a_given_schema(pipeline):
    p = pipeline(schema="id BIGINT, y INT")
    p.put([{"id": 1, "y": 5}], name="y=2024/m=3/x.json")
    p.run().check()
    assert columns(p) == [("id", "long"), ("y", "integer")]
    assert table(p) == [{"id": 1, "y": 2024}]


def test_recursive_look_up_takes_no_columns_from_paths(pipeline):
    p = pipeline(schema="id BIGINT, y INT")
    p.spec["source"]["options"] = {"recursiveFileLookup": True}
    p.write()
    p.put([{"id": 1, "y": 5}], name="y=2024/m=3/x.json")
    p.run().check()
    assert table(p) == [{"id": 1, "y": 5}]


def test_a_partition_value_that_does_not_fit_is_rescued(pipeline):
    p = loader(pipeline, **{"cloudFiles.inferColumnTypes": True})
    p.put([{"id": 1}], name="n=7/x.json")
    p.run().check()
    p.put([{"id": 2}, {"id": "three"}], name='n=seven "7"/x.json')
    ended = p.run().check()
    rows = [r for r in table(p) if r["n"] is None]
    assert {r["id"] for r in rows} == {2, None}
    for r in rows:
        kept = json.loads(r["_rescued_data"])
        assert kept["n"] == 'seven "7"' and kept["_file_path"].endswith("/x.json")
        assert kept.get("id") == (None if r["id"] == 2 else "three")
    assert ended.batches[0]["weir"]["numRescuedRows"] == 2


def test_a_partition_value_that_does_not_fit_is_counted_when_it_cannot_be_kept(pipeline):
    p = pipeline(schema="id BIGINT, n INT")
    p.put([{"id": 1}, {"id": 2}], name="n=seven/x.json")
    ended = p.run().check()
    assert ended.batches[0]["weir"]["valuesLost"] == 2
    ended.says("n=seven/x.json")
    q = pipeline(schema="id BIGINT, n INT", conf={"weir.onValueLost": "fail"})
    q.put([{"id": 1}], name="n=seven/x.json")
    q.run().check(BAD_DATA).says("n=seven/x.json")


# --- _metadata ---------------------------------------------------------------------------------------------------------
def test_metadata_as_spark_spells_it(pipeline):
    p = pipeline(query="SELECT id, _metadata FROM source")
    path = p.put([{"id": 1}], name="a b%é+.json")
    before = int(time.time() * 1e6)
    p.run().check()
    got = table(p)[0]["_metadata"]
    micros = lambda t: int(round(t.timestamp() * 1e6))
    assert list(got) == ["file_path", "file_name", "file_size", "file_block_start", "file_block_length",
                         "file_modification_time", "source", "batch_id", "ingest_time"]
    assert got["file_name"] == "a%20b%25é+.json"
    assert got["file_path"] == "file:" + p.src + "/" + got["file_name"]
    assert (got["file_size"], got["file_block_start"], got["file_block_length"]) == (os.path.getsize(path), 0,
                                                                                    os.path.getsize(path))
    assert micros(got["file_modification_time"]) == weir.T0 * 1_000_000
    assert (got["source"], got["batch_id"]) == ("orders", 0)
    assert before - 1000 <= micros(got["ingest_time"]) <= int(time.time() * 1e6)
    assert micros(got["ingest_time"]) // 1000 == p.offset(0)[0]["batchTimestampMs"]


def test_fields_of_metadata_in_a_query(pipeline):
    p = pipeline(query="SELECT *, _metadata.file_name AS f, _metadata.batch_id, _metadata.ingest_time FROM source")
    p.put_ids([1], [2])
    p.run().check()
    assert [n for n, _ in columns(p)] == ["id", "name", "f", "batch_id", "ingest_time"]
    assert [(r["id"], r["f"], r["batch_id"]) for r in table(p)] == [(1, "part-00000.json", 0), (2, "part-00001.json", 1)]


def test_the_ingest_time_of_a_replay_is_the_first_one(pipeline):
    p = pipeline(query="SELECT id, _metadata.ingest_time FROM source")
    p.put_ids([1])
    p.run(point="offsets=kill")
    time.sleep(0.05)
    p.run().check()
    assert int(round(table(p)[0]["ingest_time"].timestamp() * 1000)) == p.offset(0)[0]["batchTimestampMs"]


def test_a_column_of_the_file_named_metadata_wins(pipeline):
    p = pipeline(schema="id BIGINT, _metadata STRING", query="SELECT id, _metadata FROM source")
    p.put([{"id": 1, "_metadata": "mine"}])
    p.run().check()
    assert table(p) == [{"id": 1, "_metadata": "mine"}]


def test_a_name_that_is_no_utf_8_is_text_all_the_same(pipeline):
    p = pipeline(query="SELECT id, _metadata.file_name AS f FROM source")
    os.rename(os.fsencode(p.put([{"id": 1}])), os.fsencode(p.src) + b"/\xffx.json")
    p.run().check()
    assert table(p) == [{"id": 1, "f": "\ufffdx.json"}]


@pytest.mark.parametrize("files", [1, 2, 100])
@pytest.mark.parametrize("format, options", [("json", {}), ("cloudFiles", {"cloudFiles.format": "json"})])
def test_what_a_path_says_does_not_hang_on_other_files(pipeline, format, options, files):
    """Folders at another level, files beside folders: each file has the values of its own path, else of its records."""
    p = pipeline(format=format, schema="id INT, day STRING")
    limit = "maxFilesPerTrigger" if format == "json" else "cloudFiles.maxFilesPerTrigger"
    p.spec["source"]["options"] = {limit: files, **options}
    p.write()
    p.put([{"id": 0, "day": "said"}], name="a.json")
    p.put([{"id": 1}], name="day=1/a.json")
    p.put([{"id": 2}], name="v2/day=2/a.json")
    p.put([{"id": 3}], name="day=1/b.json")
    p.put([{"id": 4, "day": "told"}], name="b.json")
    p.run().check()
    p.put([{"id": 5}], name="day=1/c.json")
    p.run().check()
    rows = deltars.DeltaTable(p.table).to_pyarrow_table().to_pylist()
    assert {r["id"]: r["day"] for r in rows} == {0: "said", 1: "1", 2: "2", 3: "1", 4: "told", 5: "1"}


def test_a_filter_of_delta_rs_on_a_boolean_finds_its_rows(pipeline):
    """delta-rs takes a comparison for false where the column has nulls counted but no bounds."""
    p = pipeline(schema="id BIGINT, yes BOOLEAN")
    p.put([{"id": 1, "yes": True}, {"id": 2, "yes": False}, {"id": 3, "yes": None}])
    p.put([{"id": 4, "yes": True}])
    p.run().check()
    rows = deltars.DeltaTable(p.table).to_pyarrow_dataset()
    found = {yes: rows.to_table(filter=ds.field("yes") == yes)["id"].to_pylist() for yes in (True, False)}
    assert {yes: sorted(ids) for yes, ids in found.items()} == {True: [1, 4], False: [2]}
