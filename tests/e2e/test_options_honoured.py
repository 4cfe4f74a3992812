"""Every option that the documentation calls honoured changes what weir does.

The list of options comes from weir itself. Each has an entry here: a check of this file, which runs the same input
with and without the option and must see the difference; or the name of the test elsewhere that fails when the option
is ignored. An option without an entry fails, and so does an entry without an option.
"""
import json
import os
import re
import time

import pyarrow.parquet as pq
import pytest

import weir
from peers import deltars
from test_triggers import wait_for

FAILED, USAGE, BAD_DATA = 1, 2, 3
HERE = os.path.dirname(os.path.abspath(__file__))

# --- entries: (table, option) -> a function of this file, or "folder/file::test" ----------------------------------------
ENTRIES = {}


def entry(table, *options):
    def keep(check):
        for option in options:
            assert (table, option) not in ENTRIES, option
            ENTRIES[table, option] = check
        return check
    return keep


LOADER, STREAM, READER, SCHEMA, JSON, SINK, CONF = (
    "source cloudFiles", "source filestream", "Schema and columns of every file source",
    "Schema and columns of cloudFiles", "format json", "sink delta", "Settings")

ELSEWHERE = {
    LOADER: {"cloudFiles.maxFilesPerTrigger": "e2e/test_evolution.py::test_versions_follow_each_other_within_a_run",
             "cloudFiles.maxBytesPerTrigger": "e2e/test_triggers.py::test_max_bytes_per_trigger"},
    STREAM: {"maxFilesPerTrigger": "e2e/test_triggers.py::test_max_files_per_trigger",
             "maxBytesPerTrigger": "e2e/test_triggers.py::test_max_bytes_per_trigger"},
    READER: {"rescuedDataColumn": "e2e/test_rescue.py::test_a_value_that_does_not_fit_is_kept",
             "readerCaseSensitive": "e2e/test_rescue.py::test_a_key_in_another_case_is_rescued_or_taken",
             "ignoreCorruptFiles":
                 "e2e/test_reading.py::test_the_rest_of_a_damaged_file_is_passed_over_when_the_user_says_so",
             "ignoreMissingFiles": "e2e/test_reading.py::test_a_missing_file_is_counted"},
    SCHEMA: {"cloudFiles.schemaLocation": "e2e/test_columns.py::test_the_second_run_uses_the_stored_schema",
             "cloudFiles.schemaHints": "e2e/test_columns.py::test_hints",
             "cloudFiles.inferColumnTypes": "e2e/test_columns.py::test_inference_with_types",
             "cloudFiles.schemaEvolutionMode": "e2e/test_evolution.py::test_rescue_keeps_the_schema",
             "cloudFiles.partitionColumns": "e2e/test_columns.py::test_the_option_partition_columns_chooses"},
    JSON: {"mode": "e2e/test_rescue.py::test_dropmalformed_counts_what_it_drops",
           "columnNameOfCorruptRecord": "e2e/test_rescue.py::test_the_name_of_the_corrupt_record_column",
           "multiLine": "e2e/test_reading.py::test_records_are_found_in",
           "lineSep": "e2e/test_reading.py::test_records_are_found_in",
           "encoding": "e2e/test_reading.py::test_encodings",
           "charset": "e2e/test_reading.py::test_charset_is_another_name_of_encoding",
           **{name: "e2e/test_columns.py::test_options_of_inference"
              for name in ("primitivesAsString", "prefersDecimal", "dropFieldIfAllNull", "inferTimestamp")}},
    SINK: {"mergeSchema":
           "e2e/test_evolution.py::test_a_sink_without_merge_schema_says_what_to_set_and_nothing_is_half_done"},
    "sink console": {name: "e2e/test_sql.py::test_the_console_shows_as_many_rows_and_letters_as_it_is_told"
                     for name in ("numRows", "truncate")},
    CONF: {"spark.sql.ansi.enabled": "e2e/test_sql.py::test_a_row_that_cannot_be_computed_ends_the_run_and_nothing_is_written",
           "weir.tempDirectory": "e2e/test_sql.py::test_what_does_not_fit_goes_into_the_folder_for_it",
           "spark.sql.columnNameOfCorruptRecord":
           "e2e/test_rescue.py::test_the_name_of_the_corrupt_record_column",
           "spark.sql.streaming.schemaInference":
               "e2e/test_columns.py::test_spark_s_own_source_does_not_infer_by_itself",
           "weir.minCommitInterval":
               "e2e/test_triggers.py::test_min_commit_interval_spaces_the_batches_of_the_default_trigger",
           "weir.settleTime": "e2e/test_triggers.py::test_a_young_file_waits_until_it_is_settled",
           "weir.maxRecordBytes": "e2e/test_reading.py::test_a_record_over_the_limit_names_file_and_byte",
           "weir.onValueLost": "e2e/test_rescue.py::test_values_that_no_column_keeps_can_stop_the_run"},
}
for _table, _options in ELSEWHERE.items():
    for _option, _test in _options.items():
        ENTRIES[_table, _option] = _test


