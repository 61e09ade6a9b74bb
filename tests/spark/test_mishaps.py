"""Whatever is killed or lost, a release is whole or absent, and a rerun gives the same."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import mishaps
import pytest

import seriatim as sr
from seriatim.engines.spark.engine import SparkEngine
from sharded_series import (
    SIZES,
    clinic,
    figures,
    last_manifest,
    publish_all,
    records_of,
    release_table,
    series_in,
    source_of,
)


@pytest.fixture
def by_value(spark):
    """Let executors have what only these tests have."""
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(mishaps)
    yield
    cloudpickle.unregister_pickle_by_value(mishaps)


def executors(session):
    """The processes of the executors."""

    def pid(_):
        yield mishaps.parent_of(os.getppid())

    return set(session.sparkContext.parallelize(range(4), 4).mapPartitions(pid).collect())


def test_executors__are_processes_of_their_own(spark, by_value):
    found = executors(spark)
    assert os.getpid() not in found
    assert len(found) == 2


@pytest.mark.parametrize("mishap", ["executor killed", "shuffle lost"])
def test_release__is_the_same_after_a_mishap(mishap, spark, by_value, by_local, tmp_path):
    made = clinic()
    flag = str(tmp_path / "happened")
    if mishap == "executor killed":
        prior = mishaps.KillsItsExecutor(flag)
    else:
        prior = mishaps.LosesTheShuffle(flag, spark.conf.get("spark.local.dir"))
    before = executors(spark)
    series = series_in(tmp_path, made, reader=sr.Adversary(prior, made.sequence))
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


PUBLISH = """
import os, signal, sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from seriatim.engines.local.engine import LocalEngine
from seriatim.engines.spark.engine import SparkEngine
from seriatim.engines.spark.session import spark_session
from sharded_series import SIZES, clinic, publish_all, series_in

def killed(step):
    if step == {step!r}:
        os.kill(os.getpid(), signal.SIGKILL)

made, folder = clinic(), Path({folder!r})
series = series_in(folder, made)
publish_all(LocalEngine(sizes=SIZES), series, made.weeks[:1], folder)
if {engine!r} == "local":
    publish_all(LocalEngine(sizes=SIZES, progress=killed), series, made.weeks[1:2], folder, first=2)
with spark_session("local[1]") as session:
    engine = SparkEngine(session, sizes=SIZES, progress=killed)
    publish_all(engine, series, made.weeks[1:2], folder, first=2)
"""


@pytest.mark.parametrize(
    ("step", "engine_name"),
    [
        ("counting the groups", "local"),
        ("committing the series", "spark"),
        ("moving the files into place", "local"),
    ],
)
def test_driver_killed__leaves_all_or_nothing_and_a_rerun_gives_the_same(
    step, engine_name, spark, by_local, tmp_path
):
    tests = str(Path(__file__).parents[1])
    script = PUBLISH.format(tests=tests, step=step, folder=str(tmp_path), engine=engine_name)
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert child.returncode == -signal.SIGKILL, child.stderr.decode()[-2000:]
    made = clinic()
    series = series_in(tmp_path, made)
    committed = step == "moving the files into place"
    assert len(last_manifest(series)["entries"]) == (2 if committed else 1)
    assert [path.name for path in sorted((tmp_path / "releases").glob("release-*"))] == [
        "release-0001",
        "release-0001.certificate.json",
    ]
    engine = SparkEngine(spark, sizes=SIZES)
    if committed:
        publish_all(engine, series, made.weeks[2:], tmp_path, first=3)
    else:
        publish_all(engine, series, made.weeks[1:2], tmp_path, first=2)
        assert not list((tmp_path / "releases" / ".pending").glob("*"))
    assert release_table(series, 2).equals(release_table(by_local[0], 2))
    folders = {path.name for path in (tmp_path / "series" / "pasts").iterdir()}
    assert folders == set(last_manifest(series)["pasts"])
    if committed:
        assert records_of(series) == records_of(by_local[0])


def test_two_drivers__cannot_both_publish_the_same_release(spark, tmp_path):
    made = clinic()
    series = series_in(tmp_path, made)
    source = source_of(made.weeks[0], tmp_path)

    def another(step):
        if step == "committing the series":
            Path(series.folder, "manifest-0001.json").write_text("{}")

    with pytest.raises(sr.OrderError, match="another run went on"):
        SparkEngine(spark, sizes=SIZES, progress=another).publish(series, source, at=1, shards=2)
    assert not list((tmp_path / "releases").glob("release-*"))
