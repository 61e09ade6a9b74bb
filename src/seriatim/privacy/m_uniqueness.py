"""m-uniqueness: a group has at least m tuples, and no value twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from seriatim._typing import FloatArray
from seriatim.privacy.requirement import Criterion, Measured, require_whole
from seriatim.privacy.tally import Tally


@dataclass(frozen=True)
class MUniqueness(Measured):
    """Every group has at least m tuples, all with different values (Xiao and Tao, 2007).

    The part of m-invariance that a single release shows. That the groups of a respondent
    show the same values in every release is seen to by ``MInvariant``. The measure is the
    size of a group, and 0 where a value occurs twice.

    >>> from seriatim.privacy import Evidence
    >>> evidence = Evidence(np.array([0, 1, 1]), np.full((3, 2), 0.5))
    >>> two_groups = Tally.of(evidence, np.arange(3), np.array([0, 2, 3]))
    >>> MUniqueness(m=2).verdict(two_groups).group_holds.tolist()
    [True, False]
    """

    m: int
    """Least number of tuples."""

    at_least: ClassVar[bool] = True
    unit: ClassVar[str] = "values"

    def __post_init__(self) -> None:
        """Refuse m that is no number of values."""
        require_whole("m", self.m, 1)

    @property
    def bound(self) -> float:
        """The least number of values."""
        return float(self.m)

    def measure(self, tally: Tally) -> FloatArray:
        """Return the size of each group, 0 where a value occurs twice."""
        unique = (tally.value_counts <= 1).all(axis=1)
        return np.where(unique, tally.sizes, 0).astype(float)

    def criterion(self) -> Criterion:
        """Return the compiled form."""
        from seriatim.kernels.criteria import UNIQUE_VALUES

        return Criterion(UNIQUE_VALUES, self.bound, self.scan_tolerance)
