"""HMAC with SHA-256: keyed digests of many short texts.

HMAC(m) = SHA-256(outer block ‖ SHA-256(inner block ‖ m)), from the states after the blocks. Axes:
data is all texts' bytes one after the other; text i is data[offsets[i]:offsets[i + 1]].

RFC 2104, HMAC (1997).
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import ByteArray, IntArray
from seriatim.kernels._jit import inlined_kernel, inner_kernel, kernel
from seriatim.kernels._sha256_lanes import LANES, stir_lanes
from seriatim.kernels.sha256 import START, HalfWordArray, absorb, stir, write_state

# Unsigned, or each use would ask whether to count from the end.
_ONE, _TWO, _THREE = np.uint64(1), np.uint64(2), np.uint64(3)

_SHORT = 55
"""Bytes that fit in one block with the bit behind them and their length."""


@kernel
def hmac_states(secret: ByteArray, states: HalfWordArray) -> None:
    """Write the inner and the outer state after a secret of at most 64 bytes."""
    words = np.empty(64, np.uint32)
    for side in range(2):
        for word in range(16):
            packed = np.uint32(0)
            for place in range(4 * word, 4 * word + 4):
                byte = np.uint8(0x36 if side == 0 else 0x5C)
                if place < len(secret):
                    byte ^= secret[place]
                packed = np.uint32((packed << np.uint32(8)) | byte)
            words[word] = packed
        states[side] = START
        stir(states[side], words)


@inner_kernel
def hmac_lanes(
    first: int,
    tag: ByteArray,
    data: ByteArray,
    offsets: IntArray,
    outset: HalfWordArray,
    states: HalfWordArray,
    words: HalfWordArray,
    digests: ByteArray,
) -> None:
    """Write the keyed digests of some short texts side by side, from the one at first on."""
    words[:] = 0
    for place in range(len(tag)):
        for number in range(LANES):
            _put(words, np.uint64(place), np.uint64(number), tag[place])
    before = np.uint64(len(tag))
    for number in range(LANES):
        lane, text = np.uint64(number), np.uint64(first + number)
        begin, length = np.uint64(offsets[text]), np.uint64(offsets[text + _ONE] - offsets[text])
        for place in range(length):
            _put(words, before + place, lane, data[begin + place])
        _put(words, before + length, lane, np.uint8(0x80))
        words[15, lane] = np.uint32(8 * (np.uint64(64) + before + length))
    for word in range(8):
        states[word] = outset[0, word]
    _stir(states, words)
    for word in range(8):
        words[word] = states[word]
        states[word] = outset[1, word]
    words[8] = np.uint32(0x80000000)
    words[9:15] = 0
    words[15] = np.uint32(8 * (64 + 32))
    _stir(states, words)
    for number in range(LANES):
        lane, text = np.uint64(number), np.uint64(first + number)
        for place in range(digests.shape[1]):
            byte = np.uint64(place)
            word = states[byte >> _TWO, lane]
            digests[text, byte] = np.uint8(word >> _shift(byte))


@inner_kernel
def _stir(states: HalfWordArray, words: HalfWordArray) -> None:
    """Stir a block into each lane's state; compiled once, for it is long."""
    stir_lanes(states, words)


@inlined_kernel
def _put(words: HalfWordArray, place: np.uint64, lane: np.uint64, byte: np.uint8) -> None:
    """Put a byte in its place in a lane's block."""
    words[place >> _TWO, lane] |= np.uint32(byte) << _shift(place)


@inlined_kernel
def _shift(place: np.uint64) -> np.uint32:
    """Return how far up in its word a byte lies: the first in the highest bits."""
    return np.uint32(24 - 8 * (place & _THREE))


@kernel
def hmac_sha256(
    start: int,
    stop: int,
    tag: ByteArray,
    data: ByteArray,
    offsets: IntArray,
    states: HalfWordArray,
    digests: ByteArray,
) -> None:
    """Write the keyed digest of a tag and text, for texts start..stop."""
    state, words = np.empty(8, np.uint32), np.empty(64, np.uint32)
    lane_states, lane_words = np.empty((8, LANES), np.uint32), np.empty((16, LANES), np.uint32)
    inner = np.empty(32, np.uint8)
    text = start
    while text < stop:
        longest = 64
        if text + LANES <= stop:
            longest = 0
            for one in range(text, text + LANES):
                longest = max(longest, len(tag) + offsets[one + 1] - offsets[one])
        if longest <= _SHORT:
            hmac_lanes(text, tag, data, offsets, states, lane_states, lane_words, digests)
            text += LANES
            continue
        state[:] = states[0]
        absorb(state, words, 64, tag, data, offsets[text], offsets[text + 1])
        write_state(state, inner)
        state[:] = states[1]
        absorb(state, words, 64, inner, data, 0, 0)
        write_state(state, digests[text])
        text += 1
