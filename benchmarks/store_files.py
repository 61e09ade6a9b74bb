"""A store's file and folder, copied and weighed together."""

from pathlib import Path

from seriatim.publish import store_parts
from seriatim.publish.people_folder import PeopleFolder


def copy_store(path: Path, target: Path) -> None:
    """Copy a store in the place of what was there."""
    store_parts.remove_store(target)
    store_parts.copy_store(path, target)


def store_bytes(path: Path) -> int:
    """Return how large a store is."""
    files = PeopleFolder(path).path.glob("*")
    return sum(file.stat().st_size for file in (path, *files))
