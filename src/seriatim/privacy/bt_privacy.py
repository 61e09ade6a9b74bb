"""(B, t)-privacy: no release moves a bounded reader's belief in anyone far from its prior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from seriatim._typing import FloatArray
from seriatim.errors import PolicyError
from seriatim.knowledge.kernel_prior import KernelPrior
from seriatim.microdata.view import View
from seriatim.privacy.requirement import Measured, MemberCriterion, require_bound
from seriatim.privacy.tally import Evidence, Roll, Tally
from seriatim.privacy.verdict import TOLERANCE


@dataclass(frozen=True)
class BTPrivacy(Measured):
    """What a reader with bandwidth B believes of any member moves by at most t (Li et al., 2009).

    The reader has its own prior, learned from the view by kernel regression on the
    quasi-identifiers (``KernelPrior``), and draws its conclusion by the Ω-estimate. It is
    not the series' simulated reader: the model looks at one table. The distance is the
    Jensen–Shannon divergence, in bits, of the two beliefs after smoothing.

    Smoothing spreads each value's probability over the values near it, by the same
    Epanechnikov kernel: neighbours in an ordered domain are 1/(n − 1) apart, values
    without an order are all 1 apart. Li et al. leave the smoothing's bandwidth open; B is
    used here, so values without an order are compared as they are for B ≤ 1. Rows of the
    kernel are normalised, so that what is smoothed stays a distribution.

    A tuple alone may satisfy it (its value need not surprise), so combine it with a size.

    >>> from seriatim import KAnonymity, Policy
    >>> print(Policy(requirement=KAnonymity(k=5) & BTPrivacy(bandwidth=0.3, t=0.2)).requirement)
    KAnonymity(k=5) & BTPrivacy(bandwidth=0.3, t=0.2)
    """

    bandwidth: float
    """How far people count as near, as a share of each attribute's range."""

    t: float
    """Greatest distance between prior and posterior, from 0 to 1."""

    unit: ClassVar[str] = "bit"
    # The sum over members runs in another order when a finished group is measured again.
    scan_tolerance: ClassVar[float] = TOLERANCE / 2

    def __post_init__(self) -> None:
        """Refuse a bandwidth and a distance that are none."""
        KernelPrior(self.bandwidth)
        require_bound("t", self.t, 0, 1)

    @property
    def bound(self) -> float:
        """The greatest distance."""
        return self.t

    def measure(self, tally: Tally) -> FloatArray:
        """Return the distance of the member who is moved farthest, in each group."""
        from seriatim.kernels.criteria import farthest

        if tally.roll is None:
            message = f"{self} looks at every member, and it is not known who they are."
            raise PolicyError(message)
        roll: Roll = tally.roll
        beliefs, smoother = self._reader(roll.evidence)
        return np.array(
            [
                farthest(roll.rows[begin:end], counts, size, beliefs, smoother)
                for begin, end, counts, size in zip(
                    roll.begins, roll.ends, tally.value_counts, tally.sizes, strict=True
                )
            ],
            dtype=np.float64,
        )

    def member_criterion(self, evidence: Evidence) -> MemberCriterion:
        """Return the compiled form."""
        beliefs, smoother = self._reader(evidence)
        return MemberCriterion(beliefs, smoother, self.bound + self.scan_tolerance)

    def _reader(self, evidence: Evidence) -> tuple[FloatArray, FloatArray]:
        """Return what its reader believes beforehand, and how beliefs are smoothed."""
        view = evidence.view
        if view is None:
            message = f"{self} learns its prior from a view, and was given bare beliefs."
            raise PolicyError(message)

        def learn() -> tuple[FloatArray, FloatArray]:
            domain = view.schema.sensitive.domain
            prior = KernelPrior(self.bandwidth, view).belief(view.roster, domain)
            return prior.probabilities, smoother_of(view, self.bandwidth)

        found: tuple[FloatArray, FloatArray] = evidence.derived(("kernel", self.bandwidth), learn)
        return found


def smoother_of(view: View, bandwidth: float) -> FloatArray:
    """Return how much of each value's probability goes to each; empty where it all stays."""
    n_values = len(view.schema.sensitive.domain)
    places = np.arange(n_values)
    if view.schema.sensitive.ordered and n_values > 1:
        apart = np.abs(places[:, None] - places) / (n_values - 1)
    else:
        apart = 1.0 - np.eye(n_values)
    weights = np.where(apart < bandwidth, 1.0 - (apart / bandwidth) ** 2, 0.0)
    spread = weights / weights.sum(axis=1, keepdims=True)
    return np.empty((0, 0)) if np.array_equal(spread, np.eye(n_values)) else np.asarray(spread)
