"""t-closeness: no group's values look different from the whole view's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from seriatim._typing import FloatArray
from seriatim.errors import PolicyError
from seriatim.privacy.requirement import Criterion, Measured, require_bound
from seriatim.privacy.tally import Tally

_PIECE = 2**16
"""Shares of values in groups that are worked on at a time."""

_MANY = 2**18
"""Shares from which on a compiled loop is worth loading."""


@dataclass(frozen=True)
class TCloseness(Measured):
    """The values of every group are within t of the view's (Li, Li and Venkatasubramanian, 2007).

    The earth mover's distance between the group's and the view's distribution.
    With ``distance="equal"`` all values are equally far apart, and it is half
    the L1 distance. With ``"ordered"`` neighbours in the domain are 1/(n − 1)
    apart, for values such as stages of a disease.

    The view's distribution includes tuples that end up suppressed: it is what
    the custodian has, and it does not depend on the outcome of the partition.
    A group under construction gets no tolerance: at exactly t it may be refused for
    the last binary digit of a sum, and above t it never stands.

    >>> from seriatim.privacy import Evidence
    >>> evidence = Evidence(np.array([0, 1, 1, 1]), np.full((4, 2), 0.5))
    >>> two_groups = Tally.of(evidence, np.arange(4), np.array([0, 2, 4]))
    >>> TCloseness(t=0.3).measure(two_groups).tolist()
    [0.25, 0.25]
    """

    t: float
    """Greatest distance, from 0 to 1."""

    distance: Literal["equal", "ordered"] = "equal"
    """How far apart two values are."""

    def __post_init__(self) -> None:
        """Refuse t that is no distance."""
        require_bound("t", self.t, 0, 1)
        if self.distance not in ("equal", "ordered"):
            message = (
                f"distance={self.distance!r} is not known to TCloseness;"
                " possible are 'equal' and 'ordered'."
            )
            raise PolicyError(message)

    @property
    def bound(self) -> float:
        """The greatest distance."""
        return self.t

    def measure(self, tally: Tally) -> FloatArray:
        """Return the distance of each group from the view."""
        n_groups, n_values = tally.value_counts.shape
        of_view = tally.view_counts / tally.view_counts.sum()
        found = np.empty(n_groups)
        if self.distance == "equal" and tally.value_counts.size >= _MANY:
            from seriatim.kernels._jit import over_ranges
            from seriatim.kernels.closeness import equal_distances

            sizes = np.maximum(tally.sizes, 1)
            over_ranges(equal_distances, n_groups, tally.value_counts, sizes, of_view, found)
            return found
        # Some groups at a time: what all of them take would not stay near the processor.
        step = max(_PIECE // n_values, 1)
        for begin in range(0, n_groups, step):
            some = slice(begin, begin + step)
            of_group = tally.value_counts[some] / np.maximum(tally.sizes[some], 1)[:, None]
            found[some] = self._distances(of_group - of_view)
        return found

    def _distances(self, apart: FloatArray) -> FloatArray:
        """Return the distance of each group, from the differences of its shares."""
        # Summed value by value, as the compiled scan does: both then agree to the last digit.
        n_groups, n_values = apart.shape
        if self.distance == "equal":
            return np.asarray(np.cumsum(np.abs(apart), axis=1)[:, -1] / 2)
        if n_values == 1:
            return np.zeros(n_groups)
        moved = np.abs(np.cumsum(apart, axis=1)[:, :-1])
        return np.asarray(np.cumsum(moved, axis=1)[:, -1] / (n_values - 1))

    def criterion(self) -> Criterion:
        """Return the compiled form."""
        from seriatim.kernels.criteria import EQUAL_DISTANCE, ORDERED_DISTANCE

        code = EQUAL_DISTANCE if self.distance == "equal" else ORDERED_DISTANCE
        return Criterion(code, self.bound, self.scan_tolerance)
