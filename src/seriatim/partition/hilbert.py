"""The order of tuples along a Hilbert curve through the quasi-identifiers.

Tuples that are near on the curve have similar quasi-identifiers, so cutting the
curve into stretches gives groups with tight regions.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from seriatim._typing import IntArray, WordArray
from seriatim.errors import PolicyError
from seriatim.microdata.orders import sorted_order
from seriatim.microdata.roster import Roster

_MOST_BITS = 32
"""Bits of a dimension, at most."""

_NEAR = 2**16
"""Tuples that are worked on at a time: near the processor, and not handed over too often."""

_MOST_TURNS = 4
"""Attributes that a curve is tried beginning with, at most."""


def hilbert_index(points: npt.ArrayLike, bits: int) -> WordArray:
    """Return the position of grid points along the Hilbert curve.

    ``points`` (tuples, dimensions) are whole numbers from 0 to 2**bits − 1. Up to
    64 bits in all, the index is one number a point; beyond, a row of 64-bit words,
    most significant first, which sorts the same way.

    >>> hilbert_index([[0, 0], [0, 1], [1, 1], [1, 0]], bits=1).tolist()
    [0, 1, 2, 3]
    """
    if not 1 <= bits <= _MOST_BITS:
        message = f"bits must be from 1 to {_MOST_BITS}, not {bits!r}."
        raise PolicyError(message)
    grid = np.asarray(points)
    if grid.ndim != 2 or grid.shape[1] == 0 or not np.issubdtype(grid.dtype, np.integer):
        message = (
            "Points are whole numbers (tuples, dimensions); an array of shape"
            f" {grid.shape} and type {grid.dtype} was given."
        )
        raise PolicyError(message)
    if grid.size and (grid.min() < 0 or int(grid.max()) >= 2**bits):
        message = f"Points must lie from 0 to {2**bits - 1} with {bits} bits a dimension."
        raise PolicyError(message)
    words = _hilbert_words(grid, bits)
    return words[:, 0] if words.shape[1] == 1 else words


def _hilbert_words(grid: IntArray, bits: int) -> WordArray:
    """Return the positions of points that are known to lie on the grid, as rows of words."""
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.hilbert import hilbert_words

    words = np.empty((len(grid), _n_words(grid.shape[1], bits)), dtype=np.uint64)
    unsigned = np.ascontiguousarray(grid, dtype=np.int64).view(np.uint64)
    over_ranges(hilbert_words, len(grid), unsigned, bits, words)
    return words


def _n_words(n_axes: int, bits: int) -> int:
    """Return how many words a position takes."""
    from seriatim.kernels.hilbert import WORD_BITS

    return -(-n_axes * bits // WORD_BITS)


def grid_bits(roster: Roster) -> int:
    """Return the bits a dimension that the finest attribute needs."""
    steps = max(attribute.steps for attribute in roster.schema.quasi_identifiers)
    return max(int(steps - 1).bit_length(), 1)


def grid_points(roster: Roster, bits: int) -> IntArray:
    """Place tuples on the grid, every attribute stretched over its whole side.

    Without stretching, an attribute of two values would fill a corner of the
    grid, and neighbours on the curve would mix it freely.
    """
    grid = np.empty(roster.points.shape, dtype=np.int64)
    _in_pieces(lambda some: _place(roster, bits, some, grid[some]), len(grid))
    return grid


def _place(roster: Roster, bits: int, some: slice, grid: IntArray) -> None:
    """Write where some tuples are on the grid."""
    side = 2**bits - 1
    for axis, attribute in enumerate(roster.schema.quasi_identifiers):
        grid[:, axis] = np.rint(attribute.spread(roster.points[some, axis]) * side)


def _in_pieces(work: Callable[[slice], None], length: int) -> None:
    """Work on some tuples at a time: what all of them take would not stay near the processor."""
    from seriatim.kernels.stretches import over_stretches

    def stretch(start: int, stop: int) -> None:
        for begin in range(start, stop, _NEAR):
            work(slice(begin, min(begin + _NEAR, stop)))

    over_stretches(stretch, length)


def hilbert_order(roster: Roster, *, ties: WordArray) -> IntArray:
    """Return the rows of a roster along the curve; ties orders those at the same point."""
    from seriatim.kernels.hilbert import hilbert_words

    bits = grid_bits(roster)
    n_axes = roster.points.shape[1]
    words = np.empty((len(roster), _n_words(n_axes, bits)), dtype=np.uint64)

    def index(some: slice) -> None:
        grid = np.empty((some.stop - some.start, n_axes), dtype=np.int64)
        _place(roster, bits, some, grid)
        hilbert_words(0, len(grid), grid.view(np.uint64), bits, words[some])

    _in_pieces(index, len(roster))
    return _along(words, ties)


def curve_orders(roster: Roster, *, ties: WordArray) -> list[IntArray]:
    """Return the rows of a roster along several curves; the first is ``hilbert_order``.

    The others begin with another attribute, which gives the same curve other neighbours, or
    go through the values of the coarsest attribute one after the other, and inside each
    along the curve through the remaining ones, back and forth: no group mixes two of these
    values unless it lies at a border. All depend on quasi-identifiers and ties alone.
    """
    bits = grid_bits(roster)
    points = grid_points(roster, bits)
    turns = range(min(points.shape[1], _MOST_TURNS))
    turned = (np.roll(points, -turn, axis=1) for turn in turns)
    orders = [_along(_hilbert_words(one, bits), ties) for one in turned]
    if points.shape[1] > 1:
        steps = [attribute.steps for attribute in roster.schema.quasi_identifiers]
        coarsest = int(np.argmin(steps))
        leading, others = points[:, coarsest], np.delete(points, coarsest, axis=1)
        mirrored = others.copy()
        mirrored[:, 0] = 2**bits - 1 - others[:, 0]
        inside = [others, others[:, ::-1], mirrored]
        some = inside[: 2 * others.shape[1] - 1]
        orders += [_along(_hilbert_words(one, bits), ties, leading) for one in some]
    return orders


def _along(words: WordArray, ties: WordArray, leading: IntArray | None = None) -> IntArray:
    """Return the order along the curve, for each value of a leading key forth or back."""
    if leading is None and words.shape[1] == 1:
        return sorted_order(words[:, 0], ties=ties)
    if leading is None:
        return np.asarray(np.lexsort((ties, *words.T[::-1])))
    _, rank = np.unique(leading, return_inverse=True)
    back = rank.ravel() % 2 == 1
    words = np.where(back[:, None], ~words, words)
    return np.asarray(np.lexsort((ties, *words.T[::-1], leading)))
