"""The stage of a rehearsal: settings are searched for the cheapest that keeps a promise.

Larger cells tell less and mostly lose more detail, so for each way to place people the smallest
that keep the promise are looked for, where the curve of what is learned says. Batches are tried
at several sizes: small cells wait longer for one. What costs more than what was found already is
published, and not attacked.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import get_args

import numpy as np

from seriatim.inference.adversary import Adversary
from seriatim.inference.worlds import Worlds
from seriatim.microdata.roster import moves
from seriatim.microdata.view import View
from seriatim.partition.standing_cells import By, Merges, StandingCells
from seriatim.publish.district import district
from seriatim.publish.frontier import Rehearsal
from seriatim.publish.policy import Policy
from seriatim.publish.series_plan import SeriesPlan
from seriatim.publish.setting import Setting
from seriatim.publish.trial import HOPELESS, Trial, attacker_of, tried

Progress = Callable[[str], None]
"""Told what is being done, before it is done."""

_GROWTH = 1.25
"""How much larger each rung of the ladder is than the one below."""

_MOST_OF_A_VIEW = 3
"""Cells of more than one in so many of a view are not tried."""

_LEAST_SHARE = 0.75
"""Which share of a cell's size k may be at least: cells that run empty are merged up to that."""

_BATCHES = (15, 10, 7, 5, 3)
"""Sizes of batches that are tried."""

_POOLS = (2, 3, 6)
"""How many periods to a release are tried, where pooling is allowed or nothing else helps."""

_KEEPS = (2, 6)
"""For how many releases people stay listed, likewise."""

_FALL, _LEAST_FALL = -0.7, -0.2
"""How fast what is learned is taken to fall with the size of cells, at first and at least."""

_PROBES = 4
"""Sizes that a search tries, about."""

_NOTHING = 1e-3
"""What is learned counts as so much of what may be, at least."""

_LARGEST = 20.0
"""Logarithm of sizes beyond any view."""

_BEYOND = 4.0
"""Where cells would have to be so many times larger than the largest, a way is given up."""

_PAYS = 1.1
"""Batches are tried where what holds without costs so many times the least detail lost."""

_DEAR = 3
"""Sizes that cost too much one after the other, until larger ones are not tried."""

_NO_BATCHES = 0.002
"""The share of rows waiting or stale below which batches are as good as none."""

_DISTRICT = 1200
"""People of a view whose neighbourhoods are played, where there are many more."""

_CELLS_OF_A_DISTRICT = 5
"""Districts have room for at least so many cells."""


@dataclass(frozen=True)
class _Way:
    """A setting but for the size of its cells."""

    by: By
    merges: Merges
    share: float = 0.0
    batch: int = 1
    keep: int = 0
    pool: int = 1

    def lasts(self, size: int) -> bool:
        """Tell whether cells of a size outlast a batch: else half of the people leave at once."""
        return self.batch == 1 or size >= 2 * self.batch

    def of(self, size: int, least: int) -> Setting:
        k = max(least, round(self.share * size))
        cells = StandingCells(size, self.by, self.merges)
        return Setting(cells, k, self.batch, self.keep, self.pool)


