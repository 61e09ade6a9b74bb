"""Groups and values of a release, counted from the letters of its plain file.

Axes: pairs (rows) are group · values + value, both from 0, stretch by stretch of the file's lines;
runs (runs, two) are neighbouring rows of one group: the first row, and where the cells that all
rows of a group share end in texts, one run behind the other with a line end between them.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import ByteArray, IntArray, SmallIntArray, WordArray
from seriatim.kernels._jit import inner_kernel, kernel
from seriatim.kernels._machine import copy_letters, word_at
from seriatim.kernels.plain_cells import read_numbers
from seriatim.kernels.plain_lines import LINE_END, MOST_ENDS, find_cells, piece_end
from seriatim.kernels.words import find_words

_QUOTE = 34
_MOST_PAIRS = 2**31
_WORD = 8
_ONE = np.uint64(1)


@inner_kernel
def _same_letters(letters: ByteArray, first: int, second: int, length: int) -> bool:
    """Tell whether the same letters follow two places; eight more must be there behind them."""
    unlike = np.uint64(0)
    for done in range(0, length, _WORD):
        ours, theirs = word_at(letters, np.uint64(first + done)), np.uint64(second + done)
        differs = ours ^ word_at(letters, theirs)
        if length - done < _WORD:
            differs &= (_ONE << np.uint64(_WORD * (length - done))) - _ONE
        unlike |= differs
    return bool(unlike == 0)


@kernel
def read_pairs(
    letters: ByteArray,
    start: int,
    stop: int,
    delimiter: int,
    returns: bool,
    n_columns: int,
    shared: int,
    n_values: int,
    word_letters: ByteArray,
    word_begins: SmallIntArray,
    marks: WordArray,
    slots: SmallIntArray,
    codes: IntArray,
    pairs: SmallIntArray,
    runs: IntArray,
    texts: ByteArray,
) -> tuple[int, int]:
    """Write the pair of each line between two places; return how many, and how many runs.

    The first column is the group's number from 1; the ``shared`` ones behind it are written alike
    in all rows of a run; the next is the value, a word with a code. The first count is -1 where a
    line has no pair, or a row is not alike.
    """
    ends = np.empty(MOST_ENDS, np.int32)
    spans = np.empty((2, MOST_ENDS // n_columns + 1), np.int32)
    found = np.empty((2, spans.shape[1]), np.int64)
    odd = np.zeros(2, np.bool_)
    count, n_runs, room = 0, 0, 0
    before, begin, length = np.int64(0), 0, 0
    while start < stop:
        end = piece_end(letters, start, stop)
        if end < 0:
            return -1, 0
        rows, quoted = find_cells(letters, start, end, delimiter, returns, n_columns, ends)
        if rows < 0 or count + rows > pairs.shape[0]:
            return -1, 0
        value = shared + 1
        behind = 1 if returns and value == n_columns - 1 else 0
        cells = (0, n_columns, rows, 0)
        read_numbers(letters, start, ends, cells, quoted, found[0], odd)
        for row in range(rows):
            cell = np.uint64(row * n_columns + value)
            spans[0, row] = ends[cell] + 1
            spans[1, row] = ends[cell + _ONE] - behind
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
                return -1, 0
            pairs[count + row] = (number - 1) * n_values + code
            cell = np.uint64(row * n_columns)
            here = start + ends[cell + _ONE] + 1
            width = start + ends[cell + _ONE + np.uint64(shared)] - here if shared else 0
            if number == before:
                if width != length or not _same_letters(letters, here, begin, width):
                    return -1, 0
            else:
                copy_letters(texts, np.uint64(room), letters, np.uint64(here), np.uint64(width))
                room += width + 1
                texts[np.uint64(room - 1)] = LINE_END
                runs[n_runs, 0], runs[n_runs, 1] = count + row, room
                n_runs += 1
            before, begin, length = number, here, width
        count += rows
        start = end
    return (-1, 0) if odd.any() else (count, n_runs)


@kernel
def count_pairs(pairs: SmallIntArray, counts: IntArray) -> None:
    """Count each pair once more."""
    for row in range(pairs.shape[0]):
        counts[np.uint64(pairs[row])] += 1
