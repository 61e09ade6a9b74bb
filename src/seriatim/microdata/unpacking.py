"""Compressed files, unpacked up to a stated size: a small one may hold more than a machine."""

from __future__ import annotations

import io
import lzma
import math
import os
from pathlib import Path
from typing import Any, BinaryIO, cast

import pyarrow as pa

from seriatim.errors import PolicyError, TableError

COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4", ".xz": "xz"}
"""Compressed files, by the end of their names."""

LIMIT_VARIABLE = "SERIATIM_UNPACKED_GIB"
"""Names the variable that says how many GiB a compressed file may unpack to."""

_GIB = 2**30
_USUAL = _GIB
_USUAL_RATIO = 100
"""A file unpacks to 1 GiB, or to a hundred times its own size where that is more."""

_PIECE = 2**20


def open_bytes(file: Path) -> BinaryIO:
    """Open a file to read its bytes, unpacked where its name says that it is compressed."""
    compression = COMPRESSIONS.get(file.suffix.lower())
    if compression is None:
        return file.open("rb")
    packed: Any = (
        lzma.LZMAFile(file)  # noqa: SIM115 - closed by what is returned
        if compression == "xz"
        else pa.input_stream(str(file), compression=compression)
    )
    return cast(BinaryIO, _Unpacked(packed, file, unpacked_limit(file)))


def unpacked_limit(file: Path) -> int:
    """Return how many bytes a compressed file may unpack to."""
    said = os.environ.get(LIMIT_VARIABLE, "")
    if not said:
        return max(_USUAL, _USUAL_RATIO * file.stat().st_size)
    try:
        number = float(said)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        message = f"{LIMIT_VARIABLE} is a number of GiB above 0, such as 8, and not {said!r}."
        raise PolicyError(message)
    return int(number * _GIB)


def too_large(file: Path, limit: int) -> TableError:
    """Say that a file holds more than it may."""
    packed, most = size_in_words(file.stat().st_size), size_in_words(limit)
    by_hand = ", or unpack it yourself" if file.suffix.lower() in COMPRESSIONS else ""
    return TableError(
        f"{file.name} has {packed} and unpacks to more than {most}, which is where reading ends: a"
        " file may be made to fill a machine. If it is what you expect, allow more with the"
        f" variable {LIMIT_VARIABLE} (in GiB, such as"
        f" {LIMIT_VARIABLE}={math.ceil(8 * limit / _GIB)}){by_hand}."
    )


def size_in_words(count: int) -> str:
    """Write a number of bytes in the unit that fits.

    >>> size_in_words(3 * 2**29)
    '1.5 GiB'
    """
    for unit, name in ((_GIB, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if count >= unit:
            return f"{count / unit:,.3g} {name}"
    return f"{count} bytes"


class _Unpacked(io.RawIOBase):
    """What a compressed file holds, refused where it is more than a limit."""

    def __init__(self, packed: Any, file: Path, limit: int) -> None:
        self._packed, self._file, self._limit = packed, file, limit
        self._seen = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        if size is None or size < 0:
            return b"".join(iter(lambda: self.read(_PIECE), b""))
        piece: bytes = self._packed.read(size)
        self._seen += len(piece)
        if self._seen > self._limit:
            raise too_large(self._file, self._limit)
        return piece

    def readinto(self, room: Any) -> int:
        piece = self.read(len(room))
        room[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._packed.close()
        super().close()
