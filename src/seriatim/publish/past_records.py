"""Pasts as bytes, one string of them for each respondent.

A store writes and reads millions of pasts at a time. As lists of numbers, four for each
respondent, that took longer than everything else in a release; as one string it is a copy.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from seriatim._typing import FloatArray, IntArray
from seriatim.inference.pasts import Pasts, spans
from seriatim.knowledge.runs import Runs

_WORD = 4
"""Bytes of a word, the unit of ``kernels/packing.py``."""


def packed_pasts(pasts: Pasts) -> pa.Array:
    """Return the bytes of each past; weights and beliefs are rounded to 32-bit floats."""
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.packing import pack_runs, run_lengths

    lengths = np.empty(len(pasts), dtype=np.int64)
    bounds, codes, beliefs = pasts.latest.offsets, pasts.latest.places, pasts.latest.weights
    over_ranges(run_lengths, len(pasts), pasts.offsets, bounds, beliefs, lengths)
    begins = np.concatenate([[0], np.cumsum(lengths)])
    words = np.empty(begins[-1], dtype=np.int32)
    over_ranges(
        pack_runs,
        len(pasts),
        pasts.offsets,
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
    return pa.Array.from_buffers(pa.large_binary(), len(pasts), buffers)


def unpacked_pasts(
    column: pa.Array, rows: IntArray, n_values: int, seen_at: FloatArray, structure: bytes
) -> Pasts:
    """Return the pasts in some rows of a column of bytes, in the order of these rows."""
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.packing import unpack_runs

    words, bounds = _words(column)
    begins, ends = bounds[:-1][rows], bounds[1:][rows]
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
    return Pasts(runs.offsets, runs.places, runs.weights, latest, seen_at[rows], structure)


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
