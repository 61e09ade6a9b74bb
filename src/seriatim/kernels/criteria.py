"""What a requirement measures of a group, in terms of the group's running totals.

The totals of a group (its tally): size, value_counts (values), belief_sum
(values), entropy_sum; of the view: view_counts (values), view_size. Every
criterion is a function of these, costs O(values), and is named by a code, so
that one compiled scan serves every combination of requirements.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.kernels._jit import kernel

SIZE = 0
DISTINCT_VALUES = 1
EQUAL_DISTANCE = 2
ORDERED_DISTANCE = 3
JS_DIVERGENCE = 4

AT_LEAST = (SIZE, DISTINCT_VALUES)
"""Criteria that must reach their bound; the others must not pass it."""


@kernel
def measured(
    criterion: int,
    size: int,
    value_counts: IntArray,
    belief_sum: FloatArray,
    entropy_sum: float,
    view_counts: IntArray,
    view_size: int,
) -> float:
    """Measure one criterion on one group."""
    n_values = value_counts.shape[0]
    if criterion == SIZE:
        return float(size)
    if criterion == DISTINCT_VALUES:
        distinct = 0
        for value in range(n_values):
            if value_counts[value] > 0:
                distinct += 1
        return float(distinct)
    if criterion == EQUAL_DISTANCE:
        apart = 0.0
        for value in range(n_values):
            apart += abs(value_counts[value] / size - view_counts[value] / view_size)
        return apart / 2.0
    if criterion == ORDERED_DISTANCE:
        moved = 0.0
        carried = 0.0
        for value in range(n_values - 1):
            carried += value_counts[value] / size - view_counts[value] / view_size
            moved += abs(carried)
        return float(moved / max(n_values - 1, 1))
    entropy_of_mean = 0.0
    for value in range(n_values):
        share = belief_sum[value] / size
        if share > 0.0:
            entropy_of_mean -= share * np.log2(share)
    return entropy_of_mean - entropy_sum / size


@kernel
def all_hold(
    criteria: IntArray,
    bounds: FloatArray,
    tolerances: FloatArray,
    size: int,
    value_counts: IntArray,
    belief_sum: FloatArray,
    entropy_sum: float,
    view_counts: IntArray,
    view_size: int,
) -> bool:
    """Tell whether a group meets every criterion; a measure that is no number does not."""
    for index in range(criteria.shape[0]):
        found = measured(
            criteria[index],
            size,
            value_counts,
            belief_sum,
            entropy_sum,
            view_counts,
            view_size,
        )
        if criteria[index] in AT_LEAST:
            if not found >= bounds[index] - tolerances[index]:
                return False
        elif not found <= bounds[index] + tolerances[index]:
            return False
    return True
