"""Dealing: what happened to people of the past, dealt to people who are like them.

Who is like whom is said by several keys, the strictest first. Of n people with the same strictest
key one is taken with the chance n / (n + m), else the next key is asked, and so on: what is
dealt is distributed as a table of frequencies with back-off and m pseudo-counts would have it,
and no table is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seriatim._typing import IntArray

PSEUDO_COUNTS = 10.0
"""The m above: so many people of the next key weigh as much as those of a key."""


@dataclass(frozen=True, eq=False)
class Dealer:
    """People of the past by their keys, ready to be taken from.

    >>> dealer = Dealer.by([np.array([7, 7, 8]), np.zeros(3, dtype=np.int64)], pseudo_counts=0)
    >>> dealer.deal([np.array([8, 9]), np.array([0, 1])], np.random.default_rng(1)).tolist()
    [2, -1]
    """

    keys: tuple[IntArray, ...]
    """The keys of each kind, sorted."""

    orders: tuple[IntArray, ...]
    """Which person each of the sorted keys is of."""

    pseudo_counts: float = PSEUDO_COUNTS
    """People of the next key that weigh as much as those of a key."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Dealer({len(self.keys[-1])} people, {len(self.keys)} keys)"

    @classmethod
    def by(cls, keys: Sequence[IntArray], pseudo_counts: float = PSEUDO_COUNTS) -> Dealer:
        """Sort people by each kind of key, the strictest kind first."""
        orders = tuple(np.argsort(one, kind="stable") for one in keys)
        found = tuple(one[order] for one, order in zip(keys, orders, strict=True))
        return cls(found, orders, pseudo_counts)

    def deal(self, asked: Sequence[IntArray], rng: np.random.Generator) -> IntArray:
        """Return a person of the past for each who asks, by their keys; -1 where nobody is like.

        Of the last kind of key somebody is taken wherever there is anybody.
        """
        found = np.full(len(asked[0]), -1, dtype=np.int64)
        last = len(asked) - 1
        for kind, (keys, order, wanted) in enumerate(
            zip(self.keys, self.orders, asked, strict=True)
        ):
            open_ = np.flatnonzero(found < 0)
            low, high = (np.searchsorted(keys, wanted[open_], side) for side in ("left", "right"))
            alike = high - low
            chance = alike / np.maximum(alike + self.pseudo_counts, 1e-300)
            taken = (alike > 0) & ((rng.random(len(open_)) < chance) | (kind == last))
            picks = (rng.random(len(open_)) * alike).astype(np.int64)
            found[open_[taken]] = order[(low + picks)[taken]]
        return found


def joined_keys(*parts: tuple[IntArray, int]) -> IntArray:
    """Return one number for several, each with the number of values that it may have.

    >>> joined_keys((np.array([1, 0]), 2), (np.array([2, 1]), 3)).tolist()
    [5, 1]
    """
    found = np.zeros(len(parts[0][0]), dtype=np.int64)
    for codes, size in parts:
        found = found * size + codes
    return found
