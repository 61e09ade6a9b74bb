"""Where a reader keeps what it remembers of each respondent."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import pyarrow as pa

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray
from seriatim.errors import OrderError
from seriatim.inference.pasts import Pasts, spans
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

    def keep(self, respondents: pa.Array, pasts: Pasts) -> None:
        """Put pasts in the place of what was remembered of these respondents."""
        ...


class LocalMemory:
    """Pasts in arrays that grow with the respondents seen, not with the releases.

    Entries of a respondent are written at the end of an arena; what they
    replace becomes waste, and the arena is compacted when it is full.
    """

    def __init__(self) -> None:
        """Remember nobody."""
        self._slots = Slots()
        self._begins: IntArray = np.empty(0, dtype=np.int64)
        self._lengths: IntArray = np.empty(0, dtype=np.int64)
        self._posterior: FloatArray = np.empty((0, 0))
        self._seen_at: FloatArray = np.empty(0)
        self._places: SmallIntArray = np.empty(0, dtype=np.int32)
        self._weights: FloatArray = np.empty(0)
        self._used = 0
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
        arrays = (self._begins, self._lengths, self._posterior, self._seen_at, self._places)
        return sum(array.nbytes for array in (*arrays, self._weights))

    def recall(self, respondents: pa.Array) -> tuple[BoolArray, Pasts | None]:
        """Return who is remembered, and the pasts of those in the order asked; None for nobody."""
        slots = self._slots.of(respondents)
        known = slots >= 0
        if not known.any():
            return known, None
        slots = slots[known]
        lengths = self._lengths[slots]
        entries = spans(self._begins[slots], lengths)
        pasts = Pasts(
            np.concatenate([[0], np.cumsum(lengths)]),
            self._places[entries],
            self._weights[entries],
            self._posterior[slots],
            self._seen_at[slots],
            self._structure,
        )
        return known, pasts

    def keep(self, respondents: pa.Array, pasts: Pasts) -> None:
        """Put pasts in the place of what was remembered of these respondents."""
        if len(self) and pasts.structure != self._structure:
            message = "One memory holds pasts of one sequence model only. Use another memory."
            raise OrderError(message)
        slots, new = self._slots.with_newcomers(respondents)
        # Room is made before anything is changed: a failed allocation leaves all as it was.
        self._make_slots(len(self) + len(new), pasts.posterior.shape[1])
        self._make_room(len(pasts.weights))
        end = self._used + len(pasts.weights)
        self._places[self._used : end] = pasts.places
        self._weights[self._used : end] = pasts.weights
        self._begins[slots] = self._used + pasts.offsets[:-1]
        self._lengths[slots] = np.diff(pasts.offsets)
        self._posterior[slots] = pasts.posterior
        self._seen_at[slots] = pasts.seen_at
        self._slots.add(respondents.take(pa.array(new)), slots[new])
        self._structure = pasts.structure
        self._used = end
        self._version += 1

    def _make_slots(self, n_slots: int, n_values: int) -> None:
        more = n_slots - len(self._lengths)
        if more <= 0:
            return
        # Doubling keeps the cost of growth proportional to the newcomers.
        more = max(more, len(self._lengths))
        if self._posterior.shape[1] != n_values:
            self._posterior = np.empty((0, n_values))
        self._begins = np.concatenate([self._begins, np.zeros(more, dtype=np.int64)])
        self._lengths = np.concatenate([self._lengths, np.zeros(more, dtype=np.int64)])
        self._posterior = np.concatenate([self._posterior, np.zeros((more, n_values))])
        self._seen_at = np.concatenate([self._seen_at, np.full(more, np.nan)])

    def _make_room(self, entries: int) -> None:
        """Compact the arena into a larger one when the new entries do not fit behind the old."""
        if self._used + entries <= len(self._weights):
            return
        lengths = self._lengths[: len(self)]
        live = int(lengths.sum())
        kept = spans(self._begins[: len(self)], lengths)
        capacity = 2 * (live + entries)
        places = np.empty(capacity, dtype=np.int32)
        weights = np.empty(capacity)
        places[:live] = self._places[kept]
        weights[:live] = self._weights[kept]
        self._begins[: len(self)] = np.cumsum(lengths) - lengths
        self._places, self._weights, self._used = places, weights, live
