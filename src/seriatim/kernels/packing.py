"""Pasts as runs of 32-bit words, one run for each respondent.

A run is the number of places, the places, the weight on each (a 32-bit float), the codes of
the values that are possible, and the belief in each (likewise). How many codes there are
follows from the length of the run.

Axes: offsets (respondents + 1) into the ragged places and weights; bounds (respondents + 1)
into the ragged codes and beliefs; begins (respondents) and ends say where runs lie among the
words; shares are the same words, read as floats.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from seriatim._typing import FloatArray, IntArray, SmallIntArray
from seriatim.kernels._jit import kernel


@kernel
def run_lengths(
    start: int,
    stop: int,
    offsets: IntArray,
    bounds: IntArray,
    beliefs: FloatArray,
    lengths: IntArray,
) -> None:
    """Write how many words the run of each respondent takes; what rounds to nothing takes none."""
    for row in range(start, stop):
        possible = 0
        for entry in range(bounds[row], bounds[row + 1]):
            if np.float32(beliefs[entry]) != 0.0:
                possible += 1
        lengths[row] = 1 + 2 * (offsets[row + 1] - offsets[row]) + 2 * possible


@kernel
def pack_runs(
    start: int,
    stop: int,
    offsets: IntArray,
    places: SmallIntArray,
    weights: FloatArray,
    bounds: IntArray,
    codes: SmallIntArray,
    beliefs: FloatArray,
    begins: IntArray,
    words: npt.NDArray[np.int32],
    shares: npt.NDArray[np.float32],
) -> None:
    """Write the run of each respondent."""
    for row in range(start, stop):
        at = begins[row]
        length = offsets[row + 1] - offsets[row]
        words[at] = length
        for index in range(length):
            words[at + 1 + index] = places[offsets[row] + index]
            shares[at + 1 + length + index] = np.float32(weights[offsets[row] + index])
        at += 1 + 2 * length
        possible = (begins[row + 1] - at) // 2
        for entry in range(bounds[row], bounds[row + 1]):
            belief = np.float32(beliefs[entry])
            if belief != 0.0:
                words[at] = codes[entry]
                shares[at + possible] = belief
                at += 1


@kernel
def unpack_runs(
    start: int,
    stop: int,
    begins: IntArray,
    ends: IntArray,
    words: npt.NDArray[np.int32],
    shares: npt.NDArray[np.float32],
    offsets: IntArray,
    places: SmallIntArray,
    weights: FloatArray,
    bounds: IntArray,
    codes: SmallIntArray,
    beliefs: FloatArray,
) -> None:
    """Read the run of each respondent; weights and beliefs are rescaled to sum to 1."""
    for row in range(start, stop):
        at = begins[row]
        length = words[at]
        first = offsets[row]
        total = 0.0
        for index in range(length):
            total += shares[at + 1 + length + index]
        for index in range(length):
            places[first + index] = words[at + 1 + index]
            weights[first + index] = shares[at + 1 + length + index] / total
        at += 1 + 2 * length
        possible = (ends[row] - at) // 2
        first = bounds[row]
        total = 0.0
        for index in range(possible):
            total += shares[at + possible + index]
        for index in range(possible):
            codes[first + index] = words[at + index]
            beliefs[first + index] = shares[at + possible + index] / total
