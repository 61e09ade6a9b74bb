"""Posterior rules in closed form, group by group.

Axes: prior and posterior (respondents, values). The respondents of group g are
members[member_starts[g]:member_starts[g + 1]], its published values are
published[value_starts[g]:value_starts[g + 1]], in any order. A group may publish
more values than it has known members.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import FloatArray, IntArray, SmallIntArray
from seriatim.kernels._jit import kernel


@kernel
def sum_columns(
    prior: FloatArray,
    members: IntArray,
    published: IntArray,
    counts: IntArray,
    column_sums: FloatArray,
) -> None:
    """Count the published values of one group, and sum its members' priors by value."""
    counts[:] = 0
    column_sums[:] = 0.0
    for place in range(published.shape[0]):
        counts[published[place]] += 1
    for place in range(members.shape[0]):
        for value in range(prior.shape[1]):
            column_sums[value] += prior[members[place], value]


@kernel
def omega_row(
    prior: FloatArray, counts: IntArray, column_sums: FloatArray, size: int, posterior: FloatArray
) -> None:
    """Write the Ω-estimate of one member (values) into posterior (values)."""
    total = 0.0
    for value in range(prior.shape[0]):
        weight = 0.0
        if counts[value] > 0:
            if column_sums[value] > 0.0:
                weight = counts[value] * (prior[value] / column_sums[value])
            else:
                weight = counts[value] / size
        posterior[value] = weight
        total += weight
    for value in range(prior.shape[0]):
        if total > 0.0:
            posterior[value] /= total
        else:
            posterior[value] = counts[value] / size


@kernel
def list_shown(published: IntArray, counts: IntArray, shown: IntArray) -> int:
    """Count the published values of one group, list the different ones; return how many.

    Only these are looked at: in a large domain the others are nearly all. The counts are zero
    beforehand, and ``forget_shown`` makes them so again.
    """
    n_shown = 0
    for place in range(published.shape[0]):
        value = published[place]
        if counts[value] == 0:
            shown[n_shown] = value
            n_shown += 1
        counts[value] += 1
    shown[:n_shown].sort()
    return n_shown


@kernel
def sum_shown(
    prior: FloatArray, members: IntArray, shown: IntArray, column_sums: FloatArray
) -> None:
    """Sum the members' priors in the values that their group shows."""
    for place in range(members.shape[0]):
        for index in range(shown.shape[0]):
            column_sums[shown[index]] += prior[members[place], shown[index]]


@kernel
def forget_shown(shown: IntArray, counts: IntArray, column_sums: FloatArray) -> None:
    """Set the counts and sums of a group's values to zero again."""
    for index in range(shown.shape[0]):
        counts[shown[index]] = 0
        column_sums[shown[index]] = 0.0


@kernel
def omega_shown(
    prior: FloatArray,
    row: int,
    shown: IntArray,
    counts: IntArray,
    column_sums: FloatArray,
    size: int,
    beliefs: FloatArray,
    begin: int,
) -> None:
    """Write the Ω-estimate of one member in the values shown into beliefs, from begin on.

    Rows and places instead of slices: a slice is counted by a thing that all threads share.
    """
    total = 0.0
    for index in range(shown.shape[0]):
        value = shown[index]
        weight = counts[value] / size
        if column_sums[value] > 0.0:
            weight = counts[value] * (prior[row, value] / column_sums[value])
        beliefs[begin + index] = weight
        total += weight
    for index in range(shown.shape[0]):
        if total > 0.0:
            beliefs[begin + index] /= total
        else:
            beliefs[begin + index] = counts[shown[index]] / size