def documented():
    """[(table, option)] of the honoured options, from weir's own page."""
    found, table = [], None
    for line in weir.run("docs", "options").check().out.splitlines():
        if line.startswith("## "):
            table = line[3:]
        cells = re.split(r"(?<!\\)\|", line)
        if len(cells) >= 6 and cells[1].strip().startswith("`"):
            about = cells[4].strip()
            if not about.startswith(("without effect:", "**refused**:")):
                found.append((table, cells[1].strip().strip("`")))
    return found


def test_every_honoured_option_has_an_entry(weir_bin):
    want = documented()
    assert len(want) > 60
    assert [o for o in want if o not in ENTRIES] == [], "honoured, but no test would notice if it were ignored"
    assert [o for o in ENTRIES if o not in want] == [], "entries of options that are not honoured"


def test_the_tests_that_are_named_are_there():
    for (table, option), name in ENTRIES.items():
        if isinstance(name, str):
            path, test = name.split("::")
            with open(os.path.join(os.path.dirname(HERE), path), encoding="utf-8") as f:
                assert re.search(r"\b%s\b" % test, f.read()), "%s: there is no %s" % (option, name)


# --- the same input, with and without ----------------------------------------------------------------------------------
class Outcome:
    def __init__(self, p, run):
        self.p, self.run, self.status = p, run, run.status
        self.files = [b["weir"]["inputFiles"] for b in run.batches]
        there = os.path.isdir(os.path.join(p.table, "_delta_log"))
        self.rows = deltars.arrow(deltars.DeltaTable(p.table)).to_pylist() if there else []

    def column(self, name):
        return [r[name] for r in sorted(self.rows, key=lambda r: str(r.get("id")))]


def build(pipeline, put, table=STREAM, option=None, value=None, schema="id BIGINT", options=(), conf=(), path=None):
    """A pipeline with the option set, or left out when value is None; `put(p)` has made its input."""
    loader = table in (LOADER, SCHEMA)
    p = pipeline(format="cloudFiles" if loader else "json", schema=schema)
    chosen = {"cloudFiles.format": "json"} if loader else {}
    chosen.update(options)
    if value is not None and table not in (SINK, CONF):
        chosen[option] = value
    p.spec["source"]["options"] = chosen
    p.spec["sink"]["options"] = {option: value} if table == SINK and value is not None else {}
    p.spec["conf"].update(dict(conf))
    if table == CONF and value is not None:
        p.spec["conf"][option] = value
    if path:
        p.spec["source"]["path"] = path(p)
    p.write()
    put(p)
    return p


def outcomes(pipeline, put, table, option, value, without=None, **more):
    """(without, with) of the option."""
    pair = []
    for v in (without, value):
        p = build(pipeline, put, table, option, v, **more)
        pair.append(Outcome(p, p.run()))
    return pair


