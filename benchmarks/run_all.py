"""All figures in one run, as ratios, and kept as JSON with facts about the machine.

    python benchmarks/run_all.py [--large] [--python build/rivals/bin/python] [--against FILE]

Every case runs in a process of its own, so that its peak of memory is its own. ``--large`` adds
ten million tuples (half an hour, 12 GB). Results go to ``build/bench/results``; ``--against``
prints how a former run compares.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
RESULTS = Path("build/bench/results")
LIBRARIES = ("duckdb", "numba", "numpy", "polars", "pyarrow")


def machine() -> dict:
    """Return what a run may depend on besides the code."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processor": platform.machine(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0,
        "memory GB": round(memory, 1),
        "system": platform.system(),
        "python": platform.python_version(),
        "load at the start": os.getloadavg()[0],
        "libraries": {name: version(name) for name in LIBRARIES},
        "seriatim": version("seriatim"),
    }


def ran(script: str, *arguments: str) -> dict | None:
    """Return what a script prints as JSON; None where it failed or has nothing to compare."""
    command = [sys.executable, str(HERE / script), "--json", *arguments]
    print(f"== {' '.join([script, *arguments])}", flush=True)
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode or not found.stdout.strip().startswith("{"):
        print((found.stderr or found.stdout).strip()[-500:])
        return None
    return json.loads(found.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", action="store_true", help="ten million tuples, too")
    parser.add_argument("--runs", type=int, default=5, help="runs of each release")
    parser.add_argument("--python", default=sys.executable, help="interpreter with the rivals")
    parser.add_argument("--against", type=Path, help="results of a former run")
    given = parser.parse_args()
    sizes = [5_000, 100_000, 1_000_000, *([10_000_000] if given.large else [])]
    figures: dict = {"machine": machine(), "release": {}}
    figures["memory, GB/s"] = ran("bench_memory.py")
    for partitioner in ("hilbert-greedy", "standing-cells"):
        for tuples in sizes:
            one = ran(
                "profile_release.py",
                f"--tuples={tuples}",
                f"--partitioner={partitioner}",
                f"--runs={given.runs}",
            )
            if one is not None:
                figures["release"][f"{partitioner}, {tuples:,} tuples"] = one
    figures["growth"] = ran("bench_growth.py")
    figures["large domain"] = ran("bench_large_domain.py")
    figures["oracle"] = ran("bench_release.py")
    figures["rivals"] = ran("bench_rivals.py", f"--python={given.python}")
    ratios = list_ratios(figures)
    former = json.loads(given.against.read_text())["ratios"] if given.against else {}
    figures["ratios"] = ratios
    RESULTS.mkdir(parents=True, exist_ok=True)
    now = dt.datetime.now(dt.UTC).strftime("%Y-%m-%d-%H%M%S")
    file = RESULTS / f"{now}.json"
    file.write_text(json.dumps(figures, indent=1))
    print(f"\n{figures['machine']}")
    for what, ratio in ratios.items():
        before = f"   (before {former[what]:,.2f})" if what in former else ""
        print(f"  {what:68} {ratio:12,.2f}{before}")
    print(f"kept in {file}")


def list_ratios(figures: dict) -> dict[str, float]:
    """Return every ratio, and every peak of memory, under a name that says what it is."""
    found: dict[str, float] = {}
    seconds: dict[str, dict[int, float]] = {}
    for name, one in figures["release"].items():
        found[f"{name}: time over the floor"] = one["ratio"]
        found[f"{name}: peak of memory, GB"] = one["peak memory MB"] / 1024
        seconds.setdefault(one["partitioner"], {})[one["tuples"]] = one["release seconds"]
    for partitioner, by_size in seconds.items():
        for tuples, took in by_size.items():
            if tuples * 10 in by_size and tuples >= 100_000:
                name = f"{partitioner}: time of {10 * tuples:,} over {tuples:,} tuples"
                found[name] = by_size[tuples * 10] / took
    if growth := figures.get("growth"):
        found["release 96 over release 6"] = growth["ratio"]
    if domain := figures.get("large domain"):
        found["2,000 values, 200,000 tuples: seconds"] = domain["second release seconds"]
        found["2,000 values, 200,000 tuples: peak of memory, GB"] = domain["peak memory MB"] / 1024
    if oracle := figures.get("oracle"):
        found["oracle's time over ours"] = oracle["oracle"]["times_faster"]
    return found | rival_ratios(figures)


def rival_ratios(figures: dict) -> dict[str, float]:
    """Return how much longer others take for one table than we do, also with all that we add."""
    found = {}
    whole = figures["release"].get("hilbert-greedy, 100,000 tuples")
    for one in ((figures.get("rivals") or {}).get("found") or {}).values():
        if "ratio" in one:
            found[f"{one['name']}: its time over ours, table to table"] = one["ratio"]
            name = f"{one['name']}: its time over ours, with the series' work, table to table"
            found[name] = one["series_ratio"]
            if whole is not None:
                # Theirs has a table in memory; ours reads, remembers, revises, writes, commits.
                name = f"{one['name']}: its time over ours, with the series' work, file to file"
                found[name] = one["whole"] / whole["release seconds"]
    check = (figures.get("rivals") or {}).get("check") or {}
    if "ratio" in check:
        found["pyCANON: its time over ours to measure k and t of a release"] = check["ratio"]
    return found


if __name__ == "__main__":
    main()
