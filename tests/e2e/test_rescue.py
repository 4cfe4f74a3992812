"""What does not fit and what does not parse: the rescued column, the corrupt record column, modes, lost values."""
import json

import pytest

import weir
from peers import deltars
from test_columns import columns, loader, table

FAILED, USAGE, BAD_DATA = 1, 2, 3
TYPED = {"cloudFiles.inferColumnTypes": True}


def counts(run):
    """The sums of weir's own counts over the batches of a run."""
    names = ("numRescuedRows", "numCorruptRecords", "numBlankLines", "numDroppedRecords", "valuesLost")
    return {n: sum(b["weir"][n] for b in run.batches) for n in names if sum(b["weir"][n] for b in run.batches)}


# --- the rescued column ------------------------------------------------------------------------------------------------
def test_a_value_that_does_not_fit_is_kept(pipeline):
    p = pipeline(schema="id BIGINT, name STRING", options={"rescuedDataColumn": "rest"})
    p.put(None, raw=b'{"id": "7 apples", "name": "a", "more": {"x": [1, 2]}}\n{"id": 2, "name": "b"}\n')
    ended = p.run().check()
    one, two = sorted(table(p), key=lambda r: r["name"])
    assert (one["id"], one["name"], two) == (None, "a", {"id": 2, "name": "b", "rest": None})
    assert list(json.loads(one["rest"]).items()) == [
        ("id", "7 apples"), ("more", {"x": [1, 2]}), ("_file_path", "file:" + p.src + "/part-00000.json")]
    assert counts(ended) == {"numRescuedRows": 1}


def test_a_number_that_an_inferred_column_must_round_is_kept(pipeline):
    """2^63 made the column a DECIMAL(20,0); ids beside a fraction are DOUBLE."""
    p = loader(pipeline, **TYPED)
    p.put(None, raw=b'{"id": 1, "n": 9223372036854775808, "key": 1.5}\n')
    p.run().check()
    p.put(None, raw=b'{"id": 2, "n": 1.5, "key": 9007199254740993}\n')
    ended = p.run().check()
    row = next(r for r in table(p) if r["id"] == 2)
    assert (row["n"], row["key"]) == (2, 2.0 ** 53)
    kept = json.loads(row["_rescued_data"])
    assert (kept["n"], kept["key"]) == (1.5, 9007199254740993)
    assert counts(ended) == {"numRescuedRows": 1}


def test_the_path_in_it_is_the_one_of_metadata(pipeline):
    p = pipeline(schema="id BIGINT", options={"rescuedDataColumn": "rest"},
                 query="SELECT rest, _metadata.file_path AS f FROM source")
    p.put([{"id": "x"}], name="a b.json")
    p.run().check()
    row = table(p)[0]
    assert json.loads(row["rest"])["_file_path"] == row["f"]


def test_a_key_in_another_case_is_rescued_or_taken(pipeline):
    for sensitive, want in ((True, None), (False, 5)):
        p = pipeline(schema="id BIGINT", options={"rescuedDataColumn": "rest", "readerCaseSensitive": sensitive})
        p.put([{"ID": 5}])
        p.run().check()
        row = table(p)[0]
        assert row["id"] == want
        assert (row["rest"] is None) != sensitive


def test_a_rescued_column_that_the_schema_names_keeps_its_place(pipeline):
    p = pipeline(schema="rest STRING, id BIGINT", options={"rescuedDataColumn": "rest"})
    p.put([{"id": "x"}])
    p.run().check()
    assert [n for n, _ in columns(p)] == ["rest", "id"]
    assert json.loads(table(p)[0]["rest"])["id"] == "x"


# --- records that do not parse -----------------------------------------------------------------------------------------
GOOD, BAD = b'{"id": 1, "name": "a"}\n', b'{"id": 2, "name": \n'
TAIL = b'{"id": 3, "name": "c"}\n'


def test_permissive_keeps_the_text(pipeline):
    p = pipeline(schema="id BIGINT, name STRING, _corrupt_record STRING")
    p.put(None, raw=GOOD + BAD + TAIL)
    ended = p.run().check()
    assert [(r["id"], r["_corrupt_record"]) for r in table(p)] == [(1, None), (3, None),
                                                                   (None, BAD.decode().rstrip("\n"))]
    assert counts(ended) == {"numCorruptRecords": 1}


@pytest.mark.parametrize("where", ["option", "session"])
def test_the_name_of_the_corrupt_record_column(pipeline, where):
    p = pipeline(schema="id BIGINT, bad STRING",
                 options={"columnNameOfCorruptRecord": "bad"} if where == "option" else {},
                 conf={"spark.sql.columnNameOfCorruptRecord": "bad"} if where == "session" else {})
    p.put(None, raw=GOOD + BAD)
    p.run().check()
    assert [r["bad"] for r in table(p)] == [None, BAD.decode().rstrip("\n")]


