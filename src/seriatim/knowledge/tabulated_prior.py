"""The prior of a reader who knows something about each person by name."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import FloatArray, Table, Value
from seriatim.errors import KnowledgeError, at_positions
from seriatim.knowledge.belief import Belief
from seriatim.knowledge.distributions import Distributions, Unlisted
from seriatim.knowledge.prior import Prior
from seriatim.microdata.roster import Roster
from seriatim.microdata.tables import read_filled_table, require_present, to_numpy


@dataclass(frozen=True, eq=False)
class TabulatedPrior:
    """One distribution for each respondent, as in the paper's Table II(a).

    >>> from seriatim import Numeric, Schema, Sensitive, UniformPrior
    >>> schema = Schema("id", [Numeric("age")], Sensitive("exam"))
    >>> people = Roster.from_table({"id": ["Ann", "Bob"], "age": [51, 52]}, schema)
    >>> table = {"respondent": ["Ann"] * 2, "value": ["neg", "pos"], "probability": [0.9, 0.1]}
    >>> prior = TabulatedPrior.from_table(table, otherwise=UniformPrior())
    >>> prior.belief(people, ("neg", "pos")).of("pos").tolist()
    [0.1, 0.5]
    """

    respondents: pa.Array
    """Who has a row, each once."""

    distributions: Distributions
    """One row per respondent."""

    otherwise: Prior | None = None
    """The prior of respondents without a row; leaving it out makes them an error."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"TabulatedPrior({len(self.respondents)} respondents)"

    @classmethod
    def from_table(
        cls,
        table: Table,
        *,
        respondent: str = "respondent",
        value: str = "value",
        probability: str = "probability",
        unlisted: Unlisted = "error",
        otherwise: Prior | None = None,
    ) -> TabulatedPrior:
        """Read a long table: respondent, value, probability."""
        columns = read_filled_table(table, "a tabulated prior")
        require_present(columns[respondent], respondent)
        encoded = columns[respondent].dictionary_encode()
        rows = Distributions.from_columns(
            to_numpy(encoded.indices).astype(np.int64),
            len(encoded.dictionary),
            columns[value],
            columns[probability],
            unlisted,
        )
        return cls(encoded.dictionary, rows, otherwise)

    @property
    def values(self) -> tuple[Value, ...]:
        """The values that anyone has a probability for."""
        others = self.otherwise.values if self.otherwise is not None else ()
        own = self.distributions.values
        return own + tuple(value for value in others if value not in own)

    def belief(self, roster: Roster, domain: tuple[Value, ...]) -> Belief:
        """Return each respondent's own distribution."""
        rows = self._rows_of(roster)
        absent = rows < 0
        table: FloatArray = self.distributions.over(domain)[rows]
        if absent.any():
            if self.otherwise is None:
                message = (
                    f"The tabulated prior has no row for {int(absent.sum())} respondents, at"
                    f" {at_positions(roster.positions[absent])}. Add them, or pass"
                    " otherwise=UniformPrior() for those it does not know."
                )
                raise KnowledgeError(message)
            others = roster.take(np.flatnonzero(absent))
            table[absent] = self.otherwise.belief(others, domain).probabilities
        return Belief(table, domain)

    def _rows_of(self, roster: Roster) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        known = None
        if pa.types.is_string(self.respondents.type) == pa.types.is_string(roster.respondents.type):
            with contextlib.suppress(pa.ArrowException):
                known = self.respondents.cast(roster.respondents.type)
        if known is None:
            message = (
                f"The tabulated prior names respondents as {self.respondents.type}, the view as"
                f" {roster.respondents.type}. Use one kind."
            )
            raise KnowledgeError(message)
        found = pc.fill_null(pc.index_in(roster.respondents, value_set=known), -1)
        rows: np.ndarray[tuple[int], np.dtype[np.int64]] = to_numpy(found).astype(np.int64)
        return rows
