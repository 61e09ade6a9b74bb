"""Top-down cuts of Mondrian, segment by segment of one array of rows.

Axes: ranks (tuples, attributes) number the different codes of each attribute from 0, in
order. Attribute a has its borders from offsets[a] on: heights[offsets[a] + r] is that
between ranks r and r + 1, and places[offsets[a] + r] is where rank r lies in [0, 1].
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.kernels._jit import kernel
from seriatim.kernels.criteria import stands

NO_BORDER = -1
HIGHEST = 2**62


@kernel
def best_border(ranks: IntArray, heights: IntArray, below: int) -> tuple[int, int]:
    """Return where to cut some ranks, in rising order, and how high the border is there.

    Of the borders lower than ``below`` the highest count, and of those the most even one;
    of two as even, the one above the median. The cut leaves ranks up to the returned one
    on the left; -1 where there is no border to cut at.
    """
    size = ranks.shape[0]
    border, height, uneven = NO_BORDER, 0, size
    for place in range(size - 1):
        here, there = ranks[place], ranks[place + 1]
        if here == there:
            continue
        between = 0
        for rank in range(here, there):
            between = max(between, heights[rank])
        if between >= below or between < height:
            continue
        apart = abs(2 * (place + 1) - size)
        if between > height or apart <= uneven:
            border, height, uneven = here, between, apart
    return border, height


@kernel
def widths_of(rows: IntArray, ranks: IntArray, places: FloatArray, offsets: IntArray) -> FloatArray:
    """Return how wide some tuples lie in each attribute, relative to its domain."""
    widths = np.zeros(ranks.shape[1], np.float64)
    for axis in range(ranks.shape[1]):
        least, greatest = ranks[rows[0], axis], ranks[rows[0], axis]
        for place in range(1, rows.shape[0]):
            rank = ranks[rows[place], axis]
            least, greatest = min(least, rank), max(greatest, rank)
        if greatest > least:
            # A border is there, even where the domain has no measurable length.
            apart = places[offsets[axis] + greatest] - places[offsets[axis] + least]
            widths[axis] = max(apart, 1e-300)
    return widths


@kernel
def divide(rows: IntArray, ranks: IntArray, border: int, divided: IntArray) -> int:
    """Write rows up to a border before those beyond it, and return how many they are."""
    left = 0
    for place in range(rows.shape[0]):
        if ranks[rows[place]] <= border:
            divided[left] = rows[place]
            left += 1
    right = left
    for place in range(rows.shape[0]):
        if ranks[rows[place]] > border:
            divided[right] = rows[place]
            right += 1
    return left


@kernel
def mondrian_segments(
    ranks: IntArray,
    places: FloatArray,
    offsets: IntArray,
    heights: IntArray,
    value_codes: IntArray,
    tuple_beliefs: FloatArray,
    entropies: FloatArray,
    view_counts: IntArray,
    criteria: IntArray,
    bounds: FloatArray,
    tolerances: FloatArray,
    reach: float,
    beliefs: FloatArray,
    smoother: FloatArray,
) -> tuple[IntArray, IntArray, BoolArray]:
    """Return the rows segment by segment, where segments end, and which may stand as groups."""
    n_tuples = ranks.shape[0]
    order = np.arange(n_tuples)
    divided = np.empty(n_tuples, np.int64)
    first_cut = np.empty(n_tuples, np.int64)
    ends = np.empty(n_tuples, np.int64)
    standing = np.zeros(n_tuples, np.bool_)
    segments = 0
    open_begins = np.empty(n_tuples + 1, np.int64)
    open_ends = np.empty(n_tuples + 1, np.int64)
    known_to_stand = np.zeros(n_tuples + 1, np.bool_)
    open_begins[0], open_ends[0] = 0, n_tuples
    waiting = 1
    while waiting > 0:
        waiting -= 1
        begin, end = open_begins[waiting], open_ends[waiting]
        rows = order[begin:end]
        size = end - begin
        # One call to ``stands`` in the code, whatever is asked: inlined, each would be compiled.
        asked = 0 if known_to_stand[waiting] else 1
        may_stand, left, left_of_first = known_to_stand[waiting], 0, 0
        widths = widths_of(rows, ranks, places, offsets)
        axis, below, in_order = -1, HIGHEST, rows
        cut = False
        while True:
            if asked == 0:
                # The next border to try, on this axis or the next widest.
                border, height = NO_BORDER, 0
                if axis >= 0:
                    border, height = best_border(in_order, heights[offsets[axis] :], below)
                if border == NO_BORDER:
                    axis, below = int(np.argmax(widths)), HIGHEST
                    if widths[axis] <= 0.0:
                        break
                    widths[axis] = 0.0
                    in_order = np.sort(ranks[:, axis][rows])
                    continue
                below = height
                left = divide(rows, ranks[:, axis], border, divided)
                asked = 2
            members = rows if asked == 1 else divided[:left] if asked == 2 else divided[left:size]
            holds = stands(
                members,
                value_codes,
                tuple_beliefs,
                entropies,
                view_counts,
                n_tuples,
                criteria,
                bounds,
                tolerances,
                reach,
                beliefs,
                smoother,
            )
            if asked == 1:
                may_stand, asked = holds, 0
            elif asked == 2 and holds:
                asked = 3
            elif asked == 3 and holds:
                cut = True
                break
            else:
                asked = 0
                if left_of_first == 0:
                    left_of_first = left
                    for place in range(size):
                        first_cut[place] = divided[place]
        if not cut and (may_stand or left_of_first == 0):
            ends[segments], standing[segments] = end, may_stand
            segments += 1
            continue
        # What cannot stand loses nothing by being cut: its parts may.
        chosen = divided if cut else first_cut
        for place in range(size):
            order[begin + place] = chosen[place]
        middle = begin + (left if cut else left_of_first)
        open_begins[waiting], open_ends[waiting] = middle, end
        open_begins[waiting + 1], open_ends[waiting + 1] = begin, middle
        known_to_stand[waiting], known_to_stand[waiting + 1] = cut, cut
        waiting += 2
    return order, ends[:segments].copy(), standing[:segments].copy()
