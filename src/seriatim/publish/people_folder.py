"""The folder of what is remembered of people: a file of numbers for each bundle.

A file is written once, under a name that no other ever had, and never changed. It counts from
the moment on when the database names it. It is removed only by a database that named it: as
superseded, or as begun by a transaction that was never committed. A file that the database never
heard of may be another database's, and stays.
"""

from __future__ import annotations

import contextlib
import shutil
import threading
from collections.abc import Collection
from pathlib import Path

from seriatim.errors import StoreError
from seriatim.publish.new_files import fsync_directory, fsync_file
from seriatim.publish.number_file import NumberWriter

_FLUSH_INTERVAL = 0.02
"""Seconds between two fsyncs of files that are being written."""


class PeopleFolder:
    """The files that go with a store's database."""

    def __init__(self, path: Path) -> None:
        """Look at a folder, which is made with the first of its files."""
        self.path = path
        self._begun: list[Path] = []
        self._token = ""
        self._parent_synced = False

    def __repr__(self) -> str:
        """Say where it is."""
        return f"PeopleFolder({str(self.path)!r})"

    def start(self, token: str) -> None:
        """Start a transaction: the names of its files end with the token and a number."""
        self._token = token
        self._begun.clear()

    def begin(self, name: str) -> tuple[str, NumberWriter]:
        """Begin a file; return its name, which begins with that given, and what writes it."""
        try:
            self.path.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            message = f"{self.path} could not be made: {error.strerror}. Nothing was written."
            raise StoreError(message) from None
        own = f"{name}-{self._token}{len(self._begun):04x}"
        self._begun.append(self.path / own)
        return own, NumberWriter(self.path / own)

    def fsync_names(self) -> None:
        """Wait until the names of all files are on the disk; their content is, once closed."""
        if not self._begun:
            return
        try:
            fsync_directory(self.path)
            if not self._parent_synced:
                fsync_directory(self.path.parent)
        except OSError as error:
            message = f"{self.path} could not be brought to the disk: {error.strerror}."
            raise StoreError(message) from None
        self._parent_synced = True

    def flush_until(self, written: threading.Event) -> None:
        """Fsync what is written bit by bit: closing would wait for it all."""
        while not written.wait(_FLUSH_INTERVAL):
            for file in tuple(self._begun):
                # What fails here fails again, and is told, when the file is closed.
                with contextlib.suppress(OSError):
                    fsync_file(file)

    def undo(self, named: Collection[str]) -> None:
        """Remove what this transaction wrote, but for files that are named after all."""
        self.remove({file.name for file in self._begun} - set(named))
        self._begun.clear()

    def begun_with(self, token: str) -> set[str]:
        """Return the files that a transaction with a token began."""
        return {name for name in self.names() if token and name.rpartition("-")[2][:-4] == token}

    def names(self) -> set[str]:
        """Return the names of all files that are there."""
        return {file.name for file in self.path.glob("*") if file.is_file()}

    def remove(self, names: Collection[str]) -> None:
        """Remove some files; what cannot be removed is for next time."""
        for name in names:
            with contextlib.suppress(OSError):
                (self.path / name).unlink(missing_ok=True)

    def remove_all(self) -> None:
        """Remove the folder and all that is in it, where there is one."""
        shutil.rmtree(self.path, ignore_errors=True)
