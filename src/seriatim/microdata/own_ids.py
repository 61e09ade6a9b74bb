"""Columns that repeat the ids of their own respondents: never published, whatever a study allows.

A release has no column of ids. One that holds them under another title, be it only in some of
its rows, undoes the whole of it: each of these rows says who it is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import BoolArray, IntArray
from seriatim.errors import TableError
from seriatim.microdata.categorical import Categorical
from seriatim.microdata.letters import letters_of
from seriatim.microdata.near_unique import FEW
from seriatim.microdata.roster import Roster
from seriatim.microdata.tables import plain, to_text
from seriatim.microdata.view import View

BY_CHANCE = 0.05
"""Up to this share of rows, a number that is the row's own id may be one by chance.

Ids that are counted from 1 coincide with lengths of stay and zip codes; texts with letters in
them do not coincide with anything. In a small table so many rows are next to none: up to
``FEW`` numbers may coincide in any."""

_NOT_ASCII = 0x80
_LOWER = 0x20  # the bit that makes a small letter of a capital one, and leaves digits as they are
_SPACE = 0x20
_LENGTHS = 0x7FFF


@dataclass(frozen=True)
class OwnIds:
    """How many rows of a column hold the id of their own respondent."""

    words: int
    """Ids that are not digits only."""

    numbers: int
    """Ids of digits only."""

    def gives_away(self, rows: int) -> bool:
        """Tell whether these are ids, and no coincidence among so many rows.

        >>> OwnIds(1, 0).gives_away(900), OwnIds(0, 45).gives_away(900)
        (True, False)
        """
        return self.words > 0 or self.numbers > max(BY_CHANCE * rows, FEW)


def own_ids(
    ids: pa.Array,
    cells: pa.Array,
    codes: IntArray | None = None,
    *,
    ends: IntArray | None = None,
) -> OwnIds:
    """Count the rows whose cell is their own id, but for capitals and spaces at the ends.

    With ``codes``, ``cells`` are the different values, and each row has the code of its own.
    ``ends`` are those of the ids (``ends_of``), for several columns found once.

    >>> own_ids(pa.array(["P7", "P8", "3"]), pa.array([" p7", "none", "3"]))
    OwnIds(words=1, numbers=1)
    """
    rows = np.flatnonzero(_may_be_equal(ids, cells, codes, ends))
    if not len(rows):
        return OwnIds(0, 0)
    asked = ids.take(pa.array(rows))
    found = cells.take(pa.array(rows if codes is None else codes[rows]))
    asked, found = (pc.utf8_lower(pc.utf8_trim_whitespace(one)) for one in (asked, found))
    same = asked.filter(pc.and_(pc.equal(asked, found), pc.not_equal(asked, "")))
    numbers = pc.sum(pc.utf8_is_digit(same)).as_py() or 0
    return OwnIds(len(same) - int(numbers), int(numbers))


def refuse_own_ids(view: Roster) -> None:
    """Refuse a view of which a published column repeats ids; nothing overrides it."""
    ends = ends_of(view.texts)
    found = {name: own_ids(view.texts, *cells, ends=ends) for name, cells in _published(view)}
    refuse_repeated_ids(found, len(view))


def refuse_repeated_ids(found: Mapping[str, OwnIds], rows: int) -> None:
    """Refuse columns by how many rows of a table hold their own id."""
    lines = [
        f"Column {name!r} holds the respondent's own id in {one.words + one.numbers:,} of"
        f" {rows:,} rows: published, it would say whom these rows are about. Take the ids out of"
        " it, or leave the column out; no setting allows it."
        for name, one in found.items()
        if one.gives_away(rows)
    ]
    if lines:
        raise TableError("\n".join(lines))


def _published(view: Roster) -> Iterable[tuple[str, tuple[pa.Array, IntArray | None]]]:
    """Give the columns that are published as they are, or as sets."""
    for axis, attribute in enumerate(view.schema.quasi_identifiers):
        if isinstance(attribute, Categorical):
            codes = view.points[:, axis].astype(np.int64)
            yield attribute.name, (_texts(attribute.values or ()), codes)
    if isinstance(view, View):
        sensitive = view.schema.sensitive
        yield sensitive.name, (_texts(sensitive.domain), view.value_codes)
        kept = pa.table({}) if view.kept is None else view.kept
        for name in kept.column_names:
            yield name, (to_text(plain(kept.column(name)), name), None)


def _texts(values: Sequence[object]) -> pa.Array:
    return pa.array([str(value) for value in values], pa.string())


def _may_be_equal(
    ids: pa.Array, cells: pa.Array, codes: IntArray | None, ends: IntArray | None
) -> BoolArray:
    """Tell which rows may hold their own id, by length, first and last letter.

    Few rows of an innocent column pass, so that few texts are compared. Texts with spaces at
    their ends, or with letters beyond ASCII, change their length where they are folded: all
    of them pass.
    """
    if not len(ids):
        return np.zeros(0, np.bool_)
    of_ids, of_cells = ends_of(ids) if ends is None else ends, ends_of(cells)
    if codes is not None:
        of_cells = of_cells[codes]
    found = of_ids == of_cells
    for some in (of_ids, of_cells):
        if some.min() < 0:
            found |= some < 0
    return np.asarray(found)


def ends_of(texts: pa.Array) -> IntArray:
    """Return one number from length, first and last letter; -1 where folding may change them."""
    letters, begins = letters_of(texts.cast(pa.string()))
    starts, stops = begins[:-1], begins[1 : len(texts) + 1]
    lengths = stops - starts
    if not len(letters):
        return np.zeros(len(texts), np.int32)
    if letters[begins[0] : begins[-1]].max(initial=0) >= _NOT_ASCII:
        return np.full(len(texts), -1, np.int32)
    first = np.take(letters, starts, mode="clip")
    last = np.take(letters, stops - 1, mode="clip")
    found = ((lengths & _LENGTHS) << 16) | ((first | _LOWER).astype(np.int32) << 8)
    found |= last | _LOWER
    found[lengths == 0] = 0
    found[(first <= _SPACE) | (last <= _SPACE)] = -1
    return found
