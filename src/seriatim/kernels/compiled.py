"""Where compiled kernels are kept, and which are; known without loading the compiler."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import platformdirs


def kept_in(chosen: str = "") -> Path:
    """Return the folder for compiled kernels, its own for every version of their sources.

    numba notices a change in the file of the kernel it loads, but not in kernels
    that this one calls: with one folder for all versions, a mended criterion would
    go on running as it was.
    """
    sources = sorted(Path(__file__).parent.glob("*.py"))
    version = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]
    folder = Path(chosen) if chosen else Path(platformdirs.user_cache_dir("seriatim")) / "numba"
    return folder / version


def chosen_folder() -> Path:
    """Return the folder for this user's compiled kernels; whether it can be written is open."""
    return kept_in(os.environ.get("NUMBA_CACHE_DIR", ""))


def compiled_names() -> set[str]:
    """Return the kernels of this version that are compiled for this user, as ``module.name``.

    numba names the file of a kernel after both, then a line number.
    """
    try:
        return {file.name.rsplit("-", 1)[0] for file in chosen_folder().rglob("*.nbi")}
    except OSError:
        return set()
