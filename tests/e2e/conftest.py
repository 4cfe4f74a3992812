"""Fixtures of the end-to-end tests. A peer that is missing skips its tests and says why."""
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import weir  # noqa: E402
from peers.spark import Spark  # noqa: E402


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes longer than about 20 seconds; leave out with -m 'not slow'")
    config.addinivalue_line("markers", "spark: needs Apache Spark (peers/spark.sh setup)")


def pytest_collection_modifyitems(items):
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker("spark")


@pytest.fixture(scope="session")
def weir_bin():
    path = weir.binary()
    if not os.access(path, os.X_OK):
        pytest.skip("no program %s; build it or set WEIR_BIN" % path)
    return path


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """The one Spark session of the test run."""
    why = Spark.why_not()
    if why:
        pytest.skip(why)
    peer = Spark(tmp_path_factory.mktemp("spark"))
    peer.start()
    yield peer
    peer.stop()


@pytest.fixture(autouse=True)
def no_process_is_left():
    yield
    weir.Process.end_all()


@pytest.fixture
def pipeline(weir_bin, tmp_path):
    """pipeline(**settings): a weir.Pipeline in the test's own folder."""
    made = []

    def make(folder=None, **settings):
        made.append(weir.Pipeline(folder or tmp_path / ("p%d" % len(made)), **settings))
        return made[-1]
    return make
