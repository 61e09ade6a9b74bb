"""Sorting what groups publish, and shuffling it again.

Axes: content, order, draws and dealt (tuples) go group by group; starts (groups and one).
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import IntArray, WordArray
from seriatim.kernels._jit import kernel

_FEW = 48
"""Tuples up to which putting each in its place is faster than sorting."""


@kernel
def sort_stretch(keys: IntArray, begin: int, end: int, order: IntArray) -> None:
    """Write the places from begin to end sorted by their keys; equals stay in their order."""
    if end - begin > _FEW:
        order[begin:end] = np.argsort(keys[begin:end], kind="mergesort") + begin
        return
    for place in range(begin, end):
        key = keys[place]
        free = place
        while free > begin and keys[order[free - 1]] > key:
            order[free] = order[free - 1]
            free -= 1
        order[free] = place


@kernel
def sort_contents(
    first: int, last: int, starts: IntArray, content: IntArray, order: IntArray, sums: WordArray
) -> None:
    """Sort each group by content; sums (groups) are a fixed polynomial of the sorted content."""
    for group in range(first, last):
        sort_stretch(content, starts[group], starts[group + 1], order)
        power, total = np.uint64(1), np.uint64(0)
        for place in range(starts[group], starts[group + 1]):
            total += (np.uint64(content[order[place]]) + np.uint64(1)) * power
            power *= np.uint64(6364136223846793005)
        sums[group] = total


@kernel
def deal(
    first: int,
    last: int,
    groups: IntArray,
    starts: IntArray,
    new_starts: IntArray,
    draws: IntArray,
    order: IntArray,
    spare: IntArray,
    dealt: IntArray,
) -> None:
    """Write the rows of each group in the order of their draws, the groups in a new order."""
    for group in range(first, last):
        begin, end = new_starts[group], new_starts[group + 1]
        sort_stretch(draws, begin, end, spare)
        from_old = starts[groups[group]] - begin
        for place in range(begin, end):
            dealt[place] = order[from_old + spare[place]]
