"""Files of a release on their way: written and verified beside the others, moved when they count.

Whoever is killed before the store has committed leaves files here that nobody knows of; whoever
is killed after it, files that only have to be moved.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from seriatim.errors import TableError
from seriatim.publish.certificate import sha256
from seriatim.publish.csv_text import Content
from seriatim.publish.new_files import create, fsync_directory, fsync_file, make_public_folder

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
            return self.path.is_dir() and not self.path.is_symlink()

    def empty(self) -> None:
        """Make the folder, or make it empty."""
        with self._told_plainly():
            self.discard()
        self.make()

    def make(self) -> None:
        """Make the folder, where there is none."""
        with self._told_plainly():
            self._make()

    def _make(self) -> None:
        make_public_folder(self._releases)
        # Nothing in it is published yet.
        self.path.mkdir(mode=0o700, exist_ok=True)
        fsync_directory(self._releases)

    def write(self, contents: Mapping[str, Content]) -> None:
        """Write files that everybody may read and only their owner change, if the umask lets."""
        with self._told_plainly():
            for name, content in contents.items():
                with create(self.path / name, 0o644) as file:
                    file.write(content)

    def sync(self, names: Iterable[str]) -> None:
        """Wait until the disk has files that were written, and their names."""
        with self._told_plainly():
            for name in names:
                fsync_file(self.path / name)
            fsync_directory(self.path)

    def move(self, names: Iterable[str]) -> tuple[Path, ...]:
        """Move the files that are there to the releases; return where all of these are."""
        places = tuple(self._releases / name for name in names)
        try:
            for place in places:
                if (self.path / place.name).exists():
                    (self.path / place.name).replace(place)
            fsync_directory(self._releases)
        except OSError as error:
            message = (
                f"The release is part of the series, and its files could not be moved to"
                f" {self._releases}: {error.strerror}. They wait in {PENDING}, and are moved by"
                " whoever publishes next."
            )
            raise TableError(message) from None
        self.discard()
        return places

    def is_of_another(self, names: Collection[str]) -> bool:
        """Tell whether the files that wait here are none of some names."""
        with self._told_plainly():
            waiting = {file.name for file in self.path.iterdir()}
        return bool(waiting) and waiting.isdisjoint(names)

    def damaged(self, digests: Mapping[str, str]) -> list[str]:
        """Return the files of a release that are neither here nor in their place as they should be.

        A damaged file that waits here is removed.
        """
        with self._told_plainly():
            missing = []
            for name, digest in digests.items():
                waiting = self.path / name
                if waiting.is_file() and sha256(waiting.read_bytes()) != digest:
                    waiting.unlink()
                if not waiting.is_file() and not (self._releases / name).is_file():
                    missing.append(name)
            return missing

    def discard(self) -> None:
        """Remove the folder and what is in it; of a link, only the link."""
        if self.path.is_symlink():
            self.path.unlink()
        shutil.rmtree(self.path, ignore_errors=True)

    @contextlib.contextmanager
    def _told_plainly(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            message = f"The release could not be written to {self._releases}: {error.strerror}."
            raise TableError(message) from None
