"""Who may be in a release, and what a reader knows of them.

A roster has respondents and quasi-identifiers and no sensitive values: whoever
thinks like the reader is handed a roster, and the type keeps the truth from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import FloatArray, IntArray, Table
from seriatim.errors import SchemaError, TableError, at_positions
from seriatim.microdata.gathers import gathered
from seriatim.microdata.orders import order_of_ids, sorted_order
from seriatim.microdata.schema import Schema
from seriatim.microdata.tables import (
    Columns,
    read_table,
    require_columns,
    require_present,
    to_numpy,
    to_text,
)


@dataclass(frozen=True, eq=False)
class Roster:
    """Respondents and their quasi-identifiers, sorted by respondent.

    Sorting ends the input order at the door: nothing that is computed from a
    roster can depend on the order in which its rows arrived.

    >>> from seriatim import Numeric, Sensitive
    >>> schema = Schema("id", [Numeric("age")], Sensitive("exam"))
    >>> people = Roster.from_table({"id": ["B", "A"], "age": [52, 51]}, schema)
    >>> people, people.points.tolist()
    (Roster(2 respondents), [[51.0], [52.0]])
    """

    schema: Schema
    """The schema, with every quasi-identifier's domain settled."""

    respondents: pa.Array
    """Opaque ids, each once, in sorted order; rows of every array are aligned to them."""

    points: FloatArray
    """Codes of the quasi-identifiers (respondents, attributes)."""

    positions: IntArray
    """Where each row stood in the input; for error messages only."""

    @classmethod
    def from_table(cls, table: Table, schema: Schema) -> Roster:
        """Read respondents and quasi-identifiers from a table."""
        columns = read_table(table)
        _require_rows(columns)
        require_columns(columns.names, schema.roster_columns)
        schema = schema.resolve_roster(columns)
        order, respondents = _order(columns, schema)
        with schema.naming_no_id(columns):
            return Roster(schema, respondents, _points(columns, schema, order), order)

    def __len__(self) -> int:
        """Return the number of respondents."""
        return len(self.respondents)

    @cached_property
    def texts(self) -> pa.Array:
        """The ids as texts: digest, ties and panel all go by their letters."""
        return to_text(self.respondents, self.schema.respondent)

    def take(self, rows: IntArray) -> Roster:
        """Return some of the respondents."""
        respondents = self.respondents.take(pa.array(rows))
        return Roster(self.schema, respondents, self.points[rows], self.positions[rows])

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"{type(self).__name__}({len(self)} respondents)"


def numbered(rosters: Sequence[Roster]) -> list[IntArray]:
    """Return a number for each respondent of some rosters, the same wherever they are."""
    ids = pa.chunked_array([roster.respondents for roster in rosters])
    indices = ids.dictionary_encode().unify_dictionaries().combine_chunks().indices
    ends = np.cumsum([len(roster) for roster in rosters])
    return np.split(to_numpy(indices).astype(np.int64), ends[:-1])


def moves(rosters: Sequence[Roster]) -> bool:
    """Tell whether anyone's quasi-identifiers change from one roster to another."""
    people = np.concatenate(numbered(rosters))
    points = np.concatenate([roster.points for roster in rosters])
    _, first = np.unique(people, return_index=True)
    return bool((points != points[first[people]]).any())


def _require_rows(columns: Columns) -> None:
    """Refuse a table without rows."""
    if len(columns) == 0:
        message = (
            "The table has no rows, and an empty release would protect and tell nothing."
            " Skip this instant: respondents who are absent keep their past."
        )
        raise TableError(message)


def _order(columns: Columns, schema: Schema) -> tuple[IntArray, pa.Array]:
    """Return the row positions sorted by respondent, and these; one twice is an error."""
    respondents = columns[schema.respondent]
    require_present(respondents, schema.respondent)
    near = order_of_ids(to_numpy(respondents)) if respondents.type == pa.int64() else None
    if near is not None:
        return near[0], pa.array(near[1])
    try:
        order = _sorted(respondents)
    except pa.ArrowException:
        message = (
            f"Column {schema.respondent!r} holds {respondents.type}, which cannot be told apart"
            " in order. Give respondents a number or a text each."
        )
        raise SchemaError(message) from None
    in_order = respondents.take(pa.array(order))
    if len(order) > 1:
        same = to_numpy(pc.equal(in_order[1:], in_order[:-1])).astype(bool)
        if same.any():
            rows = np.unique(np.r_[order[1:][same], order[:-1][same]])
            message = (
                f"A view has one tuple per respondent, and {len(rows)} rows share theirs, at"
                f" {at_positions(rows)}. Keep one row of each respondent."
            )
            raise TableError(message)
    return order, in_order


def _sorted(respondents: pa.Array) -> IntArray:
    if pa.types.is_integer(respondents.type):
        numbers = to_numpy(respondents)
        if numbers.min() >= 0:
            return sorted_order(numbers)
    return np.asarray(to_numpy(pc.sort_indices(respondents)), dtype=np.int64)


def _points(columns: Columns, schema: Schema, order: IntArray) -> FloatArray:
    points = np.empty((len(order), len(schema.quasi_identifiers)))
    for axis, attribute in enumerate(schema.quasi_identifiers):
        gathered(attribute.encode(columns[attribute.name]), order, into=points[:, axis])
    return points
