import hashlib

import numpy as np
import pytest

from seriatim.kernels.sha256 import ROUNDS, START, absorb, write_state

NOTHING = np.empty(0, np.uint8)
PUBLISHED = {
    b"": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    b"abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq": (
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    b"a" * 1_000_000: "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
}
"""Published by NIST with the standard."""


def sha256(message, tag=b""):
    state, digest = START.copy(), np.empty(32, np.uint8)
    data = np.frombuffer(message, np.uint8)
    tagged = np.frombuffer(tag, np.uint8).copy()
    absorb(state, np.empty(64, np.uint32), 0, tagged, data, 0, len(data))
    write_state(state, digest)
    return digest.tobytes()


def first_primes(number):
    found = []
    candidate = 2
    while len(found) < number:
        if all(candidate % prime for prime in found):
            found.append(candidate)
        candidate += 1
    return found


@pytest.mark.parametrize("message", PUBLISHED, ids=lambda message: f"{len(message)} bytes")
def test_sha256__is_the_published_one(message):
    assert sha256(message).hex() == PUBLISHED[message]


@pytest.mark.parametrize("tag", [b"", b"t", b"a tag longer than a block" * 3])
def test_sha256__is_right_wherever_a_block_ends(tag):
    for length in range(200):
        message = bytes(range(length))
        assert sha256(message, tag) == hashlib.sha256(tag + message).digest()


def test_words__are_roots_of_primes_behind_the_point():
    for prime, word in zip(first_primes(8), START.tolist(), strict=True):
        root = (int(prime**0.5) << 32) + word
        assert root**2 <= prime << 64 < (root + 1) ** 2
    for prime, word in zip(first_primes(64), ROUNDS.tolist(), strict=True):
        root = (int(prime ** (1 / 3) + 1e-9) << 32) + word
        assert root**3 <= prime << 96 < (root + 1) ** 3
