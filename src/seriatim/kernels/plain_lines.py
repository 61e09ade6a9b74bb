"""Cells of a plain text of lines, found 64 letters at a time.

Plain is a text whose quotes stand about whole cells, without a quote or the end of a line inside;
whose lines end alike; and whose lines have as many cells. Letters are compared all at once, and
what follows is done to the bits of a word: bit i is the i-th of 64 letters.

Axes: cell i of a piece of the text is letters[start + ends[i] + 1 : start + ends[i + 1]].
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import ByteArray, IntArray, SmallIntArray
from seriatim.kernels._jit import inner_kernel, kernel
from seriatim.kernels._machine import count_marks, lowest_mark, marks_of

BLOCK = 64
"""Letters that are looked at together; so many must be there behind the last line."""

PIECE = 2**15
"""Letters of a piece: few enough for its cells to stay near until each column was read."""

MOST_ENDS = 3 * PIECE
"""Room for the ends of a piece; lines of more than ``2 * PIECE`` letters are not plain."""

LINE_END = 10
_QUOTE, _RETURN = 34, 13
_ONE, _NONE = np.uint64(1), np.uint64(0)
_LAST = np.uint64(BLOCK - 1)


@inner_kernel
def piece_end(letters: ByteArray, start: int, stop: int) -> int:
    """Return where the lines of a piece that begins at a place end; -1 where one is too long."""
    end = start + PIECE
    if end >= stop:
        return stop
    limit = min(stop, end + 2 * PIECE - BLOCK)
    while end < limit:
        if letters[np.uint64(end - 1)] == LINE_END:
            return end
        end += 1
    return -1 if limit < stop else stop


@kernel
def find_ends(
    letters: ByteArray, start: int, stop: int, delimiter: int, returns: bool, ends: SmallIntArray
) -> tuple[int, int, bool]:
    """Find where cells end; return how many do, how many lines, and whether there are quotes.

    The first count is -1 where the piece is not plain. ``returns`` says that lines end with a
    return and a line end, not with a line end alone.
    """
    ends[0] = -1
    count, lines, quoted = 0, 0, False
    # What a block is told by the one before it: all bits set inside of quotes; and in the lowest
    # bit, whether a cell begins, a quote was closed, and a return came last.
    inside, begins, closed, returned = _NONE, _ONE, _NONE, _NONE
    wrong = _NONE
    for place in range(start, stop, BLOCK):
        at = np.uint64(place)
        line_ends = marks_of(letters, at, LINE_END)
        delimiters = marks_of(letters, at, delimiter)
        quotes = marks_of(letters, at, _QUOTE)
        came = marks_of(letters, at, _RETURN)
        if stop - place < BLOCK:
            here = (_ONE << np.uint64(stop - place)) - _ONE
            line_ends &= here
            delimiters &= here
            quotes &= here
            came &= here
        wrong |= ((came << _ONE) | returned) ^ line_ends if returns else came
        marks = line_ends | delimiters
        if quotes | inside | closed:
            quoted = True
            # Bit i: whether the quotes up to the i-th letter are odd.
            within = quotes
            for shift in (1, 2, 4, 8, 16, 32):
                within ^= within << np.uint64(shift)
            within ^= inside
            wrong |= line_ends & within
            marks &= ~within
            opening, closing = quotes & within, quotes & ~within
            wrong |= opening & ~((marks << _ONE) | begins)
            wrong |= ((closing << _ONE) | closed) & ~(marks | came)
            inside = _NONE - (within >> _LAST)
            closed = closing >> _LAST
        begins, returned = marks >> _LAST, came >> _LAST
        lines += count_marks(line_ends)
        offset = place - start
        while marks:
            count += 1
            ends[np.uint64(count)] = offset + lowest_mark(marks)
            marks &= marks - _ONE
    if wrong:
        return -1, 0, False
    return count, lines, quoted


@kernel
def find_cells(
    letters: ByteArray,
    start: int,
    stop: int,
    delimiter: int,
    returns: bool,
    n_columns: int,
    ends: SmallIntArray,
) -> tuple[int, bool]:
    """Find the cells of a piece; return its rows, and whether there are quotes.

    -1 where it is not plain, or lines have other numbers of cells.
    """
    count, lines, quoted = find_ends(letters, start, stop, delimiter, returns, ends)
    if count != lines * n_columns:
        return -1, False
    for row in range(lines):
        end = start + ends[np.uint64((row + 1) * n_columns)]
        if letters[np.uint64(end)] != LINE_END:
            return -1, False
    return lines, quoted


@kernel
def survey_lines(
    letters: ByteArray,
    start: int,
    stop: int,
    delimiter: int,
    returns: bool,
    lengths: IntArray,
) -> int:
    """Return the lines between two places, and the letters of each column; -1 if not plain.

    Lines begin at ``start``, and the last one ends at ``stop``. ``lengths`` (columns) are added to.
    """
    n_columns = lengths.shape[0]
    ends = np.empty(MOST_ENDS, np.int32)
    behind = 1 if returns else 0
    lines = 0
    while start < stop:
        end = piece_end(letters, start, stop)
        if end < 0:
            return -1
        rows, quoted = find_cells(letters, start, end, delimiter, returns, n_columns, ends)
        if rows < 0:
            return -1
        for column in range(n_columns):
            length = np.int64(0)
            for row in range(rows):
                cell = np.uint64(row * n_columns + column)
                length += ends[cell + _ONE] - ends[cell] - 1
                if quoted and letters[np.uint64(start + ends[cell] + 1)] == _QUOTE:
                    length -= 2
            lengths[column] += length
        lengths[n_columns - 1] -= behind * rows
        lines += rows
        start = end
    return lines
