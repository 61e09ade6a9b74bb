"""The posterior bound: no reader gains more than g on any member of a group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.errors import PolicyError
from seriatim.inference.rules import PosteriorRule, PublishedGroups, rule_by_name
from seriatim.privacy.requirement import Measured, require_bound
from seriatim.privacy.tally import Roll, Tally

_MOST_ROWS = 2**18
"""Members whose posteriors are computed at once."""


@dataclass(frozen=True)
class PosteriorBound(Measured):
    """What the simulated reader gains on every member of every group is at most g.

    The gain on a member is (p − f) / (1 − f): p the reader's posterior of the true value,
    f its frequency in the group. It bounds directly what the divergence of beliefs bounds
    only indirectly, for the reader that is simulated and the release that is checked: not
    what later releases add. By default the posterior is the strongest that is affordable.

    It looks at sensitive values, and a border that moves because of them tells something;
    partitioners whose borders persist limit that. A tuple alone satisfies it (f = 1), so
    combine it with a size.

    >>> from seriatim.privacy import Evidence
    >>> evidence = Evidence(np.array([0, 1]), np.array([[0.9, 0.1], [0.5, 0.5]]))
    >>> together = Tally.of(evidence, np.arange(2), np.array([0, 2]))
    >>> print(PosteriorBound(gain=0.5).verdict(together))
    PosteriorBound(gain=0.5, rule='strongest') fails: 0.8, 0.3 off
    """

    gain: float
    """Greatest gain on a member, from 0 to 1."""

    rule: str | PosteriorRule = "strongest"
    """How the reader draws conclusions from a group."""

    # Iterated posteriors depend on the order of members in their last digits.
    scan_tolerance: ClassVar[float] = -1e-6

    def __post_init__(self) -> None:
        """Refuse a gain that is none, and a rule that is not known."""
        require_bound("gain", self.gain, 0, 1)
        rule_by_name(self.rule)

    @property
    def bound(self) -> float:
        """The greatest gain."""
        return self.gain

    def measure(self, tally: Tally) -> FloatArray:
        """Return the gain on the member of whom most is learned, in each group."""
        if tally.roll is None:
            message = f"{self} looks at every member, and it is not known who they are."
            raise PolicyError(message)
        roll = tally.roll
        sizes = roll.ends - roll.begins
        found = np.zeros(len(sizes))
        begin = 0
        while begin < len(sizes):
            reach = np.cumsum(sizes[begin:])
            end = begin + max(int(np.searchsorted(reach, _MOST_ROWS, side="right")), 1)
            found[begin:end] = self._of_groups(roll, tally.value_counts, begin, end)
            begin = end
        return found

    def _of_groups(self, roll: Roll, counts: IntArray, begin: int, end: int) -> FloatArray:
        sizes = roll.ends[begin:end] - roll.begins[begin:end]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        group = np.repeat(np.arange(end - begin), sizes)
        rows = roll.rows[np.arange(starts[-1]) - starts[group] + roll.begins[begin:end][group]]
        shown = counts[begin:end]
        published = np.repeat(np.tile(np.arange(shown.shape[1]), len(shown)), shown.ravel())
        groups = PublishedGroups(
            np.arange(len(rows)),
            starts,
            published,
            np.concatenate([[0], np.cumsum(shown.sum(axis=1))]),
        )
        posterior = rule_by_name(self.rule).posterior(roll.evidence.beliefs[rows], groups)
        truth = roll.evidence.value_codes[rows]
        believed = posterior[np.arange(len(rows)), truth]
        frequency = shown[group, truth] / shown.sum(axis=1)[group]
        left = np.maximum(1.0 - frequency, 1e-300)
        gains = np.where(frequency < 1.0, (believed - frequency) / left, 0.0)
        found = np.zeros(end - begin)
        np.maximum.at(found, group, gains)
        return found
