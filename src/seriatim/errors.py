"""What can go wrong, and whose move it is.

    SeriatimError               something the caller can put right
    ├── SchemaError             the description of the table contradicts itself or the table
    ├── TableError              rows of a table break the schema
    │   └── MissingFileError    the table's file is not there
    ├── KnowledgeError          a prior or a sequence model is not a set of distributions
    │   └── UnknownCategoryError  it names a category that the data does not have
    ├── PolicyError             a requirement, partitioner or option that cannot be meant
    ├── OrderError              releases out of order, or of different schemas
    ├── StudyError              study.toml has mistakes
    ├── StoreError              a store that is locked, damaged or sealed with another key
    └── UnsatisfiableError      the data does not allow the guarantee that was asked

    InternalError               a defect of seriatim itself: nothing was published

Messages say what was asked, what was found, what is possible and what to try.
They name rows by position (the first row is 0), never by respondent.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    import numpy.typing as npt

_POSITIONS_SHOWN = 5


class SeriatimError(Exception):
    """Base of every error the caller can put right."""

    exit_code: ClassVar[int] = 2
    """What the command line returns: 1 the data or a guarantee, 2 usage, 3 the store."""


class SchemaError(SeriatimError):
    """The description of the table contradicts itself, or the table's columns."""


class TableError(SeriatimError):
    """Rows of a table break the schema."""

    exit_code: ClassVar[int] = 1


class MissingFileError(TableError):
    """The file of a table is not there: the name is wrong, not the data."""

    exit_code: ClassVar[int] = 2


class KnowledgeError(SeriatimError):
    """A prior or a sequence model is not a proper set of distributions."""


class UnknownCategoryError(KnowledgeError):
    """Knowledge names a category that an attribute does not have."""


class PolicyError(SeriatimError):
    """A requirement, a partitioner or an option has a value that cannot be meant."""


class OrderError(SeriatimError):
    """A release does not continue its history."""

    exit_code: ClassVar[int] = 1


class StudyError(SeriatimError):
    """The file of a study has mistakes."""


class StoreError(SeriatimError):
    """A store is locked, damaged, sealed with another key, or of another version."""

    exit_code: ClassVar[int] = 3


class UnsatisfiableError(SeriatimError):
    """The data does not allow the guarantee that was asked; nothing was published."""

    exit_code: ClassVar[int] = 1


class InternalError(Exception):
    """A defect of seriatim: a finished release failed its own guard, nothing was published."""


def at_positions(positions: npt.ArrayLike) -> str:
    """Name rows by position, the only way rows are ever named.

    >>> at_positions([7])
    'row position 7 (the first row is 0)'
    >>> at_positions(range(8))
    'row positions 0, 1, 2, 3, 4 and 3 more (the first row is 0)'
    """
    import numpy as np  # here, so that `seriatim --help` need not wait for it

    rows = np.sort(np.asarray(positions).ravel())
    shown = ", ".join(str(row) for row in rows[:_POSITIONS_SHOWN])
    more = f" and {len(rows) - _POSITIONS_SHOWN} more" if len(rows) > _POSITIONS_SHOWN else ""
    noun = "row position" if len(rows) == 1 else "row positions"
    return f"{noun} {shown}{more} (the first row is 0)"


def listed(names: Iterable[object], *, most: int = 12) -> str:
    """Write names out for a message, cut when there are many.

    >>> listed(["age", "zip"])
    "'age', 'zip'"
    """
    names = list(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(repr(name) for name in names[:most]) + more


def did_you_mean(wrong: object, possible: Iterable[object]) -> str:
    """Suggest the nearest of the possible names, or nothing.

    >>> did_you_mean("gendre", ["age", "gender"])
    " Did you mean 'gender'?"
    """
    near = difflib.get_close_matches(str(wrong), [str(name) for name in possible], n=1)
    return f" Did you mean {near[0]!r}?" if near else ""
