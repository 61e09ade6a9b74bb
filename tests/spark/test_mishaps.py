"""Whatever is killed or lost, a release is whole or absent, and a rerun gives the same."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import mishaps
import pytest

import seriatim as sr
from seriatim.engines.declaration import STEPS
from seriatim.engines.local.engine import LocalEngine
from seriatim.engines.spark.engine import SparkEngine
from sharded_series import (
    SIZES,
    STRICT,
    clinic,
    figures,
    publish_all,
    release_table,
    require_whole_or_absent,
    series_in,
    strict_series,
)


@pytest.fixture
def by_value(spark):
    """Let executors have what only these tests have."""
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(mishaps)
    yield
    cloudpickle.unregister_pickle_by_value(mishaps)


def executors(session, seconds=60.0):
    """The processes of the two executors, once both are there."""
    driver = session._jvm.java.lang.ProcessHandle.current().pid()
    until = time.monotonic() + seconds
    while len(found := mishaps.executors_of(driver)) != 2:
        assert time.monotonic() < until, f"of two executors there are {len(found)}"
        time.sleep(0.05)
    return found


def test_executors__are_processes_of_their_own(spark):
    assert os.getpid() not in executors(spark)


@pytest.mark.slow
@pytest.mark.parametrize("mishap", ["executor killed", "shuffle lost"])
def test_release__is_the_same_after_a_mishap(mishap, spark, by_value, by_local, tmp_path):
    made = clinic()
    flag = str(tmp_path / "happened")
    if mishap == "executor killed":
        prior = mishaps.KillsItsExecutor(flag)
    else:
        prior = mishaps.LosesTheShuffle(flag, spark.conf.get("spark.local.dir"))
    before = executors(spark)
    reader = sr.Adversary(prior, made.sequence)
    series = series_in(tmp_path, made, policy=STRICT, reader=reader)
    (outcome,) = publish_all(SparkEngine(spark, sizes=SIZES), series, made.weeks[:1], tmp_path)
    assert Path(flag).exists()
    if mishap == "executor killed":
        assert len(before & executors(spark)) == 1
    else:
        assert int(Path(flag).read_text()) > 0
    expected = figures(by_local[1][0].certificate)
    found = figures(outcome.certificate)
    assert {**found, "reader": None} == {**expected, "reader": None}
    assert release_table(series, 1).equals(release_table(by_local[0], 1))
    assert not list((tmp_path / "series").glob("work-*"))


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS[:-1])
def test_driver_gone_at_any_step__leaves_all_or_nothing_and_a_rerun_gives_the_same(
    step, by_turns, by_local, tmp_path
):
    shutil.copytree(by_turns[2] / step, tmp_path, dirs_exist_ok=True)
    committed = step == "moving the files into place"
    require_whole_or_absent(LocalEngine(sizes=SIZES), tmp_path, by_local[0], committed=committed)


PUBLISH = """
import os, signal, sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from seriatim.engines.spark.engine import SparkEngine
from seriatim.engines.spark.session import spark_session
from sharded_series import SIZES, clinic, publish_all, strict_series

def killed(step):
    if step == "committing the series":
        os.kill(os.getpid(), signal.SIGKILL)

folder = Path({folder!r})
with spark_session("local[1]") as session:
    engine = SparkEngine(session, sizes=SIZES, progress=killed)
    publish_all(engine, strict_series(folder), clinic().weeks[2:], folder, first=3)
"""


@pytest.mark.slow
def test_driver_killed__leaves_all_or_nothing_and_a_rerun_gives_the_same(spark, by_local, tmp_path):
    series = strict_series(tmp_path)
    publish_all(LocalEngine(sizes=SIZES), series, clinic().weeks[:2], tmp_path)
    script = PUBLISH.format(tests=str(Path(__file__).parents[1]), folder=str(tmp_path))
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert child.returncode == -signal.SIGKILL, child.stderr.decode()[-2000:]
    engine = SparkEngine(spark, sizes=SIZES)
    require_whole_or_absent(engine, tmp_path, by_local[0], committed=False)
