"""Recall: rows of a view meet what is remembered of their respondents.

Rows and records that share a hash lie in the same bucket. Inside it they are sorted together;
the newest record of a person stands right before the row of that person.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from seriatim._typing import BoolArray, IntArray
from seriatim.engines.districts import Districts, district_of
from seriatim.engines.entrance import codes_of, roster_of, ties_of
from seriatim.engines.hashes import WHO
from seriatim.engines.places import Boundaries
from seriatim.engines.workers import whole
from seriatim.microdata.schema import Schema
from seriatim.microdata.tables import plain, to_numpy

VERSION = "version"
"""The column of the release after which a record was written; empty in rows of a view."""

NOBODY = -1
"""The place of a row of whom nothing is remembered."""

_PRESENT = np.iinfo(np.int64).max

PASTS = pa.schema(
    [
        (WHO[0], pa.int64()),
        (WHO[1], pa.int64()),
        (VERSION, pa.int32()),
        ("seen_at", pa.float64()),
        ("past", pa.binary()),
        ("label_1", pa.int64()),
        ("label_2", pa.int64()),
        ("shard", pa.int32()),
        ("number", pa.int32()),
        ("home", pa.int64()),
        ("is_new", pa.bool_()),
    ]
)
"""What is kept of each respondent: a hash, the release, the past, which group it was in, and where
its home is. Whoever was placed and not published has neither a past nor a group here."""


@dataclass(frozen=True)
class Recall:
    """What is needed to prepare rows for their shards."""

    schema: Schema
    """The schema with every domain settled."""

    shards: Boundaries | Districts
    """Which shard a respondent belongs to."""

    stays: bool = False
    """Whether whoever was placed once stays in that shard."""


def rows_schema(n_attributes: int) -> pa.Schema:
    """Return the columns of rows that know their past and their shard."""
    names = [(f"point_{axis}", pa.float64()) for axis in range(n_attributes)]
    return pa.schema(
        [
            (WHO[0], pa.int64()),
            (WHO[1], pa.int64()),
            ("tie", pa.int64()),
            ("shard", pa.int32()),
            ("value", pa.int32()),
            *names,
            ("past", pa.binary()),
            ("seen_at", pa.float64()),
            (VERSION, pa.int32()),
            ("home", pa.int64()),
            ("repeated", pa.bool_()),
        ]
    )


def recalled(task: Recall, schema: pa.Schema, tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Give each row of a bucket its past, and its shard."""
    table = whole(tables)
    if table is None:
        return
    rows, record, repeated = met(table)
    there = table.take(pa.array(rows))
    if len(rows) == 0:
        return
    roster, tie = roster_of(there, task.schema), ties_of(there)
    columns = {
        **{name: there.column(name) for name in (*WHO, "tie")},
        "shard": task.shards.of(roster, tie).astype(np.int32),
        "value": codes_of(there, task.schema).astype(np.int32),
        **{f"point_{axis}": roster.points[:, axis] for axis in range(roster.points.shape[1])},
        "repeated": repeated,
    }
    which = pa.array(record, mask=record == NOBODY)
    for name in ("past", "seen_at", VERSION, "home"):
        columns[name] = table.column(name).take(which) if name in table.column_names else None
    if task.stays and columns["home"] is not None:
        homes = to_numpy(plain(columns["home"].fill_null(NOBODY))).astype(np.int64)
        columns["shard"] = np.where(homes >= 0, district_of(homes), columns["shard"])
    arrays = [
        pa.nulls(len(rows), field.type)
        if columns[field.name] is None
        else plain_array(columns[field.name], field.type)
        for field in schema
    ]
    yield pa.table(arrays, schema=schema)


def newest(schema: pa.Schema, tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Keep the newest record of each person of a bucket."""
    table = whole(tables)
    if table is None:
        return
    order, same = _sorted(table)
    last = np.append(~same[1:], True)
    yield table.take(pa.array(order[last])).select(schema.names).cast(schema)


def met(table: pa.Table) -> tuple[IntArray, IntArray, BoolArray]:
    """Return the rows of a bucket, which record is whose (-1 for none), and who comes twice."""
    order, same = _sorted(table)
    present = _present(table)[order]
    absent = ~present
    before = np.roll(absent, 1)
    before[:1] = False
    remembered = present & same & before
    again = present & same & ~before
    record = np.where(remembered, np.roll(order, 1), NOBODY)
    # Whoever comes twice is refused later; all rows of such a person are marked.
    twice = again | (present & np.append(again[1:], False))
    return order[present], record[present], twice[present]


def plain_array(column: pa.Array | pa.ChunkedArray | np.ndarray, kind: pa.DataType) -> pa.Array:
    """Return a column as one array of a type."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.Array):
        return column.cast(kind)
    return pa.array(column, type=kind)


def _present(table: pa.Table) -> BoolArray:
    """Tell which entries of a bucket are rows of the view."""
    if VERSION not in table.column_names:
        return np.ones(table.num_rows, dtype=bool)
    return np.asarray(to_numpy(plain(table.column(VERSION).is_null())), dtype=bool)


def _sorted(table: pa.Table) -> tuple[IntArray, BoolArray]:
    """Sort a bucket by person and version; tell where an entry has the person before it."""
    who = [to_numpy(plain(table.column(name))) for name in WHO]
    version = np.full(table.num_rows, _PRESENT)
    if VERSION in table.column_names:
        version = to_numpy(table.column(VERSION).cast(pa.int64()).fill_null(_PRESENT)).astype(
            np.int64
        )
    order = np.lexsort((version, who[1], who[0]))
    same = np.zeros(len(order), dtype=bool)
    same[1:] = np.logical_and.reduce([one[order][1:] == one[order][:-1] for one in who])
    return order, same
