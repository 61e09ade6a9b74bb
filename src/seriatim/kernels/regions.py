"""Whether members of groups lie in the regions that are written of them.

Axes: group g has the rows members[starts[g]:starts[g + 1]] of points (respondents, axes); word_of
(axes, groups); low and high (words, those of all axes) are the ends of intervals. A word that
names single codes has them in set_codes[set_starts[w]:set_starts[w + 1]], sorted, and no interval:
its low is above its high.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.kernels._jit import kernel


@kernel
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
    first: int,
    last: int,
    members: IntArray,
    starts: IntArray,
    points: FloatArray,
    word_of: IntArray,
    low: FloatArray,
    high: FloatArray,
    set_starts: IntArray,
    set_codes: FloatArray,
    outside: BoolArray,
) -> None:
    """Tell of each word whether a member of one of its groups lies outside."""
    for group in range(first, last):
        for place in range(starts[group], starts[group + 1]):
            row = np.uint64(members[place])
            for axis in range(points.shape[1]):
                word, code = word_of[axis, group], points[row, axis]
                if low[word] <= code <= high[word]:
                    continue
                if not is_named(code, set_starts[word], set_starts[word + 1], set_codes):
                    outside[word] = True
