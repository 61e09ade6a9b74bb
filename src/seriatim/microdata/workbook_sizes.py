"""How large a workbook is once it is unpacked, found out before a library does it.

A workbook is an archive, and a small one may hold more than a machine. A sheet with two cells far
apart is as large as the rectangle between them: whoever reads it makes room for all of that.
"""

from __future__ import annotations

import contextlib
import copy
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from seriatim._typing import ByteArray, IntArray
from seriatim.errors import TableError
from seriatim.microdata.unpacking import LIMIT_VARIABLE, size_in_words, too_large, unpacked_limit

_PIECE = 2**20
_BYTES_OF_A_CELL = 24
_LONGEST = 16
"""Letters of a place such as ``r="XFD1048576"``, and of what follows it."""

_MOST_LETTERS, _MOST_DIGITS = 3, 7


def require_fitting(file: Path) -> None:
    """Refuse a workbook that unpacks to more than it may; one that is damaged is left alone."""
    if not zipfile.is_zipfile(file):
        return
    limit, seen, cells = unpacked_limit(file), 0, 0
    damaged = (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError)
    with contextlib.suppress(*damaged), zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            corner = np.zeros(2, np.int64)
            before = b""
            for piece in _pieces(archive, member):
                seen += len(piece)
                if seen > limit:
                    raise too_large(file, limit)
                corner = np.maximum(corner, far_corner(before + piece))
                before = piece[-_LONGEST:]
            cells = max(cells, int(corner.prod()))
    if cells * _BYTES_OF_A_CELL > limit:
        message = (
            f"A sheet of {file.name} reaches so far that it has {cells:,} cells, filled or not,"
            f" which need more than {size_in_words(limit)}. Delete what stands far from the table,"
            f" or save the sheet as CSV. If it is what you expect, allow more with the variable"
            f" {LIMIT_VARIABLE} (in GiB)."
        )
        raise TableError(message)


def _pieces(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Unpack a member as far as it goes, whatever size and checksum it claims to have."""
    whole = copy.copy(member)
    whole.file_size = 2**62
    whole.CRC = None  # type: ignore[assignment]
    with archive.open(whole) as stream:
        yield from iter(lambda: stream.read(_PIECE), b"")


def far_corner(text: bytes) -> IntArray:
    """Return the greatest column and row that cells of a sheet name as their place.

    >>> far_corner(b'<c r="A1"/><c r="AB12"/><c r="C7"/>').tolist()
    [28, 12]
    """
    letters = np.frombuffer(text + bytes(_LONGEST), np.uint8)
    marks = (letters[:-2] == ord("r")) & (letters[1:-1] == ord("="))
    quotes = (letters[2:] == ord('"')) | (letters[2:] == ord("'"))
    place = np.flatnonzero(marks & quotes) + 3
    column, place = _number(letters, place, "A", "Z", _MOST_LETTERS)
    row, _ = _number(letters, place[column > 0], "0", "9", _MOST_DIGITS)
    return np.array([column.max(initial=0), row.max(initial=0)])


def _number(
    letters: ByteArray, place: IntArray, first: str, last: str, most: int
) -> tuple[IntArray, IntArray]:
    """Read numbers digit by digit, all at once; return them, and where each ends.

    Columns have no zero: A is 1, and Z is followed by AA.
    """
    base, lowest = ord(last) - ord(first) + 1, 1 if first == "A" else 0
    number = np.zeros(len(place), np.int64)
    going_on = np.ones(len(place), np.bool_)
    for _ in range(most):
        letter = letters[place].astype(np.int64)
        going_on &= (letter >= ord(first)) & (letter <= ord(last))
        number = np.where(going_on, base * number + letter - ord(first) + lowest, number)
        place = place + going_on
    return number, place
