"""A belief: what a reader holds likely, one distribution per respondent."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from seriatim._typing import BoolArray, FloatArray, IntArray, Value
from seriatim.errors import KnowledgeError, at_positions, did_you_mean, listed

ROW_SUM_TOLERANCE = 1e-6
"""How far a given row may be from summing to 1 before it is refused.

Tables are typed with few digits; rows inside the tolerance are rescaled."""

_ROUNDING = 1e-12

_MANY = 2**20
"""Probabilities from which on a compiled loop checks them, which takes a while to load."""


@dataclass(frozen=True, eq=False)
class Belief:
    """Probabilities of the sensitive values, for each respondent of a roster.

    Named ``prior`` before any release, ``revised`` for what is expected at the
    next release, ``posterior`` for what is believed after seeing it.

    >>> posterior = Belief([[0.9, 0.1], [0.5, 0.5]], ("neg", "pos"))
    >>> posterior, posterior.of("pos").tolist()
    (Belief(2 respondents, 2 values), [0.1, 0.5])
    """

    probabilities: FloatArray
    """Probability of each value (respondents, values); rows sum to 1."""

    domain: tuple[Value, ...]
    """The sensitive values, one per column."""

    def __post_init__(self) -> None:
        """Refuse rows that are no distributions, or that do not fit the domain."""
        require_distinct(self.domain)
        rows = require_distributions(self.probabilities, "a belief")
        if rows.shape[1] != len(self.domain):
            message = (
                f"A belief over {len(self.domain)} values needs as many columns,"
                f" and has {rows.shape[1]}."
            )
            raise KnowledgeError(message)
        object.__setattr__(self, "probabilities", rows)

    def __len__(self) -> int:
        """Return the number of respondents."""
        return len(self.probabilities)

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Belief({len(self)} respondents, {len(self.domain)} values)"

    def of(self, value: Value) -> FloatArray:
        """Return the probability that each respondent has one value."""
        return np.asarray(self.probabilities[:, self.code_of(value)])

    def at(self, respondents: IntArray, codes: IntArray) -> FloatArray:
        """Return the probability of one value for each of some respondents."""
        return np.asarray(self.probabilities[respondents, codes])

    def some(self, respondents: IntArray) -> FloatArray:
        """Return the rows of some respondents (respondents, values)."""
        return np.asarray(self.probabilities[respondents])

    def code_of(self, value: Value) -> int:
        """Return the column of a value."""
        if value not in self.domain:
            message = (
                f"{value!r} is no value of this belief; possible are {listed(self.domain)}."
                f"{did_you_mean(value, self.domain)}"
            )
            raise KnowledgeError(message)
        return self.domain.index(value)

    @cached_property
    def entropies(self) -> FloatArray:
        """Entropy of each distribution, in bits."""
        from seriatim.knowledge.divergence import entropy_of_rows

        return entropy_of_rows(self.probabilities)

    def of_some(self, respondents: BoolArray) -> FloatArray:
        """Return the distributions of some respondents; one that all share is not repeated."""
        rows = self.probabilities
        if _is_shared(rows):
            return np.broadcast_to(rows[0], (int(respondents.sum()), rows.shape[1]))
        return np.asarray(rows[respondents])


def require_distinct(values: tuple[Value, ...]) -> None:
    """Refuse a domain that names a value twice."""
    if len(set(values)) < len(values):
        message = f"A domain names each value once, and this one does not: {listed(values)}."
        raise KnowledgeError(message)


def require_distributions(rows: npt.ArrayLike, what: str) -> FloatArray:
    """Return rows as an array, rescaled to sum to 1; refuse what is no distribution.

    >>> require_distributions([[0.25, 0.75]], "a row").tolist()
    [[0.25, 0.75]]
    """
    if isinstance(rows, np.ndarray) and rows.ndim == 2 and _is_shared(rows):
        return np.broadcast_to(require_distributions(rows[:1], what)[0], rows.shape)
    array, sums = _summed(rows, what)
    distances = np.abs(sums - 1.0)
    if distances.max() <= _ROUNDING:
        # Rescaled once is enough: a row that is read back must be the one that was written.
        return array
    _refuse_sums(distances > ROW_SUM_TOLERANCE, sums, what, "sum to 1")
    off = distances > _ROUNDING
    return np.where(off[:, None], array / sums[:, None], array)


def require_partial(rows: npt.ArrayLike, what: str) -> FloatArray:
    """Return rows as an array; refuse what is no part of a distribution."""
    array, sums = _summed(rows, what)
    _refuse_sums(sums > 1.0 + ROW_SUM_TOLERANCE, sums, what, "sum to 1 at most")
    return array


def _is_shared(rows: FloatArray) -> bool:
    """Tell whether all rows are one and the same in memory."""
    return len(rows) > 1 and rows.strides[0] == 0


def _summed(rows: npt.ArrayLike, what: str) -> tuple[FloatArray, FloatArray]:
    """Return rows of probabilities as an array, and the sum of each."""
    if (
        isinstance(rows, np.ndarray)
        and rows.dtype == np.float64
        and rows.ndim == 2
        and rows.size >= _MANY
    ):
        from seriatim.kernels._jit import over_ranges
        from seriatim.kernels.rows import checked_sums

        array = np.ascontiguousarray(rows)
        sums = np.empty(len(array))
        over_ranges(checked_sums, len(array), array, sums)
        if not np.isnan(sums).any():
            return array, sums
    array = _require_probabilities(rows, what)
    return array, array.sum(axis=1)


def _refuse_sums(off: BoolArray, sums: FloatArray, what: str, wanted: str) -> None:
    if off.any():
        worst = int(np.argmax(np.abs(sums - 1.0) * off))
        message = (
            f"Each row of {what} must {wanted}; {int(off.sum())} do not, at"
            f" {at_positions(np.flatnonzero(off))}. The worst sums to {sums[worst]:.6g}."
            " Divide each row by its sum, or complete it."
        )
        raise KnowledgeError(message)


def _require_probabilities(rows: npt.ArrayLike, what: str) -> FloatArray:
    try:
        array = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError) as error:
        message = f"Probabilities must be numbers in rows of one length: {error}."
        raise KnowledgeError(message) from error
    if array.ndim != 2 or array.shape[1] == 0 or array.shape[0] == 0:
        message = (
            f"Probabilities are a table of rows (respondents or contexts) by values,"
            f" and an array of shape {array.shape} was given for {what}."
        )
        raise KnowledgeError(message)
    bad = ~np.isfinite(array).all(axis=1) | (array < 0).any(axis=1)
    if bad.any():
        message = (
            f"Probabilities are numbers from 0 to 1, and {what} has NaN, infinite or negative"
            f" ones at {at_positions(np.flatnonzero(bad))}."
        )
        raise KnowledgeError(message)
    return array
