"""The totals of finished groups: values, beliefs and entropies of their members.

Axes: group g has the rows members[starts[g]:starts[g + 1]]; value_codes and entropies
(tuples), beliefs (tuples, values); value_counts (groups, values), zero beforehand,
belief_sums (groups, values) and entropy_sums (groups). In a published table, group g has the
values codes[starts[g]:starts[g + 1]].
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.kernels._jit import kernel
from seriatim.kernels._machine import fetch_ahead, fetch_row

_AHEAD = 32
"""Members ahead of the one looked at whose beliefs are fetched."""


@kernel
def add_members(
    first: int,
    last: int,
    members: IntArray,
    starts: IntArray,
    value_codes: IntArray,
    beliefs: FloatArray,
    entropies: FloatArray,
    value_counts: IntArray,
    belief_sums: FloatArray,
    entropy_sums: FloatArray,
) -> None:
    """Write the totals of groups first..last."""
    n_values = beliefs.shape[1]
    sums = np.empty(n_values, np.float64)
    end = starts[last]
    for number in range(first, last):
        group = np.uint64(number)
        sums[:] = 0.0
        entropy_sum = 0.0
        for place in range(starts[number], starts[number + 1]):
            if place + _AHEAD < end:
                coming = np.uint64(members[np.uint64(place + _AHEAD)])
                fetch_row(beliefs, coming)
                fetch_ahead(entropies, coming)
                fetch_ahead(value_codes, coming)
            row = np.uint64(members[np.uint64(place)])
            value_counts[group, np.uint64(value_codes[row])] += 1
            entropy_sum += entropies[row]
            for value in range(n_values):
                sums[np.uint64(value)] += beliefs[row, np.uint64(value)]
        entropy_sums[group] = entropy_sum
        for value in range(n_values):
            belief_sums[group, np.uint64(value)] = sums[np.uint64(value)]


@kernel
def count_values(
    first: int, last: int, starts: IntArray, codes: IntArray, value_counts: IntArray
) -> None:
    """Count the values that groups first..last publish."""
    for group in range(first, last):
        for place in range(np.uint64(starts[group]), np.uint64(starts[group + 1])):
            value_counts[np.uint64(group), np.uint64(codes[place])] += 1
