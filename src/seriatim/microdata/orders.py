"""Orders: sorting by several columns of whole numbers as if they were one.

Sorting numbers is several times faster than sorting row numbers by them. Where the columns
and the row number fit into one word of 64 bits, that word is sorted.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from seriatim._typing import IntArray, WordArray
from seriatim.microdata.letters import only_read

_WORD = 64

_MANY = 2**14
"""Rows from which on sorting digit by digit is worth loading the compiler."""

_MOST_ROWS = 2**31 - 1

_PLACES_PER_ID = 4
"""Places that may be kept for each id, before sorting digit by digit takes less memory and time."""


def sorted_order(*columns: IntArray | WordArray, ties: WordArray | None = None) -> IntArray:
    """Return the rows sorted by columns of numbers from 0, the first weighing most.

    Equal rows are sorted by ``ties``, and then stay as they are.

    >>> sorted_order(np.array([1, 0, 1]), np.array([2, 3, 0])).tolist()
    [1, 2, 0]
    """
    length = len(columns[0])
    widths = [int(column.max()).bit_length() if length else 0 for column in columns]
    row_bits = max(length - 1, 0).bit_length()
    left = _WORD - sum(widths) - row_bits
    if left < 0:
        return np.asarray(np.lexsort((*(() if ties is None else (ties,)), *columns[::-1])))
    tie_bits = 0 if ties is None else left
    words = np.empty(length, dtype=np.uint64)

    def pack(start: int, stop: int) -> None:
        some = words[start:stop]
        some[:] = 0
        for column, width in zip(columns, widths, strict=True):
            some <<= np.uint64(width)
            some |= column[start:stop].astype(np.uint64)
        if ties is not None and tie_bits:
            some <<= np.uint64(tie_bits)
            some |= ties[start:stop] >> np.uint64(_WORD - tie_bits)
        some <<= np.uint64(row_bits)
        some |= np.arange(start, stop, dtype=np.uint64)

    _in_stretches(pack, length)
    words = _sorted(words, row_bits, row_bits + tie_bits + sum(widths))
    order = np.empty(length, dtype=np.int64)

    def unpack(start: int, stop: int) -> None:
        order[start:stop] = words[start:stop] & np.uint64(2**row_bits - 1)
        words[start:stop] >>= np.uint64(row_bits)

    _in_stretches(unpack, length)
    if ties is not None:
        _settle(order, words, columns, ties)
    return order


def order_of_ids(ids: IntArray) -> tuple[IntArray, IntArray] | None:
    """Return the rows sorted by their ids, and the ids; None where ids are few, far or repeated.

    >>> [found.tolist() for found in order_of_ids(np.arange(_MANY)[::-1])][1][:3]
    [0, 1, 2]
    """
    if len(ids) < _MANY or len(ids) >= _MOST_ROWS:
        return None
    least, greatest = int(ids.min()), int(ids.max())
    if greatest - least >= _PLACES_PER_ID * len(ids):
        return None
    from seriatim.kernels.near_ids import collect_ids, place_ids

    places = np.zeros(greatest - least + 1, np.int32)
    if not place_ids(only_read(ids), least, places):
        return None
    order, in_order = np.empty(len(ids) + 1, np.int64), np.empty(len(ids) + 1, np.int64)
    collect_ids(places, least, order, in_order)
    return order[:-1], in_order[:-1]


def _in_stretches(work: Callable[[int, int], None], length: int) -> None:
    """Do some work on all rows, on all cores where there are many."""
    if length < _MANY:
        work(0, length)
        return
    from seriatim.kernels.stretches import over_stretches

    over_stretches(work, length)


def _sorted(words: WordArray, first: int, last: int) -> WordArray:
    """Sort words whose bits below ``first`` ascend already, and have none from ``last`` on."""
    if len(words) < _MANY:
        words.sort()
        return words
    from seriatim.kernels.radix import sort_words

    spare = np.empty_like(words)
    return spare if sort_words(words, spare, first, last) else words


def _settle(
    order: IntArray, words: WordArray, columns: tuple[IntArray | WordArray, ...], ties: WordArray
) -> None:
    """Sort again, by all digits, what the first digits of the ties could not tell apart."""
    same = words[1:] == words[:-1]
    if not same.any():
        return
    places = np.flatnonzero(np.r_[False, same] | np.r_[same, False])
    rows = np.sort(order[places])
    keys = (ties[rows], *(column[rows] for column in columns[::-1]))
    order[places] = rows[np.lexsort(keys)]
