"""β-likeness: no value is much likelier in a group than in the whole view."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from seriatim._typing import FloatArray
from seriatim.errors import PolicyError
from seriatim.privacy.requirement import Criterion, Measured, require_bound
from seriatim.privacy.tally import Tally


@dataclass(frozen=True)
class BetaLikeness(Measured):
    """Every value's share grows by at most β times, from view to group (Cao and Karras, 2012).

    Basic: (q − p) / p ≤ β for every value whose share q in the group is above its share
    p in the view. Enhanced: at most min(β, −ln p), which holds frequent values tighter.

    The measure of a group is the least β that it keeps: the greatest (q − p) / p. Enhanced,
    it is the same where every value keeps −ln p, and infinite where one does not, because
    then no β allows the group; measure and bound stay one number each.

    The view's shares include tuples that end up suppressed, as for ``TCloseness``; readers
    confirm against the published table. Shares are compared as whole numbers, with one
    rounding in the ratio; −ln p never equals a ratio of whole numbers.

    >>> BetaLikeness(beta=1.5, enhanced=True)
    BetaLikeness(beta=1.5, enhanced=True)
    """

    beta: float
    """Greatest relative growth of a value's share."""

    enhanced: bool = False
    """Whether the growth of frequent values is also kept to −ln p."""

    def __post_init__(self) -> None:
        """Refuse β that is no growth."""
        require_bound("beta", self.beta, 0)
        if not isinstance(self.enhanced, bool):
            message = f"enhanced must be True or False, not {self.enhanced!r}."
            raise PolicyError(message)

    @property
    def bound(self) -> float:
        """The greatest growth."""
        return float(self.beta)

    def measure(self, tally: Tally) -> FloatArray:
        """Return the least β that each group keeps."""
        view_size = int(tally.view_counts.sum())
        expected = tally.view_counts * tally.sizes[:, None]
        excess = tally.value_counts * view_size - expected
        gains = np.where(expected > 0, excess / np.maximum(expected, 1), np.inf)
        gains = np.where(excess > 0, gains, 0.0)
        if self.enhanced:
            # The logarithm of the standard library, as in the compiled scan: the same digits.
            caps = [-math.log(count / view_size) if count else 0.0 for count in tally.view_counts]
            gains = np.where((excess > 0) & (gains > np.array(caps)), np.inf, gains)
        return np.asarray(gains.max(axis=1))

    def criterion(self) -> Criterion:
        """Return the compiled form."""
        from seriatim.kernels.criteria import ENHANCED_LIKENESS, LIKENESS

        code = ENHANCED_LIKENESS if self.enhanced else LIKENESS
        return Criterion(code, self.bound, self.scan_tolerance)
