"""Slow, obvious twins of who is listed, and of which groups differ by few."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping

Person = Hashable


def listed_next(
    came: Mapping[Person, object],
    before: Mapping[Person, tuple[object, int]] | None,
    number: int,
    cell_of: Mapping[Person, int],
    batch: int,
    keep: int,
) -> tuple[dict[Person, tuple[object, int]], set[Person]]:
    """Who is listed, as what and last seen when; and who waits."""
    if before is None:
        return {person: (what, number) for person, what in came.items()}, set()
    newcomers = [person for person in came if person not in before]
    gone = [
        person
        for person, (_, seen) in before.items()
        if person not in came and number - seen > keep
    ]
    wanting = Counter(cell_of[person] for person in newcomers)
    leaving = Counter(cell_of[person] for person in gone)
    waiting = {person for person in newcomers if wanting[cell_of[person]] < batch}
    left = {person for person in gone if leaving[cell_of[person]] >= batch}
    listed = {person: was for person, was in before.items() if person not in left}
    listed |= {person: (what, number) for person, what in came.items() if person not in waiting}
    return listed, waiting


def few_differ(
    some: Iterable[frozenset[Person]], others: Iterable[frozenset[Person]], least: int
) -> bool:
    """Whether some group less a union of others, or the other way, leaves one to few people."""
    some, others = list(some), list(others)
    return any(
        0 < len(group ^ frozenset().union(*union)) < least
        for groups, unions in ((some, others), (others, some))
        for group in groups
        for size in range(1, len(unions) + 1)
        for union in itertools.combinations(unions, size)
    )
