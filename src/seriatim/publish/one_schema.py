"""One schema for a series: codes must mean the same in all rosters that are played or compared."""

from __future__ import annotations

from collections.abc import Sequence

from seriatim.errors import OrderError
from seriatim.microdata.roster import Roster
from seriatim.microdata.schema import Schema


def require_one_schema(rosters: Sequence[Roster]) -> None:
    """Refuse rosters that were read each with a domain of its own.

    >>> from seriatim import Categorical, Schema, Sensitive
    >>> ward = Schema("name", [Categorical("ward")], Sensitive("exam", ["neg", "pos"]))
    >>> tables = [{"name": ["A"], "ward": [one]} for one in ("east", "west")]
    >>> require_one_schema([Roster.from_table(table, ward) for table in tables])
    Traceback (most recent call last):
    seriatim.errors.OrderError: These tables were read with different domains of 'ward', ...
    """
    first = _parts(rosters[0].schema)
    for roster in rosters:
        parts = _parts(roster.schema)
        other = [name for name in first | parts if first.get(name) != parts.get(name)]
        if other:
            message = (
                f"These tables were read with different domains of {other[0]!r}, and codes cannot"
                " be compared. Declare the domain, or widen the schema by every table before any is"
                " read: schema = schema.resolve(table)."
            )
            raise OrderError(message)


def _parts(schema: Schema) -> dict[str, object]:
    """Return what says how each column is coded, by column."""
    coded = {one.name: one for one in schema.quasi_identifiers}
    return {**coded, schema.sensitive.name: schema.sensitive}
