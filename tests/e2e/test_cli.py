"""The command line: words, help, messages, statuses, what goes to stdout and what to stderr."""
import json
import os
import pty
import re
import signal
import subprocess
import time

import pytest

import weir
from peers import deltars

TOP = weir.TOP
GOOD = """source: {format: json, path: ./in, schema: id BIGINT}
sink: {format: delta, path: ./table}
trigger: {availableNow: true}
checkpointLocation: ./ckpt
"""


@pytest.fixture
def good(tmp_path, weir_bin):
    (tmp_path / "in").mkdir()
    path = tmp_path / "p.yaml"
    path.write_text(GOOD)
    return path


def put(folder, name, rows, age=60):
    path = folder / name
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    os.utime(path, (time.time() - age,) * 2)


# --- words ------------------------------------------------------------------------------------------------------

def test_version_is_one_line_on_stdout(weir_bin):
    run = weir.run("--version").check()
    assert re.fullmatch(r"weir \d+\.\d+\.\d+ \(\S+\), DuckDB v1\.\S+\n", run.out)
    assert run.err == ""


def test_version_costs_single_digit_milliseconds(weir_bin):
    """Of CPU: other work on the machine must not fail this."""
    with open(weir_bin, "rb") as f:
        if b"__asan_init" in f.read():
            pytest.skip("built with sanitizers")

    def once():
        child = subprocess.Popen([weir_bin, "--version"], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0
        return usage.ru_utime + usage.ru_stime
    assert min(once() for _ in range(20)) < 0.01


@pytest.mark.parametrize("args", [["--help"], ["help"], ["-h"]])
def test_help_lists_the_commands_on_stdout(weir_bin, args):
    run = weir.run(*args).check()
    for command in ("run", "check", "status", "new"):
        assert re.search(r"^  %s +\w" % command, run.out, re.M)
    assert "docs" not in run.out.split("Exit status")[0]


def test_no_command_shows_the_help_and_fails(weir_bin):
    assert "usage: weir" in weir.run().check(2).out


@pytest.mark.parametrize("command", ["run", "check", "status", "new"])
def test_every_command_has_help_in_both_ways(weir_bin, command):
    one, two = weir.run(command, "--help").check(), weir.run("help", command).check()
    assert one.out == two.out
    assert one.out.startswith("usage: weir %s" % command)
    assert "--quiet" in one.out


def test_help_goes_down_to_the_subcommand_and_never_fails(weir_bin):
    assert weir.run("help", "table", "show").check().out == weir.run("table", "show", "--help").check().out
    assert weir.run("help", "help").check().out == weir.run("help").check().out
    assert "Formats: json" in weir.run("help", "new").check().out


@pytest.mark.parametrize("args, words", [
    (["rum"], ["unknown command rum", "did you mean weir run?"]),
    (["run"], ["FILE… is missing"]),
    (["run", "--availablenow", "p.yaml"], ["unknown flag --availablenow", "did you mean --available-now?"]),
    (["run", "--if-running", "never", "p.yaml"], ["must be one of fail|skip|wait"]),
    (["run", "--if-running"], ["needs a value"]),
    (["run", "--once=yes", "p.yaml"], ["takes no value"]),
    (["run", "--once", "--available-now", "p.yaml"], ["exclude each other"]),
    (["status", "--format", "xml", "p.yaml"], ["must be one of table|json"]),
    (["run", "nobody.yaml"], ["nobody.yaml"]),
    (["new", "jsom"], ["jsom is no format"]),
    (["help", "chekc"], ["did you mean weir check?"]),
    (["--quiet", "run", "p.yaml"], ["flags stand behind the command"]),
    (["run", "nobody.yaml"], ["nobody.yaml is not there", "weir new json -o FILE"]),
    (["new", "json", "-o", "nowhere/p.yaml"], ["the folder of nowhere/p.yaml is not there"]),
    (["new", "csv"], ["Formats: json"]),
    (["table", "explain", "t"], ["table explain is not known", "history PATH"]),
    (["table", "show", "nowhere"], ["nowhere is not there", "_delta_log"]),
    (["table", "history", "."], ["holds no Delta table", "_delta_log"]),
])
def test_slips_on_the_command_line_are_told_and_exit_with_2(weir_bin, tmp_path, args, words):
    run = weir.run(*args, cwd=tmp_path).check(2).says(*words)
    assert run.out == ""
    assert run.err.startswith("weir: ")


# --- check ------------------------------------------------------------------------------------------------------

def test_check_offline_looks_at_the_file_only(good):
    run = weir.run("check", "--offline", good).check()
    assert "good" in run.out
    good.write_text(GOOD.replace("path: ./table", "pahts: ./table"))
    weir.run("check", "--offline", good).check(2).says("p.yaml:2:", "pahts")


@pytest.mark.parametrize("old, new, words", [
    ("id BIGINT}", "id BIGINT, options: {maxFilesPerTriger: 1}}", ["p.yaml:1:", "did you mean maxFilesPerTrigger?"]),
    ("id BIGINT}", "id BIGINT, options: {multiLine: perhaps}}", ["p.yaml:1:", "write true or false"]),
    ("path: ./table", "path: ./table, options: {compresion: zstd}", ["p.yaml:2:", "did you mean compression?"]),
])
def test_check_offline_looks_at_the_options_too(good, old, new, words):
    assert old in GOOD
    good.write_text(GOOD.replace(old, new, 1))
    weir.run("check", "--offline", good).check(2).says(*words)
    assert not (good.parent / "table").exists()


def test_check_writes_nothing(good):
    put(good.parent / "in", "a.json", [{"id": 1}])
    before = sorted(os.listdir(good.parent))
    weir.run("check", good).check()
    assert sorted(os.listdir(good.parent)) == before


def test_check_says_what_waits(good):
    put(good.parent / "in", "a.json", [{"id": 1}])
    assert "waiting: 1 of them not read yet, 10 B" in weir.run("check", good).check().out
    weir.run("run", good).check()
    out = weir.run("check", good).check().out
    assert "waiting: 0 of them" in out and "batch 0 committed" in out


@pytest.mark.parametrize("place", ["ckpt", "table"])
def test_check_looks_at_rights(good, place):
    put(good.parent / "in", "a.json", [{"id": 1}])
    (good.parent / place).mkdir()
    os.chmod(good.parent / place, 0o555)
    weir.run("check", good, before=weir.drop_rights).check(1).says("/" + place, "cannot be written to", "Permission denied")


def test_check_goes_on_after_a_bad_file_and_tells_each(good):
    bad = good.parent / "bad.yaml"
    bad.write_text("nmae: x\n")
    run = weir.run("check", "--offline", bad, good).check(2).says("bad.yaml:1:", "did you mean name?")
    assert "p.yaml: the file is good" in run.out


def test_resolved_masks_secrets_and_reads_back(good):
    good.write_text(GOOD.replace("id BIGINT}", "id BIGINT, options: {lineSep: \"${env:WEIR_TEST_SEP}\"}}"))
    run = weir.run("check", "--resolved", good, env={"WEIR_TEST_SEP": "hunter2"}).check()
    assert "hunter2" not in run.out + run.err
    assert "***" in run.out
    again = good.parent / "again.yaml"
    again.write_text(run.out)
    weir.run("check", "--offline", again).check()


def test_errors_may_be_json(good):
    good.write_text("sorce: {}\n")
    run = weir.run("check", "--log-format", "json", good).check(2)
    event = json.loads(run.err)
    assert (event["level"], event["code"]) == ("ERROR", "USAGE")
    assert event["where"].endswith("p.yaml:1")
    assert event["hint"] == "did you mean source?"


@pytest.mark.parametrize("old, new, words", [
    ("format: json", "format: kafka", ["p.yaml:1:", "not in this version", "there are: cloudFiles, json"]),
    ("format: delta", "format: hbase", ["p.yaml:2:", "not in this version", "there are: console, delta, noop"]),
    (", path: ./table", "", ["sink has no path", "write for example path: ./tables/orders"]),
    ("id BIGINT}", "id BIGINT, options: {cloudFiles.maxFileAge: 1 day}}",
     ["p.yaml:1: option cloudFiles.maxFileAge: the source json has no such option", "source.format: cloudFiles"]),
    ("format: json,", "format: cloudFiles, options: {cloudFiles.fromat: json},",
     ["cloudFiles.format is missing", "line 1 has cloudFiles.fromat"]),
    ("format: json,", "format: cloudFiles, options: {cloudFiles.format: csv},",
     ["p.yaml:1: option cloudFiles.format: format csv", "formats: json"]),
    ("trigger:", "conf: {spark.sql.session.timeZone: Europe/Berln}\ntrigger:",
     ["p.yaml:3:", "this zone is not known", "Asia/Shanghai"]),
    ("source:", "extends: nobody.yaml\nsource:", ["p.yaml:1:", "nobody.yaml is not there"]),
])
def test_slips_in_the_file_name_their_line_and_a_way_on(good, old, new, words):
    assert old in GOOD
    good.write_text(GOOD.replace(old, new, 1))
    weir.run("check", good).check(2).says(*words)


def test_without_a_zone_database_a_region_asks_for_it(good):
    good.write_text(GOOD.replace("id BIGINT}", "id BIGINT, options: {timeZone: Europe/Berlin}}"))
    weir.run("check", good, env={"TZDIR": "/nowhere"}).check(2).says("timeZone: Europe/Berlin", "tzdata")


def test_files_that_extend_each_other_in_a_circle_are_named_once(good):
    (good.parent / "q.yaml").write_text("extends: p.yaml\n")
    good.write_text("extends: q.yaml\n" + GOOD)
    run = weir.run("check", good).check(2).says("in a circle")
    assert run.err.count("q.yaml") <= 2


# --- new, docs --------------------------------------------------------------------------------------------------

def test_a_new_file_is_good_and_never_overwrites(weir_bin, tmp_path):
    path = tmp_path / "orders.yaml"
    weir.run("new", "json", "-o", path).check()
    text = path.read_text()
    assert "name: orders\n" in text
    assert "cloudFiles.schemaHints" in text and "multiLine" in text
    weir.run("check", "--offline", path).check()
    weir.run("new", "json", "-o", path).check(2).says("is there already")
    assert path.read_text() == text


def test_every_option_of_a_new_file_can_be_switched_on(weir_bin, tmp_path):
    """Each commented line is YAML at its place: uncommented, the file still has known keys and good values. An option
    without a default shows "", which is a place to write in and no value."""
    text = weir.run("new", "json").check().out
    lines = [re.sub(r'^( *)# ([\w.]+: (?!\s*#|""))', r"\1\2", line) for line in text.splitlines()]
    assert len([1 for old, new in zip(text.splitlines(), lines) if old != new]) > 20
    path = tmp_path / "all.yaml"
    path.write_text("\n".join(line for line in lines if not re.match(r" *(weir|spark)\.", line)) + "\n")
    weir.run("check", "--offline", path).check()


def test_the_page_of_options_is_current(weir_bin):
    with open(os.path.join(TOP, "docs", "guide", "options.md"), encoding="utf-8") as f:
        assert f.read() == weir.run("docs", "options").check().out, "run tools/gen-docs"


# --- run, status ------------------------------------------------------------------------------------------------

def test_a_run_prints_events_on_stdout_and_a_summary_on_stderr(good):
    put(good.parent / "in", "a.json", [{"id": n} for n in range(100)])
    run = weir.run("run", good).check()
    assert [b["batchId"] for b in run.batches] == [0]
    assert run.rows == 100
    assert re.search(r"^p: 100 rows of 1 file \(.*\) in 1 batch.* table version 0, ", run.err, re.M)
    again = weir.run("run", good).check().says("p: nothing new")
    assert again.out == ""


def test_json_summary_replaces_the_events(good):
    put(good.parent / "in", "a.json", [{"id": n} for n in range(7)])
    run = weir.run("run", "--json-summary", good).check()
    summary = json.loads(run.out)
    assert (summary["name"], summary["result"], summary["rows"], summary["files"], summary["batches"]) == ("p", "OK", 7, 1, 1)
    summary = json.loads(weir.run("run", "--json-summary", good).check().out)
    assert summary["rows"] == 0


def test_the_json_summary_says_what_was_lost(good):
    put(good.parent / "in", "a.json", [{"id": "no number"}, {"id": 2}])
    summary = json.loads(weir.run("run", "--json-summary", good).check().out)
    assert (summary["rows"], summary["valuesLost"], summary["dropped"]) == (2, 1, 0)


def test_quiet_says_nothing_but_errors(good):
    put(good.parent / "in", "a.json", [{"id": 1}])
    assert weir.run("run", "--quiet", good).check().err == ""


def test_a_terminal_gets_a_bar_and_no_events(good, weir_bin):
    put(good.parent / "in", "a.json", [{"id": n} for n in range(1000)])
    master, slave = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
    child = subprocess.Popen([weir_bin, "run", str(good)], stdin=slave, stdout=slave, stderr=slave, env=env)
    os.close(slave)
    text = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(master)
    assert child.wait() == 0
    assert b"batchId" not in text
    assert b"1000 rows of 1 file" in text
    assert b"\x1b[1m" not in text


def test_several_files_run_in_turn_and_the_first_failure_counts(good):
    put(good.parent / "in", "a.json", [{"id": 1}])
    other = good.parent / "q.yaml"
    other.write_text(GOOD.replace("./table", "./table2").replace("./ckpt", "./ckpt2"))
    weir.run("run", good, other).check().says("p: 1 row", "q: 1 row")
    same = good.parent / "same.yaml"
    same.write_text(GOOD)
    weir.run("run", good, same).check(2).says("one checkpointLocation")
    same.write_text(GOOD.replace("./ckpt", "file://%s/ckpt/" % good.parent))
    weir.run("run", good, same).check(2).says("one checkpointLocation")
    endless = good.parent / "endless.yaml"
    endless.write_text(GOOD.replace("trigger: {availableNow: true}\n", "").replace("./ckpt", "./ckpt3"))
    weir.run("run", endless, good).check(2).says("never ends", "--available-now")
    assert not (good.parent / "ckpt3").exists()


def test_a_slip_in_the_last_file_keeps_the_first_from_running(good):
    put(good.parent / "in", "a.json", [{"id": 1}])
    bad = good.parent / "bad.yaml"
    bad.write_text("x: 1\n")
    weir.run("run", good, bad).check(2)
    assert not (good.parent / "ckpt").exists()


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_an_endless_run_cleanly(good, number, status):
    good.write_text(GOOD.replace("trigger: {availableNow: true}\n", ""))
    put(good.parent / "in", "a.json", [{"id": 1}])
    process = weir.Process(["run", good])
    end = time.monotonic() + 30
    while not (good.parent / "ckpt" / "commits" / "0").exists() and time.monotonic() < end:
        time.sleep(0.02)
    process.signal(number)
    run = process.wait(20)
    run.check(status)
    assert run.rows == 1
    weir.run("run", "--available-now", good).check().says("nothing new")
    assert deltars.column(str(good.parent / "table"), "id") == [1]


def test_a_second_run_of_a_pipeline_is_refused_or_skipped(good):
    good.write_text(GOOD.replace("trigger: {availableNow: true}\n", ""))
    put(good.parent / "in", "a.json", [{"id": 1}])
    first = weir.Process(["run", good])
    end = time.monotonic() + 30
    while not (good.parent / "ckpt" / "commits" / "0").exists() and time.monotonic() < end:
        time.sleep(0.02)
    try:
        weir.run("run", good).check(4)
        weir.run("run", "--available-now", "--if-running", "skip", good).check()
        text = weir.run("status", good).check().out
        assert re.search(r"^  running +(?!no$)", text, re.M)
    finally:
        first.signal(signal.SIGTERM)
        first.wait(20)


def test_status_before_and_after_a_run(good):
    put(good.parent / "in", "a.json", [{"id": 1}, {"id": 2}])
    before = json.loads(weir.run("status", "--format", "json", good).check().out)
    assert (before["name"], before["id"], before["committedBatch"], before["filesWaiting"]) == ("p", None, None, 1)
    assert not (good.parent / "ckpt").exists()
    weir.run("run", good).check()
    after = json.loads(weir.run("status", "--format", "json", good).check().out)
    assert after["committedBatch"] == 0 and after["filesWaiting"] == 0
    assert after["tableVersion"] == 0 and after["tableBatch"] == 0
    text = weir.run("status", good).check().out
    assert re.search(r"^p\n  query id +%s\n  running +no\n  batch +0 of .*, committed\n" % after["id"], text)


def test_a_stop_before_the_first_batch_ends_is_not_nothing_new(good):
    put(good.parent / "in", "a.json", [{"id": 1}])
    process = weir.Process(["run", good], {"WEIR_POINT": "file-half=stop"})
    assert process.wait_stopped()
    process.signal(signal.SIGINT)
    process.signal(signal.SIGCONT)
    run = process.wait(20).check(130)
    assert "p: no batch was finished" in run.err and "nothing new" not in run.err


def test_status_shows_the_schema_version_that_a_batch_brought(good):
    good.write_text(GOOD.replace("format: json, path: ./in, schema: id BIGINT",
                                 "format: cloudFiles, path: ./in, options: {cloudFiles.format: json, "
                                 "cloudFiles.schemaLocation: ./schema}").replace("./table}", "./table, options: "
                                                                                 "{mergeSchema: true}}"))
    put(good.parent / "in", "a.json", [{"id": 1}])
    weir.run("run", good).check()
    put(good.parent / "in", "b.json", [{"id": 1, "more": 2}])
    weir.run("run", good).check().says("1 new column, ")
    assert json.loads(weir.run("status", "--format", "json", good).check().out)["schemaVersion"] == 1


def test_a_table_shows_the_bounds_of_numbers_and_where_texts_were_cut(good):
    good.write_text(GOOD.replace("id BIGINT", '"id BIGINT, d DECIMAL(9,2), long DECIMAL(38,2), x DOUBLE, s STRING"'))
    put(good.parent / "in", "a.json", [{"id": 1, "d": 10.5, "long": 1, "x": 2, "s": "a" * 40},
                                       {"id": 2, "d": -0.25, "long": 2, "x": 2.5, "s": "b" * 40}])
    weir.run("run", good).check()
    out = weir.run("table", "show", good.parent / "table").check().out
    assert re.search(r"^ +d +decimal\(9,2\) +-0\.25 +10\.50$", out, re.M)
    assert re.search(r"^ +long +decimal\(38,2\)$", out, re.M)
    assert re.search(r"^ +x +double +2\.0 +2\.5$", out, re.M)
    assert re.search(r"^ +s +string +a{32} +b{32}…$", out, re.M)
    weir.run("table", "show", good.parent).check(2).says("holds no Delta table", "_delta_log")
    weir.run("table", "show", "--version", "9", good.parent / "table").check(2).says("no version 9", "weir table history")
    weir.run("table", "history", good.parent / "nowhere").check(2).says("nowhere is not there")


def test_settings_without_effect_are_told_once(good):
    put(good.parent / "in", "a.json", [{"id": 1}])
    good.write_text(GOOD + "conf: {spark.sql.shuffle.partitions: 8}\n")
    run = weir.run("run", good).check()
    assert run.err.count("spark.sql.shuffle.partitions") == 1


def test_the_example_is_ingested_once_with_its_odd_records_kept(weir_bin, tmp_path):
    """What `make quickstart` shows."""
    source = os.path.join(TOP, "examples", "orders")
    with open(os.path.join(source, "orders.yaml"), encoding="utf-8") as f:
        text = f.read()
    work = tmp_path / "examples" / "orders"
    (work / "landing").mkdir(parents=True)
    (work / "orders.yaml").write_text(text)
    for name in sorted(os.listdir(os.path.join(source, "landing"))):
        with open(os.path.join(source, "landing", name), "rb") as f:
            (work / "landing" / name).write_bytes(f.read())
        os.utime(work / "landing" / name, (time.time() - 60,) * 2)
    run = weir.run("run", work / "orders.yaml").check()
    assert run.rows == 180 and len(run.batches) == 2
    table = str(tmp_path / "quickstart" / "tables" / "orders")
    ids = deltars.column_values(table, "order_id")
    assert len(ids) == 180 and ids.count(None) == 2
    rescued = [json.loads(t) for t in deltars.column_values(table, "_rescued_data") if t is not None]
    assert sorted(sorted(set(r) - {"_file_path"}) for r in rescued) == [["_corrupt_record"], ["order_id"]]
    weir.run("run", work / "orders.yaml").check().says("nothing new")
