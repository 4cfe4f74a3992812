"""Broken files, disks, checkpoints and tables.

Each case must end in a message that names the object and says what to do, with the exit status of its kind; nothing
may be lost or half written; and when the cause is gone the next run must finish with each row once.
"""
import gzip
import json
import os
import shutil
import signal
import subprocess

import pytest

import weir
from peers import deltars

GROUPS = [[1, 2, 3], [4, 5], [6], [7, 8]]
IDS = [i for group in GROUPS for i in group]
LIMIT = 64 << 20
FAILED, USAGE, BAD_DATA = 1, 2, 3


def lines(ids):
    return "".join('{"id":%d,"name":"n%d"}\n' % (i, i) for i in ids).encode()


def assert_prefix(p, groups=GROUPS):
    """The table holds whole batches only: the first k of them, for some k."""
    got = deltars.column(p.table, "id") if os.path.isdir(os.path.join(p.table, "_delta_log")) else []
    whole = [sorted(i for group in groups[:k] for i in group) for k in range(len(groups) + 1)]
    assert got in whole, "half a batch: %s" % got


# --- input files -------------------------------------------------------------------------------------------------------
@pytest.fixture
def four(pipeline):
    p = pipeline()
    p.put_ids(*GROUPS)
    return p


def swapped(p, point, change):
    """A run that is stopped at the point, while `change` does something behind its back."""
    process = p.start(point=point + "=stop")
    assert process.wait_stopped(), process.wait()
    change()
    process.signal(signal.SIGCONT)
    return process.wait()


def test_a_file_deleted_between_listing_and_reading_is_named(four):
    victim = os.path.join(four.src, "part-00002.json")
    away = os.path.join(four.dir, "kept")
    ended = swapped(four, "offsets@3", lambda: os.rename(victim, away))
    ended.check(FAILED).says("part-00002.json", "ignoreMissingFiles")
    assert_prefix(four)
    four.run().check(FAILED).says("part-00002.json")
    os.rename(away, victim)
    four.assert_exactly_once(IDS, run=four.run().check())


def test_a_missing_file_is_passed_over_when_the_user_says_so(pipeline):
    p = pipeline(options={"ignoreMissingFiles": True})
    p.put_ids(*GROUPS)
    ended = swapped(p, "offsets@3", lambda: os.remove(os.path.join(p.src, "part-00002.json")))
    ended.check()
    p.assert_exactly_once([i for i in IDS if i != 6], run=ended)


def test_a_directory_in_place_of_a_file_is_named(four):
    victim = os.path.join(four.src, "part-00001.json")

    def change():
        os.remove(victim)
        os.mkdir(victim)
    swapped(four, "offsets@2", change).check(FAILED).says("part-00001.json")
    assert_prefix(four)
    os.rmdir(victim)
    with open(victim, "wb") as f:
        f.write(lines(GROUPS[1]))
    four.assert_exactly_once(IDS, run=four.run().check())


def test_a_file_without_read_right_is_named(four):
    victim = os.path.join(four.src, "part-00001.json")
    os.chmod(victim, 0)
    four.run(before=weir.drop_rights).check(FAILED).says("part-00001.json", "permission denied")
    assert_prefix(four)
    os.chmod(victim, 0o644)
    four.assert_exactly_once(IDS, run=four.run(before=weir.drop_rights).check())


