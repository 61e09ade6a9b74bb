"""The JS bound: no reader can tell the members of a group apart by what it expects of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from seriatim._typing import FloatArray
from seriatim.knowledge.divergence import entropy_of_rows
from seriatim.privacy.requirement import Criterion, Measured, require_bound
from seriatim.privacy.tally import Tally
from seriatim.privacy.verdict import TOLERANCE


@dataclass(frozen=True)
class JSBound(Measured):
    """The beliefs about every group's members diverge by at most j bits.

    JS = H(mean belief) − mean of H(belief), from the sums of a tally. It limits how
    well a reader can match members to values, and does not by itself bound what
    the reader gains: combine it with a size. Counterfeits are nobody, and count for
    nothing here.

    >>> from seriatim.privacy import Evidence
    >>> evidence = Evidence(np.array([0, 1]), np.array([[0.9, 0.1], [0.1, 0.9]]))
    >>> together = Tally.of(evidence, np.arange(2), np.array([0, 2]))
    >>> print(JSBound(j=0.6).verdict(together))
    JSBound(j=0.6) holds: 0.531 bit, 0.069 to spare
    """

    j: float
    """Greatest Jensen–Shannon divergence, in bits."""

    unit: ClassVar[str] = "bit"
    # Sums grown tuple by tuple drift by rounding; without room, j = 0 would refuse equal beliefs.
    scan_tolerance: ClassVar[float] = TOLERANCE / 2

    def __post_init__(self) -> None:
        """Refuse j that is no divergence."""
        require_bound("j", self.j, 0)

    @property
    def bound(self) -> float:
        """The greatest divergence."""
        return self.j

    def measure(self, tally: Tally) -> FloatArray:
        """Return the divergence inside each group, in bits."""
        sizes = np.maximum(tally.people, 1)
        mean = tally.belief_sums / sizes[:, None]
        return np.maximum(entropy_of_rows(mean) - tally.entropy_sums / sizes, 0.0)

    def criterion(self) -> Criterion:
        """Return the compiled form."""
        from seriatim.kernels.criteria import JS_DIVERGENCE

        return Criterion(JS_DIVERGENCE, self.bound, self.scan_tolerance)
