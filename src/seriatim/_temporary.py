"""Temporary files and folders, removed before a signal ends the process.

A process that is told to end does not unwind: an exception raised at any moment may leave a lock
held for ever. It removes what is registered here, and exits. There is no lock here for the same
reason: whoever is interrupted holds none, and a dictionary is changed in one step.
"""

from __future__ import annotations

import contextlib
import shutil
import time
from pathlib import Path

_TRIES = 50
"""How often a folder is removed into which other threads still write."""

_PAUSE = 0.01
"""Seconds between two tries."""

_registered: dict[Path, None] = {}


def register(path: Path) -> None:
    """Have a file or folder removed when a signal ends the process; called before it is made."""
    _registered[path] = None


def forget(path: Path) -> None:
    """Leave a file or folder alone from now on: it is removed already, or is to stay."""
    _registered.pop(path, None)


def remove_registered() -> None:
    """Remove everything that is registered, also what other threads register meanwhile.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> register(folder)
    >>> remove_registered()
    >>> folder.exists()
    False
    """
    for _ in range(_TRIES):
        for path in list(_registered):
            _remove(path)
        if not _registered:
            return
        time.sleep(_PAUSE)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        if not path.exists():
            forget(path)
