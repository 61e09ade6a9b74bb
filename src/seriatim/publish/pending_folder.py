"""Files of a release on their way: written and verified beside the others, moved when they count.

Whoever is killed before the store has committed leaves files here that nobody knows of; whoever
is killed after it, files that only have to be moved.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from seriatim.errors import TableError
from seriatim.publish.certificate import sha256
from seriatim.publish.csv_text import Content

PENDING = ".pending"
"""The folder of files that do not count yet, in that of the releases."""


class PendingFolder:
    """The folder beside releases for the files of the next one."""

    def __init__(self, releases: Path) -> None:
        """Look at the folder of the releases; nothing is made yet."""
        self._releases = releases
        self.path = releases / PENDING
        """Where the files are."""

    def __repr__(self) -> str:
        """Say where it is."""
        return f"PendingFolder({str(self._releases)!r})"

    @property
    def is_there(self) -> bool:
        """Whether something was interrupted."""
        with self._told_plainly():
            return self.path.is_dir()

    def empty(self) -> None:
        """Make the folder, or make it empty."""
        with self._told_plainly():
            self.discard()
            self.path.mkdir(parents=True)

    def write(self, contents: Mapping[str, Content]) -> None:
        """Write files."""
        with self._told_plainly():
            for name, content in contents.items():
                (self.path / name).write_bytes(content)

    def sync(self, names: Iterable[str]) -> None:
        """Wait until the disk has files that were written, and their names."""
        with self._told_plainly():
            for name in names:
                with (self.path / name).open("rb+") as file:
                    os.fsync(file.fileno())
            _sync_names(self.path)

    def move(self, names: Iterable[str]) -> tuple[Path, ...]:
        """Move the files that are there to the releases; return where all of these are."""
        places = tuple(self._releases / name for name in names)
        try:
            for place in places:
                if (self.path / place.name).exists():
                    (self.path / place.name).replace(place)
        except OSError as error:
            message = (
                f"The release is part of the series, and its files could not be moved to"
                f" {self._releases}: {error.strerror}. They wait in {PENDING}, and are moved by"
                " whoever publishes next."
            )
            raise TableError(message) from None
        _sync_names(self._releases)
        self.discard()
        return places

    def has_whole(self, digests: Mapping[str, str]) -> bool:
        """Tell whether some files of a release are there, and all of these as they should be."""
        waiting = [self.path / name for name in digests if (self.path / name).is_file()]
        return bool(waiting) and all(
            sha256(file.read_bytes()) == digests[file.name] for file in waiting
        )

    def discard(self) -> None:
        """Remove the folder and what is in it."""
        shutil.rmtree(self.path, ignore_errors=True)

    @contextlib.contextmanager
    def _told_plainly(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            message = f"The release could not be written to {self._releases}: {error.strerror}."
            raise TableError(message) from None


def _sync_names(folder: Path) -> None:
    """Let a folder's names reach the disk, where the system can do that."""
    with contextlib.suppress(OSError, AttributeError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
