"""Gathering: entries of an array in another order, and which of them a group has.

Axes: codes (tuples) go group by group; starts (groups and one).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.kernels._jit import kernel
from seriatim.kernels._machine import fetch_ahead

_AHEAD = 64
"""Entries ahead of the one looked up that are fetched."""

_NEAR = 1024
"""Rows that are still near when the next of their columns is looked up."""


@kernel
def gather(start: int, stop: int, source: Any, rows: IntArray, target: Any) -> None:
    """Write entries of the source to a target; either may be a column of a table."""
    fetched = max(stop - _AHEAD, start)
    for number in range(start, fetched):
        place = np.uint64(number)
        fetch_ahead(source, np.uint64(rows[place + np.uint64(_AHEAD)]))
        target[place] = source[np.uint64(rows[place])]
    for number in range(fetched, stop):
        place = np.uint64(number)
        target[place] = source[np.uint64(rows[place])]


@kernel
def gather_columns(
    start: int, stop: int, points: FloatArray, rows: IntArray, columns: FloatArray
) -> None:
    """Write rows of points (rows, axes) as columns (axes, rows)."""
    last, ahead = np.uint64(points.shape[1] - 1), np.uint64(_AHEAD)
    for begin in range(start, stop, _NEAR):
        end = min(begin + _NEAR, stop)
        for number in range(begin, end):
            place = np.uint64(number)
            if number + _AHEAD < stop:
                fetch_ahead(points, (np.uint64(rows[place + ahead]), np.uint64(0)))
                fetch_ahead(points, (np.uint64(rows[place + ahead]), last))
            columns[0, place] = points[np.uint64(rows[place]), 0]
        for axis in range(1, points.shape[1]):
            for number in range(begin, end):
                place = np.uint64(number)
                columns[axis, place] = points[np.uint64(rows[place]), axis]


@kernel
def mark_codes(
    first: int, last: int, codes: FloatArray, starts: IntArray, marks: BoolArray
) -> None:
    """Mark which codes each group has: marks (groups, codes)."""
    for group in range(first, last):
        for place in range(starts[group], starts[group + 1]):
            marks[group, np.uint64(codes[place])] = True


@kernel
def find_ends(
    first: int,
    last: int,
    codes: FloatArray,
    starts: IntArray,
    least: FloatArray,
    greatest: FloatArray,
) -> None:
    """Write the least and the greatest code of each group (groups)."""
    for group in range(first, last):
        begin, end = np.uint64(starts[group]), np.uint64(starts[group + 1])
        low = high = codes[begin]
        for place in range(begin, end):
            low, high = min(low, codes[place]), max(high, codes[place])
        least[group], greatest[group] = low, high


@kernel
def collect_codes(
    first: int, last: int, codes: FloatArray, starts: IntArray, sets: IntArray
) -> None:
    """Write the codes of each group, from 0 to 62, as the digits of a word (groups)."""
    for group in range(first, last):
        found = np.int64(0)
        for place in range(np.uint64(starts[group]), np.uint64(starts[group + 1])):
            found |= np.int64(1) << np.int64(codes[place])
        sets[group] = found
