"""One at a time: a lock on a file that others wait for, or are refused by."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from types import TracebackType

from seriatim.errors import StoreError

_PAUSE = 0.1
"""Seconds between two looks at a lock that another process holds."""


class Lock:
    """Holds a file next to what it guards; the system lets go of it when the process ends."""

    def __init__(self, path: Path, *, guards: str, wait: float = 0.0) -> None:
        """Take the lock within so many seconds, or raise StoreError; ``guards`` names what for."""
        self._path = path
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            message = f"{path} could not be opened: {error.strerror}."
            raise StoreError(message) from None
        until = time.monotonic() + wait
        while not _try_lock(self._handle):
            if time.monotonic() >= until:
                os.close(self._handle)
                message = (
                    f"Another process is using {guards}. Wait for it to end,"
                    " or give a time to wait for it."
                )
                raise StoreError(message)
            time.sleep(_PAUSE)

    def release(self) -> None:
        """Let go; doing so twice does nothing."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def __enter__(self) -> Lock:
        """Hold the lock."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let go."""
        self.release()


if sys.platform == "win32":  # pragma: no cover - the tests run on POSIX
    import msvcrt

    def _try_lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
