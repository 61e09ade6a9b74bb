"""Series written down as plainly as can be: who is in which group, which values it shows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import seriatim as sr
from oracles_worlds import Groups, members_of


def published(
    releases: Sequence[Groups], n_values: int
) -> tuple[list[sr.Release], list[sr.Membership]]:
    """Return releases that tell everyone's group, and who is in which."""
    schema = sr.Schema(
        "id", [sr.Numeric("home", 0, 99)], sr.Sensitive("value", tuple(range(n_values)))
    )
    made, memberships = [], []
    for at, groups in enumerate(releases, start=1):
        homes = [home for home, (members, _) in enumerate(groups) for _ in members]
        roster = sr.Roster.from_table({"id": members_of(groups), "home": homes}, schema)
        table = {
            "home": [home for home, (_, values) in enumerate(groups) for _ in values],
            "value": [value for _, values in groups for value in values],
        }
        made.append(sr.read_release(table, schema, at=at))
        home_of = dict(zip(members_of(groups), homes, strict=True))
        group_of = np.array([home_of[person] for person in roster.respondents.to_pylist()])
        counterfeits = [len(values) - len(members) for members, values in groups]
        memberships.append(sr.Membership(roster, group_of, np.array(counterfeits)))
    return made, memberships


def reader(prior: Sequence[float], transition: Sequence[Sequence[float]]) -> sr.Adversary:
    """Return a reader who knows the prior, and what follows each value."""
    values = tuple(range(len(prior)))
    following = [[1 + value for value in values]] * (1 + len(values))
    automaton = sr.Automaton(values, [prior, *transition], following)
    return sr.Adversary(
        sr.MarginalPrior(dict(zip(values, prior, strict=True))), automaton, rule="strongest"
    )


def in_order(
    releases: Sequence[Groups], memberships: Sequence[sr.Membership], beliefs: Sequence[sr.Belief]
) -> list[np.ndarray]:
    """Return beliefs with members in the order of the groups, as the oracle has them."""
    found = []
    for groups, membership, belief in zip(releases, memberships, beliefs, strict=True):
        row_of = {who: row for row, who in enumerate(membership.roster.respondents.to_pylist())}
        found.append(belief.probabilities[[row_of[who] for who in members_of(groups)]])
    return found
