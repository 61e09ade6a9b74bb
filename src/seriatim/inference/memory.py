"""Where a reader keeps what it remembers of each respondent."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray
from seriatim.errors import OrderError
from seriatim.inference.pasts import Pasts, spans
from seriatim.microdata.tables import to_numpy


class Memory(Protocol):
    """Keeps one past per respondent."""

    def recall(self, respondents: pa.Array) -> tuple[BoolArray, Pasts]:
        """Return who is remembered, and the pasts of those, in the order asked."""
        ...

    def keep(self, respondents: pa.Array, pasts: Pasts) -> None:
        """Put pasts in the place of what was remembered of these respondents."""
        ...


class LocalMemory:
    """Pasts in arrays that grow with the respondents seen, not with the releases.

    Entries of a respondent are written at the end of an arena; what they
    replace becomes waste, and the arena is compacted when half of it is.
    """

    def __init__(self) -> None:
        """Remember nobody."""
        self._respondents: pa.Array | None = None
        self._begins: IntArray = np.empty(0, dtype=np.int64)
        self._lengths: IntArray = np.empty(0, dtype=np.int64)
        self._posterior: FloatArray = np.empty((0, 0))
        self._junctions: SmallIntArray = np.empty(0, dtype=np.int32)
        self._weights: FloatArray = np.empty(0)
        self._used = 0

    def __len__(self) -> int:
        """Return the number of respondents remembered."""
        return 0 if self._respondents is None else len(self._respondents)

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"LocalMemory({len(self)} respondents)"

    @property
    def nbytes(self) -> int:
        """Bytes in the arrays, without the respondents' ids."""
        return sum(
            array.nbytes
            for array in (
                self._begins,
                self._lengths,
                self._posterior,
                self._junctions,
                self._weights,
            )
        )

    def recall(self, respondents: pa.Array) -> tuple[BoolArray, Pasts]:
        """Return who is remembered, and the pasts of those, in the order asked."""
        slots = self._slots_of(respondents)
        known = slots >= 0
        slots = slots[known]
        lengths = self._lengths[slots]
        entries = spans(self._begins[slots], lengths)
        pasts = Pasts(
            np.concatenate([[0], np.cumsum(lengths)]),
            self._junctions[entries],
            self._weights[entries],
            self._posterior[slots],
        )
        return known, pasts

    def keep(self, respondents: pa.Array, pasts: Pasts) -> None:
        """Put pasts in the place of what was remembered of these respondents."""
        slots = self._slots_of(respondents)
        new = slots < 0
        slots[new] = len(self) + np.arange(int(new.sum()))
        self._admit(respondents.filter(pa.array(new)), pasts.posterior.shape[1])
        self._make_room(len(pasts.weights))
        end = self._used + len(pasts.weights)
        self._junctions[self._used : end] = pasts.junctions
        self._weights[self._used : end] = pasts.weights
        self._begins[slots] = self._used + pasts.offsets[:-1]
        self._lengths[slots] = np.diff(pasts.offsets)
        self._posterior[slots] = pasts.posterior
        self._used = end

    def _slots_of(self, respondents: pa.Array) -> IntArray:
        if self._respondents is None:
            return np.full(len(respondents), -1, dtype=np.int64)
        if respondents.type != self._respondents.type:
            message = (
                f"Respondents were {self._respondents.type} in earlier releases and are"
                f" {respondents.type} now; they could not be recognized. Use one kind of id."
            )
            raise OrderError(message)
        found = pc.fill_null(pc.index_in(respondents, value_set=self._respondents), -1)
        return np.array(to_numpy(found), dtype=np.int64)

    def _admit(self, newcomers: pa.Array, n_values: int) -> None:
        if self._respondents is None:
            self._respondents = newcomers
            self._posterior = np.empty((0, n_values))
        else:
            self._respondents = pa.concat_arrays([self._respondents, newcomers])
        more = len(self._respondents) - len(self._lengths)
        if more > 0:
            # Doubling keeps the cost of growth proportional to the newcomers.
            more = max(more, len(self._lengths))
            self._begins = np.concatenate([self._begins, np.zeros(more, dtype=np.int64)])
            self._lengths = np.concatenate([self._lengths, np.zeros(more, dtype=np.int64)])
            self._posterior = np.concatenate([self._posterior, np.zeros((more, n_values))])

    def _make_room(self, entries: int) -> None:
        if self._used + entries <= len(self._weights):
            return
        live = int(self._lengths[: len(self)].sum())
        kept = spans(self._begins[: len(self)], self._lengths[: len(self)])
        capacity = 2 * (live + entries)
        junctions = np.empty(capacity, dtype=np.int32)
        weights = np.empty(capacity)
        junctions[:live] = self._junctions[kept]
        weights[:live] = self._weights[kept]
        ends = np.cumsum(self._lengths[: len(self)])
        self._begins[: len(self)] = ends - self._lengths[: len(self)]
        self._junctions, self._weights, self._used = junctions, weights, live
