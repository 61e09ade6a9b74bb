"""How long a command takes to start: help, and a publish of a small view, each in a new process.

    python benchmarks/bench_start.py [--runs 5] [--json]

Compiled kernels are at hand: one publish before the clock starts sees to that. The view is of a
made hospital of 200 tuples, published once with a proposed study, whose reader learns from the
views, and once with the hospital's own, which reads 3-step knowledge from a long file. Targets:
0.3 s for help, 2.5 s for a publish.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def called(*words: str, folder: Path) -> float:
    """Return the seconds that a command takes from its call to its end."""
    begin = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "seriatim", *words], cwd=folder, capture_output=True, check=True
    )
    return time.perf_counter() - begin


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
        print(f"{what:32} {seconds:.2f} s (median of {given.runs})")


if __name__ == "__main__":
    main()