# --- JSON: one record that only the option reads, or no longer reads ----------------------------------------------------
JSON_CASES = {  # option: (value, schema, text, want without, want with)
    "dateFormat": ("dd/MM/yyyy", "id DATE", '{"id":"02/01/2025"}', None, "2025-01-02"),
    "timestampFormat": ("dd.MM.yyyy HH:mm", "id TIMESTAMP", '{"id":"02.01.2025 03:04"}', None,
                        "2025-01-02 03:04:00+00:00"),
    "timestampNTZFormat": ("dd.MM.yyyy HH:mm", "id TIMESTAMP_NTZ", '{"id":"02.01.2025 03:04"}', None,
                           "2025-01-02 03:04:00"),
    "timeZone": ("Asia/Singapore", "id TIMESTAMP", '{"id":"2025-01-02 08:00:00"}', "2025-01-02 08:00:00+00:00",
                 "2025-01-02 00:00:00+00:00"),
    "allowComments": (True, "id INT", '{"id":/* one */1}', None, "1"),
    "allowSingleQuotes": (False, "id STRING", "{'id':'x'}", "x", None),
    "allowUnquotedFieldNames": (True, "id INT", '{id:1}', None, "1"),
    "allowNumericLeadingZeros": (True, "id INT", '{"id":007}', None, "7"),
    "allowBackslashEscapingAnyCharacter": (True, "id STRING", '{"id":"a\\qb"}', None, "aqb"),
    "allowUnquotedControlChars": (True, "id STRING", '{"id":"a\x01b"}', None, "a\x01b"),
    "allowNonNumericNumbers": (False, "id DOUBLE", '{"id":NaN}', "nan", None),
    "maxNestingDepth": (3, "id STRING", '{"id":[[[1]]]}', "[[[1]]]", None),
    "maxNumLen": (5, "id BIGINT", '{"id":1234567}', "1234567", None),
}


def text_of(outcome):
    assert outcome.status == 0 and len(outcome.rows) == 1, outcome.run
    value = outcome.rows[0]["id"]
    return None if value is None else str(value)


@pytest.mark.parametrize("option", JSON_CASES)
def test_json(pipeline, option):
    value, schema, text, without, with_it = JSON_CASES[option]
    plain, changed = outcomes(pipeline, lambda p: p.put(None, raw=text.encode() + b"\n"), JSON, option, value,
                              schema=schema)
    assert (text_of(plain), text_of(changed)) == (without, with_it)


entry(JSON, *JSON_CASES)(test_json)


# --- values that are refused because weir knows one only ----------------------------------------------------------------
REFUSED = [(JSON, "locale", "fr-FR", "en-US"), (JSON, "samplingRatio", "0.5", "1.0"),
           (LOADER, "cloudFiles.useNotifications", True, False), (LOADER, "cloudFiles.useManagedFileEvents", True, False),
           (LOADER, "cloudFiles.cleanSource", "DELETE", "OFF"), (STREAM, "cleanSource", "delete", "off"),
           (CONF, "spark.sql.legacy.timeParserPolicy", "LEGACY", "CORRECTED"),
           (SCHEMA, "cloudFiles.format", "floppy", "json"), (SINK, "dataChange", False, True)]


@pytest.mark.parametrize("table, option, bad, good", REFUSED)
def test_values_that_are_refused(pipeline, table, option, bad, good):
    fine, refused = outcomes(pipeline, lambda p: p.put_ids([1]), table, option, bad, without=good)
    assert (fine.status, len(fine.rows)) == (0, 1), fine.run
    assert refused.status == USAGE and refused.rows == [], refused.run
    assert refused.p.log_ids("offsets") == []
    refused.run.says(option.lower())


for _table, _option, _, _ in REFUSED:
    entry(_table, _option)(test_values_that_are_refused)


# --- which files are taken ---------------------------------------------------------------------------------------------
@entry(LOADER, "pathGlobFilter")
@entry(STREAM, "pathGlobFilter")
@pytest.mark.parametrize("table", [LOADER, STREAM])
def test_path_glob_filter(pipeline, table):
    def put(p):
        p.put([{"id": 1}], name="a.json")
        p.put([{"id": 2}], name="b.txt")
    plain, changed = outcomes(pipeline, put, table, "pathGlobFilter", "*.json")
    assert (plain.column("id"), changed.column("id")) == ([1, 2], [1])


