"""A release from file to file, phase by phase, beside the floor: read, sort and write the table.

    python benchmarks/profile_release.py --tuples 1000000 [--partitioner standing-cells] [--json]

The fifth release of a made series (19 values, 3 quasi-identifiers, 2-step knowledge, js_reduce),
published by the press: CSV in, CSV and certificate out, store committed. Releases 1 to 4 are
published once; each of the runs starts from a copy of their store. The floor is polars reading
the same file, sorting it by respondent and writing it, in the same run. Both are done once before
the clock starts, for libraries and compiled kernels to be at hand. With ``--cpu`` phases are
measured in seconds of CPU (of all threads), which other work on the machine disturbs less. With
``--once`` a process that does nothing else publishes the release, after a former call made the
state, and tells the peak of its memory.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import statistics
import time
from pathlib import Path

from large_series import write_series
from phases import Stopwatch, timed_phases
from store_files import store_bytes

from seriatim.publish.press import Press
from seriatim.publish.study import Study


def floor(view: Path, written: Path, clock=time.perf_counter) -> float:
    """Return the seconds that polars takes to read, sort and write a view."""
    import polars as pl

    begin = clock()
    pl.read_csv(view).sort("patient").write_csv(written)
    return clock() - begin


def published_before(folder: Path, views: list[Path], partitioner: str) -> Path:
    """Publish all but the last view, once; return the folder of the state before it."""
    state = folder / f"state-{partitioner}-{len(views)}"
    if not (state / "study.store").exists():
        shutil.rmtree(state, ignore_errors=True)
        state.mkdir()
        for name in ("study.toml", "knowledge.csv"):
            shutil.copy(folder / name, state / name)
        for number, view in enumerate(views[:-1], start=1):
            with Press(Study.read(state)) as press:
                press.publish(view, at=number)
    return state


def publish_once(state: Path, view: Path, number: int, clock=time.perf_counter):
    """Publish the next release from a copy of the state; return seconds by phase, and figures."""
    work = state.with_name(state.name + "-work")
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(state, work)
    watch = Stopwatch(clock)
    study = Study.read(work)
    with timed_phases(watch), Press(study) as press:
        printed = press.publish(view, at=number)
    kept = printed.certificate
    shutil.rmtree(work)
    return dict(watch.seconds), kept


def profile(folder: Path, *, tuples: int, partitioner: str, runs: int, cpu: bool, **series) -> dict:
    """Measure the floor and the fifth release, one after the other, several times."""
    clock = time.process_time if cpu else time.perf_counter
    views = write_series(folder, tuples=tuples, partitioner=partitioner, **series)
    state = published_before(folder, views, partitioner)
    floors, phases, certificate = [], [], {}
    floor(views[-1], folder / "sorted.csv")
    publish_once(state, views[-1], len(views))
    for _ in range(runs):
        floors.append(floor(views[-1], folder / "sorted.csv", clock))
        seconds, certificate = publish_once(state, views[-1], len(views), clock)
        phases.append(seconds)
    names = sorted({name for one in phases for name in one})
    median = {name: statistics.median(one.get(name, 0.0) for one in phases) for name in names}
    totals = [sum(one.values()) for one in phases]
    return {
        "tuples": tuples,
        "partitioner": partitioner,
        "runs": runs,
        "clock": "cpu" if cpu else "wall",
        "groups": certificate["groups"],
        "suppressed": certificate["suppressed"],
        "floor seconds": statistics.median(floors),
        "release seconds": statistics.median(totals),
        "ratio": statistics.median(totals) / statistics.median(floors),
        "phases": dict(sorted(median.items(), key=lambda item: -item[1])),
        "peak memory MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "store MB": store_bytes(state / "study.store") / 1e6,
    }


def published_alone(folder: Path, *, tuples: int, partitioner: str) -> str:
    """Publish the release in this process alone, and tell what memory it took."""
    views = [folder / f"view-{number}.csv" for number in range(1, 6)]
    state = folder / f"state-{partitioner}-{len(views)}"
    if not (state / "releases" / f"release-{len(views) - 1:04}.csv").exists():
        return "Nothing was published before it yet: call this without --once first."
    publish_once(state, views[-1], len(views))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"{tuples:,} tuples, {partitioner}, one release in one process: peak {peak:,.0f} MB"


def told(figures: dict) -> str:
    lines = [
        f"{figures['tuples']:,} tuples, {figures['partitioner']}: {figures['groups']:,} groups,"
        f" {figures['suppressed']:,} suppressed; {figures['release seconds']:.2f} s,"
        f" {figures['ratio']:.1f} × the floor of {figures['floor seconds']:.2f} s"
        f" ({figures['clock']}, median of {figures['runs']});"
        f" peak {figures['peak memory MB']:,.0f} MB, store {figures['store MB']:,.0f} MB"
    ]
    whole = figures["release seconds"]
    lines += [
        f"  {name:15} {seconds:8.3f} s {seconds / whole:6.1%} {'#' * round(40 * seconds / whole)}"
        for name, seconds in figures["phases"].items()
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tuples", type=int, default=100_000)
    parser.add_argument(
        "--partitioner", default="hilbert-greedy", choices=("hilbert-greedy", "standing-cells")
    )
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path("build/bench"))
    parser.add_argument("--cpu", action="store_true", help="seconds of CPU instead of the clock's")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--once", action="store_true", help="memory of one release alone")
    given = parser.parse_args()
    if given.once:
        folder = given.folder / f"series-{given.tuples}"
        print(published_alone(folder, tuples=given.tuples, partitioner=given.partitioner))
        return
    figures = profile(
        given.folder / f"series-{given.tuples}",
        tuples=given.tuples,
        partitioner=given.partitioner,
        runs=given.runs,
        cpu=given.cpu,
    )
    print(json.dumps(figures, indent=2) if given.json else told(figures))


if __name__ == "__main__":
    main()
