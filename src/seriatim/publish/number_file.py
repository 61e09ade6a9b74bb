"""Columns of plain numbers in a file, one behind the other, read and written by the million.

A database pays for every row, and for every block of memory that a row goes through; a file of
numbers costs what copying them costs. The file is nothing but the numbers: what lies where, and
the checksum of every block of them, is told by whoever wrote it and kept elsewhere.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from seriatim._typing import WordArray
from seriatim.errors import StoreError
from seriatim.publish.key_lookup import still
from seriatim.publish.whole_writer import WholeWriter

BLOCK = 2**18
"""Numbers that have a checksum of their own, and are read together."""


class Section(NamedTuple):
    """Numbers of one column that lie behind each other in a file."""

    begin: int
    """The byte with which they begin."""

    length: int
    """How many they are."""

    sums: str
    """The checksum of each block, in sixteen hexadecimal digits."""


Chunk = Mapping[str, Section]
"""The sections that were written together, by column."""


class NumberWriter:
    """Writes a new file, some numbers of every column at a time."""

    def __init__(self, path: Path) -> None:
        """Begin a file, which only its owner may read."""
        self._path = path
        self._end = 0
        self.chunks: list[Chunk] = []
        """What was written so far."""
        with explained(path, "written"):
            self._file = WholeWriter(path)

    def __repr__(self) -> str:
        """Say where it writes."""
        return f"NumberWriter({str(self._path)!r})"

    def add(self, columns: Mapping[str, np.ndarray]) -> None:
        """Append numbers to every column."""
        chunk = {}
        for name, numbers in columns.items():
            data = np.ascontiguousarray(numbers).view(np.uint8)
            sums = _sums(data, numbers.itemsize).astype(">u8").tobytes().hex()
            chunk[name] = Section(self._end, len(numbers), sums)
            with explained(self._path, "written"):
                self._file.write(data)
            self._end += len(data)
        self.chunks.append(chunk)

    def close(self) -> None:
        """Write no more; doing so twice does nothing."""
        with explained(self._path, "written"):
            self._file.close()


class NumberFile:
    """Reads a file of numbers."""

    def __init__(self, path: Path, chunks: Sequence[Chunk]) -> None:
        """Know what lies where."""
        self._path = path
        self._chunks = chunks

    def __repr__(self) -> str:
        """Say where it reads."""
        return f"NumberFile({str(self._path)!r})"

    def read(
        self,
        columns: Mapping[str, np.dtype[Any]],
        first: int,
        last: int,
        room: dict[str, np.ndarray] | None = None,
    ) -> dict[str, np.ndarray]:
        """Return the numbers first..last of some columns; with a ``room``, in its arrays."""
        found, shift = self.read_into({} if room is None else room, columns, first, last)
        return {name: numbers[first + shift : last + shift] for name, numbers in found.items()}

    def read_into(
        self,
        room: dict[str, np.ndarray],
        columns: Mapping[str, np.dtype[Any]],
        first: int,
        last: int,
    ) -> tuple[dict[str, np.ndarray], int]:
        """Return arrays that have the numbers first..last of columns, and a shift.

        The columns have the same length, and number n of each is at n + shift. The arrays are
        those of ``room``, by name, where they are large enough: new memory is dear.
        """
        found, shift = {}, 0
        with explained(self._path, "read"), self._path.open("rb", buffering=0) as file:
            for name, kind in columns.items():
                parts = list(_parts([chunk[name] for chunk in self._chunks], first, last))
                numbers = found[name] = taken(room, name, sum(map(_length, parts)), kind)
                shift = -parts[0].number if parts else -first
                begin = 0
                for part in parts:
                    end = begin + _length(part)
                    data = numbers[begin:end].view(np.uint8)
                    file.seek(part.section.begin + part.low * kind.itemsize)
                    self._fill(file, data)
                    if not np.array_equal(_sums(data, kind.itemsize), _kept(part)):
                        raise self._damaged()
                    begin = end
        return found, shift

    def _fill(self, file: Any, data: np.ndarray) -> None:
        left = data.data
        while left:
            read = file.readinto(left)
            if not read:
                raise self._damaged()
            left = left[read:]

    def _damaged(self) -> StoreError:
        message = (
            f"{self._path.parent.name}/{self._path.name} is damaged: it is not what was written."
            " Restore a backup."
        )
        return StoreError(message)


class _Part(NamedTuple):
    """Whole blocks of a section."""

    section: Section
    """The section."""

    low: int
    """The first number in the section."""

    high: int
    """The one after the last."""

    number: int
    """The first number in the column."""


def _length(part: _Part) -> int:
    return part.high - part.low


def _parts(sections: Sequence[Section], first: int, last: int) -> Iterator[_Part]:
    """Go through the blocks that hold the numbers first..last of a column."""
    begin = 0
    for section in sections:
        low, high = max(first - begin, 0), min(last - begin, section.length)
        if low < high:
            low = low // BLOCK * BLOCK
            high = min(-(-high // BLOCK) * BLOCK, section.length)
            yield _Part(section, low, high, begin + low)
        begin += section.length


def _sums(data: np.ndarray, size: int) -> WordArray:
    """Return the checksums of blocks of numbers of a size."""
    from seriatim.kernels.checksums import sum_blocks

    sums = np.empty(-(-len(data) // (BLOCK * size)), dtype=np.uint64)
    sum_blocks(0, len(sums), still(data), BLOCK * size, sums)
    return sums


def _kept(part: _Part) -> WordArray:
    """Return the checksums that a part was written with."""
    digits = part.section.sums[16 * (part.low // BLOCK) : 16 * -(-part.high // BLOCK)]
    return np.frombuffer(bytes.fromhex(digits), ">u8").astype(np.uint64)


def taken(room: dict[str, np.ndarray], name: str, length: int, kind: np.dtype[Any]) -> np.ndarray:
    """Return an array of a length, the one of before where it is large enough."""
    if name not in room or len(room[name]) < length or room[name].dtype != kind:
        # The next ones are a little longer or shorter.
        room[name] = np.empty(length + length // 8, dtype=kind)
    return room[name][:length]


@contextlib.contextmanager
def explained(path: Path, done: str) -> Iterator[None]:
    """Turn what the system says of a file into what the reader can do about it."""
    name = f"{path.parent.name}/{path.name}"
    try:
        yield
    except FileNotFoundError:
        message = (
            f"{name} is not there, and is a part of the store. A store is a file and the folder"
            " beside it: bring the folder back, or restore a backup."
        )
        raise StoreError(message) from None
    except OSError as error:
        message = (
            f"{name}, a part of the store, could not be {done}: {error.strerror}."
            " What was committed before is as it was."
        )
        raise StoreError(message) from None
