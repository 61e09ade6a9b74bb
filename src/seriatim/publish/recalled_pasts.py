"""Pasts that were found in the bundles of a store, read some entries at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.inference.kept_pasts import Piece, StoredPasts
from seriatim.inference.pasts import Pasts
from seriatim.knowledge.runs import Runs
from seriatim.publish.duckdb_bundles import Bundle, Bundles, Found
from seriatim.publish.key_lookup import still
from seriatim.publish.past_records import unpack
from seriatim.publish.read_ahead import read_ahead

_ENTRIES = 2**21
"""Entries that are read at a time."""


class RecalledPasts(StoredPasts):
    """Pasts in the bundles of a store."""

    _bundles: Bundles
    _wanted: list[_Wanted]
    _counts: IntArray
    _lengths: IntArray
    _width: int

    def __init__(
        self,
        bundles: Bundles,
        wanted: list[_Wanted],
        counts: IntArray,
        lengths: IntArray,
        width: int,
        seen_at: FloatArray,
        structure: bytes,
    ) -> None:
        """Know where the entries lie, of a domain of so many values."""
        super().__init__(lengths - counts, int(counts.max(initial=0)), seen_at, structure)
        given = {"bundles": bundles, "wanted": wanted, "counts": counts, "lengths": lengths}
        for name, one in (given | {"width": width}).items():
            object.__setattr__(self, f"_{name}", one)

    def pieces(self) -> Iterator[Piece]:
        """Go through all of them; a piece is gone when the next one comes."""
        return read_ahead(self._read, [part for one in self._wanted for part in one.parts])

    def _read(self, wanted: _Wanted, room: dict[str, np.ndarray]) -> Piece:
        rows = wanted.rows
        first, last = int(wanted.begins[0]), int(wanted.begins[-1] + self._lengths[rows[-1]])
        entries, shift = self._bundles.entries(wanted.bundle, first, last, room)
        begins = wanted.begins + shift
        middles, ends = begins + self._counts[rows], begins + self._lengths[rows]
        return Piece(rows, begins, middles, ends, still(entries["place"]), still(entries["share"]))

    @cached_property
    def plain(self) -> Pasts:
        """The same with arrays of their own."""
        counts, lengths = self._counts, self._lengths
        runs = Runs.with_room(counts, 0)
        latest = Runs.with_room(lengths - counts, self._width)
        for rows, begins, _, _, place, share in self.pieces():
            unpack(begins, counts[rows], lengths[rows], place, share, rows, runs, latest)
        return Pasts(runs.offsets, runs.places, runs.weights, latest, self.seen_at, self.structure)


def recalled_pasts(
    bundles: Bundles, found: list[Found], rows: IntArray, n_values: int, structure: bytes
) -> RecalledPasts:
    """Return pasts that were found; ``rows`` says where those of everyone asked for go."""
    from seriatim.kernels._jit import calls, over_ranges
    from seriatim.kernels.packing import begins_of, unpack_heads

    n_found = sum(len(one.rows) for one in found)
    counts, lengths = np.empty(n_found, np.int64), np.empty(n_found, np.int64)
    seen_at = np.empty(n_found)

    def wanted(one: Found) -> _Wanted:
        targets, begins = rows[one.asked], np.empty(len(one.rows), np.int64)
        begin = end = 0
        for first, kept in bundles.heads(one.bundle, int(one.rows[-1]) + 1):
            places, entries, seen = kept["places"], kept["entries"], kept["seen_at"]
            last = int(np.searchsorted(one.rows, first + len(entries)))
            here, theirs = one.rows[begin:last] - first, targets[begin:last]
            end = begins_of(here, entries, end, begins[begin:last])
            into = (counts, lengths, seen_at)
            over_ranges(unpack_heads, len(here), here, theirs, places, entries, seen, *into)
            begin = last
        return _Wanted(one.bundle, begins, targets)

    every = calls(wanted, [(one,) for one in found])
    return RecalledPasts(bundles, every, counts, lengths, n_values, seen_at, structure)


@dataclass(frozen=True, eq=False)
class _Wanted:
    """People of a bundle whose entries are read."""

    bundle: Bundle
    """The bundle."""

    begins: IntArray
    """Where the entries of each begin, ascending."""

    rows: IntArray
    """Where they go."""

    @property
    def parts(self) -> Iterator[_Wanted]:
        """Go through them, as many at a time as have few entries."""
        first, last = self.begins[[0, -1]] // _ENTRIES
        edges = np.arange(first + 1, last + 1) * _ENTRIES
        cuts = np.unique(np.searchsorted(self.begins, edges))
        for begins, rows in zip(
            np.split(self.begins, cuts), np.split(self.rows, cuts), strict=True
        ):
            yield _Wanted(self.bundle, begins, rows)
