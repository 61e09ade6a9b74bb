"""Joint filtering and smoothing over a sequence automaton, for many respondents at once.

The reader keeps a distribution over the automaton's states itself, so that past
values stay correlated. Axes: offsets (respondents + 1) into the ragged states and
weights; posterior, revised and prior (respondents, values); next_state (states,
values); next_value (classes, states, values); known (classes, states).
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray
from seriatim.kernels._jit import inner_kernel, kernel


@kernel
def expected_from_states(
    start: int,
    stop: int,
    rows: IntArray,
    offsets: IntArray,
    states: SmallIntArray,
    weights: FloatArray,
    classes: IntArray,
    next_value: FloatArray,
    known: BoolArray,
    prior: FloatArray,
    prior_of: IntArray,
    revised: FloatArray,
) -> None:
    """Write what each respondent is expected to have next, summing to 1.

    ``rows`` says which past is whose, -1 for none: then the prior is expected, as where
    nothing is expected at all. ``prior`` has the rows that differ, ``prior_of`` (respondents)
    says which.
    """
    n_values = revised.shape[1]
    for place in range(start, stop):
        row = rows[place]
        kind = classes[place]
        fallback = prior[prior_of[place]]
        if row < 0:
            for value in range(n_values):
                revised[place, value] = fallback[value]
            continue
        revised[place, :] = 0.0
        for entry in range(offsets[row], offsets[row + 1]):
            state = states[entry]
            expectation = next_value[kind, state] if known[kind, state] else fallback
            for value in range(n_values):
                revised[place, value] += weights[entry] * expectation[value]
        whole = 0.0
        for value in range(n_values):
            whole += revised[place, value]
        for value in range(n_values):
            share = revised[place, value] / whole if whole > 0.0 else fallback[value]
            revised[place, value] = share


@kernel
def moved_states(
    start: int,
    stop: int,
    rows: IntArray,
    people: IntArray,
    offsets: IntArray,
    states: SmallIntArray,
    weights: FloatArray,
    classes: IntArray,
    next_state: SmallIntArray,
    next_value: FloatArray,
    known: BoolArray,
    outset: int,
    prior: FloatArray,
    prior_of: IntArray,
    revised: FloatArray,
    bounds: IntArray,
    codes: SmallIntArray,
    beliefs: FloatArray,
    room: IntArray,
    moved: SmallIntArray,
    moved_weights: FloatArray,
    lengths: IntArray,
) -> None:
    """Move some respondents' states through one release.

    ``rows`` says which past is whose, -1 for one seen for the first time, who begins at the
    state ``outset``; ``people`` says which row of classes, prior_of and revised is theirs.
    The posterior is ragged: bounds (of these respondents, + 1), codes, beliefs.

    The weight of being in a state and having value v is posterior(v) times the
    chance of the state given v. Where v was held impossible, v tells nothing about
    the state. Results go to the stretch that begins at room.
    """
    totals = np.zeros(next_state.shape[0], np.float64)
    touched = np.zeros(next_state.shape[0], np.bool_)
    for place in range(start, stop):
        row, person = rows[place], people[place]
        begin = room[place]
        if row < 0:
            for index in range(bounds[place + 1] - bounds[place]):
                moved[begin + index] = next_state[outset, codes[bounds[place] + index]]
                moved_weights[begin + index] = beliefs[bounds[place] + index]
            lengths[place] = bounds[place + 1] - bounds[place]
            continue
        kind = classes[person]
        fallback = prior[prior_of[person]]
        length = 0
        for entry in range(offsets[row], offsets[row + 1]):
            state = states[entry]
            expectation = next_value[kind, state] if known[kind, state] else fallback
            for possible in range(bounds[place], bounds[place + 1]):
                value = codes[possible]
                share = weights[entry]
                if revised[person, value] > 0.0:
                    # The product first: both it and the divisor may be next to nothing.
                    share = share * expectation[value] / revised[person, value]
                if share > 0.0:
                    following = next_state[state, value]
                    if not touched[following]:
                        touched[following] = True
                        moved[begin + length] = following
                        length += 1
                    totals[following] += share * beliefs[possible]
        for entry in range(begin, begin + length):
            state = moved[entry]
            moved_weights[entry] = totals[state]
            totals[state] = 0.0
            touched[state] = False
        lengths[place] = length


@inner_kernel
def emission(
    first: bool,
    state: int,
    kind: int,
    value: int,
    next_value: FloatArray,
    known: BoolArray,
    prior: FloatArray,
    surprising: BoolArray,
) -> float:
    """Return how likely a value is in a state; the prior speaks first, and for the unknown.

    A value that was held impossible and came all the same tells nothing about the state.
    """
    if surprising[value]:
        return 1.0
    if first or not known[kind, state]:
        return float(prior[value])
    return float(next_value[kind, state, value])


@kernel
def smoothed_values(
    start: int,
    stop: int,
    offsets: IntArray,
    likelihood: FloatArray,
    surprising: BoolArray,
    prior: FloatArray,
    classes: IntArray,
    next_state: SmallIntArray,
    next_value: FloatArray,
    known: BoolArray,
    start_state: int,
    smoothed: FloatArray,
) -> None:
    """Write what each observation is believed to be in the light of all of a respondent's.

    Forward and backward over the states that can be reached. Axes: likelihood, surprising,
    prior and smoothed (observations, values); classes (observations); the observations of
    respondent r, earliest first, are offsets[r]:offsets[r + 1].
    """
    n_values = likelihood.shape[1]
    n_states = next_state.shape[0]
    place_of = np.full(n_states, -1, np.int64)
    for respondent in range(start, stop):
        first, last = offsets[respondent], offsets[respondent + 1]
        layer_states = [np.array([start_state], np.int64)]
        layer_weights = [np.ones(1, np.float64)]
        for seen in range(first, last - 1):
            here, weights = layer_states[-1], layer_weights[-1]
            following = np.empty(min(here.shape[0] * n_values, n_states), np.int64)
            totals = np.zeros(following.shape[0], np.float64)
            length = 0
            for place in range(here.shape[0]):
                for value in range(n_values):
                    flow = weights[place] * likelihood[seen, value]
                    if flow > 0.0:
                        flow *= emission(
                            seen == first,
                            here[place],
                            classes[seen],
                            value,
                            next_value,
                            known,
                            prior[seen],
                            surprising[seen],
                        )
                    if flow > 0.0:
                        state = next_state[here[place], value]
                        if place_of[state] < 0:
                            place_of[state] = length
                            following[length] = state
                            length += 1
                        totals[place_of[state]] += flow
            if length == 0:
                # Nothing that was held possible came: from here on, the state tells nothing.
                surprising[seen, :] = True
                for place in range(here.shape[0]):
                    for value in range(n_values):
                        flow = weights[place] * likelihood[seen, value]
                        state = next_state[here[place], value]
                        if flow > 0.0:
                            if place_of[state] < 0:
                                place_of[state] = length
                                following[length] = state
                                length += 1
                            totals[place_of[state]] += flow
            for place in range(length):
                place_of[following[place]] = -1
            largest = totals[:length].max()
            layer_states.append(following[:length].copy())
            layer_weights.append(totals[:length] / largest)
        ahead = np.ones(1, np.float64)
        for back in range(last - first):
            seen = last - 1 - back
            here, weights = layer_states[seen - first], layer_weights[seen - first]
            if back > 0:
                beyond = layer_states[seen - first + 1]
                for place in range(beyond.shape[0]):
                    place_of[beyond[place]] = place
            future = np.zeros(here.shape[0], np.float64)
            smoothed[seen, :] = 0.0
            for place in range(here.shape[0]):
                for value in range(n_values):
                    if likelihood[seen, value] > 0.0:
                        flow = likelihood[seen, value] * emission(
                            seen == first,
                            here[place],
                            classes[seen],
                            value,
                            next_value,
                            known,
                            prior[seen],
                            surprising[seen],
                        )
                        if back > 0 and flow > 0.0:
                            flow *= ahead[place_of[next_state[here[place], value]]]
                        future[place] += flow
                        smoothed[seen, value] += weights[place] * flow
            if back > 0:
                for place in range(beyond.shape[0]):
                    place_of[beyond[place]] = -1
            if back == 0 and not smoothed[seen].sum() > 0.0:
                surprising[seen, :] = True
                held = weights.sum()
                for value in range(n_values):
                    smoothed[seen, value] = likelihood[seen, value] * held
                future[:] = 1.0
            smoothed[seen, :] /= smoothed[seen].sum()
            ahead = future / future.max()
