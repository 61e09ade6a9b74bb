"""Pasts that were found in the bundles of a store, read some entries at a time."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from seriatim._typing import FloatArray, IntArray
from seriatim.inference.kept_pasts import Piece, Pushed, StoredPasts
from seriatim.inference.pasts import Pasts
from seriatim.knowledge.runs import Runs
from seriatim.publish.duckdb_bundles import Bundle, Bundles, Found
from seriatim.publish.key_lookup import still
from seriatim.publish.past_records import unpack

_ENTRIES = 2**20
"""Entries that are read at a time."""

Again: TypeAlias = "Callable[[], RecalledPasts]"
"""Finds pasts once more."""


class RecalledPasts(StoredPasts):
    """Pasts in the bundles of a store."""

    _bundles: Bundles
    _wanted: list[_Wanted] | None
    _width: int
    _again: Again

    def __init__(
        self,
        bundles: Bundles,
        wanted: list[_Wanted],
        possible: IntArray,
        width: int,
        seen_at: FloatArray,
        structure: bytes,
        again: Again,
    ) -> None:
        """Know where the entries lie, of a domain of so many values, and how to find them again."""
        most = max((int(one.counts.max(initial=0)) for one in wanted), default=0)
        super().__init__(possible, most, seen_at, structure)
        given = {"bundles": bundles, "wanted": wanted, "width": width, "again": again}
        for name, one in given.items():
            object.__setattr__(self, f"_{name}", one)

    def each(self, work: Callable[[Piece], None]) -> None:
        """Call ``work`` with every piece, on all cores; a piece is gone when it is done.

        Whoever works on a piece reads it, too, so that nobody waits for others.
        """
        if self._wanted is None:
            self._again().each(work)
            return
        from seriatim.kernels._jit import calls

        rooms: list[dict[str, np.ndarray]] = []

        def one(wanted: _Wanted) -> None:
            try:
                room = rooms.pop()
            except IndexError:  # all are in use
                room = {}
            work(self._read(wanted, room))
            rooms.append(room)

        calls(one, [(part,) for one in self._wanted for part in one.parts])

    def push(self, pushed: Pushed) -> None:
        """Keep the weights that were pushed on the way; where the others lie is let go."""
        super().push(pushed)
        object.__setattr__(self, "_wanted", None)

    def _read(self, wanted: _Wanted, room: dict[str, np.ndarray]) -> Piece:
        first, last = int(wanted.begins[0]), int(wanted.begins[-1] + wanted.lengths[-1])
        entries, shift = self._bundles.entries(wanted.bundle, first, last, room)
        begins = wanted.begins + shift
        middles, ends = begins + wanted.counts, begins + wanted.lengths
        places, shares = still(entries["place"]), still(entries["share"])
        return Piece(wanted.rows, begins, middles, ends, places, shares)

    @cached_property
    def plain(self) -> Pasts:
        """The same with arrays of their own."""
        if self._wanted is None:
            return self._again().plain
        counts = np.empty(len(self), np.int64)
        for one in self._wanted:
            counts[one.rows] = one.counts
        runs, latest = Runs.with_room(counts, 0), Runs.with_room(self.possible, self._width)

        def taken_in(piece: Piece) -> None:
            rows, begins, middles, ends, place, share = piece
            unpack(begins, middles - begins, ends - begins, place, share, rows, runs, latest)

        self.each(taken_in)
        return Pasts(runs.offsets, runs.places, runs.weights, latest, self.seen_at, self.structure)


def recalled_pasts(
    bundles: Bundles,
    found: list[Found],
    rows: IntArray,
    n_values: int,
    structure: bytes,
    again: Again,
) -> RecalledPasts:
    """Return pasts that were found; ``rows`` says where those of everyone asked for go.

    ``again`` finds the same once more, for whoever asks after they were gone through.
    """
    from seriatim.kernels._jit import calls, over_ranges
    from seriatim.kernels.packing import add_up, unpack_heads

    n_found = sum(len(one.rows) for one in found)
    possible, seen_at = np.empty(n_found, np.int64), np.empty(n_found)

    def wanted(one: Found) -> _Wanted:
        length = len(one.rows)
        heads = _Wanted(
            one.bundle,
            np.empty(length, np.int64),
            np.empty(length, np.uint32),
            np.empty(length, np.uint32),
            rows[one.asked],
        )
        begin = end = 0
        for first, kept in bundles.heads(one.bundle, int(one.rows[-1]) + 1):
            places, entries, seen = kept["places"], kept["entries"], kept["seen_at"]
            before = np.empty(len(entries), np.int64)
            end = add_up(entries, end, before)
            last = int(np.searchsorted(one.rows, first + len(entries)))
            _, *into = heads.part(begin, last)
            theirs = (one.rows[begin:last], first, places, entries, before, seen)
            over_ranges(unpack_heads, last - begin, *theirs, *into, possible, seen_at)
            begin = last
        return heads

    every = calls(wanted, [(one,) for one in found])
    return RecalledPasts(bundles, every, possible, n_values, seen_at, structure, again)


class _Wanted(NamedTuple):
    """People of a bundle whose entries are read."""

    bundle: Bundle
    """The bundle."""

    begins: IntArray
    """Where the entries of each begin, ascending."""

    counts: npt.NDArray[np.uint32]
    """How many of them are places."""

    lengths: npt.NDArray[np.uint32]
    """How many there are."""

    rows: IntArray
    """Where they go."""

    def part(self, begin: int, end: int) -> _Wanted:
        """Return some of them, one behind the other."""
        some = slice(begin, end)
        return _Wanted(
            self.bundle, self.begins[some], self.counts[some], self.lengths[some], self.rows[some]
        )

    @property
    def parts(self) -> Iterator[_Wanted]:
        """Go through them, as many at a time as have few entries."""
        first, last = self.begins[[0, -1]] // _ENTRIES
        edges = np.arange(first + 1, last + 1) * _ENTRIES
        cuts = np.unique(np.searchsorted(self.begins, edges)).tolist()
        for begin, end in itertools.pairwise([0, *cuts, len(self.begins)]):
            yield self.part(begin, end)
