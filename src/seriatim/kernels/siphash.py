"""SipHash-2-4: a keyed hash of many short texts.

Axes: data is all texts' bytes one after the other; text i is
data[offsets[i]:offsets[i + 1]]. Without the key, hashes say nothing about texts.

J.-P. Aumasson and D. J. Bernstein, SipHash: a fast short-input PRF (2012).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from seriatim._typing import IntArray, WordArray
from seriatim.kernels._jit import inner_kernel, kernel

_WORD = np.uint64(8)
"""Bytes of a word."""


@inner_kernel
def rotated(word: np.uint64, bits: int) -> np.uint64:
    """Rotate a word to the left."""
    return (word << np.uint64(bits)) | (word >> np.uint64(64 - bits))


@inner_kernel
def sip_round(
    first: np.uint64, second: np.uint64, third: np.uint64, fourth: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Stir the four words of the state."""
    first += second
    second = rotated(second, 13) ^ first
    first = rotated(first, 32)
    third += fourth
    fourth = rotated(fourth, 16) ^ third
    first += fourth
    fourth = rotated(fourth, 21) ^ first
    third += second
    second = rotated(second, 17) ^ third
    third = rotated(third, 32)
    return first, second, third, fourth


@inner_kernel
def eight_bytes(data: npt.NDArray[np.uint8], place: np.uint64) -> np.uint64:
    """Return eight bytes as a word, the first weighing least: one step, written like this."""
    return (
        np.uint64(data[place])
        | np.uint64(data[place + np.uint64(1)]) << np.uint64(8)
        | np.uint64(data[place + np.uint64(2)]) << np.uint64(16)
        | np.uint64(data[place + np.uint64(3)]) << np.uint64(24)
        | np.uint64(data[place + np.uint64(4)]) << np.uint64(32)
        | np.uint64(data[place + np.uint64(5)]) << np.uint64(40)
        | np.uint64(data[place + np.uint64(6)]) << np.uint64(48)
        | np.uint64(data[place + np.uint64(7)]) << np.uint64(56)
    )


@kernel
def siphash(
    start: int,
    stop: int,
    data: npt.NDArray[np.uint8],
    offsets: IntArray,
    key: WordArray,
    hashes: WordArray,
) -> None:
    """Write the hash of texts start..stop under a key of two words."""
    for text in range(start, stop):
        # Places without a sign: none can be counted from the end, and none is asked whether it is.
        begin, end = np.uint64(offsets[text]), np.uint64(offsets[text + 1])
        length = end - begin
        first = key[0] ^ np.uint64(0x736F6D6570736575)
        second = key[1] ^ np.uint64(0x646F72616E646F6D)
        third = key[0] ^ np.uint64(0x6C7967656E657261)
        fourth = key[1] ^ np.uint64(0x7465646279746573)
        for block in range(length // _WORD + np.uint64(1)):
            place = begin + _WORD * block
            left = end - place
            if place + _WORD <= np.uint64(data.shape[0]):
                word = eight_bytes(data, place)
                if left < _WORD:  # what follows in memory is another text's
                    word &= (np.uint64(1) << (np.uint64(8) * left)) - np.uint64(1)
            else:
                word = np.uint64(0)
                for byte in range(left):
                    word |= np.uint64(data[place + byte]) << (np.uint64(8) * byte)
            if left < _WORD:
                word |= (length & np.uint64(0xFF)) << np.uint64(56)
            fourth ^= word
            for _ in range(2):
                first, second, third, fourth = sip_round(first, second, third, fourth)
            first ^= word
        third ^= np.uint64(0xFF)
        for _ in range(4):
            first, second, third, fourth = sip_round(first, second, third, fourth)
        hashes[text] = first ^ second ^ third ^ fourth
