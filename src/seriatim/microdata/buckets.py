"""Releases in buckets, read from their two tables.

Anatomy's form (Xiao and Tao, 2006): one table has the quasi-identifiers as they are with
a group number, the other how often each group has each value.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import FloatArray, Instant, IntArray, Table
from seriatim.errors import TableError
from seriatim.microdata.attribute import QuasiIdentifier
from seriatim.microdata.foreign import opened_as_text, people_counted, value_codes
from seriatim.microdata.hierarchical import Hierarchical
from seriatim.microdata.release import GROUP_COLUMN, Release
from seriatim.microdata.schema import Schema
from seriatim.microdata.sources import open_table
from seriatim.microdata.tables import (
    Columns,
    read_table,
    require_columns,
    require_present,
    to_numpy,
    to_text,
)

PEOPLE = ".people."
VALUES = ".values."


def read_buckets(
    people: Table | str | Path, values: Table | str | Path, schema: Schema, *, at: Instant
) -> Release:
    """Read a release in buckets from its table of people and its table of values.

    >>> from seriatim import Numeric, Sensitive
    >>> schema = Schema("id", [Numeric("age", 0, 99)], Sensitive("exam", ["neg", "pos"]))
    >>> people = {"group": [1, 1], "age": [31, 64]}
    >>> values = {"group": [1, 1], "exam": ["neg", "pos"], "count": [1, 1]}
    >>> read_buckets(people, values, schema, at=1).form
    'buckets'
    """
    listed, counted = _people(people, schema), opened_as_text(values)
    require_columns(listed.names, (GROUP_COLUMN, *schema.quasi_identifier_names))
    require_columns(counted.names, (GROUP_COLUMN, schema.sensitive.name))
    groups = pc.unique(to_text(listed[GROUP_COLUMN], GROUP_COLUMN))
    group_of = _numbers(listed, groups)
    schema = schema.resolve_roster(listed)
    sensitive = schema.sensitive.resolve(counted[schema.sensitive.name])
    times = people_counted(counted, None, schema)
    codes = value_codes(counted[sensitive.name], sensitive)
    of_value = _numbers(counted, groups)
    sizes = np.bincount(group_of, minlength=len(groups))
    if not np.array_equal(np.bincount(of_value, times, minlength=len(groups)), sizes):
        message = (
            "The two tables do not belong together: groups have more or fewer values than people."
        )
        raise TableError(message)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    order = np.argsort(group_of, kind="stable")
    attributes = schema.quasi_identifiers
    points = [one.encode(listed[one.name])[order] for one in attributes]
    by_group = np.lexsort((codes, of_value))
    return Release(
        at,
        replace(schema.public(), sensitive=sensitive),
        tuple(one.cover(axis, starts) for one, axis in zip(attributes, points, strict=True)),
        starts,
        np.repeat(codes[by_group], times[by_group]),
        listed.kind,
        None,
        written_people(attributes, np.column_stack(points), starts),
    )


def written_people(
    attributes: Sequence[QuasiIdentifier], points: FloatArray, starts: IntArray
) -> tuple[pa.Array, ...]:
    """Write the quasi-identifiers of each group as they are, sorted, apart from the values."""
    columns = {"group": pa.array(np.repeat(np.arange(len(starts) - 1), np.diff(starts)))}
    for axis, text in enumerate(written_points(attributes, points)):
        columns[f"attribute {axis}"] = text
    table = pa.table(columns)
    order = pc.sort_indices(table, sort_keys=[(name, "ascending") for name in columns])
    return tuple(column.combine_chunks() for column in table.take(order).columns[1:])


def written_points(
    attributes: Sequence[QuasiIdentifier], points: FloatArray
) -> tuple[pa.Array, ...]:
    """Write the quasi-identifiers of each tuple as a release of it alone would."""
    alone = np.arange(len(points) + 1)
    return tuple(one.cover(points[:, axis], alone).text for axis, one in enumerate(attributes))


def fitting_buckets(
    attributes: Sequence[QuasiIdentifier], points: FloatArray, release: Release
) -> tuple[IntArray, IntArray]:
    """Return all pairs of tuple and bucket that lists its quasi-identifiers, tuple by tuple."""
    assert release.people is not None
    listed, asked = len(release), len(points)
    cell = np.zeros(listed + asked, dtype=np.int64)
    mine = written_points(attributes, points)
    for theirs, own in zip(release.people, mine, strict=True):
        encoded = pa.concat_arrays([theirs, own]).dictionary_encode()
        joined = cell * len(encoded.dictionary) + to_numpy(encoded.indices)
        cell = np.unique(joined, return_inverse=True)[1].ravel()
    there = np.unique(np.column_stack([cell[:listed], release.group_of]), axis=0)
    begins, ends = (np.searchsorted(there[:, 0], cell[listed:], side) for side in ("left", "right"))
    times = ends - begins
    who = np.repeat(np.arange(asked), times)
    place = np.arange(len(who)) - np.repeat(np.cumsum(times) - times, times)
    return who, there[np.repeat(begins, times) + place, 1]


def paired(sources: Sequence[Any]) -> list[Any]:
    """Put the two files of each release in buckets together; the others stay as they are.

    ``r.people.csv`` goes with ``r.values.csv``, named or lying beside it.
    """
    found: list[Any] = []
    for source in sources:
        name = os.fspath(source) if isinstance(source, str | os.PathLike) else ""
        if VALUES in name and any(str(one) == name.replace(VALUES, PEOPLE) for one in sources):
            continue
        if PEOPLE in name or VALUES in name:
            found.append((name.replace(VALUES, PEOPLE), name.replace(PEOPLE, VALUES)))
        else:
            found.append(source)
    return found


def _people(source: Table | str | Path, schema: Schema) -> Columns:
    if not isinstance(source, str | Path):
        return read_table(source)
    trees = [one.name for one in schema.quasi_identifiers if isinstance(one, Hierarchical)]
    return read_table(open_table(source, text=trees))


def _numbers(columns: Columns, groups: pa.Array) -> IntArray:
    """Number the groups of rows as those of the people."""
    require_present(columns[GROUP_COLUMN], GROUP_COLUMN)
    found = pc.index_in(to_text(columns[GROUP_COLUMN], GROUP_COLUMN), groups)
    if found.null_count:
        message = "The table of values has groups that the people do not have."
        raise TableError(message)
    return np.asarray(to_numpy(found), dtype=np.int64)
