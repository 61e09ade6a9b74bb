"""What a column of texts holds: numbers, dates or words.

A text becomes a number only where nothing of it is lost: codes with leading zeros, ids of
more digits than a number has, and ``12E4`` stay as they are written, and the whole column
with them.
"""

from __future__ import annotations

import functools

import pyarrow as pa
import pyarrow.compute as pc

from seriatim.microdata.letters import read_decimals

_WHOLE = r"^(?:0|-?[1-9][0-9]*)$"
_NUMBER = r"^-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$"
_CODE = r"^-?[0-9]+[eE][0-9]+$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?$"
_NO_NUMBER = ("", "NA", "N/A", "NaN", "nan", "NULL", "null")
FEW = 1000
"""Cells at the beginning of a column that mostly tell what it holds."""

_SAMPLE = 10_000
_PATTERNS = (_WHOLE, _NUMBER, _DATE, _TIME)


def inferred(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of texts as what all its cells can be read as, else as it is.

    Among numbers and dates, ``NA``, ``NaN``, ``NULL`` and the like are missing cells; among
    words they are words.

    >>> inferred(pa.chunked_array([["51", "NA"]])).to_pylist()
    [51, None]
    >>> inferred(pa.chunked_array([["00123", "51"]])).to_pylist()
    ['00123', '51']
    """
    if _has_word(column.slice(0, FEW)):
        return column
    numbers = read_decimals(column)
    if numbers is not None and numbers.null_count < len(numbers):
        return pa.chunked_array([numbers])
    few = column.slice(0, _SAMPLE)
    if len(column) > _SAMPLE and len(few.unique()) < _SAMPLE // 4:
        # Each different text is looked at once; mostly they are few.
        encoded = column.combine_chunks().dictionary_encode()
        words = pa.chunked_array([encoded.dictionary])
        read = _inferred(words)
        return column if read is words else pc.take(read, encoded.indices)
    return _inferred(column)


def may_be_whole(few: pa.ChunkedArray) -> bool:
    """Tell whether cells at the beginning of a column are whole numbers, as they are written."""
    return pc.all(pc.match_substring_regex(few, _WHOLE)).as_py() is not False


def may_be_numbers(cells: pa.Array) -> pa.Array:
    """Tell which texts are written as numbers, or say that nothing is there.

    >>> may_be_numbers(pa.array(["51", "forty", "NA", "007"])).to_pylist()
    [True, False, True, False]
    """
    trimmed = _trimmed(cells)
    is_code = pc.match_substring_regex(trimmed, _CODE)
    is_number = pc.and_not(pc.match_substring_regex(trimmed, _NUMBER), is_code)
    return pc.fill_null(is_number, True)


def _has_word(few: pa.ChunkedArray) -> bool:
    """Tell whether some cell is neither number nor date, and so all of its column are words."""
    cells = _trimmed(few)
    fit = [pc.match_substring_regex(cells, pattern) for pattern in _PATTERNS]
    return pc.all(functools.reduce(pc.or_, fit)).as_py() is False


def _trimmed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return cells without spaces about them, null where they say that nothing is there."""
    trimmed = pc.utf8_trim_whitespace(column)
    absent = pc.is_in(trimmed, value_set=pa.array(_NO_NUMBER))
    return pc.if_else(absent, pa.scalar(None, pa.string()), trimmed)


def _inferred(column: pa.ChunkedArray) -> pa.ChunkedArray:
    cells = _trimmed(column)
    if cells.null_count == len(cells):
        return column
    if _all(cells, _WHOLE):
        return _cast(cells, pa.int64(), column)
    if _all(cells, _NUMBER) and not pc.any(pc.match_substring_regex(cells, _CODE)).as_py():
        return _cast(cells, pa.float64(), column)
    if _all(cells, _DATE):
        return _cast(cells, pa.date32(), column)
    if _all(cells, _TIME):
        return _cast(cells, pa.timestamp("us"), column)
    return column


def _all(cells: pa.ChunkedArray, pattern: str) -> bool:
    """Tell whether all cells fit a pattern; a few at the beginning mostly tell."""
    return all(
        pc.all(pc.match_substring_regex(some, pattern)).as_py()
        for some in (cells.slice(0, FEW), cells)
    )


def _cast(cells: pa.ChunkedArray, kind: pa.DataType, otherwise: pa.ChunkedArray) -> pa.ChunkedArray:
    try:
        return cells.cast(kind)
    except pa.ArrowException:  # more digits than the type has, or a day that no month has
        return otherwise
