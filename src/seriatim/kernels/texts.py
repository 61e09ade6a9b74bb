"""Texts side by side: repeated for each row of a group, and compared with a group's first.

Axes: text i is letters[begins[i]:begins[i + 1]]; starts (groups and one) are rows.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, ByteArray, IntArray, SmallIntArray
from seriatim.kernels._jit import kernel


@kernel
def repeat_texts(
    first: int,
    last: int,
    letters: ByteArray,
    begins: SmallIntArray,
    starts: IntArray,
    places: IntArray,
    new_letters: ByteArray,
    new_begins: SmallIntArray,
) -> None:
    """Write the text of each group once for each of its rows; places (groups) say where to."""
    for group in range(first, last):
        # Places without a sign: none can be counted from the end, and none is asked whether it is.
        begin, end = np.uint64(begins[group]), np.uint64(begins[group + 1])
        place = np.uint64(places[group])
        for row in range(starts[group], starts[group + 1]):
            new_begins[row] = place
            for letter in range(begin, end):
                new_letters[place] = letters[letter]
                place += np.uint64(1)


@kernel
def compare_texts(
    first: int,
    last: int,
    letters: ByteArray,
    begins: SmallIntArray,
    starts: IntArray,
    differ: BoolArray,
) -> None:
    """Say so if a row's text is not that of the first row of its group."""
    for group in range(first, last):
        model = starts[group]
        length = begins[model + 1] - begins[model]
        for row in range(model + 1, starts[group + 1]):
            if begins[row + 1] - begins[row] != length:
                differ[0] = True
                return
            other = np.uint64(begins[model])
            for letter in range(np.uint64(begins[row]), np.uint64(begins[row + 1])):
                if letters[letter] != letters[other]:
                    differ[0] = True
                    return
                other += np.uint64(1)
