"""The same codes all through a series: what rosters that are played or compared must share."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from seriatim.errors import OrderError
from seriatim.microdata.roster import Roster
from seriatim.microdata.schema import Schema


def require_same_codes(rosters: Sequence[Roster]) -> None:
    """Refuse rosters that were read each with a domain of its own; domains may only widen.

    >>> from seriatim import Categorical, Schema, Sensitive
    >>> ward = Schema("name", [Categorical("ward")], Sensitive("exam", ["neg", "pos"]))
    >>> tables = [{"name": ["A"], "ward": [one]} for one in ("east", "west")]
    >>> require_same_codes([Roster.from_table(table, ward) for table in tables])
    Traceback (most recent call last):
    seriatim.errors.OrderError: These tables were read with different domains of 'ward', ...
    """
    for before, after in pairwise(roster.schema for roster in rosters):
        earlier, later = _labels(before), _labels(after)
        if earlier.keys() != later.keys():
            message = "These tables were read with different columns, and are not of one series."
            raise OrderError(message)
        for name, labels in earlier.items():
            if later[name][: len(labels)] != labels:
                message = (
                    f"These tables were read with different domains of {name!r}, and codes cannot"
                    " be compared. Declare the domain, or widen the schema by every table before"
                    " any is read: schema = schema.resolve(table)."
                )
                raise OrderError(message)


def require_widened(before: Schema, after: Schema) -> None:
    """Refuse a domain that lacks something of an earlier one; codes may be others."""
    later = _labels(after)
    for name, labels in _labels(before).items():
        if not set(labels) <= set(later.get(name, ())):
            message = (
                f"This view was read with a domain of {name!r} of its own, which lacks values of"
                " the series. Pass the table itself, or read it with the schema of the series."
            )
            raise OrderError(message)


def _labels(schema: Schema) -> dict[str, tuple[Any, ...]]:
    """Return the labels behind the codes of each column; none where codes are numbers."""
    found = {
        one.name: tuple(getattr(one, "leaves", getattr(one, "values", None)) or ())
        for one in schema.quasi_identifiers
    }
    return {**found, schema.sensitive.name: tuple(schema.sensitive.values or ())}
