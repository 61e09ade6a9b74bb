"""Mining a corpus and auditing a series: 24 releases of 5,000 tuples, five readers; and worlds.

python benchmarks/bench_readers.py [--worlds]

Worlds are drawn for registers in cells of 20, values staying with .995, until families of chains
lie no more than .005 apart in the greatest mean gain of a release.
"""

import argparse
import time

import numpy as np
from series import make_series, published

import seriatim as sr


def main() -> None:
    series = make_series(seed=1, views=24, size=5000)
    begin = time.perf_counter()
    mined = sr.mine(series.views, steps=3, respondent="patient", value="exam")
    automaton = mined.automaton(series.automaton.values)
    mining = time.perf_counter() - begin
    print(f"mining 120,000 tuples, 3 steps: {mining:.2f} s ({automaton.n_states:,} states)")

    made = published(series, sr.Policy(sr.KAnonymity(k=5)))
    exact = series.automaton
    readers = {
        "snapshot": sr.Adversary(),
        "paper": sr.Adversary(sequence=exact),
        "paper, mined": sr.Adversary(sequence=automaton),
        "joint": sr.Adversary(sequence=exact, rule="strongest", filtering="joint"),
        "retrospective": sr.Retrospective(sr.Adversary(sequence=exact, rule="strongest")),
    }
    releases, views = [one.release for one in made], [one.view for one in made]
    members = [one.membership for one in made]
    sr.audit(releases[:2], views[:2], readers, memberships=members[:2])  # compiles the kernels
    begin = time.perf_counter()
    findings = sr.audit(releases, views, readers, memberships=members)
    print(f"audit with {len(readers)} readers: {time.perf_counter() - begin:.1f} s")
    for name in readers:
        print(f"  {name}: gain at the last release {findings.of(name)[-1].gain:.3f}")
    begin = time.perf_counter()
    sr.audit(releases[:8], views[:8], {"joint": readers["joint"]})
    took = time.perf_counter() - begin
    print(f"audit of 8 releases by their regions alone, joint reader: {took:.1f} s")


SPREAD = 0.005
"""How far the greatest gains of families may lie apart."""

EFFORTS = ((50, 50), (100, 100), (300, 300), (1000, 1000), (3000, 3000))
"""Approach and sweeps, until the spread is small enough."""


def draw_worlds(people: int, releases: int, values: int = 8, told: float = 0.0) -> None:
    """Tell how long worlds of a register take to come to the same, some values being told."""
    made = sr.register(people=people, releases=releases, values=values, stays=0.995)
    knowledge = sr.Adversary(made.prior, made.sequence, compromised=told_of(made.tables, told))
    policy = sr.Policy(sr.KAnonymity(2), sr.StandingCells(20), "merge")
    publisher = sr.Publisher(made.schema, policy, knowledge, seed=1)
    steps = []
    for at, table in enumerate(made.tables, start=1):
        publisher.publish(table, at=at)
        steps.append(publisher.latest)
    series = [one.release for one in steps], [one.membership for one in steps]
    views = [one.view for one in steps]
    for approach, sweeps in EFFORTS:
        begin = time.perf_counter()
        weighed = sr.Worlds(knowledge, approach=approach, sweeps=sweeps).weigh(*series)
        weighed.of_series()
        took = time.perf_counter() - begin
        gains = [greatest_gain(series[1], views, beliefs) for beliefs in weighed.by_family()]
        if max(gains) - min(gains) <= SPREAD:
            break
    print(
        f"worlds, {releases} x {people:,} of {values} values, {told:.0%} told: {took:.1f} s,"
        f" greatest gain {np.mean(gains):.3f}, {max(gains) - min(gains):.4f} apart (approach"
        f" {approach}, sweeps {sweeps}), beliefs {weighed.disagreement:.2f} apart",
        flush=True,
    )


def told_of(tables, share: float) -> sr.CompromisedTuples | None:
    """Return what a reader was told who knows so many of the values."""
    if not share:
        return None
    rng, rows = np.random.default_rng(0), {"person": [], "at": [], "diagnosis": []}
    for at, table in enumerate(tables, start=1):
        some = table.filter(rng.random(table.num_rows) < share)
        rows["person"] += some["person"].to_pylist()
        rows["diagnosis"] += some["diagnosis"].to_pylist()
        rows["at"] += [at] * some.num_rows
    return sr.CompromisedTuples.from_table(rows, respondent="person", at="at", value="diagnosis")


def greatest_gain(memberships, views, beliefs) -> float:
    """Return the greatest mean gain of a release."""
    gains = []
    for membership, view, belief in zip(memberships, views, beliefs, strict=True):
        there = membership.group_of >= 0
        groups = np.unique(membership.group_of[there], return_inverse=True)[1]
        codes = view.value_codes[there]
        gains.append(float(sr.adversary_gain(belief.probabilities[there], codes, groups)))
    return max(gains)


def weigh_registers() -> None:
    draw_worlds(60, 3)  # compiles the kernels
    for people, releases in ((500, 8), (2000, 8), (500, 24), (5000, 24)):
        draw_worlds(people, releases)
    draw_worlds(500, 8, values=24)
    draw_worlds(500, 8, told=0.2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", action="store_true", help="draw worlds alone")
    if not parser.parse_args().worlds:
        main()
    weigh_registers()
