"""What a requirement measures of a group, in terms of the group's running totals.

The totals of a group (its tally): size, value_counts (values), belief_sum
(values), entropy_sum; of the view: view_counts (values), view_size. Every
criterion is a function of these, costs O(values), and is named by a code, so
that one compiled scan serves every combination of requirements. Beside them, one
bound may look at every member: how far their beliefs move.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial

from seriatim._typing import FloatArray, IntArray
from seriatim.kernels._jit import inlined_kernel, kernel
from seriatim.kernels.posterior import omega_row

SIZE = 0
DISTINCT_VALUES = 1
EQUAL_DISTANCE = 2
ORDERED_DISTANCE = 3
JS_DIVERGENCE = 4
EFFECTIVE_VALUES = 5
LIKENESS = 6
ENHANCED_LIKENESS = 7
LOG_RATIO = 8
UNIQUE_VALUES = 9
RECURSIVE = 1000
"""From here on the code is RECURSIVE + l: the one criterion with a number of its own."""

AT_LEAST = (SIZE, DISTINCT_VALUES, EFFECTIVE_VALUES, UNIQUE_VALUES)
"""Criteria that must reach their bound; the others must not pass it."""


_CLEAR = 1e-6
"""How far from its bound an estimate must be to decide; estimates are ten times as near."""

_MOST_EXACT = 2**30
"""Tuples up to which products of two counts are whole numbers, and so is the sum of many."""

_FRACTION_BITS = np.int64(52)
_FRACTION = np.int64(2**52 - 1)
_ONE = np.int64(1023 << 52)

# The logarithm between 1 and 2, within 1e-8.
_L0, _L1, _L2, _L3, _L4, _L5, _L6, _L7, _L8, _L9 = (
    Chebyshev.interpolate(np.log2, 9, domain=[1.0, 2.0]).convert(kind=Polynomial).coef.tolist()
)


@kernel
def is_strict(criterion: int) -> bool:
    """Tell whether a measure at its bound fails."""
    return criterion == LOG_RATIO or criterion >= RECURSIVE


@kernel
def effective_values(size: int, value_counts: IntArray) -> float:
    """Return 2 to the entropy of a group's values; exact where all are equally frequent."""
    entropy = 0.0
    distinct = 0
    most = 0
    for value in range(value_counts.shape[0]):
        if value_counts[value] > 0:
            share = value_counts[value] / size
            entropy -= share * np.log2(share)
            distinct += 1
            most = max(most, value_counts[value])
    return float(distinct) if most * distinct == size else 2.0**entropy


@kernel
def most_over_tail(l: int, value_counts: IntArray) -> float:
    """Return r1 / (r_l + … + r_m), r the counts from the greatest; infinite without a tail."""
    ascending = np.sort(value_counts)
    n_values = ascending.shape[0]
    tail = 0
    for place in range(n_values - l + 1):
        tail += ascending[place]
    return ascending[n_values - 1] / tail if tail > 0 else np.inf


@kernel
def likeness(
    enhanced: bool, size: int, value_counts: IntArray, view_counts: IntArray, view_size: int
) -> float:
    """Return the greatest (q − p) / p of the values; enhanced, infinite above −ln p."""
    greatest = 0.0
    for value in range(value_counts.shape[0]):
        # Whole numbers until the division, so that it is rounded once.
        expected = view_counts[value] * size
        excess = value_counts[value] * view_size - expected
        if excess > 0:
            gain = excess / expected if expected > 0 else np.inf
            if enhanced and not gain <= -math.log(view_counts[value] / view_size):
                gain = np.inf
            greatest = max(greatest, gain)
    return greatest


@kernel
def log_ratio(size: int, value_counts: IntArray, view_counts: IntArray, view_size: int) -> float:
    """Return the greatest |ln(q/p)| of the table's values; infinite where one is absent."""
    greatest = 0.0
    for value in range(value_counts.shape[0]):
        expected = view_counts[value] * size
        found = value_counts[value] * view_size
        if (expected > 0) != (found > 0):
            return np.inf
        if expected > 0:
            greatest = max(greatest, abs(math.log(found / expected)))
    return greatest


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
    if criterion == UNIQUE_VALUES:
        for value in range(n_values):
            if value_counts[value] > 1:
                return 0.0
        return float(size)
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
    if criterion == EFFECTIVE_VALUES:
        return effective_values(size, value_counts)
    if criterion in (LIKENESS, ENHANCED_LIKENESS):
        return likeness(criterion == ENHANCED_LIKENESS, size, value_counts, view_counts, view_size)
    if criterion == LOG_RATIO:
        return log_ratio(size, value_counts, view_counts, view_size)
    if criterion >= RECURSIVE:
        return most_over_tail(criterion - RECURSIVE, value_counts)
    entropy_of_mean = 0.0
    for value in range(n_values):
        share = belief_sum[value] / size
        if share > 0.0:
            entropy_of_mean -= share * np.log2(share)
    return entropy_of_mean - entropy_sum / size


