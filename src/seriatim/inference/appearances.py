"""Who appears in which release, and what each release says of it: what worlds are drawn over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, SmallIntArray
from seriatim.inference.pasts import spans
from seriatim.knowledge.automaton import Automaton

NO_POOL = -1
"""The pool of an appearance whose value no release shows."""

NOBODY = -1
"""The row of a tuple that is nobody's."""


@dataclass(frozen=True, eq=False)
class Pools:
    """Groups, or groups of one release between which people may change places, and their values."""

    starts: IntArray
    """Where the options of each pool begin; one more."""

    options: SmallIntArray
    """The different values that each pool shows, ascending."""

    counts: SmallIntArray
    """How often it shows each."""

    @property
    def pool_of(self) -> IntArray:
        """The pool of each option."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @classmethod
    def of(cls, pools: IntArray, values: IntArray, n_pools: int) -> Pools:
        """Return what is shown where tuples of these pools have these values."""
        width = int(values.max(initial=0)) + 1
        cells, counts = np.unique(pools * width + values, return_counts=True)
        starts = np.searchsorted(cells, np.arange(n_pools + 1) * width)
        return cls(starts, (cells % width).astype(np.int32), counts.astype(np.int32))


@dataclass(frozen=True, eq=False)
class Appearances:
    """Every appearance of every person, person by person, earliest first.

    Tuples that are nobody's are people who appear once.
    """

    offsets: IntArray
    """Where each person's appearances begin; one more."""

    release_of: IntArray
    """The release of each, from 0; -1 for a period between that nobody saw."""

    row_of: IntArray
    """The row in its roster; -1 for nobody's."""

    order: IntArray
    """A number that is the same for two appearances at one time, and grows with time."""

    pool_of: IntArray
    """The pool in which each may change places; -1 for who has none."""

    told: SmallIntArray
    """The value that the reader was told; -1 for the others."""

    pools: Pools
    """What is shown."""

    table_of: IntArray
    """The table of the automaton that each goes by."""

    prior: FloatArray
    """What the prior says (rows, values), the rows that differ."""

    prior_of: IntArray
    """Which of them is whose."""

    automaton: Automaton
    """The sequence knowledge, for the times that lie between appearances."""

    fit_starts: IntArray
    """Where the groups begin that each may be in, where there are several; one more."""

    fitting: IntArray
    """These groups, ascending, numbered through all releases."""

    tuple_groups: IntArray
    """The group of each tuple of a pool of several groups."""

    tuple_values: IntArray
    """Its value."""

    shown_in: IntArray
    """The pool that shows each one's tuple, also of those whom the reader was told of."""

    repeated: BoolArray
    """Which repeat the appearance before: their value is the same for certain."""

    def __len__(self) -> int:
        """Return the number of appearances."""
        return len(self.pool_of)

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Appearances({len(self)} of {len(self.offsets) - 1} people)"

    @property
    def n_values(self) -> int:
        """The number of sensitive values."""
        return len(self.automaton.values)

    @cached_property
    def who(self) -> IntArray:
        """The person of each appearance."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @cached_property
    def unseen(self) -> IntArray:
        """The appearances whose value no release shows, and nobody told."""
        return np.flatnonzero(self.hidden)

    @cached_property
    def hidden(self) -> BoolArray:
        """Which these are."""
        return np.asarray((self.pool_of == NO_POOL) & (self.told < 0))

    @cached_property
    def open(self) -> BoolArray:
        """Which appearances are in a pool of several groups, or of which somebody may be absent."""
        return np.asarray(np.diff(self.fit_starts) > 0)

    @cached_property
    def members(self) -> IntArray:
        """The appearances of each pool, pool by pool."""
        order = np.argsort(self.pool_of, kind="stable")
        return order[np.count_nonzero(self.pool_of == NO_POOL) :]

    @cached_property
    def member_starts(self) -> IntArray:
        """Where the members of each pool begin; one more."""
        sizes = np.bincount(
            self.pool_of[self.pool_of != NO_POOL], minlength=len(self.pools.starts) - 1
        )
        return np.concatenate([[0], np.cumsum(sizes)])

    @cached_property
    def option_bounds(self) -> tuple[SmallIntArray, IntArray, IntArray]:
        """All options, and where those of each appearance begin and end.

        Behind the values of the pools stand all values, for the unseen, once as they are: what
        somebody was told is one of them.
        """
        shown = len(self.pools.options)
        options = np.concatenate([self.pools.options, np.arange(self.n_values, dtype=np.int32)])
        pools = np.maximum(self.pool_of, 0)
        here = self.pool_of != NO_POOL
        begins = np.where(here, self.pools.starts[pools], shown)
        ends = np.where(here, self.pools.starts[pools + 1], shown + self.n_values)
        known = self.told >= 0
        begins = np.where(known, shown + self.told, begins)
        ends = np.where(known, begins + 1, ends)
        return options, begins, ends

    @cached_property
    def rooms(self) -> IntArray:
        """Where each appearance's beliefs begin, one for each of its options; one more."""
        _, begins, ends = self.option_bounds
        return np.concatenate([[0], np.cumsum(ends - begins)])

    @cached_property
    def component_of(self) -> IntArray:
        """Number people by whom they ever shared a pool with, in however many steps."""
        from seriatim.kernels.placing import label_components

        parent = np.arange(len(self.offsets) - 1)
        label_components(self.who, self.pool_of, parent)
        while (parent != parent[parent]).any():
            parent = parent[parent]
        return np.unique(parent, return_inverse=True)[1]

    @cached_property
    def kin_of(self) -> IntArray:
        """Number people by the pools in which they were first and last shown."""
        first, last = self.pool_of[self.offsets[:-1]], self.pool_of[self.offsets[1:] - 1]
        n_pools = len(self.pools.starts)
        known = (first != NO_POOL) & (last != NO_POOL)
        alone = n_pools * n_pools + np.arange(len(first))
        return np.unique(np.where(known, first * n_pools + last, alone), return_inverse=True)[1]

    @cached_property
    def kin(self) -> tuple[IntArray, IntArray]:
        """Where the people of each such number begin, one more, and these people."""
        sizes = np.bincount(self.kin_of)
        return np.concatenate([[0], np.cumsum(sizes)]), np.argsort(self.kin_of, kind="stable")

    @cached_property
    def forgetful(self) -> bool:
        """Whether a state is nothing but the last value."""
        return self.automaton.is_forgetful

    def values_of(self, chosen: IntArray) -> SmallIntArray:
        """Return the values at some places among the options."""
        return self.option_bounds[0][chosen]

    def dense(self, held: FloatArray, entries: IntArray) -> FloatArray:
        """Return beliefs, given for the options of all appearances, as rows over all values."""
        options, begins, _ = self.option_bounds
        lengths = np.diff(self.rooms)[entries]
        found = np.zeros((len(entries), self.n_values))
        rows = np.repeat(np.arange(len(entries)), lengths)
        found[rows, options[spans(begins[entries], lengths)]] = held[
            spans(self.rooms[entries], lengths)
        ]
        return found


