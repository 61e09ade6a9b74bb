"""The private folder of a store: what lies where in it, and how a store takes another's place.

    study.store/          mode 0700 from the first moment on: nobody else can enter
        lock
        current/          series.duckdb, its write-ahead log and people/; or series.sealed
        ready/            a whole store that is about to become current
        replaced-1/ …     stores that were current before a restore; nobody removes them but you
        trial/            a store that is being tried before a restore
        */*.part          files that become others when they are whole

Whoever opens the store removes what interrupted commands left under the last two names.

The database library creates its log and its temporary files with whatever mode the umask of the
process gives them. Since nobody else can enter the folder, nobody else can open them.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from seriatim.errors import StoreError
from seriatim.publish.lock import Lock
from seriatim.publish.new_files import fsync_directory, new_file
from seriatim.publish.seal import is_sealed
from seriatim.publish.store_archive import is_archive

_OTHERS = 0o077
_PIECE = 2**20
_LOCK = "lock"
_TRIAL = "trial"
_REPLACED = "replaced"
_PART = ".part"
"""How the names of files end that become others when they are whole."""


@dataclass(frozen=True)
class StoreFiles:
    """The files of one store, plain or sealed, in a folder."""

    folder: Path
    """Where they are."""

    @property
    def database(self) -> Path:
        """The database of a plain store."""
        return self.folder / "series.duckdb"

    @property
    def people(self) -> Path:
        """The folder of a plain store's files of people."""
        return self.folder / "people"

    @property
    def sealed(self) -> Path:
        """All of a sealed store, in one file."""
        return self.folder / "series.sealed"

    @property
    def is_there(self) -> bool:
        """Whether there is a store."""
        return self.sealed.exists() or self.database.exists()

    @property
    def has_log(self) -> bool:
        """Whether something may be committed that is not in the database itself yet."""
        return bool(self._log)

    @property
    def _log(self) -> list[Path]:
        """The write-ahead log of the database, which has several files while it is replayed."""
        return sorted(self.folder.glob(f"{self.database.name}.wal*"))

    @property
    def _people_files(self) -> Iterator[Path]:
        return (file for file in sorted(self.people.glob("*")) if file.is_file())

    def require_nothing_orphaned(self, *, ignore_log: bool = False) -> None:
        """Refuse to begin a database where another's log or files of people are."""
        orphans = [*([] if ignore_log else self._log), *self._people_files]
        if orphans:
            message = (
                f"{self.folder} has {orphans[0].relative_to(self.folder)}, which belongs to a"
                f" {self.database.name} that is not there or is empty. No new series is begun over"
                " it, and nothing was removed. Bring the database back, or restore a backup with"
                " `seriatim store restore`."
            )
            raise StoreError(message)

    def copy_to(self, target: StoreFiles) -> None:
        """Copy a store that nobody has open to an empty place."""
        target.folder.mkdir(mode=0o700)
        if self.people.is_dir():
            target.people.mkdir(mode=0o700)
            for file in self._people_files:
                _copy(file, target.people / file.name)
        for file in (*self._log, self.database, self.sealed):
            if file.exists():
                _copy(file, target.folder / file.name)

    def remove_plain(self, names: Collection[str]) -> None:
        """Remove a plain store, and those files of people that it named; others stay."""
        for file in (self.database, *self._log, *(self.people / name for name in names)):
            file.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.people.rmdir()


