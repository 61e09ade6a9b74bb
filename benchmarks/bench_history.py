"""Memory and time of the readers against the length of the history: 24, 48 and 96 releases.

    python benchmarks/bench_history.py

Filtering must cost the same per release however long the history is; going back over
all of it grows with its length, and no more.
"""

import time
import tracemalloc
from collections.abc import Sequence

import numpy as np
from series import make_series, published

import seriatim as sr

LENGTHS = (24, 48, 96)
SIZE = 2000


def main() -> None:
    series = make_series(seed=1, views=max(LENGTHS), size=SIZE, leave=0.01)
    made = published(series, sr.Policy(sr.KAnonymity(k=5)))
    readers = {
        "paper's": sr.Adversary(sequence=series.automaton),
        "joint": sr.Adversary(sequence=series.automaton, filtering="joint"),
    }
    for name, kind in readers.items():
        report_filter(name, kind, made)
    retrospective = sr.Retrospective(sr.Adversary(sequence=series.automaton))
    read(retrospective, made[:2])  # compiles the kernels
    per_release = []
    for length in LENGTHS:
        begin = time.perf_counter()
        read(retrospective, made[:length])
        took = time.perf_counter() - begin
        tracemalloc.start()
        read(retrospective, made[:length])
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        per_release.append(took / length)
        print(
            f"retrospective, {length:2} releases: {took:5.2f} s, {1000 * took / length:5.1f} ms a"
            f" release, peak {peak / 2**20:4.0f} MiB"
        )
    print(f"  per release, longest over shortest: {per_release[-1] / per_release[0]:.2f}")


def report_filter(name: str, kind: sr.Adversary, made: Sequence[sr.Publication]) -> None:
    """Read the whole series once per run; the time of a release is the least of the runs."""
    runs = []
    for _ in range(4):
        reader = kind.anew()
        times = []
        for one in made:
            begin = time.perf_counter()
            reader.observe(one.release, one.membership)
            times.append(time.perf_counter() - begin)
        runs.append(times)
    least = 1000 * np.min(runs, axis=0)
    late = [float(np.median(least[length - 12 : length])) for length in LENGTHS]
    for length, took in zip(LENGTHS, late, strict=True):
        print(f"{name} reader, the 12 releases up to {length:2}: {took:5.1f} ms a release")
    print(
        f"  release {LENGTHS[-1]} over release {LENGTHS[0]}: {late[-1] / late[0]:.2f};"
        f" {len(reader.memory):,} people remembered in"
        f" {reader.memory.nbytes / 2**20:.1f} MiB"
    )


def read(reader: sr.Retrospective, made: Sequence[sr.Publication]) -> None:
    reader.read([one.release for one in made], [one.membership for one in made])


if __name__ == "__main__":
    main()
