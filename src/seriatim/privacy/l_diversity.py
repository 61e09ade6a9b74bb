"""Distinct l-diversity: no group shows fewer than l different values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from seriatim._typing import FloatArray
from seriatim.privacy.requirement import Criterion, Measured, require_whole
from seriatim.privacy.tally import Tally


@dataclass(frozen=True)
class DistinctLDiversity(Measured):
    """Every group has at least l different sensitive values (Machanavajjhala et al., 2006).

    >>> from seriatim.privacy import Evidence
    >>> evidence = Evidence(np.array([0, 0, 1]), np.full((3, 2), 0.5))
    >>> two_groups = Tally.of(evidence, np.arange(3), np.array([0, 1, 3]))
    >>> print(DistinctLDiversity(l=2).verdict(two_groups))
    DistinctLDiversity(l=2) fails in 1 of 2 groups: worst 1 value, 1 off
    """

    l: int
    """Least number of different values."""

    at_least: ClassVar[bool] = True
    unit: ClassVar[str] = "values"

    def __post_init__(self) -> None:
        """Refuse l that is no number of values."""
        require_whole("l", self.l, 1)

    @property
    def bound(self) -> float:
        """The least number of values."""
        return float(self.l)

    def measure(self, tally: Tally) -> FloatArray:
        """Return the number of different values in each group."""
        return np.asarray(np.count_nonzero(tally.value_counts, axis=1), dtype=float)

    def criterion(self) -> Criterion:
        """Return the compiled form."""
        from seriatim.kernels.criteria import DISTINCT_VALUES

        return Criterion(DISTINCT_VALUES, self.bound, self.scan_tolerance)
