"""What worlds find in registers whose values stay, beside what the tables determine.

    python validation/worlds_of_registers.py [--case chronic 10] [--case half 40]

``chronic``: 8 releases of 500 people with diagnoses that stay, 2 % leave and join each time.
``half``: 24 releases of 800 enrolled people, values stay with .995, half of them are shown each
time. Everyone is in a cell of so many that never changes. *Found* begins from nothing, *determined*
from the truth (told below the table); *alone* knows nothing but the releases.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import seriatim as sr


def made(kind: str, cell: int):
    """Return the releases, memberships and views of a register in cells, and its knowledge."""
    asked = {"people": 500, "releases": 8, "stays": 1.0}
    if kind == "half":
        asked = {"people": 800, "releases": 24, "stays": 0.995, "attendance": 0.5}
    register = sr.register(**asked)
    knowledge = sr.Adversary(register.prior, register.sequence)
    policy = sr.Policy(sr.KAnonymity(2), sr.StandingCells(cell), "merge")
    publisher = sr.Publisher(register.schema, policy, knowledge, seed=1)
    series = []
    for at, table in enumerate(register.tables, start=1):
        publisher.publish(table, at=at)
        series.append(publisher.latest)
    releases, members, views = (
        [getattr(one, name) for one in series] for name in ("release", "membership", "view")
    )
    return releases, members, views, knowledge


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", nargs=2, action="append", metavar=("KIND", "CELL"))
    cases = parser.parse_args().case or [
        *(("chronic", "10"), ("chronic", "20"), ("chronic", "40")),
        *(("half", "20"), ("half", "40")),
    ]
    for kind, cell in cases:
        releases, members, views, knowledge = made(kind, int(cell))
        size = np.mean([release.sizes.mean() for release in releases])
        readers = {
            "retrospective": sr.Retrospective(
                sr.Adversary(knowledge.prior, knowledge.sequence, rule="strongest")
            ),
            "found": sr.Worlds(knowledge),
        }
        started = time.perf_counter()
        alone = sr.learned_from_releases(releases, members)
        readers["alone"] = sr.Worlds(alone)
        print(f"== {kind}, cells of {cell}, mean size {size:.1f}")
        print(sr.audit(releases, views, readers, memberships=members))
        print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
