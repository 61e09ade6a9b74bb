"""Large files that are written once and not read soon, past the system's memory for files.

What is written in the usual way is copied into memory first, and a large file pushes out what
others need; where memory is new, getting it takes longer than the disk does. Where the system
can, large pieces go from here to the disk as they are.
"""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
from pathlib import Path

import numpy as np

from seriatim._typing import ByteArray

_ROOM = 2**22
"""Bytes that are written at once; smaller files are written in the usual way."""


class WholeWriter:
    """Writes a new file from its beginning to its end; its owner alone may read it."""

    def __init__(self, path: Path) -> None:
        """Begin a file that is not there yet."""
        # At the beginning of a page, as the disk wants it.
        self._room = np.frombuffer(mmap.mmap(-1, _ROOM), np.uint8)
        self._filled = 0
        self._straight = hasattr(os, "O_DIRECT")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        self._file: int | None = os.open(path, flags, 0o600)

    def write(self, data: ByteArray) -> None:
        """Append bytes; others may work while they are copied."""
        while len(data):
            taken = min(len(data), _ROOM - self._filled)
            self._room[self._filled : self._filled + taken] = data[:taken]
            self._filled += taken
            data = data[taken:]
            if self._filled == _ROOM:
                self._go_straight(True)
                self._flush()

    def close(self) -> None:
        """Write what is left, and wait until all is on the disk; doing so twice does nothing.

        Whatever went wrong with a file on its way to the disk is told to those alone who had
        it open by then.
        """
        if self._file is None:
            return
        try:
            # The end is not as long as the disk wants pieces to be.
            self._go_straight(False)
            self._flush()
            os.fsync(self._file)
        finally:
            os.close(self._file)
            self._file = None
            self._room = np.empty(0, np.uint8)

    def _flush(self) -> None:
        assert self._file is not None
        left = self._room.data[: self._filled]
        done = 0
        while done < len(left):
            done += self._written(left[done:])
        self._filled = 0

    def _written(self, rest: memoryview) -> int:
        assert self._file is not None
        try:
            return os.write(self._file, rest)
        except OSError as error:
            # Some file systems promise to go straight, and then refuse.
            if error.errno != errno.EINVAL or not self._straight:
                raise
        self._go_straight(False)
        self._straight = False
        return os.write(self._file, rest)

    def _go_straight(self, straight: bool) -> None:
        """Write past the memory for files, or not; where the system cannot, nothing changes."""
        if not self._straight:
            return
        import fcntl

        assert self._file is not None
        with contextlib.suppress(OSError):
            flags = fcntl.fcntl(self._file, fcntl.F_GETFL)
            wanted = flags | os.O_DIRECT if straight else flags & ~os.O_DIRECT
            fcntl.fcntl(self._file, fcntl.F_SETFL, wanted)
