"""Who is who among people that are known by keyed digests only."""

from __future__ import annotations

import numpy as np

from seriatim._typing import IntArray, WordArray


class KeyLookup:
    """Some people's keys, to be recognized among many others'.

    >>> some = KeyLookup(np.array([1, 1], np.uint64), np.array([7, 8], np.uint64))
    >>> some.rows_of(np.array([1, 2], np.uint64), np.array([8, 8], np.uint64)).tolist()
    [1, -1]
    """

    def __init__(self, high: WordArray, low: WordArray) -> None:
        """Look for keys, given as two words each."""
        from seriatim.kernels.lookup import fill_slots

        self._high, self._low = high, low = still(high), still(low)
        slots = 2 << int(np.ceil(np.log2(max(len(high), 1))))
        self._slots = np.full(slots, -1, dtype=np.int32)
        self.same: IntArray = np.empty(len(high), dtype=np.int64)
        """The first row with the key of each: itself, unless someone is asked for twice."""
        fill_slots(high, low, self._slots, self.same)

    def rows_of(self, high: WordArray, low: WordArray) -> IntArray:
        """Return which of the keys looked for each of some others is; -1 for none."""
        from seriatim.kernels._jit import over_ranges
        from seriatim.kernels.lookup import find_rows

        found = np.empty(len(high), dtype=np.int64)
        mine = (self._high, self._low, self._slots)
        over_ranges(find_rows, len(high), still(high), still(low), *mine, found)
        return found


def still(numbers: np.ndarray) -> np.ndarray:
    """Return numbers that cannot be changed, or kernels would be compiled for both."""
    view = numbers.view()
    view.setflags(write=False)
    return view
