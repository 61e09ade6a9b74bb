"""New files: created for their owner alone unless said otherwise, and never through a link."""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from seriatim._temporary import forget, register

_FLAGS = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def create(path: Path, mode: int = 0o600) -> BinaryIO:
    """Create a file that is not there yet, and open it for writing."""
    return os.fdopen(os.open(path, _FLAGS, mode), "wb")


@contextlib.contextmanager
def new_file(path: Path, mode: int = 0o600) -> Iterator[BinaryIO]:
    """Create a file that is not there yet; it is on the disk at the end, or gone after an error."""
    created = create(path, mode)
    register(path)
    try:
        with created as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        with contextlib.suppress(OSError):
            path.unlink()
        raise
    finally:
        forget(path)


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Create a file that appears whole under its name; FileExistsError where there is one already.

    It is written under a name that nobody can foresee. What killed runs left of the same file is
    removed.
    """
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        left.unlink(missing_ok=True)
    part = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    with new_file(part) as file:
        yield file
    try:
        _move_to_new_name(part, path)
    finally:
        part.unlink(missing_ok=True)
    fsync_directory(path.parent)


def _move_to_new_name(part: Path, path: Path) -> None:
    """Give a file its name; unlike a renaming, a link never replaces what has that name."""
    try:
        os.link(part, path, follow_symlinks=False)
    except OSError as error:
        # Some file systems have no links.
        if isinstance(error, FileExistsError) or os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        part.rename(path)


def make_public_folder(path: Path) -> None:
    """Make a folder, and those that it is in, which everybody may enter and only we may change."""
    if path.is_dir():
        return
    make_public_folder(path.parent)
    path.mkdir(mode=0o755, exist_ok=True)
    fsync_directory(path.parent)


def fsync_file(path: Path) -> None:
    """Wait until the content of a file is on the disk."""
    _fsync(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)


def fsync_directory(path: Path) -> None:
    """Wait until the names in a folder are on the disk, where the system can do that."""
    if os.name != "posix":
        return
    try:
        _fsync(path, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        # Some file systems cannot wait for folders.
        if error.errno not in (errno.EINVAL, errno.EBADF, errno.ENOTSUP):
            raise


def _fsync(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
