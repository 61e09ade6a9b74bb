"""The tables of a store, as those who keep something there use them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from seriatim._typing import WordArray
from seriatim.errors import StoreError

ROW_GROUP = 122_880
"""Rows that a database writes as one: smaller pieces are put together later, at some cost."""

RAW = "USING COMPRESSION uncompressed"
"""Packing numbers that are read at every release costs more than it saves."""


class Tables(Protocol):
    """The tables of a store."""

    def meta(self, name: str) -> bytes | None:
        """Return a value kept under a name."""
        ...

    def set_meta(self, name: str, value: bytes) -> None:
        """Keep a value under a name."""
        ...

    def number(self, name: str) -> int:
        """Return a number kept under a name; 0 where there is none."""
        ...

    def keys(self, respondents: pa.Array) -> tuple[WordArray, WordArray]:
        """Return the keyed digests of ids, as two words each."""
        ...

    def require_kind_of_ids(self, respondents: pa.Array) -> None:
        """Refuse ids of another kind than before."""
        ...

    def table(self, query: str, **tables: pa.Table) -> pa.Table:
        """Run a query over the store and some tables of one's own."""
        ...

    def batches(self, query: str) -> Iterator[pa.RecordBatch]:
        """Run a query over the store; go through its rows, some at a time."""
        ...

    def run(self, statement: str, values: list[Any] | None = None) -> None:
        """Run a statement."""
        ...

    def insert(self, name: str, rows: pa.Table) -> None:
        """Append rows to a table."""
        ...


class Stretch(NamedTuple):
    """Rows of a table, in the order they were written."""

    table: str
    """The table's name."""

    first: int
    """The first row."""

    last: int
    """The row after the last."""


def read_numbers(
    store: Tables, columns: Mapping[str, np.dtype], stretches: Sequence[Stretch]
) -> list[dict[str, np.ndarray]]:
    """Return columns of plain numbers of each of some stretches, asked for at once."""
    bounds = np.cumsum([0, *(last - first for _, first, last in stretches)])
    read = {name: np.empty(bounds[-1], dtype=kind) for name, kind in columns.items()}
    found = [
        {name: numbers[begin:end] for name, numbers in read.items()}
        for begin, end in pairwise(bounds)
    ]
    read_into(store, tuple(columns), list(zip(stretches, found, strict=True)))
    return found


def read_into(
    store: Tables,
    columns: Sequence[str],
    parts: Sequence[tuple[Stretch, Mapping[str, np.ndarray]]],
) -> None:
    """Read columns of stretches, each into arrays of its length, asked for at once.

    They are copied as they come: NumPy asks for large pages, which Arrow does not.
    """
    names = ", ".join(columns)
    # A union of all keeps the order of its parts.
    query = " UNION ALL ".join(
        f"SELECT {names} FROM {table} WHERE rowid >= {first} AND rowid < {last}"
        for (table, first, last), _ in parts
    )
    waiting = [(last - first, into) for (_, first, last), into in reversed(parts) if last > first]
    begin = 0
    for batch in store.batches(query) if parts else ():
        taken = 0
        while taken < len(batch) and waiting:
            length, into = waiting[-1]
            more = min(length - begin, len(batch) - taken)
            for name in columns:
                numbers = batch.column(name).slice(taken, more).to_numpy()
                into[name][begin : begin + more] = numbers
            taken, begin = taken + more, begin + more
            if begin == length:
                waiting.pop()
                begin = 0
        if taken < len(batch):
            waiting.append((0, {}))
            break
    if waiting:
        message = "The store lacks rows that it should have: it is damaged. Restore a backup."
        raise StoreError(message)
