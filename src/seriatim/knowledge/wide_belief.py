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
    """The values that are possible, and the belief in each; empty for the others."""

    others: IntArray
    """The respondents of whom nothing new is known, ascending."""

    kept: Runs
    """What is believed of those: apart, so that the rows can be remembered as they are."""

    def __init__(
        self,
        rows: Runs,
        domain: tuple[Value, ...],
        others: IntArray | None = None,
        kept: Runs | None = None,
    ) -> None:
        """Take runs that are distributions; those of the others apart."""
        require_distinct(domain)
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "domain", domain)
        object.__setattr__(self, "others", np.empty(0, np.int64) if others is None else others)
        object.__setattr__(self, "kept", rows if kept is None else kept)

    def __len__(self) -> int:
        """Return the number of respondents."""
        return len(self.rows)

    @property
    def probabilities(self) -> FloatArray:
        """Probability of each value (respondents, values); rows sum to 1."""
        found = self.rows.dense()
        found[self.others] = self.kept.dense()[: len(self.others)]
        return found

    def at(self, respondents: IntArray, codes: IntArray) -> FloatArray:
        """Return the probability of one value for each of some respondents."""
        found = self.rows.at(respondents, codes)
        if len(self.others):
            asked = np.flatnonzero(found == 0.0)  # nothing is said of the others
            places, theirs = self._others_among(np.asarray(respondents)[asked])
            found[asked[places]] = self.kept.at(theirs, np.asarray(codes)[asked[places]])
        return found

    def some(self, respondents: IntArray) -> FloatArray:
        """Return the rows of some respondents (respondents, values)."""
        found = self.rows.take(respondents).dense()
        places, theirs = self._others_among(respondents)
        found[places] = self.kept.take(theirs).dense()
        return found

    def of(self, value: Value) -> FloatArray:
        """Return the probability that each respondent has one value."""
        everyone = np.arange(len(self))
        return self.at(everyone, np.full(len(self), self.code_of(value)))

    def _others_among(self, respondents: IntArray) -> tuple[IntArray, IntArray]:
        """Return where some of the others stand among respondents, and which they are."""
        asked = np.asarray(respondents)
        if len(self.others) == 0:
            return self.others, self.others
        empty = np.flatnonzero(self.rows.lengths_of(asked) == 0)
        place = np.minimum(np.searchsorted(self.others, asked[empty]), len(self.others) - 1)
        mine = self.others[place] == asked[empty]
        return empty[mine], place[mine]
