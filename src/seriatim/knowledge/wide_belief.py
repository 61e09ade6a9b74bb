"""Beliefs over large domains, or of very many people, kept as the values that are possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from seriatim.knowledge.belief import Belief, require_distinct

if TYPE_CHECKING:
    from seriatim._typing import FloatArray, IntArray, Value
    from seriatim.knowledge.runs import Runs

WIDE = 256
"""Values from which on what a release leaves in a reader is kept as runs: a group publishes a
few dozen of them at most, and rows would be zeros nearly all."""


class WideBelief(Belief):
    """A belief whose rows are made when asked for; ``probabilities`` makes all of them."""

    rows: Runs
    """The values that are possible, and the belief in each."""

    def __init__(self, rows: Runs, domain: tuple[Value, ...]) -> None:
        """Take runs that are distributions."""
        require_distinct(domain)
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "domain", domain)

    def __len__(self) -> int:
        """Return the number of respondents."""
        return len(self.rows)

    @property
    def probabilities(self) -> FloatArray:
        """Probability of each value (respondents, values); rows sum to 1."""
        return self.rows.dense()

    def at(self, respondents: IntArray, codes: IntArray) -> FloatArray:
        """Return the probability of one value for each of some respondents."""
        return self.rows.at(respondents, codes)

    def some(self, respondents: IntArray) -> FloatArray:
        """Return the rows of some respondents (respondents, values)."""
        return self.rows.take(respondents).dense()

    def of(self, value: Value) -> FloatArray:
        """Return the probability that each respondent has one value."""
        everyone = np.arange(len(self))
        return self.at(everyone, np.full(len(self), self.code_of(value)))
