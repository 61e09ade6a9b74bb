"""Places along the curve, and where it is cut into shards.

A tuple's place is two words: its position on the Hilbert curve, and the secret number that
orders people who stand at the same point. Shards are ranges of places. Where to cut is read
off a histogram, whose counts are the same however the view is spread over machines; one
point at which very many stand is cut by their numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from seriatim._typing import BoolArray, IntArray, WordArray
from seriatim.microdata.roster import Roster
from seriatim.partition.hilbert import grid_bits, grid_points, hilbert_index

_WORD = 64
WIDTHS = (12, 12, 12, 12, 16)
"""Bits of a word that a histogram looks at, level by level; two words, so twice as many levels."""

LEVELS = 2 * len(WIDTHS)
_ENDS = np.cumsum((0, *WIDTHS))


def curve_of(roster: Roster) -> WordArray:
    """Return the first 64 bits of each tuple's position on the curve, from the most significant."""
    bits = grid_bits(roster)
    index = hilbert_index(grid_points(roster, bits), bits)
    total = bits * roster.points.shape[1]
    if index.ndim == 1:
        return np.asarray(index << np.uint64(_WORD - total))
    missing = np.uint64(_WORD * index.shape[1] - total)
    if missing == 0:
        return np.ascontiguousarray(index[:, 0])
    return np.asarray((index[:, 0] << missing) | (index[:, 1] >> (np.uint64(_WORD) - missing)))


@dataclass(frozen=True, eq=False)
class Stretch:
    """Part of the curve: all places whose first bits are the same."""

    curve: int
    """The first word where it begins."""

    number: int
    """The second word where it begins."""

    level: int
    """How many levels of bits are fixed."""


WHOLE = Stretch(0, 0, 0)
"""The whole curve."""


@dataclass(frozen=True, eq=False)
class Boundaries:
    """Where shards begin, all but the first."""

    curves: WordArray = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    """The first word of each boundary, rising."""

    numbers: WordArray = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    """The second word of each."""

    def __len__(self) -> int:
        """Return how many boundaries there are: one less than shards."""
        return len(self.curves)

    def __repr__(self) -> str:
        """Say how many shards they make."""
        return f"Boundaries({len(self) + 1} shards)"

    @property
    def shards(self) -> int:
        """How many shards there are."""
        return len(self) + 1

    def of(self, roster: Roster, numbers: WordArray) -> IntArray:
        """Return the shard of each respondent."""
        return self.shard_of(curve_of(roster), numbers)

    def shard_of(self, curves: WordArray, numbers: WordArray) -> IntArray:
        """Return the shard of each place: how many boundaries are at or before it.

        >>> at = Boundaries(np.array([5, 5], np.uint64), np.array([0, 7], np.uint64))
        >>> at.shard_of(np.array([4, 5, 5, 6], np.uint64), np.array([9, 6, 7, 0], np.uint64))
        array([0, 1, 2, 2])
        """
        found = np.searchsorted(self.curves, curves, side="right").astype(np.int64)
        for curve in np.unique(self.curves).tolist():
            here = np.flatnonzero(curves == np.uint64(curve))
            if len(here):
                first, last = np.searchsorted(self.curves, [curve], side="left")[0], found[here[0]]
                inside = self.numbers[first:last]
                found[here] = first + np.searchsorted(inside, numbers[here], side="right")
        return found


def counted(
    curves: WordArray, numbers: WordArray, stretches: list[Stretch]
) -> list[tuple[int, int, int]]:
    """Count tuples in each stretch: (stretch, next bits, how many), where there are any."""
    found = []
    for which, stretch in enumerate(stretches):
        inside = _inside(curves, numbers, stretch)
        word = (curves if stretch.level < len(WIDTHS) else numbers)[inside]
        step = stretch.level % len(WIDTHS)
        shift = np.uint64(_WORD - _ENDS[step + 1])
        digits = (word >> shift) & np.uint64(2 ** WIDTHS[step] - 1)
        counts = np.bincount(digits.astype(np.int64))
        there = np.flatnonzero(counts)
        found += [
            (which, digit, count)
            for digit, count in zip(there.tolist(), counts[there].tolist(), strict=True)
        ]
    return found


def parts_of(stretch: Stretch, digit: int) -> Stretch:
    """Return the part of a stretch with some next bits."""
    step = stretch.level % len(WIDTHS)
    bits = digit << int(_WORD - _ENDS[step + 1])
    if stretch.level < len(WIDTHS):
        return Stretch(stretch.curve | bits, 0, stretch.level + 1)
    return Stretch(stretch.curve, stretch.number | bits, stretch.level + 1)


def boundaries_at(bins: list[tuple[Stretch, int]], shards: int) -> Boundaries:
    """Cut the curve into so many shards, as equal as whole stretches allow.

    Shard i begins with the first stretch that has at least i / shards of all tuples before it.
    """
    bins = sorted(bins, key=lambda one: (one[0].curve, one[0].number))
    counts = np.array([count for _, count in bins], dtype=np.int64)
    before = np.cumsum(counts) - counts
    wanted = np.arange(1, shards) * counts.sum() / shards
    at = np.unique(np.searchsorted(before, wanted))
    at = at[(at > 0) & (at < len(bins))]
    starts = [bins[place][0] for place in at.tolist()]
    return Boundaries(
        np.array([one.curve for one in starts], dtype=np.uint64),
        np.array([one.number for one in starts], dtype=np.uint64),
    )


def _inside(curves: WordArray, numbers: WordArray, stretch: Stretch) -> BoolArray:
    """Tell which places lie in a stretch."""
    n_words = len(WIDTHS)
    fixed = int(_ENDS[min(stretch.level, n_words)])
    inside = np.ones(len(curves), dtype=bool)
    if fixed:
        shift = np.uint64(_WORD - fixed)
        inside = (curves >> shift) == (np.uint64(stretch.curve) >> shift)
    if stretch.level > n_words:
        shift = np.uint64(_WORD - int(_ENDS[stretch.level - n_words]))
        inside &= (numbers >> shift) == (np.uint64(stretch.number) >> shift)
    return np.asarray(inside)
