"""What a simulated reader remembers and has learned, in the tables of a store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from seriatim._typing import BoolArray, IntArray
from seriatim.errors import OrderError
from seriatim.inference.pasts import Pasts
from seriatim.knowledge.learning import Lesson, require_unchanged
from seriatim.publish.past_records import packed_pasts, unpacked_pasts

_PIECE = 2**20
"""Pasts that are read or written at a time."""


class Tables(Protocol):
    """The tables of a store, and how people are known in them."""

    def meta(self, name: str) -> bytes | None:
        """Return a value kept under a name."""
        ...

    def set_meta(self, name: str, value: bytes) -> None:
        """Keep a value under a name."""
        ...

    def number(self, name: str) -> int:
        """Return a number kept under a name; 0 where there is none."""
        ...

    def keys(self, respondents: pa.Array) -> tuple[pa.Array, pa.Array]:
        """Return the keyed digests of ids, as two columns of numbers."""
        ...

    def require_kind_of_ids(self, respondents: pa.Array) -> None:
        """Refuse ids of another kind than before."""
        ...

    def table(self, query: str, **tables: pa.Table) -> pa.Table:
        """Run a query over the store and some tables of one's own."""
        ...

    def newest(self, name: str, respondents: pa.Array) -> tuple[IntArray, IntArray]:
        """Return who of some respondents has rows in a table, and where the newest ones are."""
        ...

    def latest(self, name: str, column: str, respondents: pa.Array) -> tuple[IntArray, IntArray]:
        """Return who of some respondents has rows in a table, and a column of the newest ones."""
        ...

    def run(self, statement: str, values: list[Any] | None = None) -> None:
        """Run a statement."""
        ...

    def insert(self, name: str, rows: pa.Table) -> None:
        """Append rows to a table."""
        ...


class DuckDBMemory:
    """What the simulated reader remembers, in a store."""

    def __init__(self, store: Tables) -> None:
        """Look at a store."""
        self._store = store

    def __repr__(self) -> str:
        """Say where it is."""
        return f"DuckDBMemory({self._store!r})"

    @property
    def version(self) -> int:
        """A number that grows with every change."""
        return self._store.number("memory version")

    def recall(self, respondents: pa.Array) -> tuple[BoolArray, Pasts | None]:
        """Return who is remembered, and the pasts of those in the order asked; None for nobody."""
        self._store.require_kind_of_ids(respondents)
        known = np.zeros(len(respondents), dtype=bool)
        structure = self._store.meta("structure")
        if structure is None or len(respondents) == 0:
            return known, None
        rows, places = self._store.newest("pasts", respondents)
        if len(rows) == 0:
            return known, None
        known[rows] = True
        pieces = self._fetched(rows, places)
        return known, unpacked_pasts(pieces, self._store.number("values"), structure)

    def _fetched(self, rows: IntArray, places: IntArray) -> Iterator[pa.Table]:
        """Go through the pasts at some places, so many at a time as stay small."""
        order = np.argsort(places)
        for begin in range(0, len(rows), _PIECE):
            some = order[begin : begin + _PIECE]
            newest = pa.table({"row": pa.array(rows[some]), "place": pa.array(places[some])})
            least, greatest = int(places[some[0]]), int(places[some[-1]])
            yield self._store.table(
                "SELECT row, seen_at, past FROM newest JOIN pasts ON pasts.rowid = newest.place"
                f" WHERE pasts.rowid BETWEEN {least} AND {greatest}",
                newest=newest,
            )

    def keep(self, respondents: pa.Array, pasts: Pasts) -> None:
        """Put pasts in the place of what was remembered of these respondents."""
        store = self._store
        structure = store.meta("structure")
        if structure is not None and pasts.structure != structure:
            message = "One memory holds pasts of one sequence model only. Use another store."
            raise OrderError(message)
        store.require_kind_of_ids(respondents)
        if structure is None:
            store.set_meta("structure", pasts.structure)
            store.set_meta("values", str(pasts.latest.width).encode())
            is_text = pa.types.is_string(respondents.type)
            store.set_meta("ids are texts", str(int(is_text)).encode())
        version = self.version + 1
        high, low = store.keys(respondents)
        for begin in range(0, len(pasts), _PIECE):
            end = min(begin + _PIECE, len(pasts))
            written = pa.table(
                {
                    "high": high[begin:end],
                    "low": low[begin:end],
                    "version": pa.array(np.full(end - begin, version, dtype=np.int32)),
                    "seen_at": pa.array(pasts.seen_at[begin:end]),
                    "past": packed_pasts(pasts, begin, end),
                }
            )
            store.insert("pasts", written)
        store.set_meta("memory version", str(version).encode())


class DuckDBNotebook:
    """What the simulated reader learned from the views, in a store."""

    def __init__(self, store: Tables) -> None:
        """Look at a store."""
        self._store = store

    def __repr__(self) -> str:
        """Say where it is."""
        return f"DuckDBNotebook({self._store!r})"

    @property
    def version(self) -> int:
        """A number that grows with every lesson."""
        return self._store.number("notebook version")

    def contexts(self, respondents: pa.Array) -> IntArray:
        """Return the context of each respondent; 0 for those never seen."""
        self._store.require_kind_of_ids(respondents)
        found = np.zeros(len(respondents), dtype=np.int64)
        if self.version == 0:
            return found
        rows, contexts = self._store.latest("contexts", "context", respondents)
        found[rows] = contexts
        return found

    def counts(self, size: int) -> IntArray:
        """Return what was counted so far, as a flat table of a size; not to be changed."""
        kept = self._store.number("size of counts")
        if kept not in (0, size):
            message = (
                "The notebook was kept with another number of steps, values or classes. Go on"
                " with the knowledge that the series was begun with."
            )
            raise OrderError(message)
        found = np.zeros(size, dtype=np.int64)
        rows = self._store.table(
            "SELECT cell, sum(times)::BIGINT AS times FROM counts GROUP BY cell"
        )
        found[rows.column("cell").to_numpy()] = rows.column("times").to_numpy()
        return found

    def keep(self, lesson: Lesson) -> None:
        """Add a lesson, which must rest on the notebook as it is."""
        require_unchanged(self, lesson)
        store = self._store
        version = self.version + 1
        high, low = store.keys(lesson.respondents)
        written = pa.table(
            {
                "high": high,
                "low": low,
                "version": pa.array(np.full(len(lesson.contexts), version, dtype=np.int32)),
                "context": pa.array(lesson.contexts),
            }
        )
        store.insert("contexts", written)
        counted = pa.table({"cell": pa.array(lesson.cells), "times": pa.array(lesson.times)})
        store.insert("counts", counted)
        store.set_meta("size of counts", str(lesson.size).encode())
        store.set_meta("notebook version", str(version).encode())
        if store.meta("ids are texts") is None:
            is_text = pa.types.is_string(lesson.respondents.type)
            store.set_meta("ids are texts", str(int(is_text)).encode())
