"""Position along the Hilbert curve, by Skilling's transform.

Axes: points (tuples, dimensions) on a grid of ``2**bits`` steps a side;
words (tuples, ceil(dimensions * bits / 64)), most significant word first.

J. Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707 (2004).
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import WordArray
from seriatim.kernels._jit import kernel

WORD_BITS = 64


@kernel
def hilbert_words(start: int, stop: int, points: WordArray, bits: int, words: WordArray) -> None:
    """Write the Hilbert index of points[start:stop] into words."""
    dimensions = points.shape[1]
    n_words = words.shape[1]
    one = np.uint64(1)
    top = one << np.uint64(bits - 1)
    axes = np.empty(dimensions, np.uint64)
    for row in range(start, stop):
        for axis in range(dimensions):
            axes[axis] = points[row, axis]

        step = top
        while step > one:
            below = step - one
            for axis in range(dimensions):
                if axes[axis] & step:
                    axes[0] ^= below
                else:
                    swap = (axes[0] ^ axes[axis]) & below
                    axes[0] ^= swap
                    axes[axis] ^= swap
            step >>= one

        for axis in range(1, dimensions):
            axes[axis] ^= axes[axis - 1]
        flip = np.uint64(0)
        step = top
        while step > one:
            if axes[dimensions - 1] & step:
                flip ^= step - one
            step >>= one
        for axis in range(dimensions):
            axes[axis] ^= flip

        for word in range(n_words):
            words[row, word] = np.uint64(0)
        place = dimensions * bits - 1
        for bit in range(bits - 1, -1, -1):
            for axis in range(dimensions):
                word = n_words - 1 - place // 64
                digit = (axes[axis] >> np.uint64(bit)) & one
                words[row, word] |= digit << np.uint64(place % 64)
                place -= 1
