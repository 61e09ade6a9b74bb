"""Ids that lie near each other, sorted by putting each row into the place of its id.

Axes: places (ids from the least to the greatest) hold rows from 1, 0 where an id is nobody's.
"""

from __future__ import annotations

import numpy as np

from seriatim._typing import BoolArray, IntArray, SmallIntArray
from seriatim.kernels._jit import kernel


@kernel
def place_ids(ids: IntArray, least: int, places: SmallIntArray) -> bool:
    """Put each row into its place; tell whether no two rows have the same."""
    repeats = 0
    for row in range(ids.shape[0]):
        place = np.uint64(ids[row] - least)
        repeats += places[place] != 0
        places[place] = row + 1
    return repeats == 0


@kernel
def mark_ids(ids: IntArray, least: int, marks: BoolArray) -> bool:
    """Mark the place of each id; tell whether no two are the same."""
    repeats = 0
    for row in range(ids.shape[0]):
        place = np.uint64(ids[row] - least)
        repeats += marks[place]
        marks[place] = True
    return repeats == 0


@kernel
def collect_ids(places: SmallIntArray, least: int, order: IntArray, ids: IntArray) -> None:
    """Write the rows in the order of their ids, and the ids."""
    count = 0
    for place in range(places.shape[0]):
        row = places[place]
        # Written where nobody is as well, and then over: asking first would take longer.
        order[np.uint64(count)] = row - 1
        ids[np.uint64(count)] = least + place
        count += row != 0
