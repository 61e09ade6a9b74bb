"""One schema for a series: codes must mean the same in all rosters that are played or compared."""

from __future__ import annotations

from collections.abc import Sequence

from seriatim.errors import OrderError
from seriatim.microdata.roster import Roster


def require_one_schema(rosters: Sequence[Roster]) -> None:
    """Refuse rosters that were read each with a domain of its own.

    >>> from seriatim import Categorical, Schema, Sensitive
    >>> ward = Schema("name", [Categorical("ward")], Sensitive("exam", ["neg", "pos"]))
    >>> tables = [{"name": ["A"], "ward": [one]} for one in ("east", "west")]
    >>> require_one_schema([Roster.from_table(table, ward) for table in tables])
    Traceback (most recent call last):
    seriatim.errors.OrderError: These tables were read with different domains of 'ward', ...
    """
    first = rosters[0].schema
    for roster in rosters:
        ours = (*first.quasi_identifiers, first.sensitive)
        theirs = (*roster.schema.quasi_identifiers, roster.schema.sensitive)
        other = [one.name for one, two in zip(ours, theirs, strict=False) if one != two]
        if other or len(ours) != len(theirs):
            what = f"domains of {other[0]!r}" if other else "quasi-identifiers"
            message = (
                f"These tables were read with different {what}, so that their codes cannot be"
                " compared. Declare the domain, or widen the schema by every table before any is"
                " read: schema = schema.resolve(table)."
            )
            raise OrderError(message)
