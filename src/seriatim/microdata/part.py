"""Parts of a region: what a quasi-identifier was generalized to.

A part speaks in codes: a number for a numeric attribute, the place in its
domain for the others. Attributes give parts their words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from seriatim._typing import BoolArray, FloatArray


class Part(Protocol):
    """A set of codes of one quasi-identifier."""

    def contains(self, codes: FloatArray) -> BoolArray:
        """Tell which codes lie inside."""
        ...


@dataclass(frozen=True)
class Interval:
    """All codes from low to high, both included."""

    low: float
    """The least."""

    high: float
    """The greatest."""

    def contains(self, codes: FloatArray) -> BoolArray:
        """Tell which codes lie inside.

        >>> Interval(51, 52).contains([50, 51, 52]).tolist()
        [False, True, True]
        """
        codes = np.asarray(codes)
        return (codes >= self.low) & (codes <= self.high)


@dataclass(frozen=True)
class CodeSet:
    """Some codes, in no order."""

    codes: frozenset[int]
    """The codes, each a place in the domain."""

    def contains(self, codes: FloatArray) -> BoolArray:
        """Tell which codes lie inside."""
        return np.isin(codes, list(self.codes))
