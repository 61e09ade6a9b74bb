"""Scaling where it is open who is in which group.

Each respondent has a list of possible columns (a value of a group, or being absent)
with weights: columns offsets[r]:offsets[r + 1]. Counts says how many tuples each
column has.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.kernels._jit import kernel


@kernel
def scale_candidates(
    offsets: IntArray,
    columns: IntArray,
    weights: FloatArray,
    counts: FloatArray,
    most_rounds: int,
    tolerance: float,
) -> None:
    """Scale columns to their counts and respondents to 1, in turns, in place; end on respondents.

    Counts are shared out so that they sum to the number of respondents.
    """
    respondents = offsets.shape[0] - 1
    totals = np.empty(counts.shape[0], np.float64)
    share = respondents / counts.sum()
    for _ in range(most_rounds):
        totals[:] = 0.0
        for entry in range(columns.shape[0]):
            totals[columns[entry]] += weights[entry]
        change = 0.0
        for respondent in range(respondents):
            row = 0.0
            for entry in range(offsets[respondent], offsets[respondent + 1]):
                column = columns[entry]
                if totals[column] > 0.0:
                    weights[entry] *= counts[column] * share / totals[column]
                row += weights[entry]
            if row > 0.0:
                change = max(change, abs(row - 1.0))
                for entry in range(offsets[respondent], offsets[respondent + 1]):
                    weights[entry] /= row
        if change <= tolerance:
            break
