"""How knowledge depends on the time between two appearances.

Without a tempo a step is from one appearance to the next, however long that took.
``Period`` makes a step a stretch of time, so that an absence is so many steps whose
values nobody saw; ``Rates`` lets values change at any moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.errors import KnowledgeError

_TERMS = 20
"""Terms of the series for a stretch in which less than one change is expected: 1/20! < 1e-18."""

_MOST_PERIODS = 10_000
_MOST_CHANGES = 2.0**60


@dataclass(frozen=True)
class Period:
    """One step of an automaton stands for a fixed time."""

    length: float
    """The time of one step, in the units of the instants; days where instants are dates."""

    def __post_init__(self) -> None:
        """Refuse a time that is none."""
        given: object = self.length
        if not isinstance(given, Real) or not 0 < float(given) < float("inf"):
            message = f"A period is a time above 0, not {given!r}."
            raise KnowledgeError(message)

    def unseen_steps(self, gaps: FloatArray) -> IntArray:
        """Return how many steps lie between two appearances that nobody saw.

        Gaps are rounded to whole periods; a gap shorter than one counts as one.

        >>> Period(7).unseen_steps(np.array([7.0, 14.0, 3.0])).tolist()
        [0, 1, 0]
        """
        periods = np.rint(gaps / self.length)
        if (periods > _MOST_PERIODS).any():
            message = (
                f"A respondent was away for {periods.max():,.0f} periods of {self.length:g}, and at"
                f" most {_MOST_PERIODS:,} can be gone through. Use a longer period."
            )
            raise KnowledgeError(message)
        return np.maximum(periods.astype(np.int64) - 1, 0)


@dataclass(frozen=True, eq=False)
class Rates:
    """Values change at any moment, at rates that depend on the value one has."""

    generator: FloatArray
    """Rates from each value to each other (classes, values, values); rows sum to 0."""

    def over(self, places: list[int], n_values: int) -> Rates:
        """Return the rates with each value at its place in a larger domain."""
        generator = np.zeros((len(self.generator), n_values, n_values))
        generator[:, np.array(places)[:, None], places] = self.generator
        return Rates(generator)

    def after(self, gaps: FloatArray) -> FloatArray:
        """Return the chance of each value after some times (gaps, classes, values, values)."""
        found = np.array([[_chances(one, gap) for one in self.generator] for gap in gaps])
        return found.reshape(len(gaps), *self.generator.shape)


Tempo = Period | Rates
"""What elapsed time does."""


def _chances(generator: FloatArray, time: float) -> FloatArray:
    """Return exp(generator · time), by doubling a short time.

    For the short time the series runs over I + generator/fastest, which has no negative
    entries: nothing cancels, and rows sum to 1 to the last digits.
    """
    identity = np.eye(len(generator))
    fastest = float(-generator.diagonal().min())
    # Beyond so many changes the chances have long settled.
    expected = min(fastest * float(time), _MOST_CHANGES)
    if not expected > 0:
        return identity
    halvings = max(int(np.ceil(np.log2(expected))), 0)
    changes = expected / 2.0**halvings
    jump = identity + generator / fastest
    term, total = identity, identity
    for order in range(1, _TERMS):
        term = term @ jump * (changes / order)
        total = total + term
    total = total / total.sum(axis=1, keepdims=True)
    for _ in range(halvings):
        total = total @ total
        total = total / total.sum(axis=1, keepdims=True)
    return np.asarray(total)
