r"""Subtractions of published groups: one of a release, less some of another.

A group A of one release and a union U of groups of another show the same people but for those
who are in only one of them. If values do not change, the counts of A less the counts of U are
those of who is only in A, less those of who is only in U. Of all unions, U is the one that
leaves the fewest people over: |A △ U| = |A| + Σ (|B \ A| − |B ∩ A|) over the groups B in U, which
is least when U has just the groups of which more than half are in A.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seriatim._typing import BoolArray, IntArray, SmallIntArray
from seriatim.microdata.membership import Membership
from seriatim.microdata.placement import Placement
from seriatim.microdata.release import Release

NOWHERE = -1


@dataclass(frozen=True, eq=False)
class Shown:
    """What a release shows of people who are numbered alike in all releases; private."""

    groups: SmallIntArray
    """The group of each person; -1 for those of whom none is known."""

    counts: SmallIntArray
    """How often each group has each value (groups, values)."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Shown({int((self.groups >= 0).sum())} people in {len(self.counts)} groups)"


@dataclass(frozen=True, eq=False)
class Equations:
    """Counts that some people, with signs, add up to, if values do not change; private."""

    starts: IntArray
    """Where the people of each equation begin; one more entry than equations."""

    people: IntArray
    """Who is in each, equation by equation."""

    signs: IntArray
    """1 for those who are added, -1 for those who are taken away."""

    counts: SmallIntArray
    """What they add up to (equations, values)."""

    groups: IntArray
    """The group that each is about."""

    @classmethod
    def none(cls, n_values: int) -> Equations:
        """Return no equation."""
        nothing = np.zeros(0, dtype=np.int64)
        counts = np.zeros((0, n_values), dtype=np.int32)
        return cls(np.zeros(1, dtype=np.int64), nothing, nothing, counts, nothing)

    def __len__(self) -> int:
        """Return the number of equations."""
        return len(self.groups)

    def __repr__(self) -> str:
        """Say how many there are, and nothing about anyone in them."""
        return f"Equations({len(self)})"

    @property
    def equation_of(self) -> IntArray:
        """The equation of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @property
    def added(self) -> IntArray:
        """How many people are added in each."""
        return np.bincount(self.equation_of[self.signs > 0], minlength=len(self))

    @property
    def surplus(self) -> IntArray:
        """How many values are added in each beyond those that are taken away."""
        return np.asarray(np.maximum(self.counts, 0).sum(axis=1))

    def take(self, kept: BoolArray) -> Equations:
        """Return some of the equations."""
        entries = np.repeat(kept, np.diff(self.starts))
        return Equations(
            _starts(np.diff(self.starts)[kept]),
            self.people[entries],
            self.signs[entries],
            self.counts[kept],
            self.groups[kept],
        )


def shown(
    release: Release,
    membership: Membership | Placement,
    numbers: IntArray,
    n_people: int,
    n_values: int,
) -> Shown:
    """Return what a release shows of people, who have ``numbers`` in the order of its roster.

    Only groups whose members are known take part: those that no more people may be in than
    they have tuples, none of whom may be elsewhere. A group with tuples of nobody, as
    counterfeits are, does not.
    """
    if isinstance(membership, Membership):
        rows = np.flatnonzero(membership.published)
        groups = membership.group_of[rows]
        may_be = np.bincount(groups, minlength=release.n_groups)
        known = may_be == release.sizes
    else:
        alone = np.diff(membership.offsets) == 1
        rows, groups = np.flatnonzero(alone), membership.candidates[membership.offsets[:-1][alone]]
        may_be = np.bincount(membership.candidates, minlength=release.n_groups)
        sole = np.bincount(groups, minlength=release.n_groups)
        known = (may_be == release.sizes) & (sole == release.sizes)
        if len(release) > membership.published.sum():
            known[:] = False
    found = np.full(n_people, NOWHERE, dtype=np.int32)
    inside = known[groups]
    found[numbers[rows[inside]]] = groups[inside]
    counts = np.zeros((release.n_groups, n_values), dtype=np.int32)
    published = release.value_counts
    counts[:, : published.shape[1]] = published
    return Shown(found, counts)


def leading_groups(inner: Shown, outer: Shown) -> SmallIntArray:
    """Return for each group of one release that of another with most of its people, or -1."""
    from seriatim.kernels.differences import find_majorities

    lead = np.empty(len(inner.counts), dtype=np.int32)
    find_majorities(inner.groups, outer.groups, lead)
    return lead


def subtractions(first: Shown, second: Shown, k: int) -> tuple[Equations, Equations]:
    """Return what is left of groups by fewer than k people: of the first's, and of the second's.

    A group less a single one, which is the same as the other way round, counts as the first's.

    >>> first = Shown(np.int32([0, 0, 0, 1, 1, 1]), np.int32([[2, 1], [0, 3]]))
    >>> second = Shown(np.int32([0, 0, -1, 1, 1, 1]), np.int32([[2, 0], [0, 3]]))
    >>> found, _ = subtractions(first, second, k=2)
    >>> found.people.tolist(), found.counts.tolist()
    ([2], [[0, 1]])
    """
    to_first, to_second = leading_groups(second, first), leading_groups(first, second)
    parts = np.bincount(to_first[to_first >= 0], minlength=len(first.counts))
    pieces = np.bincount(to_second[to_second >= 0], minlength=len(second.counts))
    mine = np.flatnonzero(to_second >= 0)
    sole = mine[(parts[mine] == 1) & (pieces[to_second[mine]] == 1)]
    sole = sole[to_first[to_second[sole]] == sole]
    twice = np.zeros(len(second.counts), dtype=bool)
    twice[to_second[sole]] = True
    return (
        _subtracted(first, second, to_first, k, np.zeros(len(first.counts), dtype=bool)),
        _subtracted(second, first, to_second, k, twice),
    )


def _subtracted(
    outer: Shown, inner: Shown, lead: SmallIntArray, k: int, skipped: BoolArray
) -> Equations:
    """Return what is left of the outer groups less the inner ones that belong to them."""
    from seriatim.kernels.differences import count_left_over, list_left_over

    belonging = np.flatnonzero(lead >= 0)
    differing = np.zeros(len(outer.counts), dtype=np.int64)
    count_left_over(outer.groups, inner.groups, lead, differing)
    few = (differing > 0) & (differing < k) & ~skipped
    few &= np.bincount(lead[belonging], minlength=len(few)) > 0
    groups = np.flatnonzero(few)
    number = np.full(len(few), -1, dtype=np.int64)
    number[groups] = np.arange(len(groups))
    room = int(differing[groups].sum())
    equations, people, signs = (np.empty(room, dtype=np.int64) for _ in range(3))
    list_left_over(outer.groups, inner.groups, lead, number, equations, people, signs)
    order = np.argsort(equations, kind="stable")
    counts = outer.counts[groups]
    theirs = belonging[number[lead[belonging]] >= 0]
    np.subtract.at(counts, number[lead[theirs]], inner.counts[theirs])
    return Equations(_starts(differing[groups]), people[order], signs[order], counts, groups)


def group_equations(one: Shown) -> Equations:
    """Return what the groups of a release themselves tell: their members have their counts."""
    people = np.flatnonzero(one.groups >= 0)
    people = people[np.argsort(one.groups[people], kind="stable")]
    sizes = np.bincount(one.groups[people], minlength=len(one.counts))
    kept = np.flatnonzero(sizes)
    signs = np.ones(len(people), dtype=np.int64)
    return Equations(_starts(sizes[kept]), people, signs, one.counts[kept], kept)


def divided(equations: Equations) -> tuple[Equations, IntArray]:
    """Divide equations whose counts need everyone, and return which one each part is of.

    Where all who are added, and so all who are taken away, are needed for the counts, each
    side has its own: nobody's value is on both sides.
    """
    needed = equations.surplus == equations.added
    of = equations.equation_of
    keys = 2 * of + (needed[of] & (equations.signs < 0))
    order = np.argsort(keys, kind="stable")
    parts, sizes = np.unique(keys, return_counts=True)
    whole, second = parts // 2, (parts % 2 == 1)[:, None]
    counts = equations.counts[whole]
    np.negative(counts, out=counts, where=second)
    np.maximum(counts, 0, out=counts, where=needed[whole][:, None])
    signs = np.where(needed[of], 1, equations.signs)[order]
    people, groups = equations.people[order], equations.groups[whole]
    return Equations(_starts(sizes), people, signs, counts, groups), whole


def joined(several: Sequence[Equations]) -> Equations:
    """Return the equations of several as one."""
    sizes = np.concatenate([np.diff(one.starts) for one in several])
    people, signs, counts, groups = (
        np.concatenate([getattr(one, name) for one in several])
        for name in ("people", "signs", "counts", "groups")
    )
    return Equations(_starts(sizes), people, signs, counts, groups)


def _starts(sizes: IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
