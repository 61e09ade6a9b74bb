"""Rehearsal: publish a series before it is published, and see what a reader would gain.

The planned releases are drawn from the reader's knowledge and from rosters, never from
sensitive values; each rung of a ladder of cell sizes publishes them; the strongest reader
attacks. Recommended is the rung that loses least detail among those that hold the target
on every history that was tried. ``tune`` does the same on real past views.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from seriatim.errors import KnowledgeError, OrderError, UnsatisfiableError
from seriatim.inference.adversary import Adversary
from seriatim.inference.readers import named_readers
from seriatim.knowledge.learning import Learner
from seriatim.measure.utility import global_certainty_penalty
from seriatim.microdata.roster import Roster
from seriatim.microdata.view import View
from seriatim.partition.standing_cells import By, Merges, StandingCells
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.publish.policy import Policy
from seriatim.publish.publisher import Publication, Publisher
from seriatim.publish.series_plan import SeriesPlan
from seriatim.publish.watch import gains_of
from seriatim.simulate.foresight import foreseen_rosters, foreseen_views

LEAST_SUPPRESSED = 0.0025
"""The greatest share of a release that a recommended setting may suppress."""

_GROWTH = 1.25
_MOST_OF_A_VIEW = 3
_ENOUGH = 3
"""Rungs in a row that hold the target, after which the ladder is climbed no further."""

Progress = Callable[[str], None]
"""Told what is being done, before it is done."""


@dataclass(frozen=True)
class Trial:
    """What came of one setting, on one or several histories."""

    cells: StandingCells
    """The setting."""

    gains: tuple[float, ...]
    """The greatest mean gain of a release, in each history."""

    penalty: float
    """Global certainty penalty, the mean over releases."""

    suppressed: float
    """The greatest share of a release that was suppressed."""

    failure: str | None = None
    """Why a series could not be published to its end."""

    @property
    def gain(self) -> float:
        """The greatest gain over the histories."""
        return max(self.gains, default=0.0)

    def holds(self, target: float) -> bool:
        """Tell whether every history stayed under a target, and hardly anyone was left out."""
        return self.failure is None and self.gain <= target and self.suppressed <= LEAST_SUPPRESSED


@dataclass(frozen=True)
class Rehearsal:
    """The frontier between what a reader gains and what detail is lost."""

    trials: tuple[Trial, ...]
    """All settings that were tried, by size."""

    plan: SeriesPlan
    """What is planned."""

    releases: int
    """How many releases were played."""

    histories: int
    """On how many histories the recommended setting was confirmed."""

    recommended: Trial | None
    """The setting with the least detail lost that held the target; None where none did."""

    @property
    def margin(self) -> float:
        """How far the recommended setting stayed under the target, on its worst history."""
        return 0.0 if self.recommended is None else self.plan.target - self.recommended.gain


def rehearse(
    policy: Policy,
    adversary: Adversary,
    rosters: Sequence[Roster],
    plan: SeriesPlan,
    *,
    histories: int = 3,
    sizes: Sequence[int] = (),
    seed: int = 1,
    progress: Progress = lambda _: None,
) -> Rehearsal:
    """Play a planned series on made histories, and recommend a cell size.

    With one roster, who comes again is drawn (``attendance``); with several, they are played
    in their order, and only what people have is drawn.
    """
    _require_drawable(adversary)

    def history(number: int) -> list[View]:
        rng = np.random.default_rng([seed, number])
        people = list(rosters)
        if len(people) == 1:
            people = foreseen_rosters(people[0], plan.releases, plan.attendance, rng)
        domain = people[0].schema.sensitive.domain
        views = foreseen_views(people, adversary.prior, adversary.automaton(domain), rng)
        return list(views)

    return _frontier(history, histories, policy, adversary, plan, tuple(sizes), progress)


def tune(
    policy: Policy,
    adversary: Adversary,
    views: Sequence[View],
    plan: SeriesPlan,
    *,
    sizes: Sequence[int] = (),
    progress: Progress = lambda _: None,
) -> Rehearsal:
    """Play real past views over a ladder of cell sizes: the one history there is."""
    return _frontier(lambda _: list(views), 1, policy, adversary, plan, tuple(sizes), progress)


def _frontier(
    history: Callable[[int], list[View]],
    histories: int,
    policy: Policy,
    adversary: Adversary,
    plan: SeriesPlan,
    sizes: tuple[int, ...],
    progress: Progress,
) -> Rehearsal:
    first = history(0)
    tried: list[Trial] = []
    for by in _ways(first):
        for merges in get_args(Merges):
            held = 0
            for size in sizes or ladder(policy, len(first[0])):
                cells = StandingCells(size, by, merges)
                trial = _tried(policy, cells, [first], adversary, plan.reader, progress)
                tried.append(trial)
                held = held + 1 if trial.holds(plan.goal) else 0
                # Larger cells only lose more detail than those that held already.
                if held == _ENOUGH:
                    break
    # The other histories are played for those that may be recommended, the finest first.
    confirmed = None
    others: list[list[View]] = []
    for place in sorted(range(len(tried)), key=lambda one: tried[one].penalty):
        if not tried[place].holds(plan.goal):
            continue
        others = others or [history(number) for number in range(1, histories)]
        more = _tried(policy, tried[place].cells, others, adversary, plan.reader, progress)
        tried[place] = _joined(tried[place], more)
        if tried[place].holds(plan.goal):
            confirmed = tried[place]
            break

    def rung(one: Trial) -> tuple[str, str, int]:
        return one.cells.by, one.cells.merges, one.cells.size

    ordered = tuple(sorted(tried, key=rung))
    return Rehearsal(ordered, plan, len(first), histories, confirmed)


def ladder(policy: Policy, tuples: int) -> tuple[int, ...]:
    """Return the cell sizes to try: from k up, each a quarter larger, to a third of a view."""
    least = max((p.k for p in policy.requirement.parts if isinstance(p, KAnonymity)), default=2)
    sizes: list[int] = []
    size = float(least)
    while size <= max(tuples / _MOST_OF_A_VIEW, least):
        sizes.append(round(size))
        size *= _GROWTH
    return tuple(dict.fromkeys(sizes))


def _tried(
    policy: Policy,
    cells: StandingCells,
    histories: Iterable[list[View]],
    adversary: Adversary,
    reader: str,
    progress: Progress,
) -> Trial:
    """Publish histories with one setting, and attack what was published."""
    policy = replace(policy, partitioner=cells)
    gains: list[float] = []
    penalties: list[float] = []
    suppressed, failure = 0.0, None
    for number, views in enumerate(histories, start=1):
        progress(f"cells of {cells.size}, {cells.by}, merges {cells.merges}: history {number}")
        made, failure = _published(policy, adversary, views)
        if failure is not None:
            break
        gains.append(_greatest_gain(made, adversary, reader))
        penalties += [global_certainty_penalty(one.release) for one in made]
        shares = [one.suppressed / len(one.view) for one in made]
        suppressed = max(suppressed, *shares)
    return Trial(
        cells,
        tuple(gains),
        float(np.mean(penalties)) if penalties else 1.0,
        suppressed,
        failure,
    )


def _published(
    policy: Policy, adversary: Adversary, views: list[View]
) -> tuple[list[Publication], str | None]:
    publisher = Publisher(views[0].schema, policy, adversary, seed=1)
    made: list[Publication] = []
    for number, view in enumerate(views, start=1):
        try:
            publisher.publish(view, at=number)
        except UnsatisfiableError as error:
            return made, f"release {number}: {str(error).splitlines()[0]}"
        assert publisher.latest is not None
        made.append(publisher.latest)
    return made, None


def _greatest_gain(made: list[Publication], adversary: Adversary, reader: str) -> float:
    """Return the greatest mean gain of a release that a reader reaches over a series."""
    attacker = named_readers([reader], adversary)[reader]
    views = [one.view for one in made]
    beliefs = attacker.read([one.release for one in made], [one.membership for one in made], views)
    pairs = zip(made, beliefs, strict=True)
    return max(float(gains_of(one, belief).mean()) for one, belief in pairs)


def _ways(views: list[View]) -> tuple[By, ...]:
    """Return how people may be placed: both ways only where someone's place changes."""
    seen: dict[object, tuple[float, ...]] = {}
    for view in views:
        places = map(tuple, view.points.tolist())
        for who, place in zip(view.respondents.to_pylist(), places, strict=True):
            if seen.setdefault(who, place) != place:
                return ("first-seen", "current")
    return ("first-seen",)


def _joined(one: Trial, more: Trial) -> Trial:
    played, added = len(one.gains), len(more.gains)
    return replace(
        one,
        gains=one.gains + more.gains,
        penalty=(one.penalty * played + more.penalty * added) / max(played + added, 1),
        suppressed=max(one.suppressed, more.suppressed),
        failure=one.failure or more.failure,
    )


def _require_drawable(adversary: Adversary) -> None:
    """Refuse knowledge that nothing can be drawn from before there are views."""
    for part in (adversary.prior, adversary.sequence):
        learns = isinstance(part, Learner) and getattr(part, "view", None) is None
        if learns:
            message = (
                f"{type(part).__name__} learns from the original views, and a rehearsal has none:"
                " nothing can be drawn from it. Give knowledge from elsewhere (a file, or what"
                " `seriatim mine` makes of past tables), or tune on past views."
            )
            raise KnowledgeError(message)
    if adversary.sequence is None:
        message = (
            "A reader without sequence knowledge learns nothing from a series beyond each release."
            " Give the rehearsal sequence knowledge."
        )
        raise OrderError(message)
