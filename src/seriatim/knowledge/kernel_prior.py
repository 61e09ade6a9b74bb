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
from seriatim.knowledge.learning import Notebook
from seriatim.microdata.attribute import QuasiIdentifier
from seriatim.microdata.roster import Roster
from seriatim.microdata.schema import Schema
from seriatim.microdata.view import View

_PAIRS_AT_ONCE = 4_000_000
_EDGE = 1e-12
"""People at the very edge of the bandwidth are outside it, whatever rounding says."""


@dataclass(frozen=True, eq=False)
class KernelPrior:
    """Product of Epanechnikov kernels, K(d) = ¾ · (1 − (d / B)²) for d < B, else 0.

    Distances run from 0 to 1: relative to the range for ordered attributes, 0 or 1 for
    categories, the height of the lowest common node in a tree. Whom nobody in the corpus
    is near to is judged by the whole corpus.

    Without a corpus of its own it learns from the view to be released, as Li et al. do:
    the reader then knows how values go with quasi-identifiers in the custodian's data.

    >>> from seriatim import Numeric, Sensitive
    >>> schema = Schema("id", [Numeric("age", 0, 100)], Sensitive("exam", ["neg", "pos"]))
    >>> corpus = {"id": [1, 2, 3], "age": [30, 40, 80], "exam": ["neg", "neg", "pos"]}
    >>> prior = KernelPrior.from_table(corpus, schema, bandwidth=0.3)
    >>> someone = Roster.from_table({"id": [9], "age": [60]}, schema)
    >>> prior.belief(someone, ("neg", "pos")).of("pos").round(2).tolist()
    [0.5]
    """

    bandwidth: float
    """How far people count as near, as a share of each attribute's range."""

    view: View | None = None
    """The corpus: people with their values."""

    def __post_init__(self) -> None:
        """Refuse a bandwidth that is none."""
        given: object = self.bandwidth
        if not isinstance(given, Real) or not 0 < float(given) < float("inf"):
            message = f"bandwidth is a number above 0, not {given!r}."
            raise KnowledgeError(message)

    @classmethod
    def from_table(cls, table: Table, schema: Schema, *, bandwidth: float) -> KernelPrior:
        """Learn from a table of the same schema."""
        return cls(bandwidth, View.from_table(table, schema))

    def study(self, view: View, notebook: Notebook) -> tuple[KernelPrior, None]:
        """Learn from the view to be released, where there is no corpus."""
        return (self if self.view is not None else KernelPrior(self.bandwidth, view)), None

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        learned = "the views" if self.view is None else f"{len(self.view)} people"
        return f"KernelPrior(bandwidth={self.bandwidth}, from {learned})"

    @property
    def values(self) -> tuple[Value, ...]:
        """The values of the corpus; none where it learns from the views."""
        return () if self.view is None else self.view.schema.sensitive.domain

    def belief(self, roster: Roster, domain: tuple[Value, ...]) -> Belief:
        """Return the distribution among the people near each respondent."""
        if self.view is None:
            message = (
                "This kernel prior has no corpus and learns from the original views, and none was"
                " studied. A Publisher shows each view to its reader; pass originals to read or"
                " audit, or learn with KernelPrior.from_table."
            )
            raise KnowledgeError(message)
        corpus = self.view
        theirs, where = np.unique(_points(roster, corpus.schema), axis=0, return_inverse=True)
        cells, cell_of = np.unique(corpus.points, axis=0, return_inverse=True)
        n_values = len(self.values)
        counts = np.bincount(
            cell_of.ravel() * n_values + corpus.value_codes, minlength=len(cells) * n_values
        ).reshape(len(cells), n_values)
        shares = np.empty((len(theirs), n_values))
        block = max(_PAIRS_AT_ONCE // len(cells), 1)
        for begin in range(0, len(theirs), block):
            weights = self._weights(corpus.schema, theirs[begin : begin + block], cells)
            shares[begin : begin + block] = weights @ counts
        alone = ~(shares.sum(axis=1) > 0)
        shares[alone] = counts.sum(axis=0)
        shares /= shares.sum(axis=1, keepdims=True)
        rows = Distributions(self.values, shares, np.ones_like(shares, dtype=bool))
        return Belief(rows.over(domain)[where.ravel()], domain)

    def _weights(self, schema: Schema, points: FloatArray, cells: FloatArray) -> FloatArray:
        weights = np.ones((len(points), len(cells)))
        for axis, attribute in enumerate(schema.quasi_identifiers):
            near, far = points[:, axis, None], cells[None, :, axis]
            scaled = attribute.distance(near, far) / self.bandwidth
            weights *= np.where(scaled < 1 - _EDGE, 0.75 * (1 - scaled**2), 0.0)
        return weights


def _points(roster: Roster, schema: Schema) -> FloatArray:
    """Return a roster's points in the codes of the corpus."""
    mine, theirs = schema.quasi_identifiers, roster.schema.quasi_identifiers
    if [one.name for one in mine] != [one.name for one in theirs]:
        message = "A kernel prior needs the quasi-identifiers that it was learned with."
        raise KnowledgeError(message)
    columns = [
        _translated(roster.points[:, axis], here, there)
        for axis, (here, there) in enumerate(zip(mine, theirs, strict=True))
    ]
    return np.column_stack(columns)


def _translated(codes: FloatArray, mine: QuasiIdentifier, theirs: QuasiIdentifier) -> FloatArray:
    """Return codes of one domain in the numbering of another; -1 for labels it does not have."""
    own = getattr(mine, "leaves", getattr(mine, "values", None))
    other = getattr(theirs, "leaves", getattr(theirs, "values", None))
    if own is None or other is None or tuple(own) == tuple(other):
        return codes
    place = {str(label): code for code, label in enumerate(own)}
    table = np.array([place.get(str(label), -1) for label in other], dtype=np.float64)
    return np.asarray(table[codes.astype(np.int64)])
