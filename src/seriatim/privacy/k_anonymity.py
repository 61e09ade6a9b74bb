"""k-anonymity: no group is smaller than k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from seriatim._typing import FloatArray
from seriatim.privacy.requirement import Criterion, Measured, require_whole
from seriatim.privacy.tally import Tally


@dataclass(frozen=True)
class KAnonymity(Measured):
    """Every group has at least k tuples (Samarati and Sweeney, 1998).

    >>> KAnonymity(k=10) & KAnonymity(k=5)
    AllOf(members=(KAnonymity(k=10), KAnonymity(k=5)))
    """

    k: int
    """Least number of tuples."""

    at_least: ClassVar[bool] = True
    unit: ClassVar[str] = "tuples"

    def __post_init__(self) -> None:
        """Refuse k that is no size."""
        require_whole("k", self.k, 1)

    @property
    def bound(self) -> float:
        """The least size."""
        return float(self.k)

    def measure(self, tally: Tally) -> FloatArray:
        """Return the size of each group."""
        return tally.sizes.astype(float)

    def criterion(self) -> Criterion:
        """Return the compiled form."""
        from seriatim.kernels.criteria import SIZE

        return Criterion(SIZE, self.bound, self.scan_tolerance)
