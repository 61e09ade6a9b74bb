"""Cells that break the schema: told by column, row position and value, never by an id.

A value outside a domain is mostly a slip of the pen, and is found faster when it is named. In a row
whose cells have shifted, an id stands where a value should: whoever has the whole table leaves out
of the message what holds an id, or looks like one (``naming_no_id``). What spans lines is never
named: a stray quote makes one cell of other people's rows. Whoever left rows out of a table before
it was read names the others by their place in the whole one (``counting_rows``).
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import BoolArray, IntArray
from seriatim.errors import TableError, at_positions

_NAMED = 3
_LONGEST = 40
_SHORTEST_ID = 4
"""Shorter ids, and numbers, are looked for as whole words: any text has the letter A in it."""

_LOOKED_AT = 1000
"""Different values that are looked at for those that may be named."""

_SAMPLE = 10_000
_COMMON = 0.02
"""A shape that this share of ids has is one that ids have."""

_WORDS = re.compile(r"[0-9]+[.,][0-9]+|\w+")


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
        counted = [one for one in counted if not _spans_lines(one["values"])]
        if not counted:
            return ""
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


def refuse_ids_of_lines(ids: pa.ChunkedArray, name: str) -> None:
    """Refuse ids that span lines: a pair of stray quotes made one id of other people's rows."""
    if pa.types.is_string(ids.type) or pa.types.is_large_string(ids.type):
        lines = pc.fill_null(pc.match_substring(ids, "\n"), False)
        wrong = np.asarray(lines.combine_chunks().to_numpy(zero_copy_only=False), bool)
        found = f"Column {name!r}, which says who a row is about, has {wrong.sum():,} cell(s)"
        refuse_cells(
            wrong,
            f"{found} that span lines",
            "A pair of stray double quotes makes one cell of the rows between them: remove both.",
        )


@contextlib.contextmanager
def naming_no_id(ids: Callable[[], pa.Array]) -> Iterator[None]:
    """Leave values that may hold someone's id out of messages; ids are asked for when needed.

    >>> ids = pa.array(["pid0001", "pid0002"])
    >>> wrong, cells = np.ones(3, bool), pa.array(["see PID0002", "pid0099", "forty"])
    >>> try:
    ...     with naming_no_id(lambda: ids):
    ...         refuse_cells(wrong, "'age' has 3 texts", "Correct them.", column=cells)
    ... except TableError as error:
    ...     print(error)
    'age' has 3 texts: 'forty', at row positions 0, 1, 2 (the first row is 0). Correct them.
    """
    try:
        yield
    except BadCellsError as error:
        if error.cells is None or error.cells.values is None:
            raise
        values = error.cells.values
        shown = pa.array(_without_ids(values, ids()), pa.string())
        cells = replace(error.cells, values=values.filter(pc.is_in(values, value_set=shown)))
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


def without_values(error: TableError) -> str:
    """Return what an error says, but for the values of cells: for those who know no ids."""
    if not isinstance(error, BadCellsError) or error.cells is None:
        return str(error)
    return str(replace(error.cells, values=None))


def _spans_lines(value: str) -> bool:
    return "\n" in value or "\r" in value


def _without_ids(values: pa.Array, ids: pa.Array) -> list[str]:
    """Return the different values that neither hold an id nor look like one.

    Of very many different values, the most frequent are looked at, and the others are not named.
    """
    counted = pc.value_counts(values).to_pylist()
    counted.sort(key=lambda one: (-one["counts"], one["values"]))
    looked_at = [one["values"] for one in counted[:_LOOKED_AT]]
    folded = pc.utf8_lower(pc.utf8_trim_whitespace(ids.cast(pa.string()).drop_null()))
    lengths = pc.unique(pc.utf8_length(folded)).to_pylist()
    shapes = _common_shapes(folded)
    owners: list[int] = []
    parts: list[str] = []
    hidden = set[int]()
    for place, value in enumerate(looked_at):
        words = _words(value)
        if any(_shape(word) in shapes for word in words):
            hidden.add(place)
        found = words | _inner_parts(value, lengths)
        parts += found
        owners += [place] * len(found)
    are_ids = pc.is_in(pa.array(parts, pa.string()), value_set=folded).to_pylist()
    hidden |= {owner for owner, is_id in zip(owners, are_ids, strict=True) if is_id}
    return [value for place, value in enumerate(looked_at) if place not in hidden]


def _words(value: str) -> set[str]:
    """Return the whole words of a cell: itself, what spaces part, what any sign parts."""
    text = value.strip().lower()
    parted = (word.strip(".,;:()[]'\"") for word in text.split())
    return {text, *parted, *_WORDS.findall(text)} - {""}


def _inner_parts(value: str, lengths: list[int]) -> set[str]:
    """Return every part of a cell, as far as it may be shown, that is as long as an id."""
    text = value.lower()[: _LONGEST + max(lengths, default=0)]
    found = {
        text[start : start + length]
        for length in lengths
        if length >= _SHORTEST_ID
        for start in range(len(text) - length + 1)
    }
    return {one for one in found if not one.isdigit()}


def _common_shapes(ids: pa.Array) -> set[str]:
    """Return the shapes that many ids have, of those that tell an id from a word."""
    if not len(ids):
        return set()
    sample = ids.take(pa.array(np.unique(np.linspace(0, len(ids) - 1, _SAMPLE).astype(np.int64))))
    counted = Counter(map(_shape, sample.to_pylist()))
    return {
        shape
        for shape, count in counted.items()
        if count >= _COMMON * len(sample) and "9" in shape and len(shape) >= _SHORTEST_ID
    }


def _shape(text: str) -> str:
    """Return a text with one letter for all letters, and one digit for all digits.

    >>> _shape("pid-0042")
    'aaa-9999'
    """
    return "".join("9" if one.isdigit() else "a" if one.isalpha() else one for one in text)


def _quoted(value: str, times: int) -> str:
    shown = value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
    return repr(shown) if times == 1 else f"{shown!r} ({times:,} times)"
