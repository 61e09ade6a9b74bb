"""Texts side by side: repeated for each row of a group, and compared with a group's first.

Axes: text i is letters[begins[i]:begins[i + 1]]; starts (groups and one) are rows.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, ByteArray, IntArray, SmallIntArray
from seriatim.kernels._jit import kernel
from seriatim.kernels._machine import copy_letters


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
        begin = np.uint64(begins[group])
        length = np.uint64(begins[group + 1]) - begin
        place = np.uint64(places[group])
        for row in range(starts[group], starts[group + 1]):
            new_begins[row] = place
            copy_letters(new_letters, place, letters, begin, length)
            place += length


@kernel
def compare_texts(
    first: int,
    last: int,
    letters: ByteArray,
    begins: SmallIntArray,
    starts: IntArray,
    differ: BoolArray,
) -> None:
    """Say so if a row's text is not that of the first row of its group.

    Texts of one length lie side by side, so that each letter is compared with the same letter of
    the row before; many at a time, where nothing is asked in between.
    """
    for group in range(first, last):
        model, end = np.uint64(starts[group]), np.uint64(starts[group + 1])
        if model == end:
            continue
        length = begins[model + np.uint64(1)] - begins[model]
        unlike = np.int32(0)
        for row in range(model, end):
            unlike |= begins[row + np.uint64(1)] - begins[row] - length
        if unlike != 0:
            differ[0] = True
            return
        width, odd = np.uint64(length), np.uint8(0)
        for letter in range(np.uint64(begins[model]), np.uint64(begins[end]) - width):
            odd |= letters[letter] ^ letters[letter + width]
        if odd != 0:
            differ[0] = True
            return
