"""Sorting words by some of their bits, digit by digit; equal words stay in their order.

Words come in parts, which are counted, and dealt into piles, by themselves: in a pile those of
an earlier part come first.

Axes: begins (piles) of one part.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import IntArray, WordArray
from seriatim.kernels._jit import calls, kernel, usable_cores

_DIGIT = 11
"""Bits of a digit: as many piles as the nearest memory can keep in sight."""

_PILES = 1 << _DIGIT

_LEAST = 2**15
"""Words that are worth a core of their own."""


def sort_words(words: WordArray, spare: WordArray, first: int, last: int) -> bool:
    """Sort by the bits first..last; return whether the result is in ``spare`` instead."""
    n_parts = max(min(usable_cores(), len(words) // _LEAST), 1)
    bounds = np.linspace(0, len(words), n_parts + 1).astype(int)
    source, target = words, spare
    for shift in range(first, last, _DIGIT):
        counts = np.zeros((n_parts, _PILES), np.int64)
        parts = list(zip(bounds[:-1], bounds[1:], counts, strict=True))
        calls(count_piles, [(start, stop, source, shift, one) for start, stop, one in parts])
        before = np.cumsum(counts.T).reshape(_PILES, n_parts).T - counts
        if (counts.sum(axis=0) == len(words)).any():
            continue
        parts = list(zip(bounds[:-1], bounds[1:], np.ascontiguousarray(before), strict=True))
        calls(deal, [(start, stop, source, shift, one, target) for start, stop, one in parts])
        source, target = target, source
    return source is spare


@kernel
def count_piles(start: int, stop: int, words: WordArray, shift: int, counts: IntArray) -> None:
    """Count how many words have each digit; the counts are zero beforehand."""
    mask, by = np.uint64(_PILES - 1), np.uint64(shift)
    for place in range(start, stop):
        counts[(words[np.uint64(place)] >> by) & mask] += 1


@kernel
def deal(
    start: int, stop: int, words: WordArray, shift: int, begins: IntArray, target: WordArray
) -> None:
    """Deal words into the piles of their digits, which begin where it says, and then later."""
    mask, by = np.uint64(_PILES - 1), np.uint64(shift)
    for place in range(start, stop):
        word = words[np.uint64(place)]
        pile = (word >> by) & mask
        target[np.uint64(begins[pile])] = word
        begins[pile] += 1
