"""Keys: respondents under names that say nothing without the secret.

A store that is asked for a respondent needs a name for them, and must not hold
their id: it holds a keyed digest, which is the same for the same id under the
same secret, and cannot be tried out by someone without it.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac

import numpy as np
import pyarrow as pa

from seriatim._typing import ByteArray, IntArray, SmallIntArray
from seriatim.errors import InternalError
from seriatim.microdata.letters import letters_of, only_read
from seriatim.microdata.tables import plain, require_present, to_text

KEY_BYTES = 16
"""Bytes of a key: among a billion respondents, a chance below 10**-20 that two share one."""

LEAST_FOR_KERNEL = 4096
"""Ids from which on the kernel is worth compiling and loading."""

_BLOCK = 64


def respondent_keys(respondents: pa.Array, secret: bytes) -> pa.Array:
    """Return 16 bytes for each respondent, from the id and the secret alone.

    The first bytes of HMAC-SHA256(secret, letter ‖ id), where the letter is "n" and
    the id in decimal for whole numbers however stored, and "t" and UTF-8 for all else:
    the number 5 and the text "5" are two respondents.

    Few digests are computed by the standard library, at a microsecond each. Many are computed by a
    kernel, which takes seconds to compile; its first and last digest are compared with those of
    the standard library, for a wrong one would let a series forget all its people.

    >>> respondent_keys(pa.array(["Alice"]), b"secret")[0].as_py().hex()
    '52f82ad5c98285fb949c8f286f133ddf'
    """
    letter, texts = _canonical(respondents)
    few = len(texts) < LEAST_FOR_KERNEL
    keys = (_by_library if few else _by_kernel)(letter, texts, secret)
    return pa.Array.from_buffers(pa.binary(KEY_BYTES), len(texts), [None, pa.py_buffer(keys)])


def _by_library(letter: str, texts: pa.Array, secret: bytes) -> bytes:
    prefix = letter.encode()
    return b"".join(
        hmac.digest(secret, prefix + text.encode(), "sha256")[:KEY_BYTES]
        for text in texts.to_pylist()
    )


def _by_kernel(letter: str, texts: pa.Array, secret: bytes) -> ByteArray:
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.hmac import hmac_sha256, hmac_states

    states = np.empty((2, 8), np.uint32)
    short = secret if len(secret) <= _BLOCK else hashlib.sha256(secret).digest()
    hmac_states(np.frombuffer(short, np.uint8), states)
    tag = np.array([ord(letter)], np.uint8)
    keys = np.empty((len(texts), KEY_BYTES), np.uint8)
    over_ranges(hmac_sha256, len(texts), tag, *_buffers(texts), states, keys)
    _require_as_in_the_library(keys, letter, texts, secret)
    return keys


def _require_as_in_the_library(
    keys: ByteArray, letter: str, texts: pa.Array, secret: bytes
) -> None:
    """Refuse keys of which the first or the last is not HMAC-SHA256."""
    for row in (0, len(texts) - 1):
        message = (letter + texts[row].as_py()).encode()
        if hmac.digest(secret, message, "sha256")[:KEY_BYTES] != keys[row].tobytes():
            told = (
                "The keyed digests of respondents are not those that the standard library computes;"
                " nothing was written with them. The compiled kernels may be damaged."
            )
            raise InternalError(told)


def _canonical(respondents: pa.Array) -> tuple[str, pa.Array]:
    """Return the letter of a kind of id, and the ids as texts."""
    # Long texts stay as they are: the other kind ends at 2 GiB.
    is_long = pa.types.is_large_string(respondents.type)
    column = respondents if is_long else plain(respondents)
    require_present(column, "respondent")
    if pa.types.is_floating(column.type):
        # Tables with gaps turn whole numbers into floats; a person stays the same person.
        with contextlib.suppress(pa.ArrowInvalid):
            column = column.cast(pa.int64())
    letter = "n" if pa.types.is_integer(column.type) else "t"
    return letter, column if is_long else to_text(column, "respondent")


def _buffers(texts: pa.Array) -> tuple[ByteArray, IntArray | SmallIntArray]:
    """Return the bytes of all texts, and where each begins."""
    if not pa.types.is_large_string(texts.type):
        return letters_of(texts)
    _, offsets, data = texts.buffers()
    begins = np.zeros(1, np.int64)
    if len(texts):
        whole = np.frombuffer(offsets, np.int64, count=texts.offset + len(texts) + 1)
        begins = whole[texts.offset :]
    letters = np.frombuffer(data if data is not None else b"", np.uint8)
    return only_read(letters), only_read(begins)
