"""The forward pass over a sequence automaton, for many respondents at once.

A respondent's past is a weight on junctions (states that every value leaves to
the same next state) and the posterior at the last release seen; together they
weigh the automaton's states: w[next[j, v]] += u[j] * p[v].

Axes: offsets (respondents + 1) into the ragged junctions and weights; bounds (respondents
+ 1) into the ragged codes and beliefs, the posterior, or where both begin and end (respondents);
revised (respondents, values); prior (its rows, values), prior_of (respondents) says which row;
next_state (junctions, values); next_value (classes, states, values, and maybe zeros behind
them), zero where it is not known; known (classes, states); junction_of (states).
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import (
    BoolArray,
    FloatArray,
    HalfArray,
    IntArray,
    SingleArray,
    SmallIntArray,
    WordArray,
)
from seriatim.kernels._eights import add_rows_of_8, add_rows_of_24
from seriatim.kernels._jit import inlined_kernel, inner_kernel, kernel

_EIGHT, _THREE_EIGHTS = np.uint64(8), np.uint64(24)
"""Numbers of a row that are added at once."""

LISTED = 512
"""States that are listed before they are added up: more would not stay near the processor."""


@kernel
def tell_apart(rows: IntArray, newcomers: IntArray, targets: IntArray) -> int:
    """List those without a past (-1), and write whose each past is; return how many are listed."""
    count = np.uint64(0)
    for person in range(rows.shape[0]):
        if rows[person] < 0:
            newcomers[count] = person
            count += np.uint64(1)
        else:
            targets[np.uint64(rows[person])] = person
    return int(count)


@kernel
def go_forward(
    start: int,
    stop: int,
    targets: IntArray,
    rows: IntArray,
    begins: IntArray,
    ends: IntArray,
    junctions: SmallIntArray | HalfArray,
    weights: FloatArray | SingleArray,
    firsts: IntArray,
    lasts: IntArray,
    codes: SmallIntArray | HalfArray,
    beliefs: FloatArray | SingleArray,
    rounded: bool,
    most: int,
    classes: IntArray,
    next_state: SmallIntArray,
    next_value: FloatArray,
    known: BoolArray,
    prior: FloatArray,
    prior_of: IntArray,
    revised: FloatArray,
    after: SmallIntArray,
    pushed_offsets: IntArray,
    pushed_place: HalfArray,
    pushed_share: SingleArray,
) -> None:
    """Write what respondents are expected to have next, summing to 1, into rows of ``revised``.

    ``rows`` says which past is whose, and -1 that there is none: then the prior is expected.
    The weight of unknown contexts goes to the prior as well; where nothing is expected at
    all, the prior is. What a past comes to is listed first, step by step with its weight, and added
    up then.

    A past is at begins..ends (``most`` junctions at most) and firsts..lasts; where it is
    ``rounded``, weights and beliefs are brought to sum to 1. Where ``after`` is not empty it says
    which junction comes after each value: then weights are pushed on, too, as ``pushed_by_value``
    does it, and rounded.
    """
    n_values, width = revised.shape[1], np.uint64(next_value.shape[2])
    across = np.uint64(next_state.shape[1])
    table, states = next_value.reshape(-1), next_state.reshape(-1)
    moves = states.astype(np.uint64) * width
    totals = np.empty(next_value.shape[2], np.float64)
    listed = np.empty(LISTED + n_values, np.float64)
    steps = np.empty(LISTED + n_values, np.uint64)
    # Read once, and near from then on. Unsigned, or each use would ask whether to count from
    # the end.
    weighed, from_junction = np.empty(most), np.empty(most, np.uint64)
    believed, to_value = np.empty(n_values), np.empty(n_values, np.uint64)
    pushed = np.empty(n_values)
    for number in range(start, stop):
        target, row = targets[number], rows[number]
        if row < 0:
            for value in range(n_values):
                revised[target, value] = prior[prior_of[target], value]
            continue
        kind = np.uint64(classes[target])
        shift = kind * np.uint64(next_value.shape[1]) * width
        begin, n_junctions = np.uint64(begins[row]), ends[row] - begins[row]
        first, possible = np.uint64(firsts[row]), lasts[row] - firsts[row]
        for place in range(n_junctions):
            index = np.uint64(place)
            weighed[index] = weights[begin + index]
            from_junction[index] = np.uint64(junctions[begin + index]) * across
        for place in range(possible):
            index = np.uint64(place)
            believed[index] = beliefs[first + index]
            to_value[index] = np.uint64(codes[first + index])
        if rounded:
            _to_one(n_junctions, weighed)
            _to_one(possible, believed)
        totals[:] = 0.0
        lost = 0.0
        length = 0
        for place in range(n_junctions):
            weight, junction = weighed[np.uint64(place)], from_junction[np.uint64(place)]
            for entry in range(length, length + possible):
                index = np.uint64(entry - length)
                step = junction + to_value[index]
                listed[np.uint64(entry)] = weight * believed[index]
                steps[np.uint64(entry)] = step
                # The row of an unknown state is zero, and adds nothing below.
                if not known[kind, states[step]]:
                    lost += listed[np.uint64(entry)]
            length += possible
            if length > LISTED:
                add_listed(length, listed, steps, moves, shift, table, totals, width, np.uint64(0))
                length = 0
        add_listed(length, listed, steps, moves, shift, table, totals, width, np.uint64(0))
        whole = 0.0
        for value in range(n_values):
            totals[value] += lost * prior[prior_of[target], value]
            whole += totals[value]
        for value in range(n_values):
            expected = totals[value] / whole if whole > 0.0 else prior[prior_of[target], value]
            revised[target, value] = expected
        if after.shape[0] == 0:
            continue
        for place in range(possible):
            total = 0.0
            for entry in range(n_junctions):
                total += weighed[np.uint64(entry)] * believed[np.uint64(place)]
            pushed[np.uint64(place)] = total
        _to_one(possible, pushed)
        to = np.uint64(pushed_offsets[number])
        for place in range(possible):
            index = np.uint64(place)
            pushed_place[to + index] = after[to_value[index]]
            pushed_share[to + index] = np.float32(pushed[index])


@inner_kernel
def _to_one(length: int, numbers: FloatArray) -> None:
    """Bring the first of some numbers to sum to 1."""
    total = 0.0
    for index in range(length):
        total += numbers[np.uint64(index)]
    for index in range(length):
        numbers[np.uint64(index)] /= total


@inlined_kernel
def add_listed(
    length: int,
    weights: FloatArray,
    steps: WordArray,
    moves: WordArray,
    shift: np.uint64,
    table: FloatArray,
    totals: FloatArray,
    width: np.uint64,
    to: np.uint64,
) -> None:
    """Add the rows that steps lead to, each times its weight, in their order, to some totals."""
    begin = np.uint64(0)
    while begin + _THREE_EIGHTS <= width:
        add_rows_of_24(length, weights, steps, moves, shift, table, totals, begin, to + begin)
        begin += _THREE_EIGHTS
    while begin + _EIGHT <= width:
        add_rows_of_8(length, weights, steps, moves, shift, table, totals, begin, to + begin)
        begin += _EIGHT
    for number in range(begin, width):
        value = np.uint64(number)
        total = totals[to + value]
        for index in range(length):
            place = moves[steps[np.uint64(index)]] + shift
            total += weights[np.uint64(index)] * table[place + value]
        totals[to + value] = total


@kernel
def pushed_lengths(
    start: int,
    stop: int,
    rows: IntArray,
    offsets: IntArray,
    junctions: SmallIntArray,
    bounds: IntArray,
    codes: SmallIntArray,
    next_state: SmallIntArray,
    junction_of: SmallIntArray,
    lengths: IntArray,
) -> None:
    """Write on how many junctions each of some respondents' weights will lie; -1 has no past."""
    seen_by = np.full(next_state.shape[0], -1, np.int64)
    for place in range(start, stop):
        row = rows[place]
        if row < 0:
            lengths[place] = 1
            continue
        length = 0
        for entry in range(offsets[row], offsets[row + 1]):
            reachable = next_state[junctions[entry]]
            for possible in range(bounds[row], bounds[row + 1]):
                junction = junction_of[reachable[codes[possible]]]
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
    bounds: IntArray,
    codes: SmallIntArray,
    beliefs: FloatArray,
    next_state: SmallIntArray,
    junction_of: SmallIntArray,
    begin: int,
    pushed_offsets: IntArray,
    pushed_junctions: SmallIntArray,
    pushed_weights: FloatArray,
) -> None:
    """Push some respondents' weights through the last posterior, summed by junction.

    All the weight of a respondent without a past (-1) lies where everyone begins.
    """
    totals = np.zeros(next_state.shape[0], np.float64)
    seen_by = np.full(next_state.shape[0], -1, np.int64)
    for place in range(start, stop):
        row = rows[place]
        end = pushed_offsets[place]
        if row < 0:
            pushed_junctions[end] = begin
            pushed_weights[end] = 1.0
            continue
        for entry in range(offsets[row], offsets[row + 1]):
            reachable = next_state[junctions[entry]]
            for possible in range(bounds[row], bounds[row + 1]):
                junction = junction_of[reachable[codes[possible]]]
                if seen_by[junction] != place:
                    seen_by[junction] = place
                    pushed_junctions[end] = junction
                    totals[junction] = 0.0
                    end += 1
                totals[junction] += weights[entry] * beliefs[possible]
        # Weights sum to 1 but for rounding; without this the error would grow with the history.
        whole = 0.0
        for entry in range(pushed_offsets[place], end):
            whole += totals[pushed_junctions[entry]]
        for entry in range(pushed_offsets[place], end):
            pushed_weights[entry] = totals[pushed_junctions[entry]] / whole


@kernel
def pushed_by_value(
    start: int,
    stop: int,
    rows: IntArray,
    offsets: IntArray,
    weights: FloatArray,
    bounds: IntArray,
    codes: SmallIntArray,
    beliefs: FloatArray,
    after: SmallIntArray,
    origin: int,
    pushed_offsets: IntArray,
    pushed_junctions: SmallIntArray,
    pushed_weights: FloatArray,
) -> None:
    """Push weights where the last value alone says which junction comes, each its own.

    The same numbers as ``pushed_weights`` writes, added in the same order. All the weight of a
    respondent without a past (-1) lies where everyone begins.
    """
    for place in range(start, stop):
        row = rows[place]
        begin, end = pushed_offsets[place], pushed_offsets[place + 1]
        if row < 0:
            pushed_junctions[begin] = origin
            pushed_weights[begin] = 1.0
            continue
        first = bounds[row]
        whole = 0.0
        for to in range(begin, end):
            belief, total = beliefs[first + to - begin], 0.0
            for entry in range(offsets[row], offsets[row + 1]):
                total += weights[entry] * belief
            pushed_junctions[to] = after[codes[first + to - begin]]
            pushed_weights[to] = total
            whole += total
        for to in range(begin, end):
            pushed_weights[to] /= whole
