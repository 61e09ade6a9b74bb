"""What detail standing cells come to lose as people's quasi-identifiers change.

Cells by first-seen values keep people together who were alike once. They stay alike where all
change alike; where newcomers are as those were, or everyone goes their own way, groups must be
told ever more coarsely. How that goes is played on a history drawn from past views, without
looking at a sensitive value.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seriatim.inference.adversary import Adversary
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.uniform_prior import UniformPrior
from seriatim.measure.utility import global_certainty_penalty
from seriatim.microdata.roster import Roster, numbered
from seriatim.partition.standing_cells import By, StandingCells
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.publish.policy import Policy
from seriatim.publish.publisher import Publisher
from seriatim.simulate.population_of_views import learned_population

_MOST_PEOPLE = 4000
"""People who are played, at most: whether cells spread shows on a part of them."""


def detail_lost(rosters: Sequence[Roster], *, k: int, releases: int = 12) -> dict[By, float]:
    """Return the global certainty penalty of cells of 2k by first-seen and by current values.

    The mean over releases to come, drawn from what past rosters show of who comes and of how
    quasi-identifiers change; up to the release at which too few people are left, if they dwindle.

    >>> from seriatim import register
    >>> lost = detail_lost(register(people=300, releases=3).views, k=5, releases=3)
    >>> lost["first-seen"] == lost["current"]  # nobody moves
    True
    """
    some = _some(
        [Roster(one.schema, one.respondents, one.points, one.positions) for one in rosters]
    )
    domain = some[-1].schema.sensitive.domain
    # Values play no part: everyone has the first.
    always = np.eye(1, len(domain))
    nothing = Automaton(domain, always, np.zeros((1, len(domain)), dtype=np.int32))
    population = learned_population(some, prior=UniformPrior(), automaton=nothing)
    history = population.draw(releases, np.random.default_rng(1))
    found: dict[By, float] = {}
    for by in ("first-seen", "current"):
        policy = Policy(KAnonymity(k=k), StandingCells(2 * k, by, "anew"), "merge")
        publisher = Publisher(history[0].schema, policy, Adversary(), seed=1)
        penalties = []
        for at, view in enumerate(history, start=1):
            if len(view) < k:
                break
            penalties.append(global_certainty_penalty(publisher.publish(view, at=at)))
        found[by] = float(np.mean(penalties)) if penalties else 1.0
    return found


def _some(rosters: Sequence[Roster]) -> list[Roster]:
    """Return rosters of a part of the people, the same in all."""
    people = numbered(rosters)
    n_people = 1 + max(int(one.max()) for one in people)
    share = _MOST_PEOPLE / max(len(rosters[-1]), 1)
    chosen = np.random.default_rng(1).random(n_people) < share
    rows = [np.flatnonzero(chosen[one]) for one in people]
    if share >= 1 or min(len(one) for one in rows) == 0:
        return list(rosters)
    return [roster.take(some) for roster, some in zip(rosters, rows, strict=True)]
