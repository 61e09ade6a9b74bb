"""What a simulated reader remembers and has learned, in the tables of a store."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from seriatim._typing import BoolArray, IntArray
from seriatim.errors import OrderError
from seriatim.inference.pasts import Pasts
from seriatim.knowledge.learning import Lesson, require_unchanged


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
        high, low = self._store.keys(respondents)
        asked = pa.table({"high": high, "low": low, "row": pa.array(np.arange(len(respondents)))})
        found = self._store.table(
            "SELECT row, seen_at, places, weights, codes, beliefs FROM asked JOIN pasts"
            " USING (high, low) QUALIFY row_number() OVER (PARTITION BY row ORDER BY version DESC)"
            " = 1 ORDER BY row",
            asked=asked,
        ).combine_chunks()
        if found.num_rows == 0:
            return known, None
        known[found.column("row").to_numpy()] = True
        offsets, places = ragged(found, "places")
        _, weights = ragged(found, "weights")
        posterior = np.zeros((found.num_rows, self._store.number("values")))
        bounds, codes = ragged(found, "codes")
        rows = np.repeat(np.arange(found.num_rows), np.diff(bounds))
        posterior[rows, codes] = ragged(found, "beliefs")[1]
        posterior /= posterior.sum(axis=1, keepdims=True)
        weights = weights.astype(np.float64)
        weights /= np.repeat(np.add.reduceat(weights, offsets[:-1]), np.diff(offsets))
        seen_at = found.column("seen_at").to_numpy()
        pasts = Pasts(offsets, places.astype(np.int32), weights, posterior, seen_at, structure)
        return known, pasts

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
            store.set_meta("values", str(pasts.posterior.shape[1]).encode())
            is_text = pa.types.is_string(respondents.type)
            store.set_meta("ids are texts", str(int(is_text)).encode())
        version = self.version + 1
        high, low = store.keys(respondents)
        rows, codes = np.nonzero(pasts.posterior.astype(np.float32))
        bounds = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(pasts)))])
        beliefs = pasts.posterior[rows, codes].astype(np.float32)
        written = pa.table(
            {
                "high": high,
                "low": low,
                "version": pa.array(np.full(len(pasts), version, dtype=np.int32)),
                "seen_at": pa.array(pasts.seen_at),
                "places": lists(pasts.offsets, pasts.places),
                "weights": lists(pasts.offsets, pasts.weights.astype(np.float32)),
                "codes": lists(bounds, codes.astype(np.int32)),
                "beliefs": lists(bounds, beliefs),
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


def ragged(table: pa.Table, name: str) -> tuple[IntArray, Any]:
    """Return offsets and entries of a column of lists."""
    column = table.column(name)
    lists = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    offsets = np.asarray(lists.offsets).astype(np.int64)
    entries = np.asarray(lists.values)[offsets[0] : offsets[-1]]
    return offsets - offsets[0], entries


def lists(offsets: IntArray, entries: np.ndarray) -> pa.Array:
    """Return a column of lists from offsets and entries."""
    return pa.LargeListArray.from_arrays(pa.array(offsets.astype(np.int64)), pa.array(entries))
