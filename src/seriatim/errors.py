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

    TableWarning                what is odd about a table, and may be meant

Messages say what was asked, what was found, what is possible and what to try.
They name rows by position (the first row is 0), never by respondent.
"""

from __future__ import annotations

import contextlib
import difflib
import warnings
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    import numpy.typing as npt

_POSITIONS_SHOWN = 5


class SeriatimError(Exception):
    """Base of every error the caller can put right.

    >>> import seriatim as sr
    >>> try:
    ...     sr.KAnonymity(k=0)
    ... except sr.SeriatimError as error:
    ...     print(f"{type(error).__name__}, exit code {error.exit_code}: {error}")
    PolicyError, exit code 2: k must be a whole number of at least 1, not 0.
    """

    exit_code: ClassVar[int] = 2
    """What the command line returns: 1 the data or a guarantee, 2 usage, 3 the store."""


class SchemaError(SeriatimError):
    """The description of the table contradicts itself, or the table's columns.

    >>> import seriatim as sr
    >>> try:
    ...     sr.Schema("id", [sr.Numeric("age")], sr.Sensitive("age"))
    ... except sr.SchemaError as error:
    ...     print(error)
    Each column has one role, and the schema gives several to 'age'.
    """


class TableError(SeriatimError):
    """Rows of a table break the schema.

    >>> import seriatim as sr
    >>> schema = sr.Schema("id", [sr.Numeric("age")], sr.Sensitive("exam"))
    >>> try:
    ...     sr.View.from_table({"id": [7, 7], "age": [51, 52], "exam": ["neg", "pos"]}, schema)
    ... except sr.TableError as error:
    ...     print(error)
    A view has one tuple per respondent, and 2 rows share theirs, at row positions 0, 1
    (the first row is 0). Keep one row of each respondent.
    """

    exit_code: ClassVar[int] = 1


class MissingFileError(TableError):
    """The file of a table is not there: the name is wrong, not the data."""

    exit_code: ClassVar[int] = 2


class KnowledgeError(SeriatimError):
    """A prior or a sequence model is not a proper set of distributions.

    >>> import seriatim as sr
    >>> try:
    ...     sr.MarginalPrior({"neg": 0.9, "pos": 0.3})
    ... except sr.KnowledgeError as error:
    ...     print(error)
    Each distribution must sum to 1, and 1 of 1 do not; the worst sums to 1.2.
    Probabilities of one row cannot exceed 1 together.
    """


class UnknownCategoryError(KnowledgeError):
    """Knowledge names a category that an attribute does not have."""


class PolicyError(SeriatimError):
    """A requirement, a partitioner or an option has a value that cannot be meant.

    >>> import seriatim as sr
    >>> try:
    ...     sr.TCloseness(t=2)
    ... except sr.PolicyError as error:
    ...     print(error)
    t must be a number of at least 0 and at most 1, not 2.
    """


class OrderError(SeriatimError):
    """A release does not continue its history.

    >>> import seriatim as sr
    >>> first, second = sr.running_example().releases
    >>> try:
    ...     sr.History((second, first))
    ... except sr.OrderError as error:
    ...     print(error)
    A release at 1 was asked for, and the history already reaches 2. Releases are made in order;
    give a later instant.
    """

    exit_code: ClassVar[int] = 1


class StudyError(SeriatimError):
    """The file of a study has mistakes.

    >>> import seriatim as sr
    >>> try:
    ...     sr.Study.read("nowhere.toml")
    ... except sr.StudyError as error:
    ...     print(error)
    nowhere.toml could not be read: No such file or directory. Make one with
    `seriatim init DATA`, or name another with --study.
    """


class StoreError(SeriatimError):
    """A store is locked, damaged, sealed with another key, or of another version.

    >>> import seriatim as sr
    >>> try:
    ...     sr.DuckDBStore("nowhere/series.store")
    ... except sr.StoreError as error:
    ...     print(error)
    nowhere/series.store cannot be a store: the folder that it should be in is not there.
    """

    exit_code: ClassVar[int] = 3


class UnsatisfiableError(SeriatimError):
    """The data does not allow the guarantee that was asked; nothing was published.

    >>> import seriatim as sr
    >>> clinic = sr.clinic(weeks=1, size=5)
    >>> publisher = sr.Publisher(clinic.schema, sr.k_anonymity(10), sr.Adversary())
    >>> try:
    ...     publisher.publish(clinic.weeks[0], at=1)
    ... except sr.UnsatisfiableError as error:
    ...     print(error)
    No group of the 5 tuples satisfies the policy, so nothing was published.
    The whole view as one group: KAnonymity(k=10) fails: 5 tuples, 5 off.
    Try a smaller k, or publish several instants together.
    """

    exit_code: ClassVar[int] = 1


class InternalError(Exception):
    """A defect of seriatim: a finished release failed its own guard, nothing was published.

    It is apart from the others, so that handling what a caller can put right does not hide it.

    >>> import seriatim as sr
    >>> issubclass(sr.InternalError, sr.SeriatimError)
    False
    """


class TableWarning(UserWarning):
    r"""Something about a table is odd, and may be meant: it is told, and nothing is changed.

    >>> import tempfile, warnings, pathlib
    >>> import seriatim as sr
    >>> with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     file = pathlib.Path(folder, "notes.csv")
    ...     _ = file.write_text('id,note\n1,"no pain\nfrom Monday on"\n')
    ...     _ = sr.open_table(file)
    >>> told[0].category.__name__, str(told[0].message)[:47]
    ('TableWarning', '1 cell(s) of notes.csv span lines, the longest ')
    """


_heard: ContextVar[list[str] | None] = ContextVar("seriatim_warnings", default=None)


def warn_of_table(message: str) -> None:
    """Tell what is odd about a table, to whoever hears warnings; else as Python tells them."""
    heard = _heard.get()
    if heard is None:
        warnings.warn(message, TableWarning, stacklevel=2)
    elif message not in heard:
        heard.append(message)


@contextlib.contextmanager
def hearing_warnings() -> Iterator[list[str]]:
    """Hear what is odd about tables, each thing once; where an error ends it, that is passed on.

    >>> with hearing_warnings() as heard:
    ...     warn_of_table("2 cells span lines.")
    >>> heard
    ['2 cells span lines.']
    """
    heard: list[str] = []
    token = _heard.set(heard)
    try:
        yield heard
    except BaseException:
        _heard.reset(token)
        for message in heard:
            warn_of_table(message)
        raise
    _heard.reset(token)


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


@contextlib.contextmanager
def told_of(what: str) -> Iterator[None]:
    """Say of which table an error tells, where several are read and the error does not yet.

    An address may hold a password.

    >>> try:
    ...     with told_of("Original 2"):
    ...         raise TableError("Column 'age' is not there.")
    ... except TableError as error:
    ...     print(error)
    Original 2: Column 'age' is not there.
    """
    try:
        yield
    except (SchemaError, TableError, KnowledgeError) as error:
        if what in str(error):
            raise
        raise type(error)(f"{what}: {error}") from None


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
