"""Finding people by their keys: slots in which each key's row stands, or one after it.

Keys are two words of a keyed digest, so their bits are as good as any hash of them.

Axes: high and low (rows) are the words of the keys that are looked for; slots (a power of two
of them, more than rows) hold rows, -1 where they are free.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import IntArray, SmallIntArray, WordArray
from seriatim.kernels._jit import kernel


@kernel
def fill_slots(high: WordArray, low: WordArray, slots: SmallIntArray, same: IntArray) -> None:
    """Put each row into a slot; ``same`` is the first row with the same key, mostly itself."""
    mask = np.uint64(slots.shape[0] - 1)
    step = np.uint64(1)
    for row in range(high.shape[0]):
        slot = low[row] & mask
        while True:
            there = slots[slot]
            if there < 0:
                slots[slot] = row
                same[row] = row
                break
            if low[there] == low[row] and high[there] == high[row]:
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
    for place in range(start, stop):
        slot = other_low[place] & mask
        found[place] = -1
        while True:
            there = slots[slot]
            if there < 0:
                break
            if low[there] == other_low[place] and high[there] == other_high[place]:
                found[place] = there
                break
            slot = (slot + step) & mask
