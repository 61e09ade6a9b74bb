"""Sorting words by some of their bits, digit by digit; equal words stay in their order."""

from __future__ import annotations

import numpy as np

from seriatim._typing import WordArray
from seriatim.kernels._jit import kernel

_DIGIT = 11
"""Bits of a digit: as many piles as the nearest memory can keep in sight."""


@kernel
def sort_words(words: WordArray, spare: WordArray, first: int, last: int) -> bool:
    """Sort by the bits first..last; return whether the result is in ``spare`` instead."""
    length = words.shape[0]
    piles = 1 << _DIGIT
    mask = np.uint64(piles - 1)
    begins = np.empty(piles, np.int64)
    source, target = words, spare
    in_spare = False
    for shift in range(first, last, _DIGIT):
        by = np.uint64(shift)
        begins[:] = 0
        for place in range(length):
            begins[(source[place] >> by) & mask] += 1
        if begins[(source[0] >> by) & mask] == length:
            continue
        total = 0
        for pile in range(piles):
            count = begins[pile]
            begins[pile] = total
            total += count
        for place in range(length):
            word = source[place]
            pile = (word >> by) & mask
            target[begins[pile]] = word
            begins[pile] += 1
        source, target = target, source
        in_spare = not in_spare
    return in_spare
