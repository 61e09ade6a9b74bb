"""A store as one stream of bytes: its database, then the files of its people.

    archive = magic ‖ length of the list ‖ list ‖ database ‖ file ‖ file ‖ …
    list    = JSON: the name and the size of each of these; the database has no name

Backups are such streams, and so is what a sealed store seals: at rest both are one file.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Collection, Iterator
from pathlib import Path

from seriatim.errors import StoreError
from seriatim.publish.new_files import new_file
from seriatim.publish.number_file import explained

_MAGIC = b"seriatim store archive 1\n"
_LENGTH = struct.Struct(">I")
_NAME = re.compile(r"[a-z]+-[0-9]+-[0-9a-f]{12}")
_PIECE = 2**20


class Stream:
    """Pieces of bytes, read by the length.

    >>> stream = Stream(iter([b"once ", b"upon", b" a time"]))
    >>> stream.read(6), stream.read(99), stream.read(99)
    (b'once u', b'pon a time', b'')
    """

    def __init__(self, pieces: Iterator[bytes]) -> None:
        """Take pieces, none of which is empty."""
        self._pieces = pieces
        self._left = b""

    def read(self, size: int, /) -> bytes:
        """Return so many bytes, fewer only at the end."""
        found, length = [self._left], len(self._left)
        while length < size and (piece := next(self._pieces, b"")):
            found.append(piece)
            length += len(piece)
        whole = b"".join(found)
        self._left = whole[size:]
        return whole[:size]


def packed(database: Path, people: Path, files: Collection[str]) -> Iterator[bytes]:
    """Go through a database that nobody writes meanwhile, and the files of people it names."""
    paths = [database, *(people / name for name in files)]
    listed = []
    for name, path in zip(["", *files], paths, strict=True):
        with explained(path, "read"):
            listed.append([name, path.stat().st_size])
    head = json.dumps(listed).encode()
    yield _MAGIC + _LENGTH.pack(len(head)) + head
    for path in paths:
        with explained(path, "read"), path.open("rb") as file:
            while piece := file.read(_PIECE):
                yield piece


def is_archive(path: Path) -> bool:
    """Tell whether a file begins as an archive; one that cannot be read does not."""
    try:
        with path.open("rb") as begun:
            return begun.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def unpack(pieces: Iterator[bytes], database: Path, people: Path) -> None:
    """Write a database that is not there yet, and the files of its people into a folder."""
    stream = Stream(pieces)
    if stream.read(len(_MAGIC)) != _MAGIC:
        message = "This is no archive of a store, or it is damaged. Try another backup."
        raise StoreError(message)
    for name, size in _listed(stream):
        if name:
            people.mkdir(mode=0o700, exist_ok=True)
        with new_file(people / name if name else database) as file:
            for piece in _first(stream, size):
                file.write(piece)
            if file.tell() < size:
                raise _cut_short()


def _listed(stream: Stream) -> list[tuple[str, int]]:
    """Read what an archive holds; nothing of it may name a place elsewhere."""
    length = stream.read(_LENGTH.size)
    if len(length) < _LENGTH.size:
        raise _cut_short()
    try:
        listed = json.loads(stream.read(*_LENGTH.unpack(length)))
        found = [(str(name), size) for name, size in listed]
        good = found[0][0] == "" and all(_NAME.fullmatch(name) for name, _ in found[1:])
        good = good and all(type(size) is int and size >= 0 for _, size in found)
    except (ValueError, TypeError, IndexError, RecursionError):
        good = False
    if not good:
        message = "The archive is damaged: its list cannot be read. Try another backup."
        raise StoreError(message)
    return found


def _first(stream: Stream, size: int) -> Iterator[bytes]:
    """Go through so many bytes, fewer only at the end."""
    while size > 0 and (piece := stream.read(min(size, _PIECE))):
        size -= len(piece)
        yield piece


def _cut_short() -> StoreError:
    return StoreError("The archive is cut short. Try another backup.")
