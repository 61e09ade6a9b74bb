"""A store as benchmarks handle it: copied, and measured."""

import shutil
from pathlib import Path


def copy_store(path: Path, target: Path) -> None:
    """Copy a store in the place of what was there."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(path, target)


def store_bytes(path: Path) -> int:
    """Return how many bytes a store takes."""
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
