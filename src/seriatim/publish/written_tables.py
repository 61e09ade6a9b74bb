"""The files of a release read back as ``output`` writes them, by whoever wrote them.

Nothing is guessed: a file has the columns that are expected of it, in their order, or is not read.
All that is looked at is whole columns; a large CSV file is read by compiled loops.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from seriatim._typing import IntArray
from seriatim.errors import SeriatimError, TableError
from seriatim.microdata.dates import Date
from seriatim.microdata.foreign import spellings
from seriatim.microdata.letters import read_decimals
from seriatim.microdata.numeric import Numeric
from seriatim.microdata.part import Interval
from seriatim.microdata.plain_counts import are_few, read_groups
from seriatim.microdata.plain_files import open_plain
from seriatim.microdata.tables import plain, to_numpy, to_text
from seriatim.microdata.words import written
from seriatim.publish.csv_text import csv_bytes, header_bytes
from seriatim.publish.parquet_content import has_unused_words

ENDS = ("lower", "upper")
"""Beside ordered attributes, Parquet has columns for their ends: ``age_lower``, ``age_upper``."""


@dataclass(frozen=True, eq=False)
class GroupsFound:
    """What a table of a release says of its groups."""

    tuples: int
    """How many rows it has, or how many these stand for."""

    groups: int
    """The greatest number that a group has."""

    counts: IntArray | None = None
    """How often each group has each value (groups, values); None where numbers are not as stated.

    A table has every group up to the greatest; a part of a release has those in ``numbers``.
    """

    numbers: IntArray | None = None
    """The numbers of the groups that it has, from 1, ascending; None together with counts."""

    uneven: tuple[str, ...] = ()
    """Columns that should be alike in all rows of a group, and are not."""

    other_ends: tuple[str, ...] = ()
    """Attributes whose ends are not those of their words."""

    regions: Callable[[], pa.Table] = lambda: pa.table({})
    """Gives what each group was generalized to, as texts."""


@dataclass(frozen=True)
class Expected:
    """What a certificate lets expect of a table."""

    group: str
    """The column of group numbers."""

    shared: tuple[str, ...]
    """The columns that are alike in all rows of a group."""

    value: str
    """The column of sensitive values."""

    own: tuple[str, ...]
    """The columns in which rows of a group may differ; beside them only ends are shared, too."""

    values: tuple[Any, ...]
    """The values that there are."""

    tuples: int
    """How many tuples there are."""

    groups: int
    """How many groups there are."""

    count: str | None = None
    """The column that says how often a group has a value, in buckets."""

    in_parts: bool = False
    """Whether a table has only some of the groups."""


def names_in(file: Path) -> tuple[str, ...]:
    """Return the columns of a file."""
    with told_plainly(file):
        if file.suffix == ".parquet":
            with pyarrow.parquet.ParquetFile(file) as parquet:
                return tuple(parquet.schema_arrow.names)
        with file.open(encoding="utf-8-sig", newline="") as lines:
            return tuple(next(csv.reader(lines, strict=True), ()))


def without_ends(names: Sequence[str], attributes: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a file without the ends of some attributes, both right behind it.

    >>> without_ends(["age", "age_lower", "age_upper", "zip_lower"], ["age", "zip"])
    ('age', 'zip_lower')
    """
    found: list[str] = []
    skip = 0
    for place, name in enumerate(names):
        if skip:
            skip -= 1
            continue
        found.append(name)
        ends = [f"{name}_{end}" for end in ENDS]
        if name in attributes and list(names[place + 1 : place + 3]) == ends:
            skip = 2
    return tuple(found)


def read_groups_of(file: Path, names: Sequence[str], expected: Expected) -> GroupsFound:
    """Return what a file says of its groups; its columns are ``names``."""
    if file.suffix == ".csv" and expected.count is None:
        quick = _read_lines(file, names, expected)
        if quick is not None:
            return quick
    with told_plainly(file):
        return _of_columns(file, read_columns(file, names), expected)


def read_columns(file: Path, names: Sequence[str]) -> pa.Table:
    """Read a file whole, CSV as texts; one with empty cells or other columns is an error."""
    with told_plainly(file):
        if file.suffix == ".parquet":
            with pyarrow.parquet.ParquetFile(file) as parquet:
                kinds = parquet.schema_arrow
                words = [one.name for one in kinds if pa.types.is_string(one.type)]
            with pyarrow.parquet.ParquetFile(file, read_dictionary=words) as parquet:
                table = parquet.read().unify_dictionaries()
            if has_unused_words(table):
                message = f"{file.name} carries words that none of its rows has."
                raise TableError(message)
        else:
            table = _read_csv(file, names)
    if table.column_names != list(names) or any(one.null_count for one in table.columns):
        message = f"{file.name} has empty cells, or other columns than its first line says."
        raise TableError(message)
    return table


