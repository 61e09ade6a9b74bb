"""What a store remembers of people: a bundle for every release, in columns of plain numbers.

A bundle is a table with a row for each person of a release: their key, and a few numbers.
Where what is remembered has no fixed length it lies in tables of its own, the entries, person
after person, a table for each of their numbers. Newer bundles are looked at first, so nothing
is ever changed in place.

A new bundle takes in what still counts of those before it that are not more than twice its
size. So there are few bundles, each more than twice as large as the next, and at most as many
rows that no longer count as rows that do; where everyone comes every time, what was before is
dropped without being read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from seriatim._typing import BoolArray, IntArray, WordArray
from seriatim.inference.pasts import spans
from seriatim.publish.duckdb_words import (
    Part,
    Span,
    WordColumn,
    WordWriter,
    read_parts,
    read_together,
)
from seriatim.publish.key_lookup import KeyLookup
from seriatim.publish.store_tables import RAW, ROW_GROUP, Stretch, Tables, read_numbers

PIECE = 2 * ROW_GROUP
"""People of whom something is read or written at a time."""

NARROW, WIDE = "USMALLINT", "UINTEGER"
"""The types of small numbers: such as fit, and where some do not."""


_TYPES: dict[str, np.dtype] = {
    NARROW: np.dtype(np.uint16),
    WIDE: np.dtype(np.uint32),
    "UBIGINT": np.dtype(np.uint64),
    "BIGINT": np.dtype(np.int64),
    "FLOAT": np.dtype(np.float32),
    "DOUBLE": np.dtype(np.float64),
}


class Bundle(NamedTuple):
    """One bundle."""

    number: int
    """What its tables are named after."""

    people: int
    """How many rows it has."""

    wide: bool
    """Whether some of its small numbers need 32 bits."""


@dataclass(frozen=True)
class Kind:
    """What is remembered of each person under a name."""

    name: str
    """What it is called."""

    columns: Mapping[str, str]
    """The numbers of each person, and their types; ``entries`` counts the person's entries."""

    entries: Mapping[str, str]
    """The numbers of each entry, and their types; empty where there are none."""


@dataclass(frozen=True, eq=False)
class Portion:
    """Rows of a bundle in memory."""

    high: WordArray
    """The first word of each person's key."""

    low: WordArray
    """The second."""

    columns: dict[str, np.ndarray]
    """The numbers of each person."""

    entries: dict[str, np.ndarray]
    """The numbers of all entries, person after person."""

    @classmethod
    def empty(cls, kind: Kind) -> Portion:
        """Return a portion of nobody."""
        nobody = np.empty(0, dtype=np.uint64)
        columns = {name: np.empty(0, _TYPES[one]) for name, one in kind.columns.items()}
        entries = {name: np.empty(0, _TYPES[one]) for name, one in kind.entries.items()}
        return cls(nobody, nobody, columns, entries)

    def __len__(self) -> int:
        """Return the number of people."""
        return len(self.high)

    def take(self, rows: IntArray) -> Portion:
        """Return some of the people."""
        kept = {name: column[rows] for name, column in self.columns.items()}
        if not self.entries:
            return Portion(self.high[rows], self.low[rows], kept, {})
        lengths = self.columns["entries"].astype(np.int64)
        begins = np.cumsum(lengths) - lengths
        used = spans(begins[rows], lengths[rows])
        entries = {name: column[used] for name, column in self.entries.items()}
        return Portion(self.high[rows], self.low[rows], kept, entries)


@dataclass(frozen=True, eq=False)
class Found:
    """Where some of the people asked for stand in one bundle."""

    bundle: Bundle
    """The bundle."""

    asked: IntArray
    """Whom of those asked for it has."""

    rows: IntArray
    """The row of each in the bundle, ascending."""


