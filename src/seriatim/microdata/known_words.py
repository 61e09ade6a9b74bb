"""Texts found among known words: by compiled loops where they are many, on all cores."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from seriatim._typing import ByteArray, IntArray, SmallIntArray, WordArray
from seriatim.microdata.letters import MANY, letters_of

_SLOTS_PER_WORD = 4


class KnownWords(NamedTuple):
    """Words with a code each, in the form that kernels look them up in."""

    letters: ByteArray
    """The letters of all words."""

    begins: SmallIntArray
    """Where each begins among them."""

    marks: WordArray
    """What mostly tells a word from others."""

    slots: SmallIntArray
    """Where a word is looked for."""

    codes: IntArray
    """What each word stands for."""

    @classmethod
    def of(cls, codes: Mapping[str, int]) -> KnownWords:
        """Make words ready to be looked up."""
        from seriatim.kernels.words import fill_words

        letters, begins = letters_of(pa.array(list(codes), pa.string()))
        marks = np.zeros((len(codes), 3), np.uint64)
        slots = np.full(1 << (_SLOTS_PER_WORD * max(len(codes), 1)).bit_length(), -1, np.int32)
        fill_words(letters, begins, marks, slots)
        return cls(letters, begins, marks, slots, np.array(list(codes.values()), np.int64))


def codes_of_texts(texts: pa.Array, codes: Mapping[str, int]) -> IntArray | None:
    """Return the code of each of many texts, -1 where it has none; None where Arrow finds them.

    >>> codes_of_texts(pa.array(["neg", "?"] * MANY), {"neg": 0, "pos": 1})[:2].tolist()
    [0, -1]
    """
    plain = pa.types.is_string(texts.type) and not texts.null_count and sys.byteorder == "little"
    if not plain or len(texts) < MANY:
        return None
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.words import find_words

    letters, begins = letters_of(texts)
    found = np.empty(len(texts), np.int64)
    words = KnownWords.of(codes)
    over_ranges(find_words, len(texts), letters, 0, begins[:-1], begins[1:], *words, found)
    return found
