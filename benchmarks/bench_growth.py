"""Does a release cost more when many came before? Release 96 beside release 6, store on disk.

    python benchmarks/bench_growth.py [--tuples 20000] [--json]

Half of the pool attends, a twentieth leaves for good after each release and others take their
place. Times are medians over five releases around each of the two; target: at most 1.2 ×. What
the store keeps of people must grow by newcomers alone: the file is measured at both places, per
person it knows.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from large_series import contexts_automaton, drawn_views
from series import schema_of

import seriatim as sr
from seriatim.publish.duckdb_bundles import Bundles
from seriatim.publish.past_records import PASTS

EARLY, LATE, AROUND = 6, 96, 2


def measure(tuples: int) -> dict:
    """Publish 98 releases, and compare those around the 96th with those around the 6th."""
    rng = np.random.default_rng(1)
    automaton = contexts_automaton(rng, 19, steps=2)
    views = drawn_views(automaton, tuples=tuples, releases=LATE + AROUND, rng=rng)
    schema = schema_of(automaton)
    policy = sr.js_reduce(k=10, t=0.5, j=0.6)
    seconds, cpu, kept = [], [], {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.duckdb"
        for at, view in enumerate(views, start=1):
            # A store of its own each time, as the command line opens one.
            with sr.DuckDBStore(path) as store:
                adversary = sr.Adversary(sequence=automaton)
                publisher = sr.Publisher(schema, policy, adversary, store=store, seed=1)
                begin, busy = time.perf_counter(), time.process_time()
                publisher.publish(view, at=at)
                seconds.append(time.perf_counter() - begin)
                cpu.append(time.process_time() - busy)
                if at in (EARLY, LATE):
                    kept[at] = {"people": Bundles(store, PASTS).count()}
            if at in kept:
                kept[at]["MB"] = path.stat().st_size / 1e6

    def around(place: int, times: list[float] = seconds, of=statistics.median) -> float:
        return of(times[place - 1 - AROUND : place + AROUND])

    return {
        "tuples": tuples,
        "release 6 seconds": around(EARLY),
        "release 96 seconds": around(LATE),
        "ratio": around(LATE) / around(EARLY),
        "ratio of CPU": around(LATE, cpu) / around(EARLY, cpu),
        "ratio of means": around(LATE, of=statistics.mean) / around(EARLY, of=statistics.mean),
        "store": kept,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tuples", type=int, default=20_000)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    found = measure(given.tuples)
    if given.json:
        print(json.dumps(found, indent=2))
        return
    print(
        f"{found['tuples']:,} tuples: release 96 takes {found['ratio']:.2f} × release 6"
        f" ({found['release 6 seconds']:.3f} s); in seconds of CPU {found['ratio of CPU']:.2f} ×,"
        f" by means instead of medians of five {found['ratio of means']:.2f} ×"
    )
    for at, one in found["store"].items():
        print(
            f"  after release {at}: {one['people']:,} people in {one['MB']:.0f} MB,"
            f" {1e6 * one['MB'] / one['people']:.0f} bytes each"
        )


if __name__ == "__main__":
    main()
