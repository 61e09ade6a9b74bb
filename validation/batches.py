"""What batches, keeping people listed and pooling leave to be found in a register, and their price.

    python validation/batches.py [--cell 20] [--releases 12] [--stays 1] [--attendance 1]

2,000 people with diagnoses that stay; 2 % leave and join each time. Whoever reads them has exact
knowledge, knows who is listed and whose tuple is carried over, and weighs worlds from the truth on:
what the tables determine. *Ever above .9*: the share of the people in whose true diagnosis this
reader believes with more than .9 in some release. *Gain*: the greatest of a release. *Carried*,
*waiting* and *held back*: shares of the people in the tables, the mean over releases after the
first. Where tables show half of the people at a time (``--attendance 0.5``), keeping them listed
and pooling are tried, too.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import seriatim as sr


def published(register, policy, reader):
    """Return all publications of a register under a policy."""
    publisher = sr.Publisher(register.schema, policy, reader, seed=1)
    tables, made = list(register.tables), []
    groups = [tables[at : at + policy.pool] for at in range(0, len(tables), policy.pool)]
    for at, several in enumerate(groups, start=1):
        if len(several) == policy.pool:
            # What happens once in a period of the register happens several times in a pool.
            publisher.publish(several, at=at * policy.pool)
            made.append(publisher.latest)
    return made


def figures(made, reader, chains):
    """Return the greatest gain of a release, and the share of people ever above .9."""
    releases, members, views = (
        [getattr(one, name) for one in made] for name in ("release", "membership", "view")
    )
    worlds = sr.Worlds(reader, chains=chains)
    weighed = worlds.weigh(releases, members, views, from_truth=True)
    gains, greatest = [], {}
    for belief, membership, view in zip(weighed.of_series(), members, views, strict=True):
        groups, codes = membership.group_of, view.value_codes
        gains.append(sr.adversary_gain(belief.probabilities, codes, groups).mean)
        believed = belief.probabilities[np.arange(len(view)), codes]
        for one, value in zip(view.respondents.to_pylist(), believed.tolist(), strict=True):
            greatest[one] = max(greatest.get(one, 0.0), value)
    return max(gains), float(np.mean(np.array([*greatest.values()]) > 0.9))


def shares(made, people):
    """Return the shares of people who are carried over, wait, and are held back."""
    counts = [(one.carried, one.waiting, one.held_back) for one in made[1:]]
    return np.mean(counts, axis=0) / people


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cell", type=int, default=20)
    parser.add_argument("--people", type=int, default=2000)
    parser.add_argument("--releases", type=int, default=12)
    parser.add_argument("--stays", type=float, default=1.0)
    parser.add_argument("--attendance", type=float, default=1.0)
    parser.add_argument("--chains", type=int, default=2)
    asked = parser.parse_args()
    register = sr.register(
        people=asked.people,
        releases=asked.releases,
        stays=asked.stays,
        turnover=0.02,
        attendance=asked.attendance,
    )
    reader = sr.Adversary(register.prior, register.sequence)
    cases = [{"batch": batch} for batch in (1, 3, 5, 10)]
    if asked.attendance < 1:
        kept = {"keep": 6}
        cases = [{}, {"pool": 3}, {"pool": 6}, kept, kept | {"batch": 5}, kept | {"batch": 10}]
    print(f"{'':24} gain  ever above .9  carried  waiting  held back")
    for case in cases:
        policy = sr.Policy(sr.KAnonymity(10), sr.StandingCells(asked.cell), "merge", **case)
        started = time.perf_counter()
        made = published(register, policy, reader)
        gain, above = figures(made, reader, asked.chains)
        carried, waiting, held = shares(made, asked.people)
        name = ", ".join(f"{key} {value}" for key, value in case.items()) or "as it is"
        print(
            f"{name:24} {gain:.3f} {above:14.1%} {carried:8.1%} {waiting:8.1%} {held:10.1%}"
            f"   ({time.perf_counter() - started:.0f} s)"
        )


if __name__ == "__main__":
    main()
