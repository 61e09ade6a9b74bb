"""A series of releases, read from what was published of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from seriatim._typing import Instant, Table
from seriatim.errors import TableError, told_of
from seriatim.microdata.buckets import paired, read_buckets
from seriatim.microdata.foreign import opened_as_text, read_release
from seriatim.microdata.history import History
from seriatim.microdata.inferred import inferred
from seriatim.microdata.schema import Schema
from seriatim.microdata.tables import Columns, distinct_values, joined


def read_history(
    sources: Sequence[Table | str | Path | tuple[Any, Any]],
    schema: Schema,
    *,
    instants: Sequence[Instant] | None = None,
    count: str | None = None,
    closed_ends: bool = False,
) -> History:
    """Read a series of releases; without instants they are numbered from 1.

    A release in buckets is a pair of tables, people and values; of two files that are named
    ``….people.csv`` and ``….values.csv`` one is enough. A sensitive domain that is not
    declared is read off all of them.

    >>> from seriatim import Numeric, Sensitive
    >>> schema = Schema("id", [Numeric("age", 0, 99)], Sensitive("exam"))
    >>> weeks = [{"age": ["20-39"] * 2, "exam": ["neg", exam]} for exam in ("pos", "none")]
    >>> history = read_history(weeks, schema)
    >>> history, history[0].schema.sensitive.domain
    (History(2 releases), ('neg', 'none', 'pos'))
    """
    tables = [_opened(source) for source in paired(sources)]
    when = list(range(1, len(tables) + 1)) if instants is None else list(instants)
    if len(when) != len(tables) or not tables:
        message = f"{len(tables)} releases need as many instants, at least one; {len(when)} given."
        raise TableError(message)
    if schema.sensitive.values is None:
        values = _all_values([table[schema.sensitive.name] for _, table in tables], schema)
        schema = replace(schema, sensitive=replace(schema.sensitive, values=values))
    releases = []
    for number, ((people, table), at) in enumerate(zip(tables, when, strict=True), start=1):
        with told_of(f"Release {number}"):
            releases.append(
                read_release(table, schema, at=at, count=count, closed_ends=closed_ends)
                if people is None
                else read_buckets(people, table, schema, at=at)
            )
    return History(tuple(releases))


def _opened(source: Any) -> tuple[Any, Columns]:
    """Return the table of people, where a release is in buckets, and the one with the values."""
    if isinstance(source, tuple):
        return source[0], opened_as_text(source[1])
    return None, opened_as_text(source)


def _all_values(columns: list[pa.Array], schema: Schema) -> tuple[Any, ...]:
    """Return the values of all releases; numbers and dates where all of them are."""
    if {column.type for column in columns} == {pa.string()}:
        return distinct_values(inferred(pa.chunked_array(columns)).combine_chunks())
    return distinct_values(joined(columns, schema.sensitive.name))
