"""Pasts as bytes, one string of them for each respondent.

A store writes and reads millions of pasts at a time. As lists of numbers, four for each
respondent, that took longer than everything else in a release; as one string it is a copy.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from seriatim._typing import IntArray
from seriatim.inference.pasts import Pasts, spans
from seriatim.knowledge.runs import Runs
from seriatim.microdata.orders import sorted_order

_WORD = 4
"""Bytes of a word, the unit of ``kernels/packing.py``."""


def packed_pasts(pasts: Pasts, begin: int = 0, end: int | None = None) -> pa.Array:
    """Return the bytes of some pasts, or all; weights and beliefs are rounded to 32-bit floats."""
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.packing import pack_runs, run_lengths

    end = len(pasts) if end is None else end
    offsets, bounds = pasts.offsets[begin : end + 1], pasts.latest.offsets[begin : end + 1]
    codes, beliefs = pasts.latest.places, pasts.latest.weights
    lengths = np.empty(end - begin, dtype=np.int64)
    over_ranges(run_lengths, len(lengths), offsets, bounds, beliefs, lengths)
    begins = np.concatenate([[0], np.cumsum(lengths)])
    words = np.empty(begins[-1], dtype=np.int32)
    over_ranges(
        pack_runs,
        len(lengths),
        offsets,
        pasts.places,
        pasts.weights,
        bounds,
        codes,
        beliefs,
        begins,
        words,
        words.view(np.float32),
    )
    buffers = [None, pa.py_buffer(begins * _WORD), pa.py_buffer(words)]
    return pa.Array.from_buffers(pa.large_binary(), len(lengths), buffers)


def unpacked_pasts(pieces: Iterable[pa.Table], n_values: int, structure: bytes) -> Pasts:
    """Return pasts from tables with ``row``, ``seen_at`` and ``past``, in the order of the rows."""
    found = [_unpacked(piece, n_values, structure) for piece in pieces]
    if len(found) == 1:
        return found[0][1]
    rows = np.concatenate([rows for rows, _ in found])
    place = np.empty(len(rows), dtype=np.int64)
    place[sorted_order(rows)] = np.arange(len(rows))
    runs = _merged([pasts.runs for _, pasts in found], place)
    latest = _merged([pasts.latest for _, pasts in found], place)
    seen_at = np.empty(len(rows))
    seen_at[place] = np.concatenate([pasts.seen_at for _, pasts in found])
    return Pasts(runs.offsets, runs.places, runs.weights, latest, seen_at, structure)


def _unpacked(piece: pa.Table, n_values: int, structure: bytes) -> tuple[IntArray, Pasts]:
    """Return the rows of one table, sorted, and their pasts."""
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.packing import unpack_runs

    rows = piece.column("row").to_numpy()
    order = sorted_order(rows)
    words, bounds = _words(piece.column("past").combine_chunks())
    begins, ends = bounds[:-1][order], bounds[1:][order]
    lengths = words[begins].astype(np.int64)
    runs = Runs.with_room(lengths, 0)
    latest = Runs.with_room((ends - begins - 1) // 2 - lengths, n_values)
    over_ranges(
        unpack_runs,
        len(rows),
        begins,
        ends,
        words,
        words.view(np.float32),
        runs.offsets,
        runs.places,
        runs.weights,
        latest.offsets,
        latest.places,
        latest.weights,
    )
    seen_at = piece.column("seen_at").to_numpy()[order]
    return rows[order], Pasts(runs.offsets, runs.places, runs.weights, latest, seen_at, structure)


def _merged(pieces: list[Runs], place: IntArray) -> Runs:
    """Return the rows of several runs, each at its place."""
    lengths = np.empty(len(place), dtype=np.int64)
    lengths[place] = np.concatenate([runs.lengths for runs in pieces])
    merged = Runs.with_room(lengths, pieces[0].width)
    begin = 0
    for runs in pieces:
        merged.write(place[begin : begin + len(runs)], runs, np.arange(len(runs)))
        begin += len(runs)
    return merged


def unfolded_pasts(table: pa.Table) -> pa.Table:
    """Return a table of pasts with the bytes as lists, for other programs to read."""
    words, bounds = _words(table.column("past").combine_chunks())
    lengths = words[bounds[:-1]].astype(np.int64)
    possible = (np.diff(bounds) - 1 - 2 * lengths) // 2
    begins = bounds[:-1] + 1
    shares = words.view(np.float32)
    table = table.drop_columns("past")
    for name, source, begin, count in (
        ("places", words, begins, lengths),
        ("weights", shares, begins + lengths, lengths),
        ("codes", words, begins + 2 * lengths, possible),
        ("beliefs", shares, begins + 2 * lengths + possible, possible),
    ):
        offsets = pa.array(np.concatenate([[0], np.cumsum(count)]))
        entries = pa.array(source[spans(begin, count)])
        table = table.append_column(name, pa.LargeListArray.from_arrays(offsets, entries))
    return table


def folded_pasts(table: pa.Table) -> pa.Table:
    """Return a table of pasts whose lists, as older stores have them, are bytes."""
    columns = [_ragged(table, name) for name in ("places", "weights", "codes", "beliefs")]
    lengths, possible = np.diff(columns[0][0]), np.diff(columns[2][0])
    begins = np.concatenate([[0], np.cumsum(1 + 2 * lengths + 2 * possible)])
    words = np.empty(begins[-1], dtype=np.int32)
    words[begins[:-1]] = lengths
    at = begins[:-1] + 1
    for (_, entries), count in zip(columns, (lengths, lengths, possible, possible), strict=True):
        words[spans(at, count)] = entries.view(np.int32)
        at = at + count
    buffers = [None, pa.py_buffer(begins * _WORD), pa.py_buffer(words)]
    packed = pa.Array.from_buffers(pa.large_binary(), table.num_rows, buffers)
    kept = table.drop_columns(["places", "weights", "codes", "beliefs"])
    return kept.append_column("past", packed)


def _words(column: pa.Array) -> tuple[np.ndarray, IntArray]:
    """Return all bytes of a column as words, and where each row's begin and end."""
    _, offsets, data = column.buffers()
    wide = np.int64 if pa.types.is_large_binary(column.type) else np.int32
    bounds = np.frombuffer(offsets, wide, count=column.offset + len(column) + 1)
    bounds = bounds[column.offset :].astype(np.int64)
    whole = np.frombuffer(data, np.uint8, count=bounds[-1]) if data is not None else b""
    return np.frombuffer(whole[bounds[0] :], np.int32), (bounds - bounds[0]) // _WORD


def _ragged(table: pa.Table, name: str) -> tuple[IntArray, np.ndarray]:
    """Return offsets and entries of a column of lists."""
    lists = pa.concat_arrays(table.column(name).chunks)
    offsets = np.asarray(lists.offsets).astype(np.int64)
    entries = np.asarray(lists.values)[offsets[0] : offsets[-1]]
    return offsets - offsets[0], entries
