"""Keyed hashes: who is who without an id, and orders that nobody can undo.

What a series keeps of a person lies under 128 bits that depend on the id and on the series'
secret. The order of groups in a release depends on what they publish and on the secret.
"""

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow as pa

from seriatim._typing import IntArray, WordArray
from seriatim.partition.ties import keyed_numbers

WHO = ("who_1", "who_2")
"""The columns of a person's hash."""


def keyed_respondents(respondents: pa.Array, secret: bytes, name: str) -> tuple[IntArray, IntArray]:
    """Return the two words under which respondents are kept, as signed numbers."""
    first = keyed_numbers(respondents, secret, b"who, first", name)
    second = keyed_numbers(respondents, secret, b"who, second", name)
    return first.view(np.int64), second.view(np.int64)


def hashed_texts(texts: pa.Array, key: bytes, purpose: bytes) -> WordArray:
    """Return a word for each text that depends on it, the key and a purpose alone."""
    return keyed_numbers(texts, key, purpose)


def hashed_rows(rows: np.ndarray, key: bytes, purpose: bytes) -> WordArray:
    """Return a word for each row of an array, by its bytes."""
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.siphash import siphash

    drawn = hashlib.blake2b(key, digest_size=16, person=purpose).digest()
    rows = np.ascontiguousarray(rows)
    width = rows.itemsize * rows.shape[1]
    offsets = np.arange(len(rows) + 1, dtype=np.int64) * width
    found = np.empty(len(rows), dtype=np.uint64)
    letters = rows.reshape(-1).view(np.uint8)
    over_ranges(siphash, len(rows), letters, offsets, np.frombuffer(drawn, np.uint64), found)
    return found


def derived(secret: bytes, *told: bytes, person: bytes) -> bytes:
    """Return a key that only the secret can make, for one purpose."""
    key = hashlib.blake2b(secret, digest_size=32, person=person).digest()
    state = hashlib.blake2b(key=key, digest_size=32)
    for one in told:
        state.update(len(one).to_bytes(8, "little") + one)
    return state.digest()


def summed(words: WordArray) -> int:
    """Return the sum of words, which is the same in whatever order they come."""
    return int(np.add.reduce(words, dtype=np.uint64)) if len(words) else 0
