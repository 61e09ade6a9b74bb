"""Position along the Hilbert curve, by Skilling's transform.

Axes: points (tuples, dimensions) on a grid of ``2**bits`` steps a side;
words (tuples, ceil(dimensions * bits / 64)), most significant word first.

J. Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707 (2004).
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import WordArray
from seriatim.kernels._jit import inner_kernel, kernel

WORD_BITS = 64

_TOGETHER = 512
"""Points that are worked on together: the same step for all of them, without a branch."""


@kernel
def hilbert_words(start: int, stop: int, points: WordArray, bits: int, words: WordArray) -> None:
    """Write the Hilbert index of points[start:stop] into words."""
    axes = np.empty((points.shape[1], _TOGETHER), np.uint64)
    found = np.empty((words.shape[1], _TOGETHER), np.uint64)
    for begin in range(start, stop, _TOGETHER):
        length = min(_TOGETHER, stop - begin)
        for axis in range(points.shape[1]):
            for index in range(length):
                axes[axis, np.uint64(index)] = points[np.uint64(begin + index), axis]
        for bit in range(bits - 1, 0, -1):
            _unfold(np.uint64(bit), length, axes[0])
            for axis in range(1, points.shape[1]):
                _exchange(np.uint64(bit), length, axes[0], axes[axis])
        _undo_gray_code(bits, length, axes, found[0])
        _interleave(bits, length, axes, found)
        for word in range(words.shape[1]):
            for index in range(length):
                words[np.uint64(begin + index), word] = found[word, np.uint64(index)]


@inner_kernel
def _set(bit: np.uint64, number: np.uint64) -> np.uint64:
    """Return a word of ones where a number has a bit, else of zeros."""
    return np.uint64(0) - ((number >> bit) & np.uint64(1))


@inner_kernel
def _unfold(bit: np.uint64, length: int, first: WordArray) -> None:
    """Turn over what lies below a bit of the first axis, where the bit is set."""
    below = (np.uint64(1) << bit) - np.uint64(1)
    for number in range(length):
        index = np.uint64(number)
        first[index] ^= below & _set(bit, first[index])


@inner_kernel
def _exchange(bit: np.uint64, length: int, first: WordArray, other: WordArray) -> None:
    """Turn over what lies below a bit where the other axis has it; else exchange it."""
    below = (np.uint64(1) << bit) - np.uint64(1)
    for number in range(length):
        index = np.uint64(number)
        has = _set(bit, other[index])
        swap = (first[index] ^ other[index]) & below & ~has
        first[index] ^= swap | (below & has)
        other[index] ^= swap


@inner_kernel
def _undo_gray_code(bits: int, length: int, axes: WordArray, flip: WordArray) -> None:
    """Make each axis what it is together with the axes before it; flip is room."""
    last = axes.shape[0] - 1
    for axis in range(1, axes.shape[0]):
        for index in range(length):
            axes[axis, np.uint64(index)] ^= axes[axis - 1, np.uint64(index)]
    for index in range(length):
        flip[np.uint64(index)] = np.uint64(0)
    for bit in range(bits - 1, 0, -1):
        below = (np.uint64(1) << np.uint64(bit)) - np.uint64(1)
        for index in range(length):
            has = _set(np.uint64(bit), axes[last, np.uint64(index)])
            flip[np.uint64(index)] ^= below & has
    for axis in range(axes.shape[0]):
        for index in range(length):
            axes[axis, np.uint64(index)] ^= flip[np.uint64(index)]


@inner_kernel
def _interleave(bits: int, length: int, axes: WordArray, found: WordArray) -> None:
    """Write the digits of the axes, the highest of each first, as one long number."""
    for word in range(found.shape[0]):
        for number in range(length):
            found[word, np.uint64(number)] = np.uint64(0)
    place = axes.shape[0] * bits - 1
    for bit in range(bits - 1, -1, -1):
        for axis in range(axes.shape[0]):
            word = found.shape[0] - 1 - place // WORD_BITS
            shift = np.uint64(place % WORD_BITS)
            for number in range(length):
                index = np.uint64(number)
                digit = (axes[axis, index] >> np.uint64(bit)) & np.uint64(1)
                found[word, index] |= digit << shift
            place -= 1
