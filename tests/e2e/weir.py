"""Runs weir as its users do: a pipeline file, a process, what it says and what it leaves on disk.

A Pipeline owns a folder: in/ (the files to ingest), table/, ckpt/, schema/ and pipeline.yaml. JSON is YAML, so the
file is written as JSON. Nothing here asserts; `check()` of a Run raises with everything the process said.
"""
import copy
import ctypes
import glob
import gzip
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter

from peers import deltars

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
T0 = 1_735_689_600  # 2025-01-01: the mtime of the first input file, long past weir.settleTime
PATIENCE = 300      # seconds; no test waits this long unless something hangs


def binary():
    return os.environ.get("WEIR_BIN") or os.path.join(TOP, "build", "weir")


def points():
    """[(name, what a restart finds)] of points.def, in the order of a batch."""
    with open(os.path.join(TOP, "src", "base", "points.def"), encoding="utf-8") as f:
        return re.findall(r'^POINT\(\w+, "([\w-]+)", "([^"]*)"\)', f.read(), re.M)


class Run:
    """A finished process: exit status (negative: the signal), output, peak memory in bytes."""

    def __init__(self, args, status, out, err, peak=0):
        self.args, self.status, self.out, self.err, self.peak = args, status, out, err, peak

    @property
    def batches(self):
        """The progress events: one dict a batch."""
        found = []
        for line in self.out.splitlines():
            if line.startswith("{"):
                event = json.loads(line)
                if "batchId" in event:
                    found.append(event)
        return found

    @property
    def rows(self):
        return sum(b["numInputRows"] for b in self.batches)

    def check(self, status=0):
        if self.status != status:
            raise AssertionError("exit status %d, expected %d\n%s" % (self.status, status, self))
        return self

    def says(self, *words):
        """Every word (any case) stands in what was said on stderr."""
        missing = [w for w in words if w.lower() not in self.err.lower()]
        if missing:
            raise AssertionError("stderr does not say %s\n%s" % (missing, self))
        return self

    def __str__(self):
        return "$ %s\nexit %d\n--- stdout\n%s\n--- stderr\n%s" % (
            " ".join(map(str, self.args)), self.status, self.out[-3000:], self.err[-6000:])


