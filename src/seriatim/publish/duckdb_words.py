"""Columns of small numbers as tables of 64-bit words, which a database takes by the million.

A database pays for each row: the same numbers cost it several times as much one to a row as
they do eight bytes to a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from seriatim.publish.store_tables import RAW, Stretch, Tables, read_numbers


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


@dataclass(eq=False)
class WordWriter:
    """Writes a column, some numbers at a time; ``end`` must be called after the last."""

    column: WordColumn
    """What is written."""

    _begun: np.ndarray = field(init=False)
    """Numbers of a word that is not full yet."""

    def __post_init__(self) -> None:
        self._begun = np.empty(0, dtype=self.column.kind)

    def add(self, numbers: np.ndarray) -> None:
        """Append numbers."""
        numbers = numbers.astype(self.column.kind, copy=False)
        if len(self._begun):
            numbers = np.concatenate([self._begun, numbers])
        full = len(numbers) // self.column.per_word * self.column.per_word
        self._insert(numbers[:full])
        self._begun = numbers[full:].copy()

    def end(self) -> None:
        """Fill the last word up."""
        self._insert(np.pad(self._begun, (0, -len(self._begun) % self.column.per_word)))

    def _insert(self, numbers: np.ndarray) -> None:
        if len(numbers):
            words = np.ascontiguousarray(numbers).view(np.uint64)
            self.column.store.insert(self.column.table, pa.table({"word": words}))
