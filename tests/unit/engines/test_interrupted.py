"""Whenever a driver ends, a release is whole or absent, and a rerun gives the same."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import seriatim as sr
from seriatim.engines.local.engine import LocalEngine
from sharded_series import (
    SIZES,
    clinic,
    publish_all,
    require_whole_or_absent,
    series_in,
    source_of,
    strict_series,
)

PUBLISH = """
import os, signal, sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from seriatim.engines.local.engine import LocalEngine
from sharded_series import SIZES, clinic, publish_all, strict_series

def killed(step):
    if step == {step!r}:
        os.kill(os.getpid(), signal.SIGKILL)

folder = Path({folder!r})
engine = LocalEngine(sizes=SIZES, progress=killed)
publish_all(engine, strict_series(folder), clinic().weeks[2:], folder, first=3)
"""


@pytest.mark.parametrize(
    "step", ["counting the groups", "committing the series", "moving the files into place"]
)
def test_driver_killed__leaves_all_or_nothing_and_a_rerun_gives_the_same(step, by_local, tmp_path):
    series, engine = strict_series(tmp_path), LocalEngine(sizes=SIZES)
    publish_all(engine, series, clinic().weeks[:2], tmp_path)
    tests = str(Path(__file__).parents[2])
    script = PUBLISH.format(tests=tests, step=step, folder=str(tmp_path))
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert child.returncode == -signal.SIGKILL, child.stderr.decode()[-2000:]
    committed = step == "moving the files into place"
    require_whole_or_absent(engine, tmp_path, by_local[0], committed=committed)


def test_two_drivers__cannot_both_publish_the_same_release(tmp_path):
    made = clinic()
    series = series_in(tmp_path, made)
    source = source_of(made.weeks[0], tmp_path)

    def another(step):
        if step == "committing the series":
            Path(series.folder, "manifest-0001.json").write_text("{}")

    with pytest.raises(sr.OrderError, match="another run went on"):
        LocalEngine(sizes=SIZES, progress=another).publish(series, source, at=1, shards=2)
    assert not list((tmp_path / "releases").glob("release-*"))
