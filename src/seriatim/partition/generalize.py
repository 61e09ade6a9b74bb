"""From a partition to a release: tightest regions, and an order that tells nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import FloatArray, Instant, IntArray
from seriatim.microdata.buckets import written_people
from seriatim.microdata.cover import Cover
from seriatim.microdata.membership import ABSENT, Membership
from seriatim.microdata.orders import sorted_order
from seriatim.microdata.release import Form, Release
from seriatim.microdata.tables import to_numpy
from seriatim.microdata.view import View
from seriatim.partition.partition import Partition


def generalize(
    view: View,
    partition: Partition,
    *,
    at: Instant,
    rng: np.random.Generator,
    form: Form = "generalized",
) -> tuple[Release, Membership]:
    """Return the release that a partition makes, and who is in which of its groups.

    Groups, and rows inside groups, are first sorted by what is published of them and
    then shuffled. Whoever could undo the shuffle would find the sorted table, which
    says nothing about the curve, the respondents or the input. Counterfeits are dealt
    with like all others, and nothing marks them.
    """
    entries = _Entries.of(view, partition, rng)
    content = entries.content(view)
    order = sorted_order(entries.groups, content)
    starts = np.concatenate([[0], np.cumsum(np.bincount(entries.groups))])
    covers = _covers(view, partition)
    order, starts, groups = _shuffled(
        order, starts, _sorted_groups(covers, content[order], starts), rng
    )
    donors = pa.array(entries.donors[order])
    release = Release(
        at,
        view.schema.public(),
        tuple(
            Cover(cover.text.take(pa.array(groups)), cover.extents[groups], cover.penalties[groups])
            for cover in covers
        ),
        starts,
        entries.value_codes[order],
        view.kind,
        None if view.kept is None else view.kept.take(donors).combine_chunks(),
        None
        if form == "generalized"
        else written_people(view.schema.quasi_identifiers, entries.points[order], starts),
    )
    real = order < len(partition.rows)
    group_of = np.full(len(view), ABSENT, dtype=np.int64)
    group_of[partition.rows[order[real]]] = release.group_of[real]
    added = np.bincount(release.group_of[~real], minlength=len(partition))
    counterfeits = added if len(partition.counterfeits) else None
    return release, Membership(view.roster, group_of, counterfeits)


@dataclass(frozen=True, eq=False)
class _Entries:
    """The tuples to be published: those of members first, then counterfeits."""

    groups: IntArray
    value_codes: IntArray
    donors: IntArray
    points: FloatArray

    @classmethod
    def of(cls, view: View, partition: Partition, rng: np.random.Generator) -> _Entries:
        """Dress counterfeits up in what members of their group have, attribute by attribute."""
        rows, added = partition.rows, partition.counterfeits
        sizes = np.diff(partition.starts)
        groups = np.repeat(np.arange(len(partition)), sizes)

        def drawn() -> IntArray:
            places = rng.integers(0, sizes[added.groups], size=len(added))
            return np.asarray(rows[partition.starts[added.groups] + places])

        points = view.points[rows]
        if len(added):
            axes = range(points.shape[1])
            dressed = np.column_stack([view.points[drawn(), axis] for axis in axes])
            points = np.concatenate([points, dressed])
        return cls(
            np.concatenate([groups, added.groups]),
            np.concatenate([view.value_codes[rows], added.value_codes]),
            np.concatenate([rows, drawn()]) if len(added) else rows,
            points,
        )

    def content(self, view: View) -> IntArray:
        """Number what is published of each besides its region: value and insensitive columns."""
        content = self.value_codes
        for column in () if view.kept is None else view.kept.columns:
            mine = column.combine_chunks().take(pa.array(self.donors))
            ranks = to_numpy(pc.rank(mine, tiebreaker="dense")).astype(np.int64)
            content = np.unique(content * (ranks.max() + 1) + ranks, return_inverse=True)[1].ravel()
        return content


def _covers(view: View, partition: Partition) -> list[Cover]:
    return [
        attribute.cover(view.points[partition.rows, axis], partition.starts)
        for axis, attribute in enumerate(view.schema.quasi_identifiers)
    ]


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
    order = sorted_order(group, rng.permutation(len(rows)))
    return rows[old[order]], new_starts, groups
