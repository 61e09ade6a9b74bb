"""Greedy, Mondrian and the best cuts of the curve: groups, left over, GCP and time, on made views.

    python benchmarks/bench_partition.py [--tuples 5000] [--views 7] [--preset mild] [--j 0.6]

Target: under 0.3 s a partition of 5,000 tuples with HilbertOptimal, seconds for 100,000, a GCP
below both others where nobody is left over. The reader has followed the earlier views through
releases by Mondrian under k and t, and every partitioner gets the same view and the same
beliefs. GCP is over published tuples: read it beside who is left over. Compiling is not timed.
"""

import argparse
from time import perf_counter

import numpy as np

import seriatim as sr
from seriatim.partition import generalize, tie_order

K, T = 10, 0.5
PARTITIONERS = (sr.HilbertGreedy(), sr.Mondrian(), sr.HilbertOptimal())


def beliefs(hospital):
    """Yield each view with what a reader of the releases before expects of it."""
    policy = sr.Policy(sr.KAnonymity(k=K) & sr.TCloseness(t=T), sr.Mondrian())
    reader = sr.Adversary(hospital.prior, hospital.sequence)
    publisher = sr.Publisher(hospital.schema, policy, reader, seed=1)
    for at, table in enumerate(hospital.stream(), start=1):
        publisher.publish(table, at=at)
        yield publisher.latest.view, publisher.latest.revised


def measured(partitioner, view, revised, requirement):
    ties = tie_order(view, b"benchmark")
    partitioner.partition(view, revised, requirement, ties=ties)  # compiles
    begin = perf_counter()
    found = partitioner.partition(view, revised, requirement, ties=ties)
    seconds = perf_counter() - begin
    gcp = float("nan")
    if len(found):
        release, _ = generalize(view, found, at=1, rng=np.random.default_rng(0))
        gcp = sr.global_certainty_penalty(release)
    return len(found), len(found.remainder), gcp, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tuples", type=int, default=5000)
    parser.add_argument("--views", type=int, default=7)
    parser.add_argument("--preset", default="mild")
    parser.add_argument("--j", type=float, default=0.6, help="a negative one leaves j out")
    asked = parser.parse_args()
    requirement = sr.KAnonymity(k=K) & sr.TCloseness(t=T)
    if asked.j >= 0:
        requirement &= sr.JSBound(j=asked.j)
    print(f"{asked.preset}, {asked.tuples:,} tuples, {requirement}")
    print(f"{'view':>4}  {'':<15}{'groups':>7}{'left over':>11}{'GCP':>9}{'seconds':>9}")
    hospital = sr.hospital(views=asked.views, size=asked.tuples, preset=asked.preset)
    for number, (view, revised) in enumerate(beliefs(hospital), start=1):
        for one in PARTITIONERS:
            groups, left, gcp, seconds = measured(one, view, revised, requirement)
            name = type(one).__name__
            print(f"{number:>4}  {name:<15}{groups:>7}{left:>11}{gcp:>9.4f}{seconds:>9.3f}")


if __name__ == "__main__":
    main()
