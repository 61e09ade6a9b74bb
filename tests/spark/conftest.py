"""A real Spark cluster on this machine: a driver, and two executors in processes of their own.

Where Spark or Java is not there, these tests say so and are skipped; in CI that is a failure.
"""

import importlib.util
import shutil
import sys
from pathlib import Path

import pyarrow.csv
import pytest

from equipment import absent
from seriatim.engines.local.engine import LocalEngine
from sharded_series import (
    SEED,
    SHARDS,
    SIZES,
    clinic,
    in_another_order,
    publish_all,
    reference,
    source_of,
    strict_series,
)

MASTER = "local-cluster[2,1,1024]"

SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""What a Java that runs for a minute does without: its second compiler, and parallel collectors.

Half of the processor time goes with them.
"""


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
    folder = tmp_path_factory.mktemp("spark")
    environment = {
        "JDK_JAVA_OPTIONS": SHORT_LIVED,
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_HOME": str(linked_spark(folder / "home")),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    settings = {
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.driver.memory": "1g",
        "spark.task.maxFailures": "8",
        # A lost executor is noticed at once, not after the patience that a network deserves.
        "spark.shuffle.io.maxRetries": "1",
        "spark.shuffle.io.retryWait": "100ms",
    }
    with pytest.MonkeyPatch.context() as patched:
        for name, value in environment.items():
            patched.setenv(name, value)
        with spark_session(MASTER, settings) as session:
            yield session


def linked_spark(home):
    """Return a folder with all that Spark has: executors of this machine write beside it."""
    import pyspark

    home.mkdir()
    for one in Path(pyspark.__file__).parent.iterdir():
        if one.name != "work":
            (home / one.name).symlink_to(one)
    return home


@pytest.fixture(scope="session")
def by_local(tmp_path_factory):
    """The reference: a series of three releases by the local engine, and what came of each."""
    return reference(tmp_path_factory.mktemp("reference"))


@pytest.fixture(scope="session")
def by_turns(spark, tmp_path_factory):
    """The same series, its second release by the local engine and the others by Spark.

    Views come in another order, from a CSV file, Parquet and a table of the catalog. Beside what
    came of each release: the folder as it was whenever a step of the third began.
    """
    from seriatim.engines.spark.engine import SparkEngine

    folder, before = tmp_path_factory.mktemp("turns"), tmp_path_factory.mktemp("before")
    series = strict_series(folder)
    weeks = [in_another_order(table) for table in clinic().weeks]
    pyarrow.csv.write_csv(weeks[0], folder / "view.csv")
    spark.read.parquet(source_of(weeks[2], folder)).createOrReplaceTempView("week_3")

    def copied(step):
        shutil.copytree(folder, before / step)

    asked = {"seed": SEED, "shards": SHARDS}
    first = SparkEngine(spark, sizes=SIZES).publish(series, str(folder / "view.csv"), at=1, **asked)
    (second,) = publish_all(LocalEngine(sizes=SIZES), series, weeks[1:2], folder, first=2)
    third = SparkEngine(spark, sizes=SIZES, progress=copied).publish(
        series, "week_3", at=3, **asked
    )
    return series, [first, second, third], before
