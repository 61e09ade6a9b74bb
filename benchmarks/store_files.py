"""A store's file and folder, copied and weighed together."""

import contextlib
import shutil
from pathlib import Path

from seriatim.publish.people_folder import PeopleFolder, remove_store


def copy_store(path: Path, target: Path) -> None:
    """Copy a store in the place of what was there."""
    remove_store(target)
    shutil.copy(path, target)
    with contextlib.suppress(FileNotFoundError):
        shutil.copytree(PeopleFolder(path).path, PeopleFolder(target).path)


def store_bytes(path: Path) -> int:
    """Return how large a store is."""
    files = PeopleFolder(path).path.glob("*")
    return sum(file.stat().st_size for file in (path, *files))
