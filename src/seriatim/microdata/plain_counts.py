"""How often each group of a released file has each value, counted from its letters.

A table of groups and values needs no column of texts in between: the group of a line is a number,
and its value one of few known words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from seriatim._typing import IntArray
from seriatim.microdata.known_words import KnownWords
from seriatim.microdata.plain_files import PlainFile


def count_plain(
    file: PlainFile, names: Sequence[str], group: str, value: str, codes: Mapping[str, int]
) -> IntArray | None:
    """Return how often each group, numbered from 1, has each value (groups, values).

    ``codes`` are those of the values, by each way to write one. None where the file is not plain,
    or has a line without such a group and value: then others tell what is wrong.
    """
    from seriatim.kernels.plain_counts import count_pairs, read_pairs

    if group not in names or value not in names or not codes:
        return None
    n_values = max(codes.values()) + 1
    columns = (file.n_columns, names.index(group), names.index(value), n_values)
    words = KnownWords.of(codes)
    # A line has at least a letter for each cell, what stands behind it.
    room = [
        np.empty((stop - start) // file.n_columns, np.int32) for _, start, stop in file.stretches
    ]
    found = file.each(read_pairs, [(*columns, *words, mine) for mine in room])
    if min(found) < 0:
        return None
    pairs = [mine[:rows] for mine, rows in zip(room, found, strict=True) if rows]
    n_groups = max(int(mine.max()) for mine in pairs) // n_values + 1
    counts = np.zeros((n_groups, n_values), np.int64)
    for mine in pairs:
        count_pairs(mine, counts.reshape(-1))
    return counts
