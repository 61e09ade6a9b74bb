"""Rehearsal: publish a series before it is published, and see what a reader would gain.

The planned releases are drawn from a population that is learned from past views, or from rosters
and the reader's knowledge; settings of standing cells publish them; the planned reader attacks.
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

from seriatim._figures import written_figure
from seriatim.errors import OrderError
from seriatim.inference.adversary import Adversary
from seriatim.measure.strongest import WORSE
from seriatim.microdata.roster import Roster, moves
from seriatim.microdata.view import View
from seriatim.partition.standing_cells import By, Merges, StandingCells
from seriatim.privacy.requirement import require_whole
from seriatim.publish.foreknowledge import foresee
from seriatim.publish.policy import Policy
from seriatim.publish.series_plan import SeriesPlan
from seriatim.publish.series_schema import require_same_codes
from seriatim.publish.trial import Trial, tried
from seriatim.simulate.population_of_views import Population

_GROWTH = 1.25
"""How much larger each rung of the ladder is than the one below."""

_MOST_OF_A_VIEW = 3
"""Cells of more than one in so many of a view are not tried."""

_SHARES = (0.0, 0.75)
"""Which share of a cell's size k is at least: cells that run empty are merged up to that."""

_COLUMNS = (
    *("cells", "placed", "merges", "k"),
    *("gain", "log-loss", "counting", "right", "GCP", "left out", ""),
)
"""What the table of a rehearsal tells of each trial."""

Progress = Callable[[str], None]
"""Told what is being done, before it is done."""


@dataclass(frozen=True)
class Rehearsal:
    """The frontier between what a reader gains and what detail is lost.

    >>> from seriatim import SeriesPlan, StandingCells, Trial
    >>> tried = (
    ...     Trial(StandingCells(10), k=10, gains=(0.17,), penalty=0.21, suppressed=0.0),
    ...     Trial(StandingCells(20), k=10, gains=(0.08, 0.09), penalty=0.26, suppressed=0.0),
    ... )
    >>> print(Rehearsal(tried, SeriesPlan(), releases=24, histories=2, recommended=tried[1]))
    24 releases, retrospective reader, target 0.12
    cells  placed      merges   k   gain  log-loss  counting  right    GCP  left out
       10  first-seen  stay    10  0.170         –         –      –  0.210     0.00%
       20  first-seen  stay    10  0.090         –         –      –  0.260     0.00%  recommended
    """

    trials: tuple[Trial, ...]
    """All settings that were tried and attacked, each once, by way and size."""

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

    def __str__(self) -> str:
        """Tell the trials in a table."""
        plan = self.plan
        told = [f"{self.releases} releases, {plan.reader} reader, target {plan.target:g}"]
        rows = [_COLUMNS, *(self._row(trial) for trial in self.trials)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = [
                f"{cell:<{width}}" if name in ("placed", "merges", "") else f"{cell:>{width}}"
                for name, cell, width in zip(_COLUMNS, row, widths, strict=True)
            ]
            told.append("  ".join(cells).rstrip())
        if self.recommended is None:
            told.append("No setting held the target.")
        return "\n".join(told)

    def state(self, trial: Trial) -> str:
        """Say what came of a trial: recommended, holding, by a reader worse than counting."""
        if trial.failure is not None:
            return trial.failure
        holds = "holds" if trial.holds(self.plan.goal) else ""
        chosen = "recommended" if trial == self.recommended else holds
        return "; ".join(filter(None, (chosen, WORSE if trial.misled else "")))

    def _row(self, trial: Trial) -> tuple[str, ...]:
        loss, counting, right = trial.scored
        return (
            str(trial.cells.size),
            trial.cells.by,
            trial.cells.merges,
            str(trial.k),
            written_figure(trial.gain),
            written_figure(loss, ".2f"),
            written_figure(counting, ".2f"),
            written_figure(right, ".0%"),
            written_figure(trial.penalty),
            f"{trial.suppressed:.2%}",
            self.state(trial),
        )


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
    >>> plan = SeriesPlan(releases=2, target=0.3, reader="paper")
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
    """Play real past views over a ladder of settings: the one history there is.

    >>> from seriatim import Adversary, SeriesPlan, View, clinic, k_anonymity
    >>> made = clinic(weeks=2, size=60)
    >>> schema = made.schema
    >>> for week in made.weeks:
    ...     schema = schema.resolve(week)
    >>> views = [View.from_table(week, schema) for week in made.weeks]
    >>> plan = SeriesPlan(releases=2, target=0.3, reader="paper")
    >>> found = tune(k_anonymity(6), Adversary(made.prior, made.sequence), views, plan, sizes=[6])
    >>> found.recommended.holds(0.3)
    True
    """
    _require_playable(views, "view")
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
                self.survey(way, sizes)
            else:
                self.search(way, rungs)
        if not sizes:
            self.refine(rungs)
        best = self.confirmed(rungs)
        # Small cells have the same k in several ways: told once, by what most histories showed.
        longest_last = sorted(self.tried.values(), key=lambda one: len(one.gains))
        trials = sorted(
            {(one.cells, one.k): one for one in longest_last}.values(),
            key=lambda one: (one.cells.by, one.cells.merges, one.cells.size, one.k),
        )
        return Rehearsal(tuple(trials), self.plan, len(self.first), self.histories, best)

    def survey(self, way: _Way, sizes: tuple[int, ...]) -> None:
        """Try all sizes, but for those that another way tried with the same k."""
        known = {(one.cells, one.k) for one in self.tried.values()}
        for size in sizes:
            if (way.cells(size), way.k(size, self.policy.k)) not in known:
                self.attempt(way, size)

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
        on = "1 history" if len(histories) == 1 else f"{len(histories)} histories"
        self.progress(f"cells of {size}, {way.by}, merges {way.merges}, k={k}: {on}")
        return tried(
            self.policy,
            way.cells(size),
            k,
            histories,
            self.adversary,
            self.plan.reader,
            coarser_than=finer_than,
        )


def _require_playable(given: Sequence[Roster], name: str) -> None:
    """Refuse to play with nobody, or with people who cannot be compared."""
    if not given:
        message = f"There is nothing to play: give at least one {name}."
        raise OrderError(message)
    require_same_codes(given)
