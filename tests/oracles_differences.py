"""Slow, obvious twins for differences of groups: sets of people, every union, every world.

A release is a list of groups, each with its members and how often it shows each value.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

Counts = list[int]


class Group(NamedTuple):
    """Who is in a group, and how often it shows each value."""

    members: frozenset[int]
    counts: Counts


class Equation(NamedTuple):
    """What some people's values, less those of others, add up to."""

    added: frozenset[int]
    taken: frozenset[int]
    counts: Counts


Shown = list[Group]


def least_left_over(members: frozenset[int], others: Sequence[frozenset[int]]) -> int:
    """The fewest people that any union of other groups leaves over."""
    unions = itertools.chain.from_iterable(
        itertools.combinations(others, size) for size in range(len(others) + 1)
    )
    return min(len(members ^ frozenset().union(*union)) for union in unions)


def mostly_inside(group: Group, others: Shown) -> list[Group]:
    """The groups that have more than half of their members in a group."""
    return [one for one in others if 2 * len(one.members & group.members) > len(one.members)]


def subtracted(group: Group, inside: Sequence[Group]) -> Equation:
    """A group less some others."""
    union = frozenset().union(*(one.members for one in inside))
    shown = [sum(column) for column in zip(*(one.counts for one in inside), strict=True)]
    counts = [mine - theirs for mine, theirs in zip(group.counts, shown, strict=True)]
    return Equation(group.members - union, union - group.members, counts)


def subtractions(first: Shown, second: Shown, k: int) -> list[Equation]:
    """All that leave fewer than k people over, both ways round; two groups once."""
    tried = [(one, mostly_inside(one, second)) for one in first]
    for one in second:
        inside = mostly_inside(one, first)
        if len(inside) != 1 or (inside[0], [one]) not in tried:
            tried.append((one, inside))
    found = [subtracted(one, inside) for one, inside in tried if inside]
    return [one for one in found if 0 < len(one.added | one.taken) < k]


def possible_values(
    equations: Sequence[Equation], n_people: int, n_values: int
) -> list[set[int]] | None:
    """What each person may have, ruling out values until no equation rules out another.

    None where some equation cannot hold.
    """
    possible = [set(range(n_values)) for _ in range(n_people)]
    before: list[set[int]] = []
    while possible != before:
        before = [set(one) for one in possible]
        for equation in equations:
            for value in range(n_values):
                if not rule_out(equation, value, before, possible):
                    return None
        if not all(possible):
            return None
    return possible


def rule_out(
    equation: Equation, value: int, before: list[set[int]], possible: list[set[int]]
) -> bool:
    """Rule out, by the count of one value, what cannot be; return whether the count can be."""
    count = equation.counts[value]
    may_add = {one for one in equation.added if value in before[one]}
    may_take = {one for one in equation.taken if value in before[one]}
    must_add = {one for one in may_add if before[one] == {value}}
    must_take = {one for one in may_take if before[one] == {value}}
    least, most = len(must_add) - len(may_take), len(may_add) - len(must_take)
    settled: set[int] = set()
    refused: set[int] = set()
    if count == most:
        settled, refused = may_add, may_take - must_take
    elif count == least:
        settled, refused = may_take, may_add - must_add
    for one in settled:
        possible[one] &= {value}
    for one in refused:
        possible[one] -= {value}
    return least <= count <= most


def in_halves(equation: Equation) -> list[Equation]:
    """Each side of an equation by itself, where the counts need everyone on it."""
    added, taken, counts = equation
    if sum(max(count, 0) for count in counts) < len(added):
        return [equation]
    nobody: frozenset[int] = frozenset()
    return [
        Equation(added, nobody, [max(count, 0) for count in counts]),
        Equation(taken, nobody, [max(-count, 0) for count in counts]),
    ]


def worlds(series: Sequence[Shown], n_people: int, n_values: int) -> Iterator[tuple[int, ...]]:
    """Every way in which people may have values that stay and fit all groups."""
    for values in itertools.product(range(n_values), repeat=n_people):
        fits = all(
            [sum(values[one] == value for one in group.members) for value in range(n_values)]
            == group.counts
            for shown in series
            for group in shown
        )
        if fits:
            yield values


def forced(series: Sequence[Shown], n_people: int, n_values: int) -> dict[int, int]:
    """The values that people have in every world."""
    found = list(worlds(series, n_people, n_values))
    return {
        person: found[0][person]
        for person in range(n_people)
        if len({world[person] for world in found}) == 1
    }
