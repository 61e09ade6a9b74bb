"""Standing cells: what cutting them and forming groups cost as views grow, and a release of them.

    python benchmarks/bench_cells.py [--tuples 10000 100000 1000000]

Targets: forming the groups of a release grows no faster than N log N up to a million tuples; a
release of 5,000 tuples under 50 ms once the cells are cut. Cells of 20, k = 10, t = 0.5,
j = 0.6, 19 values, three quasi-identifiers (two of them fine). Compiling is not timed.
"""

import argparse
import math
from time import perf_counter

import numpy as np
import pyarrow as pa

import seriatim as sr
from seriatim.partition import LocalRegister, tie_order

REQUIREMENT = sr.KAnonymity(k=10) & sr.TCloseness(t=0.5) & sr.JSBound(j=0.6)
CELLS = sr.StandingCells(20)
VALUES = [f"v{number:02}" for number in range(19)]
SCHEMA = sr.Schema(
    "id",
    [sr.Numeric("a", 0, 1), sr.Numeric("b", 0, 1), sr.Categorical("c", ("F", "M"))],
    sr.Sensitive("value", VALUES),
)


def made(tuples, rng):
    shares = rng.dirichlet(np.full(len(VALUES), 2.0))
    table = pa.table(
        {
            "id": np.arange(tuples),
            "a": rng.random(tuples),
            "b": rng.beta(2, 3, tuples),
            "c": np.array(["F", "M"])[rng.integers(0, 2, tuples)],
            "value": np.array(VALUES)[rng.choice(len(VALUES), tuples, p=shares)],
        }
    )
    near = rng.dirichlet(20 * shares, tuples)
    view = sr.View.from_table(table, SCHEMA)
    return view, sr.Belief(near, SCHEMA.sensitive.domain)


def partitions(tuples):
    """Seconds to cut cells and form the first groups, and to form the next ones."""
    rng = np.random.default_rng(1)
    register = LocalRegister()
    seconds = []
    for _ in range(4):
        view, revised = made(tuples, rng)
        ties = tie_order(view, b"benchmark")
        begin = perf_counter()
        partition, enrolment = CELLS.partition_next(
            view, revised, REQUIREMENT, ties=ties, register=register
        )
        seconds.append(perf_counter() - begin)
        register.keep(enrolment)
    return seconds[0], float(np.median(seconds[1:])), len(partition)


def releases(preset):
    """Milliseconds of each release of a made hospital, once its cells are cut."""
    hospital = sr.hospital(views=12, size=5000, preset=preset, seed=1)
    knowledge = sr.Adversary(hospital.prior, hospital.sequence)
    publisher = sr.Publisher(hospital.schema, sr.Policy(REQUIREMENT, CELLS), knowledge, seed=1)
    found = []
    for at, table in enumerate(hospital.tables, start=1):
        begin = perf_counter()
        publisher.publish(table, at=at)
        found.append(1000 * (perf_counter() - begin))
    return found[2:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tuples", nargs="+", type=int, default=[10_000, 100_000, 1_000_000])
    asked = parser.parse_args()
    partitions(1000)
    before = None
    for tuples in asked.tuples:
        first, later, groups = partitions(tuples)
        told = ""
        if before is not None:
            allowed = tuples * math.log(tuples) / (before[0] * math.log(before[0]))
            told = f"; {later / before[1]:.1f} x the one before, N log N would be {allowed:.1f} x"
        print(
            f"{tuples:>9,} tuples, {groups:,} groups: cells cut and groups formed in {first:.2f} s,"
            f" groups of the next release in {1000 * later:.0f} ms{told}",
            flush=True,
        )
        before = tuples, later
    for preset in ("mild", "paper-like"):
        found = releases(preset)
        print(
            f"a release of 5,000 tuples, {preset}: {np.median(found):.0f} ms median,"
            f" {min(found):.0f} to {max(found):.0f}"
        )


if __name__ == "__main__":
    main()
