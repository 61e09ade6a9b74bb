"""Rehearsal: publish a series before it is published, and see what a reader would learn.

The planned releases are drawn from a population that is learned from past views, or from rosters
and the reader's knowledge; settings of standing cells publish them; the planned reader attacks.
Larger cells tell less and mostly lose more detail, so the smallest that keep the promise are
found by halving a ladder of sizes, for each way to place people and each size of batches.
Recommended is the setting that costs users of the data least among those that keep the promise
on every history that was tried. ``tune`` does the same on real past views.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seriatim.errors import OrderError
from seriatim.inference.adversary import Adversary
from seriatim.microdata.roster import Roster
from seriatim.microdata.view import View
from seriatim.privacy.requirement import require_whole
from seriatim.publish.foreknowledge import foresee
from seriatim.publish.frontier import Rehearsal
from seriatim.publish.policy import Policy
from seriatim.publish.series_plan import SeriesPlan
from seriatim.publish.series_schema import require_same_codes
from seriatim.publish.stage import Progress, Stage
from seriatim.simulate.population_of_views import Population


def rehearse(
    policy: Policy,
    adversary: Adversary,
    people: Sequence[Roster] | Population,
    plan: SeriesPlan,
    *,
    histories: int = 3,
    sizes: Sequence[int] = (),
    seed: int = 1,
    progress: Progress = lambda _: None,
) -> Rehearsal:
    """Play a planned series on made histories, and recommend cells and k.

    ``people`` are past rosters, earliest first, whose sensitive values are not looked at, or a
    population, such as ``foresee`` learns from past views. Histories begin with the latest, and
    are as long as planned. ``sizes`` are all tried; left out, a ladder is searched.

    >>> from seriatim import Adversary, Roster, SeriesPlan, clinic, k_anonymity
    >>> made = clinic(weeks=1, size=60)
    >>> roster = Roster.from_table(made.weeks[0], made.schema)
    >>> reader = Adversary(made.prior, made.sequence)
    >>> plan = SeriesPlan(releases=2, target=0.3, reader="paper", share=1.0)
    >>> found = rehearse(k_anonymity(6), reader, [roster], plan, histories=1, sizes=[6])
    >>> found.recommended.cells
    StandingCells(size=6, by='current', merges='recut')
    """
    require_whole("histories", histories, 1)
    if isinstance(people, Population):
        population = people
    else:
        rosters = [one.roster if isinstance(one, View) else one for one in people]
        population = foresee(adversary, rosters, plan.attendance).population

    def history(number: int) -> list[View]:
        return population.draw(plan.releases, np.random.default_rng([seed, number]))

    stage = Stage(policy, adversary, plan, history, histories, progress)
    return stage.rehearsal(tuple(sizes))


def tune(
    policy: Policy,
    adversary: Adversary,
    views: Sequence[View],
    plan: SeriesPlan,
    *,
    sizes: Sequence[int] = (),
    progress: Progress = lambda _: None,
) -> Rehearsal:
    """Play real past views over a ladder of settings: the one history there is.

    >>> from seriatim import Adversary, SeriesPlan, View, clinic, k_anonymity
    >>> made = clinic(weeks=2, size=60)
    >>> schema = made.schema
    >>> for week in made.weeks:
    ...     schema = schema.resolve(week)
    >>> views = [View.from_table(week, schema) for week in made.weeks]
    >>> plan = SeriesPlan(releases=2, target=0.3, reader="paper", share=1.0)
    >>> found = tune(k_anonymity(6), Adversary(made.prior, made.sequence), views, plan, sizes=[6])
    >>> found.recommended.holds(plan)
    True
    """
    _require_playable(views, "view")
    stage = Stage(policy, adversary, plan, lambda _: list(views), 1, progress)
    return stage.rehearsal(tuple(sizes))


def _require_playable(given: Sequence[Roster], name: str) -> None:
    """Refuse to play with nobody, or with people who cannot be compared."""
    if not given:
        message = f"There is nothing to play: give at least one {name}."
        raise OrderError(message)
    require_same_codes(given)