class Process:
    """A running weir. Its output is drained by threads, so it never blocks on a full pipe."""

    started = []  # not waited for yet: end_all() ends them

    @classmethod
    def end_all(cls):
        """After a failed test: no process, stopped or running, outlives it."""
        while cls.started:
            process = cls.started.pop()
            process.popen.kill()
            process.popen.wait()

    def __init__(self, args, env=None, cwd=None, before=None):
        self.args = [binary()] + [str(a) for a in args]
        full = {k: v for k, v in os.environ.items() if not k.startswith("WEIR_POINT")}
        full.update({k: str(v) for k, v in (env or {}).items()})
        self.popen = subprocess.Popen(self.args, env=full, cwd=cwd, stdin=subprocess.DEVNULL, preexec_fn=before,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.started.append(self)
        self.text = {}
        self.drains = [threading.Thread(target=self._drain, args=pair, daemon=True)
                       for pair in (("out", self.popen.stdout), ("err", self.popen.stderr))]
        for thread in self.drains:
            thread.start()

    def _drain(self, name, pipe):
        with pipe:
            self.text[name] = pipe.read().decode("utf-8", "replace")

    @property
    def pid(self):
        return self.popen.pid

    def signal(self, number):
        os.kill(self.popen.pid, number)

    def wait_stopped(self, timeout=PATIENCE):
        """True when the process stopped itself (a fail point with `stop`); False when it ended instead."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            pid, status = os.waitpid(self.popen.pid, os.WNOHANG | os.WUNTRACED)
            if pid and os.WIFSTOPPED(status):
                return True
            if pid:
                self.popen.returncode = os.waitstatus_to_exitcode(status)
                return False
            time.sleep(0.002)
        self.signal(signal.SIGKILL)
        raise AssertionError("neither stopped nor ended in %d s: %s" % (timeout, self.args))

    def _peak(self):
        """The kernel's high-water mark of resident memory. (ru_maxrss would count this Python, from before exec.)"""
        try:
            with open("/proc/%d/status" % self.popen.pid) as f:
                return next((int(line.split()[1]) * 1024 for line in f if line.startswith("VmHWM")), 0)
        except OSError:
            return 0

    def wait(self, timeout=PATIENCE):
        end, peak, status = time.monotonic() + timeout, 0, self.popen.returncode
        while status is None:
            peak = max(peak, self._peak())
            pid, raw = os.waitpid(self.popen.pid, os.WNOHANG)
            if pid:
                status = os.waitstatus_to_exitcode(raw)
            elif time.monotonic() > end:
                self.signal(signal.SIGKILL)
                end = float("inf")
                self.text["late"] = "killed by the test after %d s\n" % timeout
            else:
                time.sleep(0.002)
        self.popen.returncode = status
        if self in self.started:
            self.started.remove(self)
        for thread in self.drains:
            thread.join()
        return Run(self.args, status, self.text["out"], self.text["err"] + self.text.get("late", ""), peak)


def run(*args, env=None, timeout=PATIENCE, cwd=None, before=None):
    return Process(args, env, cwd, before).wait(timeout)


def drop_rights():
    """For `before`: root keeps its name but obeys file modes (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH dropped)."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    for capability in (1, 2):
        if os.geteuid() == 0 and prctl(24, capability, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "PR_CAPBSET_DROP")


class Pipeline:
    """A JSON file source into a Delta table, one file a batch, unless told otherwise."""

    def __init__(self, folder, name="orders", format="json", schema="id BIGINT, name STRING", options=None,
                 sink_options=None, conf=None, **more):
        self.dir = str(folder)
        self.src, self.table, self.ckpt, self.state, self.file = (
            os.path.join(self.dir, n) for n in ("in", "table", "ckpt", "schema", "pipeline.yaml"))
        os.makedirs(self.src, exist_ok=True)
        self.spec = {
            "name": name,
            "source": {"format": format, "path": self.src, "options": {"maxFilesPerTrigger": 1, **(options or {})}},
            "sink": {"format": "delta", "path": self.table, "options": dict(sink_options or {})},
            "trigger": {"availableNow": True},
            "checkpointLocation": self.ckpt,
            "conf": {"weir.memoryLimit": "64MB", **(conf or {})},
        }
        if schema:
            self.spec["source"]["schema"] = schema
        for key, value in more.items():
            if isinstance(value, dict) and key in self.spec:
                self.spec[key].update(value)
            else:
                self.spec[key] = value
        self.put_count = 0
        self.write()

    def write(self):
        with open(self.file, "w", encoding="utf-8") as f:
            json.dump(self.spec, f, indent=1, ensure_ascii=False)

    def change(self, **more):
        """Another pipeline object on the same folder with other settings, for a later run."""
        other = copy.copy(self)
        other.spec = copy.deepcopy(self.spec)
        for key, value in more.items():
            if isinstance(value, dict):
                other.spec.setdefault(key, {}).update(value)
            else:
                other.spec[key] = value
        other.write()
        return other

    # --- input -------------------------------------------------------------------------------------------------
    def put(self, rows, name=None, raw=None, at=None):
        """One input file: rows as JSON lines, or raw bytes. Its mtime is one second after the last one's."""
        n, self.put_count = self.put_count, self.put_count + 1
        path = os.path.join(self.src, name or "part-%05d.json" % n)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        data = raw if raw is not None else "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows).encode()
        if raw is None and path.endswith(".gz"):
            data = gzip.compress(data)
        hidden = os.path.join(os.path.dirname(path), "." + os.path.basename(path) + ".new")
        with open(hidden, "wb") as f:
            f.write(data)
        at = T0 + n if at is None else at
        os.utime(hidden, (at, at))
        os.rename(hidden, path)
        return path

    def put_ids(self, *groups):
        """One file a group of ids."""
        return [self.put([{"id": i, "name": "n%d" % i} for i in group]) for group in groups]

    # --- running -----------------------------------------------------------------------------------------------
    def start(self, point=None, args=(), env=None, before=None):
        extra = {"WEIR_POINT": point} if point else {}
        return Process(["run", self.file, *args], {**extra, **(env or {})}, before=before)

    def run(self, point=None, args=(), env=None, timeout=PATIENCE, before=None):
        return self.start(point, args, env, before).wait(timeout)

    # --- the checkpoint ----------------------------------------------------------------------------------------
    @property
    def query_id(self):
        with open(os.path.join(self.ckpt, "metadata"), encoding="utf-8") as f:
            return json.load(f)["id"]

    def log_ids(self, log):
        """The batch ids of offsets or commits, sorted."""
        folder = os.path.join(self.ckpt, log)
        return sorted(int(n) for n in os.listdir(folder) if n.isdigit()) if os.path.isdir(folder) else []

    def log_lines(self, log, n):
        with open(os.path.join(self.ckpt, log, str(n)), encoding="utf-8") as f:
            return f.read().split("\n")

    def offset(self, n):
        """(batch metadata, the source's line) of offsets/n."""
        lines = self.log_lines("offsets", n)
        return json.loads(lines[1]), lines[2]

    def source_log(self):
        """{log id: [entry, ...]} of sources/0; a compacted id holds the entries of all before it."""
        found = {}
        for path in glob.glob(os.path.join(glob.escape(self.ckpt), "sources", "0", "[0-9]*")):
            with open(path, encoding="utf-8") as f:
                lines = f.read().split("\n")
            found[int(os.path.basename(path).split(".")[0])] = [json.loads(t) for t in lines[1:] if t]
        return found

    def break_lease(self):
        """What an impatient operator does: takes away whatever says that a run is alive."""
        shutil.rmtree(os.path.join(self.ckpt, "_weir"), ignore_errors=True)

    # --- the proof ---------------------------------------------------------------------------------------------
    def assert_exactly_once(self, ids, column="id", run=None):
        """The table holds each id as often as `ids` does; batch ids are unbroken; one txn a batch."""
        said = "\n%s" % run if run else ""
        assert_same(ids, deltars.column(self.table, column) if os.path.isdir(self.table) else [], said)
        offsets, commits = self.log_ids("offsets"), self.log_ids("commits")
        assert offsets == commits, "offsets %s, commits %s%s" % (offsets, commits, said)
        assert offsets == list(range(offsets[0], offsets[-1] + 1)), "a hole in the batch ids %s%s" % (offsets, said)
        mine = [batch for _, app, batch in deltars.txns(self.table) if app == self.query_id]
        assert mine == sorted(set(mine)), "txn versions not rising one a batch: %s%s" % (mine, said)
        assert set(mine) <= set(commits), "txn of a batch without commits/N: %s, %s%s" % (mine, commits, said)


def assert_same(expected, got, more=""):
    """Two multisets are equal; says what is lost and what is there too often."""
    want, have = Counter(expected), Counter(got)
    if want == have:
        return
    lost, extra = want - have, have - want
    raise AssertionError("%d rows expected, %d found\nlost: %s\ntoo many: %s%s" % (
        sum(want.values()), sum(have.values()), sorted(lost.elements(), key=str)[:40],
        sorted(extra.elements(), key=str)[:40], more))


def limit_file_size(size):
    """For `before`: writes beyond `size` bytes of a file fail, as on a full disk, with an error and no signal."""
    def apply():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return apply
