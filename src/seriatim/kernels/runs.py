"""Ragged rows: some entries of many, with a number each, one run behind the other.

Axes: the run of row r has the places places[offsets[r]:offsets[r + 1]] and as many weights;
dense (rows, places) has a zero for each place that a run has not.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import FloatArray, IntArray, SmallIntArray
from seriatim.kernels._jit import kernel


@kernel
def count_positive(
    start: int, stop: int, rows: IntArray, dense: FloatArray, lengths: IntArray
) -> None:
    """Write how many positive entries some rows have."""
    for index in range(start, stop):
        row = rows[index]
        length = 0
        for place in range(dense.shape[1]):
            if dense[row, place] > 0.0:
                length += 1
        lengths[index] = length


@kernel
def take_offsets(rows: IntArray, offsets: IntArray, taken: IntArray) -> bool:
    """Write where the runs of some rows begin and the last ends, if these are all there are.

    Tell whether it is so: rows ascend, and the runs of those left out are empty.
    """
    end = offsets[0]
    for place in range(rows.shape[0]):
        row = rows[place]
        if offsets[row] != end or (place > 0 and row <= rows[place - 1]):
            return False
        taken[place] = end
        end = offsets[row + 1]
    taken[rows.shape[0]] = end
    return bool(end == offsets[offsets.shape[0] - 1])


@kernel
def take_positive(
    start: int,
    stop: int,
    rows: IntArray,
    dense: FloatArray,
    offsets: IntArray,
    places: SmallIntArray,
    weights: FloatArray,
) -> None:
    """Write the runs of the positive entries of some rows."""
    for index in range(start, stop):
        row = rows[index]
        end = offsets[index]
        for place in range(dense.shape[1]):
            if dense[row, place] > 0.0:
                places[end] = place
                weights[end] = dense[row, place]
                end += 1


@kernel
def spread_runs(
    start: int,
    stop: int,
    offsets: IntArray,
    places: SmallIntArray,
    weights: FloatArray,
    dense: FloatArray,
) -> None:
    """Write runs into dense rows, which are zero beforehand."""
    for row in range(start, stop):
        for entry in range(offsets[row], offsets[row + 1]):
            dense[row, places[entry]] = weights[entry]


@kernel
def copy_runs(
    start: int,
    stop: int,
    sources: IntArray,
    begins: IntArray,
    places: SmallIntArray,
    weights: FloatArray,
    targets: IntArray,
    offsets: IntArray,
    copied_places: SmallIntArray,
    copied_weights: FloatArray,
) -> None:
    """Copy the runs of some rows to where those of others, or the same, begin."""
    for index in range(start, stop):
        begin, target = begins[sources[index]], offsets[targets[index]]
        for step in range(begins[sources[index] + 1] - begin):
            copied_places[target + step] = places[begin + step]
            copied_weights[target + step] = weights[begin + step]


@kernel
def at_places(
    start: int,
    stop: int,
    rows: IntArray,
    wanted: IntArray,
    offsets: IntArray,
    places: SmallIntArray,
    weights: FloatArray,
    found: FloatArray,
) -> None:
    """Write the number of each of some rows at one place, 0 where its run has none."""
    for index in range(start, stop):
        row = rows[index]
        number = 0.0
        for entry in range(offsets[row], offsets[row + 1]):
            if places[np.uint64(entry)] == wanted[index]:
                number = weights[np.uint64(entry)]
                break
        found[index] = number
