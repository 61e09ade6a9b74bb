"""Pasts as columns of small numbers, which a store writes and reads by the million.

Each respondent has some entries: the places where weight lies, then the values that are
possible. Weights and beliefs are rounded to 32-bit floats, places take 16 bits where they fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from seriatim._typing import FloatArray, IntArray, WordArray
from seriatim.inference.kept_pasts import KeptPasts, PushedPasts
from seriatim.inference.pasts import Pasts, spans
from seriatim.knowledge.runs import Runs
from seriatim.publish.duckdb_bundles import NARROW, PIECE, Bundle, Bundles, Found, Kind, Portion
from seriatim.publish.key_lookup import still

PASTS = Kind(
    "pasts",
    {"seen_at": "DOUBLE", "places": "UINTEGER", "entries": "UINTEGER"},
    {"place": NARROW, "share": "FLOAT"},
)
"""A person's past: when they were last seen, how many places and entries, and these."""

_ENTRIES = 2**22
"""Entries that are read at a time."""

_FEW = 4
"""One of more people than so many is few among them."""


def needs_wide(pasts: Pasts) -> bool:
    """Return whether some place or value does not fit 16 bits."""
    if isinstance(pasts, PushedPasts):
        farthest = max(int(pasts.after.max(initial=0)), pasts.origin)
    else:
        farthest = int(pasts.places.max(initial=0))
    return max(farthest, pasts.latest.width) > np.iinfo(np.uint16).max


def packed_pasts(
    pasts: Pasts, high: WordArray, low: WordArray, *, wide: bool = False
) -> Iterator[Portion]:
    """Go through pasts as a store keeps them, under the keys of their respondents."""
    for begin in range(0, len(pasts), PIECE):
        end = min(begin + PIECE, len(pasts))
        columns, entries = packed(pasts, begin, end, wide=wide)
        yield Portion(high[begin:end], low[begin:end], columns, entries)


