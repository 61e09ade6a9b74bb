"""Checksums of blocks of bytes: they tell damage, not forgery.

Axes: data[bytes]; sums[blocks].
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import WordArray
from seriatim.kernels._jit import inner_kernel, kernel

_ODD = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


@inner_kernel
def _mixed(mixed: np.uint64, word: np.uint64) -> np.uint64:
    """Take a word in, and let its high bits reach the low ones: no two words give the same."""
    taken = (mixed ^ word) * _ODD
    return taken ^ (taken >> _HALF)


@kernel
def sum_blocks(start: int, stop: int, data: np.ndarray, size: int, sums: WordArray) -> None:
    """Write the checksum of each of some blocks of ``size`` bytes; the last may be shorter.

    Words are taken into eight lanes in turn, so that a processor can work on all of them at once;
    the lanes are put together at the end, with the length and the bytes that fill no word.
    """
    for block in range(start, stop):
        begin = block * size
        end = min(begin + size, len(data))
        whole = (end - begin) // 64 * 8
        words = data[begin : begin + 8 * whole].view(np.uint64)
        a = b = c = d = e = f = g = h = _ODD
        for at in range(0, whole, 8):
            a = _mixed(a, words[at])
            b = _mixed(b, words[at + 1])
            c = _mixed(c, words[at + 2])
            d = _mixed(d, words[at + 3])
            e = _mixed(e, words[at + 4])
            f = _mixed(f, words[at + 5])
            g = _mixed(g, words[at + 6])
            h = _mixed(h, words[at + 7])
        mixed = np.uint64(end - begin)
        for lane in (a, b, c, d, e, f, g, h):
            mixed = _mixed(mixed, lane)
        for at in range(begin + 8 * whole, end):
            mixed = _mixed(mixed, np.uint64(data[at]))
        sums[block] = mixed
