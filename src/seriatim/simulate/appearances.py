"""Appearances of people in past rosters, person after person, and what became of them between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.microdata.categorical import Categorical
from seriatim.microdata.hierarchical import Hierarchical
from seriatim.microdata.roster import Roster, numbered
from seriatim.microdata.schema import Schema
from seriatim.microdata.view import View
from seriatim.simulate.dealing import Dealer, joined_keys
from seriatim.simulate.strata import Strata

_LONGEST = 2**12
"""Releases away that keys tell apart; who was away longer is like those away so long."""

_FEW = 30
"""With fewer newcomers in past views, newcomers are like anyone in the latest."""


@dataclass(frozen=True, eq=False)
class Sightings:
    """All appearances, person after person, earliest first.

    >>> from seriatim import running_example
    >>> found = Sightings.of(running_example().views)
    >>> found, len(found.first), len(found.again)
    (Sightings(9 appearances), 7, 2)
    """

    who: IntArray
    """A number for each person."""

    when: IntArray
    """The number of the roster, from 0."""

    row: IntArray
    """The row in that roster."""

    points: FloatArray
    """Codes of the quasi-identifiers."""

    codes: IntArray
    """Codes of the values; zeros for rosters, which have none."""

    def __repr__(self) -> str:
        """Say how many there are, and nothing about anyone in them."""
        return f"Sightings({len(self.who)} appearances)"

    @classmethod
    def of(cls, rosters: Sequence[Roster]) -> Sightings:
        """Collect the appearances in some rosters, earliest first."""
        people = numbered(rosters)
        lengths = [len(one) for one in people]
        codes = [
            one.value_codes if isinstance(one, View) else np.zeros(len(one), dtype=np.int64)
            for one in rosters
        ]
        who, when = np.concatenate(people), np.repeat(np.arange(len(people)), lengths)
        order = np.lexsort((when, who))
        return cls(
            who[order],
            when[order],
            np.concatenate([np.arange(length) for length in lengths])[order],
            np.concatenate([one.points for one in rosters])[order],
            np.concatenate(codes)[order],
        )

    @property
    def first(self) -> IntArray:
        """Places of the first appearance of each person."""
        return np.flatnonzero(np.append(True, self.who[1:] != self.who[:-1]))

    @property
    def latest(self) -> IntArray:
        """Places of the latest appearance of each person."""
        return np.flatnonzero(np.append(self.who[1:] != self.who[:-1], True))

    @property
    def again(self) -> IntArray:
        """Places of appearances of people who had appeared before, one place earlier."""
        return np.flatnonzero(self.who[1:] == self.who[:-1]) + 1

    def earlier(self, places: IntArray) -> IntArray:
        """Return the value that each had one appearance earlier; -1 where there was none."""
        there = (places > 0) & (self.who[places - 1] == self.who[places])
        return np.where(there, self.codes[places - 1], -1)

    def before_latest(self) -> IntArray:
        """Return, by row of the latest roster, what each had when last seen before."""
        here = np.flatnonzero(self.when == self.when.max())
        found = np.empty(len(here), dtype=np.int64)
        found[self.row[here]] = self.earlier(here)
        return found


@dataclass(frozen=True, eq=False)
class Changes:
    """How quasi-identifiers change between two appearances, by the releases between.

    Ordered ones move as far as they did for whom it is dealt from, and stay within what was ever
    seen; of the others someone gets the new label where it changed. It is dealt from people who had
    the same labels, first; where nobody was away for so long, from anyone.
    """

    moves: FloatArray
    """How far, or for labels the new code (changes, attributes); NaN where nothing changed."""

    ordered: tuple[bool, ...]
    """Which attributes are ordered."""

    bounds: FloatArray
    """The least and the greatest code that was seen (2, attributes)."""

    dealer: Dealer
    """Changes by releases between and labels before, then by the former, then all."""

    def __repr__(self) -> str:
        """Say how many there are, and nothing about anyone in them."""
        return f"Changes({len(self.moves)})"

    @classmethod
    def of(cls, schema: Schema, sightings: Sightings) -> Changes:
        """Collect the changes of people who came again."""
        ordered = tuple(
            not isinstance(one, Categorical | Hierarchical) for one in schema.quasi_identifiers
        )
        again = sightings.again
        now, then = sightings.points[again], sightings.points[again - 1]
        gaps = sightings.when[again] - sightings.when[again - 1]
        moves = np.where(now == then, np.nan, np.where(ordered, now - then, now))
        bounds = np.stack([sightings.points.min(axis=0), sightings.points.max(axis=0)])
        found = cls(moves, ordered, bounds, Dealer.by([]))
        return replace(found, dealer=Dealer.by(found._keys(then, gaps)))

    @property
    def moving(self) -> float:
        """The share of appearances at which anything had changed; 0 where nobody came again."""
        return float((~np.isnan(self.moves)).any(axis=1).mean()) if len(self.moves) else 0.0

    def dealt(self, points: FloatArray, gaps: IntArray, rng: np.random.Generator) -> FloatArray:
        """Return points as they may be so many releases later."""
        picks = self.dealer.deal(self._keys(points, gaps), rng)
        some = np.flatnonzero(picks >= 0)
        moves = self.moves[picks[some]]
        later = np.clip(np.where(self.ordered, points[some] + moves, moves), *self.bounds)
        found = points.copy()
        found[some] = np.where(np.isnan(moves), points[some], later)
        return found

    def _keys(self, points: FloatArray, gaps: IntArray) -> list[IntArray]:
        gap = np.minimum(gaps, _LONGEST - 1), _LONGEST
        labels = [
            (points[:, axis].astype(np.int64) - int(low), int(high - low) + 1)
            for axis, (low, high) in enumerate(self.bounds.T)
            if not self.ordered[axis]
        ]
        return [joined_keys(gap, *labels), joined_keys(gap), np.zeros_like(gaps)]


@dataclass(frozen=True, eq=False)
class Arrivals:
    """People as they were first seen: whom newcomers are like.

    A newcomer has the quasi-identifiers of one of them and the value of another of the same
    stratum. With both of the same, small groups would fill with copies, and values would go with
    quasi-identifiers by chance.
    """

    points: FloatArray
    """Codes of their quasi-identifiers."""

    codes: IntArray
    """Codes of their values; zeros where there are none."""

    dealer: Dealer
    """They by stratum, then all."""

    strata: Strata | None
    """How they are told apart; None where values are not known."""

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.points)

    def __repr__(self) -> str:
        """Say how many there are, and nothing about anyone in them."""
        return f"Arrivals({len(self)})"

    @classmethod
    def of(cls, sightings: Sightings, strata: Strata | None) -> Arrivals:
        """Collect those whom a past view was the first to have, if many; else all of the latest."""
        first = sightings.first
        chosen = first[sightings.when[first] > 0]
        if len(chosen) < _FEW:
            chosen = np.flatnonzero(sightings.when == sightings.when.max())
        points = sightings.points[chosen]
        where = np.zeros(len(chosen), dtype=np.int64) if strata is None else strata.of(points)
        dealer = Dealer.by([where, np.zeros_like(where)])
        return cls(points, sightings.codes[chosen], dealer, strata)

    def draw(self, count: int, rng: np.random.Generator) -> tuple[FloatArray, IntArray]:
        """Draw newcomers: their points, and their values."""
        # Everyone is taken before anyone is taken twice.
        decks = [rng.permutation(len(self)) for _ in range(-(-count // len(self)))]
        points = self.points[np.concatenate([np.empty(0, dtype=np.int64), *decks])[:count]]
        if self.strata is None:
            return points, np.zeros(count, dtype=np.int64)
        where = self.strata.of(points)
        return points, self.codes[self.dealer.deal([where, np.zeros_like(where)], rng)]


@dataclass(frozen=True, eq=False)
class Followers:
    """What followed what, dealt to people alike.

    Alike are first those with the same last two values, releases between and stratum; without the
    releases between; without the value before the last instead; without both; then those with the
    last value and the releases between; then those with the last value.
    """

    codes: IntArray
    """The value that followed."""

    dealer: Dealer
    """Those for whom it did, by these keys."""

    strata: Strata
    """How people are told apart by their quasi-identifiers."""

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.codes)

    def __repr__(self) -> str:
        """Say how many there are, and nothing about anyone in them."""
        return f"Followers({len(self)}, {len(self.strata)} strata)"

    @classmethod
    def of(cls, sightings: Sightings, strata: Strata) -> Followers:
        """Collect what followed for people who came again."""
        again = sightings.again
        gaps = sightings.when[again] - sightings.when[again - 1]
        last, earlier = sightings.codes[again - 1], sightings.earlier(again - 1)
        keys = _keys(last, earlier, gaps, strata.of(sightings.points[again]), strata)
        return cls(sightings.codes[again], Dealer.by(keys), strata)

    def draw(
        self,
        points: FloatArray,
        gaps: IntArray,
        last: IntArray,
        earlier: IntArray,
        rng: np.random.Generator,
    ) -> IntArray:
        """Draw what follows; a value that nothing was ever seen to follow stays.

        ``last`` and ``earlier`` are the last two values, -1 where there was only one, ``points``
        the quasi-identifiers by now.
        """
        if len(self) == 0:
            return last.copy()
        picks = self.dealer.deal(
            _keys(last, earlier, gaps, self.strata.of(points), self.strata), rng
        )
        return np.where(picks < 0, last, self.codes[picks])


def _keys(
    last: IntArray, earlier: IntArray, gaps: IntArray, where: IntArray, strata: Strata
) -> list[IntArray]:
    n_values = strata.shares.shape[1]
    value, before = (last, n_values), (earlier + 1, n_values + 1)
    gap, stratum = (np.minimum(gaps, _LONGEST - 1), _LONGEST), (where, len(strata))
    return [
        joined_keys(value, before, gap, stratum),
        joined_keys(value, before, stratum),
        joined_keys(value, gap, stratum),
        joined_keys(value, stratum),
        joined_keys(value, gap),
        joined_keys(value),
    ]
