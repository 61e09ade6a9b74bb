"""SHA-256, and HMAC with it: keyed digests of many short texts.

Axes: data is all texts' bytes one after the other; text i is
data[offsets[i]:offsets[i + 1]]. A state is eight words; a block is 64 bytes.

FIPS 180-4, Secure Hash Standard (2015); RFC 2104, HMAC (1997).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from seriatim._typing import ByteArray, IntArray
from seriatim.kernels._jit import kernel

HalfWordArray: TypeAlias = npt.NDArray[np.uint32]

START = np.frombuffer(
    bytes.fromhex("6a09e667 bb67ae85 3c6ef372 a54ff53a 510e527f 9b05688c 1f83d9ab 5be0cd19"), ">u4"
).astype(np.uint32)
"""The state before the first block: square roots of the first 8 primes, behind the point."""

ROUNDS = np.frombuffer(
    bytes.fromhex("""
    428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5
    d807aa98 12835b01 243185be 550c7dc3 72be5d74 80deb1fe 9bdc06a7 c19bf174
    e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da
    983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967
    27b70a85 2e1b2138 4d2c6dfc 53380d13 650a7354 766a0abb 81c2c92e 92722c85
    a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070
    19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3
    748f82ee 78a5636f 84c87814 8cc70208 90befffa a4506ceb bef9a3f7 c67178f2
    """),
    ">u4",
).astype(np.uint32)
"""A word for each round: cube roots of the first 64 primes, behind the point."""


@kernel
def turned(word: np.uint32, bits: int) -> np.uint32:
    """Rotate a word to the right."""
    return np.uint32((word >> np.uint32(bits)) | (word << np.uint32(32 - bits)))


@kernel
def stir(state: HalfWordArray, words: HalfWordArray) -> None:
    """Stir a block into the state; the block is the first 16 of the 64 words."""
    for place in range(16, 64):
        late, early = words[place - 2], words[place - 15]
        late = turned(late, 17) ^ turned(late, 19) ^ (late >> np.uint32(10))
        early = turned(early, 7) ^ turned(early, 18) ^ (early >> np.uint32(3))
        words[place] = words[place - 16] + early + words[place - 7] + late
    a, b, c, d = state[0], state[1], state[2], state[3]
    e, f, g, h = state[4], state[5], state[6], state[7]
    for place in range(64):
        choice = (e & f) ^ (~e & g)
        majority = (a & b) ^ (a & c) ^ (b & c)
        first = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + choice
        first = np.uint32(first + ROUNDS[place] + words[place])
        second = np.uint32((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + majority)
        h, g, f, e = g, f, e, np.uint32(d + first)
        d, c, b, a = c, b, a, np.uint32(first + second)
    state[0] += a
    state[1] += b
    state[2] += c
    state[3] += d
    state[4] += e
    state[5] += f
    state[6] += g
    state[7] += h


@kernel
def absorb(
    state: HalfWordArray,
    words: HalfWordArray,
    seen: int,
    tag: ByteArray,
    data: ByteArray,
    begin: int,
    end: int,
) -> None:
    """Stir the last of a message into a state that has seen so many bytes: a tag, then a text.

    Behind it come the bit 1, zeros, and the length of the message in bits.
    """
    length = len(tag) + end - begin
    for block in range((length + 8) // 64 + 1):
        for word in range(16):
            packed = np.uint32(0)
            for place in range(64 * block + 4 * word, 64 * block + 4 * word + 4):
                byte = np.uint8(0)
                if place < len(tag):
                    byte = tag[place]
                elif place < length:
                    byte = data[begin + place - len(tag)]
                elif place == length:
                    byte = np.uint8(0x80)
                packed = np.uint32((packed << np.uint32(8)) | byte)
            words[word] = packed
        if block == (length + 8) // 64:
            bits = np.uint64(8 * (seen + length))
            words[14] = np.uint32(bits >> np.uint64(32))
            words[15] = np.uint32(bits & np.uint64(0xFFFFFFFF))
        stir(state, words)


@kernel
def write_state(state: HalfWordArray, digest: ByteArray) -> None:
    """Write the first bytes of a state, as many as there is room for."""
    for place in range(len(digest)):
        digest[place] = np.uint8((state[place // 4] >> np.uint32(24 - 8 * (place % 4))) & 0xFF)


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


LANES = 64
"""Texts that are stirred side by side, in the lanes of the machine's wide registers."""

_SHORT = 55
"""Bytes that fit in one block with the bit behind them and their length."""


