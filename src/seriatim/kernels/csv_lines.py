"""Lines of a CSV file, written column by column into the place that each line has.

Axes: text i of a column is letters[begins[i]:begins[i + 1]]; places (rows) say where the next
cell of a row goes. Group g has the rows from starts[g] to starts[g + 1].
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import ByteArray, IntArray, SmallIntArray
from seriatim.kernels._jit import kernel
from seriatim.kernels._machine import copy_letters

_QUOTE = 34


@kernel
def place_lines(
    start: int, stop: int, begins: SmallIntArray, beside: int, lengths: IntArray
) -> None:
    """Add the length of each cell, with what stands beside it, to that of its line."""
    for row in range(start, stop):
        lengths[row - start] += begins[row + 1] - begins[row] + beside


@kernel
def write_cells(
    start: int,
    stop: int,
    letters: ByteArray,
    begins: SmallIntArray,
    quoted: bool,
    behind: int,
    places: IntArray,
    written: ByteArray,
) -> None:
    """Write the cells of rows start..stop with what stands behind each; go on from there."""
    one = np.uint64(1)
    for row in range(start, stop):
        # Places without a sign: none can be counted from the end, and none is asked whether it is.
        place = np.uint64(places[row - start])
        if quoted:
            written[place] = _QUOTE
            place += one
        for letter in range(np.uint64(begins[row]), np.uint64(begins[row + 1])):
            written[place] = letters[letter]
            place += one
        if quoted:
            written[place] = _QUOTE
            place += one
        written[place] = behind
        places[row - start] = place + one


@kernel
def measure_groups(
    first: int,
    last: int,
    starts: IntArray,
    begins: IntArray,
    value_begins: IntArray,
    codes: IntArray,
    lengths: IntArray,
) -> None:
    """Write how long the lines of each group are: what is said of all, and a value each."""
    for group in range(first, last):
        length = (starts[group + 1] - starts[group]) * (begins[group + 1] - begins[group])
        for row in range(np.uint64(starts[group]), np.uint64(starts[group + 1])):
            code = np.uint64(codes[row])
            length += value_begins[code + np.uint64(1)] - value_begins[code]
        lengths[group] = length


@kernel
def write_groups(
    first: int,
    last: int,
    starts: IntArray,
    lines: ByteArray,
    begins: IntArray,
    values: ByteArray,
    value_begins: IntArray,
    codes: IntArray,
    places: IntArray,
    written: ByteArray,
) -> None:
    """Write the lines of each group from its place on."""
    one = np.uint64(1)
    for group in range(first, last):
        place = np.uint64(places[group])
        begin = np.uint64(begins[group])
        length = np.uint64(begins[group + 1]) - begin
        for row in range(np.uint64(starts[group]), np.uint64(starts[group + 1])):
            copy_letters(written, place, lines, begin, length)
            place += length
            code = np.uint64(codes[row])
            value = np.uint64(value_begins[code])
            value_length = np.uint64(value_begins[code + one]) - value
            copy_letters(written, place, values, value, value_length)
            place += value_length
