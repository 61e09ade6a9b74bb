"""Who is who among people that are known by keyed digests only."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from seriatim._typing import BoolArray, IntArray, WordArray
from seriatim.microdata.keys import KEY_BYTES, respondent_keys

_KEYS = 2**18
"""Keys that are worked on at a time."""


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

    def first_of(
        self, missing: BoolArray, pieces: Iterable[tuple[WordArray, WordArray]], people: int
    ) -> tuple[IntArray, IntArray]:
        """Return who of those still missing is among some people, and where; they are no more.

        The keys of these come in pieces.
        """
        from seriatim.kernels.lookup import take_missing

        most = min(people, len(missing)) + 1
        asked, rows = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
        first = length = 0
        for high, low in pieces:
            length = take_missing(self.rows_of(high, low), first, missing, length, asked, rows)
            first += len(high)
        return asked[:length], rows[:length]


def keyed_words(respondents: pa.Array, secret: bytes) -> tuple[WordArray, WordArray]:
    """Return the key of each respondent (``respondent_keys``) as two words.

    >>> [f"{int(word[0]):016x}" for word in keyed_words(pa.array(["Alice"]), b"secret")]
    ['52f82ad5c98285fb', '949c8f286f133ddf']
    """
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.lookup import split_keys

    high, low = np.empty(len(respondents), np.uint64), np.empty(len(respondents), np.uint64)
    for begin in range(0, len(high), _KEYS):
        some = slice(begin, min(begin + _KEYS, len(high)))
        keys = respondent_keys(respondents[some], secret)
        rows = np.frombuffer(keys.buffers()[1], np.uint8).reshape(-1, KEY_BYTES)
        over_ranges(split_keys, len(keys), still(rows), high[some], low[some])
    return high, low


def still(numbers: np.ndarray) -> np.ndarray:
    """Return numbers that cannot be changed, or kernels would be compiled for both."""
    view = numbers.view()
    view.setflags(write=False)
    return view
