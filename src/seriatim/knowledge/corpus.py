"""A corpus: sequences of values of other people, to learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import BoolArray, IntArray, Table, Value
from seriatim.errors import KnowledgeError, TableError, at_positions
from seriatim.knowledge.classes import Classes, collect_classes
from seriatim.microdata.tables import (
    Columns,
    distinct_values,
    find_codes,
    joined,
    read_table,
    require_present,
    to_numpy,
    to_text,
)


@dataclass(frozen=True, eq=False)
class Corpus:
    """Sequences of values, respondent by respondent, earliest first."""

    values: tuple[Value, ...]
    """The values that occur."""

    codes: IntArray
    """Codes of the values, one entry per tuple."""

    age: IntArray
    """How many values of the same respondent come before each entry."""

    last: BoolArray
    """Which entries are the last of their respondent."""

    class_of: IntArray
    """The class of each entry."""

    classes: Classes | None = None
    """How respondents fall into classes, where it matters."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Corpus({len(self.codes)} tuples, {len(self.values)} values)"

    @classmethod
    def from_tables(
        cls,
        corpus: Table | Sequence[Table],
        *,
        respondent: str,
        value: str,
        at: str | None = None,
        by: str | Sequence[str] = (),
    ) -> Corpus:
        """Read one table with a column of instants, or a list of tables in order."""
        tables = list(corpus) if isinstance(corpus, list | tuple) else [corpus]
        if at is None and len(tables) == 1:
            message = (
                "One table of sequences needs a column of instants: pass at='week', or a list of"
                " tables, one for each release."
            )
            raise KnowledgeError(message)
        columns = [read_table(table) for table in tables]
        ids = pa.concat_arrays([to_text(one[respondent], respondent) for one in columns])
        exams = joined([one[value] for one in columns], value)
        if len(exams) == 0:
            message = "The corpus has no rows."
            raise KnowledgeError(message)
        require_present(ids, respondent)
        require_present(exams, value)
        instants = (
            np.repeat(np.arange(len(columns)), [len(one) for one in columns])
            if at is None
            else _ranks(joined([one[at] for one in columns], at), at)
        )
        classes, class_of = _classes(columns, by)
        person = to_numpy(pc.dictionary_encode(ids).indices).astype(np.int64)
        order = np.lexsort((instants, person))
        person, instants = person[order], instants[order]
        _require_one_each(person, instants, order)
        starts = np.flatnonzero(np.r_[True, person[1:] != person[:-1]])
        begin_of = np.repeat(starts, np.diff(np.r_[starts, len(person)]))
        values = distinct_values(exams)
        return cls(
            values,
            find_codes(exams, values)[order],
            np.arange(len(person)) - begin_of,
            np.r_[person[1:] != person[:-1], True],
            class_of[order],
            classes,
        )

    def grams(self, length: int) -> tuple[IntArray, IntArray]:
        """Number the sequences of a length: the entries they end at, and which one each is."""
        here = np.flatnonzero(self.age >= length - 1)
        nothing = np.zeros(len(here), dtype=np.int64)
        return here, self.numbered(here, range(length - 1, -1, -1), nothing)

    def numbered(self, here: IntArray, backs: range, number: IntArray) -> IntArray:
        """Tell apart the values that lie so many entries back, on top of a first number."""
        for back in backs:
            # Renumbered after every value, so that the numbers stay small for any length.
            joined = number * len(self.values) + self.codes[here - back]
            number = np.unique(joined, return_inverse=True)[1].ravel()
        return number


def count_sequences(corpus: Corpus, longest: int | None = None) -> dict[tuple[Value, ...], int]:
    """Count every sequence of values up to a length, as Algorithm 3 does.

    >>> week = [{"who": [1, 2], "exam": ["a", "b"]}, {"who": [1], "exam": ["b"]}]
    >>> count_sequences(Corpus.from_tables(week, respondent="who", value="exam"))
    {('a',): 1, ('b',): 2, ('a', 'b'): 1}
    """
    most = int(corpus.age.max()) + 1
    counts: dict[tuple[Value, ...], int] = {}
    for length in range(1, most + 1 if longest is None else min(longest, most) + 1):
        here, number = corpus.grams(length)
        _, first, times = np.unique(number, return_index=True, return_counts=True)
        ends = here[first]
        codes = np.column_stack([corpus.codes[ends - back] for back in range(length - 1, -1, -1)])
        for row, count in zip(codes.tolist(), times.tolist(), strict=True):
            counts[tuple(corpus.values[code] for code in row)] = count
    return counts


def _ranks(instants: pa.Array, name: str) -> IntArray:
    require_present(instants, name)
    return np.asarray(to_numpy(pc.rank(instants, tiebreaker="dense")), dtype=np.int64)


def _classes(columns: list[Columns], by: str | Sequence[str]) -> tuple[Classes | None, IntArray]:
    total = sum(len(one) for one in columns)
    names = (by,) if isinstance(by, str) else tuple(by)
    if not names:
        return None, np.zeros(total, dtype=np.int64)
    cells: dict[str, Any] = {name: joined([one[name] for one in columns], name) for name in names}
    return collect_classes(read_table(cells), names)


def _require_one_each(person: IntArray, instants: IntArray, order: IntArray) -> None:
    twice = (person[1:] == person[:-1]) & (instants[1:] == instants[:-1])
    if twice.any():
        message = (
            "A corpus has one value per respondent and instant; several share theirs, at"
            f" {at_positions(order[1:][twice])}. Keep one."
        )
        raise TableError(message)