def packed(
    pasts: Pasts, begin: int, end: int, *, wide: bool = False
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return the columns and the entries of some pasts."""
    if isinstance(pasts, PushedPasts):
        return _packed_pushed(pasts, begin, end, wide=wide)
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.packing import count_entries, pack_entries

    offsets, bounds = pasts.offsets[begin : end + 1], pasts.latest.offsets[begin : end + 1]
    codes, beliefs = pasts.latest.places, pasts.latest.weights
    lengths = np.empty(end - begin, dtype=np.int64)
    over_ranges(count_entries, len(lengths), offsets, bounds, beliefs, lengths)
    ends = np.cumsum(lengths)
    place = np.empty(ends[-1] if len(ends) else 0, dtype=np.uint32 if wide else np.uint16)
    share = np.empty(len(place), dtype=np.float32)
    over_ranges(
        pack_entries,
        len(lengths),
        offsets,
        pasts.places,
        pasts.weights,
        bounds,
        codes,
        beliefs,
        ends - lengths,
        place,
        share,
    )
    columns: dict[str, np.ndarray] = {
        "seen_at": pasts.seen_at[begin:end],
        "places": np.diff(offsets).astype(np.uint32),
        "entries": lengths.astype(np.uint32),
    }
    return columns, {"place": place, "share": share}


def _packed_pushed(
    pasts: PushedPasts, begin: int, end: int, *, wide: bool
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return the columns and the entries of pasts that are pushed on the way."""
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.packing import count_pushed, pack_pushed

    kept, latest = pasts.before, pasts.latest
    counts, lengths = np.empty(end - begin, np.uint32), np.empty(end - begin, np.uint32)
    possible = (latest.offsets, latest.weights)
    before = (kept.middles, kept.ends)
    over_ranges(count_pushed, len(counts), begin, pasts.rows, *before, *possible, counts, lengths)
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    place = np.empty(offsets[-1], dtype=np.uint32 if wide else np.uint16)
    share = np.empty(len(place), dtype=np.float32)
    over_ranges(
        pack_pushed,
        len(counts),
        begin,
        pasts.rows,
        kept.begins,
        *before,
        kept.place,
        kept.share,
        kept.layout.longest,
        pasts.after,
        pasts.origin,
        latest.offsets,
        latest.places,
        latest.weights,
        offsets,
        place,
        share,
    )
    seen_at = pasts.seen_at[begin:end]
    columns: dict[str, np.ndarray] = {"seen_at": seen_at, "places": counts, "entries": lengths}
    return columns, {"place": place, "share": share}


def recalled_pasts(
    bundles: Bundles, found: list[Found], rows: IntArray, n_values: int, structure: bytes
) -> Pasts:
    """Return pasts that were found; ``rows`` says where those of everyone asked for go.

    Where most of a store was asked for, its entries stay as they are read; of a few among many,
    theirs alone are kept.
    """
    heads = bundles.heads((one.bundle, int(one.rows[-1]) + 1) for one in found)
    n_found = sum(len(one.rows) for one in found)
    if n_found * _FEW < sum(len(kept["entries"]) for kept in heads):
        return _unpacked(bundles, found, heads, rows, n_values, structure)
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.packing import begins_of, lay_out

    begins, middles, ends = (np.empty(n_found, np.int64) for _ in range(3))
    seen_at = np.empty(n_found)
    theirs, spans_of = [], []
    for one, kept in zip(found, heads, strict=True):
        first = np.empty(len(one.rows), np.int64)
        begins_of(one.rows, kept["entries"], first)
        theirs.append(first)
        spans_of.append((one.bundle, int(first[0]), int(first[-1] + kept["entries"][-1])))
    entries, shifts = bundles.entries_together(spans_of)
    for one, kept, first, shift in zip(found, heads, theirs, shifts, strict=True):
        told = (kept["places"], kept["entries"], kept["seen_at"])
        into = (begins, middles, ends, seen_at)
        over_ranges(lay_out, len(one.rows), one.rows, rows[one.asked], first, shift, *told, *into)
    place, share = still(entries["place"]), still(entries["share"])
    return KeptPasts(begins, middles, ends, place, share, n_values, seen_at, structure)


def _unpacked(
    bundles: Bundles,
    found: list[Found],
    heads: list[dict[str, np.ndarray]],
    rows: IntArray,
    n_values: int,
    structure: bytes,
) -> Pasts:
    """Return pasts with arrays of their own, reading some entries at a time."""
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.packing import begins_of, unpack_heads

    n_found = sum(len(one.rows) for one in found)
    counts, lengths = np.empty(n_found, np.int64), np.empty(n_found, np.int64)
    seen_at = np.empty(n_found)
    wanted = []
    for one, kept in zip(found, heads, strict=True):
        targets, begins = rows[one.asked], np.empty(len(one.rows), np.int64)
        begins_of(one.rows, kept["entries"], begins)
        places, entries, seen = kept["places"], kept["entries"], kept["seen_at"]
        into = (counts, lengths, seen_at)
        over_ranges(unpack_heads, len(targets), one.rows, targets, places, entries, seen, *into)
        wanted.append(_Wanted(one.bundle, begins, targets))
    runs = Runs.with_room(counts, 0)
    latest = Runs.with_room(lengths - counts, n_values)
    for some in _pieces(wanted, lengths):
        _read(bundles, some, counts, lengths, runs, latest)
    return Pasts(runs.offsets, runs.places, runs.weights, latest, seen_at, structure)


def pasts_from(
    counts: IntArray,
    lengths: IntArray,
    place: np.ndarray,
    share: np.ndarray,
    seen_at: FloatArray,
    n_values: int,
    structure: bytes,
) -> Pasts:
    """Return pasts whose entries lie one behind the other, in the order of their respondents."""
    runs = Runs.with_room(counts, 0)
    latest = Runs.with_room(lengths - counts, n_values)
    begins, rows = np.cumsum(lengths) - lengths, np.arange(len(counts))
    _unpack(begins, counts, lengths, place, share, rows, runs, latest)
    return Pasts(runs.offsets, runs.places, runs.weights, latest, seen_at, structure)


@dataclass(frozen=True, eq=False)
class _Wanted:
    """People of a bundle whose entries are read."""

    bundle: Bundle
    """The bundle."""

    begins: IntArray
    """Where the entries of each begin, ascending."""

    rows: IntArray
    """Where they go."""

    def span(self, lengths: IntArray) -> tuple[Bundle, int, int]:
        """Return from where to where the bundle's entries are read."""
        return self.bundle, int(self.begins[0]), int(self.begins[-1] + lengths[self.rows[-1]])


def _pieces(wanted: list[_Wanted], lengths: IntArray) -> Iterator[list[_Wanted]]:
    """Go through people, as many at a time as have few entries."""
    piece: list[_Wanted] = []
    room = _ENTRIES
    for one in wanted:
        cuts = np.flatnonzero(np.diff(one.begins // _ENTRIES)) + 1
        for begins, rows in zip(np.split(one.begins, cuts), np.split(one.rows, cuts), strict=True):
            part = _Wanted(one.bundle, begins, rows)
            _, first, last = part.span(lengths)
            if piece and last - first > room:
                yield piece
                piece, room = [], _ENTRIES
            piece.append(part)
            room -= last - first
    if piece:
        yield piece


def _read(
    bundles: Bundles,
    wanted: list[_Wanted],
    counts: IntArray,
    lengths: IntArray,
    runs: Runs,
    latest: Runs,
) -> None:
    """Read the entries of some people into their runs."""
    spans = [one.span(lengths) for one in wanted]
    found = bundles.entries(spans)
    for one, (_, first, _), entries in zip(wanted, spans, found, strict=True):
        place, share, rows = entries["place"], entries["share"], one.rows
        begins = one.begins - first
        _unpack(begins, counts[rows], lengths[rows], place, share, rows, runs, latest)


def _unpack(
    begins: IntArray,
    counts: IntArray,
    lengths: IntArray,
    place: np.ndarray,
    share: np.ndarray,
    rows: IntArray,
    runs: Runs,
    latest: Runs,
) -> None:
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.packing import unpack_entries

    over_ranges(
        unpack_entries,
        len(rows),
        begins,
        counts,
        lengths,
        still(place),
        still(share),
        rows,
        runs.offsets,
        runs.places,
        runs.weights,
        latest.offsets,
        latest.places,
        latest.weights,
    )


def told_plainly(portion: Portion, bundle: int) -> pa.Table:
    """Return a portion with everyone's entries as lists, for other programs to read."""
    counts, lengths = (portion.columns[name].astype(np.int64) for name in ("places", "entries"))
    begins = np.cumsum(lengths) - lengths
    table = pa.table(
        {
            "high": portion.high,
            "low": portion.low,
            "bundle": np.full(len(portion), bundle, dtype=np.int32),
            "seen_at": portion.columns["seen_at"],
        }
    )
    for names, begin, count in (
        (("places", "weights"), begins, counts),
        (("codes", "beliefs"), begins + counts, lengths - counts),
    ):
        offsets = pa.array(np.concatenate([[0], np.cumsum(count)]))
        used = spans(begin, count)
        for name, entry in zip(names, ("place", "share"), strict=True):
            entries = pa.array(portion.entries[entry][used])
            lists = pa.LargeListArray.from_arrays(offsets, entries)
            table = table.append_column(name, lists)
    return table


def told_as_columns(portion: Portion, bundle: int) -> pa.Table:
    """Return a portion without entries as a table."""
    numbers = np.full(len(portion), bundle, dtype=np.int32)
    keys = {"high": portion.high, "low": portion.low, "bundle": numbers}
    return pa.table(keys | portion.columns)


def from_lists(table: pa.Table) -> Portion:
    """Return pasts from columns of lists, as ``told_plainly`` writes and older stores had them."""
    columns = [_ragged(table, name) for name in ("places", "weights", "codes", "beliefs")]
    counts, possible = np.diff(columns[0][0]), np.diff(columns[2][0])
    lengths = counts + possible
    begins = np.cumsum(lengths) - lengths
    place = np.empty(int(lengths.sum()), dtype=np.uint32)
    share = np.empty(len(place), dtype=np.float32)
    for (_, entries), begin, count, target in zip(
        columns,
        (begins, begins, begins + counts, begins + counts),
        (counts, counts, possible, possible),
        (place, share, place, share),
        strict=True,
    ):
        target[spans(begin, count)] = entries
    return Portion(
        table.column("high").to_numpy(),
        table.column("low").to_numpy(),
        {
            "seen_at": table.column("seen_at").to_numpy(),
            "places": counts.astype(np.uint32),
            "entries": lengths.astype(np.uint32),
        },
        {"place": place, "share": share},
    )


def _ragged(table: pa.Table, name: str) -> tuple[IntArray, np.ndarray]:
    """Return offsets and entries of a column of lists."""
    lists = pa.concat_arrays(table.column(name).chunks)
    offsets = np.asarray(lists.offsets).astype(np.int64)
    entries = np.asarray(lists.values)[offsets[0] : offsets[-1]]
    return offsets - offsets[0], entries
