"""What a partitioner remembers, in a DuckDB store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import IntArray
from seriatim.partition.register import UNPLACED, Enrolment, require_current
from seriatim.publish.duckdb_bundles import Bundles, Portion
from seriatim.publish.duckdb_layout import PLACES
from seriatim.publish.store_tables import Tables


class DuckDBRegister:
    """A register whose places are in a store's file, kept as beliefs are."""

    def __init__(self, store: Tables) -> None:
        """Read and write in a store."""
        self._store = store

    def __repr__(self) -> str:
        """Say where it is."""
        return f"DuckDBRegister({self._store!r})"

    @property
    def version(self) -> int:
        """A number that grows with every enrolment."""
        return self._store.number("register version")

    @property
    def plan(self) -> Mapping[str, Any]:
        """What is remembered besides places; empty before the first release."""
        found = self._store.meta("plan")
        kept: Mapping[str, Any] = {} if found is None else json.loads(found)
        return kept

    def places(self, respondents: pa.Array) -> IntArray:
        """Return the place of each respondent; -1 for those without one."""
        found = np.full(len(respondents), UNPLACED, dtype=np.int64)
        if self.version == 0:
            return found
        bundles = Bundles(self._store, PLACES)
        for one in bundles.find(respondents):
            found[one.asked] = bundles.column(one.bundle, "place")[one.rows]
        return found

    def keep(self, enrolment: Enrolment) -> None:
        """Take in an enrolment, which must rest on the register as it is."""
        require_current(self, enrolment)
        store, version = self._store, self.version + 1
        known = self.places(enrolment.respondents)
        moved = np.flatnonzero(known != enrolment.places)
        high, low = store.keys(enrolment.respondents.take(pa.array(moved)))
        if len(moved):
            portion = Portion(high, low, {"place": enrolment.places[moved]}, {})
            Bundles(store, PLACES).append([portion], high, low)
        store.set_meta("plan", json.dumps(dict(enrolment.plan)).encode())
        store.set_meta("register version", str(version).encode())
