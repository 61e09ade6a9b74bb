"""Whether members of groups lie in the regions that are written of them.

Axes: group_of (respondents), negative for those in none; points (respondents, axes); word_of
(groups, axes); low and high (words, those of all axes) are the ends of intervals. A word that
names single codes has them in set_codes[set_starts[w]:set_starts[w + 1]], sorted, and no interval:
its low is above its high.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray
from seriatim.kernels._jit import inner_kernel, kernel
from seriatim.kernels._machine import fetch_ahead

_AHEAD = 32
"""Respondents ahead of the one looked at whose group's words are fetched."""


@inner_kernel
def is_named(code: float, begin: int, end: int, set_codes: FloatArray) -> bool:
    """Tell whether a code is among some sorted ones."""
    while end - begin > 1:
        middle = (begin + end) // 2
        if set_codes[middle] <= code:
            begin = middle
        else:
            end = middle
    return end > begin and set_codes[begin] == code


@kernel
def look_inside(
    start: int,
    stop: int,
    group_of: IntArray,
    points: FloatArray,
    word_of: SmallIntArray,
    low: FloatArray,
    high: FloatArray,
    set_starts: IntArray,
    set_codes: FloatArray,
    outside: BoolArray,
) -> None:
    """Tell of each word whether a member of one of its groups lies outside."""
    for row in range(start, stop):
        if row + _AHEAD < stop:
            coming = max(group_of[np.uint64(row + _AHEAD)], 0)
            fetch_ahead(word_of, (np.uint64(coming), np.uint64(0)))
        if group_of[row] < 0:
            continue
        group = np.uint64(group_of[row])
        for axis in range(points.shape[1]):
            word, code = np.uint64(word_of[group, axis]), points[row, axis]
            if low[word] <= code <= high[word]:
                continue
            begin, end = set_starts[word], set_starts[word + np.uint64(1)]
            if not is_named(code, begin, end, set_codes):
                outside[word] = True
