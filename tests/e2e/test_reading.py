"""From the bytes of a file to its rows: framings, compressions, encodings, sizes, and files that change meanwhile.

Each test writes files, runs weir and compares what delta-rs reads in the table with what went in, row for row.
"""
import bz2
import gzip
import json
import os
import random
import shutil
import signal
import subprocess

import pytest

import weir
from peers import deltars

FAILED, USAGE, BAD_DATA = 1, 2, 3
LIMIT = 64 << 20


def records(ids, **more):
    return [{"id": i, "name": "n%d é%s" % (i, "€" * (i % 3)), **more} for i in ids]


def lines(rows, end="\n"):
    return "".join(json.dumps(r, ensure_ascii=False) + end for r in rows)


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout


PACK = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".zst": zstd}


def assert_rows(p, want, run=None):
    """The table holds these {id, name} records, each as often as `want` does, and the checkpoint is whole."""
    p.assert_exactly_once([r["id"] for r in want], run=run)
    got = deltars.arrow(deltars.DeltaTable(p.table)).to_pylist()
    key = lambda r: (r["id"], r["name"])
    assert sorted(got, key=key) == sorted(({"id": r["id"], "name": r["name"]} for r in want), key=key)


# --- where records begin and end ---------------------------------------------------------------------------------------
def array(rows):
    return "[" + ",\n".join(json.dumps(r, ensure_ascii=False, indent=1) for r in rows) + "]"


A, B = records(range(5)), records(range(5, 9))
FRAMES = {
    "lines": (lines(A + B), {}),
    "no newline at the end": (lines(A + B)[:-1], {}),
    "CRLF": (lines(A + B, "\r\n"), {}),
    "CR": (lines(A + B, "\r"), {}),
    "blank lines": ("\n\n  \n" + lines(A, "\n\n \t \r\n") + lines(B), {}),
    "byte order mark": ("\ufeff" + lines(A + B), {}),
    "an array in a line": (json.dumps(A) + "\n" + lines(B), {}),
    "lineSep": (lines(A + B, "|~|"), {"lineSep": "|~|"}),
    "lineSep, none at the end": (lines(A + B, "|~|")[:-3], {"lineSep": "|~|"}),
    "lineSep of one LF keeps CR out of the way": (lines(A + B, "\r\n"), {"lineSep": "\n"}),
    "multiLine objects": ("".join(json.dumps(r, indent=2) + "\n" for r in A + B), {"multiLine": True}),
    "multiLine array": (array(A + B), {"multiLine": True}),
    "multiLine, mark and array": ("\ufeff" + array(A + B), {"multiLine": True}),
    "multiLine, two arrays": (array(A) + "\n" + array(B), {"multiLine": True}),
}


@pytest.mark.parametrize("frame", FRAMES)
def test_records_are_found_in(pipeline, frame):
    text, options = FRAMES[frame]
    p = pipeline(options=options)
    p.put(None, raw=text.encode())
    p.put(None, raw=b"")
    assert_rows(p, A + B, p.run().check())


@pytest.mark.parametrize("end", PACK)
def test_compressed_files_and_their_members_are_one_stream(pipeline, end):
    pack = PACK[end]
    p = pipeline()
    p.put(None, name="one.json" + end, raw=pack(lines(A).encode()))
    # the border of the members lies within a record
    text = lines(B).encode()
    p.put(None, name="two.json" + end, raw=pack(text[:17]) + pack(text[17:]) + pack(b""))
    p.put(None, name="empty.json" + end, raw=pack(b""))
    p.put(None, name="nothing.json" + end, raw=b"")
    assert_rows(p, A + B, p.run().check())


ENCODINGS = ["UTF-16LE", "UTF-16BE", "UTF-16", "UTF-32LE", "UTF-32BE", "UTF-32", "ISO-8859-1", "windows-1252", "utf8"]


