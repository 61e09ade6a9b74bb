"""What a store remembers of people: a bundle for every release, in columns of plain numbers.

A bundle is a file of its own (``number_file.py``), with a few numbers of each person of a
release: their key, and what is remembered. Where that has no fixed length it lies in columns of
entries, person after person. The database says which bundles there are, and what lies where in
their files. Newer bundles are looked at first, so nothing is ever changed in place.

A new bundle takes in what still counts of those before it that are not more than twice its
size. So there are few bundles, each more than twice as large as the next, and at most as many
rows that no longer count as rows that do; where everyone comes every time, what was before is
dropped without being read.
"""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from seriatim._typing import BoolArray, IntArray, WordArray
from seriatim.publish.key_lookup import KeyLookup
from seriatim.publish.number_file import Chunk, NumberFile, Section
from seriatim.publish.read_ahead import read_ahead
from seriatim.publish.store_tables import Tables

PIECE = 2**16
"""People of whom something is read or written at a time."""

_HEADS = 2**18
"""People of whom keys, or other numbers but no entries, are read at a time."""

NARROW, WIDE = np.dtype("<u2"), np.dtype("<u4")
"""The types of small numbers: such as fit, and where some do not."""

_KEYS = {"high": np.dtype("<u8"), "low": np.dtype("<u8")}
"""The columns of people's keys."""


class Bundle(NamedTuple):
    """One bundle."""

    number: int
    """Greater than that of any bundle before."""

    people: int
    """How many rows it has."""

    wide: bool
    """Whether some of its small numbers need 32 bits."""

    file: str = ""
    """The name of its file."""

    chunks: Sequence[Chunk] = ()
    """What lies where in the file."""


