"""SHA-256: a state, and how messages are stirred into it.

A state is eight words; a block is 64 bytes.

FIPS 180-4, Secure Hash Standard (2015).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from seriatim._typing import ByteArray
from seriatim.kernels._jit import inner_kernel, kernel

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


@inner_kernel
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
