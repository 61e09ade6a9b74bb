"""What a simulated reader remembers and has learned, in the tables of a store."""

from __future__ import annotations

import functools

import numpy as np
import pyarrow as pa

from seriatim._typing import BoolArray, IntArray
from seriatim.errors import OrderError
from seriatim.inference.pasts import Pasts, past_of
from seriatim.knowledge.learning import Lesson, require_unchanged
from seriatim.publish.duckdb_bundles import Bundles, Portion
from seriatim.publish.duckdb_layout import CONTEXTS
from seriatim.publish.past_records import PASTS, needs_wide, packed_pasts
from seriatim.publish.recalled_pasts import RecalledPasts, recalled_pasts
from seriatim.publish.store_tables import Tables


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
        return self._recalled(respondents)

    def _recalled(self, respondents: pa.Array) -> tuple[BoolArray, RecalledPasts | None]:
        self._store.require_kind_of_ids(respondents)
        known = np.zeros(len(respondents), dtype=bool)
        structure = self._store.meta("structure")
        if structure is None or len(respondents) == 0:
            return known, None
        bundles = Bundles(self._store, PASTS)
        found = bundles.find(respondents)
        if not found:
            return known, None
        for one in found:
            known[one.asked] = True
        n_values = self._store.number("values")
        again = functools.partial(self._recalled_again, respondents, self.version)
        return known, recalled_pasts(bundles, found, past_of(known), n_values, structure, again)

    def _recalled_again(self, respondents: pa.Array, version: int) -> RecalledPasts:
        """Return pasts that were recalled before, as they still are."""
        _, pasts = self._recalled(respondents) if self.version == version else (None, None)
        if pasts is None:
            message = "The store has changed since these pasts were recalled. Recall them again."
            raise OrderError(message)
        return pasts

    def keep(self, respondents: pa.Array, pasts: Pasts, seen: BoolArray | None = None) -> None:
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
        high, low = store.keys(respondents)
        if seen is not None and not seen.all():
            high, low = high[seen], low[seen]
        wide = needs_wide(pasts)
        packed = packed_pasts(pasts, high, low, wide=wide)
        Bundles(store, PASTS).append(packed, high, low, wide=wide)
        store.set_meta("memory version", str(self.version + 1).encode())


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
        bundles = Bundles(self._store, CONTEXTS)
        for one in bundles.find(respondents):
            found[one.asked] = bundles.column(one.bundle, "context")[one.rows]
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
        if len(high):
            portion = Portion(high, low, {"context": lesson.contexts}, {})
            Bundles(store, CONTEXTS).append([portion], high, low)
        counted = pa.table({"cell": pa.array(lesson.cells), "times": pa.array(lesson.times)})
        store.insert("counts", counted)
        store.set_meta("size of counts", str(lesson.size).encode())
        store.set_meta("notebook version", str(version).encode())
        if store.meta("ids are texts") is None:
            is_text = pa.types.is_string(lesson.respondents.type)
            store.set_meta("ids are texts", str(int(is_text)).encode())
