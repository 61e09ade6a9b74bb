"""Whole numbers and their decimal digits, read and written without a word in between.

Axes: text i is letters[begins[i]:begins[i + 1]].
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, ByteArray, IntArray, SmallIntArray
from seriatim.kernels._jit import kernel

_MINUS = 45
_ZERO = 48
_MOST_DIGITS = 18


@kernel
def read_decimals(
    start: int,
    stop: int,
    letters: ByteArray,
    begins: SmallIntArray,
    numbers: IntArray,
    empty: BoolArray,
    unlike: BoolArray,
) -> None:
    """Read texts that are whole numbers as a number is written, or empty; else say so."""
    for text in range(start, stop):
        place, end = begins[text], begins[text + 1]
        empty[text] = place == end
        numbers[text] = 0
        if place == end:
            continue
        negative = letters[place] == _MINUS
        if negative:
            place += 1
        digits = end - place
        # A zero in front, or before nothing, is part of a code and no number.
        leading = digits > 0 and letters[place] == _ZERO and (digits > 1 or negative)
        if digits < 1 or digits > _MOST_DIGITS or leading:
            unlike[0] = True
            return
        number = np.int64(0)
        # Places without a sign: none can be counted from the end, and none is asked whether it is.
        for at in range(np.uint64(place), np.uint64(end)):
            digit = np.int64(letters[at]) - _ZERO
            if digit < 0 or digit > 9:
                unlike[0] = True
                return
            number = 10 * number + digit
        numbers[text] = -number if negative else number


@kernel
def count_digits(start: int, stop: int, numbers: IntArray, lengths: SmallIntArray) -> None:
    """Write how many letters each number takes."""
    for text in range(start, stop):
        number = numbers[text]
        # The least number of all has no opposite among the signed ones.
        left = np.uint64(-number) if number < 0 else np.uint64(number)
        count = np.int64(2 if number < 0 else 1)
        while left >= np.uint64(10_000):
            left //= np.uint64(10_000)
            count += 4
        for bound in (10, 100, 1_000):
            count += np.int64(left >= np.uint64(bound))
        lengths[text] = count


@kernel
def write_decimals(
    start: int, stop: int, numbers: IntArray, begins: SmallIntArray, letters: ByteArray
) -> None:
    """Write each number as a text."""
    ten = np.uint64(10)
    for text in range(start, stop):
        number = numbers[text]
        left = np.uint64(-number) if number < 0 else np.uint64(number)
        place = np.uint64(begins[text + 1])
        while True:
            place -= np.uint64(1)
            rest = left // ten
            letters[place] = np.uint8(left - rest * ten) + np.uint8(_ZERO)
            left = rest
            if left == np.uint64(0):
                break
        if number < 0:
            letters[begins[text]] = _MINUS
