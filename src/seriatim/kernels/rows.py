"""Sums of rows of probabilities, checked on the way.

Axes: rows (respondents, values).
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import FloatArray
from seriatim.kernels._jit import kernel


@kernel
def checked_sums(start: int, stop: int, rows: FloatArray, sums: FloatArray) -> None:
    """Write the sum of each row; NaN where a row has what is no probability."""
    for row in range(start, stop):
        total = 0.0
        for value in range(rows.shape[1]):
            share = rows[row, value]
            total += share if share >= 0.0 else np.nan
        sums[row] = total if np.isfinite(total) else np.nan
