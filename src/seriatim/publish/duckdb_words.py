"""Columns of small numbers as tables of 64-bit words, which a database takes by the million.

A database pays for each row: the same numbers cost it several times as much one to a row as
they do eight bytes to a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from seriatim.publish.store_tables import RAW, ROW_GROUP, Stretch, Tables, read_into, read_numbers

_ALIGNED = 8
"""Numbers after which a column of any kind begins with a new word."""


@dataclass(frozen=True, eq=False)
class WordColumn:
    """A column of numbers in a table of its own, one behind the other."""

    store: Tables
    """Where the table is."""

    table: str
    """What it is called."""

    kind: np.dtype
    """The numbers' type, of at most eight bytes."""

    @property
    def per_word(self) -> int:
        """How many numbers a word holds."""
        return 8 // self.kind.itemsize

    def make(self) -> WordWriter:
        """Make the table; return what writes it."""
        self.store.run(f"CREATE TABLE {self.table} (word UBIGINT {RAW})")
        return WordWriter(self)

    def drop(self) -> None:
        """Remove the table."""
        self.store.run(f"DROP TABLE {self.table}")


class Part(NamedTuple):
    """Numbers of a column."""

    column: WordColumn
    """The column."""

    first: int
    """The first of them."""

    last: int
    """The one after the last."""

    @property
    def words(self) -> Stretch:
        """The words that hold them."""
        per_word = self.column.per_word
        return Stretch(self.column.table, self.first // per_word, -(-self.last // per_word))


def read_parts(store: Tables, parts: Sequence[Part]) -> list[np.ndarray]:
    """Return numbers of some columns, asked for at once."""
    stretches = [part.words for part in parts]
    found = read_numbers(store, {"word": np.dtype(np.uint64)}, stretches)
    numbers = []
    for (column, first, last), stretch, words in zip(parts, stretches, found, strict=True):
        skipped = stretch.first * column.per_word
        numbers.append(words["word"].view(column.kind)[first - skipped : last - skipped])
    return numbers


class Span(NamedTuple):
    """The same numbers of several columns."""

    columns: Mapping[str, WordColumn]
    """The columns, by name."""

    first: int
    """The first of the numbers."""

    last: int
    """The one after the last."""

    @property
    def low(self) -> int:
        """The number with which reading begins."""
        return self.first // _ALIGNED * _ALIGNED


def read_together(
    store: Tables, spans: Sequence[Span], room: dict[str, np.ndarray]
) -> tuple[dict[str, np.ndarray], list[int]]:
    """Return an array for each name, in which spans lie one behind the other; asked for at once.

    Beside them how far each span was shifted, in all arrays alike: its number n is at n + shift.
    Between spans there may be gaps that nothing was written to. The arrays are in ``room``, by
    name, where it has some that are large enough.
    """
    lengths = [-(-(span.last - span.low) // _ALIGNED) * _ALIGNED for span in spans]
    bases = [int(end) - length for end, length in zip(np.cumsum(lengths), lengths, strict=True)]
    shifts = [base - span.low for base, span in zip(bases, spans, strict=True)]
    found, parts = {}, []
    for name in spans[0].columns:
        columns = [span.columns[name] for span in spans]
        kind = max((column.kind for column in columns), key=lambda kind: kind.itemsize)
        numbers = found[name] = _taken(room, name, sum(lengths), kind)
        for column, span, base in zip(columns, spans, bases, strict=True):
            part = Part(column, span.low, span.last)
            if column.kind != kind:
                [read] = read_parts(store, [part])
                numbers[base : base + len(read)] = read
                continue
            first, count = base // column.per_word, part.words.last - part.words.first
            words = numbers.view(np.uint64)[first : first + count]
            parts.append((part.words, {"word": words}))
    read_into(store, ("word",), parts)
    return found, shifts


def _taken(room: dict[str, np.ndarray], name: str, length: int, kind: np.dtype[Any]) -> np.ndarray:
    """Return an array of a length, the one of before where it is large enough."""
    if name not in room or len(room[name]) < length or room[name].dtype != kind:
        # The next ones are a little longer or shorter.
        room[name] = np.empty(length + length // 8, dtype=kind)
    return room[name][:length]


@dataclass(eq=False)
class WordWriter:
    """Writes a column, some numbers at a time; ``end`` must be called after the last."""

    column: WordColumn
    """What is written."""

    _begun: np.ndarray = field(init=False)
    """Numbers of a row group that is not full yet."""

    def __post_init__(self) -> None:
        self._begun = np.empty(0, dtype=self.column.kind)

    def add(self, numbers: np.ndarray) -> None:
        """Append numbers."""
        numbers = numbers.astype(self.column.kind, copy=False)
        whole = ROW_GROUP * self.column.per_word
        if len(self._begun):
            missing = whole - len(self._begun)
            self._begun = np.concatenate([self._begun, numbers[:missing]])
            numbers = numbers[missing:]
            if len(self._begun) < whole:
                return
            self._insert(self._begun)
        full = len(numbers) // whole * whole
        self._insert(numbers[:full])
        self._begun = numbers[full:].copy()

    def end(self) -> None:
        """Fill the last word up."""
        self._insert(np.pad(self._begun, (0, -len(self._begun) % self.column.per_word)))

    def _insert(self, numbers: np.ndarray) -> None:
        if len(numbers):
            words = np.ascontiguousarray(numbers).view(np.uint64)
            self.column.store.insert(self.column.table, pa.table({"word": words}))
