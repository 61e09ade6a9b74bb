"""Pasts as columns of small numbers, which a store writes and reads by the million.

Each respondent has some entries: the places where weight lies, then the values that are
possible. Weights and beliefs are rounded to 32-bit floats, places take 16 bits where they fit.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from seriatim._typing import FloatArray, IntArray, WordArray
from seriatim.inference.kept_pasts import PushedPasts
from seriatim.inference.pasts import Pasts, spans
from seriatim.knowledge.runs import Runs
from seriatim.publish.duckdb_bundles import NARROW, PIECE, WIDE, Kind, Portion
from seriatim.publish.key_lookup import still
from seriatim.publish.number_file import taken

PASTS = Kind(
    "pasts",
    {"seen_at": np.dtype("<f8"), "places": np.dtype("<u4"), "entries": np.dtype("<u4")},
    {"place": NARROW, "share": np.dtype("<f4")},
)
"""A person's past: when they were last seen, how many places and entries, and these."""


def needs_wide(pasts: Pasts) -> bool:
    """Return whether some place or value does not fit 16 bits."""
    if isinstance(pasts, PushedPasts):
        farthest = max(int(pasts.pushed.place.max(initial=0)), pasts.origin)
    else:
        farthest = int(pasts.places.max(initial=0))
    return max(farthest, pasts.latest.width) > np.iinfo(np.uint16).max


def packed_pasts(
    pasts: Pasts, high: WordArray, low: WordArray, *, wide: bool = False
) -> Iterator[Portion]:
    """Go through pasts as a store keeps them, under the keys of their respondents.

    A portion is gone when the next one comes.
    """
    room: dict[str, np.ndarray] = {}
    for begin in range(0, len(pasts), PIECE):
        end = min(begin + PIECE, len(pasts))
        columns, entries = packed(pasts, begin, end, room, wide=wide)
        yield Portion(high[begin:end], low[begin:end], columns, entries)


def packed(
    pasts: Pasts, begin: int, end: int, room: dict[str, np.ndarray], *, wide: bool = False
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return the columns and the entries of some pasts; the entries are in the room given."""
    if isinstance(pasts, PushedPasts):
        return _packed_pushed(pasts, begin, end, room, wide=wide)
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.packing import count_entries, pack_entries

    offsets, bounds = pasts.offsets[begin : end + 1], pasts.latest.offsets[begin : end + 1]
    codes, beliefs = pasts.latest.places, pasts.latest.weights
    lengths = np.empty(end - begin, dtype=np.int64)
    over_ranges(count_entries, len(lengths), offsets, bounds, beliefs, lengths)
    ends = np.cumsum(lengths)
    place, share = _room_for(int(ends[-1]) if len(ends) else 0, room, wide=wide)
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


def _room_for(
    length: int, room: dict[str, np.ndarray], *, wide: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return arrays for so many entries."""
    kind = WIDE if wide else NARROW
    return taken(room, "place", length, kind), taken(room, "share", length, PASTS.entries["share"])


def _packed_pushed(
    pasts: PushedPasts, begin: int, end: int, room: dict[str, np.ndarray], *, wide: bool
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return the columns and the entries of some pasts whose weights are rounded already."""
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.packing import count_pushed, pack_pushed

    latest, pushed = pasts.latest, pasts.pushed
    counts, lengths = np.empty(end - begin, np.uint32), np.empty(end - begin, np.uint32)
    over_ranges(
        count_pushed,
        len(counts),
        begin,
        pasts.rows,
        pushed.offsets,
        latest.offsets,
        latest.weights,
        counts,
        lengths,
    )
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    place, share = _room_for(int(offsets[-1]), room, wide=wide)
    over_ranges(
        pack_pushed,
        len(counts),
        begin,
        pasts.rows,
        pasts.origin,
        *pushed,
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
    unpack(begins, counts, lengths, place, share, rows, runs, latest)
    return Pasts(runs.offsets, runs.places, runs.weights, latest, seen_at, structure)


def unpack(
    begins: IntArray,
    counts: IntArray,
    lengths: IntArray,
    place: np.ndarray,
    share: np.ndarray,
    rows: IntArray,
    runs: Runs,
    latest: Runs,
) -> None:
    """Read the entries of some people into their runs."""
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
            # Of one kind in all bundles, though some have room for greater places.
            kind = WIDE if entry == "place" else PASTS.entries[entry]
            entries = pa.array(portion.entries[entry][used].astype(kind))
            lists = pa.LargeListArray.from_arrays(offsets, entries)
            table = table.append_column(name, lists)
    return table


def told_as_columns(portion: Portion, bundle: int) -> pa.Table:
    """Return a portion without entries as a table."""
    numbers = np.full(len(portion), bundle, dtype=np.int32)
    keys = {"high": portion.high, "low": portion.low, "bundle": numbers}
    return pa.table(keys | portion.columns)
