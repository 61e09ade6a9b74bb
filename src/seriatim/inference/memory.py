"""Where a reader keeps what it remembers of each respondent."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import pyarrow as pa

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray
from seriatim.errors import OrderError
from seriatim.inference.pasts import Pasts, spans
from seriatim.knowledge.runs import Runs
from seriatim.microdata.slots import Slots


class Memory(Protocol):
    """Keeps one past per respondent."""

    @property
    def version(self) -> int:
        """A number that grows with every change."""
        ...

    def recall(self, respondents: pa.Array) -> tuple[BoolArray, Pasts | None]:
        """Return who is remembered, and the pasts of those in the order asked; None for nobody."""
        ...

    def keep(self, respondents: pa.Array, pasts: Pasts, seen: BoolArray | None = None) -> None:
        """Put pasts in the place of what was remembered of these respondents.

        ``seen`` tells which of them the pasts are of, all if left out: a memory that was asked
        about the same respondents before may know them by then.
        """
        ...


class Arena:
    """Runs of many rows, in arrays that grow.

    Runs are written at the end; what they replace becomes waste, and the arena is compacted
    when it is full.
    """

    def __init__(self) -> None:
        """Hold nothing."""
        self.begins: IntArray = np.empty(0, dtype=np.int64)
        self.lengths: IntArray = np.empty(0, dtype=np.int64)
        self._places: SmallIntArray = np.empty(0, dtype=np.int32)
        self._weights: FloatArray = np.empty(0)
        self._used = 0

    @property
    def nbytes(self) -> int:
        """Bytes in the arrays."""
        arrays = (self.begins, self.lengths, self._places, self._weights)
        return sum(array.nbytes for array in arrays)

    def read(self, rows: IntArray, width: int) -> Runs:
        """Return the runs of some rows."""
        lengths = self.lengths[rows]
        entries = spans(self.begins[rows], lengths)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        return Runs(offsets, self._places[entries], self._weights[entries], width)

    def make_room(self, rows: int, entries: int) -> None:
        """Have room for so many rows in all, and so many entries more."""
        more = rows - len(self.lengths)
        if more > 0:
            # Doubling keeps the cost of growth proportional to the newcomers.
            more = max(more, len(self.lengths))
            self.begins = np.concatenate([self.begins, np.zeros(more, dtype=np.int64)])
            self.lengths = np.concatenate([self.lengths, np.zeros(more, dtype=np.int64)])
        if self._used + entries <= len(self._weights):
            return
        live = int(self.lengths.sum())
        kept = spans(self.begins, self.lengths)
        capacity = 2 * (live + entries)
        places, weights = np.empty(capacity, dtype=np.int32), np.empty(capacity)
        places[:live], weights[:live] = self._places[kept], self._weights[kept]
        self.begins = np.cumsum(self.lengths) - self.lengths
        self._places, self._weights, self._used = places, weights, live

    def write(self, rows: IntArray, runs: Runs) -> None:
        """Put runs in the place of those of some rows; there must be room."""
        end = self._used + len(runs.weights)
        self._places[self._used : end] = runs.places
        self._weights[self._used : end] = runs.weights
        self.begins[rows] = self._used + runs.offsets[:-1]
        self.lengths[rows] = runs.lengths
        self._used = end


class LocalMemory:
    """Pasts in arrays that grow with the respondents seen, not with the releases."""

    def __init__(self) -> None:
        """Remember nobody."""
        self._slots = Slots()
        self._runs = Arena()
        self._latest = Arena()
        self._seen_at: FloatArray = np.empty(0)
        self._n_values = 0
        self._structure = b""
        self._version = 0

    def __len__(self) -> int:
        """Return the number of respondents remembered."""
        return len(self._slots)

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"LocalMemory({len(self)} respondents)"

    @property
    def version(self) -> int:
        """A number that grows with every change."""
        return self._version

    @property
    def nbytes(self) -> int:
        """Bytes in the arrays, without the respondents' ids."""
        return self._runs.nbytes + self._latest.nbytes + self._seen_at.nbytes

    def recall(self, respondents: pa.Array) -> tuple[BoolArray, Pasts | None]:
        """Return who is remembered, and the pasts of those in the order asked; None for nobody."""
        slots = self._slots.of(respondents)
        known = slots >= 0
        if not known.any():
            return known, None
        slots = slots[known]
        runs = self._runs.read(slots, 0)
        latest = self._latest.read(slots, self._n_values)
        pasts = Pasts(
            runs.offsets,
            runs.places,
            runs.weights,
            latest,
            self._seen_at[slots],
            self._structure,
        )
        return known, pasts

    def keep(self, respondents: pa.Array, pasts: Pasts, seen: BoolArray | None = None) -> None:
        """Put pasts in the place of what was remembered of these respondents."""
        if seen is not None:
            respondents = respondents.filter(pa.array(seen))
        if len(self) and pasts.structure != self._structure:
            message = "One memory holds pasts of one sequence model only. Use another memory."
            raise OrderError(message)
        slots, new = self._slots.with_newcomers(respondents)
        # Room is made before anything is changed: a failed allocation leaves all as it was.
        n_slots = len(self) + len(new)
        self._runs.make_room(n_slots, len(pasts.weights))
        self._latest.make_room(n_slots, len(pasts.latest.weights))
        if n_slots > len(self._seen_at):
            self._seen_at = np.concatenate([self._seen_at, np.full(n_slots, np.nan)])
        self._runs.write(slots, pasts.runs)
        self._latest.write(slots, pasts.latest)
        self._seen_at[slots] = pasts.seen_at
        self._slots.add(respondents.take(pa.array(new)), slots[new])
        self._n_values = pasts.latest.width
        self._structure = pasts.structure
        self._version += 1
