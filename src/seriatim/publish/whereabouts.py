"""Whereabouts: who was in which group of the last releases, and what these groups show.

With them the custodian knows, before a release is out, whom it separates from others by
subtraction from the last ones, and whose value follows. People are known by a keyed number, and
nothing is kept of releases further back, so that the cost does not grow with the series.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from seriatim._typing import BoolArray, SmallIntArray, WordArray
from seriatim.measure.differences import told_figures
from seriatim.measure.following import follow
from seriatim.measure.subtraction import NOWHERE, Shown
from seriatim.microdata.letters import only_read
from seriatim.microdata.membership import Membership
from seriatim.microdata.orders import sorted_order
from seriatim.microdata.release import Release
from seriatim.microdata.view import View
from seriatim.partition.ties import keyed_numbers


@dataclass(frozen=True, eq=False)
class Whereabouts:
    """Who was in which group of a release; private."""

    release: int
    """Its number, from 1."""

    numbers: WordArray
    """The keyed numbers of its people, rising."""

    groups: SmallIntArray
    """The group of each, from 0."""

    sizes: SmallIntArray
    """Tuples of each group; more than members where some are nobody's."""

    codes: SmallIntArray
    """The codes of their values, group by group."""

    def __repr__(self) -> str:
        """Say which release it is, and nothing about anyone in it."""
        return f"Whereabouts(release {self.release}, {len(self.numbers)} respondents)"

    def of(self, kept: BoolArray) -> Whereabouts:
        """Return those of some of the people; the groups show what they showed."""
        return replace(self, numbers=self.numbers[kept], groups=self.groups[kept])

    def shown(self, everyone: WordArray, n_values: int) -> Shown:
        """Return what the release shows of all people of a window, by their rising numbers.

        A group of which somebody was forgotten, or whose tuples are not all somebody's, takes no
        part.
        """
        from seriatim.kernels.differences import find_places

        members = np.bincount(self.groups, minlength=len(self.sizes))
        known = members == self.sizes
        places = np.empty(len(self.numbers), dtype=np.int64)
        find_places(only_read(self.numbers), everyone, places)
        groups = np.full(len(everyone), NOWHERE, dtype=np.int32)
        groups[places] = np.where(known[self.groups], self.groups, NOWHERE)
        cells = np.repeat(np.arange(len(self.sizes)) * n_values, self.sizes) + self.codes
        counts = np.bincount(cells, minlength=len(self.sizes) * n_values)
        return Shown(groups, counts.reshape(-1, n_values).astype(np.int32))


@dataclass(frozen=True)
class Separation:
    """What a release tells by subtraction from the last ones: figures, and nothing of anyone.

    >>> print(Separation(k=10, back=4, people=570, separated=43, named=12))
    Differences with the last 4 releases: 43 of 570 people are separated from the others by
    fewer than 10 people, subtracting groups of releases. If values do not change, the counts
    alone give the value of 12.
    """

    k: int
    """Fewer people than these are left over by a subtraction that separates them."""

    back: int
    """How many of the last releases it was compared with."""

    people: int
    """People of it and of these."""

    separated: int
    """Those who are among fewer than k that a subtraction leaves over."""

    named: int
    """Those whose value follows from counts alone, if values do not change."""

    def __str__(self) -> str:
        """Say both numbers."""
        figures = told_figures(self.k, self.people, self.separated, self.named, None)
        last = "release" if self.back == 1 else f"{self.back} releases"
        return f"Differences with the last {last}: {' '.join(figures)}"

    @property
    def in_public(self) -> dict[str, int]:
        """What a certificate says of it."""
        return {
            "k": self.k,
            "releases looked back": self.back,
            "people": self.people,
            "people separated": self.separated,
            "people named": self.named,
        }


def whereabouts_of(
    view: View, release: Release, membership: Membership, secret: bytes, number: int
) -> Whereabouts:
    """Return who is in which group of a release."""
    rows = np.flatnonzero(membership.published)
    numbers = people_numbers(view.texts, secret)[rows]
    order = sorted_order(np.zeros(len(numbers), dtype=np.int64), ties=numbers)
    return Whereabouts(
        number,
        numbers[order],
        membership.group_of[rows[order]].astype(np.int32),
        release.sizes.astype(np.int32),
        release.value_codes.astype(np.int32),
    )


def people_numbers(respondents: pa.Array, secret: bytes) -> WordArray:
    """Return the numbers by which people are known here."""
    return keyed_numbers(respondents, secret, b"whereabouts")


def window_of(new: Whereabouts, before: Sequence[Whereabouts], lag: int) -> tuple[Whereabouts, ...]:
    """Return so many releases before a new one, as far back as every one is known, and it."""
    by_number = {one.release: one for one in before}
    window = [new]
    for number in range(new.release - 1, new.release - 1 - lag, -1):
        if number not in by_number:
            break
        window.insert(0, by_number[number])
    return tuple(window)


def separation(window: Sequence[Whereabouts], k: int, n_values: int) -> Separation | None:
    """Return what the last release of a window tells by subtraction; None where it is alone.

    Each of the others is compared with it, not with each other, and the groups' own counts are
    left aside: an audit does all.
    """
    if len(window) < 2:
        return None
    everyone = everyone_of([one.numbers for one in window])
    series = [one.shown(everyone, n_values) for one in window]
    last = len(series) - 1
    found = follow(series, [(one, last) for one in range(last)], k, own_counts=False)
    return Separation(k, last, len(everyone), int(found.separated.sum()), len(found.named))


def everyone_of(numbers: Sequence[WordArray]) -> WordArray:
    """Return all numbers, rising, each once."""
    # A stable sort finds the runs that rise already, and merges them.
    merged = np.sort(np.concatenate(numbers), kind="stable")
    new = np.ones(len(merged), dtype=bool)
    new[1:] = merged[1:] != merged[:-1]
    return np.asarray(merged[new])