class Bundles:
    """The bundles of one kind, in a store."""

    def __init__(self, store: Tables, kind: Kind) -> None:
        """Look at a store."""
        self._store = store
        self._kind = kind

    def __repr__(self) -> str:
        """Say where they are."""
        return f"Bundles({self._store!r}, {self._kind.name!r})"

    @property
    def listed(self) -> list[Bundle]:
        """The bundles, oldest first."""
        found = self._store.meta(f"bundles of {self._kind.name}")
        return [] if found is None else [Bundle(*one) for one in json.loads(found)]

    @property
    def tables(self) -> list[str]:
        """The names of all tables."""
        return [
            name
            for bundle in self.listed
            for name in (self._name(bundle), *(one.table for one in self.words(bundle).values()))
        ]

    def find(self, respondents: pa.Array) -> list[Found]:
        """Return where the newest of what is remembered of some people stands."""
        bundles = self.listed
        if not bundles or len(respondents) == 0:
            return []
        lookup = KeyLookup(*self._store.keys(respondents))
        first = lookup.same == np.arange(len(respondents))
        repeated = np.flatnonzero(~first)
        missing, found = first.copy(), []
        for bundle in reversed(bundles):
            if not missing.any():
                break
            asked = lookup.rows_of(*self._keys(bundle))
            rows = np.flatnonzero(asked >= 0)
            rows = rows[missing[asked[rows]]]
            asked = asked[rows]
            missing[asked] = False
            if len(repeated):
                asked, rows = _with_repeated(asked, rows, lookup.same, repeated)
            if len(rows):
                found.append(Found(bundle, asked, rows))
        return found

    def count(self) -> int:
        """Return how many people something is remembered of."""
        keys = [self._keys(bundle) for bundle in self.listed]
        if not keys:
            return 0
        lookup = KeyLookup(*(np.concatenate(words) for words in zip(*keys, strict=True)))
        return int((lookup.same == np.arange(len(lookup.same))).sum())

    def column(self, bundle: Bundle, name: str) -> np.ndarray:
        """Return a number of everyone in a bundle."""
        return self._numbers(bundle, (name,))[name]

    def heads(self, bundles: Iterable[tuple[Bundle, int]]) -> list[dict[str, np.ndarray]]:
        """Return all numbers of the first so many people of some bundles."""
        columns = {name: _TYPES[kind] for name, kind in self._kind.columns.items()}
        stretches = [Stretch(self._name(bundle), 0, people) for bundle, people in bundles]
        return read_numbers(self._store, columns, stretches)

    def entries(self, spans: Iterable[tuple[Bundle, int, int]]) -> list[dict[str, np.ndarray]]:
        """Return the entries first..last of some bundles."""
        spans = list(spans)
        parts = [
            Part(column, first, last)
            for bundle, first, last in spans
            for column in self.words(bundle).values()
        ]
        found = iter(read_parts(self._store, parts))
        return [{name: next(found) for name in self._kind.entries} for _ in spans]

    def entries_together(
        self, spans: Iterable[tuple[Bundle, int, int]], room: dict[str, np.ndarray]
    ) -> tuple[dict[str, np.ndarray], list[int]]:
        """Return the entries first..last of some bundles in one array each, and their shifts.

        The arrays are taken from ``room``, which may have been used before.
        """
        wanted = [Span(self.words(one), *ends) for one, *ends in spans]
        return read_together(self._store, wanted, room)

    def words(self, bundle: Bundle) -> dict[str, WordColumn]:
        """Return the columns of the entries."""
        name = self._name(bundle)
        return {
            one: WordColumn(self._store, f"{name}_{one}", _TYPES[_widened(kind, bundle)])
            for one, kind in self._kind.entries.items()
        }

    def append(
        self, portions: Iterable[Portion], high: WordArray, low: WordArray, *, wide: bool = False
    ) -> None:
        """Keep what is remembered of some people from now on; their keys are given at once."""
        bundles = self.listed
        number = _next(bundles)
        taken_in: list[Bundle] = []
        size = len(high)
        while bundles and bundles[-1].people <= 2 * size:
            taken_in.append(bundles.pop())
            size += taken_in[-1].people
        new = Bundle(number, len(high), wide or any(one.wide for one in taken_in))
        writer = self._make(new)
        for portion in portions:
            writer.add(portion)
        newer = [(high, low)]
        for old in taken_in:
            keys = self._keys(old)
            lookup = KeyLookup(*(np.concatenate(words) for words in zip(*newer, strict=True)))
            gone = lookup.rows_of(*keys) >= 0
            if not gone.all():
                for portion in self._without(old, gone):
                    writer.add(portion)
                newer.append((keys[0][~gone], keys[1][~gone]))
            self._drop(old)
        writer.end()
        people = sum(len(words) for words, _ in newer)
        self._list([*bundles, new._replace(people=people)])

    def replace(self, changed: Mapping[int, Iterable[Portion]], *, wide: bool = False) -> None:
        """Write some bundles anew, in their places."""
        bundles: list[Bundle] = []
        fresh = _next(self.listed)
        for old in self.listed:
            if old.number not in changed:
                bundles.append(old)
                continue
            new = Bundle(fresh, 0, wide or old.wide)
            fresh += 1
            writer = self._make(new)
            for portion in changed[old.number]:
                writer.add(portion)
                new = new._replace(people=new.people + len(portion))
            writer.end()
            self._drop(old)
            if new.people:
                bundles.append(new)
            else:
                self._drop(new)
        self._list(bundles)

    def forget(self, lookup: KeyLookup) -> BoolArray:
        """Remove people; return which of those looked for were known."""
        known = np.zeros(len(lookup.same), dtype=bool)
        changed = {}
        for bundle in self.listed:
            asked = lookup.rows_of(*self._keys(bundle))
            if (asked >= 0).any():
                known[asked[asked >= 0]] = True
                changed[bundle.number] = self._without(bundle, asked >= 0)
        if changed:
            self.replace(changed)
        return known

    def pieces(self, bundle: Bundle) -> Iterator[Portion]:
        """Go through a bundle, so many people at a time as stay small."""
        columns = ("high", "low", *self._kind.columns)
        begin = 0
        for first in range(0, bundle.people, PIECE):
            found = self._numbers(bundle, columns, first, min(first + PIECE, bundle.people))
            high, low = found.pop("high"), found.pop("low")
            entries = {}
            if self._kind.entries:
                end = begin + int(found["entries"].sum(dtype=np.int64))
                [entries] = self.entries([(bundle, begin, end)])
                begin = end
            yield Portion(high, low, found, entries)

    def _without(self, bundle: Bundle, gone: BoolArray) -> Iterator[Portion]:
        """Go through a bundle without some of its people."""
        first = 0
        for portion in self.pieces(bundle):
            yield portion.take(np.flatnonzero(~gone[first : first + len(portion)]))
            first += len(portion)

    def _keys(self, bundle: Bundle) -> tuple[WordArray, WordArray]:
        found = self._numbers(bundle, ("high", "low"))
        return found["high"], found["low"]

    def _numbers(
        self, bundle: Bundle, names: tuple[str, ...], first: int = 0, last: int | None = None
    ) -> dict[str, np.ndarray]:
        """Return numbers of everyone in a bundle, or of some, in the order of writing."""
        columns = {name: _TYPES[self._columns[name]] for name in names}
        last = bundle.people if last is None else last
        [found] = read_numbers(self._store, columns, [Stretch(self._name(bundle), first, last)])
        return found

    @property
    def _columns(self) -> dict[str, str]:
        return {"high": "UBIGINT", "low": "UBIGINT", **self._kind.columns}

    def _name(self, bundle: Bundle) -> str:
        return f"{self._kind.name}_{bundle.number}"

    def _make(self, bundle: Bundle) -> _BundleWriter:
        name = self._name(bundle)
        told = ", ".join(f"{column} {kind} {RAW}" for column, kind in self._columns.items())
        self._store.run(f"CREATE TABLE {name} ({told})")
        words = {one: column.make() for one, column in self.words(bundle).items()}
        return _BundleWriter(self._store, name, words)

    def _drop(self, bundle: Bundle) -> None:
        self._store.run(f"DROP TABLE {self._name(bundle)}")
        for column in self.words(bundle).values():
            column.drop()

    def _list(self, bundles: list[Bundle]) -> None:
        self._store.set_meta(f"bundles of {self._kind.name}", json.dumps(bundles).encode())


