"""What a reader's beliefs are worth, beyond the mean gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from seriatim._typing import FloatArray, IntArray
from seriatim.measure.disclosure import gain_over, true_beliefs

_LEAST_BELIEF = 2.0**-52
"""Beliefs below this count as this in a log-loss: one certain error must not hide all else."""


@dataclass(frozen=True, eq=False)
class Exposure:
    """How much of the truth a reader holds, over the published tuples of a release."""

    confidence: FloatArray
    """Belief in each true value."""

    frequency: FloatArray
    """Share of each true value in its group: the belief of a reader who only counts."""

    is_top: FloatArray
    """Chance of naming each true value when naming the most believed one; ties are shared."""

    top_by_frequency: FloatArray
    """The same for a reader who only counts."""

    def __repr__(self) -> str:
        """Say it in figures."""
        return (
            f"Exposure({len(self.confidence)} tuples, log-loss {self.log_loss:.3f} bit,"
            f" top-1 {self.top_rate:.3f}, above 0.9: {self.above(0.9):.3f})"
        )

    @property
    def gain(self) -> FloatArray:
        """What is known of each tuple beyond counting: the paper's ρ."""
        return gain_over(self.confidence, self.frequency)

    @property
    def log_loss(self) -> float:
        """Mean surprise at the truth, in bits; over-confidence makes it worse, not better."""
        return log_loss(self.confidence)

    @property
    def log_loss_by_frequency(self) -> float:
        """The log-loss of a reader who only counts."""
        return log_loss(self.frequency)

    @property
    def top_rate(self) -> float:
        """How often the most believed value is the true one."""
        return _mean(self.is_top)

    @property
    def top_rate_by_frequency(self) -> float:
        """How often the most frequent value of the group is the true one."""
        return _mean(self.top_by_frequency)

    def above(self, threshold: float) -> float:
        """Share of tuples whose true value is believed above a threshold."""
        return _mean(self.confidence > threshold)

    def above_by_frequency(self, threshold: float) -> float:
        """The same for a reader who only counts."""
        return _mean(self.frequency > threshold)


def exposure(
    posterior: npt.ArrayLike,
    value_codes: npt.ArrayLike,
    group_of: npt.ArrayLike,
    *,
    published: npt.ArrayLike | None = None,
) -> Exposure:
    """Return how much of the truth a reader holds.

    ``published`` (groups, values) says how often each group shows each value, where it
    shows more than its members have.

    >>> exposure([[0.9, 0.1], [0.1, 0.9]], [0, 1], [0, 0])
    Exposure(2 tuples, log-loss 0.152 bit, top-1 1.000, above 0.9: 0.000)
    """
    confidence, frequency = true_beliefs(posterior, value_codes, group_of, published)
    groups = np.asarray(group_of)
    there = groups >= 0
    rows = np.asarray(posterior, dtype=np.float64)[there]
    codes = np.asarray(value_codes)[there]
    if published is None:
        counted = _frequencies(groups[there], codes, rows.shape[1])
    else:
        shown = np.asarray(published)[groups[there]]
        counted = shown / shown.sum(axis=1, keepdims=True)
    return Exposure(confidence, frequency, _shared_top(rows, codes), _shared_top(counted, codes))


def exposure_beyond(beliefs: FloatArray, counted: FloatArray, value_codes: IntArray) -> Exposure:
    """Return how much of the truth a reader holds, beside one who holds other beliefs.

    All are aligned: beliefs and counted (tuples, values), the true codes (tuples).
    """
    rows = np.arange(len(value_codes))
    return Exposure(
        beliefs[rows, value_codes],
        counted[rows, value_codes],
        _shared_top(beliefs, value_codes),
        _shared_top(counted, value_codes),
    )


def log_loss(beliefs: FloatArray) -> float:
    """Return the mean of −log₂ of what is believed of each truth."""
    return _mean(-np.log2(np.maximum(beliefs, _LEAST_BELIEF)))


def _mean(figures: np.ndarray) -> float:
    return float(figures.mean()) if len(figures) else 0.0


def _frequencies(groups: np.ndarray, codes: np.ndarray, n_values: int) -> FloatArray:
    _, group = np.unique(groups, return_inverse=True)
    n_groups = int(group.max()) + 1 if len(group) else 0
    counts = np.bincount(group.ravel() * n_values + codes, minlength=n_groups * n_values)
    table = counts.reshape(n_groups, n_values)
    return np.asarray((table / table.sum(axis=1, keepdims=True))[group.ravel()])


def _shared_top(rows: FloatArray, codes: np.ndarray) -> FloatArray:
    """Return 1 / (number of most believed values) where the truth is among them, else 0."""
    top = rows >= rows.max(axis=1, keepdims=True) * (1 - 1e-12)
    return np.asarray(top[np.arange(len(codes)), codes] / top.sum(axis=1))
