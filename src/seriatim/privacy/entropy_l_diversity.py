"""Entropy l-diversity: the values of a group are as uncertain as l equally frequent ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from seriatim._typing import FloatArray
from seriatim.knowledge.divergence import entropy_of_rows
from seriatim.privacy.requirement import Criterion, Measured, require_bound
from seriatim.privacy.tally import Tally


@dataclass(frozen=True)
class EntropyLDiversity(Measured):
    """Every group's values have an entropy of at least log l (Machanavajjhala et al., 2006).

    Measured as the effective number of values, 2^H with H in bits: l values that are
    equally frequent count as l, others as fewer. It says by how much in the unit of l.

    Equally frequent values are counted, not computed, so that 3 of them are 3 to the
    digit. Otherwise a group under construction gets no tolerance, and at exactly l the
    last binary digit of a logarithm decides.

    >>> EntropyLDiversity(l=2.5)
    EntropyLDiversity(l=2.5)
    """

    l: float
    """Least effective number of values; need not be whole."""

    at_least: ClassVar[bool] = True
    unit: ClassVar[str] = "values"

    def __post_init__(self) -> None:
        """Refuse l that is no number of values."""
        require_bound("l", self.l, 1)

    @property
    def bound(self) -> float:
        """The least effective number of values."""
        return float(self.l)

    def measure(self, tally: Tally) -> FloatArray:
        """Return the effective number of values in each group."""
        counts = tally.value_counts
        effective = 2.0 ** entropy_of_rows(counts / np.maximum(tally.sizes, 1)[:, None])
        distinct = np.count_nonzero(counts, axis=1)
        even = counts.max(axis=1) * distinct == tally.sizes
        return np.asarray(np.where(even, distinct, effective), dtype=float)

    def criterion(self) -> Criterion:
        """Return the compiled form."""
        from seriatim.kernels.criteria import EFFECTIVE_VALUES

        return Criterion(EFFECTIVE_VALUES, self.bound, self.scan_tolerance)
