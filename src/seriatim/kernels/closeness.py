"""How far the values of groups are from those of a whole table.

Axes: counts (groups, values) and sizes (groups), none below 1; whole (values) has shares.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.kernels._jit import kernel


@kernel
def equal_distances(
    start: int,
    stop: int,
    counts: IntArray,
    sizes: IntArray,
    whole: FloatArray,
    distances: FloatArray,
) -> None:
    """Write half of what the shares of each group are apart, added value by value."""
    for group in range(np.uint64(start), np.uint64(stop)):
        total = 0.0
        for value in range(np.uint64(whole.shape[0])):
            total += abs(counts[group, value] / sizes[group] - whole[value])
        distances[group] = total / 2
