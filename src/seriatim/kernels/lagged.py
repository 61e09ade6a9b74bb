"""Smoothing over the last releases only, for many respondents at once.

Observations are ragged: those of respondent r are offsets[r]:offsets[r + 1], earliest first,
and the values that observation o leaves possible are the entries begins[o]:ends[o]. Before the
first of them a respondent is in one of some states, or in none that is remembered: then the
entries' own ``rest`` says what was expected. Axes otherwise as in ``joint``.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray
from seriatim.kernels._jit import inner_kernel, kernel


@kernel
def sighted_entries(
    start: int,
    stop: int,
    rows: IntArray,
    posterior: FloatArray,
    revised: FloatArray,
    least: float,
    bounds: IntArray,
    codes: SmallIntArray,
    likelihood: FloatArray,
    surprising: BoolArray,
    rest: FloatArray,
) -> None:
    """Write how much a release speaks for each value that it leaves possible.

    The likelihood posterior / revised, the largest of a respondent 1; the posterior itself for a
    value that was held impossible. ``rest`` becomes what was expected, 1 for such a value.
    """
    for person in range(start, stop):
        row = rows[person]
        entry = bounds[person]
        largest = 0.0
        for value in range(posterior.shape[1]):
            if posterior[row, value] > 0.0:
                held = revised[row, value]
                codes[entry] = value
                surprising[entry] = held <= 0.0
                if held <= 0.0:
                    likelihood[entry] = posterior[row, value]
                    rest[entry] = 1.0
                else:
                    likelihood[entry] = posterior[row, value] / max(held, least)
                    rest[entry] = held
                largest = max(largest, likelihood[entry])
                entry += 1
        for entry in range(bounds[person], bounds[person + 1]):
            likelihood[entry] /= largest


@kernel
def heaviest_states(
    start: int,
    stop: int,
    rows: IntArray,
    past_of: IntArray,
    offsets: IntArray,
    states: SmallIntArray,
    weights: FloatArray,
    tables: IntArray,
    next_value: FloatArray,
    known: BoolArray,
    prior: FloatArray,
    bounds: IntArray,
    codes: SmallIntArray,
    surprising: BoolArray,
    rest: FloatArray,
    kept_bounds: IntArray,
    kept: SmallIntArray,
    kept_weights: FloatArray,
    beyond: FloatArray,
) -> None:
    """Write the heaviest states before a release; ``rest`` becomes what the others expect.

    As many are kept as there is room for. ``beyond`` is the weight of the others, 0 where there
    are none.
    """
    for person in range(start, stop):
        past = past_of[person]
        if past < 0:
            continue
        row = rows[person]
        kind = tables[row]
        first, last = offsets[past], offsets[past + 1]
        begin, end = kept_bounds[person], kept_bounds[person + 1]
        length = 0
        for entry in range(first, last):
            weight = weights[entry]
            if length == end - begin and weight <= kept_weights[end - 1]:
                continue
            place = begin + min(length, end - begin - 1)
            while place > begin and kept_weights[place - 1] < weight:
                kept_weights[place] = kept_weights[place - 1]
                kept[place] = kept[place - 1]
                place -= 1
            kept_weights[place] = weight
            kept[place] = states[entry]
            length = min(length + 1, end - begin)
        left = 1.0
        for place in range(begin, end):
            left -= kept_weights[place]
        if last - first <= end - begin or left <= 0.0:
            continue
        beyond[person] = left
        for entry in range(bounds[person], bounds[person + 1]):
            if not surprising[entry]:
                expected = rest[entry]
                value = codes[entry]
                for place in range(begin, end):
                    state = kept[place]
                    by_state = next_value[kind, state, value]
                    if not known[kind, state]:
                        by_state = prior[row, value]
                    expected -= kept_weights[place] * by_state
                rest[entry] = max(expected, 0.0) / left


@kernel
def looked_back(
    start: int,
    stop: int,
    offsets: IntArray,
    begins: IntArray,
    ends: IntArray,
    codes: SmallIntArray,
    likelihood: FloatArray,
    surprising: BoolArray,
    prior_of: IntArray,
    prior: FloatArray,
    tables: IntArray,
    state_begins: IntArray,
    state_ends: IntArray,
    states: SmallIntArray,
    weights: FloatArray,
    beyond: FloatArray,
    rest: FloatArray,
    next_state: SmallIntArray,
    next_value: FloatArray,
    known: BoolArray,
    start_state: int,
    smoothed: FloatArray,
) -> None:
    """Write what each entry is believed to be in the light of all of a respondent's observations.

    Forward and backward over the states that can be reached; what flows from each state by each
    value is kept for the way back. Nothing is written for a respondent's last observation, which
    is in the light of the past alone. Entries beyond the end of ``smoothed`` are steps that
    nobody saw. State -1 stands for all that are not remembered.
    """
    n_states, n_values = next_state.shape
    place_of = np.full(n_states, -1, np.int64)
    longest = 0
    for respondent in range(start, stop):
        longest = max(longest, offsets[respondent + 1] - offsets[respondent])
    layers = np.zeros(longest + 2, np.int64)
    flow_begins = np.zeros(longest + 1, np.int64)
    here = np.empty(1024, np.int64)
    weight = np.empty(1024, np.float64)
    ahead = np.empty(1024, np.float64)
    flows = np.empty(8192, np.float64)
    # Unsigned, or each use would first look whether to count from the end.
    targets = np.empty(8192, np.uint32)
    value_of = np.empty(n_values, np.uint32)
    likely = np.empty(n_values, np.float64)
    believed = np.empty(n_values, np.float64)
    for respondent in range(start, stop):
        first, last = offsets[respondent], offsets[respondent + 1] - 1
        if first == last:
            continue
        n_open = state_ends[respondent] - state_begins[respondent]
        here, weight = _grown(here, n_open + 1), _grown(weight, n_open + 1)
        length = 0
        for entry in range(state_begins[respondent], state_ends[respondent]):
            here[length] = states[entry]
            weight[length] = weights[entry]
            length += 1
        if beyond[respondent] > 0.0:
            here[length] = -1
            weight[length] = beyond[respondent]
            length += 1
        layers[0] = 0
        layers[1] = length
        used = 0
        for seen in range(first, last):
            step = seen - first
            bottom, top = layers[step], layers[step + 1]
            begin = begins[seen]
            width = ends[seen] - begin
            flow_begins[step] = used
            n_flows = (top - bottom) * width
            flows, targets = _grown(flows, used + n_flows), _grown(targets, used + n_flows)
            room = top + min(n_flows, n_states)
            here, weight = _grown(here, room), _grown(weight, room)
            kind = tables[seen]
            surprises = False
            for index in range(width):
                value_of[index] = codes[begin + index]
                likely[index] = likelihood[begin + index]
                surprises = surprises or surprising[begin + index]
            length = top
            for trusting in (True, False):
                at = used
                for place in range(bottom, top):
                    state = here[place]
                    if not trusting:
                        # Nothing that was held possible came: the state tells nothing.
                        for index in range(width):
                            flows[at + index] = likely[index]
                    elif state < 0:
                        for index in range(width):
                            flows[at + index] = likely[index] * rest[begin + index]
                    elif known[kind, state]:
                        for index in range(width):
                            value = value_of[index]
                            chance = next_value[kind, state, value]
                            flows[np.uint64(at + index)] = likely[index] * chance
                    else:
                        for index in range(width):
                            value = value_of[index]
                            flows[at + index] = likely[index] * prior[prior_of[seen], value]
                    if surprises and state >= 0:
                        for index in range(width):
                            if surprising[begin + index]:
                                flows[at + index] = likely[index]
                    origin = start_state if state < 0 else state
                    share = weight[place]
                    for index in range(width):
                        spot = np.uint64(at + index)
                        flow = share * flows[spot]
                        if flow <= 0.0:
                            flows[spot] = 0.0
                            targets[spot] = 0
                            continue
                        following = np.uint32(next_state[origin, value_of[index]])
                        target = place_of[following]
                        if target < 0:
                            target = length
                            place_of[following] = target
                            here[target] = following
                            weight[target] = 0.0
                            length += 1
                        weight[np.uint64(target)] += flow
                        targets[spot] = target - top
                    at += width
                if length > top:
                    break
            total = 0.0
            for place in range(top, length):
                place_of[here[place]] = -1
                total += weight[place]
            for place in range(top, length):
                weight[place] /= total
            layers[step + 2] = length
            used += n_flows
        bottom, top = layers[last - first], layers[last - first + 1]
        ahead = _grown(ahead, top - bottom)
        # Most values possible: all of them in their order are faster than those picked out.
        many = 2 * (ends[last] - begins[last]) >= n_values
        if many:
            likely[:] = 0.0
        unforeseen = 0.0
        for entry in range(begins[last], ends[last]):
            if surprising[entry]:
                unforeseen += likelihood[entry]
            elif many:
                likely[codes[entry]] = likelihood[entry]
        kind = tables[last]
        largest = 0.0
        for place in range(bottom, top):
            state = here[place]
            explained = unforeseen
            if many and known[kind, state]:
                explained += _product(next_value, kind, state, likely)
            else:
                for entry in range(begins[last], ends[last]):
                    if not surprising[entry]:
                        chance = (
                            next_value[kind, state, codes[entry]]
                            if known[kind, state]
                            else prior[prior_of[last], codes[entry]]
                        )
                        explained += likelihood[entry] * chance
            ahead[place - bottom] = explained
            largest = max(largest, explained)
        for place in range(top - bottom):
            # Where no state explains what came, none is preferred.
            ahead[place] = ahead[place] / largest if largest > 0.0 else 1.0
        for seen in range(last - 1, first - 1, -1):
            step = seen - first
            bottom, top = layers[step], layers[step + 1]
            begin = begins[seen]
            width = ends[seen] - begin
            at = flow_begins[step]
            for flow in range(at, at + (top - bottom) * width):
                spot = np.uint64(flow)
                flows[spot] *= ahead[targets[spot]]
            ahead = _grown(ahead, top - bottom)
            believed[:width] = 0.0
            largest = 0.0
            for place in range(bottom, top):
                share = weight[place]
                for index in range(width):
                    believed[index] += share * flows[np.uint64(at + index)]
                ahead[place - bottom] = _sum(flows, at, width)
                largest = max(largest, ahead[place - bottom])
                at += width
            for place in range(top - bottom):
                ahead[place] /= largest
            if begin < smoothed.shape[0]:
                total = _sum(believed, 0, width)
                for index in range(width):
                    smoothed[begin + index] = believed[index] / total


@inner_kernel
def _product(next_value: FloatArray, kind: int, state: int, likely: FloatArray) -> float:
    """Return how well a state explains what came: a sum in four lanes.

    In one lane each addition would wait for the last.
    """
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    lanes = likely.shape[0] // 4
    for lane in range(lanes):
        value = np.uint32(4 * lane)
        first += next_value[kind, state, value] * likely[value]
        value = np.uint32(4 * lane + 1)
        second += next_value[kind, state, value] * likely[value]
        value = np.uint32(4 * lane + 2)
        third += next_value[kind, state, value] * likely[value]
        value = np.uint32(4 * lane + 3)
        fourth += next_value[kind, state, value] * likely[value]
    for left in range(4 * lanes, likely.shape[0]):
        first += next_value[kind, state, left] * likely[left]
    return (first + second) + (third + fourth)


@kernel
def _sum(array: FloatArray, begin: int, length: int) -> float:
    """Return a sum in four lanes."""
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    lanes = length // 4
    for lane in range(lanes):
        place = begin + 4 * lane
        first += array[np.uint64(place)]
        second += array[np.uint64(place + 1)]
        third += array[np.uint64(place + 2)]
        fourth += array[np.uint64(place + 3)]
    for place in range(begin + 4 * lanes, begin + length):
        first += array[place]
    return (first + second) + (third + fourth)


@inner_kernel
def _grown(array: np.ndarray, length: int) -> np.ndarray:
    """Return the array, or a larger one with its content."""
    if length <= array.shape[0]:
        return array
    larger = np.empty(2 * length, array.dtype)
    for place in range(array.shape[0]):
        larger[place] = array[place]
    return larger
