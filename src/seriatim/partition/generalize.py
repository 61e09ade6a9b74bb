"""From a partition to a release: tightest regions, and an order that tells nothing."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import Instant, IntArray
from seriatim.microdata.cover import Cover
from seriatim.microdata.membership import ABSENT, Membership
from seriatim.microdata.release import Release
from seriatim.microdata.tables import to_numpy
from seriatim.microdata.view import View
from seriatim.partition.partition import Partition


def generalize(
    view: View, partition: Partition, *, at: Instant, rng: np.random.Generator
) -> tuple[Release, Membership]:
    """Return the release that a partition makes, and who is in which of its groups.

    Groups, and rows inside groups, are first sorted by what is published of them and
    then shuffled. Whoever could undo the shuffle would find the sorted table, which
    says nothing about the curve, the respondents or the input.
    """
    content = _content(view)
    rows, starts = _sorted_rows(content, partition)
    covers = _covers(view, rows, starts)
    rows, starts, groups = _shuffled(
        rows, starts, _sorted_groups(covers, content[rows], starts), rng
    )
    release = Release(
        at,
        view.schema.public(),
        tuple(
            Cover(cover.text.take(pa.array(groups)), cover.extents[groups], cover.penalties[groups])
            for cover in covers
        ),
        starts,
        view.value_codes[rows],
        view.kind,
        None if view.kept is None else view.kept.take(pa.array(rows)).combine_chunks(),
    )
    group_of = np.full(len(view), ABSENT, dtype=np.int64)
    group_of[rows] = release.group_of
    return release, Membership(view.roster, group_of)


def _covers(view: View, rows: IntArray, starts: IntArray) -> list[Cover]:
    return [
        attribute.cover(view.points[rows, axis], starts)
        for axis, attribute in enumerate(view.schema.quasi_identifiers)
    ]


def _content(view: View) -> IntArray:
    """Number what is published of each tuple besides its region: value and insensitive columns."""
    content = view.value_codes
    for column in () if view.kept is None else view.kept.columns:
        ranks = to_numpy(pc.rank(column.combine_chunks(), tiebreaker="dense")).astype(np.int64)
        content = np.unique(content * (ranks.max() + 1) + ranks, return_inverse=True)[1].ravel()
    return content


def _sorted_rows(content: IntArray, partition: Partition) -> tuple[IntArray, IntArray]:
    """Return the rows group by group, sorted by what is published inside each."""
    group = np.repeat(np.arange(len(partition)), np.diff(partition.starts))
    order = np.lexsort((content[partition.rows], group))
    return partition.rows[order], partition.starts


def _sorted_groups(covers: list[Cover], value_codes: IntArray, starts: IntArray) -> IntArray:
    """Return the groups sorted by region and values; groups alike in both are interchangeable."""
    # One number for the values of a group: a fixed polynomial of its sorted codes.
    place = np.arange(len(value_codes)) - np.repeat(starts[:-1], np.diff(starts))
    terms = (value_codes.astype(np.uint64) + np.uint64(1)) * _powers(int(place.max()) + 1)[place]
    columns = {f"region {axis}": cover.text for axis, cover in enumerate(covers)}
    columns["values"] = pa.array(np.add.reduceat(terms, starts[:-1]))
    table = pa.table(columns)
    order = pc.sort_indices(table, sort_keys=[(name, "ascending") for name in columns])
    return np.asarray(to_numpy(order), dtype=np.int64)


def _powers(count: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    powers = np.full(count, 6364136223846793005, dtype=np.uint64)
    powers[0] = 1
    return np.multiply.accumulate(powers)


def _shuffled(
    rows: IntArray, starts: IntArray, groups: IntArray, rng: np.random.Generator
) -> tuple[IntArray, IntArray, IntArray]:
    """Shuffle sorted groups, and rows inside them; return rows, starts and the groups' order."""
    groups = groups[rng.permutation(len(groups))]
    sizes = np.diff(starts)[groups]
    new_starts = np.concatenate([[0], np.cumsum(sizes)])
    group = np.repeat(np.arange(len(groups)), sizes)
    old = np.arange(new_starts[-1]) - new_starts[group] + starts[groups][group]
    order = np.lexsort((rng.permutation(len(rows)), group))
    return rows[old[order]], new_starts, groups