@pytest.mark.parametrize("end", PACK)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_encodings(pipeline, encoding, end, option="encoding"):
    narrow = encoding in ("ISO-8859-1", "windows-1252")
    rows = [{"id": i, "name": ("é ü %d" if narrow else "é € 😀 \u0905 %d") % i} for i in range(300)]
    p = pipeline(options={option: encoding})
    java = {"UTF-16": "UTF-16BE", "UTF-32": "UTF-32BE"}.get(encoding, encoding)  # Java's byte order without a mark
    p.put(None, name="a.json" + end, raw=PACK[end](lines(rows[:100]).encode(java)))
    marked = lines(rows[100:200])
    if not narrow and encoding != "utf8":
        marked = "\ufeff" + marked
    p.put(None, name="b.json" + end, raw=PACK[end](marked.encode(java)))
    little = {"UTF-16": "UTF-16LE", "UTF-32": "UTF-32LE"}.get(encoding)
    last = lines(rows[200:])
    p.put(None, name="c.json" + end, raw=PACK[end](("\ufeff" + last).encode(little) if little else last.encode(java)))
    assert_rows(p, rows, p.run().check())


def test_charset_is_another_name_of_encoding(pipeline):
    test_encodings(pipeline, "UTF-16LE", "", "charset")


def test_a_large_file_in_utf_16_is_cut_in_blocks(pipeline):
    rows = [{"id": i, "name": "€अ" * 50 + str(i)} for i in range(30_000)]
    p = pipeline(options={"encoding": "UTF-16LE"})
    p.put(None, raw=lines(rows).encode("utf-16-le"))
    p.put(None, name="x.json.gz", raw=gzip.compress(lines(records(range(30_000, 30_010))).encode("utf-16-le")))
    assert_rows(p, rows + records(range(30_000, 30_010)), p.run(timeout=120).check())


def test_bytes_that_are_no_text_in_the_encoding_become_replacement_characters(pipeline):
    p = pipeline(options={"encoding": "UTF-16LE"})
    text = '{"id":1,"name":"a@b"}\n'.encode("utf-16-le").replace(b"@\0", b"\x00\xd8")
    p.put(None, raw=text)
    p.run().check()
    assert deltars.column(p.table, "name") == ["a\ufffdb"]


def test_an_unknown_encoding_is_refused_before_anything_is_written(pipeline):
    p = pipeline(options={"encoding": "UTF-17"})
    p.put_ids([1])
    p.run().check(USAGE).says("UTF-17", "iconv")
    assert not os.path.exists(p.table) and p.log_ids("offsets") == []


# --- sizes -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("end", ["", ".gz"])
@pytest.mark.parametrize("multi", [False, True], ids=["lines", "multiLine"])
def test_a_record_larger_than_a_block(pipeline, end, multi):
    rows = records(range(3)) + [{"id": 3, "name": "x" * (3 << 20)}] + records(range(4, 6)) + \
        [{"id": 6, "name": "é" * (3 << 19)}]
    p = pipeline(options={"multiLine": multi})
    p.put(None, name="a.json" + end, raw=PACK[end]((array(rows) if multi else lines(rows)).encode()))
    ended = p.run().check()
    assert_rows(p, rows, ended)
    assert ended.peak <= LIMIT


def test_a_record_over_the_limit_names_file_and_byte(pipeline):
    front = lines(records(range(3))).encode()
    p = pipeline(conf={"weir.maxRecordBytes": "2m"})
    good = lines([{"id": 9, "name": "y" * (2_000_000)}]).encode()
    p.put(None, raw=good)
    p.put(None, name="late.json", raw=front + lines([{"id": 7, "name": "x" * (5 << 20)}]).encode())
    ended = p.run().check(BAD_DATA)
    ended.says("late.json", "byte %d " % len(front), "weir.maxRecordBytes")
    assert deltars.column(p.table, "id") == [9]
    p.change(conf={"weir.maxRecordBytes": "8m"}).run().check()
    assert deltars.column(p.table, "id") == [0, 1, 2, 7, 9]


def big_file(path, size, front="", end="\n", last="\n"):
    """Records with their number as id up to about `size` bytes; how many there are."""
    pad, n, written = "p" * 150, 0, 0
    with open(path, "w") as f:
        f.write(front)
        while written < size:
            chunk = end.join('{"id": %d, "name": "%s"}' % (i, pad[i % 70:]) for i in range(n, n + 5000))
            f.write((end if n else "") + chunk)
            written += len(chunk)
            n += 5000
        f.write(last)
    os.utime(path, (weir.T0, weir.T0))
    return n


