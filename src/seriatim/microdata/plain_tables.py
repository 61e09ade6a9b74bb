"""Columns of a plain file: whole numbers straight from its letters, texts by one copy.

Each column becomes what ``inferred`` makes of its texts, only that numbers never were any.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import BoolArray, ByteArray, IntArray, SmallIntArray
from seriatim.microdata.inferred import FEW, inferred, may_be_whole
from seriatim.microdata.plain_files import PlainFile

_MOST_LETTERS = 2**31 - 1
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")


class _Survey(NamedTuple):
    """How large a file is."""

    rows: IntArray
    """The row with which each stretch begins, and how many there are."""

    letters: IntArray
    """Letters of each column (stretches, columns)."""


def read_plain(
    file: PlainFile,
    names: Sequence[str],
    wanted: Sequence[str],
    text: Collection[str] | None,
    missing: Collection[str],
) -> pa.Table | None:
    """Return the wanted columns as ``read_delimited`` does; None where the file is not plain.

    ``names`` are those of all columns, ``missing`` the cells that mean no value; none does where
    all columns stay texts.
    """
    from seriatim.kernels.plain_cells import NUMBER, TEXT

    if not wanted or len(set(wanted)) < len(wanted):
        return None
    survey = _surveyed(file)
    if survey is None:
        return None
    places = {name: names.index(name) for name in wanted}
    absent = () if text is None else missing
    asked = [] if text is None else [places[name] for name in wanted if name not in text]
    kinds = dict.fromkeys(places.values(), TEXT)
    kinds |= dict.fromkeys(_perhaps_whole(file.first_lines(FEW), asked, absent), NUMBER)
    read = _read(file, survey, kinds, absent)
    unlike = [place for place, column in read.items() if column is None]
    if unlike:
        kinds |= dict.fromkeys(unlike, TEXT)
        read |= _read(file, survey, dict.fromkeys(unlike, TEXT), absent)
    if any(column is None for column in read.values()):
        return None
    open_texts = [place for place in asked if kinds[place] == TEXT]
    read |= {place: inferred(read[place]) for place in open_texts}
    return pa.table({name: read[place] for name, place in places.items()})


def _perhaps_whole(few: PlainFile, places: list[int], missing: Collection[str]) -> list[int]:
    """Return which columns begin with whole numbers."""
    from seriatim.kernels.plain_cells import TEXT

    survey = _surveyed(few)
    read = {} if survey is None else _read(few, survey, dict.fromkeys(places, TEXT), missing)
    return [place for place, begun in read.items() if begun is not None and may_be_whole(begun)]


def _surveyed(file: PlainFile) -> _Survey | None:
    from seriatim.kernels.plain_lines import survey_lines

    letters = np.zeros((len(file.stretches), file.n_columns), np.int64)
    rows = file.each(survey_lines, [(one,) for one in letters])
    if min(rows) < 0 or letters.sum(axis=0).max() > _MOST_LETTERS:
        return None
    return _Survey(np.concatenate([[0], np.cumsum(rows)]), letters)


def _read(
    file: PlainFile, survey: _Survey, kinds: Mapping[int, int], missing: Collection[str]
) -> dict[int, pa.ChunkedArray | None]:
    """Return columns by their places; None for one that is not of its kind, or not UTF-8.

    All are None where the file is not what it was when it was surveyed.
    """
    from seriatim.kernels.plain_cells import NUMBER, TEXT, read_cells

    kind_of, slots = np.zeros((2, file.n_columns), np.int64)
    for kind in (NUMBER, TEXT):
        own = [place for place, one in kinds.items() if one == kind]
        kind_of[own], slots[own] = kind, np.arange(len(own))
    as_text = [place for place, kind in kinds.items() if kind == TEXT]
    rows, letters = survey.rows, survey.letters[:, as_text]
    ends = np.concatenate([np.zeros((1, len(as_text)), np.int64), np.cumsum(letters, axis=0)])
    bases = np.concatenate([[0], np.cumsum(ends[-1])])
    numbers = np.empty((len(kinds) - len(as_text), rows[-1]), np.int64)
    begins = np.empty((len(as_text), rows[-1] + 1), np.int32)
    begins[:, -1] = ends[-1]
    texts = np.empty(bases[-1], np.uint8)
    rooms = np.stack([ends[:-1], ends[1:]], axis=-1)
    odd = np.zeros((len(file.stretches), file.n_columns, 2), np.bool_)
    fits = file.each(
        read_cells,
        [
            (rows[one], rows[one + 1], kind_of, slots, numbers, begins, texts, bases, *mine)
            for one, mine in enumerate(zip(rooms, odd, strict=True))
        ],
    )
    if not all(fits):
        return dict.fromkeys(kinds)
    strange = np.asarray(odd.any(axis=0))
    made: dict[int, pa.Array | None] = {}
    for place, kind in kinds.items():
        slot = slots[place]
        if kind == NUMBER:
            made[place] = _numbers(numbers[slot], strange[place], missing)
        else:
            own_letters = texts[bases[slot] : bases[slot + 1]]
            made[place] = _texts(own_letters, begins[slot], strange[place], missing)
    return {
        place: None if column is None else pa.chunked_array([column])
        for place, column in made.items()
    }


def _numbers(numbers: IntArray, odd: BoolArray, missing: Collection[str]) -> pa.Array | None:
    """Return numbers with their gaps; None where some are none, or all are missing."""
    from seriatim.kernels.plain_cells import EMPTY

    some_empty, some_unlike = odd.tolist()
    if some_unlike:
        return None
    absent = [int(word) for word in missing if _WHOLE.fullmatch(word)]
    if not some_empty and not absent:
        return pa.array(numbers)
    gaps = np.isin(numbers, [int(EMPTY), *absent])
    return None if gaps.all() else pa.array(numbers, mask=gaps)


def _texts(
    letters: ByteArray, begins: SmallIntArray, odd: BoolArray, missing: Collection[str]
) -> pa.Array | None:
    """Return texts with their gaps; None where they are not UTF-8."""
    some_empty, some_beyond_ascii = odd.tolist()
    empty_is_gap = some_empty and "" in missing
    there = np.packbits(begins[1:] != begins[:-1], bitorder="little") if empty_is_gap else None
    buffers = [there, begins, letters]
    texts = pa.Array.from_buffers(
        pa.string(),
        len(begins) - 1,
        [None if one is None else pa.py_buffer(one) for one in buffers],
    )
    try:
        texts.validate(full=some_beyond_ascii)
    except pa.ArrowInvalid:
        return None
    words = [word for word in missing if word]
    if words:
        absent = pc.is_in(texts, value_set=pa.array(words, pa.string()))
        texts = pc.if_else(absent, pa.scalar(None, pa.string()), texts)
    return texts