def listed_in(people: pa.Table, group: str, file: Path) -> IntArray:
    """Return how many rows each group of a table has; none where numbers go beyond its rows."""
    with told_plainly(file):
        found = _group_numbers(people.column(group), file)
    return np.bincount(found) if found.max() < people.num_rows else np.zeros(0, np.int64)


def say_the_same(first: pa.Table, second: pa.Table) -> bool:
    """Tell whether two tables of texts have the same rows, in whatever order."""
    if first.num_rows != second.num_rows or first.column_names != second.column_names:
        return False
    if first.equals(second):
        return True
    keys = [(name, "ascending") for name in first.column_names]
    return bool(first.sort_by(keys).equals(second.sort_by(keys)))


def as_texts(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """Return columns as a CSV file would write them."""
    return pa.table({name: pa.chunked_array([_written(table.column(name))]) for name in names})


def with_other_ends(table: pa.Table, attributes: Sequence[str]) -> list[str]:
    """Return the attributes whose ends, where the table has them, are not those of their words."""
    ended = [name for name in attributes if f"{name}_{ENDS[0]}" in table.column_names]
    return [name for name in ended if not _ends_fit(table, name)]


def _ends_fit(table: pa.Table, name: str) -> bool:
    columns = [plain(table.column(one)) for one in (name, *(f"{name}_{end}" for end in ENDS))]
    distinct = pa.table(columns, names=["word", *ENDS]).group_by(["word", *ENDS]).aggregate([])
    return all(
        _fit(word, lower, upper)
        for word, lower, upper in zip(
            *(distinct.column(one).to_pylist() for one in ("word", *ENDS)), strict=True
        )
    )


@contextmanager
def told_plainly(file: Path) -> Iterator[None]:
    """Say that a file could not be read: whatever is in it, somebody may have put it there."""
    try:
        yield
    except OSError as error:
        why = error.strerror or "it is no table"
        message = f"{file.name} could not be read: {why}."
        raise TableError(message) from None
    except (pa.ArrowException, ValueError, TypeError, KeyError, IndexError, csv.Error) as error:
        message = f"{file.name} could not be read as a table of a release."
        raise TableError(message) from error
    except (MemoryError, OverflowError, RecursionError) as error:
        message = f"{file.name} has more, or larger numbers, than can be measured here."
        raise TableError(message) from error


def _fit(word: Any, lower: Any, upper: Any) -> bool:
    """Tell whether two ends are those that a word names."""
    if word == (written(lower) if lower == upper else f"[{written(lower)},{written(upper)}]"):
        return True
    for attribute in (Numeric("ends"), Date("ends")):
        try:
            part = attribute.parse(word)
            assert isinstance(part, Interval)
            ends = [one[0].as_py() for one in attribute.ends([part])]
        except (SeriatimError, ValueError, OverflowError):
            continue
        if ends == [lower, upper]:
            return True
    return False


def _read_lines(file: Path, names: Sequence[str], expected: Expected) -> GroupsFound | None:
    """Read a large plain CSV file; None where it is another, or something in it is wrong."""
    header = header_bytes(names)
    with told_plainly(file):
        with file.open("rb") as stream:
            if stream.read(len(header)) != header:
                return None
        lines = header.count(b"\n")
        opened = open_plain(file, header_lines=lines, delimiter=",", n_columns=len(names))
        if opened is None:
            return None
        codes = spellings(expected.values)
        found = read_groups(opened, len(expected.shared), codes)
    if found is None:
        return None
    missing = len(expected.values) - found.counts.shape[1]  # values without a spelling of their own
    counts = np.pad(found.counts, ((0, 0), (0, missing))) if missing else found.counts
    regions = partial(_regions_written, found.shared, expected.shared)
    numbers = np.arange(1, len(counts) + 1)
    return GroupsFound(int(counts.sum()), len(counts), counts, numbers, regions=regions)


def _regions_written(lines: pa.Array, names: Sequence[str]) -> pa.Table:
    """Read the cells that groups share as texts."""
    buffers = lines.buffers()
    begins = np.frombuffer(buffers[1], np.int32)[lines.offset :][: len(lines) + 1]
    content = memoryview(buffers[2])[begins[0] : begins[-1]]
    return _read_csv(pa.BufferReader(pa.py_buffer(content)), names, header=False)


def _of_columns(file: Path, table: pa.Table, expected: Expected) -> GroupsFound:
    """Return what columns say of their groups."""
    if table.num_rows == 0:
        return GroupsFound(0, 0)
    groups = _group_numbers(table.column(expected.group), file)
    times = None if expected.count is None else _times(table.column(expected.count), file)
    tuples = table.num_rows if times is None else int(times.sum())
    last = int(groups.max()) + 1
    if last > expected.groups:
        return GroupsFound(tuples, last)
    codes = _value_codes(table.column(expected.value), expected.values, file)
    if (groups[1:] < groups[:-1]).any():
        order = np.argsort(groups, kind="stable")
        groups, codes, table = groups[order], codes[order], table.take(pa.array(order))
        times = None if times is None else times[order]
    within = groups[1:] == groups[:-1]
    begins = np.flatnonzero(np.concatenate([[True], ~within]))
    if len(begins) < last and not expected.in_parts:
        return GroupsFound(tuples, last)  # a group has no rows
    n_values = len(expected.values)
    if not are_few(len(begins), n_values, tuples):
        message = f"{file.name} has {len(begins):,} groups, too many for {n_values:,} values."
        raise TableError(message)
    # Counted by the place of a group in this table: its number may be far beyond the rows.
    cells = np.concatenate([[0], np.cumsum(~within)]) * n_values + codes
    if times is not None and len(np.unique(cells)) < len(cells):
        message = f"{file.name} names a value of a group twice."
        raise TableError(message)
    counts = np.bincount(cells, times, minlength=len(begins) * n_values)
    names = [name for name in table.column_names if name not in expected.own]
    uneven = [name for name in names if _differs(table.column(name), within)]
    regions = table.select(names).take(pa.array(begins))
    return GroupsFound(
        tuples,
        last,
        counts.astype(np.int64, copy=False).reshape(-1, n_values),
        groups[begins] + 1,
        tuple(uneven),
        tuple(with_other_ends(regions, expected.shared)),
        partial(as_texts, regions, expected.shared),
    )


def _differs(column: pa.ChunkedArray, within: Any) -> bool:
    """Tell whether a cell is not that of the row before it, where both are of one group."""
    codes = to_numpy(_numbered(column).indices)
    return bool(((codes[1:] != codes[:-1]) & within).any())


def _numbered(column: pa.ChunkedArray) -> pa.Array:
    """Return a column as numbers of its different cells."""
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    column = pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column
    if not pa.types.is_dictionary(column.type):
        return column.dictionary_encode()
    again = column.dictionary.dictionary_encode()  # words may stand in it twice
    if len(again.dictionary) == len(column.dictionary):
        return column
    return pa.DictionaryArray.from_arrays(again.indices.take(column.indices), again.dictionary)


def _group_numbers(column: pa.ChunkedArray, file: Path) -> IntArray:
    """Return the group of each row, from 0."""
    cells = plain(column)
    if pa.types.is_integer(cells.type):
        numbers = cells
    else:
        texts = to_text(cells, "group")
        read = read_decimals(pa.chunked_array([texts]))
        try:
            numbers = texts.cast(pa.int64()) if read is None else read
        except pa.ArrowException:
            numbers = None
        if numbers is None or not to_text(plain(numbers), "group").equals(texts):
            message = f"{file.name} writes numbers of groups otherwise than in plain digits."
            raise TableError(message)
    groups = np.asarray(to_numpy(numbers.cast(pa.int64()))) - 1
    if len(groups) == 0 or groups.min() < 0:
        message = f"{file.name} has groups that its certificate does not know."
        raise TableError(message)
    return groups


def _times(column: pa.ChunkedArray, file: Path) -> IntArray:
    """Return how often groups have values, in whole numbers from 1."""
    cells = plain(column)
    times = np.asarray(to_numpy(to_text(cells, "count").cast(pa.int64())))
    if times.min() < 1 or times.max() >= 2**53 // len(times):
        message = f"{file.name} says how often groups have values in other than whole numbers."
        raise TableError(message)
    return times


def _value_codes(column: pa.ChunkedArray, values: Sequence[Any], file: Path) -> IntArray:
    """Return the place of each value among those that a certificate names."""
    cells = _numbered(column)
    codes = spellings(values)
    words = _written(cells.dictionary).to_pylist()
    places = np.array([codes.get(word, -1) for word in words], np.int64)
    found = places[to_numpy(cells.indices)]
    if (found < 0).any():
        message = f"{file.name} has values that its certificate does not name."
        raise TableError(message)
    return np.asarray(found)


def _written(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Return a column as the texts that a CSV file has of it."""
    cells = plain(column)
    if pa.types.is_string(cells.type):
        return cells
    if pa.types.is_integer(cells.type):
        return to_text(cells, "cells")
    content = pa.BufferReader(pa.py_buffer(csv_bytes(pa.table({"cells": cells}))))
    return plain(_read_csv(content, ["cells"]).column("cells"))


def _read_csv(source: Any, names: Sequence[str], *, header: bool = True) -> pa.Table:
    """Read delimited texts, every cell as it is."""
    return pyarrow.csv.read_csv(
        source,
        read_options=pyarrow.csv.ReadOptions(column_names=None if header else list(names)),
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            strings_can_be_null=False,
            quoted_strings_can_be_null=False,
        ),
    )
