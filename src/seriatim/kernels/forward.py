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

from seriatim._typing import (
    BoolArray,
    FloatArray,
    HalfArray,
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
def read_run(begin: int, end: int, shares: SingleArray, run: FloatArray) -> None:
    """Read rounded shares, and bring them to sum to 1."""
    length = end - begin
    # Unsigned, or each use would first look whether to count from the end.
    first = np.uint64(begin)
    total = 0.0
    for index in range(length):
        total += shares[first + np.uint64(index)]
    for index in range(length):
        run[np.uint64(index)] = shares[first + np.uint64(index)] / total


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
    all, the prior is.
    """
    n_values, width = revised.shape[1], next_value.shape[2]
    table, all_known = next_value.reshape(-1), bool(known.all())
    totals = np.empty(width, np.float64)
    listed = np.empty(_LISTED + n_values, np.float64)
    places = np.empty(_LISTED + n_values, np.uint64)
    for place in range(start, stop):
        row = rows[place]
        if row < 0:
            for value in range(n_values):
                revised[place, value] = prior[prior_of[place], value]
            continue
        expect_row(
            place, classes[place],
            junctions, weights, offsets[row], offsets[row], offsets[row + 1] - offsets[row],
            codes, beliefs, bounds[row], bounds[row], bounds[row + 1] - bounds[row],
            next_state, next_value, table, all_known, known, prior, prior_of,
            totals, listed, places, revised,
        )  # fmt: skip


@kernel
def expect_priors(
    start: int,
    stop: int,
    rows: IntArray,
    prior: FloatArray,
    prior_of: IntArray,
    revised: FloatArray,
) -> None:
    """Write what is expected of whoever has no past (-1)."""
    for place in range(start, stop):
        if rows[place] < 0:
            for value in range(revised.shape[1]):
                revised[place, value] = prior[prior_of[place], value]


@kernel
def go_forward(
    start: int,
    stop: int,
    people: IntArray,
    roster_row: IntArray,
    begins: IntArray,
    middles: IntArray,
    ends: IntArray,
    place: HalfArray,
    share: SingleArray,
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
    """Write what is expected of some people next, and their weights pushed on, from kept entries.

    The entries begins..middles of each are junctions and shares (``most`` of them at most),
    middles..ends values and the belief in each: rounded, and brought to sum to 1 here. Where the
    last value alone says which junction comes (``after``), pushing needs nothing else, and is
    rounded as it is kept. The numbers are those of ``expected_values`` and ``pushed_by_value``.
    """
    n_values, width = revised.shape[1], next_value.shape[2]
    table, all_known = next_value.reshape(-1), bool(known.all())
    totals = np.empty(width, np.float64)
    listed = np.empty(_LISTED + n_values, np.float64)
    places = np.empty(_LISTED + n_values, np.uint64)
    weighed = np.empty(most, np.float64)
    believed, pushed = np.empty(n_values, np.float64), np.empty(n_values, np.float64)
    for number in range(start, stop):
        index = np.uint64(number)
        person = np.uint64(people[index])
        begin, middle, end = begins[index], middles[index], ends[index]
        read_run(begin, middle, share, weighed)
        read_run(middle, end, share, believed)
        target = roster_row[person]
        expect_row(
            target, classes[target],
            place, weighed, begin, 0, middle - begin,
            place, believed, middle, 0, end - middle,
            next_state, next_value, table, all_known, known, prior, prior_of,
            totals, listed, places, revised,
        )  # fmt: skip
        push_row(weighed, 0, middle - begin, believed, 0, end - middle, pushed)
        first, to = np.uint64(middle), np.uint64(pushed_offsets[person])
        for entry in range(end - middle):
            one = np.uint64(entry)
            pushed_place[to + one] = after[np.uint64(place[first + one])]
            pushed_share[to + one] = np.float32(pushed[one])


@kernel
def expect_row(
    place: int,
    kind: int,
    junctions: SmallIntArray | HalfArray,
    weights: FloatArray,
    begin: int,
    weight_begin: int,
    n_junctions: int,
    codes: SmallIntArray | HalfArray,
    beliefs: FloatArray,
    first: int,
    belief_first: int,
    possible: int,
    next_state: SmallIntArray,
    next_value: FloatArray,
    table: FloatArray,
    all_known: bool,
    known: BoolArray,
    prior: FloatArray,
    prior_of: IntArray,
    totals: FloatArray,
    listed: FloatArray,
    places: WordArray,
    revised: FloatArray,
) -> None:
    """Write what one respondent is expected to have next.

    What a past comes to is listed first, state by state with its weight, and added up then: two
    plain loops, which processors are good at.
    """
    n_values, width = revised.shape[1], np.uint64(next_value.shape[2])
    above = np.uint64(kind) * np.uint64(next_value.shape[1])
    totals[:] = 0.0
    lost = 0.0
    length = 0
    for index in range(n_junctions):
        weight = weights[np.uint64(weight_begin + index)]
        junction = np.uint64(junctions[np.uint64(begin + index)])
        for number in range(possible):
            belief = beliefs[np.uint64(belief_first + number)]
            listed[np.uint64(length + number)] = weight * belief
        for number in range(possible):
            state = next_state[junction, np.uint64(codes[np.uint64(first + number)])]
            places[np.uint64(length + number)] = width * (above + np.uint64(state))
        if not all_known:
            for number in range(length, length + possible):
                # The row of such a state is zero, and adds nothing below.
                if not known[np.uint64(kind), places[np.uint64(number)] // width - above]:
                    lost += listed[np.uint64(number)]
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
def push_row(
    weights: FloatArray,
    begin: int,
    n_junctions: int,
    beliefs: FloatArray,
    first: int,
    possible: int,
    pushed: FloatArray,
) -> None:
    """Push the weights of one past through its posterior, where each value has its junction.

    The same numbers as ``pushed_weights`` writes, added in the same order.
    """
    for number in range(possible):
        pushed[np.uint64(number)] = 0.0
    for index in range(n_junctions):
        weight = weights[np.uint64(begin + index)]
        for number in range(possible):
            pushed[np.uint64(number)] += weight * beliefs[np.uint64(first + number)]
    # Weights sum to 1 but for rounding; without this the error would grow with the history.
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

    All the weight of a respondent without a past (-1) lies where everyone begins.
    """
    pushed = np.empty(after.shape[0], np.float64)
    for place in range(start, stop):
        row = rows[place]
        target = np.uint64(pushed_offsets[place])
        if row < 0:
            pushed_junctions[target] = origin
            pushed_weights[target] = 1.0
            continue
        begin, first, possible = offsets[row], bounds[row], bounds[row + 1] - bounds[row]
        push_row(weights, begin, offsets[row + 1] - begin, beliefs, first, possible, pushed)
        for number in range(possible):
            index = np.uint64(number)
            pushed_junctions[target + index] = after[np.uint64(codes[np.uint64(first) + index])]
            pushed_weights[target + index] = pushed[index]
