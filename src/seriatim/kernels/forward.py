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
    for row in range(start, stop):
        kind = classes[row]
        revised[row, :] = 0.0
        unknown[row] = 0.0
        for entry in range(offsets[row], offsets[row + 1]):
            junction = junctions[entry]
            for value in range(n_values):
                weight = weights[entry] * posterior[row, value]
                if weight > 0.0:
                    state = next_state[junction, value]
                    if known[kind, state]:
                        for following in range(n_values):
                            revised[row, following] += weight * next_value[kind, state, following]
                    else:
                        unknown[row] += weight


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
    totals = np.zeros(next_state.shape[0], np.float64)
    touched = np.zeros(next_state.shape[0], np.bool_)
    for row in range(start, stop):
        begin = room[row]
        length = 0
        for entry in range(offsets[row], offsets[row + 1]):
            for value in range(n_values):
                weight = weights[entry] * posterior[row, value]
                if weight > 0.0:
                    junction = junction_of[next_state[junctions[entry], value]]
                    if not touched[junction]:
                        touched[junction] = True
                        pushed_junctions[begin + length] = junction
                        length += 1
                    totals[junction] += weight
        for entry in range(begin, begin + length):
            junction = pushed_junctions[entry]
            pushed_weights[entry] = totals[junction]
            totals[junction] = 0.0
            touched[junction] = False
        lengths[row] = length
