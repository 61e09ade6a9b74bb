"""Whether members of groups lie in the regions that are written of them.

Axes: group_of and codes (respondents); word_of (groups); low and high (words) are the ends of
intervals. A word that names single codes has them in set_codes[set_starts[w]:set_starts[w + 1]],
sorted, and no interval: its low is above its high.
"""

from __future__ import annotations

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.kernels._jit import kernel


@kernel
def look_inside(
    start: int,
    stop: int,
    group_of: IntArray,
    codes: FloatArray,
    word_of: IntArray,
    low: FloatArray,
    high: FloatArray,
    set_starts: IntArray,
    set_codes: FloatArray,
    outside: BoolArray,
) -> None:
    """Tell for each word whether a member of one of its groups lies outside."""
    for row in range(start, stop):
        if group_of[row] < 0:
            continue
        word, code = word_of[group_of[row]], codes[row]
        if low[word] <= code <= high[word]:
            continue
        begin, end = set_starts[word], set_starts[word + 1]
        while end - begin > 1:
            middle = (begin + end) // 2
            if set_codes[middle] <= code:
                begin = middle
            else:
                end = middle
        if end == begin or set_codes[begin] != code:
            outside[word] = True
