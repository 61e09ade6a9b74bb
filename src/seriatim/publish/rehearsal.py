"""Rehearsal: publish a series before it is published, and see what a reader would gain.

The planned releases are drawn from the reader's knowledge and from rosters, never from
sensitive values; settings of standing cells publish them; the strongest reader attacks.
Larger cells tell less and mostly lose more detail, so the smallest that hold the target are found
by halving a ladder of sizes, and some larger ones are tried as well. Recommended is the setting
that loses least detail among those that hold it on every history that was tried. ``tune`` does
the same on real past views.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise, product
from typing import get_args

import numpy as np

from seriatim.errors import KnowledgeError, OrderError
from seriatim.inference.adversary import Adversary
from seriatim.knowledge.learning import Learner
from seriatim.microdata.roster import Roster, moves
from seriatim.microdata.view import View
from seriatim.partition.standing_cells import By, Merges, StandingCells
from seriatim.publish.policy import Policy
from seriatim.publish.series_plan import SeriesPlan
from seriatim.publish.trial import Trial, tried
from seriatim.simulate.foresight import foreseen_rosters, foreseen_views

_GROWTH = 1.25
_MOST_OF_A_VIEW = 3

Progress = Callable[[str], None]
"""Told what is being done, before it is done."""


@dataclass(frozen=True)
class Rehearsal:
    """The frontier between what a reader gains and what detail is lost."""

    trials: tuple[Trial, ...]
    """All settings that were tried and attacked, by size."""

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
    """Play a planned series on made histories, and recommend cells and k.

    With one roster, who comes again is drawn (``attendance``); with several, they are played
    in their order, and only what people have is drawn. ``sizes`` are all tried; left out, a
    ladder is searched.
    """
    _require_drawable(adversary)

    def history(number: int) -> list[View]:
        rng = np.random.default_rng([seed, number])
        people = list(rosters)
        if len(people) == 1:
            people = foreseen_rosters(people[0], plan.releases, plan.attendance, rng)
        domain = people[0].schema.sensitive.domain
        return list(foreseen_views(people, adversary.prior, adversary.automaton(domain), rng))

    stage = _Stage(policy, adversary, plan, history, histories, progress)
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
    """Play real past views over a ladder of settings: the one history there is."""
    stage = _Stage(policy, adversary, plan, lambda _: list(views), 1, progress)
    return stage.rehearsal(tuple(sizes))


def ladder(policy: Policy, tuples: int) -> tuple[int, ...]:
    """Return the cell sizes to try: from k up, each a quarter larger, to a third of a view."""
    least = max(policy.k, 2)
    sizes: list[int] = []
    size = float(least)
    while size <= max(tuples / _MOST_OF_A_VIEW, least):
        sizes.append(round(size))
        size *= _GROWTH
    return tuple(dict.fromkeys(sizes))


def most_trials(policy: Policy, tuples: int, histories: int, sizes: Sequence[int] = ()) -> int:
    """Return how many trials there may be, about, for whoever shows how far a rehearsal is."""
    ways = len(get_args(By)) * 2 * len(_SHARES) + 1
    halvings = math.ceil(math.log2(len(ladder(policy, tuples)) + 1))
    return ways * (len(sizes) or halvings + 1) + 2 * histories


_SHARES = (0.0, 0.75)
"""Which share of a cell's size k is at least: cells that run empty are merged up to that."""


@dataclass(frozen=True)
class _Way:
    """A setting but for the size of its cells."""

    by: By
    merges: Merges
    share: float

    def cells(self, size: int) -> StandingCells:
        return StandingCells(size, self.by, self.merges)

    def k(self, size: int, least: int) -> int:
        return max(least, round(self.share * size))


