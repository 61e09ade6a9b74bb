"""A view: the private table of one instant, one tuple per respondent."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from seriatim._typing import FloatArray, IntArray, Table
from seriatim.microdata.gathers import gathered
from seriatim.microdata.roster import Roster
from seriatim.microdata.schema import Schema
from seriatim.microdata.tables import (
    Columns,
    TableKind,
    read_table,
    require_present,
    to_text,
)

Buffer: TypeAlias = bytes | memoryview
"""What a digest takes in as it lies in memory."""


@dataclass(frozen=True, eq=False, repr=False)
class View(Roster):
    """The original tuples of one instant: a roster with the sensitive values.

    A view is private, a release is public; the words never swap.

    >>> from seriatim import Numeric, Sensitive
    >>> schema = Schema("name", [Numeric("age")], Sensitive("exam"))
    >>> View.from_table({"name": ["B", "A"], "age": [52, 51], "exam": ["neg", "pos"]}, schema)
    View(2 respondents)
    """

    value_codes: IntArray
    """Code of each respondent's sensitive value."""

    kind: TableKind
    """The kind of table it was read from."""

    kept: pa.Table | None = None
    """The insensitive columns, where the schema names any."""

    @classmethod
    def from_table(cls, table: Table, schema: Schema) -> View:
        """Read a view from a table of any kind; undeclared domains are read off it."""
        columns = read_table(table)
        roster = Roster.from_table(columns, schema)
        settled = roster.schema.resolve_sensitive(columns)
        with settled.naming_no_id(columns):
            codes = settled.sensitive.encode(columns[settled.sensitive.name])
        return View(
            settled,
            roster.respondents,
            roster.points,
            roster.positions,
            gathered(codes, roster.positions),
            columns.kind,
            _kept(columns, settled, roster.positions),
        )

    @property
    def roster(self) -> Roster:
        """The same respondents without their sensitive values."""
        return Roster(self.schema, self.respondents, self.points, self.positions)

    @property
    def value_counts(self) -> IntArray:
        """How often each value of the domain occurs."""
        return np.bincount(self.value_codes, minlength=len(self.schema.sensitive.domain))

    def digest(self) -> bytes:
        """Return a digest of the content: ids, quasi-identifiers and values.

        The same in whatever order rows arrived and whatever a domain has been
        widened to. It is private: small tables can be guessed from it.
        """
        state = hashlib.blake2b(digest_size=32)
        state.update(_text_bytes(self.texts))
        for axis, attribute in enumerate(self.schema.quasi_identifiers):
            labels = getattr(attribute, "leaves", getattr(attribute, "values", None))
            for part in _column_bytes(self.points[:, axis], labels):
                state.update(part)
        for part in _column_bytes(self.value_codes, self.schema.sensitive.domain):
            state.update(part)
        if self.kept is not None:
            for name in self.kept.column_names:
                state.update(_text_bytes(to_text(self.kept.column(name).combine_chunks(), name)))
        return state.digest()


def _kept(columns: Columns, schema: Schema, positions: IntArray) -> pa.Table | None:
    """Return the insensitive columns in the order of the roster."""
    if not schema.insensitive:
        return None
    for name in schema.insensitive:
        require_present(columns[name], name)
    table = pa.table({name: columns[name] for name in schema.insensitive})
    return table.take(pa.array(positions)).combine_chunks()


def _column_bytes(
    codes: FloatArray | IntArray, labels: tuple[object, ...] | None
) -> Iterator[Buffer]:
    """Give a column's content: its numbers, or its labels in a numbering of their own."""
    if labels is None:
        yield np.ascontiguousarray(codes).data
        return
    whole = codes.astype(np.int64, copy=False)
    used = np.flatnonzero(np.bincount(whole))
    words = [str(labels[code]) for code in used]
    order = np.array(sorted(range(len(words)), key=words.__getitem__), dtype=np.int64)
    rank = np.zeros(len(labels), dtype=np.int64)
    rank[used[order]] = np.arange(len(order))
    yield repr([words[place] for place in order]).encode()
    yield gathered(rank, whole).data


def _text_bytes(texts: pa.Array) -> Buffer:
    """Return texts with their lengths, so that no two lists of texts give the same bytes."""
    sink = pa.BufferOutputStream()
    table = pa.table({"": texts})
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return memoryview(sink.getvalue())
