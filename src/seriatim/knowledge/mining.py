"""Mining: sequence knowledge from a corpus of other people's sequences.

The paper's Algorithm 3 counts every sequence of past values of every respondent;
the chance of s after a sequence is how often the two occur together over how often
the sequence occurs. Counting is done on whole columns, one length after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import FloatArray, IntArray, Table, Value
from seriatim.errors import KnowledgeError, TableError, at_positions, listed
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.classes import Classes, collect_classes
from seriatim.knowledge.domain_knowledge import back_off, suffix_automaton
from seriatim.microdata.tables import (
    Columns,
    distinct_values,
    find_codes,
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
        ids = _joined([to_text(one[respondent], respondent) for one in columns])
        exams = _joined([one[value] for one in columns])
        if len(exams) == 0:
            message = "The corpus has no rows."
            raise KnowledgeError(message)
        require_present(ids, respondent)
        require_present(exams, value)
        instants = (
            np.repeat(np.arange(len(columns)), [len(one) for one in columns])
            if at is None
            else _ranks(_joined([one[at] for one in columns]), at)
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


@dataclass(frozen=True, eq=False)
class MinedKnowledge:
    """Sequence knowledge counted in a corpus (the paper's SPM-BKseq).

    A history is judged by the longest context it ends with that the corpus has a
    successor of; the paper's Algorithm 3 would expect nothing after a context that
    it never saw. Its probabilities also count contexts that end a sequence, so they
    sum to less than 1; we divide by the successors alone.
    """

    corpus: Corpus
    """What was counted."""

    steps: int
    """How many past values are looked at."""

    def __post_init__(self) -> None:
        """Refuse a memory that is none."""
        given: object = self.steps
        if isinstance(given, bool) or not isinstance(given, Integral) or given < 0:
            message = f"steps is a whole number from 0, not {given!r}."
            raise KnowledgeError(message)

    def __repr__(self) -> str:
        """Say how large it is."""
        return f"MinedKnowledge({len(self.contexts)} contexts, {self.steps} steps)"

    @property
    def values(self) -> tuple[Value, ...]:
        """The values that occur in the corpus."""
        return self.corpus.values

    @cached_property
    def _counted(self) -> list[tuple[IntArray, IntArray, FloatArray]]:
        """For every length: contexts (rows, length), their classes, successors (rows, values)."""
        corpus = self.corpus
        n_values = len(corpus.values)
        found = []
        for length in range(self.steps + 1):
            here = np.flatnonzero(corpus.age >= length)
            if len(here) == 0:
                break
            number = corpus.numbered(here, range(length, 0, -1), corpus.class_of[here])
            _, first, row = np.unique(number, return_index=True, return_inverse=True)
            cells = row.ravel() * n_values + corpus.codes[here]
            counts = np.bincount(cells, minlength=len(first) * n_values).astype(np.float64)
            ends = here[first]
            contexts = np.column_stack(
                [corpus.codes[ends - back] for back in range(length, 0, -1)]
                or [np.empty((len(ends), 0), dtype=np.int64)]
            )
            found.append((contexts, corpus.class_of[ends], counts.reshape(-1, n_values)))
        return found

    @property
    def contexts(self) -> tuple[tuple[Value, ...], ...]:
        """The contexts that have a successor in the corpus."""
        return tuple(
            tuple(self.values[code] for code in row)
            for contexts, _, _ in self._counted
            for row in contexts.tolist()
        )

    def automaton(self, domain: tuple[Value, ...]) -> Automaton:
        """Return its computable form: one state per beginning of a context."""
        missing = [value for value in self.values if value not in domain]
        if missing:
            message = (
                f"The corpus has values outside the sensitive domain: {listed(missing)}."
                f" The domain is {listed(domain)}. Declare them in Sensitive(values=...)."
            )
            raise KnowledgeError(message)
        place = np.array([domain.index(value) for value in self.values])
        contexts = [tuple(row) for found, _, _ in self._counted for row in place[found].tolist()]
        states, next_state, shorter = suffix_automaton(contexts, len(domain))
        n_classes = 1 if self.corpus.classes is None else len(self.corpus.classes)
        next_value = np.zeros((n_classes, len(states), len(domain)))
        known = np.zeros((n_classes, len(states)), dtype=bool)
        state_of = np.array([states[context] for context in contexts])
        class_of = np.concatenate([kinds for _, kinds, _ in self._counted])
        counts = np.concatenate([counts for _, _, counts in self._counted])
        rows = np.zeros((len(counts), len(domain)))
        rows[:, place] = counts / counts.sum(axis=1, keepdims=True)
        next_value[class_of, state_of] = rows
        known[class_of, state_of] = True
        back_off(next_value, known, shorter)
        return Automaton(tuple(domain), next_value, next_state, 0, known, self.corpus.classes)


def mine(
    corpus: Table | Sequence[Table],
    *,
    steps: int,
    respondent: str,
    value: str,
    at: str | None = None,
    by: str | Sequence[str] = (),
) -> MinedKnowledge:
    """Learn what tends to follow what from a corpus of sequences.

    ``corpus`` is a table with a column of instants, or a list of tables in order.
    ``by`` names columns that make classes, mined apart; their cells must be such as
    a release would write of the quasi-identifier of that name (``F``, ``45-54``).

    >>> weeks = [{"who": [1, 2], "exam": ["a", "a"]}, {"who": [1, 2], "exam": ["b", "a"]}]
    >>> model = mine(weeks, steps=1, respondent="who", value="exam")
    >>> model.automaton(("a", "b")).next_value[0].round(2).tolist()
    [[0.75, 0.25], [0.5, 0.5]]
    """
    read = Corpus.from_tables(corpus, respondent=respondent, value=value, at=at, by=by)
    return MinedKnowledge(read, steps)


def _joined(columns: list[pa.Array]) -> pa.Array:
    kinds = {column.type for column in columns}
    if len(kinds) > 1:
        columns = [to_text(column, "corpus") for column in columns]
    return pa.concat_arrays(columns)


def _ranks(instants: pa.Array, name: str) -> IntArray:
    require_present(instants, name)
    return np.asarray(to_numpy(pc.rank(instants, tiebreaker="dense")), dtype=np.int64)


def _classes(columns: list[Columns], by: str | Sequence[str]) -> tuple[Classes | None, IntArray]:
    total = sum(len(one) for one in columns)
    names = (by,) if isinstance(by, str) else tuple(by)
    if not names:
        return None, np.zeros(total, dtype=np.int64)
    joined: dict[str, Any] = {name: _joined([one[name] for one in columns]) for name in names}
    return collect_classes(read_table(joined), names)


def _require_one_each(person: IntArray, instants: IntArray, order: IntArray) -> None:
    twice = (person[1:] == person[:-1]) & (instants[1:] == instants[:-1])
    if twice.any():
        message = (
            "A corpus has one value per respondent and instant; several share theirs, at"
            f" {at_positions(order[1:][twice])}. Keep one."
        )
        raise TableError(message)