@kernel
def stir_lanes(states: HalfWordArray, words: HalfWordArray, moved: HalfWordArray) -> None:
    """Stir a block into each lane's state; states and moved run (8, lanes), words (64, lanes)."""
    for place in range(16, 64):
        for lane in range(LANES):
            late, early = words[place - 2, lane], words[place - 15, lane]
            late = turned(late, 17) ^ turned(late, 19) ^ (late >> np.uint32(10))
            early = turned(early, 7) ^ turned(early, 18) ^ (early >> np.uint32(3))
            words[place, lane] = words[place - 16, lane] + early + words[place - 7, lane] + late
    moved[:] = states
    for place in range(64):
        # The eight words of a state change their parts in each round; they stay where they are.
        turn = 8 - place % 8
        a, b, c, d = turn % 8, (turn + 1) % 8, (turn + 2) % 8, (turn + 3) % 8
        e, f, g, h = (turn + 4) % 8, (turn + 5) % 8, (turn + 6) % 8, (turn + 7) % 8
        for lane in range(LANES):
            choice = (moved[e, lane] & moved[f, lane]) ^ (~moved[e, lane] & moved[g, lane])
            majority = (
                (moved[a, lane] & moved[b, lane])
                ^ (moved[a, lane] & moved[c, lane])
                ^ (moved[b, lane] & moved[c, lane])
            )
            one, other = moved[e, lane], moved[a, lane]
            first = moved[h, lane] + (turned(one, 6) ^ turned(one, 11) ^ turned(one, 25)) + choice
            first = np.uint32(first + ROUNDS[place] + words[place, lane])
            second = np.uint32(turned(other, 2) ^ turned(other, 13) ^ turned(other, 22))
            moved[d, lane] += first
            moved[h, lane] = np.uint32(first + second + majority)
    states += moved


@kernel
def hmac_lanes(
    first: int,
    tag: ByteArray,
    data: ByteArray,
    offsets: IntArray,
    outset: HalfWordArray,
    states: HalfWordArray,
    words: HalfWordArray,
    moved: HalfWordArray,
    digests: ByteArray,
) -> None:
    """Write the keyed digests of some short texts side by side, from the one at first on."""
    for lane in range(LANES):
        begin, length = offsets[first + lane], offsets[first + lane + 1] - offsets[first + lane]
        for word in range(16):
            words[word, lane] = 0
        for place in range(len(tag) + length + 1):
            byte = np.uint8(0x80)
            if place < len(tag):
                byte = tag[place]
            elif place < len(tag) + length:
                byte = data[begin + place - len(tag)]
            words[place // 4, lane] |= np.uint32(byte) << np.uint32(24 - 8 * (place % 4))
        words[15, lane] = np.uint32(8 * (64 + len(tag) + length))
        for word in range(8):
            states[word, lane] = outset[0, word]
    stir_lanes(states, words, moved)
    for lane in range(LANES):
        for word in range(8):
            words[word, lane] = states[word, lane]
            states[word, lane] = outset[1, word]
        words[8, lane] = np.uint32(0x80000000)
        for word in range(9, 15):
            words[word, lane] = 0
        words[15, lane] = np.uint32(8 * (64 + 32))
    stir_lanes(states, words, moved)
    for lane in range(LANES):
        write_state(states[:, lane], digests[first + lane])


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
    """Write the keyed digest of a tag and text, for texts start..stop.

    HMAC(m) = SHA-256(outer block ‖ SHA-256(inner block ‖ m)), from the states after the blocks.
    """
    state, words = np.empty(8, np.uint32), np.empty(64, np.uint32)
    lane_states, lane_words = np.empty((8, LANES), np.uint32), np.empty((64, LANES), np.uint32)
    moved = np.empty((8, LANES), np.uint32)
    inner = np.empty(32, np.uint8)
    text = start
    while text < stop:
        longest = 64
        if text + LANES <= stop:
            longest = 0
            for one in range(text, text + LANES):
                longest = max(longest, len(tag) + offsets[one + 1] - offsets[one])
        if longest <= _SHORT:
            hmac_lanes(text, tag, data, offsets, states, lane_states, lane_words, moved, digests)
            text += LANES
            continue
        state[:] = states[0]
        absorb(state, words, 64, tag, data, offsets[text], offsets[text + 1])
        write_state(state, inner)
        state[:] = states[1]
        absorb(state, words, 64, inner, data, 0, 0)
        write_state(state, digests[text])
        text += 1
