"""Apache Spark with Delta Lake as a peer: one long-lived session (local[2], 1 GB heap) that serves all tests.

    spark = Spark(folder); spark.start(); spark.read_table(path); spark.stop()

`start` costs 5 to 20 seconds, a command a few seconds at most, so a test run starts it once. Everything is on this
machine: the driver binds 127.0.0.1, and commands go through a socket pair that the server process inherits.
`stream(..., die_when=fn)` kills the whole session by SIGKILL at the first instant at which fn() is true; the next
command starts a new one.
"""
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))


class SparkError(Exception):
    """What Spark answered instead of a result."""


class SparkDied(Exception):
    """The session ended in the middle of a command."""


def environment():
    """(environment, None), or (None, why Spark cannot run here)."""
    if not shutil.which("java"):
        return None, "Java is not installed"
    got = subprocess.run([os.path.join(HERE, "spark.sh"), "env"], capture_output=True, text=True)
    if got.returncode:
        return None, got.stderr.strip()
    return dict(line.split("=", 1) for line in got.stdout.splitlines()), None


class Spark:
    def __init__(self, folder):
        self.folder = str(folder)
        self.process = None
        self.versions = None

    @staticmethod
    def why_not():
        return environment()[1]

    def start(self):
        found, why = environment()
        if why:
            raise RuntimeError(why)
        os.makedirs(self.folder, exist_ok=True)
        self.line, theirs = socket.socketpair()
        env = {k: v for k, v in os.environ.items() if not k.startswith(("SPARK_", "PYSPARK_", "PYTHON"))}
        env.update(found, WEIR_SPARK_FD=str(theirs.fileno()), SPARK_LOCAL_IP="127.0.0.1", TZ="UTC",
                   PYSPARK_PYTHON=found["SPARK_PYTHON"], SPARK_MEM=os.environ.get("SPARK_MEM", "1g"))
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen([found["SPARK_PYTHON"], os.path.join(HERE, "spark_server.py")],
                                            cwd=self.folder, env=env, pass_fds=[theirs.fileno()], stdout=log,
                                            stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
        theirs.close()
        self.answers = self.line.makefile("r", encoding="utf-8")
        self.versions = dict(self._ask("versions"), delta=found["DELTA_VERSION"])

    def stop(self):
        """Ends the session; idempotent."""
        if self.process is None:
            return
        self.line.close()
        self.answers.close()
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            pass
        self.kill()

    def kill(self):
        """SIGKILL to the session and its JVM, which share a process group of their own."""
        if self.process is None:
            return
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.process = None

    def log_tail(self, lines=30):
        with open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace") as log:
            return "".join(log.readlines()[-lines:])

    def _ask(self, do, **arguments):
        if self.process is None:
            self.start()
        try:
            self.line.sendall(json.dumps(dict(arguments, do=do)).encode() + b"\n")
            text = self.answers.readline()
        except OSError:
            text = ""
        if not text:
            self.kill()
            raise SparkDied("%s: the session ended\n%s" % (do, self.log_tail()))
        answer = json.loads(text)
        if "error" in answer:
            raise SparkError(answer["error"])
        return answer["ok"]

    # --- commands ----------------------------------------------------------------------------------------------
    def read_table(self, path, version=None):
        return self._ask("read_table", path=str(path), version=version)

    def history(self, path):
        return self._ask("history", path=str(path))

    def read_parquet(self, path):
        return self._ask("read_parquet", path=str(path))

    def read_files(self, format, schema, path, options=None):
        return self._ask("read_files", format=format, schema=schema, path=str(path), options=options)

    def sql(self, text):
        return self._ask("sql", text=text)

    def stream(self, path, table, checkpoint, schema=None, format="json", die_when=None, **more):
        """Runs a stream of files into a Delta table until it has caught up, and returns its progress reports.
        More: options, sink_options, select, partition_by, conf, trigger.
        With die_when a watcher asks it every millisecond and kills the session when it is true: returns None."""
        asked = dict(path=str(path), table=str(table), checkpoint=str(checkpoint), schema=schema, format=format, **more)
        if die_when is None:
            return self._ask("stream", **asked)
        if self.process is None:
            self.start()
        finished = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(die_when, finished))
        watcher.start()
        try:
            return self._ask("stream", **asked)
        except SparkDied:
            return None
        finally:
            finished.set()
            watcher.join()

    def _watch(self, die_when, finished):
        leader = self.process.pid
        while not finished.is_set():
            if die_when():
                os.killpg(leader, signal.SIGKILL)
                return
            time.sleep(0.001)
