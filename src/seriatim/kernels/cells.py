"""Cells of the space of quasi-identifiers: a tree of cuts, grown once and asked ever after.

Axes: as in ``kernels.mondrian`` for ranks, places, offsets and heights. A tree is arrays over
its nodes: axes has the attribute of a cut, -1 for a cell; borders the last rank (or code) on
its left; left and right the nodes below, or for a cell its number in left.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.kernels._jit import kernel
from seriatim.kernels.mondrian import HIGHEST, NO_BORDER, best_border, divide, widths_of

CELL = -1


@kernel
def grow_cells(
    ranks: IntArray, places: FloatArray, offsets: IntArray, heights: IntArray, least: int
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Cut a roster into cells of at least so many tuples; return the tree."""
    n_tuples = ranks.shape[0]
    most = 2 * max(n_tuples // least, 1) + 1
    axes = np.full(most, CELL, np.int64)
    borders = np.zeros(most, np.int64)
    left = np.zeros(most, np.int64)
    right = np.zeros(most, np.int64)
    order = np.arange(n_tuples)
    divided = np.empty(n_tuples, np.int64)
    begins = np.empty(most, np.int64)
    ends = np.empty(most, np.int64)
    stack = np.empty(most, np.int64)
    begins[0], ends[0], stack[0] = 0, n_tuples, 0
    waiting, nodes, cells = 1, 1, 0
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        rows = order[begins[node] : ends[node]]
        size = rows.shape[0]
        cut = 0
        if size >= 2 * least:
            widths = widths_of(rows, ranks, places, offsets)
            while cut == 0:
                axis = int(np.argmax(widths))
                if widths[axis] <= 0.0:
                    break
                widths[axis] = 0.0
                in_order = np.sort(ranks[:, axis][rows])
                below = HIGHEST
                while cut == 0:
                    border, below = best_border(in_order, heights[offsets[axis] :], below)
                    if border == NO_BORDER:
                        break
                    inside = divide(rows, ranks[:, axis], border, divided)
                    if min(inside, size - inside) >= least:
                        cut = inside
                        axes[node], borders[node] = axis, border
        if cut == 0:
            left[node] = cells
            cells += 1
            continue
        order[begins[node] : ends[node]] = divided[:size]
        left[node], right[node] = nodes, nodes + 1
        begins[nodes], ends[nodes] = begins[node], begins[node] + cut
        begins[nodes + 1], ends[nodes + 1] = begins[node] + cut, ends[node]
        # The left one is taken next, so cells are numbered from left to right.
        stack[waiting], stack[waiting + 1] = nodes + 1, nodes
        waiting += 2
        nodes += 2
    return axes[:nodes].copy(), borders[:nodes].copy(), left[:nodes].copy(), right[:nodes].copy()


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
