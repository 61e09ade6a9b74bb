"""Posterior rules in closed form, group by group.

Axes: prior and posterior (respondents, values). The respondents of group g are
members[member_starts[g]:member_starts[g + 1]], its published values are
published[value_starts[g]:value_starts[g + 1]], in any order. A group may publish
more values than it has known members.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray, WordArray
from seriatim.kernels._jit import inner_kernel, kernel
from seriatim.kernels._machine import fetch_ahead, fetch_row

_FEW = np.uint64(16)
"""Values of a domain for each that a group shows, up to which all of them are gone through."""

_FAR, _NEAR = 32, 16
"""Members ahead of the one looked at whose beliefs, and whose runs, are fetched."""

_NEARBY = 256
"""Members of a group that room is kept for; larger ones get more."""


@inner_kernel
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


@inner_kernel
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


@inner_kernel
def list_shown(
    first: int,
    last: int,
    published: IntArray,
    counts: IntArray,
    shown: WordArray,
    times: FloatArray,
) -> int:
    """List the different values of one group, and how often it has each; return how many.

    Only these are looked at: in a large domain the others are nearly all. The counts are zero
    beforehand, and again afterwards. Places are unsigned here and below, or each use would
    first look whether to count from the end.
    """
    n_shown = np.uint64(0)
    one = np.uint64(1)
    for place in range(first, last):
        value = np.uint64(published[np.uint64(place)])
        if counts[value] == 0:
            shown[n_shown] = value
            n_shown += one
        counts[value] += 1
    if np.uint64(counts.shape[0]) <= _FEW * n_shown:
        # Going through the domain is faster than sorting.
        n_shown = np.uint64(0)
        for number in range(counts.shape[0]):
            if counts[np.uint64(number)] > 0:
                shown[n_shown] = np.uint64(number)
                n_shown += one
    else:
        shown[:n_shown].sort()
    for index in range(n_shown):
        value = shown[np.uint64(index)]
        times[np.uint64(index)] = counts[value]
        counts[value] = 0
    return int(n_shown)


@inner_kernel
def sum_shown(
    prior: FloatArray,
    members: IntArray,
    first: int,
    last: int,
    shown: WordArray,
    n_shown: int,
    sums: FloatArray,
) -> None:
    """Sum the priors of the members first..last in the values that their group shows."""
    for index in range(n_shown):
        sums[np.uint64(index)] = 0.0
    for place in range(first, last):
        row = np.uint64(members[np.uint64(place)])
        for index in range(n_shown):
            sums[np.uint64(index)] += prior[row, shown[np.uint64(index)]]


@inner_kernel
def omega_shown(
    prior: FloatArray,
    row: np.uint64,
    shown: WordArray,
    n_shown: int,
    times: FloatArray,
    sums: FloatArray,
    size: int,
    weights: FloatArray,
    beliefs: FloatArray,
    begin: np.uint64,
) -> None:
    """Write the Ω-estimate of one member in the values shown into beliefs, from begin on.

    Rows and places instead of slices: a slice is counted by a thing that all threads share.
    """
    for number in range(n_shown):
        index = np.uint64(number)
        if sums[index] > 0.0:
            weights[index] = times[index] * (prior[row, shown[index]] / sums[index])
        else:
            weights[index] = times[index] / size
    total = 0.0
    for number in range(n_shown):
        total += weights[np.uint64(number)]
    for number in range(n_shown):
        index = np.uint64(number)
        if total > 0.0:
            beliefs[begin + index] = weights[index] / total
        else:
            beliefs[begin + index] = times[index] / size


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
    shown = np.empty(n_values, np.uint64)
    times, sums, weights = np.empty(n_values), np.empty(n_values), np.empty(n_values)
    for group in range(first, last):
        begin, end = member_starts[group], member_starts[group + 1]
        first_value, last_value = value_starts[group], value_starts[group + 1]
        n_shown = list_shown(first_value, last_value, published, counts, shown, times)
        sum_shown(prior, members, begin, end, shown, n_shown, sums)
        size = last_value - first_value
        for place in range(begin, end):
            row = np.uint64(members[place])
            omega_shown(
                prior, row, shown, n_shown, times, sums, size, weights, weights, np.uint64(0)
            )
            for index in range(n_shown):
                posterior[row, shown[index]] = weights[index]


@kernel
def count_shown(
    first: int,
    last: int,
    n_values: int,
    published: IntArray,
    value_starts: IntArray,
    members: IntArray,
    member_starts: IntArray,
    lengths: IntArray,
) -> None:
    """Write for the members of the groups first..last how many values their group publishes."""
    seen_by = np.full(n_values, -1, np.int64)
    for group in range(first, last):
        count = 0
        for place in range(value_starts[group], value_starts[group + 1]):
            if seen_by[published[place]] != group:
                seen_by[published[place]] = group
                count += 1
        for place in range(member_starts[group], member_starts[group + 1]):
            lengths[members[np.uint64(place)]] = count


@inner_kernel
def gather_shown(
    prior: FloatArray,
    members: IntArray,
    first: int,
    last: int,
    shown: WordArray,
    n_shown: int,
    near: FloatArray,
    sums: FloatArray,
) -> None:
    """Copy the priors of the members first..last in the values shown, and sum them by value.

    What is copied lies together, member after member; the sums are those of ``sum_shown``.
    """
    for index in range(n_shown):
        sums[np.uint64(index)] = 0.0
    at = np.uint64(0)
    for place in range(first, last):
        row = np.uint64(members[np.uint64(place)])
        for number in range(n_shown):
            near[at + np.uint64(number)] = prior[row, shown[np.uint64(number)]]
        for number in range(n_shown):
            sums[np.uint64(number)] += near[at + np.uint64(number)]
        at += np.uint64(n_shown)


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
    zeros: BoolArray,
) -> None:
    """Write the Ω-estimate of groups first..last as runs over the values that a group publishes.

    The run of a respondent begins at its offset; the numbers are those of ``omega_posterior``.
    Beliefs are read from afar once, and weighed where they are near. ``zeros`` becomes true
    where some value is left impossible.
    """
    n_values = prior.shape[1]
    counts = np.zeros(n_values, np.int64)
    shown = np.empty(n_values, np.uint64)
    times, sums, weights = np.empty(n_values), np.empty(n_values), np.empty(n_values)
    near = np.empty(_NEARBY * n_values)
    least = 1.0
    stop = member_starts[last]
    for group in range(first, last):
        begin, end = member_starts[group], member_starts[group + 1]
        first_value, last_value = value_starts[group], value_starts[group + 1]
        for place in range(min(begin + _FAR, stop), min(end + _FAR, stop)):
            row = np.uint64(members[np.uint64(place)])
            fetch_row(prior, row)
            fetch_ahead(offsets, row)
        for place in range(min(begin + _NEAR, stop), min(end + _NEAR, stop)):
            target = np.uint64(offsets[np.uint64(members[np.uint64(place)])])
            fetch_ahead(beliefs, target)
            fetch_ahead(beliefs, target + np.uint64(8))
            fetch_ahead(codes, target)
            fetch_ahead(codes, target + np.uint64(8))
        n_shown = list_shown(first_value, last_value, published, counts, shown, times)
        if near.shape[0] < (end - begin) * n_shown:
            near = np.empty((end - begin) * n_shown)
        gather_shown(prior, members, begin, end, shown, n_shown, near, sums)
        size = last_value - first_value
        for number in range(n_shown):
            index = np.uint64(number)
            weights[index] = times[index] / size
        at = np.uint64(0)
        for place in range(begin, end):
            target = np.uint64(offsets[np.uint64(members[np.uint64(place)])])
            for number in range(n_shown):
                index = np.uint64(number)
                held = sums[index] > 0.0
                weight = times[index] * (near[at + index] / sums[index]) if held else weights[index]
                near[at + index] = weight
            total = 0.0
            for number in range(n_shown):
                total += near[at + np.uint64(number)]
            for number in range(n_shown):
                index = np.uint64(number)
                belief = near[at + index] / total if total > 0.0 else weights[index]
                beliefs[target + index] = belief
                codes[target + index] = shown[index]
                least = min(least, belief)
            at += np.uint64(n_shown)
    if not least > 0.0:
        zeros[0] = True


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
