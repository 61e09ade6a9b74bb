"""Pasts that lie in a store: gone through piece by piece, and made plain only for who asks.

A store hands over entries in single precision, people in its own order. Whoever goes forward
computes what is expected of each from them, and what is to be kept next, while they are near;
then they are let go. What all pasts of a large series need never is in memory at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from seriatim._typing import FloatArray, HalfArray, IntArray, SingleArray, SmallIntArray
from seriatim.inference.pasts import Pasts, spans
from seriatim.knowledge.runs import Runs


class Piece(NamedTuple):
    """The entries of some people."""

    people: IntArray
    """Whose they are."""

    begins: IntArray
    """Where each one's places and their shares begin."""

    middles: IntArray
    """Where they end, and the possible values and the belief in each begin."""

    ends: IntArray
    """Where these end."""

    place: HalfArray
    """Places, then values, person after person; in 32 bits where some need them."""

    share: SingleArray
    """The share of each."""

    @classmethod
    def nobodys(cls) -> Piece:
        """Return a piece without people."""
        nobody = np.empty(0, np.int64)
        place, share = np.empty(0, np.uint16), np.empty(0, np.float32)
        for array in (place, share):  # as those of a store
            array.setflags(write=False)
        return cls(nobody, nobody, nobody, nobody, place, share)


class Pushed(NamedTuple):
    """Weights pushed through the last posterior, rounded as they are kept."""

    offsets: IntArray
    """Where those of each past begin; one more than pasts."""

    place: HalfArray
    """Where weight lies."""

    share: SingleArray
    """The share of each."""

    @classmethod
    def with_room(cls, lengths: IntArray, greatest: int) -> Pushed:
        """Return weights of some lengths on places up to a number; none is written yet."""
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        kind = np.uint16 if greatest <= np.iinfo(np.uint16).max else np.uint32
        return cls(offsets, np.empty(offsets[-1], kind), np.empty(offsets[-1], np.float32))

    @classmethod
    def nowhere(cls) -> Pushed:
        """Return the weights of nobody."""
        return cls.with_room(np.empty(0, np.int64), 0)


class LazyPasts(Pasts, ABC):
    """Pasts whose arrays are made when asked for."""

    def __init__(self, seen_at: FloatArray, structure: bytes) -> None:
        """Take what is known without making them."""
        object.__setattr__(self, "seen_at", seen_at)
        object.__setattr__(self, "structure", structure)

    def __len__(self) -> int:
        """Return the number of respondents."""
        return len(self.seen_at)

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"{type(self).__name__}({len(self)} respondents)"

    @property
    @abstractmethod
    def plain(self) -> Pasts:
        """The same with arrays of their own."""

    @property
    def offsets(self) -> IntArray:
        """Where each respondent's entries begin; one more than respondents."""
        return self.plain.offsets

    @property
    def places(self) -> SmallIntArray | HalfArray:
        """Where weight lies, respondent by respondent."""
        return self.plain.places

    @property
    def weights(self) -> FloatArray:
        """The weight on each of them; sums to 1 for each respondent."""
        return self.plain.weights

    @property
    def latest(self) -> Runs:
        """The posterior at the last release seen."""
        return self.plain.latest


class StoredPasts(LazyPasts):
    """Pasts in a store, which must stay as it is until they were gone through."""

    possible: IntArray
    """How many values are possible for each."""

    most: int
    """On how many places the weight of anyone lies, at most."""

    pushed: Pushed | None = None
    """Their weights pushed on, once they were gone through."""

    def __init__(
        self, possible: IntArray, most: int, seen_at: FloatArray, structure: bytes
    ) -> None:
        """Take what is known without reading them."""
        super().__init__(seen_at, structure)
        object.__setattr__(self, "possible", possible)
        object.__setattr__(self, "most", most)

    @abstractmethod
    def each(self, work: Callable[[Piece], None]) -> None:
        """Call ``work`` with every piece, on all cores; a piece is gone when it is done."""

    def push(self, pushed: Pushed) -> None:
        """Keep the weights that were pushed on the way."""
        object.__setattr__(self, "pushed", pushed)


class PushedPasts(LazyPasts):
    """Pasts after one more release, whose weights are rounded already."""

    pushed: Pushed
    """The weights of those who had a past."""

    rows: IntArray
    """Which of them are whose; -1 for a respondent seen for the first time."""

    origin: int
    """Where the weight of such a one lies."""

    def __init__(
        self, pushed: Pushed, rows: IntArray, origin: int, posterior: Runs, structure: bytes
    ) -> None:
        """Take pushed weights, and the new posterior."""
        super().__init__(np.broadcast_to(np.nan, len(rows)), structure)
        given = {"pushed": pushed, "rows": rows, "origin": origin, "_posterior": posterior}
        for name, one in given.items():
            object.__setattr__(self, name, one)

    _posterior: Runs

    @property
    def latest(self) -> Runs:
        """The posterior at the last release seen."""
        return self._posterior

    def seen(self, moment: float) -> PushedPasts:
        """Return the pasts of people who were all seen at one moment."""
        made = PushedPasts(self.pushed, self.rows, self.origin, self._posterior, self.structure)
        object.__setattr__(made, "seen_at", np.broadcast_to(float(moment), len(self)))
        return made

    @cached_property
    def plain(self) -> Pasts:
        """The same with arrays of their own."""
        offsets, place, share = self.pushed
        lengths = np.where(self.rows < 0, 1, np.diff(offsets)[self.rows])
        runs = Runs.with_room(lengths, 0)
        runs.places[:], runs.weights[:] = self.origin, 1.0
        theirs = np.flatnonzero(self.rows >= 0)
        entries = spans(runs.offsets[theirs], lengths[theirs])
        kept = spans(offsets[self.rows[theirs]], lengths[theirs])
        runs.places[entries], runs.weights[entries] = place[kept], share[kept]
        if len(runs.weights):
            sums = np.add.reduceat(runs.weights, runs.offsets[:-1])
            runs.weights[:] /= np.repeat(sums, lengths)
        return Pasts(
            runs.offsets, runs.places, runs.weights, self.latest, self.seen_at, self.structure
        )
