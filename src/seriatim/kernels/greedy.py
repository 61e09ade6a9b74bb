"""The scan of the paper's Algorithm 2: close a group as soon as it may stand.

What comes behind the end of a group depends on that end alone, so scans that begin at different
places agree from their first common end on.

Axes: order (tuples) is the scan order; value_codes (tuples); beliefs (tuples,
values) and entropies (tuples) are aligned to the view, not to the order.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.kernels._jit import kernel
from seriatim.kernels._machine import fetch_ahead, fetch_row
from seriatim.kernels.criteria import all_hold, farthest

_AHEAD = 32
"""Tuples ahead of the one looked at whose beliefs are fetched."""


@kernel
def greedy_ends(
    first: int,
    last: int,
    awaited: BoolArray,
    order: IntArray,
    value_codes: IntArray,
    beliefs: FloatArray,
    entropies: FloatArray,
    view_counts: IntArray,
    criteria: IntArray,
    bounds: FloatArray,
    tolerances: FloatArray,
    reach: float,
    own_beliefs: FloatArray,
    smoother: FloatArray,
) -> IntArray:
    """Return where groups end along the order if one begins at first, until last or an awaited end.

    Tuples after the last end are left over.
    """
    n_view = view_counts.sum()  # more than are scanned, where these are a part of a view
    n_values = beliefs.shape[1]
    ends = np.empty(last - first, np.int64)
    groups = 0
    size = 0
    value_counts = np.zeros(n_values, np.int64)
    belief_sum = np.zeros(n_values, np.float64)
    entropy_sum = 0.0
    for place in range(first, last):
        if place + _AHEAD < last:
            coming = np.uint64(order[np.uint64(place + _AHEAD)])
            fetch_row(beliefs, coming)
            fetch_ahead(entropies, coming)
            fetch_ahead(value_codes, coming)
        row = np.uint64(order[np.uint64(place)])
        size += 1
        value_counts[np.uint64(value_codes[row])] += 1
        for value in range(n_values):
            belief_sum[np.uint64(value)] += beliefs[row, np.uint64(value)]
        entropy_sum += entropies[row]
        stands = all_hold(
            criteria,
            bounds,
            tolerances,
            size,
            value_counts,
            belief_sum,
            entropy_sum,
            view_counts,
            n_view,
        )
        if stands and reach >= 0.0:
            members = order[place + 1 - size : place + 1]
            stands = farthest(members, value_counts, size, own_beliefs, smoother) <= reach
        if stands:
            ends[groups] = place + 1
            groups += 1
            if awaited[place + 1]:
                break
            size = 0
            value_counts[:] = 0
            belief_sum[:] = 0.0
            entropy_sum = 0.0
    return ends[:groups].copy()
