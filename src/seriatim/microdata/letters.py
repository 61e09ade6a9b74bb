"""The letters of texts as bare arrays, for kernels; and whole numbers as texts and back.

Arrow reads and writes numbers one by one, on one core. Where there are many, kernels do it on all
of them; where there are few, loading the compiler would take longer.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import ByteArray, IntArray, SmallIntArray

MANY = 2**14
"""Rows from which on kernels are worth loading the compiler."""

_Array = TypeVar("_Array", bound="np.ndarray[Any, Any]")
_LONGEST_NUMBER = 20
_MOST_LETTERS = 2**31 - 1


def letters_of(texts: pa.Array) -> tuple[ByteArray, SmallIntArray]:
    """Return the bytes of texts of the short kind, and where each begins among them.

    A slice begins in their middle.
    """
    _, offsets, data = texts.buffers()
    begins = np.zeros(1, np.int32)
    if len(texts):
        count = texts.offset + len(texts) + 1
        begins = np.frombuffer(offsets, np.int32, count=count)[texts.offset :]
    letters = np.frombuffer(data if data is not None else b"", np.uint8)
    return only_read(letters), only_read(begins)


def only_read(array: _Array) -> _Array:
    """Return an array that cannot be written to, as Arrow's mostly are.

    Kernels are compiled for either kind of array, and once is enough.
    """
    seen = array.view()
    seen.setflags(write=False)
    return seen


def texts_of(letters: ByteArray, begins: SmallIntArray) -> pa.Array:
    """Return bytes as texts again."""
    buffers = [None, pa.py_buffer(begins), pa.py_buffer(letters)]
    return pa.Array.from_buffers(pa.string(), len(begins) - 1, buffers)


def decimal_texts(numbers: pa.Array) -> pa.Array | None:
    """Return many whole numbers as texts; None where that is left to Arrow."""
    signed = pa.types.is_signed_integer(numbers.type) and not numbers.null_count
    if not signed or not MANY <= len(numbers) < _MOST_LETTERS // _LONGEST_NUMBER:
        return None
    from seriatim.kernels._jit import over_ranges
    from seriatim.kernels.decimals import count_digits, write_decimals

    whole = only_read(numbers.to_numpy(zero_copy_only=False).astype(np.int64, copy=False))
    begins = np.zeros(len(whole) + 1, np.int32)
    over_ranges(count_digits, len(whole), whole, begins[1:])
    np.cumsum(begins, out=begins)
    letters = np.empty(begins[-1], np.uint8)
    over_ranges(write_decimals, len(whole), whole, only_read(begins), letters)
    return texts_of(letters, begins)


def read_decimals(column: pa.ChunkedArray) -> pa.Array | None:
    """Return many texts as whole numbers, nothing where they are empty.

    None where they are few, or one of them is no number or is not written as one: with spaces
    about it, zeros in front or more than 18 digits.
    """
    if len(column) < MANY:
        return None
    from seriatim.kernels._jit import calls
    from seriatim.kernels.decimals import read_decimals as read
    from seriatim.kernels.stretches import STRETCH

    numbers = np.empty(len(column), np.int64)
    empty = np.empty(len(column), np.bool_)
    unlike = np.zeros(1, np.bool_)
    stretches, begin = [], 0
    for chunk in column.chunks:
        texts = pc.fill_null(chunk, "") if chunk.null_count else chunk
        here = slice(begin, begin + len(chunk))
        arrays = (*letters_of(texts), numbers[here], empty[here], unlike)
        stretches += [
            (first, min(first + STRETCH, len(chunk)), *arrays)
            for first in range(0, len(chunk), STRETCH)
        ]
        begin += len(chunk)
    calls(read, stretches)
    if unlike[0]:
        return None
    return pa.array(numbers, mask=empty if empty.any() else None)


def repeated(texts: pa.Array, starts: IntArray) -> pa.Array:
    """Return the text of each group once for each of its rows.

    >>> repeated(pa.array(["51", "52"]), np.array([0, 1, 3])).to_pylist()
    ['51', '52', '52']
    """
    sizes = np.diff(starts)
    plain = pa.types.is_string(texts.type) and not texts.null_count and len(texts) == len(sizes)
    in_order = starts[0] == 0 and (sizes >= 0).all()
    if starts[-1] < MANY or not (plain and in_order):
        return texts.take(pa.array(np.repeat(np.arange(len(sizes)), sizes)))
    letters, begins = letters_of(texts)
    places = np.concatenate([[0], np.cumsum(np.diff(begins) * sizes)])
    if places[-1] > _MOST_LETTERS:  # Arrow says so
        return texts.take(pa.array(np.repeat(np.arange(len(sizes)), sizes)))
    from seriatim.kernels.stretches import over_groups
    from seriatim.kernels.texts import repeat_texts

    new_letters = np.empty(places[-1], np.uint8)
    new_begins = np.empty(starts[-1] + 1, np.int32)
    new_begins[-1] = places[-1]
    over_groups(repeat_texts, starts, letters, begins, starts, places, new_letters, new_begins)
    return texts_of(new_letters, new_begins)
