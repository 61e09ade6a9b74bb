"""The file of a store: where it may be, how it is opened and copied, what can be wrong with it."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from seriatim.errors import InternalError, StoreError
from seriatim.publish.new_files import whole_file
from seriatim.publish.seal import Readable
from seriatim.publish.store_folder import StoreFiles

if TYPE_CHECKING:
    import duckdb

Connection: TypeAlias = "duckdb.DuckDBPyConnection"
"""An open file."""

_BLOCKS = 128
"""Megabytes for blocks of a file."""

_PIECE = 2**20
"""Bytes that are copied at a time."""

_BETWEEN = 0.02
"""Seconds after which what was written meanwhile is brought to the disk."""


def require_sealed(files: StoreFiles, name: str, *, sealed: bool) -> None:
    """Refuse a plain store where a sealed one is asked for, and the other way round."""
    if not files.is_there or files.sealed.exists() == sealed:
        return
    message = (
        f"{name} is not sealed, and a key was given. Seal it with `seriatim store rekey`."
        if sealed
        else f"{name} is sealed. Name its key in the study: key_file or key_variable."
    )
    raise StoreError(message)


def connected(path: Path) -> Connection:
    """Open a database, or begin one, in a folder that nobody else can enter."""
    import duckdb

    with told_plainly(path):
        connection = duckdb.connect(str(path), config=_settings())
    try:
        with told_plainly(path):
            # Should it ever be moved out of its folder.
            path.chmod(0o600)
            # No reason to look at other files, load extensions or reach the network.
            connection.execute("SET enable_external_access = false")
    except BaseException:
        connection.close()
        raise
    return connection


def has_table(path: Path, connection: Connection, name: str) -> bool:
    """Return whether a file has a table; asked of the library's catalogue it takes its time."""
    import duckdb

    with told_plainly(path):
        try:
            connection.execute(f"SELECT 1 FROM {name} LIMIT 0")
        except duckdb.CatalogException:
            return False
    return True


def settled(path: Path, connection: Connection) -> None:
    """Let an open file be worked on with little memory, and its settings stay.

    What is kept there is read and written once a release: blocks that stay in memory are never
    asked for again, and new memory costs more than the same again.
    """
    with told_plainly(path):
        connection.execute(f"SET memory_limit = '{_BLOCKS}MiB'")
        connection.execute("SET lock_configuration = true")


def _settings() -> dict[str, str | bool | int | float | list[str]]:
    """Leave most of the memory to the release: the library would take four fifths for blocks.

    So much is for the queries that bring older files to the form of today.
    """
    settings: dict[str, str | bool | int | float | list[str]] = {"custom_user_agent": "seriatim"}
    with contextlib.suppress(AttributeError, OSError, ValueError):
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        settings["memory_limit"] = f"{max(memory // 16, 2**30) // 2**20}MiB"
    return settings


def flushed_until(path: Path, written: threading.Event) -> None:
    """Bring what is written of a file to the disk bit by bit: a commit would wait for it all."""
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            while not written.wait(_BETWEEN):
                os.fsync(handle)
        finally:
            os.close(handle)


def copy_file(source: Path, target: Path) -> None:
    """Copy a file whole or not at all, for its owner's eyes only."""
    with told_plainly(source), source.open("rb") as read:
        copy_stream(read, target)


def copy_stream(stream: Readable, target: Path) -> None:
    """Write a new file whole or not at all, for its owner's eyes only."""
    try:
        with whole_file(target) as written:
            while piece := stream.read(_PIECE):
                written.write(piece)
    except OSError as error:
        message = f"{target} could not be written: {error.strerror}."
        raise StoreError(message) from None


def copy_database(source: Path, target: Path) -> None:
    """Write a store's file anew, without what was deleted from it."""
    import duckdb

    with told_plainly(source), duckdb.connect() as copying:
        copying.execute(f"ATTACH '{_quoted(source)}' AS old (READ_ONLY)")
        copying.execute(f"ATTACH '{_quoted(target)}' AS fresh")
        copying.execute("COPY FROM DATABASE old TO fresh")


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


@contextlib.contextmanager
def told_plainly(path: Path) -> Iterator[None]:
    """Turn what the library says into what the reader can do about it."""
    import duckdb

    try:
        yield
    except OSError as error:
        message = f"{path} could not be opened: {error.strerror}."
        raise StoreError(message) from None
    except duckdb.ConnectionException:
        message = (
            f"The store {path.name} is closed: somebody closed it, or what was committed last could"
            " not be sealed, and it is as it was before that. Open it again to go on."
        )
        raise StoreError(message) from None
    except duckdb.OutOfMemoryException:
        raise MemoryError from None
    except (duckdb.ProgrammingError, duckdb.NotSupportedError) as error:
        message = f"The store was asked for what it does not have ({type(error).__name__})."
        raise InternalError(message) from error
    except duckdb.Error as error:
        message = f"The store {path.name} {_reason(str(error))}"
        raise StoreError(message) from None


_REASONS: tuple[tuple[str, str], ...] = (
    ("Conflicting lock", "is in use by another process. Wait for it to end."),
    ("Could not set lock", "is in use by another process. Wait for it to end."),
    ("No space left", "cannot be written: the disk is full. Nothing was lost; make room."),
    ("read-only", "cannot be written: its folder or file is read-only."),
    ("Permission denied", "cannot be written: permission is denied."),
    ("not a valid DuckDB", "is no store, or is sealed. Name its key, or restore a backup."),
)


def _reason(told: str) -> str:
    for sign, reason in _REASONS:
        if sign.lower() in told.lower():
            return reason
    return "is damaged, or is no store of seriatim. Restore a backup."
