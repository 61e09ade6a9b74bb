"""Stretches of a curve with the least total penalty, and homes for the tuples left over.

Axes: order (tuples) is the curve; value_codes, beliefs, entropies and ranks (tuples,
attributes) are aligned to the view. Ranks number the different codes of each attribute from
0, in order. What attribute a tells of rank r stands at offsets[a] + r: units (heights, ranks)
numbers the parts between borders higher than h; lower and upper (heights, ranks) are where
such parts begin and end, in shares of the domain. Where each[a] is positive, the attribute is
generalized to sets instead, and each value of a set costs that much, from the second on.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, ByteArray, FloatArray, IntArray
from seriatim.kernels._jit import kernel
from seriatim.kernels.criteria import JS_DIVERGENCE, all_hold, farthest

LEFT_OVER = -1
UNKNOWN = 0
LEGAL = 1
ILLEGAL = 2


@kernel
def price(
    axis: int,
    low: int,
    high: int,
    height: int,
    offsets: IntArray,
    units: IntArray,
    lower: FloatArray,
    upper: FloatArray,
) -> tuple[float, int]:
    """Return the penalty of a run of ranks, and its highest border; ``height`` is at most that."""
    least, greatest = offsets[axis] + low, offsets[axis] + high
    while units[height, least] != units[height, greatest]:
        height += 1
    return min(upper[height, greatest] - lower[height, least], 1.0), height


@kernel
def best_stretches(
    window: int,
    order: IntArray,
    greedy_starts: IntArray,
    legal: BoolArray,
    ranks: IntArray,
    offsets: IntArray,
    units: IntArray,
    lower: FloatArray,
    upper: FloatArray,
    each: FloatArray,
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
    """Return the group of each place of the order, numbered along it; -1 where it is left over.

    best[e] is the lesser of best[e − 1] with one more left over, and of best[s] + size · NCP
    over the stretches from s to e that may stand; fewer left over come before a smaller sum.
    Stretches have at most ``window`` tuples; the greedy scan's, which begin at greedy_starts
    (places and 1; -1 for none), may be longer. ``legal`` (places, window), where it is not
    empty, says which may stand: at [e − 1, size − 1].
    """
    n_places = order.shape[0]
    view_size = value_codes.shape[0]
    n_values = beliefs.shape[1]
    n_axes = ranks.shape[1]
    diverge = False
    for index in range(criteria.shape[0]):
        diverge = diverge or criteria[index] == JS_DIVERGENCE
    begins = np.full(n_places + 1, LEFT_OVER, np.int64)
    left = np.zeros(n_places + 1, np.int64)
    total = np.zeros(n_places + 1, np.float64)
    value_counts = np.zeros(n_values, np.int64)
    belief_sum = np.zeros(n_values, np.float64)
    lows = np.zeros(n_axes, np.int64)
    highs = np.zeros(n_axes, np.int64)
    tops = np.zeros(n_axes, np.int64)
    penalties = np.zeros(n_axes, np.float64)
    distinct = np.zeros(n_axes, np.int64)
    seen_at = np.zeros(lower.shape[1], np.int64)
    for end in range(1, n_places + 1):
        left[end], total[end] = left[end - 1] + 1, total[end - 1]
        value_counts[:] = 0
        belief_sum[:] = 0.0
        entropy_sum = 0.0
        longest = min(window, end)
        if greedy_starts[end] >= 0:
            longest = max(longest, end - greedy_starts[end])
        for size in range(1, longest + 1):
            start = end - size
            row = order[start]
            value_counts[value_codes[row]] += 1
            if diverge:
                entropy_sum += entropies[row]
                for value in range(n_values):
                    belief_sum[value] += beliefs[row, value]
            penalty = 0.0
            for axis in range(n_axes):
                rank = ranks[row, axis]
                if size == 1:
                    lows[axis], highs[axis], tops[axis] = rank, rank, 0
                    penalties[axis], distinct[axis] = 0.0, 0
                if each[axis] > 0.0:
                    if seen_at[offsets[axis] + rank] != end:
                        seen_at[offsets[axis] + rank] = end
                        distinct[axis] += 1
                        if distinct[axis] > 1:
                            penalties[axis] = each[axis] * distinct[axis]
                elif rank < lows[axis] or rank > highs[axis]:
                    lows[axis], highs[axis] = min(lows[axis], rank), max(highs[axis], rank)
                    penalties[axis], tops[axis] = price(
                        axis, lows[axis], highs[axis], tops[axis], offsets, units, lower, upper
                    )
                penalty += penalties[axis]
            greedy = start == greedy_starts[end]
            if size > window and not greedy:
                continue
            # What would be no better need not be checked: that saves most of the logarithms.
            sum_with = total[start] + size * penalty
            if left[start] > left[end] or (left[start] == left[end] and sum_with >= total[end]):
                continue
            if greedy:
                stands = True
            elif legal.shape[0] > 0:
                stands = legal[end - 1, size - 1]
            else:
                stands = all_hold(
                    criteria,
                    bounds,
                    tolerances,
                    size,
                    value_counts,
                    belief_sum,
                    entropy_sum,
                    view_counts,
                    view_size,
                )
                if stands and reach >= 0.0:
                    members = order[start:end]
                    stands = farthest(members, value_counts, size, own_beliefs, smoother) <= reach
            if stands:
                begins[end], left[end], total[end] = start, left[start], sum_with
    # Back along the best choices; groups get their final numbers once it is known how many.
    group_of = np.full(n_places, LEFT_OVER, np.int64)
    groups = 0
    end = n_places
    while end > 0:
        if begins[end] == LEFT_OVER:
            end -= 1
        else:
            begin = int(begins[end])
            group_of[begin:end] = groups
            groups += 1
            end = begin
    for place in range(n_places):
        if group_of[place] != LEFT_OVER:
            group_of[place] = groups - 1 - group_of[place]
    return group_of


@kernel
def group_costs(
    rows: IntArray,
    starts: IntArray,
    ranks: IntArray,
    offsets: IntArray,
    units: IntArray,
    lower: FloatArray,
    upper: FloatArray,
    each: FloatArray,
) -> tuple[FloatArray, IntArray, IntArray, IntArray, IntArray]:
    """Return size · NCP of some groups, and their regions: (groups, attributes) each.

    A region is least rank, greatest rank, highest border, and how many different ranks.
    """
    n_groups, n_axes = starts.shape[0] - 1, ranks.shape[1]
    costs = np.zeros(n_groups, np.float64)
    lows = np.zeros((n_groups, n_axes), np.int64)
    highs = np.zeros((n_groups, n_axes), np.int64)
    tops = np.zeros((n_groups, n_axes), np.int64)
    distinct = np.zeros((n_groups, n_axes), np.int64)
    seen_in = np.full(lower.shape[1], -1, np.int64)
    for group in range(n_groups):
        for axis in range(n_axes):
            low = ranks[rows[starts[group]], axis]
            high = low
            for place in range(starts[group], starts[group + 1]):
                rank = ranks[rows[place], axis]
                low, high = min(low, rank), max(high, rank)
                if seen_in[offsets[axis] + rank] != group:
                    seen_in[offsets[axis] + rank] = group
                    distinct[group, axis] += 1
            lows[group, axis], highs[group, axis] = low, high
            if each[axis] > 0.0:
                penalty = each[axis] * distinct[group, axis] if distinct[group, axis] > 1 else 0.0
            else:
                penalty, tops[group, axis] = price(axis, low, high, 0, offsets, units, lower, upper)
            costs[group] += penalty * (starts[group + 1] - starts[group])
    return costs, lows, highs, tops, distinct


@kernel
def nearest_homes(
    left: IntArray,
    rows: IntArray,
    starts: IntArray,
    first: IntArray,
    known: ByteArray,
    ranks: IntArray,
    offsets: IntArray,
    units: IntArray,
    lower: FloatArray,
    upper: FloatArray,
    each: FloatArray,
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
) -> tuple[IntArray, FloatArray]:
    """Return, for each row left over, the group that it may join at the least growth, and that.

    The growth is of size · NCP. Row i looks at the groups from first[i] on, as many as
    ``known`` (rows left over, groups looked at) is wide; -1 where it may join none of them.
    What is found out on the way is noted in ``known``.
    """
    n_groups, n_axes, n_values = starts.shape[0] - 1, ranks.shape[1], beliefs.shape[1]
    costs, lows, highs, tops, distinct = group_costs(
        rows, starts, ranks, offsets, units, lower, upper, each
    )
    # Which values the sets have, side by side for all attributes that are generalized to sets.
    set_at = np.full(n_axes, -1, np.int64)
    width = 0
    for axis in range(n_axes):
        if each[axis] > 0.0:
            set_at[axis] = width - offsets[axis]
            width += (offsets[axis + 1] if axis + 1 < n_axes else lower.shape[1]) - offsets[axis]
    present = np.zeros((n_groups, width), np.bool_)
    value_counts = np.zeros((n_groups, n_values), np.int64)
    belief_sums = np.zeros((n_groups, n_values), np.float64)
    entropy_sums = np.zeros(n_groups, np.float64)
    for group in range(n_groups):
        for place in range(starts[group], starts[group + 1]):
            row = rows[place]
            value_counts[group, value_codes[row]] += 1
            entropy_sums[group] += entropies[row]
            for value in range(n_values):
                belief_sums[group, value] += beliefs[row, value]
            for axis in range(n_axes):
                if each[axis] > 0.0:
                    present[group, set_at[axis] + offsets[axis] + ranks[row, axis]] = True

    homes = np.full(left.shape[0], LEFT_OVER, np.int64)
    growths = np.full(left.shape[0], np.inf, np.float64)
    belief_sum = np.zeros(n_values, np.float64)
    for place in range(left.shape[0]):
        row = left[place]
        for column in range(known.shape[1]):
            if known[place, column] == ILLEGAL:
                continue
            group = first[place] + column
            size = starts[group + 1] - starts[group] + 1
            penalty = 0.0
            for axis in range(n_axes):
                rank = ranks[row, axis]
                if each[axis] > 0.0:
                    new = not present[group, set_at[axis] + offsets[axis] + rank]
                    values = distinct[group, axis] + new
                    penalty += each[axis] * values if values > 1 else 0.0
                else:
                    low, high = min(lows[group, axis], rank), max(highs[group, axis], rank)
                    added, _ = price(
                        axis, low, high, tops[group, axis], offsets, units, lower, upper
                    )
                    penalty += added
            growth = size * penalty - costs[group]
            if growth >= growths[place]:
                continue
            if known[place, column] == UNKNOWN:
                value_counts[group, value_codes[row]] += 1
                for value in range(n_values):
                    belief_sum[value] = belief_sums[group, value] + beliefs[row, value]
                stands = all_hold(
                    criteria,
                    bounds,
                    tolerances,
                    size,
                    value_counts[group],
                    belief_sum,
                    entropy_sums[group] + entropies[row],
                    view_counts,
                    value_codes.shape[0],
                )
                if stands and reach >= 0.0:
                    members = np.append(rows[starts[group] : starts[group + 1]], row)
                    moved = farthest(members, value_counts[group], size, own_beliefs, smoother)
                    stands = moved <= reach
                value_counts[group, value_codes[row]] -= 1
                known[place, column] = LEGAL if stands else ILLEGAL
            if known[place, column] == LEGAL:
                homes[place], growths[place] = group, growth
    return homes, growths
