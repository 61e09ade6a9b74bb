"""Texts found among few known words: by their ends, eight letters each, which mostly are all.

Axes: word i is letters[begins[i]:begins[i + 1]], no two are the same; marks (words, three) are its
length, its first letters and its last; slots (a power of two of them, more than words) hold words,
-1 where they are free.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from seriatim._typing import ByteArray, IntArray, SmallIntArray, WordArray
from seriatim.kernels._jit import inner_kernel, kernel
from seriatim.kernels._machine import word_at

_WORD = 8
_ONE = np.uint64(1)
_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_BITS = 64


@inner_kernel
def _shift(n_slots: int) -> np.uint64:
    """Return by how much a word is shifted to name one of a power of two of slots."""
    bits = 0
    while 1 << bits < n_slots:
        bits += 1
    return np.uint64(_BITS - bits)


@inner_kernel
def _slot(length: np.uint64, first: np.uint64, last: np.uint64, shift: np.uint64) -> np.uint64:
    """Return where to look first; a product's upper bits hang on all bits of its factors."""
    return ((first ^ (last * _SECOND) ^ length) * _FIRST) >> shift


@kernel
def fill_words(
    letters: ByteArray, begins: SmallIntArray, marks: WordArray, slots: SmallIntArray
) -> None:
    """Mark each word, and put it into a slot; marks are 0 and slots -1 before."""
    mask, shift = np.uint64(slots.shape[0] - 1), _shift(slots.shape[0])
    for word in range(begins.shape[0] - 1):
        begin, end = begins[word], begins[word + 1]
        short = min(end - begin, _WORD)
        marks[word, 0] = end - begin
        for place in range(short):
            by = np.uint64(_WORD * place)
            marks[word, 1] |= np.uint64(letters[begin + place]) << by
            marks[word, 2] |= np.uint64(letters[end - short + place]) << by
        slot = _slot(marks[word, 0], marks[word, 1], marks[word, 2], shift)
        while slots[slot] >= 0:
            slot = (slot + _ONE) & mask
        slots[slot] = word


@kernel
def find_words(
    start: int,
    stop: int,
    texts: ByteArray,
    origin: int,
    firsts: SmallIntArray,
    lasts: SmallIntArray,
    letters: ByteArray,
    begins: SmallIntArray,
    marks: WordArray,
    slots: SmallIntArray,
    codes: IntArray,
    found: Any,
) -> None:
    """Write the code of each text, -1 for one that is not known.

    Text i is texts[origin + firsts[i]:origin + lasts[i]]; codes are those of the words.
    """
    mask, shift = np.uint64(slots.shape[0] - 1), _shift(slots.shape[0])
    last_whole = texts.shape[0] - _WORD
    for row in range(start, stop):
        begin = origin + firsts[row]
        length = origin + lasts[row] - begin
        if length >= _WORD:
            first = word_at(texts, np.uint64(begin))
            last = word_at(texts, np.uint64(begin + length - _WORD))
        else:
            first = np.uint64(0)
            if begin <= last_whole:
                kept = (_ONE << np.uint64(_WORD * length)) - _ONE
                first = word_at(texts, np.uint64(begin)) & kept
            else:
                for place in range(length):
                    letter = np.uint64(texts[np.uint64(begin + place)])
                    first |= letter << np.uint64(_WORD * place)
            last = first
        slot = _slot(np.uint64(length), first, last, shift)
        code = np.int64(-1)
        while slots[slot] >= 0:
            word = np.uint64(slots[slot])
            same = marks[word, 0] == np.uint64(length)
            same = same and marks[word, 1] == first and marks[word, 2] == last
            if same:
                own = begins[word]
                for place in range(_WORD, length - _WORD):
                    here = texts[np.uint64(begin + place)]
                    same = same and here == letters[np.uint64(own + place)]
            if same:
                code = codes[word]
                break
            slot = (slot + _ONE) & mask
        found[row] = code
