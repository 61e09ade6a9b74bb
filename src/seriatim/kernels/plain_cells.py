"""Cells of a plain text of lines, read as whole numbers or copied as texts.

Axes: kinds and slots (columns of the text) say what a cell is read as, and as which of its kind;
odd (columns, two) whether some cells are empty; and whether some are no numbers as numbers are
written, or texts with letters near them that may be none of ASCII; numbers (slots, rows); texts
(letters) one slot behind the other, from bases (slots and one); begins (slots, rows and one) where
each text begins among those of its slot.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, ByteArray, IntArray, SmallIntArray
from seriatim.kernels._jit import inner_kernel, kernel
from seriatim.kernels._machine import put_word, word_at
from seriatim.kernels.plain_lines import BLOCK, MOST_ENDS, find_cells, piece_end

SKIPPED, NUMBER, TEXT = 0, 1, 2
"""What a column is read as."""

EMPTY = np.int64(-(2**63))
"""What stands for an empty cell among numbers: more digits than any that is read has."""

_UNLIKE = np.int64(1 - 2**63)
_MINUS, _QUOTE, _ZERO = 45, 34, 48
_MOST_DIGITS = 18
_WORD = 8
_ZEROS = np.uint64(0x3030303030303030)
_TO_NINE = np.uint64(0x7676767676767676)
_HIGH = np.uint64(0x8080808080808080)
_PAIRS = np.uint64(0x000000FF000000FF)
_MILLIONS = np.uint64(0x000F424000000064)
_THOUSANDS = np.uint64(0x0000271000000001)


@inner_kernel
def whole_number(letters: ByteArray, begin: int, end: int) -> np.int64:
    """Read a cell as a whole number, letter by letter; any of those that are read at all."""
    if begin == end:
        return EMPTY
    negative = letters[np.uint64(begin)] == _MINUS
    if negative:
        begin += 1
    digits = end - begin
    # A zero in front, or before nothing, is part of a code and no number.
    leading = digits > 0 and letters[np.uint64(begin)] == _ZERO and (digits > 1 or negative)
    if digits < 1 or digits > _MOST_DIGITS or leading:
        return _UNLIKE
    number = np.int64(0)
    for place in range(begin, end):
        digit = np.int64(letters[np.uint64(place)]) - _ZERO
        if digit < 0 or digit > 9:
            return _UNLIKE
        number = 10 * number + digit
    return -number if negative else number


@inner_kernel
def read_numbers(
    letters: ByteArray,
    start: int,
    ends: SmallIntArray,
    cells: tuple[int, int, int, int],
    quoted: bool,
    numbers: IntArray,
    odd: BoolArray,
) -> None:
    """Read a column of a piece as whole numbers.

    ``cells`` are the first of the column, how far it is to the next, how many there are, and how
    many letters of a line's end are part of each.
    """
    cell, step, rows, behind = cells
    for row in range(rows):
        begin = start + ends[np.uint64(cell)] + 1
        end = start + ends[np.uint64(cell + 1)] - behind
        cell += step
        if quoted and letters[np.uint64(begin)] == _QUOTE:
            begin += 1
            end -= 1
        missing = np.uint64(_WORD * (_WORD + begin - end))
        shift = missing & np.uint64(BLOCK - 1)
        # Mostly up to eight digits, the first neither a sign nor a zero: all in one word, its
        # upper bytes; pairs of digits, of pairs and of fours are joined all at once.
        digits = (word_at(letters, np.uint64(begin)) ^ _ZEROS) << shift
        short = missing < np.uint64(BLOCK) and letters[np.uint64(begin)] > _ZERO
        if short and not (digits | (digits + _TO_NINE)) & _HIGH:
            pairs = digits * np.uint64(10) + (digits >> np.uint64(8))
            upper = (pairs & _PAIRS) * _MILLIONS
            lower = ((pairs >> np.uint64(16)) & _PAIRS) * _THOUSANDS
            numbers[row] = np.int64((upper + lower) >> np.uint64(32))
        else:
            number = whole_number(letters, begin, end)
            numbers[row] = number
            odd[0] |= number == EMPTY
            odd[1] |= number == _UNLIKE


@inner_kernel
def copy_texts(
    letters: ByteArray,
    start: int,
    ends: SmallIntArray,
    cells: tuple[int, int, int, int],
    quoted: bool,
    begins: SmallIntArray,
    places: IntArray,
    texts: ByteArray,
    odd: BoolArray,
) -> bool:
    """Copy the texts of a column of a piece; tell whether there was room.

    ``places`` are where the first goes, which moves on, and where others have their room.
    """
    cell, step, rows, behind = cells
    place, stop = places
    seen = np.uint64(0)
    for row in range(rows):
        begin = start + ends[np.uint64(cell)] + 1
        length = start + ends[np.uint64(cell + 1)] - behind - begin
        cell += step
        if quoted and letters[np.uint64(begin)] == _QUOTE:
            begin += 1
            length -= 2
        begins[row] = place
        odd[0] |= length == 0
        if place + length + _WORD <= stop:
            for done in range(0, length, _WORD):
                word = word_at(letters, np.uint64(begin + done))
                put_word(texts, np.uint64(place + done), word)
                seen |= word
        elif place + length <= stop:
            for done in range(length):
                letter = letters[np.uint64(begin + done)]
                texts[np.uint64(place + done)] = letter
                seen |= np.uint64(letter)
        else:
            return False
        place += length
    places[0] = place
    odd[1] |= seen & _HIGH != 0
    return True


@kernel
def read_cells(
    letters: ByteArray,
    start: int,
    stop: int,
    delimiter: int,
    returns: bool,
    row: int,
    last_row: int,
    kinds: IntArray,
    slots: IntArray,
    numbers: IntArray,
    begins: SmallIntArray,
    texts: ByteArray,
    bases: IntArray,
    places: IntArray,
    odd: BoolArray,
) -> bool:
    """Read the lines between two places as rows row..last_row; tell whether they still fit.

    A file may have been changed since its lines were counted: nothing is written beyond the rows,
    and the room of their texts, that were.
    """
    n_columns = kinds.shape[0]
    ends = np.empty(MOST_ENDS, np.int32)
    while start < stop:
        end = piece_end(letters, start, stop)
        if end < 0:
            return False
        rows, quoted = find_cells(letters, start, end, delimiter, returns, n_columns, ends)
        if rows < 0 or row + rows > last_row:
            return False
        for column in range(n_columns):
            behind = 1 if returns and column == n_columns - 1 else 0
            cells = (column, n_columns, rows, behind)
            slot, strange = slots[column], odd[column]
            if kinds[column] == NUMBER:
                here = numbers[slot, row : row + rows]
                read_numbers(letters, start, ends, cells, quoted, here, strange)
            elif kinds[column] == TEXT:
                lie, room = begins[slot, row : row + rows], places[slot]
                own = texts[bases[slot] : bases[slot + 1]]
                if not copy_texts(letters, start, ends, cells, quoted, lie, room, own, strange):
                    return False
        row += rows
        start = end
    return row == last_row
