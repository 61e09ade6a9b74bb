"""How sure a reader may be that rows of two releases are one person's, told by drawn worlds.

A world says who has which row. Rows of one group with one value are alike, so what counts is how
many people have, in a world, one of n such rows in a release and one of m others in the next: each
of the n · m pairs of rows is as likely to be theirs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seriatim._typing import IntArray, SmallIntArray
from seriatim.inference.appearances import NO_POOL, Appearances


@dataclass(frozen=True)
class Linkability:
    """How surely rows are linked to rows of the release after theirs.

    Whoever only knows that two people of a group of k may have a row is never surer than 1/k.
    """

    rows: int
    """Published rows that another release follows."""

    mean: float
    """The chance that the likeliest row of the next release is the same person's, on the mean."""

    above_nine_tenths: float
    """Share of rows of which that chance is above 0.9."""


class Links:
    """Counts, over worlds, how many people have one kind of row and then another.

    Of few worlds the likeliest row is likely by chance, too. So worlds are counted in two halves,
    of chains that never heard of each other where there are such: one half says which row is the
    likeliest, the other how likely it is.
    """

    def __init__(self, who: Appearances, families: list[int]) -> None:
        """Begin with no world, of chains that belong to these families."""
        self._who, self._families = who, families
        there = np.flatnonzero((who.shown_in != NO_POOL) & (who.release_of >= 0))
        first, then = there[:-1], there[1:]
        next_to = (who.who[first] == who.who[then]) & (
            who.release_of[then] == who.release_of[first] + 1
        )
        self._first, self._then = first[next_to], then[next_to]
        self._keys, self._counts = np.zeros(0, dtype=np.int64), np.zeros((2, 0), dtype=np.int64)
        self._n_worlds = [0, 0]

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Links({sum(self._n_worlds)} worlds)"

    @property
    def _n_pools(self) -> int:
        return len(self._who.pools.starts) - 1

    @property
    def _n_kinds(self) -> int:
        groups = int(self._who.tuple_groups.max(initial=-1)) + 1
        return (self._n_pools + groups) * self._who.n_values

    def look_at(self, values: SmallIntArray, groups: IntArray, chain: int) -> None:
        """Count one world: the value of each appearance, and the group of each open one."""
        who = self._who
        place = np.where(who.open, self._n_pools + groups, who.shown_in)
        kind = np.where(values >= 0, place * who.n_values + values, -1)
        before, after = kind[self._first], kind[self._then]
        both = (before >= 0) & (after >= 0)
        seen, times = np.unique(before[both] * self._n_kinds + after[both], return_counts=True)
        half = (self._families[chain] if max(self._families) else sum(self._n_worlds)) % 2
        keys = np.union1d(self._keys, seen)
        counts = np.zeros((2, len(keys)), dtype=np.int64)
        counts[:, np.searchsorted(keys, self._keys)] = self._counts
        counts[half, np.searchsorted(keys, seen)] += times
        self._keys, self._counts = keys, counts
        self._n_worlds[half] += 1

    def told(self) -> Linkability:
        """Return how surely rows are linked."""
        who, n_kinds = self._who, self._n_kinds
        pools, open_pools = who.pools, np.unique(who.pool_of[who.open])
        rows = np.zeros(n_kinds, dtype=np.int64)
        rows[pools.pool_of * who.n_values + pools.options] = pools.counts
        rows.reshape(-1, who.n_values)[open_pools] = 0  # theirs are told group by group
        open_kinds = (self._n_pools + who.tuple_groups) * who.n_values + who.tuple_values
        np.add.at(rows, open_kinds, np.isin(self._pool_of_tuples(), open_pools).astype(np.int64))
        told = np.flatnonzero((who.told >= 0) & (who.shown_in != NO_POOL))
        np.add.at(rows, who.shown_in[told] * who.n_values + who.told[told], 1)
        before, after = self._keys // n_kinds, self._keys % n_kinds
        worlds = np.maximum(self._n_worlds, 1)[:, None]
        chance = self._counts / worlds / rows[before] / rows[after]
        weight = np.where(self._followed(), rows, 0)
        total = int(weight.sum())
        shares = weight / max(total, 1)
        mean = above = 0.0
        halves = [half for half in (0, 1) if self._n_worlds[half]]
        for half in halves:
            by = np.lexsort((chance[half], before))
            likeliest = by[np.flatnonzero(np.diff(before[by], append=-1))]
            surest = np.zeros(n_kinds)
            surest[before[likeliest]] = chance[halves[-1 - halves.index(half)]][likeliest]
            mean += float(shares @ surest) / len(halves)
            above += float(shares @ (surest > 0.9)) / len(halves)
        return Linkability(total, mean, above)

    def _pool_of_tuples(self) -> IntArray:
        """Return the pool of each tuple of the open pools, by those who fit its group."""
        who = self._who
        pool_of_group = np.full(int(who.tuple_groups.max(initial=-1)) + 1, NO_POOL)
        pool_of_group[who.fitting] = np.repeat(who.pool_of, np.diff(who.fit_starts))
        return pool_of_group[who.tuple_groups]

    def _followed(self) -> IntArray:
        """Tell which kinds of rows are of a release that another one follows."""
        who = self._who
        last = int(who.release_of.max(initial=0))
        followed = np.zeros(self._n_kinds // who.n_values, dtype=np.int64)
        here = (who.shown_in != NO_POOL) & (who.release_of < last)
        followed[who.shown_in[here]] = 1
        owner = np.repeat(here, np.diff(who.fit_starts))
        followed[self._n_pools + who.fitting[owner]] = 1
        return np.repeat(followed, who.n_values)
