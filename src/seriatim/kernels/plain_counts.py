"""Groups and values of a release, counted from the letters of its plain file.

Axes: pairs (rows) are group · values + value, both from 0, stretch by stretch of the file's lines.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import ByteArray, IntArray, SmallIntArray, WordArray
from seriatim.kernels._jit import kernel
from seriatim.kernels.plain_cells import read_numbers
from seriatim.kernels.plain_lines import MOST_ENDS, find_cells, piece_end
from seriatim.kernels.words import find_words

_QUOTE = 34
_MOST_PAIRS = 2**31


@kernel
def read_pairs(
    letters: ByteArray,
    start: int,
    stop: int,
    delimiter: int,
    returns: bool,
    n_columns: int,
    group: int,
    value: int,
    n_values: int,
    word_letters: ByteArray,
    word_begins: SmallIntArray,
    marks: WordArray,
    slots: SmallIntArray,
    codes: IntArray,
    pairs: SmallIntArray,
) -> int:
    """Write the pair of each line between two places; return how many, -1 if some has none.

    ``group`` and ``value`` are columns: the group's number from 1, and a word with a code.
    """
    ends = np.empty(MOST_ENDS, np.int32)
    spans = np.empty((2, MOST_ENDS // n_columns + 1), np.int32)
    found = np.empty((2, spans.shape[1]), np.int64)
    odd = np.zeros(2, np.bool_)
    count = 0
    while start < stop:
        end = piece_end(letters, start, stop)
        if end < 0:
            return -1
        rows, quoted = find_cells(letters, start, end, delimiter, returns, n_columns, ends)
        if rows < 0 or count + rows > pairs.shape[0]:
            return -1
        behind = 1 if returns else 0
        last = n_columns - 1
        cells = (group, n_columns, rows, behind if group == last else 0)
        read_numbers(letters, start, ends, cells, quoted, found[0], odd)
        for row in range(rows):
            cell = np.uint64(row * n_columns + value)
            spans[0, row] = ends[cell] + 1
            spans[1, row] = ends[cell + np.uint64(1)] - (behind if value == last else 0)
            if quoted and letters[np.uint64(start + spans[0, row])] == _QUOTE:
                spans[0, row] += 1
                spans[1, row] -= 1
        find_words(
            0,
            rows,
            letters,
            start,
            spans[0],
            spans[1],
            word_letters,
            word_begins,
            marks,
            slots,
            codes,
            found[1],
        )
        for row in range(rows):
            number, code = found[0, row], found[1, row]
            if number < 1 or number >= _MOST_PAIRS // n_values or code < 0:
                return -1
            pairs[count + row] = (number - 1) * n_values + code
        count += rows
        start = end
    return -1 if odd.any() else count


@kernel
def count_pairs(pairs: SmallIntArray, counts: IntArray) -> None:
    """Count each pair once more."""
    for row in range(pairs.shape[0]):
        counts[np.uint64(pairs[row])] += 1
