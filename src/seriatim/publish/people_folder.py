"""The folder beside a store's file: what is remembered of people, a file of numbers each bundle.

A file is written once, under a name that no other ever had, and never changed. It counts from
the moment on when the database names it, and is removed when the database names it no more: so
whatever happens in between, the database and the files it names belong together.
"""

from __future__ import annotations

import contextlib
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
        self.path = store.with_name(store.name + ENDING)
        self._begun: list[Path] = []

    def __repr__(self) -> str:
        """Say where it is."""
        return f"PeopleFolder({str(self.path)!r})"

    def begin(self, name: str) -> tuple[str, NumberWriter]:
        """Begin a file; return its name, which begins with that given, and what writes it."""
        try:
            if not self.path.is_dir():
                self.path.mkdir(mode=0o700)
                _synced(self.path.parent)
        except OSError as error:
            message = f"{self.path} could not be made: {error.strerror}. Nothing was written."
            raise StoreError(message) from None
        own = f"{name}-{secrets.token_hex(6)}"
        writer = NumberWriter(self.path / own)
        self._begun.append(self.path / own)
        return own, writer

    def settle(self) -> None:
        """Wait until everything that was written is on the disk."""
        if not self._begun:
            return
        try:
            self._flush()
            _synced(self.path)
        except OSError as error:
            message = f"{self.path} could not be brought to the disk: {error.strerror}."
            raise StoreError(message) from None

    def flush_until(self, written: threading.Event) -> None:
        """Bring what is written to the disk bit by bit: a commit would wait for it all."""
        with contextlib.suppress(OSError):
            while not written.wait(_BETWEEN):
                self._flush()

    def _flush(self) -> None:
        for file in tuple(self._begun):
            _synced(file)

    def undo(self, names: Collection[str]) -> None:
        """Remove what was written since the last commit, but for files that are named after all."""
        with contextlib.suppress(OSError):
            for file in self._begun:
                if file.name not in names:
                    file.unlink(missing_ok=True)
        self._begun.clear()

    def remove(self) -> None:
        """Remove the folder and all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)

    def keep_only(self, names: Collection[str]) -> None:
        """Remove all other files, which count no more; what cannot be removed is for next time."""
        self._begun.clear()
        with contextlib.suppress(OSError):
            for file in self.path.iterdir():
                if file.name not in names:
                    file.unlink()


def move_store(store: Path, target: Path) -> None:
    """Move a store's file and folder to another place, in the place of what was there."""
    remove_store(target)
    folder, there = PeopleFolder(store).path, PeopleFolder(target).path
    if folder.exists():
        folder.replace(there)
    try:
        # Last, for a database without its folder is no store.
        store.replace(target)
    except OSError:
        if there.exists():
            there.replace(folder)
        raise


def remove_store(store: Path) -> None:
    """Remove a store's file and folder, where they are."""
    store.unlink(missing_ok=True)
    PeopleFolder(store).remove()


def _synced(path: Path) -> None:
    if path.is_dir() and os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