class StoreFolder:
    """The folder of a store; every way that leads to it is one place."""

    def __init__(self, path: str | Path) -> None:
        """Name the folder; nothing is made or read yet."""
        self._named = path
        # The lock and the folder that a sealed store is worked on in go by the resolved path.
        self.path = Path(path).resolve()
        self.current = StoreFiles(self.path / "current")
        self._ready = StoreFiles(self.path / "ready")

    def __repr__(self) -> str:
        """Say where it is."""
        return f"StoreFolder({str(self.path)!r})"

    @property
    def trial(self) -> StoreFolder:
        """Where a store is tried before it takes the current one's place."""
        return StoreFolder(self.path / _TRIAL)

    @property
    def has_store(self) -> bool:
        """Whether there is a store, or one is about to be put here."""
        return self.current.is_there or self._ready.is_there

    @property
    def is_private(self) -> bool:
        """Whether nobody but the owner may enter; some file systems have no modes of their own."""
        return os.name != "posix" or not stat.S_IMODE(self.path.stat().st_mode) & _OTHERS

    def open(self, *, wait: float = 0.0) -> Lock:
        """Take the folder for this process alone, and finish or undo what was interrupted."""
        try:
            self._make()
            lock = Lock(self.path / _LOCK, guards=self.path.name, wait=wait)
        except OSError as error:
            message = f"{self.path} could not be opened: {error.strerror}."
            raise StoreError(message) from None
        try:
            self._recover()
            self.current.folder.mkdir(mode=0o700, exist_ok=True)
        except BaseException as error:
            lock.release()
            if isinstance(error, OSError):
                message = f"{self.path} could not be opened: {error.strerror}."
                raise StoreError(message) from None
            raise
        return lock

    def exchange(self) -> Path | None:
        """Put the store in ``trial`` in the place of the current one; return where that one is.

        Nobody may have either open. From the first renaming on the new store counts: whoever is
        killed after it leaves a ``ready`` one, which the next to open the folder puts in place.
        """
        self.trial.current.folder.rename(self._ready.folder)
        fsync_directory(self.path)
        return self._finish_exchange()

    def _finish_exchange(self) -> Path | None:
        replaced = None
        if self.current.folder.is_dir() and any(self.current.folder.iterdir()):
            replaced = self._next_replaced()
            self.current.folder.rename(replaced)
        elif self.current.folder.exists():
            self.current.folder.rmdir()
        self._ready.folder.rename(self.current.folder)
        fsync_directory(self.path)
        return replaced

    def _next_replaced(self) -> Path:
        """Return a name that no replaced store has: none ever takes the place of another."""
        names = (self.path / f"{_REPLACED}-{number}" for number in itertools.count(1))
        return next(path for path in names if not os.path.lexists(path))

    def _make(self) -> None:
        """Make the folder, or see that it is one of ours, and let nobody else in."""
        if not self.path.is_dir():
            self._require_free()
            self.path.mkdir(mode=0o700)
            fsync_directory(self.path.parent)
            return
        if not self.has_store:
            others = [one.name for one in self.path.iterdir() if not self._is_ours(one.name)]
            if others:
                message = (
                    f"{self._named} cannot be a store: it is a folder with other files in it, such"
                    f" as {min(others)}. Name a folder that is a store's own."
                )
                raise StoreError(message)
        self._require_own()
        if not self.is_private:
            self.path.chmod(0o700)

    def _require_own(self) -> None:
        """Refuse a folder that another user could lead elsewhere."""
        links = [one.name for one in self.path.iterdir() if one.is_symlink()]
        if links:
            message = (
                f"{self._named} cannot be a store: {min(links)} in it is a link to another place,"
                " which others might enter. Put what it leads to there itself."
            )
            raise StoreError(message)
        if os.name == "posix" and self.path.stat().st_uid != os.geteuid():
            message = (
                f"{self._named} belongs to another user, who could read what is written there."
                " Run this as its owner, or give it to the user who publishes (chown -R)."
            )
            raise StoreError(message)

    def _require_free(self) -> None:
        """Refuse a path where no folder can be."""
        if is_archive(self.path) or is_sealed(self.path):
            why = f"it is a backup. Restore it with `seriatim store restore {self.path.name}`"
        elif self.path.exists():
            why = "it is a file, and a store is a folder of its own"
        elif not self.path.parent.is_dir():
            why = "the folder that it should be in is not there"
        else:
            return
        message = f"{self._named} cannot be a store: {why}."
        raise StoreError(message)

    def _is_ours(self, name: str) -> bool:
        ours = {_LOCK, _TRIAL, self.current.folder.name, self._ready.folder.name}
        return name in ours or name.startswith(f"{_REPLACED}-")

    def _recover(self) -> None:
        """Finish an exchange that was decided; remove what interrupted commands left."""
        if self._ready.folder.exists():
            self._finish_exchange()
        self.discard_trial()
        for left in self.current.folder.glob(f"*{_PART}*"):
            _remove(left)

    def discard_trial(self) -> None:
        """Remove a store that was tried, or what is left of one."""
        _remove(self.trial.path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _copy(source: Path, target: Path) -> None:
    with source.open("rb") as read, new_file(target) as written:
        shutil.copyfileobj(read, written, _PIECE)