@pytest.mark.parametrize("damage", ["cut", "flipped", "not gzip", "trailing garbage"])
def test_a_damaged_gzip_file_stops_the_batch_and_is_named(pipeline, damage):
    p = pipeline()
    p.put_ids([1, 2])
    want = list(range(100, 3000))
    good = gzip.compress(lines(want))
    bad = {"cut": good[:len(good) // 2], "flipped": good[:-8] + bytes([good[-8] ^ 1]) + good[-7:],
           "not gzip": b"\x1f\x8b" + lines([1]), "trailing garbage": good + b"rubbish"}[damage]
    victim = p.put(None, name="part-00001.json.gz", raw=bad)
    ended = p.run()
    if damage == "trailing garbage" and ended.status == 0:  # gzip itself passes over it
        p.assert_exactly_once([1, 2] + want, run=ended)
        return
    assert ended.status in (FAILED, BAD_DATA), ended
    ended.says("part-00001.json.gz")
    weir.assert_same([1, 2], deltars.column(p.table, "id"))
    with open(victim, "wb") as f:
        f.write(good)
    p.assert_exactly_once([1, 2] + want, run=p.run().check())


@pytest.mark.parametrize("shape", ["no newline at all", "one long string", "one long string, gzip"])
def test_a_line_of_200_mb_does_not_break_the_memory_limit(pipeline, shape):
    p = pipeline()
    p.put_ids([1])
    if shape == "no newline at all":
        victim = p.put(None, raw=b"")
        os.truncate(victim, 200 << 20)  # sparse: 200 MB of NUL
        os.utime(victim, (weir.T0 + 1, weir.T0 + 1))
    elif shape == "one long string":
        victim = p.put(None, raw=b'{"id":2,"name":"' + b"a" * (200 << 20) + b'"}\n')
    else:
        text = gzip.compress(b'{"id":2,"name":"' + b"a" * (200 << 20) + b'"}\n', 1)
        victim = p.put(None, name="part-00001.json.gz", raw=text)
    ended = p.run()
    assert ended.status in (FAILED, BAD_DATA), ended
    ended.says(os.path.basename(victim), "weir.maxRecordBytes")
    assert ended.peak <= LIMIT, "peak %d MB" % (ended.peak >> 20)
    weir.assert_same([1], deltars.column(p.table, "id"))
    with open(victim, "wb") as f:
        f.write(gzip.compress(lines([2])) if victim.endswith(".gz") else lines([2]))
    p.assert_exactly_once([1, 2], run=p.run().check())


@pytest.mark.parametrize("depth", [10_000, 1_000_000])
@pytest.mark.parametrize("opening, closing", [("[", "]"), ('{"a":', "}")], ids=["arrays", "objects"])
def test_deep_nesting_is_a_bad_record_and_no_crash(pipeline, depth, opening, closing):
    p = pipeline()
    middle = opening * depth + "1" + closing * depth if opening != "[" else opening * depth + closing * depth
    p.put(None, raw=lines([1]) + ('{"id":5,"name":%s}\n' % middle).encode() + lines([2]))
    ended = p.run().check()
    got = deltars.column_values(p.table, "id")
    assert len(got) == 3 and {1, 2} <= set(got), "%s\n%s" % (got, ended)
    assert ended.peak <= LIMIT


def test_files_without_rows_make_batches_without_rows(pipeline):
    p = pipeline()
    for raw in (b"", b"\n", b"\n\r\n  \n", b"\xef\xbb\xbf", b"\xef\xbb\xbf" + lines([1]), lines([2])[:-1]):
        p.put(None, raw=raw)
    p.assert_exactly_once([1, 2], run=p.run().check())
    assert len(p.log_ids("commits")) == 6


def test_records_that_do_not_parse_are_counted_and_lose_no_neighbour(pipeline):
    p = pipeline(schema="id BIGINT, name STRING, _corrupt_record STRING")
    bad = [b"{", b'{"id":}', b"nul", b'{"id":1,"name":"\xff\xfe"}', b'{"id":1', b"\x00\x01", b'"text"', b"7"]
    p.put(None, raw=lines([1]) + b"\n".join(bad) + b"\n" + lines([2]))
    ended = p.run().check()
    got = deltars.column_values(p.table, "id")
    assert sorted(i for i in got if i is not None) == [1, 2], "%s\n%s" % (got, ended)
    assert len(got) == 2 + len(bad)
    assert len([t for t in deltars.column_values(p.table, "_corrupt_record") if t is not None]) == len(bad)


# --- disks and rights --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("what", ["table", "ckpt"])
def test_a_folder_without_write_right_is_named(four, what):
    folder = getattr(four, what)
    os.makedirs(folder)
    os.chmod(folder, 0o555)
    ended = four.run(before=weir.drop_rights)
    assert ended.status in (FAILED, USAGE), ended
    ended.says(folder, "permission denied")
    os.chmod(folder, 0o755)
    four.assert_exactly_once(IDS, run=four.run(before=weir.drop_rights).check())


def test_a_file_size_limit_ends_the_run_with_a_message(pipeline):
    p = pipeline()
    p.put_ids(range(3))
    p.put([{"id": i, "name": os.urandom(40).hex()} for i in range(3, 5000)])
    ended = p.run(before=weir.limit_file_size(100_000))
    ended.check(FAILED).says("file too large")
    weir.assert_same(range(3), deltars.column(p.table, "id"))
    p.assert_exactly_once(range(5000), run=p.run().check())


@pytest.fixture
def small_disk(tmp_path):
    """A mounted tmpfs: resize(kilobytes) changes its size; its path is .path."""
    path = str(tmp_path / "disk")
    os.mkdir(path)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "weir-test", path], capture_output=True).returncode:
        pytest.skip("no right to mount a small tmpfs")

    class Disk:
        def resize(self, kilobytes):
            subprocess.check_call(["mount", "-o", "remount,size=%dk" % kilobytes, path])
    disk = Disk()
    disk.path = path
    yield disk
    subprocess.check_call(["umount", "-l", path])


