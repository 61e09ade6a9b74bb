"""Cells that break the schema: told by column, row position and value, never by an id.

A value outside a domain is mostly a slip of the pen, and is found faster when it is named. In a row
whose cells have shifted, an id stands where a value should: whoever has the whole table leaves it
out of the message (``naming_no_id``). Whoever left rows out of a table before it was read names
the others by their place in the whole one (``counting_rows``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import BoolArray, IntArray
from seriatim.errors import TableError, at_positions

_NAMED = 3
_LONGEST = 40


@dataclass(frozen=True, eq=False)
class _Cells:
    """What is told of cells."""

    found: str
    """What was found of how many."""

    rows: IntArray
    """Where they stand."""

    values: pa.Array | None
    """What stands there, as texts; None where it is not told."""

    advice: str
    """What to try."""

    def __str__(self) -> str:
        return f"{self.found}{self._named()}, at {at_positions(self.rows)}. {self.advice}"

    def _named(self) -> str:
        """Name the most frequent values, each once, with how often it is there."""
        if self.values is None or not len(self.values):
            return ""
        counted = pc.value_counts(self.values).to_pylist()
        counted.sort(key=lambda one: (-one["counts"], one["values"]))
        words = [_quoted(one["values"], one["counts"]) for one in counted[:_NAMED]]
        more = f" and {len(counted) - _NAMED:,} more" if len(counted) > _NAMED else ""
        return f": {', '.join(words)}{more}"


class BadCellsError(TableError):
    """Cells break the schema; they can be told again where more is known of their rows."""

    def __init__(self, message: str, cells: _Cells | None = None) -> None:
        """Tell of cells; without them it is a message as any other."""
        super().__init__(message)
        self.cells = cells


def refuse_cells(
    wrong: BoolArray, found: str, advice: str, *, column: pa.Array | None = None
) -> None:
    """Refuse cells that are wrong, if any are; with a column, what stands in them is told.

    >>> ages = pa.array(["51", "forty"])
    >>> wrong = np.array([False, True])
    >>> try:
    ...     refuse_cells(wrong, "'age' has 1 text", "Correct it.", column=ages)
    ... except TableError as error:
    ...     print(error)
    'age' has 1 text: 'forty', at row position 1 (the first row is 0). Correct it.
    """
    rows = np.flatnonzero(wrong)
    if len(rows):
        values = None if column is None else column.take(pa.array(rows)).cast(pa.string())
        cells = _Cells(found, rows, values, advice)
        raise BadCellsError(str(cells), cells)


@contextlib.contextmanager
def naming_no_id(ids: Callable[[], pa.Array]) -> Iterator[None]:
    """Leave values that are someone's id out of messages; ids are asked for when there is one."""
    try:
        yield
    except BadCellsError as error:
        if error.cells is None or error.cells.values is None:
            raise
        values = error.cells.values
        are_ids = pc.is_in(values, value_set=ids().cast(pa.string()).drop_null())
        cells = replace(error.cells, values=values.filter(pc.invert(are_ids)))
        raise BadCellsError(str(cells), cells) from None


@contextlib.contextmanager
def counting_rows(rows: IntArray | None) -> Iterator[None]:
    """Name rows by where they stood before others were left out; None where none were."""
    try:
        yield
    except BadCellsError as error:
        if error.cells is None or rows is None:
            raise
        cells = replace(error.cells, rows=rows[error.cells.rows])
        raise BadCellsError(str(cells), cells) from None


def _quoted(value: str, times: int) -> str:
    shown = value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
    return repr(shown) if times == 1 else f"{shown!r} ({times:,} times)"
