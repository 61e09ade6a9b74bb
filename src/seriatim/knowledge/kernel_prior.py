"""The prior of a reader who looks at people like you.

Kernel regression on the quasi-identifiers (Li, Li and Zhang, 2009): the chance of
a value is its share among the people of a corpus, those near in every attribute
counting more.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np

from seriatim._typing import FloatArray, Table, Value
from seriatim.errors import KnowledgeError
from seriatim.knowledge.belief import Belief
from seriatim.knowledge.distributions import Distributions
from seriatim.microdata.attribute import QuasiIdentifier
from seriatim.microdata.categorical import Categorical
from seriatim.microdata.roster import Roster
from seriatim.microdata.schema import Schema
from seriatim.microdata.view import View

_PAIRS_AT_ONCE = 4_000_000
_EDGE = 1e-12
"""People at the very edge of the bandwidth are outside it, whatever rounding says."""


@dataclass(frozen=True, eq=False)
class KernelPrior:
    """Product of Epanechnikov kernels, K(d) = ¾ · (1 − (d / B)²) for d < B, else 0.

    Distances run from 0 to 1: relative to the range for ordered attributes (leaves in
    the order of the tree for hierarchies), 0 or 1 for categories. Whom nobody in the
    corpus is near to is judged by the whole corpus.
    """

    bandwidth: float
    """How far people count as near, as a share of each attribute's range."""

    view: View
    """The corpus: people with their values."""

    @classmethod
    def from_table(cls, table: Table, schema: Schema, *, bandwidth: float) -> KernelPrior:
        """Learn from a table of the same schema."""
        given: object = bandwidth
        if not isinstance(given, Real) or not 0 < float(given) < float("inf"):
            message = f"bandwidth is a number above 0, not {given!r}."
            raise KnowledgeError(message)
        return cls(float(bandwidth), View.from_table(table, schema))

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"KernelPrior(bandwidth={self.bandwidth}, {len(self.view)} people)"

    @property
    def values(self) -> tuple[Value, ...]:
        """The values of the corpus."""
        return self.view.schema.sensitive.domain

    def belief(self, roster: Roster, domain: tuple[Value, ...]) -> Belief:
        """Return the distribution among the people near each respondent."""
        theirs, where = np.unique(self._points(roster), axis=0, return_inverse=True)
        cells, cell_of = np.unique(self.view.points, axis=0, return_inverse=True)
        n_values = len(self.values)
        counts = np.bincount(
            cell_of.ravel() * n_values + self.view.value_codes, minlength=len(cells) * n_values
        ).reshape(len(cells), n_values)
        shares = np.empty((len(theirs), n_values))
        block = max(_PAIRS_AT_ONCE // len(cells), 1)
        for begin in range(0, len(theirs), block):
            weights = self._weights(theirs[begin : begin + block], cells)
            shares[begin : begin + block] = weights @ counts
        alone = ~(shares.sum(axis=1) > 0)
        shares[alone] = counts.sum(axis=0)
        shares /= shares.sum(axis=1, keepdims=True)
        rows = Distributions(self.values, shares, np.ones_like(shares, dtype=bool))
        return Belief(rows.over(domain)[where.ravel()], domain)

    def _points(self, roster: Roster) -> FloatArray:
        """Return a roster's points in the codes of the corpus."""
        mine = self.view.schema.quasi_identifiers
        theirs = roster.schema.quasi_identifiers
        if [one.name for one in mine] != [one.name for one in theirs]:
            message = "A kernel prior needs the quasi-identifiers that it was learned with."
            raise KnowledgeError(message)
        columns = [
            _translated(roster.points[:, axis], here, there)
            for axis, (here, there) in enumerate(zip(mine, theirs, strict=True))
        ]
        return np.column_stack(columns)

    def _weights(self, points: FloatArray, cells: FloatArray) -> FloatArray:
        weights = np.ones((len(points), len(cells)))
        for axis, attribute in enumerate(self.view.schema.quasi_identifiers):
            near, far = points[:, axis, None], cells[None, :, axis]
            if isinstance(attribute, Categorical):
                distance = (near != far).astype(np.float64)
            else:
                distance = np.abs(attribute.spread(near) - attribute.spread(far))
            scaled = distance / self.bandwidth
            weights *= np.where(scaled < 1 - _EDGE, 0.75 * (1 - scaled**2), 0.0)
        return weights


def _translated(codes: FloatArray, mine: QuasiIdentifier, theirs: QuasiIdentifier) -> FloatArray:
    """Return codes of one domain in the numbering of another; -1 for labels it does not have."""
    own = getattr(mine, "leaves", getattr(mine, "values", None))
    other = getattr(theirs, "leaves", getattr(theirs, "values", None))
    if own is None or other is None or tuple(own) == tuple(other):
        return codes
    place = {str(label): code for code, label in enumerate(own)}
    table = np.array([place.get(str(label), -1) for label in other], dtype=np.float64)
    return np.asarray(table[codes.astype(np.int64)])
