"""The folder beside a store's file: what is remembered of people, a file of numbers each bundle.

A file is written once, under a name that no other ever had, and never changed. It counts from
the moment on when the database names it, and is removed when the database names it no more: so
whatever happens in between, the database and the files it names belong together.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import threading
from collections.abc import Collection
from pathlib import Path

from seriatim.errors import StoreError
from seriatim.publish.number_file import NumberWriter

ENDING = ".people"
"""What the folder's name adds to the name of the store's file."""

_BETWEEN = 0.02
"""Seconds after which what was written meanwhile is brought to the disk."""


class PeopleFolder:
    """The files that go with a store's file."""

    def __init__(self, store: Path) -> None:
        """Look beside a store's file; the folder is made with the first of its files."""
        # Beside the file itself, by whatever name it was called.
        real = store.resolve()
        self.path = real.with_name(real.name + ENDING)
        self._begun: list[Path] = []
        self._known = False

    def __repr__(self) -> str:
        """Say where it is."""
        return f"PeopleFolder({str(self.path)!r})"

    def begin(self, name: str) -> tuple[str, NumberWriter]:
        """Begin a file; return its name, which begins with that given, and what writes it."""
        try:
            self.path.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            message = f"{self.path} could not be made: {error.strerror}. Nothing was written."
            raise StoreError(message) from None
        own = f"{name}-{secrets.token_hex(6)}"
        self._begun.append(self.path / own)
        return own, NumberWriter(self.path / own)

    def settle(self) -> None:
        """Wait until the names of all files are on the disk; their content is, once closed."""
        if not self._begun:
            return
        try:
            synced(self.path)
            if not self._known:
                synced(self.path.parent)
        except OSError as error:
            message = f"{self.path} could not be brought to the disk: {error.strerror}."
            raise StoreError(message) from None
        self._known = True

    def flush_until(self, written: threading.Event) -> None:
        """Bring what is written to the disk bit by bit: closing would wait for it all."""
        while not written.wait(_BETWEEN):
            for file in tuple(self._begun):
                # What fails here fails again, and is told, when the file is closed.
                with contextlib.suppress(OSError):
                    synced(file)

    def undo(self, names: Collection[str]) -> None:
        """Remove what was written since the last commit, but for files that are named after all."""
        for file in self._begun:
            if file.name not in names:
                with contextlib.suppress(OSError):
                    file.unlink(missing_ok=True)
        self._begun.clear()

    def keep_only(self, names: Collection[str]) -> None:
        """Remove all other files, which count no more; what cannot be removed is for next time."""
        self._begun.clear()
        for file in self.beside(names):
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)

    def beside(self, names: Collection[str]) -> list[Path]:
        """Return the files that are there beside those of some names."""
        return [file for file in self.path.glob("*") if file.is_file() and file.name not in names]

    def make_private(self) -> None:
        """Let nobody but its owner enter the folder, whoever brought it here."""
        with contextlib.suppress(OSError):
            self.path.chmod(0o700)

    def remove(self) -> None:
        """Remove the folder and all that is in it, where there is one."""
        shutil.rmtree(self.path, ignore_errors=True)


def synced(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    folder = path.is_dir()
    if folder and os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(handle)
    except OSError as error:
        # Some file systems do not know of folders that are waited for.
        if not folder or error.errno not in (errno.EINVAL, errno.EBADF, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)
