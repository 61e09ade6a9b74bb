"""The forward pass over a sequence automaton, for many respondents at once.

A respondent's past is a weight on junctions (states that every value leaves to
the same next state) and the posterior at the last release seen; together they
weigh the automaton's states: w[next[j, v]] += u[j] * p[v].

Axes: offsets (respondents + 1) into the ragged junctions and weights;
posterior and revised (respondents, values); next_state (junctions, values);
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
    revised: FloatArray,
    unknown: FloatArray,
) -> None:
    """Write what each respondent is expected to have next, and the mass of unknown contexts."""
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
        revised[row, :] = totals
        unknown[row] = lost


@kernel
def pushed_weights(
    start: int,
    stop: int,
    offsets: IntArray,
    junctions: SmallIntArray,
    weights: FloatArray,
    posterior: FloatArray,
    next_state: SmallIntArray,
    junction_of: SmallIntArray,
    room: IntArray,
    pushed_junctions: SmallIntArray,
    pushed_weights: FloatArray,
    lengths: IntArray,
) -> None:
    """Push each respondent's weights through the last posterior, summed by junction.

    Results of a row go to the stretch that begins at room[row]; lengths says how much is used.
    """
    n_values = posterior.shape[1]
    support = np.empty(n_values, np.int64)
    totals = np.zeros(next_state.shape[0], np.float64)
    touched = np.zeros(next_state.shape[0], np.bool_)
    for row in range(start, stop):
        n_support = positive_entries(posterior[row], support)
        begin = room[row]
        length = 0
        for entry in range(offsets[row], offsets[row + 1]):
            reachable = next_state[junctions[entry]]
            for index in range(n_support):
                value = support[index]
                junction = junction_of[reachable[value]]
                if not touched[junction]:
                    touched[junction] = True
                    pushed_junctions[begin + length] = junction
                    length += 1
                totals[junction] += weights[entry] * posterior[row, value]
        for entry in range(begin, begin + length):
            junction = pushed_junctions[entry]
            pushed_weights[entry] = totals[junction]
            totals[junction] = 0.0
            touched[junction] = False
        lengths[row] = length