@kernel
def omega_posterior(
    first: int,
    last: int,
    prior: FloatArray,
    members: IntArray,
    member_starts: IntArray,
    published: IntArray,
    value_starts: IntArray,
    posterior: FloatArray,
) -> None:
    """Write the Ω-estimate of groups first..last into posterior, which is zero beforehand."""
    n_values = prior.shape[1]
    counts = np.zeros(n_values, np.int64)
    column_sums = np.zeros(n_values, np.float64)
    room = np.empty(n_values, np.int64)
    beliefs = np.empty(n_values, np.float64)
    for group in range(first, last):
        people = members[member_starts[group] : member_starts[group + 1]]
        values = published[value_starts[group] : value_starts[group + 1]]
        shown = room[: list_shown(values, counts, room)]
        sum_shown(prior, people, shown, column_sums)
        for place in range(people.shape[0]):
            row = people[place]
            omega_shown(prior, row, shown, counts, column_sums, values.shape[0], beliefs, 0)
            for index in range(shown.shape[0]):
                posterior[row, shown[index]] = beliefs[index]
        forget_shown(shown, counts, column_sums)


@kernel
def count_shown(
    first: int,
    last: int,
    n_values: int,
    published: IntArray,
    value_starts: IntArray,
    shown: IntArray,
) -> None:
    """Write how many different values each of the groups first..last publishes."""
    seen_by = np.full(n_values, -1, np.int64)
    for group in range(first, last):
        count = 0
        for place in range(value_starts[group], value_starts[group + 1]):
            if seen_by[published[place]] != group:
                seen_by[published[place]] = group
                count += 1
        shown[group] = count


@kernel
def omega_runs(
    first: int,
    last: int,
    prior: FloatArray,
    members: IntArray,
    member_starts: IntArray,
    published: IntArray,
    value_starts: IntArray,
    offsets: IntArray,
    codes: SmallIntArray,
    beliefs: FloatArray,
) -> None:
    """Write the Ω-estimate of groups first..last as runs over the values that a group publishes.

    The run of a respondent begins at its offset; the numbers are those of ``omega_posterior``.
    """
    n_values = prior.shape[1]
    counts = np.zeros(n_values, np.int64)
    column_sums = np.zeros(n_values, np.float64)
    room = np.empty(n_values, np.int64)
    for group in range(first, last):
        people = members[member_starts[group] : member_starts[group + 1]]
        values = published[value_starts[group] : value_starts[group + 1]]
        shown = room[: list_shown(values, counts, room)]
        sum_shown(prior, people, shown, column_sums)
        for place in range(people.shape[0]):
            row = people[place]
            begin = offsets[row]
            omega_shown(prior, row, shown, counts, column_sums, values.shape[0], beliefs, begin)
            for index in range(shown.shape[0]):
                codes[begin + index] = shown[index]
        forget_shown(shown, counts, column_sums)


@kernel
def additive_posterior(
    first: int,
    last: int,
    prior: FloatArray,
    members: IntArray,
    member_starts: IntArray,
    published: IntArray,
    value_starts: IntArray,
    posterior: FloatArray,
) -> None:
    """Write the paper's sum-of-degrees posterior of groups first..last into posterior."""
    n_values = prior.shape[1]
    counts = np.zeros(n_values, np.int64)
    column_sums = np.zeros(n_values, np.float64)
    for group in range(first, last):
        people = members[member_starts[group] : member_starts[group + 1]]
        values = published[value_starts[group] : value_starts[group + 1]]
        size = values.shape[0]
        sum_columns(prior, people, values, counts, column_sums)
        total = 0.0
        for value in range(n_values):
            total += counts[value] * column_sums[value]
        for place in range(people.shape[0]):
            row = people[place]
            if size == 1 or not total > 0.0:
                for value in range(n_values):
                    posterior[row, value] = counts[value] / size
                continue
            row_sum = 0.0
            for value in range(n_values):
                row_sum += counts[value] * prior[row, value]
            scale = 0.0
            for value in range(n_values):
                if counts[value] == 0:
                    posterior[row, value] = 0.0
                    continue
                own = prior[row, value]
                # A sum of probabilities, so never negative but for rounding.
                others = max(total - row_sum - column_sums[value] + own, 0.0)
                posterior[row, value] = counts[value] * (own + others / (size - 1))
                scale += posterior[row, value]
            for value in range(n_values):
                if scale > 0.0:
                    posterior[row, value] /= scale
                else:
                    posterior[row, value] = counts[value] / size
