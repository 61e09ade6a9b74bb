"""Rehearsals of 24 releases of 5,000 people: how long they take, and what they recommend.

    python benchmarks/bench_rehearsal.py [--only register mild] [--people 5000] [--releases 24]

The promise is that of a new study: at most .5 % of the people ever known above .9, mean gain at
most .12, by the strongest reader. Registers have 2 % turnover and values that stay with .995, in
one of them people come every other time; hospitals are made from the presets, with 5 % turnover.
Seconds are by the clock, on all cores; *beside publishing* is their ratio to publishing one such
series once.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import seriatim as sr

HOSPITALS = ("mild", "paper-like", "sharp")
REGISTERS = {"register": 1.0, "half": 0.5}


def material(name: str, people: int):
    """Return the first view, what readers know, and who comes."""
    if name in REGISTERS:
        attendance = REGISTERS[name]
        made = sr.register(
            people=round(people / attendance), releases=1, stays=0.995, attendance=attendance
        )
        return made, sr.Attendance(attendance, 0.02)
    return sr.hospital(preset=name, views=1, size=people, seed=1), sr.Attendance(0.5, 0.05)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[*REGISTERS, *HOSPITALS])
    parser.add_argument("--people", type=int, default=5000)
    parser.add_argument("--releases", type=int, default=24)
    asked = parser.parse_args()
    policy = sr.Policy(sr.KAnonymity(k=10) & sr.TCloseness(t=0.5), remainder="merge")
    for name in asked.only:
        made, attendance = material(name, asked.people)
        knowledge = sr.Adversary(made.prior, made.sequence)
        plan = sr.SeriesPlan(releases=asked.releases, attendance=attendance)
        rosters = [made.views[0].roster]
        population = sr.foresee(knowledge, rosters, attendance).population
        once = published(
            policy, knowledge, population.draw(asked.releases, np.random.default_rng(1))
        )
        begun = time.perf_counter()
        found = sr.rehearse(policy, knowledge, population, plan)
        seconds = time.perf_counter() - begun
        print(
            f"== {name}: {seconds:.0f} s, {seconds / once:.0f} times publishing once,"
            f" {len(found.trials)} settings attacked",
            found,
            "",
            sep="\n",
            flush=True,
        )


def published(policy, knowledge, views) -> float:
    """Return the seconds that publishing a history takes, kernels compiled."""
    setting = sr.Policy(policy.requirement, sr.StandingCells(40), policy.remainder)
    for part in (views[:2], views):
        publisher = sr.Publisher(views[0].schema, setting, knowledge, seed=1)
        begun = time.perf_counter()
        for at, view in enumerate(part, start=1):
            publisher.publish(view, at=at)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
