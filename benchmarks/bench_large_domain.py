"""A release over a large sensitive domain: 2,000 values, 200,000 tuples, 1-step mined knowledge.

    python benchmarks/bench_large_domain.py [--tuples 200000] [--values 2000] [--json]

Two releases are published with a store on disk; the second one, in which the reader has a past
to revise, is the one that counts. Targets: under 60 seconds and 8 GB. With so many values a
small group differs from the table nearly wholly, so t and j are near their ends.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from large_series import contexts_automaton, drawn_views
from series import schema_of

import seriatim as sr


def measure(tuples: int, n_values: int) -> dict:
    """Publish two releases of a series over many values; return what the second one took."""
    rng = np.random.default_rng(1)
    automaton = contexts_automaton(rng, n_values, steps=1)
    views = list(drawn_views(automaton, tuples=tuples, releases=3, rng=rng))
    corpus = pa.concat_tables(
        [
            view.select(["patient", "exam"]).append_column("at", pa.array([at] * len(view)))
            for at, view in enumerate(views)
        ]
    )
    mined = sr.mine(corpus, respondent="patient", value="exam", at="at", steps=1)
    schema = schema_of(automaton)
    policy = sr.js_reduce(k=10, t=0.995, j=6.0, remainder="merge")
    seconds = []
    with (
        tempfile.TemporaryDirectory() as folder,
        sr.DuckDBStore(Path(folder) / "s.store") as store,
    ):
        for at, view in enumerate(views[:2]):
            # A publisher of its own each time, as the command line has: the one before keeps
            # all about its last release.
            publisher = None
            begin = time.perf_counter()
            reader = sr.Adversary(sequence=mined)
            publisher = sr.Publisher(schema, policy, reader, store=store, seed=1)
            publisher.publish(view, at=at)
            seconds.append(time.perf_counter() - begin)
    return {
        "tuples": tuples,
        "values": n_values,
        "groups": publisher.latest.release.n_groups,
        "suppressed": publisher.latest.suppressed,
        "first release seconds": seconds[0],
        "second release seconds": seconds[1],
        "peak memory MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tuples", type=int, default=200_000)
    parser.add_argument("--values", type=int, default=2000)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    found = measure(given.tuples, given.values)
    if given.json:
        print(json.dumps(found, indent=2))
        return
    print(
        f"{found['tuples']:,} tuples, {found['values']:,} values: {found['groups']:,} groups,"
        f" {found['second release seconds']:.1f} s (the first"
        f" {found['first release seconds']:.1f} s), peak {found['peak memory MB']:,.0f} MB"
    )


if __name__ == "__main__":
    main()
