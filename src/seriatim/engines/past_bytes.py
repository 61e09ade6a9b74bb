"""Pasts as bytes, one string of them for each respondent: what workers hand to each other.

A past is a string of 32-bit words: how many of its entries are places, the places and values
of all entries, then the share of each as a float.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from seriatim._typing import FloatArray
from seriatim.inference.pasts import Pasts, spans
from seriatim.publish.past_records import packed, pasts_from

_WORD = 4


def packed_pasts(pasts: Pasts) -> pa.Array:
    """Return the bytes of each past; weights and beliefs are rounded to 32-bit floats."""
    columns, entries = packed(pasts, 0, len(pasts), {}, wide=True)
    lengths = columns["entries"].astype(np.int64)
    begins = np.concatenate([[0], np.cumsum(1 + 2 * lengths)])
    words = np.empty(begins[-1], dtype=np.uint32)
    words[begins[:-1]] = columns["places"]
    words[spans(begins[:-1] + 1, lengths)] = entries["place"]
    words[spans(begins[:-1] + 1 + lengths, lengths)] = entries["share"].view(np.uint32)
    buffers = [None, pa.py_buffer(begins * _WORD), pa.py_buffer(words)]
    return pa.Array.from_buffers(pa.large_binary(), len(pasts), buffers).cast(pa.binary())


def unpacked_pasts(column: pa.Array, seen_at: FloatArray, n_values: int, structure: bytes) -> Pasts:
    """Return the pasts of respondents from their bytes."""
    column = column.cast(pa.large_binary())
    _, offsets, data = column.buffers()
    bounds = np.zeros(1, np.int64)
    if len(column):
        bounds = np.frombuffer(offsets, np.int64, count=column.offset + len(column) + 1)
        bounds = bounds[column.offset :] // _WORD
    words = np.frombuffer(data if data is not None else b"", np.uint32, count=bounds[-1])
    lengths = (np.diff(bounds) - 1) // 2
    begins = bounds[:-1] + 1
    place = words[spans(begins, lengths)]
    share = words[spans(begins + lengths, lengths)].view(np.float32)
    counts = words[bounds[:-1]].astype(np.int64)
    return pasts_from(counts, lengths, place, share, seen_at, n_values, structure)