def assert_numbers(p, n, run):
    """The ids 0 .. n - 1, each once, and each with the name that was written for it."""
    pad = "p" * 150
    got = deltars.arrow(deltars.DeltaTable(p.table))
    assert got.num_rows == n, run
    seen = dict(zip(got.column("id").to_pylist(), got.column("name").to_pylist()))
    assert len(seen) == n and min(seen) == 0 and max(seen) == n - 1
    assert all(name == pad[i % 70:] for i, name in seen.items())


@pytest.mark.parametrize("end", [".lz4", ".snappy", ".deflate", ".XZ", ".zip", ".tgz"])
def test_a_compression_that_is_not_read_is_no_text(pipeline, end):
    """Taken for text such a file would be a few corrupt rows, and count as read."""
    p = pipeline(schema="id BIGINT, name STRING, _corrupt_record STRING")
    p.put_ids([1])
    p.put(None, name="other.json" + end, raw=b"\x28\xb5\x2f\xfd\n\xff")
    p.run().check(2).says(end.lower(), "pathGlobFilter")
    assert deltars.column(p.table, "id") == [1]
    assert len(p.source_log()) == 1, "the file is not taken"
    p = p.change(source={"options": {"pathGlobFilter": "*.json"}})
    p.put_ids([2])
    p.assert_exactly_once([1, 2], run=p.run().check())


def test_the_case_of_an_ending_does_not_matter(pipeline):
    p = pipeline()
    p.put(None, name="A.JSON.GZ", raw=gzip.compress(b'{"id":1}\n'))
    p.assert_exactly_once([1], run=p.run().check())


@pytest.mark.parametrize("end", ["", ".zst"])
def test_one_array_of_60_mb_is_read_by_several_lanes(pipeline, end):
    p = pipeline(options={"multiLine": True}, conf={"weir.threads": 2})
    path = os.path.join(p.src, "big.json")
    n = big_file(path, 60 << 20, "[", ",\n", "]")
    if end:
        subprocess.check_call(["zstd", "-q", "--rm", path])
        os.utime(path + end, (weir.T0, weir.T0))
    ended = p.run().check()
    assert_numbers(p, n, ended)
    assert ended.peak <= LIMIT, "peak %d MB" % (ended.peak >> 20)
    # a lane writes files of its own: two have been at work
    adds = [a["add"]["path"] for actions in deltars.commits(p.table).values() for a in actions if "add" in a]
    assert len(adds) >= 2, adds


@pytest.mark.slow
def test_a_file_of_200_mb_is_read_by_two_lanes(pipeline):
    p = pipeline(conf={"weir.threads": 2})
    n = big_file(os.path.join(p.src, "big.json"), 200 << 20)
    ended = p.run().check()
    assert_numbers(p, n, ended)
    assert ended.peak <= LIMIT, "peak %d MB" % (ended.peak >> 20)
    adds = [a["add"]["path"] for actions in deltars.commits(p.table).values() for a in actions if "add" in a]
    assert len(adds) >= 2, adds


def test_many_small_files_in_one_batch(pipeline):
    p = pipeline(options={"maxFilesPerTrigger": 1000})
    for i in range(600):
        p.put(records([i]))
    ended = p.run().check()
    assert_rows(p, records(range(600)), ended)
    assert len(ended.batches) == 1 and ended.batches[0]["weir"]["inputFiles"] == 600


# --- files that are damaged, gone, or change ---------------------------------------------------------------------------
def damaged_gzip(rows):
    """Members of half a record each, then one that is cut off: what stands in front of it can be read."""
    text = lines(rows).encode()
    half = len(text) // 2
    return gzip.compress(text[:half]) + gzip.compress(text[half:])[:-12], text[:half]


