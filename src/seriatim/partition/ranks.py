"""Ranks: codes of an attribute numbered in order, without those that do not occur."""

from __future__ import annotations

import numpy as np

from seriatim._typing import FloatArray, IntArray

_COUNTABLE = 2**20
"""Whole codes within this range are counted rather than sorted."""


def ranked(codes: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the different codes in rising order, and the number of each code among them.

    >>> codes, ranks = ranked(np.array([7.0, 3.0, 7.0]))
    >>> codes.tolist(), ranks.tolist()
    ([3.0, 7.0], [1, 0, 1])
    """
    low, high = codes.min(initial=0.0), codes.max(initial=0.0)
    if high - low < _COUNTABLE:
        whole = codes.astype(np.int64)
        if (whole == codes).all():
            there = np.bincount(whole - int(low)) > 0
            number = np.cumsum(there) - 1
            return (np.flatnonzero(there) + low).astype(np.float64), number[whole - int(low)]
    found, ranks = np.unique(codes, return_inverse=True)
    return found, ranks.ravel()
