"""Respondents with several rows: which of them is taken."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import BoolArray, IntArray
from seriatim.errors import PolicyError, SchemaError, TableError, at_positions
from seriatim.microdata.inferred import inferred
from seriatim.microdata.letters import MANY, only_read
from seriatim.microdata.tables import Columns, missing_mask, to_numpy

Repeated: TypeAlias = Literal["error", "first", "last"] | tuple[Literal["latest", "earliest"], str]

_MARKS_PER_ID = 16
"""Marks that may be made for each id, before sorting them takes less memory and time."""


def require_rule(rule: object) -> None:
    """Refuse a rule that cannot be meant."""
    by_column = isinstance(rule, tuple) and len(rule) == 2 and rule[0] in ("latest", "earliest")
    if rule not in ("error", "first", "last") and not by_column:
        message = (
            f"Repeated respondents are handled by {rule!r}; possible are 'error', 'first',"
            " 'last', ('latest', column) and ('earliest', column)."
        )
        raise PolicyError(message)


def one_each(
    columns: Columns, roles: tuple[str, ...], present: BoolArray, rule: Repeated
) -> BoolArray:
    """Return which rows are taken: of those that are present, one of each respondent.

    ``roles`` names the columns that matter, the respondent's first.
    """
    if present.all() and _all_differ(columns[roles[0]]):
        return present
    rows = np.flatnonzero(present)
    ids = columns[roles[0]].take(pa.array(rows)).dictionary_encode()
    who: IntArray = np.asarray(to_numpy(ids.indices), dtype=np.int64)
    several = np.bincount(who, minlength=len(ids.dictionary))[who] > 1
    if not several.any():
        return present
    if rule == "error":
        message = (
            f"A view has one tuple per respondent, and {int(several.sum())} rows share theirs,"
            f' at {at_positions(rows[several])}. Say which is taken: repeated = "first" or'
            ' "last" under [input] of study.toml, or "latest" or "earliest" with by = "a column";'
            " in Python repeated='first', 'last', ('latest', column) or ('earliest', column)."
        )
        raise TableError(message)
    place = np.arange(len(rows))
    if isinstance(rule, tuple):
        rank = _rank(columns, rows, several, rule)
        order = np.lexsort((place, -rank, who))
        read = (columns[name].take(pa.array(rows[order])) for name in roles)
        _require_no_tie(read, rows[order], who[order], rank[order], rule)
    else:
        order = np.lexsort((place if rule == "first" else -place, who))
    chosen = order[np.r_[True, np.diff(who[order]) > 0]]
    taken = np.zeros(len(present), dtype=bool)
    taken[rows[chosen]] = True
    return taken


def _all_differ(ids: pa.Array) -> bool:
    """Tell of whole numbers whether each is there once; of others it is found out otherwise."""
    if not pa.types.is_integer(ids.type):
        return False
    numbers = to_numpy(ids.cast(pa.int64(), safe=False))  # too large ones differ all the same
    if len(numbers) == 0:
        return True
    low, high = int(numbers.min()), int(numbers.max())
    if high - low < _MARKS_PER_ID * len(numbers):
        marks = np.zeros(high - low + 1, dtype=bool)
        if len(numbers) >= MANY:
            from seriatim.kernels.near_ids import mark_ids

            return bool(mark_ids(only_read(numbers), low, marks))
        marks[numbers - low] = True
        return int(np.count_nonzero(marks)) == len(numbers)
    numbers = np.sort(numbers)
    return bool((numbers[1:] != numbers[:-1]).all())


def _rank(columns: Columns, rows: IntArray, several: BoolArray, rule: tuple[str, str]) -> IntArray:
    """Return the place of each row in the order of the deciding column; greater is taken."""
    which, name = rule
    column = columns[name]
    if pa.types.is_string(column.type):
        column = inferred(pa.chunked_array([column])).combine_chunks()
    if pa.types.is_string(column.type):
        message = (
            f"Column {name!r} says which row of a respondent is taken, and its texts are in no"
            " order of time. Write numbers or ISO dates."
        )
        raise SchemaError(message)
    needed = column.take(pa.array(rows[several]))
    missing = missing_mask(needed)
    if missing.any():
        message = (
            f"Column {name!r} says which row of a respondent is taken, and has"
            f" {int(missing.sum())} missing value(s) where it should, at"
            f" {at_positions(rows[several][missing])}. Fill them, or leave the rows out."
        )
        raise TableError(message)
    rank = np.zeros(len(rows), dtype=np.int64)
    rank[several] = to_numpy(pc.rank(needed, tiebreaker="dense")).astype(np.int64)
    return rank if which == "latest" else -rank


def _require_no_tie(
    read: Iterable[pa.Array],
    rows: IntArray,
    who: IntArray,
    rank: IntArray,
    rule: tuple[str, str],
) -> None:
    """Refuse respondents whose best rows are several and differ; the best come first."""
    starts = np.flatnonzero(np.r_[True, np.diff(who) > 0])
    first_of = np.repeat(starts, np.diff(np.r_[starts, len(who)]))
    content = np.zeros(len(rows), dtype=np.int64)
    for column in read:
        encoded = column.dictionary_encode(null_encoding="encode")
        joined = content * len(encoded.dictionary) + to_numpy(encoded.indices)
        content = np.unique(joined, return_inverse=True)[1].ravel()
    differ = (rank == rank[first_of]) & (content != content[first_of])
    if differ.any():
        message = (
            f"{len(np.unique(who[differ]))} respondents have several different rows of the same"
            f" {rule[0]} {rule[1]!r}, at {at_positions(rows[differ])}."
            " Keep one of them, or choose by another column."
        )
        raise TableError(message)
