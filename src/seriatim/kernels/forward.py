"""The forward pass over a sequence automaton, for many respondents at once.

A respondent's past is a weight on junctions (states that every value leaves to
the same next state) and the posterior at the last release seen; together they
weigh the automaton's states: w[next[j, v]] += u[j] * p[v].

Axes: offsets (respondents + 1) into the ragged junctions and weights;
posterior and revised (respondents, values); prior (its rows, values), prior_of
(respondents) says which row; next_state (junctions, values);
next_value (classes, states, values); known (classes, states); junction_of (states).
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray
from seriatim.kernels._jit import kernel


@kernel
def positive_entries(row: FloatArray, places: IntArray) -> int:
    """Write the places of a row's positive entries, and return how many there are."""
    count = 0
    for place in range(row.shape[0]):
        if row[place] > 0.0:
            places[count] = place
            count += 1
    return count


@kernel
def expected_values(
    start: int,
    stop: int,
    offsets: IntArray,
    junctions: SmallIntArray,
    weights: FloatArray,
    posterior: FloatArray,
    classes: IntArray,
    next_state: SmallIntArray,
    next_value: FloatArray,
    known: BoolArray,
    prior: FloatArray,
    prior_of: IntArray,
    revised: FloatArray,
) -> None:
    """Write what each respondent is expected to have next, summing to 1.

    The weight of unknown contexts goes to the prior; where nothing is expected at all, the
    prior is.
    """
    n_values = posterior.shape[1]
    support = np.empty(n_values, np.int64)
    totals = np.empty(n_values, np.float64)
    for row in range(start, stop):
        kind = classes[row]
        n_support = positive_entries(posterior[row], support)
        totals[:] = 0.0
        lost = 0.0
        for entry in range(offsets[row], offsets[row + 1]):
            reachable = next_state[junctions[entry]]
            for index in range(n_support):
                value = support[index]
                weight = weights[entry] * posterior[row, value]
                state = reachable[value]
                if known[kind, state]:
                    expectation = next_value[kind, state]
                    for following in range(n_values):
                        totals[following] += weight * expectation[following]
                else:
                    lost += weight
        fallback = prior[prior_of[row]]
        whole = 0.0
        for value in range(n_values):
            totals[value] += lost * fallback[value]
            whole += totals[value]
        for value in range(n_values):
            revised[row, value] = totals[value] / whole if whole > 0.0 else fallback[value]


@kernel
def pushed_lengths(
    start: int,
    stop: int,
    rows: IntArray,
    offsets: IntArray,
    junctions: SmallIntArray,
    posterior: FloatArray,
    next_state: SmallIntArray,
    junction_of: SmallIntArray,
    lengths: IntArray,
) -> None:
    """Write on how many junctions each of some respondents' weights will lie."""
    support = np.empty(posterior.shape[1], np.int64)
    seen_by = np.full(next_state.shape[0], -1, np.int64)
    for place in range(start, stop):
        row = rows[place]
        n_support = positive_entries(posterior[row], support)
        length = 0
        for entry in range(offsets[row], offsets[row + 1]):
            reachable = next_state[junctions[entry]]
            for index in range(n_support):
                junction = junction_of[reachable[support[index]]]
                if seen_by[junction] != place:
                    seen_by[junction] = place
                    length += 1
        lengths[place] = length


@kernel
def pushed_weights(
    start: int,
    stop: int,
    rows: IntArray,
    offsets: IntArray,
    junctions: SmallIntArray,
    weights: FloatArray,
    posterior: FloatArray,
    next_state: SmallIntArray,
    junction_of: SmallIntArray,
    pushed_offsets: IntArray,
    pushed_junctions: SmallIntArray,
    pushed_weights: FloatArray,
) -> None:
    """Push some respondents' weights through the last posterior, summed by junction."""
    support = np.empty(posterior.shape[1], np.int64)
    totals = np.zeros(next_state.shape[0], np.float64)
    seen_by = np.full(next_state.shape[0], -1, np.int64)
    for place in range(start, stop):
        row = rows[place]
        n_support = positive_entries(posterior[row], support)
        end = pushed_offsets[place]
        for entry in range(offsets[row], offsets[row + 1]):
            reachable = next_state[junctions[entry]]
            for index in range(n_support):
                value = support[index]
                junction = junction_of[reachable[value]]
                if seen_by[junction] != place:
                    seen_by[junction] = place
                    pushed_junctions[end] = junction
                    totals[junction] = 0.0
                    end += 1
                totals[junction] += weights[entry] * posterior[row, value]
        # Weights sum to 1 but for rounding; without this the error would grow with the history.
        whole = 0.0
        for entry in range(pushed_offsets[place], end):
            whole += totals[pushed_junctions[entry]]
        for entry in range(pushed_offsets[place], end):
            pushed_weights[entry] = totals[pushed_junctions[entry]] / whole


@kernel
def copy_runs(
    start: int,
    stop: int,
    sources: IntArray,
    begins: IntArray,
    places: SmallIntArray,
    weights: FloatArray,
    targets: IntArray,
    offsets: IntArray,
    copied_places: SmallIntArray,
    copied_weights: FloatArray,
) -> None:
    """Copy the entries of some respondents to where those of others, or the same, begin."""
    for index in range(start, stop):
        begin, target = begins[sources[index]], offsets[targets[index]]
        for step in range(begins[sources[index] + 1] - begin):
            copied_places[target + step] = places[begin + step]
            copied_weights[target + step] = weights[begin + step]
