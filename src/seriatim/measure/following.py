"""What follows from subtractions and from groups' own counts, if values do not change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from seriatim._typing import BoolArray, IntArray
from seriatim.measure.subtraction import (
    Equations,
    Shown,
    divided,
    group_equations,
    joined,
    subtractions,
)

_NONE, _SEVERAL = -1, -2
"""Codes of no value, and of values that exclude each other."""


@dataclass(frozen=True, eq=False)
class Followed:
    """What follows from the counts of some releases, by number of person; private."""

    series: tuple[Shown, ...]
    """The releases."""

    small: Equations
    """Subtractions that leave few people over, and can hold."""

    outer: IntArray
    """The release that each subtracts from."""

    inner: IntArray
    """The release whose groups it subtracts."""

    rows: Equations
    """These, divided where they can be, and the groups' own counts."""

    whole: IntArray
    """The subtraction that a row is a part of; -1 for the counts of a group."""

    release: IntArray
    """The release of a group's own counts; -1 for subtractions."""

    separated: BoolArray
    """Who is left over by some subtraction."""

    contradictory: int
    """How many subtractions do not hold, by themselves or beside what follows from others."""

    dropped: int
    """How many of these are among ``small``."""

    named: IntArray
    """Whose value follows, and is not shown by a group that has one value."""

    codes: IntArray
    """The codes of these values."""

    because: IntArray
    """The row that decided each; -1 where no other value is in all of the groups."""

    alone: BoolArray
    """Whether that row decides by itself: a single subtraction."""

    def __repr__(self) -> str:
        """Say how much it is, and nothing about anyone in it."""
        return f"Followed({len(self.named)} named)"

    @property
    def n_subtractions(self) -> int:
        """How many subtractions hold."""
        return len(self.small) - self.dropped

    @property
    def shown_in(self) -> IntArray:
        """The release that shows each of the named, where the deciding counts are."""
        groups = np.stack([one.groups for one in self.series])[:, self.named]
        last = len(groups) - 1 - np.argmax(groups[::-1] >= 0, axis=0)
        whole, release = self.whole[self.because], self.release[self.because]
        found = np.where(self.because >= 0, release, last)
        from_small = np.flatnonzero((self.because >= 0) & (whole >= 0))
        one = whole[from_small]
        added = groups[self.outer[one], from_small] == self.small.groups[one]
        found[from_small] = np.where(added, self.outer[one], self.inner[one])
        return found


def follow(
    series: Sequence[Shown], pairs: Sequence[tuple[int, int]], k: int, *, own_counts: bool = True
) -> Followed:
    """Return whom subtractions between some pairs of releases separate, and what follows.

    Without ``own_counts``, groups serve only by which values they show: a little less follows,
    and the cost goes with the people who are separated.
    """
    small, outer, inner = _small_subtractions(series, pairs, k)
    separated = np.zeros(len(series[0].groups), dtype=bool)
    separated[small.people] = True
    total = len(small)
    # Values that are left over need at least as many people.
    holds = small.surplus <= small.added
    small, outer, inner = small.take(holds), outer[holds], inner[holds]
    parts, whole = divided(small)
    own = [group_equations(one) for one in series] if own_counts else []
    rows = joined([parts, *own])
    involved = np.zeros(len(separated), dtype=bool)
    involved[rows.people] = True
    people = np.flatnonzero(involved)
    place = np.cumsum(involved) - 1
    local = replace(rows, people=place[rows.people])
    possible = _possible(series, people)
    codes, because, dropped = _ruled_out(local, possible, whole)
    direct, by = _given_directly(local.take(np.arange(len(rows)) < len(parts)), len(people))
    alone = (direct >= 0) & ((codes == direct) | (codes == _NONE))
    codes = np.where(alone, direct, np.where(direct == _NONE, codes, _NONE))
    because = np.where(alone, by, because)
    named = np.flatnonzero((codes >= 0) & ~_shown_alone(series, people))
    others = [np.full(len(one), number) for number, one in enumerate(own)]
    return Followed(
        tuple(series),
        small,
        outer,
        inner,
        rows,
        np.concatenate([whole, np.full(len(rows) - len(parts), -1)]),
        np.concatenate([np.full(len(parts), -1), *others]),
        separated,
        total - len(small) + dropped,
        dropped,
        people[named],
        codes[named],
        because[named],
        alone[named],
    )


