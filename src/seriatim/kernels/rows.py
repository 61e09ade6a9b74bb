"""Sums of rows of probabilities, checked on the way, and of what their logarithms make of them.

Axes: rows and logs (respondents, values).
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import FloatArray
from seriatim.kernels._jit import kernel

WIDEST = 128
"""Numbers of a row that numpy, too, adds in eight lanes without halving the row first."""

_LANES = 8


@kernel
def checked_sums(start: int, stop: int, rows: FloatArray, sums: FloatArray) -> None:
    """Write the sum of each row; NaN where a row has what is no probability."""
    for row in range(start, stop):
        total = 0.0
        for value in range(rows.shape[1]):
            share = rows[row, value]
            total += share if share >= 0.0 else np.nan
        sums[row] = total if np.isfinite(total) else np.nan


@kernel
def entropies_by_logs(rows: FloatArray, logs: FloatArray, entropies: FloatArray) -> None:
    """Write what each row and its logarithms add up to, turned round; 0 counts nothing.

    Added in the order in which numpy adds a row, so that it is the same to the last digit; a row
    has ``WIDEST`` numbers at most.
    """
    width = np.uint64(rows.shape[1])
    whole = width - width % np.uint64(_LANES)
    lanes = np.empty(_LANES, np.float64)
    for row in range(np.uint64(rows.shape[0])):
        total = 0.0
        if whole:
            lanes[:] = 0.0
            for begin in range(np.uint64(0), whole, np.uint64(_LANES)):
                for lane in range(np.uint64(_LANES)):
                    lanes[lane] += product(rows[row, begin + lane], logs[row, begin + lane])
            total = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + (
                (lanes[4] + lanes[5]) + (lanes[6] + lanes[7])
            )
        for value in range(whole, width):
            total += product(rows[row, value], logs[row, value])
        # Adding zero turns the -0.0 of a certain belief into 0.0.
        entropies[row] = -total + 0.0


@kernel
def product(share: float, log: float) -> float:
    """Return a share times its logarithm, 0 where there is none."""
    return share * log if share > 0.0 else 0.0
