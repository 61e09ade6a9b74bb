"""Spark sessions of our own, and plain words where Spark cannot run."""

from __future__ import annotations

import contextlib
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
            " Java runtime, or say where it is with JAVA_HOME."
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
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if java is None:
        return None
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    version = _VERSION.search(told.stderr + told.stdout)
    return int(version[1]) if version else None


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
