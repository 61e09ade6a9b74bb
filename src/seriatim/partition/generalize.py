"""From a partition to a release: tightest regions, and an order that tells nothing."""

from __future__ import annotations

import numpy as np

from seriatim._typing import Instant, IntArray
from seriatim.microdata.membership import ABSENT, Membership
from seriatim.microdata.release import Release
from seriatim.microdata.view import View
from seriatim.partition.partition import Partition


def generalize(
    view: View, partition: Partition, *, at: Instant, rng: np.random.Generator
) -> tuple[Release, Membership]:
    """Return the release that a partition makes, and who is in which of its groups.

    Groups are numbered in a random order, and rows lie in a random order inside
    their group, so neither says anything about the curve, the view or the input.
    """
    rows, starts = _shuffled(partition, rng)
    covers = tuple(
        attribute.cover(view.points[rows, axis], starts)
        for axis, attribute in enumerate(view.schema.quasi_identifiers)
    )
    release = Release(at, view.schema, covers, starts, view.value_codes[rows], view.kind)
    group_of = np.full(len(view), ABSENT, dtype=np.int64)
    group_of[rows] = release.group_of
    return release, Membership(view, group_of)


def _shuffled(partition: Partition, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Return the rows of a partition with groups, and rows inside groups, in random order."""
    place_of_group = rng.permutation(len(partition))
    sizes = np.diff(partition.starts)
    group = np.repeat(place_of_group, sizes)
    chance = rng.permutation(len(partition.rows))
    order = np.lexsort((chance, group))
    sizes_in_place = np.empty_like(sizes)
    sizes_in_place[place_of_group] = sizes
    return partition.rows[order], np.concatenate([[0], np.cumsum(sizes_in_place)])