@dataclass(frozen=True, eq=False)
class _BundleWriter:
    """Writes a bundle, a portion at a time."""

    store: Tables
    """Where it goes."""

    table: str
    """The table of people."""

    words: dict[str, WordWriter]
    """Writers of the entries' numbers."""

    def add(self, portion: Portion) -> None:
        """Append people."""
        if len(portion) == 0:
            return
        columns = {"high": portion.high, "low": portion.low, **portion.columns}
        self.store.insert(self.table, pa.table(columns))
        for name, writer in self.words.items():
            writer.add(portion.entries[name])

    def end(self) -> None:
        """Complete what was begun."""
        for writer in self.words.values():
            writer.end()


def _widened(kind: str, bundle: Bundle) -> str:
    return WIDE if bundle.wide and kind == NARROW else kind


def _next(bundles: list[Bundle]) -> int:
    return 1 + max((bundle.number for bundle in bundles), default=0)


def _with_repeated(
    asked: IntArray, rows: IntArray, same: IntArray, repeated: IntArray
) -> tuple[IntArray, IntArray]:
    """Find whoever is asked for twice twice: beside those found, the others with their keys."""
    places = np.full(len(same), -1)
    places[asked] = rows
    others = repeated[places[same[repeated]] >= 0]
    asked, rows = np.concatenate([asked, others]), np.concatenate([rows, places[same[others]]])
    order = np.argsort(rows, kind="stable")
    return asked[order], rows[order]
