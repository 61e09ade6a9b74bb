"""Workers: what an engine can do with tables that may lie on many machines.

A data set is tables that nobody needs to hold at once. Functions take the tables of one part,
one after the other, and give tables; whatever is to reach the driver is a summary.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

import pyarrow as pa

from seriatim import errors
from seriatim.errors import InternalError, SeriatimError

Work = Callable[[Iterator[pa.Table]], Iterator[pa.Table]]
"""Makes tables of the tables of one part; must be picklable."""

Data = TypeVar("Data")
"""What stands for tables: a list of them, or a frame of Spark."""

KIND = "kind"
"""The column that says what a row is, where one function gives several things."""

SUMMARY = "summary"
"""The kind of the rows that the driver reads."""

NOTE = "note"
"""The column of a summary."""

SUMMARIES = pa.schema([(KIND, pa.string()), (NOTE, pa.string())])
"""Tables of nothing but summaries."""


class Files(Protocol):
    """Small files and names of folders, wherever they lie."""

    def make_private(self, folder: str) -> None:
        """Make a folder, where there is none, and let nobody but its owner enter it."""
        ...

    def read(self, path: str) -> bytes:
        """Return what a file holds."""
        ...

    def make_public(self, folder: str) -> None:
        """Make a folder, where there is none, that anybody may enter and only its owner change."""
        ...

    def forbid_writing(self, path: str) -> None:
        """Let nobody but the owner change a file, or a folder and what is in it."""
        ...

    def write_new(self, path: str, content: bytes, *, public: bool = False) -> None:
        """Write a file whole or not at all; OrderError where there is one already."""
        ...

    def write_public(self, path: str, content: bytes) -> None:
        """Write a small file that anybody may read, in the place of one that is there."""
        ...

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder, sorted; none where there is no such folder."""
        ...

    def rename(self, old: str, new: str) -> None:
        """Give a file or folder another name, in one step."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with all that is in it; nothing where there is none."""
        ...


class Workers(Protocol[Data]):
    """Where functions on tables run."""

    @property
    def files(self) -> Files:
        """Small files, as the driver sees them."""
        ...

    def source(self, source: Any, columns: Sequence[str], texts: Sequence[str]) -> Data:
        """Return the columns of a table to be published, some of them as texts."""
        ...

    def schema_of(self, data: Data) -> pa.Schema:
        """Return the columns of a source."""
        ...

    def kept(self, folders: Sequence[str], schema: pa.Schema) -> Data:
        """Return what was written to some folders."""
        ...

    def contents(self, folder: str) -> Data:
        """Return the files of a folder, whole: ``name`` and ``content``."""
        ...

    def mapped(self, data: Data, work: Work, schema: pa.Schema) -> Data:
        """Let a function work on every part."""
        ...

    def exchanged(self, data: Data, by: str, parts: int) -> Data:
        """Bring rows together whose number in a column is the same modulo ``parts``."""
        ...

    def together(self, first: Data, second: Data) -> Data:
        """Return the rows of both; columns that only one has are empty in the other."""
        ...

    def write(self, data: Data, folder: str, *, by_kind: bool = False) -> None:
        """Write tables to a folder, each kind to a folder ``kind=...`` of its own where asked."""
        ...

    def write_parts(self, data: Data, folder: str) -> None:
        """Write tables to files ``part-00000.parquet``, ... of a folder, and nothing else to it."""
        ...

    def collect(self, data: Data) -> pa.Table:
        """Bring summaries to the driver."""
        ...


def whole(tables: Iterable[pa.Table]) -> pa.Table | None:
    """Return the tables of a part as one; None for a part without rows."""
    there = [table for table in tables if table.num_rows]
    return pa.concat_tables(there).combine_chunks() if there else None


def summary(told: dict[str, Any], schema: pa.Schema) -> pa.Table:
    """Return a table of one summary, with all other columns empty."""
    row = {name: [None] for name in schema.names}
    return pa.table(row | {KIND: [SUMMARY], NOTE: [json.dumps(told)]}, schema=schema)


def of_kind(kind: str, columns: dict[str, Any], schema: pa.Schema) -> pa.Table:
    """Return rows of one kind, with the columns of the other kinds empty."""
    length = len(next(iter(columns.values())))
    arrays = [
        pa.repeat(kind, length)
        if name == KIND
        else pa.array(columns[name], type=field.type)
        if name in columns
        else pa.nulls(length, field.type)
        for name, field in zip(schema.names, schema, strict=True)
    ]
    return pa.table(arrays, schema=schema)


class Told:
    """Work whose errors reach the driver as what they are, not as a trace of some machine."""

    def __init__(
        self, work: Callable[..., Iterator[pa.Table]], schema: pa.Schema, *given: Any
    ) -> None:
        """Prepare to work with what is given beside the tables."""
        self._work = functools.partial(work, *given)
        self._schema = schema

    def __call__(self, tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
        """Work; an error becomes a summary."""
        try:
            yield from self._work(tables)
        except (SeriatimError, InternalError) as error:
            yield summary({"error": type(error).__name__, "message": str(error)}, self._schema)


def read_summaries(table: pa.Table) -> list[dict[str, Any]]:
    """Return summaries, or raise the error that one of them tells of."""
    told = [json.loads(note) for note in table.column(NOTE).to_pylist()]
    for one in sorted(told, key=lambda one: str(one.get("message"))):
        if "error" in one:
            raise getattr(errors, one["error"], InternalError)(one["message"])
    return told


class Plain:
    """Work with what is given beside the tables, whose errors are defects."""

    def __init__(self, work: Callable[..., Any], *given: Any) -> None:
        """Keep what is given."""
        self._work, self._given = work, given

    def __call__(self, tables: Any) -> Any:
        """Work."""
        return self._work(*self._given, tables)
