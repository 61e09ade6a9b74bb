"""Cells of the space of quasi-identifiers: a tree of cuts, grown once and asked ever after.

Axes: as in ``kernels.mondrian`` for ranks, places, offsets and heights, as in
``kernels.optimal`` for units, lower, upper and each. A tree is arrays over
its nodes: axes has the attribute of a cut, -1 for a cell; borders the last rank (or code) on
its left; left and right the nodes below, or for a cell its number in left.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.kernels._jit import kernel
from seriatim.kernels.best_cuts import (
    UNCUT,
    best_cuts,
    binned,
    intervals,
    n_boxes,
    number,
)
from seriatim.kernels.mondrian import HIGHEST, NO_BORDER, best_border, divide, widths_of

CELL = -1

MANY_CELLS = 64
"""A block of more cells than this is halved first, unless all its boxes can be weighed."""

MOST_BOXES = 2**20
"""Boxes of one block that are weighed at the most."""

ALL_BOXES = 2**27
"""Boxes that are weighed in all, about; shared out over the cells."""


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
def lasts_of_bins(
    rows: IntArray, ranks: IntArray, offsets: IntArray, heights: IntArray, most: float
) -> tuple[IntArray, IntArray]:
    """Return a grid of at most so many boxes: last rank of each bin, and how many bins."""
    n_axes = ranks.shape[1]
    n_bins = np.empty(n_axes, np.int64)
    for axis in range(n_axes):
        n_bins[axis] = np.unique(ranks[:, axis][rows]).shape[0]
    while n_boxes(n_bins) > most and n_bins.max() > 2:
        n_bins[np.argmax(n_bins)] -= 1
    lasts = np.zeros((n_axes, n_bins.max()), np.int64)
    for axis in range(n_axes):
        in_order = np.sort(ranks[:, axis][rows])
        found = binned(in_order, heights[offsets[axis] :], n_bins[axis])
        n_bins[axis] = found.shape[0]
        lasts[axis, : found.shape[0]] = found
    return lasts, n_bins


@kernel
def distinct_boxes(rows: IntArray, ranks: IntArray) -> float:
    """Return how many boxes there are if every rank has a bin of its own."""
    n_bins = np.empty(ranks.shape[1], np.int64)
    for axis in range(ranks.shape[1]):
        n_bins[axis] = np.unique(ranks[:, axis][rows]).shape[0]
    return n_boxes(n_bins)


@kernel
def grow_cells(
    ranks: IntArray,
    places: FloatArray,
    offsets: IntArray,
    heights: IntArray,
    units: IntArray,
    lower: FloatArray,
    upper: FloatArray,
    each: FloatArray,
    least: int,
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Cut a roster into cells of at least so many tuples; return the tree."""
    n_tuples, n_axes = ranks.shape
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
    boxes_a_cell = ALL_BOXES / max(n_tuples // least, 1)
    while waiting > 0:
        waiting -= 1
        node = stack[waiting]
        rows = order[begins[node] : ends[node]]
        size = rows.shape[0]
        room = min(float(MOST_BOXES), boxes_a_cell * (size // least))
        if size >= MANY_CELLS * least and distinct_boxes(rows, ranks) > room:
            cut, axis, border = median_cut(rows, ranks, places, offsets, heights, least, divided)
            if cut > 0:
                axes[node], borders[node] = axis, border
                order[begins[node] : ends[node]] = divided[:size]
                left[node], right[node] = nodes, nodes + 1
                begins[nodes], ends[nodes] = begins[node], begins[node] + cut
                begins[nodes + 1], ends[nodes + 1] = begins[node] + cut, ends[node]
                # The left one is taken next, so cells are numbered from left to right.
                stack[waiting], stack[waiting + 1] = nodes + 1, nodes
                waiting += 2
                nodes += 2
                continue
        if size < 2 * least:
            left[node] = cells
            cells += 1
            continue
        lasts, n_bins = lasts_of_bins(rows, ranks, offsets, heights, room)
        bins = np.empty((size, n_axes), np.int64)
        for axis in range(n_axes):
            bins[:, axis] = np.searchsorted(lasts[axis, : n_bins[axis]], ranks[:, axis][rows])
        cut_axis, cut_bin, strides = best_cuts(
            rows, bins, n_bins, least, ranks, offsets, units, lower, upper, each
        )
        inner_nodes = np.empty(2 * (size // least) + 1, np.int64)
        inner_boxes = np.empty_like(inner_nodes)
        inner_nodes[0], inner_boxes[0] = node, cut_axis.shape[0] - 1
        inner = 1
        while inner > 0:
            inner -= 1
            here, box = inner_nodes[inner], inner_boxes[inner]
            axis = cut_axis[box]
            if axis == UNCUT:
                left[here] = cells
                cells += 1
                continue
            at = (box // strides[axis]) % intervals(n_bins[axis])
            last = 0
            while number(0, last) < at:
                last += 1
            first = last - (at - number(last, last))
            border = cut_bin[box]
            axes[here], borders[here] = axis, lasts[axis, border]
            left[here], right[here] = nodes, nodes + 1
            inner_nodes[inner], inner_nodes[inner + 1] = nodes + 1, nodes
            inner_boxes[inner] = box + (number(border + 1, last) - at) * strides[axis]
            inner_boxes[inner + 1] = box + (number(first, border) - at) * strides[axis]
            inner += 2
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
