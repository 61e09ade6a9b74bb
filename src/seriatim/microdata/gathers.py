"""Entries of an array in another order, or by groups; on all cores where there are many."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.microdata.letters import MANY, only_read

_SHARED = 2**16
"""Entries that are worth a thread: fewer are there before another has begun."""

_MARKS_PER_CODE = 8
_FEW_CODES = 12
"""Codes up to which all sets of them can be counted through."""

_Array = TypeVar("_Array", bound="np.ndarray[Any, Any]")


def gathered(source: _Array, rows: IntArray, *, into: _Array | None = None) -> _Array:
    """Return ``source[rows]``, written into a column that is there already where one is named.

    >>> gathered(np.array([5, 6, 7]), np.array([2, 0])).tolist()
    [7, 5]
    """
    target = np.empty(len(rows), source.dtype) if into is None else into
    if len(rows) < MANY:
        target[:] = source[rows]
        return target  # type: ignore[return-value]
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.gathers import gather

    over_ranges(gather, len(rows), only_read(source), only_read(rows), target, least=_SHARED)
    return target  # type: ignore[return-value]


def gathered_columns(points: FloatArray, rows: IntArray) -> FloatArray:
    """Return some rows of points (rows, axes), axis by axis (axes, rows)."""
    columns = np.empty((points.shape[1], len(rows)))
    if len(rows) < MANY:
        columns[:] = points[rows].T
        return columns
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.gathers import gather_columns

    given = (only_read(points), only_read(rows), columns)
    over_ranges(gather_columns, len(rows), *given, least=_SHARED)
    return columns


def codes_in_groups(codes: FloatArray, starts: IntArray, n_codes: int) -> IntArray:
    """Return group · n_codes + code for each code that a group has, sorted, each once.

    >>> codes_in_groups(np.array([1.0, 1.0, 0.0]), np.array([0, 2, 3]), 2).tolist()
    [1, 2]
    """
    n_groups = len(starts) - 1
    if len(codes) < MANY or n_groups * n_codes > _MARKS_PER_CODE * len(codes):
        group_of = np.repeat(np.arange(n_groups), np.diff(starts))
        return np.unique(group_of * n_codes + codes.astype(np.int64))
    from seriatim.kernels.gathers import mark_codes
    from seriatim.kernels.stretches import over_groups

    marks = np.zeros((n_groups, n_codes), dtype=np.bool_)
    over_groups(mark_codes, starts, only_read(codes), only_read(starts), marks)
    return np.flatnonzero(marks)


def ends_in_groups(codes: FloatArray, starts: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the least and the greatest code of each group, none of which is empty.

    >>> ends_in_groups(np.array([1.0, 3.0, 0.0]), np.array([0, 2, 3]))[1].tolist()
    [3.0, 0.0]
    """
    if len(codes) < MANY:
        return np.minimum.reduceat(codes, starts[:-1]), np.maximum.reduceat(codes, starts[:-1])
    from seriatim.kernels.gathers import find_ends
    from seriatim.kernels.stretches import over_groups

    least, greatest = np.empty((2, len(starts) - 1))
    over_groups(find_ends, starts, only_read(codes), only_read(starts), least, greatest)
    return least, greatest


def different_sets(codes: FloatArray, starts: IntArray, n_codes: int) -> tuple[IntArray, IntArray]:
    """Return the sets of codes that groups have, and which of them is each group's.

    Of the sets, set · n_codes + code for each code, sorted. Where groups are many and codes few,
    no set is there twice; else each group may have its own.

    >>> [found.tolist() for found in different_sets(np.array([1.0, 0.0]), np.array([0, 1, 2]), 2)]
    [[1, 2], [0, 1]]
    """
    n_groups = len(starts) - 1
    if len(codes) < MANY or n_codes > _FEW_CODES:
        return codes_in_groups(codes, starts, n_codes), np.arange(n_groups)
    from seriatim.kernels.gathers import collect_codes
    from seriatim.kernels.stretches import over_groups

    sets = np.empty(n_groups, np.int64)
    over_groups(collect_codes, starts, only_read(codes), only_read(starts), sets)
    there = np.zeros(2**n_codes, dtype=np.bool_)
    there[sets] = True
    different = np.flatnonzero(there)
    has = different[:, None] >> np.arange(n_codes) & 1
    return np.flatnonzero(has), (np.cumsum(there) - 1)[sets]
