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
def said_of(
    likelihood: FloatArray, surprising: BoolArray, values: IntArray, said: FloatArray
) -> int:
    """Write the values that an observation leaves possible, and how much it speaks for each.

    The code of a value that was held impossible and came all the same is written as -1 - code.
    """
    length = 0
    for value in range(likelihood.shape[0]):
        if likelihood[value] > 0.0:
            values[length] = -1 - value if surprising[value] else value
            said[length] = likelihood[value]
            length += 1
    return length


@inner_kernel
def reached_states(
    here: IntArray,
    weights: FloatArray,
    values: IntArray,
    said: FloatArray,
    next_state: SmallIntArray,
    next_value: FloatArray,
    known: BoolArray,
    prior: FloatArray,
    place_of: IntArray,
    following: IntArray,
    totals: FloatArray,
) -> int:
    """Write the states that are reached through an observation, and their weights; say how many.

    ``place_of`` (states) is -1 everywhere, and again when this is done.
    """
    length = 0
    for place in range(here.shape[0]):
        state, weight = here[place], weights[place]
        expectation = next_value[state] if known[state] else prior
        for index in range(values.shape[0]):
            value = values[index]
            flow = weight * said[index]
            if value < 0:
                # What was held impossible and came all the same tells nothing about the state.
                value = -1 - value
            else:
                flow *= expectation[value]
            if flow > 0.0:
                onto = next_state[state, value]
                if place_of[onto] < 0:
                    place_of[onto] = length
                    following[length] = onto
                    totals[length] = 0.0
                    length += 1
                totals[place_of[onto]] += flow
    for place in range(length):
        place_of[following[place]] = -1
    return length


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
    hindsight: FloatArray,
) -> None:
    """Write what each observation is believed to be in the light of all of a respondent's.

    Forward and backward over the states that can be reached. Axes: likelihood, surprising,
    prior, smoothed and hindsight (observations, values); classes (observations); the
    observations of respondent r, earliest first, are offsets[r]:offsets[r + 1].

    The prior speaks first, and for the unknown. Hindsight is how much later observations speak
    for each value, given those before; 0 for values that the observation itself rules out.
    """
    n_values = likelihood.shape[1]
    n_states = next_state.shape[0]
    place_of = np.full(n_states, -1, np.int64)
    nothing_known = np.zeros(n_states, np.bool_)
    following = np.empty(n_states, np.int64)
    totals = np.empty(n_states, np.float64)
    values = np.empty(n_values, np.int64)
    said = np.empty(n_values, np.float64)
    for respondent in range(start, stop):
        first, last = offsets[respondent], offsets[respondent + 1]
        layer_states = [np.array([start_state], np.int64)]
        layer_weights = [np.ones(1, np.float64)]
        for seen in range(first, last - 1):
            length = 0
            for _ in range(2):
                possible = said_of(likelihood[seen], surprising[seen], values, said)
                length = reached_states(
                    layer_states[-1],
                    layer_weights[-1],
                    values[:possible],
                    said,
                    next_state,
                    next_value[classes[seen]],
                    nothing_known if seen == first else known[classes[seen]],
                    prior[seen],
                    place_of,
                    following,
                    totals,
                )
                if length > 0:
                    break
                # Nothing that was held possible came: from here on, the state tells nothing.
                surprising[seen, :] = True
            layer_states.append(following[:length].copy())
            layer_weights.append(totals[:length] / totals[:length].max())
        ahead = np.ones(1, np.float64)
        for seen in range(last - 1, first - 1, -1):
            here, weights = layer_states[seen - first], layer_weights[seen - first]
            ends = seen == last - 1
            if not ends:
                beyond = layer_states[seen - first + 1]
                for place in range(beyond.shape[0]):
                    place_of[beyond[place]] = place
            chances = next_value[classes[seen]]
            knows = nothing_known if seen == first else known[classes[seen]]
            possible = said_of(likelihood[seen], surprising[seen], values, said)
            believed = np.zeros(possible, np.float64)
            foreseen = np.zeros(possible, np.float64)
            later = np.zeros(possible, np.float64)
            future = np.zeros(here.shape[0], np.float64)
            for place in range(here.shape[0]):
                state, weight = here[place], weights[place]
                expectation = chances[state] if knows[state] else prior[seen]
                for index in range(possible):
                    value, chance = values[index], 1.0
                    if value < 0:
                        value = -1 - value
                    else:
                        chance = expectation[value]
                    # The product first: one may be next to nothing, the other huge.
                    flow = said[index] * chance
                    if not flow > 0.0:
                        continue
                    foreseen[index] += weight * chance
                    if not ends:
                        onward = ahead[place_of[next_state[state, value]]]
                        flow *= onward
                        chance *= onward
                    future[place] += flow
                    believed[index] += weight * flow
                    later[index] += weight * chance
            if not ends:
                for place in range(beyond.shape[0]):
                    place_of[beyond[place]] = -1
            smoothed[seen, :] = 0.0
            hindsight[seen, :] = 0.0
            if ends and not believed.sum() > 0.0:
                surprising[seen, :] = True
                believed[:] = said[:possible]
                future[:] = 1.0
                hindsight[seen, :] = 1.0
            whole = believed.sum()
            for index in range(possible):
                value = values[index] if values[index] >= 0 else -1 - values[index]
                smoothed[seen, value] = believed[index] / whole
                if foreseen[index] > 0.0:
                    hindsight[seen, value] = later[index] / foreseen[index]
            ahead = future / future.max()
