"""The prior of a reader who knows how common each value is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from seriatim._typing import FloatArray, Table, Value
from seriatim.errors import KnowledgeError
from seriatim.knowledge.belief import Belief
from seriatim.knowledge.distributions import Distributions, Unlisted
from seriatim.microdata.roster import Roster
from seriatim.microdata.tables import (
    distinct_values,
    find_codes,
    read_filled_table,
    require_present,
)


@dataclass(frozen=True, eq=False)
class MarginalPrior:
    """One distribution for everyone.

    >>> MarginalPrior({"neg": 0.9, "pos": 0.1}).values
    ('neg', 'pos')
    """

    distribution: Mapping[Any, float]
    """Probability of each value."""

    unlisted: Unlisted = "error"
    """What to do when the probabilities sum to less than 1."""

    def __post_init__(self) -> None:
        """Refuse what is no distribution."""
        given: object = self.distribution
        if not isinstance(given, Mapping) or not given:
            message = "A marginal prior needs at least one value with its probability."
            raise KnowledgeError(message)
        _ = self._rows

    @classmethod
    def from_table(cls, table: Table, column: str) -> MarginalPrior:
        """Count the values of a column, for instance in published statistics of the domain.

        >>> MarginalPrior.from_table({"exam": ["neg", "neg", "pos", "neg"]}, "exam").distribution
        {'neg': 0.75, 'pos': 0.25}
        """
        values = read_filled_table(table, "a marginal prior")[column]
        require_present(values, column)
        domain = distinct_values(values)
        counts = np.bincount(find_codes(values, domain), minlength=len(domain))
        return cls(dict(zip(domain, (counts / counts.sum()).tolist(), strict=True)))

    @property
    def values(self) -> tuple[Value, ...]:
        """The values that have a probability."""
        return tuple(self.distribution)

    @property
    def _rows(self) -> Distributions:
        try:
            row: FloatArray = np.array([list(self.distribution.values())], dtype=np.float64)
        except (TypeError, ValueError):
            message = "Probabilities are numbers from 0 to 1, and the distribution has others."
            raise KnowledgeError(message) from None
        return Distributions(self.values, row, np.ones_like(row, dtype=bool), self.unlisted)

    def belief(self, roster: Roster, domain: tuple[Value, ...]) -> Belief:
        """Return the same distribution for each respondent."""
        row = self._rows.over(domain)[0]
        return Belief(np.broadcast_to(row, (len(roster), len(domain))), domain)
