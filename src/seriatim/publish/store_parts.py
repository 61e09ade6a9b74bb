"""A store as what it is made of: its database, the log of that, and the folder of its people."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from seriatim.publish.people_folder import PeopleFolder, synced

_LOGS = (".wal", ".wal.checkpoint", ".wal.recovery")
"""Endings of the files in which the database notes what is not in it yet."""


def remove_store(store: Path) -> None:
    """Remove a store, or what is left of one."""
    for part in (store, *_logs(store)):
        part.unlink(missing_ok=True)
    PeopleFolder(store).remove()


def copy_store(store: Path, target: Path) -> None:
    """Copy a store that nobody has open to a place where none is, for its owner's eyes only."""
    folder, there = PeopleFolder(store).path, PeopleFolder(target).path
    if folder.is_dir():
        there.mkdir(mode=0o700)
        for file in _files(folder):
            # Files of people never change, so two names for one of them are as good as two.
            with contextlib.suppress(OSError):
                os.link(file, there / file.name)
                continue
            _copied(file, there / file.name)
    for log, copy in zip(_logs(store), _logs(target), strict=True):
        if log.exists():
            _copied(log, copy)
    # Last, for a database without the rest is no store.
    _copied(store, target)


def exchange(path: Path, trial: Path, replaced: Path | None) -> None:
    """Put a store in the place of another, which is kept under a third name, or in an empty one.

    Nobody may have either open. Until the new database has its name the old store is whole, and
    the new one from then on.
    """
    brought: list[Path] = []
    try:
        if replaced is not None:
            remove_store(replaced)
            copy_store(path, replaced)
        for file in _files(PeopleFolder(trial).path):
            PeopleFolder(path).path.mkdir(mode=0o700, exist_ok=True)
            brought.append(PeopleFolder(path).path / file.name)
            file.replace(brought[-1])
        if brought:
            synced(PeopleFolder(path).path)
        for log in _logs(path):
            log.unlink(missing_ok=True)
        trial.replace(path)
    except BaseException:
        if trial.exists():
            with contextlib.suppress(OSError):
                for file in brought:
                    file.unlink(missing_ok=True)
        raise
    synced(path.parent)
    PeopleFolder(path).keep_only({file.name for file in brought})


def _logs(store: Path) -> list[Path]:
    return [store.with_name(store.name + ending) for ending in _LOGS]


def _files(folder: Path) -> Iterator[Path]:
    return (file for file in sorted(folder.glob("*")) if file.is_file())


def _copied(source: Path, target: Path) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with source.open("rb") as read, os.fdopen(os.open(target, flags, 0o600), "wb") as written:
        shutil.copyfileobj(read, written, 2**20)
        written.flush()
        os.fsync(written.fileno())