@dataclass(eq=False)
class Stage:
    """Where settings are tried, and what came of them."""

    policy: Policy
    """What every release must satisfy."""

    adversary: Adversary
    """What readers know."""

    plan: SeriesPlan
    """What is planned."""

    history: Callable[[int], list[View]]
    """What draws a history, by its number."""

    histories: int
    """How many there are."""

    progress: Progress
    """Told of each trial."""

    tried: dict[tuple[_Way, int], Trial] = field(default_factory=dict)
    """What came of each way and size."""

    districts: dict[int, list[View]] = field(default_factory=dict)
    """What is played of the first history, by how many people show enough."""

    @cached_property
    def first(self) -> list[View]:
        """The history that all settings are tried on."""
        return self.history(0)

    @cached_property
    def others(self) -> list[list[View]]:
        """The histories that the recommended one is confirmed on."""
        return [self.history(number) for number in range(1, self.histories)]

    @property
    def placements(self) -> tuple[By, ...]:
        """How people may be placed: both ways only where someone's place changes."""
        return get_args(By) if moves(self.first) else ("first-seen",)

    @property
    def batched(self) -> list[_Way]:
        """Ways that let people arrive and leave together."""
        sizes = _BATCHES if "batch" in self.plan.allow else ()
        return [_Way("first-seen", "stay", batch=one) for one in sizes]

    @property
    def plain(self) -> list[_Way]:
        """Ways that list who is there, the most lasting first."""
        return [_Way(by, "stay") for by in self.placements]

    @property
    def variants(self) -> list[_Way]:
        """Plain ways that differ only where cells run empty, or that let cells go."""
        merged = [_Way(by, "stay", _LEAST_SHARE) for by in self.placements]
        anew = [_Way(by, "anew") for by in self.placements]
        return [*merged, *anew, _Way("current", "recut")]

    @property
    def patient(self) -> list[_Way]:
        """Ways that pool periods, or keep people listed: as allowed, or where nothing else helps.

        A custodian must know what these mean for whoever uses the data.
        """
        longest = max(len(self.first) // 2, 1)
        batches = (1, 5) if "batch" in self.plan.allow else (1,)
        pooled = [
            _Way(by, "stay", batch=batch, pool=pool)
            for by in self.placements
            for pool in _POOLS
            for batch in (batches if by == "first-seen" else (1,))
            if pool <= longest
        ]
        kept = [
            _Way("first-seen", "stay", batch=batch, keep=keep)
            for keep in _KEEPS
            for batch in batches
        ]
        needed = not any(one.holds(self.plan) for one in self.tried.values())
        return [way for way in (*pooled, *kept) if needed or not self.beyond(way)]

    def rehearsal(self, sizes: tuple[int, ...]) -> Rehearsal:
        """Try settings, confirm the cheapest that holds, and tell all of it."""
        rungs = sizes or ladder(self.policy, len(self.first[0]))
        for way in self.plain:
            self.explore(way, rungs, all_of_them=bool(sizes))
        for way in self.variants:
            if sizes:
                self.survey(way, rungs)
            else:
                self.vary(way, rungs)
        for way in self.batched:
            self.explore(way, rungs, all_of_them=bool(sizes))
        for way in self.patient:
            self.explore(way, rungs, all_of_them=bool(sizes))
        if not sizes:
            self.refine(rungs)
        best = self.confirmed(rungs)
        # Small cells have the same k in several ways: told once, by what most histories showed.
        longest_last = sorted(self.tried.values(), key=lambda one: len(one.gains))
        trials = sorted(
            {one.as_told: one for one in longest_last}.values(),
            key=lambda one: (
                *(one.pool, one.keep, one.batch),
                *(one.cells.by, one.cells.merges, one.cells.size, one.k),
            ),
        )
        attacker, basis = attacker_of(self.plan, self.adversary, self.first[0].schema)
        name = self.plan.reader
        if name == "strongest":
            name = "worlds" if isinstance(attacker, Worlds) else "retrospective"
        return Rehearsal(
            tuple(trials), self.plan, len(self.first), self.histories, best, basis, name
        )

    def explore(self, way: _Way, rungs: tuple[int, ...], *, all_of_them: bool) -> None:
        """Try a way with all sizes, or search for the one that serves."""
        if all_of_them:
            self.survey(way, rungs)
        elif way.batch > 1:
            self.walk(way, rungs)
        else:
            self.search(way, rungs)

    def survey(self, way: _Way, sizes: tuple[int, ...]) -> None:
        """Try all sizes, but for those that another way tried with the same k."""
        known = {one.as_told for one in self.tried.values()}
        for size in sizes:
            if way.lasts(size) and way.of(size, self.policy.k).as_told not in known:
                self.attempt(way, size)

    def search(self, way: _Way, rungs: tuple[int, ...]) -> None:
        """Find the smallest cells that keep the promise: how far it is broken falls with size."""
        below, high, place = -1, len(rungs), len(rungs) // 4
        while high - below > 1:
            trial = self.attempt(way, rungs[place], dearer_than=self.cheapest(way))
            # Where the promise breaks only larger cells help; what is too dear calls for smaller.
            if trial is not None and not trial.keeps(self.plan):
                below = place
            else:
                high = place
            place = self.guess(way, rungs, below, high)
            if place >= len(rungs):
                return
        self.climb(way, rungs, high)

    def vary(self, way: _Way, rungs: tuple[int, ...]) -> None:
        """Try sizes about the best one so far: where nothing held, a variant does not either."""
        held = {size: one.cost for (_, size), one in self.tried.items() if one.holds(self.plan)}
        if not held:
            return
        place = sum(size < min(held, key=held.__getitem__) for size in rungs)
        place = min(place, len(rungs) - 1)
        step, dear = 0, 0
        while 0 <= place < len(rungs) and dear < 2:
            trial = self.attempt(way, rungs[place], dearer_than=self.cheapest(way))
            broken = trial is not None and not trial.keeps(self.plan)
            if step == 0:
                step = 1 if broken else -1
            elif broken != (step == 1):
                return
            dear += trial is None
            place += step

    def guess(self, way: _Way, rungs: tuple[int, ...], below: int, high: int) -> int:
        """Return the rung to try next, between one that breaks the promise and one that does not.

        How many times over it is broken is about a power of the size of cells. Where that says
        that cells must be many times larger than the largest, none is.
        """
        known = [
            (math.log(size), math.log(max(one.excess(self.plan), _NOTHING)))
            for (other, size), one in self.tried.items()
            if other == way and one.failure is None
        ]
        if not known:
            return (below + high) // 2
        known.sort(key=lambda point: abs(point[1]))
        (size, over), slope = known[0], _FALL
        if len(known) > 1 and known[1][0] != size:
            slope = min((known[1][1] - over) / (known[1][0] - size), _LEAST_FALL)
        wanted = math.exp(min(size - over / slope, _LARGEST))
        if below >= len(rungs) // 2 and wanted > _BEYOND * rungs[-1]:
            return len(rungs)
        place = sum(one < wanted for one in rungs)
        return min(max(place, below + 1), high - 1)

    def walk(self, way: _Way, rungs: tuple[int, ...]) -> None:
        """Try every other size from the least, until batches no longer matter or none helps.

        Small cells wait longer for a batch, large ones lose more detail: the least cost lies
        between, and how much is known hardly goes by the size.
        """
        if not self.may_pay(way):
            return
        hopeless = dear = 0
        for size in rungs[::2]:
            if not way.lasts(size):
                continue
            trial = self.attempt(way, size, dearer_than=self.cheapest(way))
            dear = dear + 1 if trial is None else 0
            if dear == _DEAR:
                return
            if trial is None:
                continue
            hopeless = hopeless + 1 if trial.excess(self.plan) > HOPELESS else 0
            if hopeless > 1 or trial.waiting + trial.carried < _NO_BATCHES:
                return

    def may_pay(self, way: _Way) -> bool:
        """Tell whether some cells lose so much less detail that batches may pay for them."""
        finest = min((one.penalty for one in self.tried.values()), default=0.0)
        return self.cheapest(way) > _PAYS * finest

    def climb(self, way: _Way, rungs: tuple[int, ...], place: int) -> None:
        """Try larger cells while they cost less: small ones that must be merged may lose more."""
        for size in rungs[place + 1 :]:
            trial = self.attempt(way, size, dearer_than=self.cheapest(way))
            if trial is None or trial.cost > self.cheapest(way):
                return

    def refine(self, rungs: tuple[int, ...]) -> None:
        """Try sizes between the rungs on both sides of the cheapest setting that held."""
        held = {
            setting: one.cost
            for setting, one in self.tried.items()
            if one.holds(self.plan) and setting[1] in rungs
        }
        if not held:
            return
        way, size = min(held, key=lambda one: (self.beyond(one[0]), held[one]))
        place = rungs.index(size)
        for one, two in pairwise(rungs[max(place - 1, 0) : place + 2]):
            self.attempt(way, round(math.sqrt(one * two)), dearer_than=self.cheapest(way))

    def cheapest(self, way: _Way) -> float:
        """The least cost of a setting that held, on the first history, and is not beyond a plan.

        For a way that is beyond it, the least of all that held.
        """
        held = [
            one.cost
            for (other, _), one in self.tried.items()
            if one.holds(self.plan) and self.beyond(other) <= self.beyond(way)
        ]
        return min(held, default=float("inf"))

    def beyond(self, way: _Way) -> bool:
        """Tell whether a way does what the plan does not allow."""
        return not set(way.of(1, 1).asks_for) <= set(self.plan.allow)

    def attempt(self, way: _Way, size: int, dearer_than: float = float("inf")) -> Trial | None:
        """Try a setting on the first history."""
        if (way, size) not in self.tried:
            setting = way.of(size, self.policy.k)
            played = [self.played(size)]
            trial = self._same(setting) or self._played(setting, played, dearer_than)
            if trial is None:
                return None
            self.tried[way, size] = trial
        return self.tried[way, size]

    def played(self, size: int) -> list[View]:
        """Return the district of the first history that cells of a size are tried on."""
        people = self.people_for(size)
        if people not in self.districts:
            self.districts[people] = self.district_of(self.first, people, 0)
        return self.districts[people]

    def people_for(self, size: int) -> int:
        """Return how many people of a view show what cells of a size do; all, if few do not."""
        enough = _CELLS_OF_A_DISTRICT * size <= _DISTRICT
        return _DISTRICT if enough else len(self.first[0])

    def district_of(self, views: list[View], people: int, number: int) -> list[View]:
        """Return some neighbourhoods of a history, others for each."""
        return district(views, people, np.random.default_rng([people, number]))

    def _same(self, setting: Setting) -> Trial | None:
        """Return what another way to the same setting came to on the first history."""
        found = (one for one in self.tried.values() if one.as_told == setting.as_told)
        return next((one for one in found if len(one.gains) <= 1), None)

    def confirmed(self, rungs: tuple[int, ...]) -> Trial | None:
        """Play the other histories, the cheapest setting first; one that fails goes up a rung."""
        waiting = [
            (self.beyond(setting[0]), one.cost, place, *setting)
            for place, (setting, one) in enumerate(self.tried.items())
            if one.holds(self.plan)
        ]
        heapq.heapify(waiting)
        while waiting:
            beyond, _, place, way, size = heapq.heappop(waiting)
            others = [
                self.district_of(one, self.people_for(size), number)
                for number, one in enumerate(self.others, start=1)
            ]
            more = self._played(way.of(size, self.policy.k), others) if others else None
            if more is not None:
                self.tried[way, size] = self.tried[way, size].and_also(more)
            if self.tried[way, size].holds(self.plan):
                return self.tried[way, size]
            above = (one for one in rungs if one > size and (way, one) not in self.tried)
            for larger in above:
                trial = self.attempt(way, larger)
                assert trial is not None
                if trial.holds(self.plan):
                    heapq.heappush(waiting, (beyond, trial.cost, place, way, larger))
                    break
                if trial.excess(self.plan) > HOPELESS:
                    break
        return None

    def _played(
        self, setting: Setting, histories: list[list[View]], dearer_than: float = float("inf")
    ) -> Trial | None:
        on = "1 history" if len(histories) == 1 else f"{len(histories)} histories"
        besides = f", {setting.defences}" if setting.defences else ""
        cells = setting.cells
        self.progress(
            f"cells of {cells.size}, {cells.by}, merges {cells.merges}, k={setting.k}{besides}:"
            f" {on}"
        )
        return tried(
            self.policy, setting, histories, self.adversary, self.plan, dearer_than=dearer_than
        )


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
    ways = 3 * len(get_args(By)) + 1 + len(_BATCHES)
    return ways * (len(sizes) or _PROBES) + 2 * histories