def test_a_full_disk_ends_the_run_and_more_room_mends_it(pipeline, small_disk):
    """The disk holds checkpoint and table; the smaller it is, the earlier in a batch the room is out."""
    out_of_room = 0
    for kilobytes in list(range(4, 100, 8)) + [200, 400]:
        p = pipeline(os.path.join(small_disk.path, "p"))
        small_disk.resize(16_384)
        for n in range(4):
            p.put([{"id": n * 500 + i, "name": os.urandom(30).hex()} for i in range(500)])
        used = sum(-(-os.path.getsize(os.path.join(d, f)) // 4096) * 4 for d, _, fs in os.walk(p.dir) for f in fs)
        small_disk.resize(used + 24 + kilobytes)
        first = p.run()
        if first.status:
            out_of_room += 1
            first.check(FAILED).says("no space left")
        small_disk.resize(16_384)
        p.assert_exactly_once(range(2000), run=p.run().check())
        shutil.rmtree(p.dir)
    assert out_of_room >= 5


# --- the pipeline file -------------------------------------------------------------------------------------------------
BROKEN_PIPELINES = {
    "not YAML": ("{ name: [", []),
    "empty": ("", []),
    "a list": ("- 1\n- 2\n", []),
    "unknown key": (lambda s: {**s, "sorce": 1}, ["sorce", "source"]),
    "unknown option": (lambda s: s["source"]["options"].update(maxFilePerTrigger=1), ["maxFilePerTrigger",
                                                                                     "maxFilesPerTrigger"]),
    "unknown format": (lambda s: s["source"].update(format="jsonl"), ["jsonl"]),
    "no source": (lambda s: s.pop("source"), ["source"]),
    "no path": (lambda s: s["source"].pop("path"), ["path"]),
    "no checkpoint": (lambda s: s.pop("checkpointLocation"), ["checkpointLocation"]),
    "bad schema": (lambda s: s["source"].update(schema="id BIGINTT"), ["BIGINTT"]),
    "bad number": (lambda s: s["source"]["options"].update(maxFilesPerTrigger="many"), ["maxFilesPerTrigger", "many"]),
    "bad trigger": (lambda s: s.update(trigger={"processingTime": "soon"}), ["soon"]),
    "checkpoint in the source": (lambda s: s.update(checkpointLocation=s["source"]["path"] + "/ckpt"),
                                 ["checkpointLocation"]),
}


@pytest.mark.parametrize("case", BROKEN_PIPELINES)
def test_a_broken_pipeline_file_is_refused_before_anything_is_written(four, case):
    how, words = BROKEN_PIPELINES[case]
    if isinstance(how, str):
        with open(four.file, "w") as f:
            f.write(how)
    else:
        spec = json.loads(json.dumps(four.spec))
        changed = how(spec)
        with open(four.file, "w") as f:
            json.dump(changed if case == "unknown key" else spec, f, indent=1)
    four.run().check(USAGE).says("pipeline.yaml", *words)
    assert not os.path.exists(four.table)
    left = [os.path.join(folder, name) for folder, _, names in os.walk(four.ckpt) for name in names]
    assert left in ([], [os.path.join(four.ckpt, "_weir", "lock")])  # it was locked while the options were looked at
    four.write()
    four.assert_exactly_once(IDS, run=four.run().check())


def test_a_pipeline_file_that_is_missing_is_named(weir_bin, tmp_path):
    weir.run("run", tmp_path / "nowhere.yaml").check(USAGE).says("nowhere.yaml")


def test_a_source_folder_that_is_missing_is_named(four):
    os.rename(four.src, four.src + ".away")
    ended = four.run()
    assert ended.status in (FAILED, USAGE), ended
    ended.says(four.src)
    os.rename(four.src + ".away", four.src)
    four.assert_exactly_once(IDS, run=four.run().check())


# --- the checkpoint ----------------------------------------------------------------------------------------------------
CHECKPOINT_FILES = ["metadata"] + ["%s/%d" % (log, n) for log in ("offsets", "commits", "sources/0") for n in (0, 2, 3)]
DAMAGES = {
    "missing": lambda text: None,
    "empty": lambda text: b"",
    "half": lambda text: text[:len(text) // 2],
    "garbage": lambda text: os.urandom(len(text)),
    "zeros": lambda text: bytes(len(text)),
    "other version": lambda text: text.replace(b"v1", b"v9"),
    "more": lambda text: text + b"\n{\"path\":",
}


@pytest.mark.parametrize("name, damage", [(name, damage) for name in CHECKPOINT_FILES for damage in DAMAGES
                                          if (name, damage) != ("metadata", "other version")])  # it has no version
def test_a_damaged_checkpoint_file_is_named_or_harmless(four, name, damage):
    four.run().check()
    path = os.path.join(four.ckpt, name)
    with open(path, "rb") as f:
        text = f.read()
    bad = DAMAGES[damage](text)
    assert bad != text
    if bad is None:
        os.remove(path)
    else:
        with open(path, "wb") as f:
            f.write(bad)
    four.put_ids([9])
    ended = four.run()
    if ended.status:
        assert ended.status in (FAILED, USAGE), ended
        ended.says(os.path.join(four.ckpt, name) if damage != "missing" else four.ckpt)
        weir.assert_same(IDS, deltars.column(four.table, "id"), "\n%s" % ended)
        with open(path, "wb") as f:
            f.write(text)
        ended = four.run().check()
    weir.assert_same(IDS + [9], deltars.column(four.table, "id"), "\n%s" % ended)
    if damage == "missing" and os.path.exists(path) is False:
        return  # an old mark that nobody needs any more
    assert four.run().check().rows == 0


# --- the table ---------------------------------------------------------------------------------------------------------
def damage_log(table, kind):
    log = os.path.join(table, "_delta_log")

    def name(version):
        return os.path.join(log, "%020d.json" % version)

    def rewrite(version, change):
        with open(name(version), "rb") as f:
            text = f.read()
        with open(name(version), "wb") as f:
            f.write(change(text))
    if kind == "hole":
        os.remove(name(2))
    elif kind == "no first version":
        os.remove(name(0))
    elif kind == "garbage line":
        rewrite(3, lambda text: b"{not json}\n" + text)
    elif kind == "cut":
        rewrite(3, lambda text: text[:len(text) // 2])
    elif kind == "empty":
        rewrite(3, lambda text: b"")
    elif kind == "no protocol":
        rewrite(0, lambda text: b"".join(t for t in text.splitlines(True) if b'"protocol"' not in t))
    elif kind == "no metaData":
        rewrite(0, lambda text: b"".join(t for t in text.splitlines(True) if b'"metaData"' not in t))
    elif kind == "future protocol":
        rewrite(0, lambda text: text.replace(b'"minWriterVersion":2', b'"minWriterVersion":99'))
    elif kind == "bad schema":
        rewrite(0, lambda text: text.replace(b"\\\"long\\\"", b"\\\"lung\\\""))
    return sorted(os.listdir(log))


@pytest.mark.parametrize("kind", ["hole", "no first version", "garbage line", "cut", "empty", "no protocol",
                                  "no metaData", "future protocol", "bad schema"])
def test_a_corrupt_table_log_stops_the_run_and_is_left_alone(four, kind):
    four.run().check()
    kept = four.table + ".kept"
    shutil.copytree(four.table, kept)
    before = damage_log(four.table, kind)
    four.put_ids([9])
    ended = four.run()
    assert ended.status in (FAILED, USAGE), ended
    ended.says("table")
    after = sorted(os.listdir(os.path.join(four.table, "_delta_log")))
    assert after == before, "the run wrote into a broken log: %s" % (set(after) ^ set(before))
    shutil.rmtree(four.table)
    os.rename(kept, four.table)
    four.assert_exactly_once(IDS + [9], run=four.run().check())


def test_odd_keys_do_not_stop_a_stream_that_rescues(pipeline):
    """Doubled keys, keys that differ in case, names that no column can have, and more keys than a batch may add."""
    p = pipeline(format="cloudFiles", schema=None, sink_options={"mergeSchema": True})
    p.spec["source"]["options"] = {"cloudFiles.format": "json", "cloudFiles.schemaLocation": p.state,
                                   "cloudFiles.maxFilesPerTrigger": 1}
    p.write()
    p.put([{"id": 0}])
    p.run().check()
    p.put(None, raw=b'{"id":1,"n":1,"N":2,"d":3,"d":4,"l":[{"a b":1,"c":2}],"m":{"q":[{"p=":1}]}}\n')
    p.put([{"id": 2, **{"k%d" % i: i for i in range(500)}}])
    p.run().check()
    assert sorted(n for n in os.listdir(os.path.join(p.state, "_schemas")) if n.isdigit()) == ["0", "1", "2"]
    rows = {r["id"]: r for r in deltars.DeltaTable(p.table).to_pyarrow_table().to_pylist()}
    assert (rows["1"]["n"], rows["1"]["d"], rows["1"]["l"]) == ("1", "4", [{"c": "2"}])
    rescued = json.loads(rows["1"]["_rescued_data"])
    assert (rescued["N"], rescued["d"], rescued["l"]) == (2, 3, [{"a b": 1, "c": 2}])
    assert len(rows["2"]) == len(rows["1"]) == 205  # id, d, l, n, 200 of the 500, _rescued_data
    assert len(json.loads(rows["2"]["_rescued_data"])) == 300 + 1
