"""A real Spark cluster on this machine: a driver, and two executors in processes of their own.

Where Spark or Java is not there, these tests say so and are skipped; in CI that is a failure.
"""

import importlib.util
import os
import sys

import pytest

from seriatim.engines.local.engine import LocalEngine
from sharded_series import SIZES, clinic, publish_all, series_in
from studios import absent

MASTER = "local-cluster[2,1,1024]"


def pytest_collection_modifyitems(items):
    """Mark this folder's tests."""
    for item in items:
        if "tests/spark" in str(item.path):
            item.add_marker(pytest.mark.spark)


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """One session for all tests."""
    from seriatim.engines.spark.session import java_version, spark_session

    if importlib.util.find_spec("pyspark") is None:
        absent("pyspark")
    if java_version() is None:
        absent("Java")
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    folder = tmp_path_factory.mktemp("spark")
    settings = {
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.driver.memory": "1g",
        "spark.task.maxFailures": "8",
        # A lost executor is noticed at once, not after the patience that a network deserves.
        "spark.shuffle.io.maxRetries": "1",
        "spark.shuffle.io.retryWait": "100ms",
    }
    with spark_session(MASTER, settings) as session:
        yield session


@pytest.fixture(scope="session")
def by_local(tmp_path_factory):
    """The reference: a series of three releases by the local engine, and what came of each."""
    folder, made = tmp_path_factory.mktemp("reference"), clinic()
    series = series_in(folder, made)
    return series, publish_all(LocalEngine(sizes=SIZES), series, made.weeks, folder / "views")


@pytest.fixture(scope="session", params=["local", "spark"])
def engine(request):
    """Each engine: every test of what both must do runs twice."""
    if request.param == "local":
        return LocalEngine(sizes=SIZES)
    from seriatim.engines.spark.engine import SparkEngine

    return SparkEngine(request.getfixturevalue("spark"), sizes=SIZES)
