"""Disclosure: what a reader's conclusions are worth, against the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.errors import KnowledgeError


@dataclass(frozen=True, eq=False)
class Disclosure:
    """A measure of disclosure over the published tuples of a release."""

    per_tuple: FloatArray
    """The measure of each published tuple."""

    baseline: float
    """The mean that a reader reaches who only counts values in the group."""

    @property
    def mean(self) -> float:
        """The mean over tuples; 0 when there are none."""
        return float(self.per_tuple.mean()) if len(self.per_tuple) else 0.0

    @property
    def spread(self) -> float:
        """The standard deviation over tuples."""
        return float(self.per_tuple.std()) if len(self.per_tuple) else 0.0

    def __float__(self) -> float:
        """Return the mean."""
        return self.mean

    def __repr__(self) -> str:
        """Say it in figures."""
        return (
            f"{type(self).__name__}(mean={self.mean:.4f}, spread={self.spread:.4f},"
            f" baseline={self.baseline:.4f}, tuples={len(self.per_tuple)})"
        )


def adversary_confidence(
    posterior: npt.ArrayLike,
    value_codes: npt.ArrayLike,
    group_of: npt.ArrayLike,
    *,
    published: npt.ArrayLike | None = None,
) -> Disclosure:
    """Return how much a reader believes in the true values.

    ``posterior`` (respondents, values), the true ``value_codes`` and the group
    of each respondent, -1 for one whose tuple was not published. The baseline is
    the mean frequency of the true value in its group. ``published`` (groups, values) says
    how often each group shows each value, where it shows more than its members have.

    >>> adversary_confidence([[0.9, 0.1], [0.1, 0.9]], [0, 1], [0, 0])
    Disclosure(mean=0.9000, spread=0.0000, baseline=0.5000, tuples=2)
    """
    confidence, frequency = true_beliefs(posterior, value_codes, group_of, published)
    return Disclosure(confidence, float(frequency.mean()) if len(frequency) else 0.0)


def adversary_gain(
    posterior: npt.ArrayLike,
    value_codes: npt.ArrayLike,
    group_of: npt.ArrayLike,
    *,
    published: npt.ArrayLike | None = None,
) -> Disclosure:
    """Return how much a reader knows beyond counting: the paper's ρ.

    For each tuple (p − f) / (1 − f), with p the belief in the true value and f its
    frequency in the group. A tuple whose value fills its whole group (f = 1) has
    nothing left to gain and contributes 0, which the paper leaves undefined. The
    baseline of a reader who only counts is 0. With counterfeits, ``published`` (groups,
    values) says how often each group shows each value.

    >>> round(float(adversary_gain([[0.9, 0.1], [0.1, 0.9]], [0, 1], [0, 0])), 3)
    0.8
    """
    believed = true_beliefs(posterior, value_codes, group_of, published)
    return Disclosure(gain_over(*believed), 0.0)


def gain_over(confidence: FloatArray, frequency: FloatArray) -> FloatArray:
    """Return (p − f) / (1 − f) for each tuple, 0 where there is nothing left to gain."""
    gain = np.zeros_like(confidence)
    return np.divide(confidence - frequency, 1 - frequency, out=gain, where=frequency < 1.0)


def true_beliefs(
    posterior: npt.ArrayLike,
    value_codes: npt.ArrayLike,
    group_of: npt.ArrayLike,
    shown: npt.ArrayLike | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return belief in, and frequency of, the true value of each published tuple."""
    rows = np.asarray(posterior, dtype=np.float64)
    codes: IntArray = np.asarray(value_codes, dtype=np.int64)
    groups: IntArray = np.asarray(group_of, dtype=np.int64)
    if rows.ndim != 2 or codes.shape != (len(rows),) or groups.shape != (len(rows),):
        message = (
            "Posterior (respondents, values), value codes and groups must be aligned; shapes"
            f" {rows.shape}, {codes.shape} and {groups.shape} were given."
        )
        raise KnowledgeError(message)
    if not np.isfinite(rows).all() or (codes < 0).any() or (codes >= rows.shape[1]).any():
        message = (
            f"Posteriors are numbers, and value codes run from 0 to {rows.shape[1] - 1};"
            " others were given."
        )
        raise KnowledgeError(message)
    published: BoolArray = groups >= 0
    codes, groups = codes[published], groups[published]
    confidence = rows[published, codes]
    if shown is not None:
        counts = np.asarray(shown)
        n_groups = groups.max(initial=-1) + 1
        if counts.ndim != 2 or counts.shape[1] != rows.shape[1] or len(counts) < n_groups:
            message = (
                "What was published runs (groups, values), for every group that a respondent is"
                f" in; shape {counts.shape} was given."
            )
            raise KnowledgeError(message)
        return confidence, counts[groups, codes] / counts[groups].sum(axis=1)
    cells = groups * rows.shape[1] + codes
    _, cell, same_value = np.unique(cells, return_inverse=True, return_counts=True)
    _, group, members = np.unique(groups, return_inverse=True, return_counts=True)
    return confidence, same_value[cell] / members[group]