@entry(LOADER, "modifiedAfter", "modifiedBefore")
@pytest.mark.parametrize("option, want", [("modifiedAfter", [3]), ("modifiedBefore", [1])])
def test_modified(pipeline, option, want):
    def put(p):
        for i in (1, 2, 3):
            p.put([{"id": i}], at=weir.T0 + i)  # the second's time is the bound, which is no part of it
    plain, changed = outcomes(pipeline, put, LOADER, option, "2025-01-01 00:00:02")
    assert (plain.column("id"), changed.column("id")) == ([1, 2, 3], want)


@entry(LOADER, "cloudFiles.includeExistingFiles")
def test_include_existing_files(pipeline):
    p = build(pipeline, lambda p: p.put_ids([1]), LOADER, "cloudFiles.includeExistingFiles", False)
    assert Outcome(p, p.run().check()).rows == []
    p.put_ids([2])
    assert Outcome(p, p.run().check()).column("id") == [2]


@entry(LOADER, "cloudFiles.allowOverwrites")
def test_allow_overwrites(pipeline):
    got = []
    for value in (None, True):
        p = build(pipeline, lambda p: p.put([{"id": 1}], name="a.json"), LOADER, "cloudFiles.allowOverwrites", value)
        p.run().check()
        p.put([{"id": 2}], name="a.json", at=weir.T0 + 100)
        got.append(Outcome(p, p.run().check()).column("id"))
    assert got == [[1], [1, 2]]


@entry(LOADER, "cloudFiles.maxFileAge")
@entry(STREAM, "maxFileAge")
@pytest.mark.parametrize("table, option", [(LOADER, "cloudFiles.maxFileAge"), (STREAM, "maxFileAge")])
def test_max_file_age(pipeline, table, option):
    got = []
    for value in (None, "1 hour"):
        p = build(pipeline, lambda p: p.put([{"id": 1}]), table, option, value)
        p.run().check()
        p.put([{"id": 2}], at=weir.T0 - 7200)
        got.append(Outcome(p, p.run().check()).column("id"))
    assert got == [[1, 2], [1]]


@entry(LOADER, "cloudFiles.useStrictGlobber")
def test_use_strict_globber(pipeline):
    def put(p):
        p.put([{"id": 1}], name="x/a/f.json")
        p.put([{"id": 2}], name="x/a/b/a/f.json")
    plain, changed = outcomes(pipeline, put, LOADER, "cloudFiles.useStrictGlobber", True,
                              path=lambda p: os.path.join(p.src, "x", "*", "f.json"))
    assert (plain.column("id"), changed.column("id")) == ([1, 2], [1])


@entry(STREAM, "latestFirst")
def test_latest_first(pipeline):
    def first(value):
        p = build(pipeline, lambda p: p.put_ids([1], [2], [3]), STREAM, "latestFirst", value,
                  options={"maxFilesPerTrigger": 1})
        p.run().check()
        return [e["path"].rsplit("/", 1)[1] for n in range(3) for e in p.source_log()[n]]
    names = ["part-%05d.json" % n for n in range(3)]
    assert (first(None), first(True)) == (names, names[::-1])


@entry(STREAM, "fileNameOnly")
def test_file_name_only(pipeline):
    def put(p):
        p.put([{"id": 1}], name="x/f.json")
        p.put([{"id": 2}], name="y/f.json")
    plain, changed = outcomes(pipeline, put, STREAM, "fileNameOnly", True, options={"recursiveFileLookup": True})
    assert len(plain.rows) == 2 and len(changed.rows) == 1


@entry(STREAM, "recursiveFileLookup")
def test_recursive_file_lookup(pipeline):
    def put(p):
        p.put([{"id": 1}], name="f.json")
        p.put([{"id": 2}], name="deep/er/f.json")
    plain, changed = outcomes(pipeline, put, STREAM, "recursiveFileLookup", True)
    assert (plain.column("id"), changed.column("id")) == ([1], [1, 2])


