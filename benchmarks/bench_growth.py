"""Does a release cost more when many came before? Release 96 beside release 6, store on disk.

    python benchmarks/bench_growth.py [--tuples 20000] [--json]

Half of the pool attends, a twentieth leaves for good after each release and others take their
place. Releases 6 and 96 are each published five times, in turns, from copies of the store as it
was before them; times are medians, target: at most 1.2 ×. Beside it stand the means over the
five releases around each, in passing: every second or third release also merges what was kept
before, and no single one tells that. What the store keeps of people must grow by newcomers
alone: it is measured at both places, per person it knows.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from large_series import contexts_automaton, drawn_views
from series import schema_of
from store_files import copy_store, store_bytes

import seriatim as sr
from seriatim.publish.duckdb_bundles import Bundles
from seriatim.publish.past_records import PASTS

EARLY, LATE, AROUND, TIMES = 6, 96, 2, 5


def measure(tuples: int) -> dict:
    """Publish 98 releases, and compare the 96th with the 6th."""
    rng = np.random.default_rng(1)
    automaton = contexts_automaton(rng, 19, steps=2)
    views = drawn_views(automaton, tuples=tuples, releases=LATE + AROUND, rng=rng)
    schema, policy = schema_of(automaton), sr.js_reduce(k=10, t=0.5, j=0.6)

    def published(path: Path, view: pa.Table, at: int) -> tuple[float, float, int]:
        """Publish a release; return seconds, seconds of CPU and how many people are known."""
        # A store of its own each time, as the command line opens one.
        with sr.DuckDBStore(path) as store:
            adversary = sr.Adversary(sequence=automaton)
            publisher = sr.Publisher(schema, policy, adversary, store=store, seed=1)
            begin, busy = time.perf_counter(), time.process_time()
            publisher.publish(view, at=at)
            took = time.perf_counter() - begin, time.process_time() - busy
            return *took, Bundles(store, PASTS).count() if at in (EARLY, LATE) else 0

    passing, again, kept, before = {}, {EARLY: [], LATE: []}, {}, {}
    with tempfile.TemporaryDirectory() as folder:
        path, copy = Path(folder) / "s.store", Path(folder) / "copy.store"
        for at, view in enumerate(views, start=1):
            if at in again:
                before[at] = Path(folder) / f"before-{at}.store", view
                copy_store(path, before[at][0])
            *passing[at], people = published(path, view, at)
            if at in again:
                kept[at] = {"people": people, "MB": store_bytes(path) / 1e6}
        for _ in range(TIMES):
            for at, (store, view) in before.items():
                copy_store(store, copy)
                again[at].append(published(copy, view, at)[:2])

    def median(at: int, clock: int) -> float:
        return statistics.median(one[clock] for one in again[at])

    def around(place: int) -> float:
        return statistics.mean(passing[at][0] for at in range(place - AROUND, place + AROUND + 1))

    return {
        "tuples": tuples,
        "release 6 seconds": median(EARLY, 0),
        "release 96 seconds": median(LATE, 0),
        "ratio": median(LATE, 0) / median(EARLY, 0),
        "ratio of CPU": median(LATE, 1) / median(EARLY, 1),
        "ratio of means around": around(LATE) / around(EARLY),
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
        f" ({found['release 6 seconds']:.3f} s); in seconds of CPU {found['ratio of CPU']:.2f} ×;"
        f" the mean of the five around it {found['ratio of means around']:.2f} ×"
    )
    for at, one in found["store"].items():
        print(
            f"  after release {at}: {one['people']:,} people in {one['MB']:.0f} MB,"
            f" {1e6 * one['MB'] / one['people']:.0f} bytes each"
        )


if __name__ == "__main__":
    main()
