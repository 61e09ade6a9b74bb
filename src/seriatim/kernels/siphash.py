"""SipHash-2-4: a keyed hash of many short texts.

Axes: data is all texts' bytes one after the other; text i is
data[offsets[i]:offsets[i + 1]]. Without the key, hashes say nothing about texts.

J.-P. Aumasson and D. J. Bernstein, SipHash: a fast short-input PRF (2012).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from seriatim._typing import IntArray, WordArray
from seriatim.kernels._jit import kernel


@kernel
def rotated(word: np.uint64, bits: int) -> np.uint64:
    """Rotate a word to the left."""
    return (word << np.uint64(bits)) | (word >> np.uint64(64 - bits))


@kernel
def sip_rounds(state: WordArray, rounds: int) -> None:
    """Stir the four words of the state."""
    for _ in range(rounds):
        state[0] += state[1]
        state[1] = rotated(state[1], 13) ^ state[0]
        state[0] = rotated(state[0], 32)
        state[2] += state[3]
        state[3] = rotated(state[3], 16) ^ state[2]
        state[0] += state[3]
        state[3] = rotated(state[3], 21) ^ state[0]
        state[2] += state[1]
        state[1] = rotated(state[1], 17) ^ state[2]
        state[2] = rotated(state[2], 32)


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
    state = np.empty(4, np.uint64)
    for text in range(start, stop):
        begin, end = offsets[text], offsets[text + 1]
        length = end - begin
        state[0] = key[0] ^ np.uint64(0x736F6D6570736575)
        state[1] = key[1] ^ np.uint64(0x646F72616E646F6D)
        state[2] = key[0] ^ np.uint64(0x6C7967656E657261)
        state[3] = key[1] ^ np.uint64(0x7465646279746573)
        for block in range(length // 8 + 1):
            word = np.uint64(0)
            for byte in range(8):
                place = begin + 8 * block + byte
                if place < end:
                    word |= np.uint64(data[place]) << np.uint64(8 * byte)
            if block == length // 8:
                word |= np.uint64(length & 0xFF) << np.uint64(56)
            state[3] ^= word
            sip_rounds(state, 2)
            state[0] ^= word
        state[2] ^= np.uint64(0xFF)
        sip_rounds(state, 4)
        hashes[text] = state[0] ^ state[1] ^ state[2] ^ state[3]