def batches_with_a_late_old_file(pipeline, ids, batches, options):
    """The ids of each batch when a file that is older than all others comes behind the first batch."""
    p = build(pipeline, lambda p: p.put_ids(*([i] for i in ids)), options={"maxFilesPerTrigger": 1, **options})
    del p.spec["trigger"]
    p.write()
    process = p.start(point="ack=stop")
    assert process.wait_stopped()
    p.put([{"id": 9}], at=weir.T0 - 50)
    process.signal(18)
    wait_for(process, lambda: len(p.log_ids("commits")) == batches)
    process.signal(15)
    process.wait()
    order = []
    for n in range(batches):
        order.append([])
        for taken in p.source_log()[n]:
            with open(taken["path"][len("file://"):]) as f:
                order[-1].append(json.loads(f.readline())["id"])
    return order


@entry(STREAM, "maxCachedFiles")
@pytest.mark.parametrize("value, want", [(None, [1, 2, 3, 4, 9]), (1, [1, 2, 9, 3, 4]), (0, [1, 9, 2, 3, 4])])
def test_max_cached_files(pipeline, value, want):
    options = {} if value is None else {"maxCachedFiles": value}
    assert batches_with_a_late_old_file(pipeline, [1, 2, 3, 4], 5, options) == [[i] for i in want]


@entry(STREAM, "discardCachedInputRatio")
@pytest.mark.parametrize("value, want", [(None, [[1, 2], [3], [9]]), ("0.9", [[1, 2], [9, 3]])])
def test_discard_cached_input_ratio(pipeline, value, want):
    options = {} if value is None else {"discardCachedInputRatio": value}
    got = batches_with_a_late_old_file(pipeline, [1, 2, 3], len(want), {"maxFilesPerTrigger": 2, **options})
    assert got == want


# --- the table ---------------------------------------------------------------------------------------------------------
def data_files(p):
    return [os.path.join(p.table, a["add"]["path"]) for actions in deltars.commits(p.table).values() for a in actions
            if "add" in a]


@entry(SINK, "maxRecordsPerFile")
def test_max_records_per_file(pipeline):
    plain, changed = outcomes(pipeline, lambda p: p.put_ids(range(10)), SINK, "maxRecordsPerFile", 3)
    rows = [sorted(pq.ParquetFile(f).metadata.num_rows for f in data_files(o.p)) for o in (plain, changed)]
    assert rows == [[10], [1, 3, 3, 3]]


@entry(SINK, "compression")
@pytest.mark.parametrize("value, want", [(None, "SNAPPY"), ("zstd", "ZSTD"), ("uncompressed", "UNCOMPRESSED")])
def test_compression(pipeline, value, want):
    p = build(pipeline, lambda p: p.put_ids(range(10)), SINK, "compression", value)
    p.run().check()
    assert {pq.ParquetFile(f).metadata.row_group(0).column(0).compression for f in data_files(p)} == {want}


@entry(SINK, "userMetadata")
def test_user_metadata(pipeline):
    pair = outcomes(pipeline, lambda p: p.put_ids([1]), SINK, "userMetadata", "load 7")
    said = [[a["commitInfo"].get("userMetadata") for actions in deltars.commits(o.p.table).values() for a in actions
             if "commitInfo" in a] for o in pair]
    assert said == [[None], ["load 7"]]


# --- settings ----------------------------------------------------------------------------------------------------------
@entry(CONF, "spark.sql.session.timeZone")
def test_session_time_zone(pipeline):
    plain, changed = outcomes(pipeline, lambda p: p.put([{"id": "2025-01-02 08:00:00"}]), CONF,
                              "spark.sql.session.timeZone", "Asia/Singapore", schema="id TIMESTAMP")
    assert (text_of(plain), text_of(changed)) == ("2025-01-02 08:00:00+00:00", "2025-01-02 00:00:00+00:00")


@entry(CONF, "spark.sql.caseSensitive")
def test_case_sensitive(pipeline):
    """Inference: two spellings are two columns, which a Delta table cannot hold: the second stays in the rescued one."""
    def put(p):
        p.put([{"id": 1, "x": 5}, {"id": 2, "X": 6}])
    got = []
    for value in (None, True):
        p = build(pipeline, put, CONF, "spark.sql.caseSensitive", value, schema=None)
        p.spec["conf"]["spark.sql.streaming.schemaInference"] = True
        p.write()
        run = p.run()
        got.append((run.status, sorted(Outcome(p, run).rows[0]) if run.status == 0 else run.err))
    assert got[0] != got[1], got


