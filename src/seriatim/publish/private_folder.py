"""The folder that a sealed store is worked on in: private, in memory where there is such a place.

Each is locked while it is in use, so that whoever makes the next one can tell which were left by
killed processes, of whatever store, and remove them.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import time
from pathlib import Path

from seriatim._temporary import forget, register
from seriatim.errors import StoreError
from seriatim.publish.lock import Lock

_LOCK = "lock"
_JUST_MADE = 60.0
"""Seconds in which a folder without a lock may be one that another process is making."""


class PrivateFolder:
    """A folder that only this user can enter, removed when it is closed or a signal comes."""

    def __init__(self, store: Path) -> None:
        """Make a folder whose name goes by a store's path, and remove those of killed processes."""
        memory = Path("/dev/shm")
        base = memory if os.access(memory, os.W_OK) else Path(tempfile.gettempdir())
        own = f"seriatim-{os.getuid() if hasattr(os, 'getuid') else 0}-"
        name = hashlib.blake2b(str(store.resolve()).encode(), digest_size=8).hexdigest()
        self.path = base / f"{own}{name}"
        # The store is locked, so whoever made this one is gone.
        shutil.rmtree(self.path, ignore_errors=True)
        _remove_left(base, own)
        register(self.path)
        try:
            self.path.mkdir(mode=0o700)
            self._lock = Lock(self.path / _LOCK, guards=self.path.name)
        except OSError as error:
            forget(self.path)
            message = (
                f"{self.path}, where the sealed store would be worked on, could not be made:"
                f" {error.strerror}. Remove it, if it is not another user's."
            )
            raise StoreError(message) from None

    def __repr__(self) -> str:
        """Say where it is."""
        return f"PrivateFolder({str(self.path)!r})"

    def close(self) -> None:
        """Remove the folder and all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.release()
        forget(self.path)


def _remove_left(base: Path, own: str) -> None:
    """Remove folders that nobody holds any more."""
    for folder in base.glob(f"{own}*"):
        with contextlib.suppress(OSError, StoreError):
            if not (folder / _LOCK).exists():
                if time.time() - folder.stat().st_mtime > _JUST_MADE:
                    shutil.rmtree(folder, ignore_errors=True)
                continue
            with Lock(folder / _LOCK, guards=folder.name):
                shutil.rmtree(folder, ignore_errors=True)
