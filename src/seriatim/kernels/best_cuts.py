"""The best way to cut a block of tuples by straight cuts: dynamic programming over its boxes.

A block is a grid of bins, a box an interval of bins of every attribute. Interval (i, j) of an
attribute is numbered j (j + 1) / 2 + (j − i): both parts of a cut have lower numbers than
the whole, so boxes in the order of their numbers find their parts done. Axes: bins and
ranks (tuples, attributes); n_bins and strides (attributes); boxes have one number.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.kernels._jit import kernel
from seriatim.kernels.optimal import price

UNCUT = -1


@kernel
def intervals(n_bins: int) -> int:
    """Return how many intervals so many bins have."""
    return n_bins * (n_bins + 1) // 2


@kernel
def number(first: int, last: int) -> int:
    """Return the number of an interval of bins."""
    return last * (last + 1) // 2 + (last - first)


@kernel
def ones(word: np.uint64) -> int:
    """Return how many bits of a word are set."""
    found = 0
    while word > np.uint64(0):
        word &= word - np.uint64(1)
        found += 1
    return found


@kernel
def best_cuts(
    rows: IntArray,
    bins: IntArray,
    n_bins: IntArray,
    least: int,
    ranks: IntArray,
    offsets: IntArray,
    units: IntArray,
    lower: FloatArray,
    upper: FloatArray,
    each: FloatArray,
) -> tuple[IntArray, IntArray, IntArray]:
    """Return where to cut each box, the attribute and the last bin on the left, and the strides.

    Least is Σ size · NCP over the cells, each of at least so many tuples; a box that is best
    left whole has attribute -1. Of a set with more values than a word has bits, all between the
    first and the last count.
    """
    n_axes = n_bins.shape[0]
    strides = np.ones(n_axes, np.int64)
    for axis in range(n_axes - 2, -1, -1):
        strides[axis] = strides[axis + 1] * intervals(n_bins[axis + 1])
    total = strides[0] * intervals(n_bins[0])
    most_bins, has_sets = 0, False
    for axis in range(n_axes):
        most_bins = max(most_bins, n_bins[axis])
        has_sets = has_sets or each[axis] > 0.0
    firsts = np.empty((n_axes, intervals(most_bins)), np.int64)
    lasts = np.empty_like(firsts)
    for axis in range(n_axes):
        for last in range(n_bins[axis]):
            for first in range(last + 1):
                firsts[axis, number(first, last)] = first
                lasts[axis, number(first, last)] = last

    counts = np.zeros(total, np.int64)
    lows = np.full((total, n_axes), 2**30, np.int32)
    highs = np.full((total, n_axes), -1, np.int32)
    sets = np.zeros((total if has_sets else 1, n_axes), np.uint64)
    for place in range(rows.shape[0]):
        box = 0
        for axis in range(n_axes):
            box += strides[axis] * number(bins[place, axis], bins[place, axis])
        counts[box] += 1
        for axis in range(n_axes):
            rank = np.int32(ranks[rows[place], axis])
            lows[box, axis] = min(lows[box, axis], rank)
            highs[box, axis] = max(highs[box, axis], rank)
            if each[axis] > 0.0 and rank < 64:
                sets[box, axis] |= np.uint64(1) << np.uint64(rank)

    best = np.full(total, np.inf)
    cut_axis = np.full(total, UNCUT, np.int64)
    cut_bin = np.zeros(total, np.int64)
    at = np.empty(n_axes, np.int64)
    for box in range(total):
        long_axis = -1
        for axis in range(n_axes):
            at[axis] = (box // strides[axis]) % intervals(n_bins[axis])
            if long_axis < 0 and firsts[axis, at[axis]] < lasts[axis, at[axis]]:
                long_axis = axis
        if long_axis >= 0:
            here = at[long_axis]
            first, last = firsts[long_axis, here], lasts[long_axis, here]
            one = box + (number(first, last - 1) - here) * strides[long_axis]
            other = box + (number(last, last) - here) * strides[long_axis]
            counts[box] = counts[one] + counts[other]
            for axis in range(n_axes):
                lows[box, axis] = min(lows[one, axis], lows[other, axis])
                highs[box, axis] = max(highs[one, axis], highs[other, axis])
                if each[axis] > 0.0:
                    sets[box, axis] = sets[one, axis] | sets[other, axis]
        if counts[box] < least:
            continue
        penalty = 0.0
        for axis in range(n_axes):
            low, high = lows[box, axis], highs[box, axis]
            if each[axis] > 0.0:
                present = ones(sets[box, axis]) if high < 64 else high - low + 1
                penalty += each[axis] * present if high > low else 0.0
            else:
                penalty += price(axis, low, high, 0, offsets, units, lower, upper)[0]
        best[box] = counts[box] * penalty
        if counts[box] < 2 * least:
            continue
        for axis in range(n_axes):
            here, stride = at[axis], strides[axis]
            first, last = firsts[axis, here], lasts[axis, here]
            for border in range(first, last):
                left = box + (number(first, border) - here) * stride
                right = box + (number(border + 1, last) - here) * stride
                both = best[left] + best[right]
                # Strictly less: of what costs the same, the larger cell tells less.
                if both < best[box] * (1.0 - 1e-12):
                    best[box], cut_axis[box], cut_bin[box] = both, axis, border
    return cut_axis, cut_bin, strides


@kernel
def tree_of_cuts(
    cut_axis: IntArray, cut_bin: IntArray, strides: IntArray, n_bins: IntArray
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return the tree of a block from where its boxes are cut: attribute, last bin, left, right."""
    most = 1
    for axis in range(n_bins.shape[0]):
        most *= n_bins[axis]
    axes = np.full(2 * most, UNCUT, np.int64)
    borders = np.zeros(2 * most, np.int64)
    left = np.zeros(2 * most, np.int64)
    right = np.zeros(2 * most, np.int64)
    boxes = np.empty(2 * most, np.int64)
    boxes[0] = cut_axis.shape[0] - 1
    nodes = 1
    for node in range(2 * most):
        if node == nodes:
            break
        box = boxes[node]
        axis = cut_axis[box]
        if axis == UNCUT:
            continue
        at = (box // strides[axis]) % intervals(n_bins[axis])
        last = 0
        while number(0, last) < at:
            last += 1
        first = last - (at - number(last, last))
        axes[node], borders[node] = axis, cut_bin[box]
        left[node], right[node] = nodes, nodes + 1
        boxes[nodes] = box + (number(first, cut_bin[box]) - at) * strides[axis]
        boxes[nodes + 1] = box + (number(cut_bin[box] + 1, last) - at) * strides[axis]
        nodes += 2
    return axes[:nodes].copy(), borders[:nodes].copy(), left[:nodes].copy(), right[:nodes].copy()
