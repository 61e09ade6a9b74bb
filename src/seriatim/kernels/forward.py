"""The forward pass over a sequence automaton, for many respondents at once.

A respondent's past is a weight on junctions (states that every value leaves to
the same next state) and the posterior at the last release seen; together they
weigh the automaton's states: w[next[j, v]] += u[j] * p[v].

Axes: offsets (respondents + 1) into the ragged junctions and weights; bounds (respondents
+ 1) into the ragged codes and beliefs, the posterior; revised (respondents, values); prior
(its rows, values), prior_of (respondents) says which row; next_state (junctions, values);
next_value (classes, states, values, and maybe zeros behind them), zero where it is not known;
known (classes, states); junction_of (states).
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray, WordArray
from seriatim.kernels._jit import kernel
from seriatim.kernels._machine import add_rows_of_8, add_rows_of_24

_LISTED = 512
"""States that are listed before they are added up: more would not stay near the processor."""


# Unsigned, or each use would first look whether to count from the end.
_1, _2, _3 = np.uint64(1), np.uint64(2), np.uint64(3)


@kernel
def expected_values(
    start: int,
    stop: int,
    rows: IntArray,
    offsets: IntArray,
    junctions: SmallIntArray,
    weights: FloatArray,
    bounds: IntArray,
    codes: SmallIntArray,
    beliefs: FloatArray,
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
    for place in range(start, stop):
        row = rows[place]
        if row < 0:
            for value in range(n_values):
                revised[place, value] = prior[prior_of[place], value]
            continue
        kind = np.uint64(classes[place])
        above = kind * np.uint64(n_states)
        first, possible = np.uint64(bounds[row]), bounds[row + 1] - bounds[row]
        totals[:] = 0.0
        lost = 0.0
        length = 0
        for entry in range(offsets[row], offsets[row + 1]):
            weight = weights[entry]
            junction = np.uint64(junctions[entry])
            for number in range(possible):
                listed[np.uint64(length + number)] = weight * beliefs[first + np.uint64(number)]
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
    begin: int,
    pushed_offsets: IntArray,
    pushed_junctions: SmallIntArray,
    pushed_weights: FloatArray,
) -> None:
    """Push weights where the last value alone says which junction comes, each its own.

    The same numbers as ``pushed_weights`` writes, added in the same order.
    """
    for place in range(start, stop):
        row = rows[place]
        end = pushed_offsets[place]
        if row < 0:
            pushed_junctions[end] = begin
            pushed_weights[end] = 1.0
            continue
        first, last = bounds[row], bounds[row + 1]
        # Four at a time: alone, each sum waits for its last term.
        for possible in range(first, last - 3, 4):
            at, to = np.uint64(possible), np.uint64(end)
            total, total_1, total_2, total_3 = 0.0, 0.0, 0.0, 0.0
            for entry in range(offsets[row], offsets[row + 1]):
                weight = weights[np.uint64(entry)]
                total += weight * beliefs[at]
                total_1 += weight * beliefs[at + _1]
                total_2 += weight * beliefs[at + _2]
                total_3 += weight * beliefs[at + _3]
            pushed_weights[to], pushed_weights[to + _1] = total, total_1
            pushed_weights[to + _2], pushed_weights[to + _3] = total_2, total_3
            end += 4
        for possible in range(last - (last - first) % 4, last):
            total = 0.0
            for entry in range(offsets[row], offsets[row + 1]):
                total += weights[np.uint64(entry)] * beliefs[np.uint64(possible)]
            pushed_weights[np.uint64(end)] = total
            end += 1
        whole = 0.0
        for number in range(last - first):
            to = np.uint64(pushed_offsets[place] + number)
            pushed_junctions[to] = after[np.uint64(codes[np.uint64(first + number)])]
            whole += pushed_weights[to]
        for entry in range(pushed_offsets[place], end):
            pushed_weights[np.uint64(entry)] /= whole