@kernel
def estimated(
    criterion: int,
    size: int,
    value_counts: IntArray,
    belief_sum: FloatArray,
    entropy_sum: float,
    view_counts: IntArray,
    view_size: int,
) -> float:
    """Return nearly what ``measured`` does, for much less; NaN where there is no quick way.

    A scan measures at every tuple, and is mostly far from the bound.
    """
    n_values = value_counts.shape[0]
    if criterion == EQUAL_DISTANCE and view_size < _MOST_EXACT and size < _MOST_EXACT:
        # In whole numbers, which need no order.
        apart = 0
        for value in range(n_values):
            place = np.uint64(value)
            apart += abs(value_counts[place] * view_size - view_counts[place] * size)
        return apart / (2.0 * size * view_size)
    if criterion == JS_DIVERGENCE:
        # With shares b / size: H = (Σ b · log size − Σ b · log b) / size.
        whole = 0.0
        logs = 0.0
        for value in range(n_values):
            belief = max(belief_sum[np.uint64(value)], 0.0)
            whole += belief
            logs += belief * near_log2(belief)
        if whole <= 2.0 * size:
            return (whole * near_log2(float(size)) - logs - entropy_sum) / size
    return np.nan


@kernel
def near_log2(number: float) -> float:
    """Return the logarithm of a positive number within 1e-8; something finite for 0."""
    bits = np.float64(number).view(np.int64)
    x = np.int64((bits & _FRACTION) | _ONE).view(np.float64)
    high = ((((_L9 * x + _L8) * x + _L7) * x + _L6) * x + _L5) * x + _L4
    low = (((high * x + _L3) * x + _L2) * x + _L1) * x + _L0
    return float(low + ((bits >> _FRACTION_BITS) - np.int64(1023)))


@inlined_kernel
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
        if criteria[index] == SIZE:
            # Asked first of a group that grows, and mostly the answer.
            if not size >= bounds[index] - tolerances[index]:
                return False
            continue
        near = estimated(
            criteria[index],
            size,
            value_counts,
            belief_sum,
            entropy_sum,
            view_counts,
            view_size,
        )
        if near > bounds[index] + tolerances[index] + _CLEAR:
            return False
        if near < bounds[index] + tolerances[index] - _CLEAR:
            continue
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
        elif is_strict(criteria[index]):
            if not found < bounds[index] + tolerances[index]:
                return False
        elif not found <= bounds[index] + tolerances[index]:
            return False
    return True


@kernel
def farthest(
    members: IntArray,
    value_counts: IntArray,
    size: int,
    beliefs: FloatArray,
    smoother: FloatArray,
) -> float:
    """Return the greatest divergence, in bits, between a member's belief and its Ω-posterior.

    The group publishes ``size`` tuples with ``value_counts``; ``beliefs`` (tuples, values)
    are those of a reader of its own, ``smoother`` (values, values) spreads both sides
    before they are compared, and is empty where they are compared as they are.
    """
    n_values = value_counts.shape[0]
    column_sums = np.zeros(n_values, np.float64)
    for place in range(members.shape[0]):
        for value in range(n_values):
            column_sums[value] += beliefs[members[place], value]
    posterior = np.zeros(n_values, np.float64)
    greatest = 0.0
    for place in range(members.shape[0]):
        row = members[place]
        omega_row(beliefs[row], value_counts, column_sums, size, posterior)
        apart = divergence(beliefs[row], posterior, smoother)
        greatest = max(greatest, apart)
    return greatest


@kernel
def divergence(one: FloatArray, other: FloatArray, smoother: FloatArray) -> float:
    """Return the Jensen–Shannon divergence of two distributions, in bits, smoothed if asked."""
    apart = 0.0
    for value in range(one.shape[0]):
        first, second = one[value], other[value]
        if smoother.shape[0] > 0:
            first, second = 0.0, 0.0
            for source in range(one.shape[0]):
                first += one[source] * smoother[source, value]
                second += other[source] * smoother[source, value]
        middle = (first + second) / 2.0
        if first > 0.0:
            apart += first / 2.0 * np.log2(first / middle)
        if second > 0.0:
            apart += second / 2.0 * np.log2(second / middle)
    return apart


@kernel
def stands(
    members: IntArray,
    value_codes: IntArray,
    tuple_beliefs: FloatArray,
    entropies: FloatArray,
    view_counts: IntArray,
    view_size: int,
    criteria: IntArray,
    bounds: FloatArray,
    tolerances: FloatArray,
    reach: float,
    beliefs: FloatArray,
    smoother: FloatArray,
) -> bool:
    """Tell whether some tuples may stand as a group; a negative reach asks nothing of members."""
    n_values = view_counts.shape[0]
    value_counts = np.zeros(n_values, np.int64)
    belief_sum = np.zeros(n_values, np.float64)
    entropy_sum = 0.0
    diverge = False
    for index in range(criteria.shape[0]):
        diverge = diverge or criteria[index] == JS_DIVERGENCE
    for place in range(members.shape[0]):
        row = members[place]
        value_counts[value_codes[row]] += 1
        if diverge:
            entropy_sum += entropies[row]
            for value in range(n_values):
                belief_sum[value] += tuple_beliefs[row, value]
    size = members.shape[0]
    if not all_hold(
        criteria,
        bounds,
        tolerances,
        size,
        value_counts,
        belief_sum,
        entropy_sum,
        view_counts,
        view_size,
    ):
        return False
    return reach < 0.0 or farthest(members, value_counts, size, beliefs, smoother) <= reach
