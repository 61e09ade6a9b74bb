"""Pooling: one release for several periods, with everybody once, by their latest row.

The fewer releases there are, the less they tell of what became of whom between them; and people
who come every other period are in every release.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import IntArray
from seriatim.errors import TableError, told_of
from seriatim.microdata.bad_cells import counting_rows
from seriatim.microdata.intake import Taken
from seriatim.microdata.joining import joined_columns, joined_ids, order_of_respondents
from seriatim.microdata.schema import Schema
from seriatim.microdata.tables import Columns, read_table, to_text
from seriatim.microdata.view import View


def tables_of(source: Any) -> list[Any]:
    """Return the tables that a release is to be made of: those of a list of tables, or the one.

    A list of something else, such as rows, is no table, and is refused where it is read.

    >>> table = {"id": [1, 2]}
    >>> len(tables_of([table, table])), len(tables_of(table)), len(tables_of([{"id": 1}]))
    (2, 1, 1)
    """
    if isinstance(source, list | tuple) and source and all(map(_is_table, source)):
        return list(source)
    return [source]


def _is_table(one: Any) -> bool:
    if isinstance(one, Mapping):
        return not any(isinstance(cell, str) or np.isscalar(cell) for cell in one.values())
    # Asking a lazy frame itself for its columns would run it.
    return isinstance(one, str | Path | Columns) or hasattr(type(one), "columns")


def require_pool(pool: int, given: int) -> None:
    """Refuse more or fewer tables than make one release.

    >>> require_pool(3, 2)
    Traceback (most recent call last):
    seriatim.errors.TableError: The policy pools 3 tables into a release (pool = 3), and 2 were ...
    """
    if given == pool:
        return
    if pool == 1:
        message = (
            f"{given} tables were given for one release, and the policy makes each of one. To"
            f" publish everybody who is in any of them, once, by their latest row, set pool ="
            f" {given} under [policy] of study.toml, or Policy(..., pool={given}); or publish the"
            " tables one by one."
        )
    else:
        message = (
            f"The policy pools {pool} tables into a release (pool = {pool}), and {given}"
            f" {'was' if given == 1 else 'were'} given. Give {pool} at a time, the earliest first;"
            f" or set pool = {given} under [policy] of study.toml, or Policy(..., pool={given})."
        )
    raise TableError(message)


def naming_table(number: int, of: int) -> contextlib.AbstractContextManager[None]:
    """Say of what goes wrong which of several tables it is in, counted from 1."""
    return contextlib.nullcontext() if of == 1 else told_of(f"Table {number} of {of}")


def read_together(
    tables: Sequence[Columns], schema: Schema, stood: Sequence[IntArray | None] = ()
) -> View:
    """Read several tables, the earliest first, as one view.

    ``stood`` has where the rows of each stood before some were left out, for errors to name.
    """
    rows, many = stood or [None] * len(tables), len(tables)
    if many > 1:  # all are read over the domains that all of them make
        for number, columns in enumerate(tables):
            with naming_table(number + 1, many), counting_rows(rows[number]):
                schema = schema.resolve_roster(columns)
    views = []
    for number, columns in enumerate(tables):
        with naming_table(number + 1, many), counting_rows(rows[number]):
            views.append(View.from_table(columns, schema))
    return views[0] if many == 1 else pooled(views)


def taken_together(several: Sequence[Taken], *, keeps_rows: bool) -> Taken:
    """Return what was done to the rows of several tables, as if to one.

    Where rows are kept, for people to look at, those of several tables are put one below the
    other, as texts.
    """
    if len(several) == 1:
        return several[0] if keeps_rows else replace(several[0], table=None)
    table = None
    if keeps_rows:
        tables = [read_table(one.table) for one in several]
        names = several[-1].schema.columns
        table = pa.table(
            {name: pa.concat_arrays([to_text(one[name], name) for one in tables]) for name in names}
        )
    return Taken(
        table,
        several[-1].schema,
        _added([one.dropped for one in several]),
        _added([one.labelled for one in several]),
        sum(one.repeated for one in several),
        sum(one.dropped_rows for one in several),
    )


def _added(several: Sequence[dict[str, int]]) -> dict[str, int]:
    """Return the sums of counts by name."""
    found: Counter[str] = Counter()
    for one in several:
        found.update(one)
    return dict(found)


def pooled(views: Sequence[View]) -> View:
    """Return one view of several, the earliest first: everybody once, as their last view has them.

    They must be of one schema. Rows keep the place that they have where all tables are put one
    below the other.

    >>> from seriatim import Numeric, Schema, Sensitive
    >>> schema = Schema("id", [Numeric("age", 0, 99)], Sensitive("exam", ["neg", "pos"]))
    >>> week = View.from_table({"id": [1, 2], "age": [50, 60], "exam": ["neg", "neg"]}, schema)
    >>> next_week = View.from_table({"id": [1], "age": [51], "exam": ["pos"]}, schema)
    >>> both = pooled([week, next_week])
    >>> both.points.tolist(), both.value_codes.tolist(), both.positions.tolist()
    ([[51.0], [60.0]], [1, 0], [2, 1])
    """
    last = views[-1]
    respondents = joined_ids([one.respondents for one in views])
    people = respondents.dictionary_encode().indices.to_numpy()
    # Of everybody's rows the last: the first, counted from the end.
    _, from_the_end = np.unique(people[::-1], return_index=True)
    rows = len(people) - 1 - from_the_end
    rows = rows[order_of_respondents(respondents.take(pa.array(rows)))]
    begins = np.cumsum([0, *(len(one) for one in views)])
    positions = [one.positions + begin for one, begin in zip(views, begins[:-1], strict=True)]
    kept = [one.kept for one in views if one.kept is not None]
    return View(
        last.schema,
        respondents.take(pa.array(rows)),
        np.concatenate([one.points for one in views])[rows],
        np.concatenate(positions)[rows],
        np.concatenate([one.value_codes for one in views])[rows],
        last.kind,
        joined_columns(kept).take(pa.array(rows)).combine_chunks() if kept else None,
    )
