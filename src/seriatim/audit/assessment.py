"""Assessment: how exposed a series is before anything of it is published, and why.

Three things make a series leak: memory in the values, groups that are dealt anew, and people
who come often. Their product is a forecast of what a reader who looks back would gain if each
view were k-anonymized by itself; ``validation/forecast.py`` tells how good it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from seriatim._typing import FloatArray, IntArray
from seriatim.audit.straying import detail_lost
from seriatim.errors import OrderError
from seriatim.knowledge.belief import Belief
from seriatim.microdata.slots import Slots
from seriatim.microdata.view import View
from seriatim.partition.mondrian import Mondrian
from seriatim.partition.standing_cells import By
from seriatim.partition.ties import tie_order
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.publish.series_schema import require_same_codes
from seriatim.simulate.foresight import presence_of

EXPOSED = 1.0
"""The score from which on a retrospective gain of 0.12 or more is to be expected at k = 10.

Found on 38 series, most of them made, and right on nine in ten (``validation/forecast.py``)."""

_LEAST_CELLS = 4
"""Cells are weighed where a view has room for so many groups."""

_STAYING = 0.75
"""Values stay where the value before tells this share of what is open about the next."""

_EVERYONE = 0.995
"""Nobody comes or goes where this share of a view's people are in the next."""

_FAITHFUL = 0.8
"""Many are away where fewer of those under way are in a view."""

_WHY_BY = {
    "first-seen": "so that people stay together",
    "current": "since cells of people who were alike once would lose more detail",
}
"""Why cells go by these values."""


@dataclass(frozen=True)
class Assessment:
    """What makes a series leak.

    >>> told = Assessment(
    ...     views=24,
    ...     people=900,
    ...     releases_per_person=12.0,
    ...     coming_again=0.5,
    ...     moving=0.0,
    ...     entropy=2.5,
    ...     memory=1.4,
    ...     mates_kept=0.2,
    ...     k=10,
    ... )
    >>> round(told.score, 2), told.exposed
    (4.02, True)
    """

    views: int
    """How many there are."""

    people: int
    """How many appear in any of them."""

    releases_per_person: float
    """Views that a person is in, on the mean."""

    coming_again: float
    """The share of a view's people who are in the next one."""

    moving: float
    """The share of those who come again whose quasi-identifiers are others by then."""

    entropy: float
    """What is open about a value, in bits."""

    memory: float
    """What the value before tells of the next, in bits."""

    mates_kept: float
    """The share of someone's group mates who, coming again, are in their group again.

    Groups are those of Mondrian with k, made for each view alone."""

    k: int
    """The size that groups were formed with."""

    attendance: float = 1.0
    """The share of those under way who are in a view, in the long run."""

    turnover: float = 0.0
    """The share of those under way who leave for good after each view; 0 for two views, which do
    not tell them from people who are away."""

    lost_first_seen: float = 0.0
    """What detail standing cells by first-seen values would lose, in 12 releases like these."""

    lost_current: float = 0.0
    """What those by current values would lose; both are 0 where nobody moves or few are there."""

    @property
    def score(self) -> float:
        """The forecast: (1 − mates kept) · memory · log₂(releases per person)."""
        often = np.log2(max(self.releases_per_person, 1.0))
        return float((1.0 - self.mates_kept) * self.memory * often)

    @property
    def exposed(self) -> bool:
        """Whether a reader who looks back is expected to gain 0.12 or more."""
        return self.score >= EXPOSED

    @property
    def hardly_tell(self) -> bool:
        """Whether views hardly tell of each other."""
        return self.memory < 0.1 * max(self.entropy, 1e-9) or self.releases_per_person < 1.5

    @property
    def cells_by(self) -> str:
        """Where standing cells have people: as first seen, or by the values they have now.

        By current values where that loses less detail, as a rehearsal would find; else people stay.
        """
        return "current" if self.lost_current < self.lost_first_seen else "first-seen"

    @property
    def defences(self) -> tuple[str, ...]:
        """Settings of [policy] that help where values stay while people come and go.

        Then subtracting releases tells what those have who came or left; larger cells hardly help.
        """
        stay = self.memory >= _STAYING * max(self.entropy, 1e-9)
        if self.hardly_tell or not stay or self.coming_again >= _EVERYONE:
            return ()
        return ("batch", "pool", "keep") if self.attendance < _FAITHFUL else ("batch",)

    @property
    def advice(self) -> str:
        """Which defence fits."""
        if self.hardly_tell:
            return (
                "Views hardly tell of each other: sizes and closeness of each release decide. Any"
                " partitioner serves."
            )
        verb = "Use" if self.exposed or self.defences else "Prefer"
        told = (
            f'{verb} standing cells with cells_by = "{self.cells_by}"'
            f" under [policy], {_WHY_BY[self.cells_by]}; a rehearsal finds how large they must be."
        )
        if self.defences:
            told += (
                " Values stay while people come and go, so that subtracting releases tells what"
                " those have who came or left: let newcomers enter and leavers go several at a time"
                " (batch)."
            )
        if "pool" in self.defences:
            told += (
                " Many are away each time: publish several periods as one (pool), or keep people"
                " listed who are away (keep)."
            )
        return told


