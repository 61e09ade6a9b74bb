"""Where compiled kernels are kept, and whether any are; known without loading the compiler."""

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


def is_first_use() -> bool:
    """Tell whether this user has no kernels of this version compiled yet."""
    folder = kept_in(os.environ.get("NUMBA_CACHE_DIR", ""))
    try:
        return next(folder.rglob("*.nbi"), None) is None
    except OSError:
        return True
