"""Small differences: groups that differ by few people from groups of the last releases.

With batches nobody comes or goes alone, but cells that were merged, or that had stayed out of a
release, may still differ by few from what was published before. So each group is compared, before
it is published, with each of the last releases: a group of one release, less the union of groups of
the other that leaves the fewest people over (``measure/subtraction.py``), must leave nobody over,
or as many as a batch. Both ways: a new group less former ones, and a former group less new ones.

Unions on both sides, and three releases at once, are not compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seriatim._typing import BoolArray, SmallIntArray, WordArray
from seriatim.measure.subtraction import NOWHERE
from seriatim.publish.whereabouts import Whereabouts, everyone_of


def opening(
    numbers: WordArray, group_of: SmallIntArray, before: Sequence[Whereabouts], least: int
) -> BoolArray:
    """Tell which groups of a release to hold back, so that no difference is of fewer than so many.

    ``numbers`` are the keyed numbers of its people, ``group_of`` has the group of each from 0, -1
    for none. A group that is held back shows nothing, so what is left is compared again.
    People who were forgotten since still count among those of their former groups.

    >>> before = Whereabouts(
    ...     1, np.arange(6, dtype=np.uint64), np.zeros(6, np.int32), np.int32([6]), np.zeros(6)
    ... )
    >>> numbers, groups = np.arange(1, 10, dtype=np.uint64), np.repeat(np.int32([0, 1]), (5, 4))
    >>> opening(numbers, groups, [before], least=2).tolist()
    [True, False]
    """
    n_groups = int(group_of.max(initial=NOWHERE)) + 1
    held = np.zeros(n_groups, dtype=bool)
    everyone = everyone_of([np.sort(numbers), *(one.numbers for one in before)])
    now = _spread(everyone, numbers, group_of)
    pairs = [_with_forgotten(now, everyone, one) for one in before]
    while True:
        found = np.zeros(n_groups, dtype=bool)
        for new, former in pairs:
            found |= _few_left_over(new, former, n_groups, least)
        if not found.any():
            return held
        held |= found
        for new, _ in pairs:
            new[(new >= 0) & held[new]] = NOWHERE


def _with_forgotten(
    now: SmallIntArray, everyone: WordArray, before: Whereabouts
) -> tuple[SmallIntArray, SmallIntArray]:
    """Return the groups of everyone now and then; last those who were forgotten since."""
    then = _spread(everyone, before.numbers, before.groups)
    missing = before.sizes - np.bincount(before.groups, minlength=len(before.sizes))
    forgotten = np.repeat(np.arange(len(before.sizes), dtype=np.int32), np.maximum(missing, 0))
    nowhere = np.full(len(forgotten), NOWHERE, dtype=np.int32)
    return np.concatenate([now, nowhere]), np.concatenate([then, forgotten])


def _spread(everyone: WordArray, numbers: WordArray, groups: SmallIntArray) -> SmallIntArray:
    found = np.full(len(everyone), NOWHERE, dtype=np.int32)
    found[np.searchsorted(everyone, numbers)] = groups
    return found


def _few_left_over(
    new: SmallIntArray, former: SmallIntArray, n_groups: int, least: int
) -> BoolArray:
    """Tell which new groups take part in a difference of one to fewer than so many people."""
    n_former = int(former.max(initial=NOWHERE)) + 1
    found, _ = _outer_with_few(new, former, n_groups, n_former, least)
    few, lead = _outer_with_few(former, new, n_former, n_groups, least)
    belonging = lead >= 0
    found[belonging] |= few[lead[belonging]]
    return found


def _outer_with_few(
    outer: SmallIntArray, inner: SmallIntArray, n_outer: int, n_inner: int, least: int
) -> tuple[BoolArray, SmallIntArray]:
    """Tell of which outer groups few are left over, and to which outer group each inner belongs."""
    from seriatim.kernels.differences import count_left_over, find_majorities

    lead = np.empty(n_inner, dtype=np.int32)
    find_majorities(inner, outer, lead)
    left_over = np.zeros(n_outer, dtype=np.int64)
    count_left_over(outer, inner, lead, left_over)
    compared = np.bincount(lead[lead >= 0], minlength=n_outer) > 0
    return compared & (left_over > 0) & (left_over < least), lead
