"""Cells of the space of quasi-identifiers: halving a roster, and finding the cell of a point.

Axes: as in ``kernels.mondrian`` for ranks, places, offsets and heights. A tree is arrays over
its nodes: axes has the attribute of a cut, -1 for a cell; borders the last code on
its left; left and right the nodes below, or for a cell its number in left.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.kernels._jit import kernel
from seriatim.kernels.mondrian import HIGHEST, NO_BORDER, best_border, divide, widths_of

CELL = -1


@kernel
def median_cut(
    rows: IntArray,
    ranks: IntArray,
    places: FloatArray,
    offsets: IntArray,
    heights: IntArray,
    least: int,
    divided: IntArray,
) -> tuple[int, int, int]:
    """Halve some tuples in their widest attribute: how many are left of which border of which axis.

    Divided rows are written to ``divided``; none on the left where no cut leaves enough on
    either side.
    """
    size = rows.shape[0]
    widths = widths_of(rows, ranks, places, offsets)
    while True:
        axis = int(np.argmax(widths))
        if widths[axis] <= 0.0:
            return 0, 0, 0
        widths[axis] = 0.0
        in_order = np.sort(ranks[:, axis][rows])
        below = HIGHEST
        while True:
            border, below = best_border(in_order, heights[offsets[axis] :], below)
            if border == NO_BORDER:
                break
            inside = divide(rows, ranks[:, axis], border, divided)
            if min(inside, size - inside) >= least:
                return inside, axis, border


@kernel
def find_cells(
    start: int,
    stop: int,
    points: FloatArray,
    axes: IntArray,
    borders: FloatArray,
    left: IntArray,
    right: IntArray,
    found: IntArray,
) -> None:
    """Write the cell of points start..stop into found; borders are codes here."""
    for row in range(start, stop):
        node = 0
        while axes[node] != CELL:
            node = left[node] if points[row, axes[node]] <= borders[node] else right[node]
        found[row] = left[node]
