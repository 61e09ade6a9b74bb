"""The schema of a series: what its later tables, views and rosters must be read with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from seriatim._typing import Value
from seriatim.errors import OrderError, listed
from seriatim.microdata.roster import Roster
from seriatim.microdata.schema import Schema


def with_values(schema: Schema, values: tuple[Value, ...]) -> Schema:
    """Return a schema with a sensitive domain: what a reader knows of, where none is declared."""
    if schema.sensitive.values is not None:
        return schema
    return replace(schema, sensitive=replace(schema.sensitive, values=values))


def continued(declared: Schema, stored: Schema) -> Schema:
    """Return the schema of a series, which must be the one it was begun with."""
    begun = stored.public()
    if declared.sensitive.values is None:
        begun = replace(begun, sensitive=replace(begun.sensitive, values=None))
    else:
        more = [one for one in declared.sensitive.values if one not in stored.sensitive.domain]
        if more:
            message = (
                f"{declared.sensitive.name!r} is declared with values that the series does not have"
                f" yet: {listed(more)}. Extend it by them once, with `seriatim store extend`."
            )
            raise OrderError(message)
        if set(declared.sensitive.values) == set(stored.sensitive.domain):
            # A series that was extended has its new values last, wherever they were declared.
            same = replace(declared.sensitive, values=stored.sensitive.domain)
            declared = replace(declared, sensitive=same)
    if declared != begun:
        different = [
            name
            for name, now, then in (
                ("respondent", declared.respondent, begun.respondent),
                ("quasi_identifiers", declared.quasi_identifiers, begun.quasi_identifiers),
                ("sensitive", declared.sensitive, begun.sensitive),
                ("insensitive", declared.insensitive, begun.insensitive),
            )
            if now != then
        ]
        message = (
            f"The series was begun with another schema: {listed(different)} differ"
            f"{_in_which(declared, begun)}. Go on with the schema it was begun with, or begin a new"
            " series."
        )
        raise OrderError(message)
    return stored


def _in_which(declared: Schema, begun: Schema) -> str:
    """Name the quasi-identifiers that are declared otherwise than a series was begun with."""
    now = {one.name: one for one in declared.quasi_identifiers}
    then = {one.name: one for one in begun.quasi_identifiers}
    names = [name for name in {**now, **then} if now.get(name) != then.get(name)]
    return f", in {listed(names)}" if names else ""


def require_same_series(view: Schema, series: Schema) -> None:
    """Refuse a view that was read with other columns or another sensitive domain."""
    domain = series.sensitive.values
    same = (
        view.roster_columns == series.roster_columns
        and view.sensitive.name == series.sensitive.name
        and (domain is None or tuple(domain) == tuple(view.sensitive.domain))
    )
    if not same:
        message = (
            "The view was read with another schema than the series has. Read it with that one, or"
            " pass the table itself."
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


def _labels(schema: Schema) -> dict[str, tuple[Any, ...]]:
    """Return the labels behind the codes of each column; none where codes are numbers."""
    found = {
        one.name: tuple(getattr(one, "leaves", getattr(one, "values", None)) or ())
        for one in schema.quasi_identifiers
    }
    return {**found, schema.sensitive.name: tuple(schema.sensitive.values or ())}
