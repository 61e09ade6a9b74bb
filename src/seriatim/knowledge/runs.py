"""Distributions as runs: the values that are possible, and the belief in each.

A group publishes a few of a domain's values, so whoever is in it is believed to have one of
few: with 19 values a run is half as large as a row, with 2,000 a hundredth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from seriatim._typing import BoolArray, FloatArray, HalfArray, IntArray, SmallIntArray


@dataclass(frozen=True, eq=False)
class Runs:
    """Rows of numbers over numbered places, of which only the positive ones are kept."""

    offsets: IntArray
    """Where each row's run begins; one more than rows."""

    places: SmallIntArray | HalfArray
    """The places that are not zero, row by row; in 16 bits where there are very many."""

    weights: FloatArray
    """The number at each of them."""

    width: int
    """How many places there are."""

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Runs({len(self)} rows, {len(self.weights)} of {len(self) * self.width} entries)"

    @classmethod
    def of(cls, dense: FloatArray, rows: IntArray | None = None) -> Runs:
        """Return rows of an array as runs, all or some of them.

        >>> Runs.of(np.array([[0.25, 0.0, 0.75]])).places.tolist()
        [0, 2]
        """
        from seriatim.kernels._jit import over_ranges
        from seriatim.kernels.runs import count_positive, take_positive

        dense = np.ascontiguousarray(dense)
        rows = np.arange(len(dense)) if rows is None else rows
        lengths = np.empty(len(rows), dtype=np.int64)
        over_ranges(count_positive, len(rows), rows, dense, lengths)
        runs = cls.with_room(lengths, dense.shape[1])
        over_ranges(take_positive, len(rows), rows, dense, runs.offsets, runs.places, runs.weights)
        return runs

    @classmethod
    def with_room(cls, lengths: IntArray, width: int, kind: npt.DTypeLike = np.int32) -> Runs:
        """Return runs of some lengths that nothing was written to yet."""
        offsets = np.empty(len(lengths) + 1, dtype=np.int64)
        offsets[0] = 0
        np.cumsum(lengths, out=offsets[1:])
        return cls(offsets, np.empty(offsets[-1], dtype=kind), np.empty(offsets[-1]), width)

    @property
    def lengths(self) -> IntArray:
        """How many entries each row has."""
        return np.diff(self.offsets)

    def lengths_of(self, rows: IntArray) -> IntArray:
        """How many entries each of some rows has."""
        return np.asarray(self.offsets[rows + 1] - self.offsets[rows])

    def dense(self) -> FloatArray:
        """Return the rows with their zeros."""
        from seriatim.kernels._jit import over_ranges
        from seriatim.kernels.runs import spread_runs

        found = np.zeros((len(self), self.width))
        over_ranges(spread_runs, len(self), self.offsets, self.places, self.weights, found)
        return found

    def take(self, rows: IntArray) -> Runs:
        """Return some of the rows; what all of them are made of is shared, not copied."""
        from seriatim.kernels.runs import take_offsets

        offsets = np.empty(len(rows) + 1, dtype=np.int64)
        if take_offsets(rows, self.offsets, offsets):
            return Runs(offsets, self.places, self.weights, self.width)
        taken = Runs.with_room(self.lengths_of(rows), self.width, self.places.dtype)
        taken.write(np.arange(len(rows)), self, rows)
        return taken

    def write(self, rows: IntArray, source: Runs, source_rows: IntArray) -> None:
        """Copy rows of other runs, which must have the same lengths, into some of these."""
        from seriatim.kernels._jit import over_ranges
        from seriatim.kernels.runs import copy_runs

        theirs = (source.offsets, source.places, source.weights)
        mine = (self.offsets, self.places, self.weights)
        over_ranges(copy_runs, len(rows), source_rows, *theirs, rows, *mine)

    def at(self, rows: IntArray, places: IntArray) -> FloatArray:
        """Return the number of each of some rows at one place."""
        from seriatim.kernels._jit import over_ranges
        from seriatim.kernels.runs import at_places

        found = np.empty(len(rows))
        mine = (self.offsets, self.places, self.weights)
        over_ranges(at_places, len(rows), np.asarray(rows), np.asarray(places), *mine, found)
        return found

    def positive(self) -> Runs:
        """Return the runs without zeros; themselves, where they have none."""
        kept = self.weights > 0.0
        if kept.all():
            return self
        offsets = np.concatenate([[0], np.cumsum(kept)])[self.offsets]
        return Runs(offsets, self.places[kept], self.weights[kept], self.width)


def interleaved(first: Runs, second: Runs, takes_second: BoolArray) -> Runs:
    """Merge runs: row i is the next of the second where asked, else the next of the first."""
    sides = ((first, np.flatnonzero(~takes_second)), (second, np.flatnonzero(takes_second)))
    lengths = np.empty(len(takes_second), dtype=np.int64)
    for runs, rows in sides:
        lengths[rows] = runs.lengths
    kind = np.promote_types(first.places.dtype, second.places.dtype)
    merged = Runs.with_room(lengths, first.width, kind)
    for runs, rows in sides:
        merged.write(rows, runs, np.arange(len(runs)))
    return merged


def runs_of(rows: FloatArray | Runs, some: IntArray | None = None) -> Runs:
    """Return rows, or some of them, as runs, whichever way they come."""
    if not isinstance(rows, Runs):
        return Runs.of(rows, some)
    if some is None or np.array_equal(some, np.arange(len(rows))):
        return rows
    return rows.take(some)