@dataclass(frozen=True)
class Kind:
    """What is remembered of each person under a name."""

    name: str
    """What it is called."""

    columns: Mapping[str, np.dtype[Any]]
    """The numbers of each person, and their types; ``entries`` counts the person's entries."""

    entries: Mapping[str, np.dtype[Any]]
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
        columns = {name: np.empty(0, one) for name, one in kind.columns.items()}
        entries = {name: np.empty(0, one) for name, one in kind.entries.items()}
        return cls(nobody, nobody, columns, entries)

    def __len__(self) -> int:
        """Return the number of people."""
        return len(self.high)

    def without(self, gone: BoolArray) -> Portion:
        """Return those who stay; the entries here are no longer whole then."""
        stay = ~gone
        kept = {name: column[stay] for name, column in self.columns.items()}
        entries = {}
        if self.entries:
            from seriatim.kernels.packing import close_up

            for name, column in self.entries.items():
                entries[name] = column[: close_up(self.columns["entries"], gone, column)]
        return Portion(self.high[stay], self.low[stay], kept, entries)


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
        return [] if found is None else [_read(one) for one in json.loads(found)]

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
            asked, rows = lookup.first_of(missing, self._key_pieces(bundle), bundle.people)
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
        return self._file(bundle).read({name: self._kind.columns[name]}, 0, bundle.people)[name]

    def heads(self, bundle: Bundle, people: int) -> Iterator[tuple[int, dict[str, np.ndarray]]]:
        """Go through all numbers of the first so many people of a bundle, some at a time.

        Beside them who the first of these is; they are gone when the next ones come.
        """
        file = self._file(bundle)

        def read(first: int, room: dict[str, np.ndarray]) -> tuple[int, dict[str, np.ndarray]]:
            last = min(first + _HEADS, people)
            return first, file.read(self._kind.columns, first, last, room)

        return read_ahead(read, range(0, people, _HEADS))

    def entries(
        self, bundle: Bundle, first: int, last: int, room: dict[str, np.ndarray]
    ) -> tuple[dict[str, np.ndarray], int]:
        """Return arrays that hold the entries first..last of a bundle, and a shift.

        Entry n is at n + shift. The arrays are taken from ``room``, which may have been used
        before.
        """
        return self._file(bundle).read_into(room, self._entries(bundle), first, last)

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
        wide = wide or any(one.wide for one in taken_in)
        newer = [(high, low)]
        for old in taken_in:
            keys = self._keys(old)
            lookup = KeyLookup(*(np.concatenate(words) for words in zip(*newer, strict=True)))
            gone = lookup.rows_of(*keys) >= 0
            if not gone.all():
                portions = itertools.chain(portions, self._without(old, gone))
                newer.append((keys[0][~gone], keys[1][~gone]))
        self._list([*bundles, self._written(number, portions, wide=wide)])

    def replace(self, changed: Mapping[int, Iterable[Portion]], *, wide: bool = False) -> None:
        """Write some bundles anew, in their places."""
        bundles: list[Bundle] = []
        fresh = _next(self.listed)
        for old in self.listed:
            if old.number not in changed:
                bundles.append(old)
                continue
            new = self._written(fresh, changed[old.number], wide=wide or old.wide)
            fresh += 1
            if new.people:
                bundles.append(new)
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

    def pieces(
        self, bundle: Bundle, room: dict[str, np.ndarray] | None = None
    ) -> Iterator[Portion]:
        """Go through a bundle, so many people at a time as stay small.

        With a ``room`` a portion is gone when the next one comes.
        """
        file, columns = self._file(bundle), _KEYS | dict(self._kind.columns)
        begin = 0
        for first in range(0, bundle.people, PIECE):
            found = file.read(columns, first, min(first + PIECE, bundle.people), room)
            high, low = found.pop("high"), found.pop("low")
            entries = {}
            if self._kind.entries:
                end = begin + int(found["entries"].sum(dtype=np.int64))
                entries = file.read(self._entries(bundle), begin, end, room)
                begin = end
            yield Portion(high, low, found, entries)

    def _without(self, bundle: Bundle, gone: BoolArray) -> Iterator[Portion]:
        """Go through a bundle without some of its people."""
        first = 0
        for portion in self.pieces(bundle, {}):
            yield portion.without(gone[first : first + len(portion)])
            first += len(portion)

    def _keys(self, bundle: Bundle) -> tuple[WordArray, WordArray]:
        found = self._file(bundle).read(_KEYS, 0, bundle.people)
        return found["high"], found["low"]

    def _key_pieces(self, bundle: Bundle) -> Iterator[tuple[WordArray, WordArray]]:
        """Go through the keys of a bundle; some are gone when the next ones come."""
        file = self._file(bundle)

        def read(first: int, room: dict[str, np.ndarray]) -> tuple[WordArray, WordArray]:
            found = file.read(_KEYS, first, min(first + _HEADS, bundle.people), room)
            return found["high"], found["low"]

        return read_ahead(read, range(0, bundle.people, _HEADS))

    def _file(self, bundle: Bundle) -> NumberFile:
        return NumberFile(self._store.people.path / bundle.file, bundle.chunks)

    def _entries(self, bundle: Bundle) -> dict[str, np.dtype[Any]]:
        """Return the columns of the entries."""
        return {
            name: WIDE if bundle.wide and kind == NARROW else kind
            for name, kind in self._kind.entries.items()
        }

    def _written(self, number: int, portions: Iterable[Portion], *, wide: bool) -> Bundle:
        """Write a new bundle."""
        file, writer = self._store.people.begin(f"{self._kind.name}-{number}")
        new = Bundle(number, 0, wide, file)
        kinds = _KEYS | dict(self._kind.columns) | self._entries(new)
        with contextlib.closing(writer):
            for portion in portions:
                if len(portion):
                    writer.add(_columns(portion, kinds))
                    new = new._replace(people=new.people + len(portion))
        return new._replace(chunks=writer.chunks)

    def _list(self, bundles: list[Bundle]) -> None:
        self._store.set_meta(f"bundles of {self._kind.name}", json.dumps(bundles).encode())


def _columns(portion: Portion, kinds: Mapping[str, np.dtype[Any]]) -> dict[str, np.ndarray]:
    """Return everything of a portion, as it is written."""
    columns = {"high": portion.high, "low": portion.low, **portion.columns, **portion.entries}
    return {name: columns[name].astype(kind, copy=False) for name, kind in kinds.items()}


def _read(record: list[Any]) -> Bundle:
    """Return a bundle from what was recorded of it; older stores had no files."""
    number, people, wide, file, chunks = (*record, "", ())[:5]
    sections = [{name: Section(*one) for name, one in chunk.items()} for chunk in chunks]
    return Bundle(number, people, wide, file, sections)


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
