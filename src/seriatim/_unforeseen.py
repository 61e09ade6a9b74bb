"""What is told of an error that nothing else caught.

Never the error's own words: libraries quote the cells that they could not read. Its type and the
place in our code say enough to find it.
"""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import NamedTuple

from seriatim.errors import InternalError, SeriatimError

DEFECT = 70
"""The exit code of a defect of seriatim."""

SYSTEM = 71
"""The exit code where the machine is at its limits: memory, disk, permissions."""

REPORT_IT = (
    "This is a defect of seriatim, not of your data. Please report it with the command you ran;"
    " the message names no respondent."
)
"""What is said of every defect."""

_NO_THREAD = "can't start new thread"
"""What the interpreter says where the system allows no further thread."""


class Unforeseen(NamedTuple):
    """An error as a person is told of it."""

    exit_code: int
    """What the command line returns."""

    message: str
    """What went wrong; it quotes nothing."""

    @property
    def told(self) -> str:
        """The paragraph for a person: what went wrong, and whose move it is."""
        return f"{self.message}\n{REPORT_IT}" if self.exit_code == DEFECT else self.message


def unforeseen(error: BaseException) -> Unforeseen:
    """Say what went wrong.

    >>> try:
    ...     int("Alice, born 1951")
    ... except ValueError as error:
    ...     print(unforeseen(error).told)
    Something went wrong that seriatim did not foresee (ValueError).
    This is a defect of seriatim, not of your data. Please report it with the command you ran;
    the message names no respondent.
    """
    if isinstance(error, SeriatimError):
        return Unforeseen(error.exit_code, str(error))
    if isinstance(error, InternalError):
        return Unforeseen(DEFECT, str(error))
    if is_want_of_memory(error):
        return Unforeseen(SYSTEM, _want_of_memory())
    if isinstance(error, OSError) and error.errno is not None:
        return Unforeseen(SYSTEM, _refused_by_system(error))
    where = ", ".join(filter(None, (type(error).__name__, place_of(error))))
    return Unforeseen(DEFECT, f"Something went wrong that seriatim did not foresee ({where}).")


def is_want_of_memory(error: BaseException) -> bool:
    """Tell whether an error says that memory, or the system's room for threads, is used up."""
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and str(error) == _NO_THREAD
    )


def place_of(error: BaseException) -> str | None:
    """Return the innermost place in our code that an error came through.

    >>> try:
    ...     InternalError.missing
    ... except AttributeError as error:
    ...     place_of(error) is None
    True
    """
    package = Path(__file__).parent
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        file = Path(frame.f_code.co_filename)
        if file.is_relative_to(package):
            return f"{package.name}/{file.relative_to(package).as_posix()}:{line}"
    return None


def _want_of_memory() -> str:
    return (
        f"There is not enough memory for this{_most_memory()}. A publish is whole or absent, so"
        " nothing is half done. Close other programs, leave out columns that have no part, or"
        " publish in shards, which hold a part of the table at a time (--engine shards)."
    )


def _most_memory() -> str:
    """Tell how much memory the process had at its largest, where the system says so."""
    try:
        import resource
    except ImportError:  # pragma: no cover - Windows
        return ""
    unit = 1 if sys.platform == "darwin" else 1024
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return f" (this process held {held / 2**30:.1f} GiB)"


def _refused_by_system(error: OSError) -> str:
    """Tell what the system said in its own words, and of which file; never in a library's words."""
    assert error.errno is not None
    named = error.filename if isinstance(error.filename, str | os.PathLike) else None
    what = "A file or connection" if named is None else str(named)
    place = place_of(error)
    return (
        f"{what} could not be used: {os.strerror(error.errno)}"
        f"{'' if place is None else f' (at {place})'}. Look whether there is room on the disk and"
        " whether this user may read and write there; then call the command again."
    )
