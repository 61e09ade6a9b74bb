"""The forward pass over a sequence automaton, for many respondents at once.

A respondent's past is a weight on junctions (states that every value leaves to
the same next state) and the posterior at the last release seen; together they
weigh the automaton's states: w[next[j, v]] += u[j] * p[v].

Axes: begins and ends (respondents) say where each one's junctions and weights lie, firsts and
lasts (respondents) the same of codes and beliefs, the posterior; where they are kept in single
precision (``scaled``) both are brought to sum to 1 when they are read. revised (respondents,
values); prior (its rows, values), prior_of (respondents) says which row; next_state (junctions,
values); next_value (classes, states, values, and maybe zeros behind them), zero where it is not
known; known (classes, states); junction_of (states).
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import (
    BoolArray,
    FloatArray,
    IntArray,
    SingleArray,
    SmallIntArray,
    WordArray,
)
from seriatim.kernels._jit import kernel
from seriatim.kernels._machine import add_rows_of_8, add_rows_of_24

_LISTED = 512
"""States that are listed before they are added up: more would not stay near the processor."""


@kernel
def read_run(
    begin: int, end: int, numbers: FloatArray | SingleArray, scaled: bool, run: FloatArray
) -> None:
    """Copy the numbers begin..end, brought to sum to 1 where they are kept in single precision."""
    length = end - begin
    # Unsigned, or each use would first look whether to count from the end.
    first = np.uint64(begin)
    for index in range(length):
        run[np.uint64(index)] = numbers[first + np.uint64(index)]
    if not scaled:
        return
    total = 0.0
    for index in range(length):
        total += run[np.uint64(index)]
    for index in range(length):
        run[np.uint64(index)] /= total


@kernel
def expected_values(
    start: int,
    stop: int,
    rows: IntArray,
    begins: IntArray,
    ends: IntArray,
    junctions: SmallIntArray,
    weights: FloatArray,
    firsts: IntArray,
    lasts: IntArray,
    codes: SmallIntArray,
    beliefs: FloatArray,
    scaled: bool,
    classes: IntArray,
    next_state: SmallIntArray,
    next_value: FloatArray,
    known: BoolArray,
    prior: FloatArray,
    prior_of: IntArray,
    revised: FloatArray,
) -> None:
    """Write what each respondent is expected to have next, summing to 1.

    ``rows`` says which past is whose, and -1 that there is none: then the prior is expected.
    The weight of unknown contexts goes to the prior as well; where nothing is expected at
    all, the prior is. What a past comes to is listed first, state by state with its weight, and
    added up then: two plain loops, which processors are good at.
    """
    n_values, width, n_states = revised.shape[1], next_value.shape[2], next_value.shape[1]
    table = next_value.reshape(-1)
    all_known = known.all()
    totals = np.empty(width, np.float64)
    listed = np.empty(_LISTED + n_values, np.float64)
    places = np.empty(_LISTED + n_values, np.uint64)
    weighed = np.empty(next_state.shape[0], np.float64)
    believed = np.empty(n_values, np.float64)
    for place in range(start, stop):
        row = rows[place]
        if row < 0:
            for value in range(n_values):
                revised[place, value] = prior[prior_of[place], value]
            continue
        kind = np.uint64(classes[place])
        above = kind * np.uint64(n_states)
        begin, first, possible = begins[row], np.uint64(firsts[row]), lasts[row] - firsts[row]
        read_run(begin, ends[row], weights, scaled, weighed)
        read_run(firsts[row], lasts[row], beliefs, scaled, believed)
        totals[:] = 0.0
        lost = 0.0
        length = 0
        for index in range(ends[row] - begin):
            weight = weighed[np.uint64(index)]
            junction = np.uint64(junctions[np.uint64(begin + index)])
            for number in range(possible):
                listed[np.uint64(length + number)] = weight * believed[np.uint64(number)]
            for number in range(possible):
                state = next_state[junction, np.uint64(codes[first + np.uint64(number)])]
                places[np.uint64(length + number)] = np.uint64(width) * (above + np.uint64(state))
            if not all_known:
                for number in range(length, length + possible):
                    # The row of such a state is zero, and adds nothing below.
                    if not known[kind, places[number] // np.uint64(width) - above]:
                        lost += listed[number]
            length += possible
            if length > _LISTED:
                _add_listed(length, listed, places, table, totals)
                length = 0
        _add_listed(length, listed, places, table, totals)
        whole = 0.0
        for value in range(n_values):
            totals[value] += lost * prior[prior_of[place], value]
            whole += totals[value]
        if whole > 0.0:
            for value in range(n_values):
                revised[place, value] = totals[value] / whole
        else:
            for value in range(n_values):
                revised[place, value] = prior[prior_of[place], value]


@kernel
def _add_listed(
    length: int, weights: FloatArray, places: WordArray, table: FloatArray, totals: FloatArray
) -> None:
    """Add rows of a table, each times its weight, in their order."""
    width = totals.shape[0]
    begin = 0
    while begin + 24 <= width:
        add_rows_of_24(length, weights, places, table, totals, begin)
        begin += 24
    while begin + 8 <= width:
        add_rows_of_8(length, weights, places, table, totals, begin)
        begin += 8
    for number in range(begin, width):
        value = np.uint64(number)
        total = totals[value]
        for index in range(length):
            total += weights[np.uint64(index)] * table[places[np.uint64(index)] + value]
        totals[value] = total


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
def push_by_value(
    begin: int,
    end: int,
    weights: FloatArray | SingleArray,
    first: int,
    last: int,
    beliefs: FloatArray | SingleArray,
    scaled: bool,
    weighed: FloatArray,
    believed: FloatArray,
    pushed: FloatArray,
) -> None:
    """Push the weights of one past through its posterior, value by value.

    The same numbers as ``pushed_weights`` writes, added in the same order.
    """
    read_run(begin, end, weights, scaled, weighed)
    read_run(first, last, beliefs, scaled, believed)
    possible = last - first
    for number in range(possible):
        pushed[np.uint64(number)] = 0.0
    for index in range(end - begin):
        weight = weighed[np.uint64(index)]
        for number in range(possible):
            pushed[np.uint64(number)] += weight * believed[np.uint64(number)]
    whole = 0.0
    for number in range(possible):
        whole += pushed[np.uint64(number)]
    for number in range(possible):
        pushed[np.uint64(number)] /= whole


@kernel
def pushed_by_value(
    start: int,
    stop: int,
    rows: IntArray,
    begins: IntArray,
    ends: IntArray,
    weights: FloatArray,
    firsts: IntArray,
    lasts: IntArray,
    codes: SmallIntArray,
    beliefs: FloatArray,
    scaled: bool,
    most: int,
    after: SmallIntArray,
    origin: int,
    pushed_offsets: IntArray,
    pushed_junctions: SmallIntArray,
    pushed_weights: FloatArray,
) -> None:
    """Push weights where the last value alone says which junction comes, each its own.

    No past has ``most`` junctions; a respondent without one (-1) is where everyone begins.
    """
    weighed = np.empty(most, np.float64)
    believed, pushed = np.empty(after.shape[0], np.float64), np.empty(after.shape[0], np.float64)
    for place in range(start, stop):
        row = rows[place]
        target = np.uint64(pushed_offsets[place])
        if row < 0:
            pushed_junctions[target] = origin
            pushed_weights[target] = 1.0
            continue
        past, posterior = (begins[row], ends[row]), (firsts[row], lasts[row])
        push_by_value(
            past[0],
            past[1],
            weights,
            posterior[0],
            posterior[1],
            beliefs,
            scaled,
            weighed,
            believed,
            pushed,
        )
        for number in range(posterior[1] - posterior[0]):
            index = np.uint64(number)
            code = np.uint64(codes[np.uint64(posterior[0]) + index])
            pushed_junctions[target + index] = after[code]
            pushed_weights[target + index] = pushed[index]
