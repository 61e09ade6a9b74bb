"""From a partition to a release: tightest regions, and an order that tells nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import FloatArray, Instant, IntArray, WordArray
from seriatim.microdata.buckets import written_people
from seriatim.microdata.cover import Cover
from seriatim.microdata.gathers import gathered, gathered_columns
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
    entries = _Entries.of(view, partition, rng, with_points=form == "buckets")
    # What is drawn does not depend on what is sorted, and is drawn on one core.
    with ThreadPoolExecutor(1, thread_name_prefix="seriatim-draws") as beside:
        drawing = beside.submit(_drawn, rng, len(partition), len(entries.value_codes))
        covers = _covers(view, partition)
        order, starts, sums = _sorted_contents(entries.content(view), partition)
        groups = _sorted_groups(covers, sums)
        drawn = drawing.result()
    order, starts, groups = _shuffled(order, starts, groups, *drawn)
    release = Release(
        at,
        view.schema.public(),
        tuple(
            Cover(cover.text.take(pa.array(groups)), cover.extents[groups], cover.penalties[groups])
            for cover in covers
        ),
        starts,
        gathered(entries.value_codes, order),
        view.kind,
        None
        if view.kept is None
        else view.kept.take(pa.array(entries.donors[order])).combine_chunks(),
        None
        if entries.points is None
        else written_people(view.schema.quasi_identifiers, entries.points[order], starts),
    )
    return release, _membership(view, partition, order, release)


def _membership(view: View, partition: Partition, order: IntArray, release: Release) -> Membership:
    """Return who is in which group; whoever is behind the members is a counterfeit."""
    if len(partition.counterfeits) == 0:
        rows = gathered(partition.rows, order)
        return Membership.of_groups(view.roster, rows, release.starts)
    group_of = np.full(len(view), ABSENT, dtype=np.int64)
    real = order < len(partition.rows)
    group_of[partition.rows[order[real]]] = release.group_of[real]
    added = np.bincount(release.group_of[~real], minlength=len(partition))
    return Membership(view.roster, group_of, added)


@dataclass(frozen=True, eq=False)
class _Entries:
    """The tuples to be published: those of members first, then counterfeits."""

    value_codes: IntArray
    donors: IntArray
    points: FloatArray | None

    @classmethod
    def of(
        cls, view: View, partition: Partition, rng: np.random.Generator, *, with_points: bool
    ) -> _Entries:
        """Dress counterfeits up in what members of their group have, attribute by attribute."""
        rows, added = partition.rows, partition.counterfeits
        sizes = np.diff(partition.starts)
        value_codes = gathered(view.value_codes, rows)
        points = view.points[rows] if with_points else None
        if len(added) == 0:
            return cls(value_codes, rows, points)

        def drawn() -> IntArray:
            places = rng.integers(0, sizes[added.groups], size=len(added))
            return np.asarray(rows[partition.starts[added.groups] + places])

        # Drawn for every form, so that chance goes on alike in each.
        dressed = [view.points[drawn(), axis] for axis in range(view.points.shape[1])]
        if points is not None:
            points = np.concatenate([points, np.column_stack(dressed)])
        return cls(
            np.concatenate([value_codes, added.value_codes]),
            np.concatenate([rows, drawn()]),
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
    columns = gathered_columns(view.points, partition.rows)
    return [
        attribute.cover(codes, partition.starts)
        for attribute, codes in zip(view.schema.quasi_identifiers, columns, strict=True)
    ]


def _sorted_contents(
    content: IntArray, partition: Partition
) -> tuple[IntArray, IntArray, WordArray]:
    """Return the entries group by group, sorted by content; where groups begin; and their sums.

    The sum of a group is one number for its content: a fixed polynomial of the sorted codes.
    """
    from seriatim.kernels.shuffles import sort_contents
    from seriatim.kernels.stretches import over_groups

    by_group, starts = None, partition.starts
    if len(partition.counterfeits):
        members = np.repeat(np.arange(len(partition)), np.diff(starts))
        groups = np.concatenate([members, partition.counterfeits.groups])
        by_group = sorted_order(groups)
        content = content[by_group]
        starts = np.concatenate([[0], np.cumsum(np.bincount(groups))])
    order = np.empty(len(content), np.int64)
    sums = np.empty(len(starts) - 1, np.uint64)
    over_groups(sort_contents, starts, starts, content, order, sums)
    return order if by_group is None else by_group[order], starts, sums


def _sorted_groups(covers: list[Cover], sums: WordArray) -> IntArray:
    """Return the groups sorted by region and values; groups alike in both are interchangeable."""
    return sorted_order(*(_ranks(cover.text) for cover in covers), ties=sums)


def _ranks(texts: pa.Array) -> IntArray:
    """Return the place of each text in the order of the different ones, which are few."""
    encoded = texts.dictionary_encode()
    ranks = np.empty(len(encoded.dictionary), np.int64)
    ranks[to_numpy(pc.sort_indices(encoded.dictionary))] = np.arange(len(ranks))
    return np.asarray(ranks[to_numpy(encoded.indices)])


def _drawn(rng: np.random.Generator, n_groups: int, n_rows: int) -> tuple[IntArray, IntArray]:
    """Draw an order of groups and one of rows."""
    return rng.permutation(n_groups), rng.permutation(n_rows)


def _shuffled(
    rows: IntArray, starts: IntArray, groups: IntArray, new_groups: IntArray, draws: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Shuffle sorted groups, and rows inside them; return rows, starts and the groups' order."""
    from seriatim.kernels.shuffles import deal
    from seriatim.kernels.stretches import over_groups

    groups = groups[new_groups]
    new_starts = np.concatenate([[0], np.cumsum(np.diff(starts)[groups])])
    dealt = np.empty_like(rows)
    over_groups(deal, new_starts, groups, starts, new_starts, draws, rows, dealt)
    return dealt, new_starts, groups