def test_a_corrupt_record_column_that_is_no_string_is_refused(pipeline):
    p = pipeline(schema="id BIGINT, _corrupt_record INT")
    p.put_ids([1])
    p.run().check(USAGE).says("_corrupt_record", "STRING")


def test_dropmalformed_counts_what_it_drops(pipeline):
    p = pipeline(options={"mode": "DROPMALFORMED"})
    p.put(None, raw=GOOD + BAD + b'{"id": "x", "name": "no number"}\n' + TAIL)
    ended = p.run().check()
    assert deltars.column(p.table, "id") == [1, 3]
    assert counts(ended)["numDroppedRecords"] == 2 and ended.rows == 2
    ended.says("2 rows of 1 file", "2 records dropped")


def test_dropmalformed_keeps_what_can_be_rescued(pipeline):
    p = pipeline(options={"mode": "DROPMALFORMED", "rescuedDataColumn": "rest"})
    p.put(None, raw=GOOD + BAD + b'{"id": "x", "name": "no number"}\n')
    ended = p.run().check()
    assert sorted(map(str, deltars.column_values(p.table, "id"))) == ["1", "None"]
    assert counts(ended)["numDroppedRecords"] == 1 and counts(ended)["numRescuedRows"] == 1


@pytest.mark.parametrize("bad", [BAD, b'{"id": "x", "name": "no number"}\n'], ids=["broken", "misfit"])
def test_failfast_names_file_and_byte(pipeline, bad):
    p = pipeline(options={"mode": "FAILFAST"})
    p.put_ids([7])
    p.put(None, name="late.json", raw=GOOD + bad + TAIL)
    for _ in range(2):
        p.run().check(BAD_DATA).says("late.json", "byte %d" % len(GOOD))
        assert deltars.column(p.table, "id") == [7]
    p.change(source={"options": {"mode": "PERMISSIVE"}}).run().check()
    assert len(deltars.column_values(p.table, "id")) == 4


# --- lost values -------------------------------------------------------------------------------------------------------
def test_values_that_no_column_keeps_are_counted_with_the_first_place(pipeline):
    p = pipeline(schema="id BIGINT, n INT")
    p.put(None, raw=b'{"id": 1, "n": 1}\n{"id": 2, "n": "x"}\n{"id": 3, "n": 1.5}\n')
    ended = p.run().check()
    assert deltars.column(p.table, "id") == [1, 2, 3]
    assert counts(ended)["valuesLost"] == 2
    ended.says("2 values", "part-00000.json", "byte", "2 values lost, table version 0")


def test_values_that_no_column_keeps_can_stop_the_run(pipeline):
    p = pipeline(schema="id BIGINT, n INT", conf={"weir.onValueLost": "fail"})
    p.put([{"id": 1, "n": 1}])
    p.put([{"id": 2, "n": "x"}])
    p.run().check(BAD_DATA).says("part-00001.json", "weir.onValueLost")
    assert deltars.column(p.table, "id") == [1]
    p.change(conf={"weir.onValueLost": "count"}).run().check()
    assert deltars.column(p.table, "id") == [1, 2]


def test_a_broken_record_without_a_column_for_it_is_a_loss(pipeline):
    p = pipeline(conf={"weir.onValueLost": "fail"})
    p.put(None, raw=GOOD + BAD)
    p.run().check(BAD_DATA).says("part-00000.json")


def test_a_first_broken_line_gives_no_schema_to_cloudfiles(pipeline):
    """With a rescued column inference makes no corrupt record column, as in Auto Loader."""
    p = loader(pipeline, **TYPED)
    p.put(None, raw=GOOD + BAD)
    ended = p.run().check()
    assert [n for n, _ in columns(p)] == ["id", "name", "_rescued_data"]
    assert sum(counts(ended).get(n, 0) for n in ("numCorruptRecords", "valuesLost")) >= 1


def test_blank_lines_are_counted_and_are_no_rows(pipeline):
    p = pipeline()
    p.put(None, raw=b"\n" + GOOD + b"  \n\n" + TAIL)
    ended = p.run().check()
    assert counts(ended)["numBlankLines"] >= 1 and deltars.column(p.table, "id") == [1, 3]


def test_good_fields_beside_a_bad_one_are_kept(pipeline):
    p = pipeline(schema="id BIGINT, st STRUCT<x: INT, y: STRING>, _corrupt_record STRING")
    p.put([{"id": 1, "st": {"x": "bad", "y": "keep"}}])
    p.run().check()
    assert table(p)[0]["st"] == {"x": None, "y": "keep"}
    p.change(conf={"spark.sql.json.enablePartialResults": False}).run().check(USAGE).says("enablePartialResults")