def assess(views: Sequence[View], *, k: int = 10) -> Assessment:
    """Assess a series by its original views, whose domains may only widen.

    >>> from seriatim import hospital
    >>> found = assess(hospital(views=6, size=300, preset="sharp").views)
    >>> round(found.coming_again, 2), round(found.memory, 1), found.exposed
    (0.48, 2.8, True)
    """
    if len(views) < 2:
        message = "An assessment is of a series: give at least two views, earliest first."
        raise OrderError(message)
    require_same_codes(views)
    slots = Slots()
    n_values = len(views[-1].schema.sensitive.domain)
    following = np.zeros((n_values, n_values))
    appearances = np.zeros(0, dtype=np.int64)
    last = np.full(0, -1, dtype=np.int64)
    before: _Seen | None = None
    again, moved, kept = [], [], []
    for view in views:
        places, new = slots.with_newcomers(view.respondents)
        slots.add(view.respondents.take(pa.array(new)), places[new])
        appearances = np.concatenate([appearances, np.zeros(len(new), dtype=np.int64)])
        last = np.concatenate([last, np.full(len(new), -1, dtype=np.int64)])
        appearances[places] += 1
        known = last[places] >= 0
        np.add.at(following, (last[places[known]], view.value_codes[known]), 1)
        last[places] = view.value_codes
        seen = _Seen(places, view.points, _groups(view, k))
        if before is not None:
            share, change, mates = _compared(before, seen, len(appearances))
            again.append(share)
            moved.append(change)
            kept.append(mates)
        before = seen
    presence, moving = presence_of(views), float(np.nanmean(moved)) if _any(moved) else 0.0
    lost: dict[By, float] = {"first-seen": 0.0, "current": 0.0}
    if moving > 0 and len(views[-1]) >= _LEAST_CELLS * k:
        lost = detail_lost(views, k=k)
    return Assessment(
        len(views),
        len(appearances),
        float(appearances.mean()),
        float(np.mean(again)),
        moving,
        _entropy(following.sum(axis=0)),
        _memory(following),
        float(np.nanmean(kept)) if _any(kept) else 0.0,
        k,
        presence.share,
        presence.leaving,
        lost["first-seen"],
        lost["current"],
    )


def _any(found: list[float]) -> bool:
    return bool(np.isfinite(found).any())


@dataclass(frozen=True, eq=False)
class _Seen:
    places: IntArray
    points: FloatArray
    groups: IntArray


def _groups(view: View, k: int) -> IntArray:
    """Return the groups that Mondrian forms of a view alone; everyone's where it is too small."""
    if len(view) < 2 * k:
        return np.zeros(len(view), dtype=np.int64)
    domain = view.schema.sensitive.domain
    nothing = Belief(np.full((len(view), len(domain)), 1.0 / len(domain)), domain)
    ties = tie_order(view, b"assessment")
    return Mondrian().partition(view, nothing, KAnonymity(k=k), ties=ties).group_of


def _compared(before: _Seen, now: _Seen, n_people: int) -> tuple[float, float, float]:
    """Return who comes again, who of them moved, and which mates they kept."""
    row_now = np.full(n_people, -1, dtype=np.int64)
    row_now[now.places] = np.arange(len(now.places))
    rows = row_now[before.places]
    both = rows >= 0
    if not both.any():
        return 0.0, np.nan, np.nan
    then, there = before.groups[both], now.groups[rows[both]]
    change = (before.points[both] != now.points[rows[both]]).any(axis=1).mean()
    pairs = then * (there.max() + 1) + there
    mates = _pairs(np.unique(then, return_counts=True)[1])
    together = _pairs(np.unique(pairs, return_counts=True)[1])
    return float(both.mean()), float(change), together / mates if mates else np.nan


def _pairs(sizes: IntArray) -> float:
    return float((sizes * (sizes - 1) / 2).sum())


def _entropy(counts: FloatArray) -> float:
    shares = counts[counts > 0] / max(counts.sum(), 1.0)
    return float(-(shares * np.log2(shares)).sum())


def _memory(following: FloatArray) -> float:
    """Return the mutual information of a value and the next, without what chance feigns.

    Counting feigns (rows − 1)(columns − 1) / (2 N ln 2) bits where there is nothing
    (Miller, 1955).
    """
    total = following.sum()
    if total == 0:
        return 0.0
    joint = _entropy(following.ravel())
    rows, columns = following.sum(axis=1), following.sum(axis=0)
    found = _entropy(rows) + _entropy(columns) - joint
    feigned = ((rows > 0).sum() - 1) * ((columns > 0).sum() - 1) / (2 * total * np.log(2))
    return float(max(found - feigned, 0.0))