def one_step(automaton: Automaton, prior: FloatArray) -> FloatArray:
    """Return what follows each value (tables, values, values), whatever came before it.

    Exact where a state is nothing but the last value; else the mean over the states that a value
    leads to. Where these are unknown, the prior stands in.
    """
    assert automaton.known is not None
    n_values = len(automaton.values)
    found = np.empty((automaton.n_classes, n_values, n_values))
    for value in range(n_values):
        states = np.unique(automaton.next_state[:, value])
        known = automaton.known[:, states].astype(float)
        weight = known.sum(axis=1)
        mean = np.einsum("ts,tsv->tv", known, automaton.next_value[:, states])
        found[:, value] = np.where(
            weight[:, None] > 0, mean / np.maximum(weight, 1)[:, None], prior.mean(axis=0)
        )
    return found


def plain_appearances(
    releases: Sequence[Sequence[tuple[Sequence[int], Sequence[int]]]],
    prior: FloatArray,
    automaton: Automaton,
) -> Appearances:
    """Return the appearances of plain data: for each release its groups, (members, values)."""
    who, release, pool, tuple_pool, tuple_value = [], [], [], [], []
    n_pools = 0
    for number, groups in enumerate(releases):
        for members, values in groups:
            who += list(members)
            release += [number] * len(members)
            pool += [n_pools] * len(members)
            tuple_pool += [n_pools] * len(values)
            tuple_value += list(values)
            n_pools += 1
    _, person = np.unique(np.array(who, dtype=object), return_inverse=True)
    rows = np.arange(len(who))
    return arranged(
        person.ravel(),
        np.array(release, dtype=np.int64),
        rows,
        np.array(pool, dtype=np.int64),
        Pools.of(np.array(tuple_pool), np.array(tuple_value), n_pools),
        prior[None],
        np.zeros(len(who), dtype=np.int64),
        automaton,
    )


def arranged(
    person: IntArray,
    release: IntArray,
    row: IntArray,
    pool: IntArray,
    pools: Pools,
    prior: FloatArray,
    prior_of: IntArray,
    automaton: Automaton,
) -> Appearances:
    """Return appearances given in any order, where everyone's group is known."""
    order = np.lexsort((release, person))
    nothing = np.zeros(0, dtype=np.int64)
    return Appearances(
        np.concatenate([[0], np.cumsum(np.bincount(person))]),
        release[order],
        row[order],
        2 * release[order],
        pool[order],
        np.full(len(order), -1, dtype=np.int32),
        pools,
        np.zeros(len(order), dtype=np.int64),
        np.ascontiguousarray(prior),
        prior_of[order],
        automaton,
        np.zeros(len(order) + 1, dtype=np.int64),
        nothing,
        nothing,
        nothing,
        pool[order],
        np.zeros(len(order), dtype=bool),
    )
