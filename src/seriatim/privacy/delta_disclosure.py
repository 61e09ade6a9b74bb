"""δ-disclosure privacy: no value is much likelier or much rarer in a group than in the view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from seriatim._typing import FloatArray
from seriatim.privacy.requirement import Criterion, Measured, require_above
from seriatim.privacy.tally import Tally


@dataclass(frozen=True)
class DeltaDisclosure(Measured):
    """``|ln(q/p)| < δ`` for every value of the table, in every group (Brickell, Shmatikov 2008).

    q is a value's share in the group, p its share in the view. The logarithm of zero is
    infinite: each group must have every value that the table has. That is the model, and
    with a rare value it leaves few and large groups, or none.

    Logarithms are natural. They are rounded, and not everywhere alike: a group under
    construction must keep 1e-12 below δ, a thousand times their error. So a group never
    stands that fails exactly, and an independent pass over a finished one, which asks for
    less than δ without tolerance, never disagrees.

    >>> DeltaDisclosure(delta=1.2)
    DeltaDisclosure(delta=1.2)
    """

    delta: float
    """What the greatest logarithm of a ratio must be below."""

    strict: ClassVar[bool] = True
    scan_tolerance: ClassVar[float] = -1e-12

    def __post_init__(self) -> None:
        """Refuse δ that nothing is below."""
        require_above("delta", self.delta, 0)

    @property
    def bound(self) -> float:
        """The logarithm that is not reached."""
        return float(self.delta)

    def measure(self, tally: Tally) -> FloatArray:
        """Return the greatest ``|ln(q/p)|`` of each group; infinite where a value is absent."""
        expected = tally.view_counts * tally.sizes[:, None]
        found = tally.value_counts * int(tally.view_counts.sum())
        both = (expected > 0) & (found > 0)
        ratios = np.where(both, found, 1) / np.where(both, expected, 1)
        absent = (expected > 0) != (found > 0)
        return np.asarray(np.where(absent, np.inf, np.abs(np.log(ratios))).max(axis=1))

    def criterion(self) -> Criterion:
        """Return the compiled form."""
        from seriatim.kernels.criteria import LOG_RATIO

        return Criterion(LOG_RATIO, self.bound, self.scan_tolerance)
