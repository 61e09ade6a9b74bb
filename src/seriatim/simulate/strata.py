"""Strata: quasi-identifiers cut where values differ, as far as the people seen bear it out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seriatim._typing import FloatArray, IntArray

SHRINKING = 10.0
"""People's worth of the larger stratum that is mixed into each part of it."""

_LEAST = 50
"""People of a stratum, at least."""

_DEEPEST = 6
"""Cuts between the whole and a stratum, at most."""

_BORDERS = 15
"""Borders tried on each quasi-identifier: so many quantiles."""

_BEYOND_CHANCE = 4.0
"""A cut tells something where its information is so many standard deviations above chance."""


@dataclass(frozen=True, eq=False)
class Strata:
    """A tree of cuts, and how common values are in each of its leaves.

    >>> ages, exams = np.arange(400.0)[:, None], np.arange(400) // 200
    >>> found = Strata.of_people(ages, exams, n_values=2)
    >>> found.of(np.array([[3.0], [390.0]])).tolist(), found.shares.round(2).tolist()
    ([0, 1], [[0.98, 0.02], [0.02, 0.98]])
    """

    axes: IntArray
    """The quasi-identifier that each node is cut by; -1 for leaves."""

    borders: FloatArray
    """Where each node is cut: codes up to the border go to the first part."""

    parts: IntArray
    """The two parts of each node (nodes, 2); for leaves the number of the stratum, twice."""

    shares: FloatArray
    """How common each value is (strata, values), shrunk to the larger strata around."""

    def __len__(self) -> int:
        """Return the number of strata."""
        return len(self.shares)

    def __repr__(self) -> str:
        """Say how many there are, and nothing about anyone in them."""
        return f"Strata({len(self)})"

    def of(self, points: FloatArray) -> IntArray:
        """Return the stratum of each point."""
        node = np.zeros(len(points), dtype=np.int64)
        rows = np.arange(len(points))
        for _ in range(_DEEPEST):
            axis = self.axes[node]
            beyond = (points[rows, axis] > self.borders[node]).astype(np.int64)
            node = np.where(axis < 0, node, self.parts[node, beyond])
        return np.asarray(self.parts[node, 0])

    @classmethod
    def of_people(cls, points: FloatArray, codes: IntArray, *, n_values: int) -> Strata:
        """Cut where values differ most, in bits, while that is beyond chance.

        Of each person one point and one value: people who come often would make chance look
        like a difference.
        """
        axes, borders, parts = [-1], [0.0], [[0, 0]]
        shares: list[FloatArray] = []
        everyone = np.bincount(codes, minlength=n_values) + 1.0 / n_values
        waiting = [(0, np.arange(len(points)), everyone / everyone.sum(), 0)]
        while waiting:
            node, rows, around, depth = waiting.pop(0)
            counts = np.bincount(codes[rows], minlength=n_values)
            share = (counts + SHRINKING * around) / (len(rows) + SHRINKING)
            cut = _best_cut(points[rows], codes[rows], n_values) if depth < _DEEPEST else None
            if cut is None:
                parts[node] = [len(shares)] * 2
                shares.append(share)
                continue
            axes[node], borders[node] = cut
            beyond = points[rows, cut[0]] > cut[1]
            parts[node] = [len(axes), len(axes) + 1]
            for part in (rows[~beyond], rows[beyond]):
                waiting.append((len(axes), part, share, depth + 1))
                axes.append(-1)
                borders.append(0.0)
                parts.append([0, 0])
        return cls(np.array(axes), np.array(borders), np.array(parts), np.array(shares))


def _best_cut(points: FloatArray, codes: IntArray, n_values: int) -> tuple[int, float] | None:
    """Return axis and border of the cut that tells most of values; None where none tells any.

    Twice the information of a cut that tells nothing, in nats and times the people, has about the
    mean d and the variance 2d, d being the number of values less one (Wilks, 1938).
    """
    people = len(points)
    total = np.bincount(codes, minlength=n_values)
    free = int((total > 0).sum()) - 1
    if people < 2 * _LEAST or free < 1:
        return None
    best, found = free + _BEYOND_CHANCE * np.sqrt(2.0 * free), None
    for axis in range(points.shape[1]):
        column = points[:, axis]
        ranks = np.linspace(0, 1, _BORDERS + 2)[1:-1]
        borders = np.unique(np.quantile(column, ranks, method="inverted_cdf"))
        bins = np.searchsorted(borders, column)
        table = np.bincount(bins * n_values + codes, minlength=(len(borders) + 1) * n_values)
        below = np.cumsum(table.reshape(-1, n_values), axis=0)[:-1]
        sizes = below.sum(axis=1)
        told = 2 * (_disorder(total) - _disorder(below) - _disorder(total - below))
        told[(sizes < _LEAST) | (people - sizes < _LEAST)] = -np.inf
        place = int(np.argmax(told))
        if told[place] > best:
            best, found = float(told[place]), (axis, float(borders[place]))
    return found


def _disorder(counts: IntArray) -> FloatArray:
    """Return the entropy of counts times their total, in nats."""
    logs = np.log(np.maximum(counts, 1))
    totals = counts.sum(axis=-1)
    return np.asarray(totals * np.log(np.maximum(totals, 1)) - (counts * logs).sum(axis=-1))
