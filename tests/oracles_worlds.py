"""The slow, obvious reader who weighs whole worlds: every one of them is listed.

A world hands every published tuple to a member of its group, in all releases at once. Its
weight is the product, over people, of the prior for the first value and of the transition
for each next one; releases without a person change nothing. A group that publishes more
values than it has members has counterfeits, and any of its tuples may be one. Who is carried
over has the value that they had before.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence

import numpy as np

from oracles import Row

Groups = Sequence[tuple[Sequence[Hashable], Sequence[int]]]
"""A release: the members of each group, and the codes of the values that it publishes."""


def beliefs_over_worlds(
    releases: Sequence[Groups],
    prior: Row,
    transition: Sequence[Row],
    carried: Sequence[Collection[Hashable]] = (),
) -> list[np.ndarray]:
    """What is believed of each release after all of them, members in the order of its groups."""
    found = [np.zeros((len(members_of(groups)), len(prior))) for groups in releases]
    for weight, world in worlds(releases, prior, transition, carried=carried):
        for belief, values in zip(found, world, strict=True):
            belief[np.arange(len(values)), values] += weight
    return [belief / belief.sum(axis=1, keepdims=True) for belief in found]


def members_of(groups: Groups) -> list[Hashable]:
    return [person for members, _ in groups for person in members]


def worlds(
    releases: Sequence[Groups],
    prior: Row,
    transition: Sequence[Row],
    last: Mapping[Hashable, int] | None = None,
    carried: Sequence[Collection[Hashable]] = (),
) -> Iterator[tuple[float, list[list[int]]]]:
    """Every world that is possible: its weight, and everyone's value in each release."""
    if not releases:
        yield 1.0, []
        return
    people, last = members_of(releases[0]), last or {}
    for times, values in ways(releases[0]):
        weight = float(times)
        repeated = carried[0] if carried else ()
        for person, value in zip(people, values, strict=True):
            if person in repeated:
                weight *= last[person] == value
            else:
                weight *= transition[last[person]][value] if person in last else prior[value]
        if weight > 0:
            now = {**last, **dict(zip(people, values, strict=True))}
            for others, rest in worlds(releases[1:], prior, transition, now, carried[1:]):
                yield weight * others, [values, *rest]


def ways(groups: Groups) -> Iterator[tuple[int, list[int]]]:
    """Every way to hand out the values of a release, and in how many ways its tuples do that."""
    each = [Counter(itertools.permutations(values, len(members))) for members, values in groups]
    for parts in itertools.product(*(one.items() for one in each)):
        times = np.prod([times for _, times in parts], dtype=int)
        yield int(times), [value for values, _ in parts for value in values]


def linked_rows(releases: Sequence[Groups], prior: Row, transition: Sequence[Row]) -> list[float]:
    """For each row that another release follows, the chance that the likeliest row is theirs."""
    total, together = 0.0, Counter()
    for weight, world in worlds(releases, prior, transition):
        total += weight
        kinds = [
            dict(zip(members_of(groups), kinds_of(groups, values), strict=True))
            for groups, values in zip(releases, world, strict=True)
        ]
        for number, (now, then) in enumerate(itertools.pairwise(kinds)):
            for person in now.keys() & then.keys():
                together[number, now[person], then[person]] += weight
    found = []
    for number, groups in enumerate(releases[:-1]):
        for place, (_, values) in enumerate(groups):
            for value in values:
                chances = [
                    weight
                    / total
                    / values.count(value)
                    / list(releases[number + 1][other][1]).count(code)
                    for (at, kind, (other, code)), weight in together.items()
                    if (at, kind) == (number, (place, value))
                ]
                found.append(max(chances, default=0.0))
    return found


def kinds_of(groups: Groups, values: Sequence[int]) -> list[tuple[int, int]]:
    """The group and the value of each member: rows that share both are alike."""
    places = [place for place, (members, _) in enumerate(groups) for _ in members]
    return list(zip(places, values, strict=True))
