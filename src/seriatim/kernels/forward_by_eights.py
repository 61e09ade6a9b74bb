"""The forward pass where all contexts are known, eight numbers and some respondents at a time.

The same numbers as ``forward.py`` writes, to the last digit. A respondent's few numbers are each
other's consequences, and a processor that sees one respondent at a time waits for them; so some
are read, then what each comes to is added up, then all are written.

Axes as in ``forward.py``; the table's rows have room for a multiple of eight values.
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
from seriatim.kernels._eights import (
    EIGHT,
    list_products,
    read_eights,
    sum_of_eights,
    write_shares,
)
from seriatim.kernels._jit import inlined_kernel, kernel
from seriatim.kernels.forward import LISTED, add_listed

_TOGETHER = 16
"""Respondents who are gone through together."""

_NOBODY = -1
"""The number of possible values of a respondent without a past."""


@kernel
def go_forward_by_eights(
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
    """Do what ``go_forward`` does; every context is known, so no weight goes to the prior."""
    n_values, width = revised.shape[1], np.uint64(next_value.shape[2])
    across, table, written = next_state.shape[1], next_value.reshape(-1), revised.reshape(-1)
    moves = next_state.reshape(-1).astype(np.uint64) * width
    # Room for each of those who are together, up to the next eight. Places are unsigned, or each
    # use would ask whether to count from the end.
    wide = np.uint64(-(-most // EIGHT) * EIGHT)
    broad = np.uint64(-(-n_values // EIGHT) * EIGHT)
    weighed, from_junction = np.zeros(_TOGETHER * wide), np.zeros(_TOGETHER * wide, np.uint64)
    believed, to_value = np.zeros(_TOGETHER * broad), np.zeros(_TOGETHER * broad, np.uint64)
    pushed, totals = np.zeros(_TOGETHER * broad), np.zeros(_TOGETHER * width)
    at_once = max(LISTED // n_values, 1)
    room = at_once * n_values + EIGHT
    listed, steps = np.zeros(room), np.zeros(room, np.uint64)
    count, possible = np.zeros(_TOGETHER, np.int64), np.zeros(_TOGETHER, np.int64)
    for first_number in range(start, stop, _TOGETHER):
        together = min(_TOGETHER, stop - first_number)
        for place in range(together):
            one = np.uint64(place)
            row = rows[np.uint64(first_number) + one]
            if row < 0:
                count[one], possible[one] = 0, _NOBODY
                continue
            past = np.uint64(row)
            begin, first = begins[past], firsts[past]
            count[one], possible[one] = ends[past] - begin, lasts[past] - first
            _read(weights, begin, count[one], weighed, one * wide)
            _read(junctions, begin, count[one], from_junction, one * wide)
            _read(beliefs, first, possible[one], believed, one * broad)
            _read(codes, first, possible[one], to_value, one * broad)
            if rounded:
                _to_one(weighed, one * wide, count[one])
                _to_one(believed, one * broad, possible[one])
        pushed[:] = 0.0
        totals[:] = 0.0
        for place in range(together):
            one = np.uint64(place)
            target = np.uint64(targets[np.uint64(first_number) + one])
            shift = np.uint64(classes[target]) * np.uint64(next_value.shape[1]) * width
            for begin in range(0, count[one], at_once):
                some = min(at_once, count[one] - begin)
                list_products(
                    some, one * wide + np.uint64(begin), across, possible[one], one * broad,
                    weighed, from_junction, believed, to_value, listed, steps, pushed,
                )  # fmt: skip
                length = some * possible[one]
                add_listed(length, listed, steps, moves, shift, table, totals, width, one * width)
        for place in range(together):
            one = np.uint64(place)
            target = np.uint64(targets[np.uint64(first_number) + one])
            whole = sum_of_eights(totals, one * width, n_values)
            if whole > 0.0:
                to = target * np.uint64(n_values)
                write_shares(totals, one * width, n_values, whole, written, to)
            else:
                for value in range(n_values):
                    revised[target, value] = prior[prior_of[target], value]
            if after.shape[0] == 0 or possible[one] == _NOBODY:
                continue
            to = np.uint64(pushed_offsets[np.uint64(first_number) + one])
            whole = sum_of_eights(pushed, one * broad, possible[one])
            write_shares(pushed, one * broad, possible[one], whole, pushed_share, to)
            for value in range(possible[one]):
                index = np.uint64(value)
                pushed_place[to + index] = after[to_value[one * broad + index]]


@inlined_kernel
def _read(
    source: np.ndarray, first: int, length: int, target: FloatArray | WordArray, to: np.uint64
) -> None:
    """Copy some numbers, and zeros behind them up to the next eight."""
    if first + length + EIGHT <= source.shape[0]:
        read_eights(source, first, length, target, to)
    else:
        for place in range(-(-length // EIGHT) * EIGHT):
            target[to + np.uint64(place)] = source[first + place] if place < length else 0


@inlined_kernel
def _to_one(numbers: FloatArray, first: np.uint64, length: int) -> None:
    """Bring some numbers to sum to 1."""
    whole = sum_of_eights(numbers, first, length)
    write_shares(numbers, first, length, whole, numbers, first)
