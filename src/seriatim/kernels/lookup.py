"""Finding people by their keys: slots in which each key's row stands, or one after it.

Keys are two words of a keyed digest, so their bits are as good as any hash of them.

Axes: high and low (rows) are the words of the keys that are looked for; slots (a power of two
of them, more than rows) hold rows, -1 where they are free.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, ByteArray, IntArray, SmallIntArray, WordArray
from seriatim.kernels._jit import kernel
from seriatim.kernels._machine import fetch_ahead

_FAR, _NEAR = 32, 16
"""Keys ahead of the one looked for whose slots, and whose rows, are fetched."""


@kernel
def fill_slots(high: WordArray, low: WordArray, slots: SmallIntArray, same: IntArray) -> None:
    """Put each row into a slot; ``same`` is the first row with the same key, mostly itself."""
    mask = np.uint64(slots.shape[0] - 1)
    step = np.uint64(1)
    for number in range(high.shape[0]):
        if number + _FAR < high.shape[0]:
            fetch_ahead(slots, low[np.uint64(number + _FAR)] & mask)
        row = np.uint64(number)
        slot = low[row] & mask
        while True:
            there = slots[slot]
            if there < 0:
                slots[slot] = number
                same[row] = number
                break
            other = np.uint64(there)
            if low[other] == low[row] and high[other] == high[row]:
                same[row] = there
                break
            slot = (slot + step) & mask


@kernel
def find_rows(
    start: int,
    stop: int,
    other_high: WordArray,
    other_low: WordArray,
    high: WordArray,
    low: WordArray,
    slots: SmallIntArray,
    found: IntArray,
) -> None:
    """Write the row of each of some other keys; -1 for one that is not looked for."""
    mask = np.uint64(slots.shape[0] - 1)
    step = np.uint64(1)
    for number in range(start, stop):
        if number + _FAR < stop:
            fetch_ahead(slots, other_low[np.uint64(number + _FAR)] & mask)
        if number + _NEAR < stop:
            # Nobody's row is as good as any: asking whether there is one would take longer.
            likely = max(slots[other_low[np.uint64(number + _NEAR)] & mask], 0)
            fetch_ahead(low, np.uint64(likely))
            fetch_ahead(high, np.uint64(likely))
        place = np.uint64(number)
        slot = other_low[place] & mask
        found[place] = -1
        while True:
            there = slots[slot]
            if there < 0:
                break
            row = np.uint64(there)
            if low[row] == other_low[place] and high[row] == other_high[place]:
                found[place] = there
                break
            slot = (slot + step) & mask


@kernel
def take_missing(
    found: IntArray,
    first: int,
    missing: BoolArray,
    length: int,
    asked: IntArray,
    rows: IntArray,
) -> int:
    """List whom of those who are missing some were found to be, and where, from first on.

    They are missing no more. So many are listed already; how many there are then is returned. Lists
    have room for one more than there can be.
    """
    for number in range(found.shape[0]):
        row = found[np.uint64(number)]
        # Listed if nobody was found as well, and then written over: asking first would take longer.
        asked[np.uint64(length)] = row
        rows[np.uint64(length)] = first + number
        place = np.uint64(max(row, 0))
        there = missing[place] & (row >= 0)
        missing[place] ^= there
        length += there
    return length


@kernel
def split_keys(start: int, stop: int, keys: ByteArray, high: WordArray, low: WordArray) -> None:
    """Write keys of 16 bytes each (rows, bytes) as two words, the first byte weighing most."""
    eight = np.uint64(8)
    for number in range(start, stop):
        row = np.uint64(number)
        first, second = np.uint64(0), np.uint64(0)
        for place in range(8):
            first = first << eight | np.uint64(keys[row, np.uint64(place)])
            second = second << eight | np.uint64(keys[row, np.uint64(place + 8)])
        high[row], low[row] = first, second
