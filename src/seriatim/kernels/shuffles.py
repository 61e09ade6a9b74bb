"""Sorting what groups publish, and shuffling it again.

Axes: content, order, draws and dealt (tuples) go group by group; starts (groups and one).
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import IntArray, WordArray
from seriatim.kernels._jit import inlined_kernel, kernel

_BITS = 6
_FEW = 2**_BITS
"""Tuples up to which comparing each with all others, many at a time, is faster than sorting."""


@inlined_kernel
def sort_stretch(keys: IntArray, begin: int, end: int, order: IntArray, words: WordArray) -> None:
    """Write the places from begin to end sorted by their keys; equals stay in their order.

    Keys are from 0 and below 2**58; there is room for 64 words.
    """
    if end - begin > _FEW:
        # One by one: assigning a whole array compiles a check of its shape, which takes seconds.
        sorted_places = np.argsort(keys[begin:end], kind="mergesort")
        for place in range(end - begin):
            order[begin + place] = sorted_places[place] + begin
        return
    # Places without a sign: none can be counted from the end, and none is asked whether it is.
    length, first = np.uint64(end - begin), np.uint64(begin)
    for place in range(length):
        words[place] = (np.uint64(keys[first + place]) << np.uint64(_BITS)) | place
    for place in range(length):
        word, rank = words[place], np.uint64(0)
        for other in range(length):
            rank += np.uint64(words[other] < word)
        order[first + rank] = first + place


@kernel
def sort_contents(
    first: int, last: int, starts: IntArray, content: IntArray, order: IntArray, sums: WordArray
) -> None:
    """Sort each group by content; sums (groups) are a fixed polynomial of the sorted content."""
    words = np.empty(_FEW, np.uint64)
    for group in range(first, last):
        sort_stretch(content, starts[group], starts[group + 1], order, words)
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
    dealt: IntArray,
) -> None:
    """Write the rows of each group in the order of their draws, the groups in a new order."""
    words = np.empty(_FEW, np.uint64)
    for group in range(first, last):
        begin, end = new_starts[group], new_starts[group + 1]
        sort_stretch(draws, begin, end, dealt, words)
        from_old = starts[groups[group]] - begin
        for place in range(begin, end):
            dealt[place] = order[from_old + dealt[place]]


@kernel
def enter_groups(
    first: int, last: int, starts: IntArray, rows: IntArray, members: IntArray, group_of: IntArray
) -> None:
    """Write the rows of each group ascending, and the group of each row."""
    words = np.empty(_FEW, np.uint64)
    for group in range(first, last):
        sort_stretch(rows, starts[group], starts[group + 1], members, words)
        for place in range(np.uint64(starts[group]), np.uint64(starts[group + 1])):
            row = rows[np.uint64(members[place])]
            members[place] = row
            group_of[np.uint64(row)] = group