@dataclass(eq=False)
class _Stage:
    """Where settings are tried, and what came of them."""

    policy: Policy
    adversary: Adversary
    plan: SeriesPlan
    history: Callable[[int], list[View]]
    histories: int
    progress: Progress
    tried: dict[tuple[_Way, int], Trial] = field(default_factory=dict)

    @cached_property
    def first(self) -> list[View]:
        return self.history(0)

    @cached_property
    def others(self) -> list[list[View]]:
        return [self.history(number) for number in range(1, self.histories)]

    @property
    def ways(self) -> list[_Way]:
        """How people may be placed: both ways only where someone's place changes."""
        both = get_args(By) if moves(self.first) else ("first-seen",)
        lasting: tuple[Merges, ...] = ("stay", "anew")
        standing = [_Way(*one) for one in product(both, lasting, _SHARES)]
        return [*standing, _Way("current", "recut", 0.0)]

    def rehearsal(self, sizes: tuple[int, ...]) -> Rehearsal:
        """Try settings, confirm the finest that holds, and tell all of it."""
        rungs = sizes or ladder(self.policy, len(self.first[0]))
        for way in self.ways:
            if sizes:
                for size in sizes:
                    self.attempt(way, size)
            else:
                self.search(way, rungs)
        if not sizes:
            self.refine(rungs)
        best = self.confirmed(rungs)
        trials = sorted(
            # Two ways may come to the same setting; the one that was played most often is told.
            {(one.cells, one.k): one for one in self._by_histories()}.values(),
            key=lambda one: (one.cells.by, one.cells.merges, one.cells.size, one.k),
        )
        return Rehearsal(tuple(trials), self.plan, len(self.first), self.histories, best)

    def _by_histories(self) -> list[Trial]:
        return sorted(self.tried.values(), key=lambda one: len(one.gains))

    def search(self, way: _Way, rungs: tuple[int, ...]) -> None:
        """Find the smallest cells that hold the target, by halving the ladder."""
        low, high = 0, len(rungs)
        while low < high:
            middle = (low + high) // 2
            trial = self.attempt(way, rungs[middle], finer_than=self.finest)
            # Above the goal only larger cells help; what is too coarse already calls for smaller.
            if trial is not None and trial.gain > self.plan.goal:
                low = middle + 1
            else:
                high = middle
        self.climb(way, rungs, low)

    def climb(self, way: _Way, rungs: tuple[int, ...], place: int) -> None:
        """Try larger cells while they lose less: small ones that must be merged may lose more."""
        for size in rungs[place + 1 :]:
            trial = self.attempt(way, size, finer_than=self.finest)
            if trial is None or trial.penalty > self.finest:
                return

    def refine(self, rungs: tuple[int, ...]) -> None:
        """Try sizes between the rungs on both sides of the finest setting that held."""
        held = {
            setting: one.penalty
            for setting, one in self.tried.items()
            if one.holds(self.plan.goal) and setting[1] in rungs
        }
        if not held:
            return
        way, size = min(held, key=held.__getitem__)
        place = rungs.index(size)
        for one, two in pairwise(rungs[max(place - 1, 0) : place + 2]):
            self.attempt(way, round(math.sqrt(one * two)), finer_than=self.finest)

    @property
    def finest(self) -> float:
        """The least detail lost by a setting that held, on the first history."""
        held = [one.penalty for one in self.tried.values() if one.holds(self.plan.goal)]
        return min(held, default=1.0)

    def attempt(self, way: _Way, size: int, finer_than: float = 1.0) -> Trial | None:
        """Try a setting on the first history."""
        if (way, size) not in self.tried:
            trial = self._same(way, size) or self._played(way, size, [self.first], finer_than)
            if trial is None:
                return None
            self.tried[way, size] = trial
        return self.tried[way, size]

    def _same(self, way: _Way, size: int) -> Trial | None:
        """Return what another way to the same setting came to on the first history."""
        wanted = way.cells(size), way.k(size, self.policy.k)
        found = (one for one in self.tried.values() if (one.cells, one.k) == wanted)
        return next((one for one in found if len(one.gains) <= 1), None)

    def confirmed(self, rungs: tuple[int, ...]) -> Trial | None:
        """Play the other histories, the finest setting first; one that fails goes up a rung."""
        waiting = [
            (one.penalty, place, *setting)
            for place, (setting, one) in enumerate(self.tried.items())
            if one.holds(self.plan.goal)
        ]
        heapq.heapify(waiting)
        while waiting:
            _, place, way, size = heapq.heappop(waiting)
            more = self._played(way, size, self.others) if self.others else None
            if more is not None:
                self.tried[way, size] = self.tried[way, size].and_also(more)
            if self.tried[way, size].holds(self.plan.goal):
                return self.tried[way, size]
            above = [one for one in rungs if one > size and (way, one) not in self.tried]
            if above:
                trial = self.attempt(way, above[0])
                assert trial is not None
                if trial.holds(self.plan.goal):
                    heapq.heappush(waiting, (trial.penalty, place, way, above[0]))
        return None

    def _played(
        self, way: _Way, size: int, histories: list[list[View]], finer_than: float = 1.0
    ) -> Trial | None:
        k = way.k(size, self.policy.k)
        self.progress(
            f"cells of {size}, {way.by}, merges {way.merges}, k={k}: {len(histories)} histories"
        )
        return tried(
            self.policy,
            way.cells(size),
            k,
            histories,
            self.adversary,
            self.plan.reader,
            coarser_than=finer_than,
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
