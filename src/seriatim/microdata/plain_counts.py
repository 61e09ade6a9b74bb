"""How often each group of a released file has each value, counted from its letters.

A table of groups and values needs no column of texts in between: the group of a line is a number,
and its value one of few known words. What all rows of a group share is compared where it stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import ByteArray, IntArray, SmallIntArray
from seriatim.microdata.known_words import KnownWords
from seriatim.microdata.plain_files import PlainFile

_MOST_LETTERS = 2**31 - 1
_MOST_CELLS = 2**28
_CELLS_PER_ROW = 2**9


class PlainGroups(NamedTuple):
    """What a plain file says of its groups."""

    counts: IntArray
    """How often each group, numbered from 1, has each value (groups, values)."""

    shared: pa.Array
    """What all rows of a group share: cells as they are written, and a line end (groups)."""


def are_few(groups: int, values: int, rows: int) -> bool:
    """Tell whether groups and values of some rows can be counted in one table.

    Whoever published them did so. Who only says that there are so many may say anything.
    """
    return groups <= rows and groups * values <= max(_MOST_CELLS, _CELLS_PER_ROW * rows)


def read_groups(file: PlainFile, shared: int, codes: Mapping[str, int]) -> PlainGroups | None:
    """Return what a plain file says of its groups.

    Its columns are the group's number from 1, some that are written alike in all rows of a group,
    of which ``shared`` is the number, the value, and others. ``codes`` are those of the values,
    by each way to write one. None where the file is not plain, has
    a line without such a group and value, groups without rows, or rows that are not alike: then
    others tell what is wrong.
    """
    from seriatim.kernels.plain_counts import count_pairs, read_pairs

    if not codes:
        return None
    n_values = max(codes.values()) + 1
    columns = (file.n_columns, shared, n_values)
    words = KnownWords.of(codes)
    # A line has at least a letter for each cell, what stands behind it.
    most = [(stop - start) // file.n_columns for _, start, stop in file.stretches]
    rooms = [
        (np.empty(rows, np.int32), np.empty((rows, 2), np.int64), np.empty(stop - start, np.uint8))
        for rows, (_, start, stop) in zip(most, file.stretches, strict=True)
    ]
    found = file.each(read_pairs, [(*columns, *words, *room) for room in rooms])
    if min(rows for rows, _ in found) < 0:
        return None
    pairs = [room[0][:rows] for room, (rows, _) in zip(rooms, found, strict=True) if rows]
    n_groups = max(int(mine.max()) for mine in pairs) // n_values + 1
    if not are_few(n_groups, n_values, sum(map(len, pairs))):
        return None
    alike = _shared(rooms, [runs for _, runs in found], n_groups, n_values)
    if alike is None:
        return None
    counts = np.zeros((n_groups, n_values), np.int64)
    for mine in pairs:
        count_pairs(mine, counts.reshape(-1))
    return PlainGroups(counts, alike)


def _shared(
    rooms: Sequence[tuple[SmallIntArray, IntArray, ByteArray]],
    n_runs: Sequence[int],
    n_groups: int,
    n_values: int,
) -> pa.Array | None:
    """Return what the rows of each group share; None where its runs do not, or one has no rows."""
    groups, lengths, letters = [], [], []
    for (pairs, runs, texts), count in zip(rooms, n_runs, strict=True):
        if count:
            groups.append(pairs[runs[:count, 0]] // n_values)
            lengths.append(np.diff(runs[:count, 1], prepend=0))
            letters.append(texts[: runs[count - 1, 1]])
    of, begins = np.concatenate(groups), np.cumsum(np.concatenate([[0], *lengths]))
    if begins[-1] > _MOST_LETTERS:
        return None
    buffers = [pa.py_buffer(begins.astype(np.int32)), pa.py_buffer(np.concatenate(letters))]
    texts = pa.Array.from_buffers(pa.binary(), len(of), [None, *buffers])
    first = np.full(n_groups, -1, np.int64)
    first[of[::-1]] = np.arange(len(of))[::-1]
    if first.min() < 0:
        return None
    alike = texts.take(pa.array(first))
    # Most groups are one run; the others go on behind the end of a stretch.
    more = np.flatnonzero(first[of] != np.arange(len(of)))
    same = pc.equal(texts.take(pa.array(more)), alike.take(pa.array(of[more])))
    return alike if pc.all(same).as_py() in (True, None) else None
