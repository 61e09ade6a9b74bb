"""Recursive (c, l)-diversity: the most frequent value does not outweigh the rarer ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from seriatim._typing import FloatArray
from seriatim.privacy.requirement import Criterion, Measured, require_above, require_whole
from seriatim.privacy.tally import Tally


@dataclass(frozen=True)
class RecursiveCLDiversity(Measured):
    """In every group r₁ < c·(r_l + … + r_m) (Machanavajjhala et al., 2006).

    r₁ ≥ … ≥ r_m are the counts of the group's values. Measured as r₁ / (r_l + … + r_m),
    infinite where a group has fewer than l values; it must be below c. The ratio of two
    whole numbers is rounded once and rounding keeps order, so that a group at c or above
    never stands, and every pass over it finds the same.

    >>> RecursiveCLDiversity(c=2, l=3)
    RecursiveCLDiversity(c=2, l=3)
    """

    c: float
    """What the most frequent value may be of the rarer ones, and not reach."""

    l: int
    """The first of the rarer values, counted from the most frequent one."""

    strict: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse c that nothing is below, and l that is no number of values."""
        require_above("c", self.c, 0)
        require_whole("l", self.l, 1)

    @property
    def bound(self) -> float:
        """The ratio that is not reached."""
        return float(self.c)

    def measure(self, tally: Tally) -> FloatArray:
        """Return, for each group, the most frequent value's count over those from the l-th on."""
        counts = np.sort(tally.value_counts, axis=1)[:, ::-1]
        tail = counts[:, self.l - 1 :].sum(axis=1)
        return np.asarray(np.where(tail > 0, counts[:, 0] / np.maximum(tail, 1), np.inf))

    def criterion(self) -> Criterion:
        """Return the compiled form."""
        from seriatim.kernels.criteria import RECURSIVE

        return Criterion(RECURSIVE + int(self.l), self.bound, self.scan_tolerance)
