"""How long a command takes to start: help, and a publish of a small view, each in a new process.

    python benchmarks/bench_start.py [--runs 5] [--json]

The view is of a made hospital of 200 tuples, published once with a proposed study, whose reader
learns from the views, and once with the hospital's own, which reads 3-step knowledge from a long
file. Warm: compiled kernels are at hand. Cold: the cache of compiled kernels is empty, as in a new
installation; Python's own compiled modules are there. Targets, on two cores: 0.3 s for help, 2 s
for a warm publish, 15 s for a cold one.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def called(*words: str, folder: Path, **environment: str) -> float:
    """Return the seconds that a command takes from its call to its end."""
    environment = dict(os.environ) | environment
    # Some containers set it; those who install a program have its modules compiled.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    begin = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "seriatim", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=True,
    )
    return time.perf_counter() - begin


def cold(*words: str, folder: Path, runs: int) -> float:
    """Return the median of a command from an empty cache, each time with all it made removed."""
    seconds = []
    for _ in range(runs):
        for made in ("releases", "study.store", "demo"):
            shutil.rmtree(folder / made, ignore_errors=True)
        with tempfile.TemporaryDirectory() as cache:
            seconds.append(called(*words, folder=folder, NUMBA_CACHE_DIR=cache))
    return statistics.median(seconds)


def published(folder: Path, runs: int) -> float:
    """Return the median of publishing the first view of a study anew."""
    seconds = []
    for _ in range(runs + 1):
        shutil.rmtree(folder / "releases", ignore_errors=True)
        shutil.rmtree(folder / "study.store", ignore_errors=True)
        seconds.append(called("publish", "view-01.csv", folder=folder))
    return statistics.median(seconds[1:])


def measure(runs: int) -> dict[str, float]:
    """Measure all of them."""
    with tempfile.TemporaryDirectory() as place:
        hospital, proposed = Path(place) / "hospital", Path(place) / "proposed"
        called("simulate", "--views", "1", "--size", "200", "-o", str(hospital), folder=Path(place))
        proposed.mkdir()
        shutil.copy(hospital / "view-01.csv", proposed)
        called("init", "view-01.csv", "--yes", folder=proposed)
        return {
            "help": statistics.median(called("--help", folder=proposed) for _ in range(runs)),
            "publish, proposed study": published(proposed, runs),
            "publish, long knowledge file": published(hospital, runs),
            "publish, cold": cold("publish", "view-01.csv", folder=proposed, runs=runs),
            "demo, cold": cold("demo", "--folder", "demo", folder=proposed, runs=1),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    found = measure(given.runs)
    if given.json:
        print(json.dumps(found, indent=2))
        return
    for what, seconds in found.items():
        print(f"{what:32} {seconds:5.2f} s")


if __name__ == "__main__":
    main()
