"""Lines of a CSV file, written column by column into the place that each line has.

Axes: text i of a column is letters[begins[i]:begins[i + 1]]; places (rows) say where the next
cell of a row goes.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import ByteArray, IntArray, SmallIntArray
from seriatim.kernels._jit import kernel

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
