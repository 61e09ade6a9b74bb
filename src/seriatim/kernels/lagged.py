"""Smoothing over the last releases only, for many respondents at once.

Observations are ragged: those of respondent r are offsets[r]:offsets[r + 1], earliest first,
and the values that observation o leaves possible are the entries begins[o]:ends[o]. Before the
first of them a respondent is in one of some states, or in none that is remembered: then the
entries' own ``rest`` says what was expected. Axes otherwise as in ``joint``.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray
from seriatim.kernels._jit import kernel


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

    Forward and backward over the states that can be reached, with what flows from each state by
    each value kept for the way back. Entries beyond the end of ``smoothed`` are steps that
    nobody saw. State -1 stands for all that are not remembered.
    """
    place_of = np.full(next_state.shape[0], -1, np.int64)
    longest = 0
    for respondent in range(start, stop):
        longest = max(longest, offsets[respondent + 1] - offsets[respondent])
    layers = np.zeros(longest + 1, np.int64)
    flow_begins = np.zeros(longest + 1, np.int64)
    here = np.empty(1024, np.int64)
    weight = np.empty(1024, np.float64)
    ahead = np.empty(1024, np.float64)
    flows = np.empty(8192, np.float64)
    targets = np.empty(8192, np.int64)
    value_of = np.empty(next_state.shape[1], np.int64)
    likely = np.empty(next_state.shape[1], np.float64)
    believed = np.empty(next_state.shape[1], np.float64)
    for respondent in range(start, stop):
        first, last = offsets[respondent], offsets[respondent + 1]
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
            surprises = False
            for index in range(width):
                value_of[index] = codes[begin + index]
                likely[index] = likelihood[begin + index]
                surprises = surprises or surprising[begin + index]
            flow_begins[step] = used
            flows = _grown(flows, used + (top - bottom) * width)
            at = used
            for place in range(bottom, top):
                state = here[place]
                if state < 0:
                    for index in range(width):
                        flows[at + index] = likely[index] * rest[begin + index]
                else:
                    kind = tables[seen]
                    if known[kind, state]:
                        for index in range(width):
                            flows[at + index] = (
                                likely[index] * next_value[kind, state, value_of[index]]
                            )
                    else:
                        for index in range(width):
                            flows[at + index] = (
                                likely[index] * prior[prior_of[seen], value_of[index]]
                            )
                    if surprises:
                        for index in range(width):
                            if surprising[begin + index]:
                                flows[at + index] = likely[index]
                at += width
            if not _any_flow(flows, used, weight, bottom, top, width):
                # Nothing that was held possible came: from here on, the state tells nothing.
                for at in range(used, used + (top - bottom) * width):
                    flows[at] = likely[(at - used) % width]
            if seen < last - 1:
                room = top + min((top - bottom) * width, next_state.shape[0])
                here, weight = _grown(here, room), _grown(weight, room)
                targets = _grown(targets, used + (top - bottom) * width)
                length = top
                at = used
                for place in range(bottom, top):
                    origin = start_state if here[place] < 0 else here[place]
                    for index in range(width):
                        flow = weight[place] * flows[at + index]
                        if flow <= 0.0:
                            flows[at + index] = 0.0
                            targets[at + index] = 0
                            continue
                        state = next_state[origin, value_of[index]]
                        target = place_of[state]
                        if target < 0:
                            target = length
                            place_of[state] = target
                            here[target] = state
                            weight[target] = 0.0
                            length += 1
                        weight[target] += flow
                        targets[at + index] = target - top
                    at += width
                total = 0.0
                for place in range(top, length):
                    place_of[here[place]] = -1
                    total += weight[place]
                for place in range(top, length):
                    weight[place] /= total
                layers[step + 2] = length
            used += (top - bottom) * width
        for seen in range(last - 1, first - 1, -1):
            step = seen - first
            bottom, top = layers[step], layers[step + 1]
            begin = begins[seen]
            width = ends[seen] - begin
            at = flow_begins[step]
            if seen < last - 1:
                for flow in range(at, at + (top - bottom) * width):
                    flows[flow] *= ahead[targets[flow]]
            ahead = _grown(ahead, top - bottom)
            largest = 0.0
            believed[:width] = 0.0
            for place in range(bottom, top):
                share = weight[place]
                for index in range(width):
                    believed[index] += share * flows[at + index]
                total = _sum(flows, at, width)
                ahead[place - bottom] = total
                largest = max(largest, total)
                at += width
            for place in range(top - bottom):
                ahead[place] /= largest
            if begin < smoothed.shape[0]:
                total = _sum(believed, 0, width)
                for index in range(width):
                    smoothed[begin + index] = believed[index] / total


@kernel
def _any_flow(
    flows: FloatArray, begin: int, weight: FloatArray, bottom: int, top: int, width: int
) -> bool:
    """Tell whether anything flows from states that have weight."""
    at = begin
    for place in range(bottom, top):
        if weight[place] > 0.0:
            for index in range(width):
                if weight[place] * flows[at + index] > 0.0:
                    return True
        at += width
    return False


@kernel
def _sum(array: FloatArray, begin: int, length: int) -> float:
    """Return a sum in four lanes: one after the other, each addition would wait for the last."""
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    whole = begin + length - length % 4
    for place in range(begin, whole, 4):
        first += array[place]
        second += array[place + 1]
        third += array[place + 2]
        fourth += array[place + 3]
    for place in range(whole, begin + length):
        first += array[place]
    return (first + second) + (third + fourth)


@kernel
def _grown(array: np.ndarray, length: int) -> np.ndarray:
    """Return the array, or a larger one with its content."""
    if length <= array.shape[0]:
        return array
    larger = np.empty(2 * length, array.dtype)
    larger[: array.shape[0]] = array
    return larger