def test_the_rest_of_a_damaged_file_is_passed_over_when_the_user_says_so(pipeline):
    rnd = random.Random(7)
    rows = [{"id": i, "name": "%032x" % rnd.getrandbits(128)} for i in range(2000)]
    raw, readable = damaged_gzip(rows)
    p = pipeline(options={"ignoreCorruptFiles": True, "maxFilesPerTrigger": 10},
                 schema="id BIGINT, name STRING, _corrupt_record STRING")
    p.put(None, name="bad.json.gz", raw=raw)
    p.put(records([5000]))
    ended = p.run().check()
    got = deltars.arrow(deltars.DeltaTable(p.table)).to_pylist()
    ids = sorted(r["id"] for r in got if r["id"] is not None)
    # whole records up to the damage, no half one, no neighbour lost
    assert ids[-1] == 5000 and ids[:-1] == list(range(len(ids) - 1))
    assert len(ids) - 1 >= readable.count(b"\n")
    assert [r for r in got if r["_corrupt_record"] is not None] == []
    assert {r["id"]: r["name"] for r in got if r["id"] < 5000} == {r["id"]: r["name"] for r in rows[:len(ids) - 1]}
    assert ended.batches[0]["weir"]["numSkippedCorruptFiles"] == 1
    ended.says("bad.json.gz", "ignoreCorruptFiles")


def test_without_the_option_a_damaged_file_stops_the_batch(pipeline):
    p = pipeline()
    p.put(None, name="bad.json.gz", raw=damaged_gzip(A)[0])
    p.run().check(FAILED).says("bad.json.gz")
    assert not os.path.isdir(p.table) or deltars.column(p.table, "id") == []


def test_a_missing_file_is_counted(pipeline):
    p = pipeline(options={"ignoreMissingFiles": True, "maxFilesPerTrigger": 10})
    p.put_ids([1], [2], [3])
    process = p.start(point="offsets=stop")
    assert process.wait_stopped(), process.wait()
    os.remove(os.path.join(p.src, "part-00001.json"))
    process.signal(signal.SIGCONT)
    ended = process.wait().check()
    assert ended.batches[0]["weir"]["numSkippedMissingFiles"] == 1
    assert ended.batches[0]["weir"]["inputFiles"] == 2
    p.assert_exactly_once([1, 3], run=ended)


def slow_reading(p, change):
    """Runs p's only file, a long one; calls change(path) while its bytes are being read. How many records it has."""
    path, n = os.path.join(p.src, "long.json"), 30_000
    rnd = random.Random(5)
    with open(path, "w") as f:
        f.writelines('{"id": %d, "name": "%0500x"}\n' % (i, rnd.getrandbits(2000)) for i in range(n))
    os.utime(path, (weir.T0, weir.T0))
    process = p.start(point="file-half=stop")  # a first row group is written: the rest of the file is not read yet
    assert process.wait_stopped(), process.wait()
    change(path)
    process.signal(signal.SIGCONT)
    return n, process.wait()


def test_a_file_that_grows_while_it_is_read_stops_the_batch(pipeline):
    p = pipeline(conf={"weir.threads": 1})

    def change(path):
        with open(path, "a") as f:
            f.write('{"id": -1, "name": "late"}\n')
    n, ended = slow_reading(p, change)
    ended.check(FAILED).says("long.json", "changed while it was read")
    assert not os.path.isdir(os.path.join(p.table, "_delta_log")) or deltars.column(p.table, "id") == []
    again = p.run().check()
    assert again.rows == n + 1
    assert sorted(set(deltars.column(p.table, "id"))) == list(range(-1, n))


def test_a_file_that_is_cut_while_it_is_read_stops_the_batch(pipeline):
    p = pipeline(conf={"weir.threads": 1})
    _, ended = slow_reading(p, lambda path: os.truncate(path, 20 << 20))
    ended.check(FAILED).says("long.json", "changed while it was read")


def test_a_file_that_is_replaced_while_it_is_read_stops_the_batch(pipeline):
    p = pipeline(conf={"weir.threads": 1})

    def change(path):
        shutil.copy(path, path + ".new")
        os.rename(path + ".new", path)
    _, ended = slow_reading(p, change)
    ended.check(FAILED).says("long.json", "changed while it was read")


def test_a_file_that_is_removed_once_it_is_open_has_been_read_whole(pipeline):
    p = pipeline(conf={"weir.threads": 1})
    n, ended = slow_reading(p, os.remove)
    p.assert_exactly_once(range(n), run=ended.check())