@entry(CONF, "spark.sql.streaming.fileSource.log.compactInterval")
def test_compact_interval(pipeline):
    plain, changed = outcomes(pipeline, lambda p: p.put_ids([1], [2], [3]), CONF,
                              "spark.sql.streaming.fileSource.log.compactInterval", 2,
                              options={"maxFilesPerTrigger": 1})
    logs = [sorted(n for n in os.listdir(os.path.join(o.p.ckpt, "sources", "0")) if n.endswith(".compact"))
            for o in (plain, changed)]
    assert logs == [[], ["1.compact"]]


@entry(CONF, "spark.sql.streaming.minBatchesToRetain")
def test_min_batches_to_retain(pipeline):
    plain, changed = outcomes(pipeline, lambda p: p.put_ids(*([i] for i in range(6))), CONF,
                              "spark.sql.streaming.minBatchesToRetain", 2, options={"maxFilesPerTrigger": 1})
    assert plain.p.log_ids("commits") == list(range(6))
    assert len(changed.p.log_ids("commits")) < 5 and changed.p.log_ids("commits")[-1] == 5


@entry(CONF, "spark.sql.streaming.pollingDelay")
def test_polling_delay(pipeline):
    p = build(pipeline, lambda p: p.put_ids([1]), CONF, "spark.sql.streaming.pollingDelay", "5 seconds",
              conf={"weir.minCommitInterval": "0"})
    del p.spec["trigger"]
    p.write()
    process = p.start()
    wait_for(process, lambda: p.log_ids("commits") == [0])
    time.sleep(0.5)  # it has looked, found nothing, and rests now
    began = time.monotonic()
    p.put_ids([2])
    wait_for(process, lambda: p.log_ids("commits") == [0, 1])
    assert time.monotonic() - began > 2.5  # by default it looks every 10 ms
    process.signal(15)
    process.wait()


@entry(CONF, "spark.databricks.cloudFiles.schemaInference.sampleSize.numFiles",
       "spark.databricks.cloudFiles.schemaInference.sampleSize.numBytes")
@pytest.mark.parametrize("limit, value", [("numFiles", 1), ("numBytes", "10")])
def test_sample_size(pipeline, limit, value):
    option = "spark.databricks.cloudFiles.schemaInference.sampleSize." + limit

    def put(p):
        p.put([{"id": 1, "old": 1}])
        p.put([{"id": 2, "new": 1}])  # the newest file comes first
    found = []
    for v in (None, value):
        p = build(pipeline, put, LOADER, schema=None, options={"cloudFiles.schemaLocation": ""},
                  conf={option: v} if v else {})
        p.spec["source"]["options"]["cloudFiles.schemaLocation"] = p.state
        p.spec["sink"]["options"] = {"mergeSchema": True}
        p.write()
        p.run().check()
        with open(os.path.join(p.state, "_schemas", "0")) as f:
            fields = json.loads(json.loads(f.read().split("\n")[1])["dataSchemaJson"])["fields"]
        found.append([f["name"] for f in fields])
    assert found == [["id", "new", "old"], ["id", "new"]]


def some_megabytes(p):
    p.put([{"id": i, "name": os.urandom(500).hex()} for i in range(12_000)])


@entry(CONF, "weir.threads")
def test_threads(pipeline):
    one, two = outcomes(pipeline, some_megabytes, CONF, "weir.threads", 2, without=1, schema="id BIGINT, name STRING")
    assert len(data_files(one.p)) == 1 and len(data_files(two.p)) == 2


@entry(CONF, "weir.memoryLimit")
def test_memory_limit(pipeline):
    """The plan follows the limit: row groups, and with them the peak, are larger under a larger one."""
    small, large = outcomes(pipeline, some_megabytes, CONF, "weir.memoryLimit", "512m", without="32m",
                            schema="id BIGINT, name STRING", conf={"weir.threads": 1})
    groups = [sum(pq.ParquetFile(f).num_row_groups for f in data_files(o.p)) for o in (small, large)]
    assert groups[0] > groups[1], groups
    assert small.run.peak < min(32 << 20, large.run.peak), (small.run.peak, large.run.peak)