def _small_subtractions(
    series: Sequence[Shown], pairs: Sequence[tuple[int, int]], k: int
) -> tuple[Equations, IntArray, IntArray]:
    """Return what subtractions leave over, from which release, and of which."""
    from seriatim.kernels._jit import calls

    found = [Equations.none(series[0].counts.shape[1])]
    outer, inner = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    asked = [(series[first], series[second], k) for first, second in pairs]
    for (first, second), both in zip(pairs, calls(subtractions, asked), strict=True):
        of_first, of_second = both
        found += [of_first, of_second]
        outer += [np.full(len(of_first), first), np.full(len(of_second), second)]
        inner += [np.full(len(of_first), second), np.full(len(of_second), first)]
    return joined(found), np.concatenate(outer), np.concatenate(inner)


def _ruled_out(
    rows: Equations, possible: BoolArray, whole: IntArray
) -> tuple[IntArray, IntArray, int]:
    """Return the value that each person must have, or -1; the row that decided it, or -1.

    And how many subtractions, of which the first rows are parts, contradict others.
    """
    from seriatim.kernels.differences import follow_counts

    changed = np.asarray(~possible.any(axis=1))
    usable = np.ones(len(rows), dtype=bool)
    parts = usable[: len(whole)]
    while True:
        may, because = possible.copy(), np.full(len(possible), -1, dtype=np.int64)
        left, before = may.sum(axis=1), int(usable.sum())
        follow_counts(
            rows.starts,
            rows.people,
            rows.signs,
            rows.counts,
            usable,
            changed,
            may,
            left,
            because,
        )
        if usable.sum() == before:
            break
        # What followed from equations that contradict others is not known: begin again.
        parts &= ~np.isin(whole, whole[~parts])
        changed[rows.people[np.repeat(~usable, np.diff(rows.starts))]] = True
    settled = (left == 1) & ~changed
    return np.where(settled, may.argmax(axis=1), _NONE), because, len(np.unique(whole[~parts]))


def _given_directly(parts: Equations, n_people: int) -> tuple[IntArray, IntArray]:
    """Return the value that subtractions give each person, each by itself, and by which part.

    A subtraction by itself gives values where all of one side have the same: its counts have
    as many of that value as people, and no other. -1 for nobody's; -2 for whom two give
    different values.
    """
    value = parts.counts.argmax(axis=1)
    alike = parts.counts[np.arange(len(parts)), value] == np.diff(parts.starts)
    # Parts of both sides were divided, if either side needed everyone.
    entries = np.flatnonzero(np.repeat(alike, np.diff(parts.starts)))
    people, by_part = parts.people[entries], parts.equation_of[entries]
    found, by = np.full(n_people, _NONE), np.full(n_people, -1)
    # The first of several: later ones are written first.
    found[people[::-1]], by[people[::-1]] = value[by_part][::-1], by_part[::-1]
    found[people[found[people] != value[by_part]]] = _SEVERAL
    return found, by


def _possible(series: Sequence[Shown], people: IntArray) -> BoolArray:
    """Return which values all groups show that someone was in."""
    possible = np.ones((len(people), series[0].counts.shape[1]), dtype=bool)
    for one in series:
        groups = one.groups[people]
        there = np.flatnonzero(groups >= 0)
        possible[there] &= (one.counts > 0)[groups[there]]
    return possible


def _shown_alone(series: Sequence[Shown], people: IntArray) -> BoolArray:
    """Return who is in a group, of some release, that shows a single value."""
    alone = np.zeros(len(people), dtype=bool)
    for one in series:
        groups = one.groups[people]
        there = np.flatnonzero(groups >= 0)
        alone[there] |= ((one.counts > 0).sum(axis=1) == 1)[groups[there]]
    return alone
