"""How far chains are to be trusted, told by how well they foretell each other.

A chain that settled is a draw of what is to be known, and so is the truth: what other chains say
of this one is as good as what they say of the truth. So beliefs are mixed with those of messages
both ways, and then of mere counting, as much as makes the others foretell each family of chains
best, apart for beliefs of different strength. Families are those that never took anything over
from each other. Those that agree are taken at their word; those sure of different things are not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.inference.appearances import NO_POOL, Appearances

_LEVELS = np.array([0.5, 0.75, 0.9, 0.97, 0.99, 0.999])
"""Where beliefs of one strength end and those of the next begin."""

_SHARES = np.concatenate([[1e-4, 3e-4], np.geomspace(1e-3, 1.0, 19)])
"""Shares of another belief that are tried."""

_NO_LOSS = 5e-4
"""Loss for an appearance, in nats, below which one share is as good as another."""

_MOST = 20_000
"""Appearances that are looked at to choose a share."""


def trusted(
    who: Appearances, families: list[FloatArray], others: Sequence[FloatArray] = ()
) -> FloatArray:
    """Return what families of chains make believe, for every option of every appearance.

    belief = (1 − w) · mean of families + w · other, with w for each level of the greatest mean
    belief the one that has the least Σ over families f of −Σ_v f(v) · log((1 − w) · mean of the
    other families(v) + w · other(v)). So with each of ``others``, and at last with counting.
    """
    mean = np.asarray(sum(families) / len(families))
    if len(families) < 2:
        return mean
    lengths = np.diff(who.rooms)
    step = max(len(who) // _MOST, 1)
    some = (np.arange(len(who)) % step == 0) & (lengths > 1)
    options = np.repeat(some, lengths)
    rooms = np.concatenate([[0], np.cumsum(lengths[some])])
    shown = [one[options] for one in families]
    foretold = [(sum(shown) - one) / (len(shown) - 1) for one in shown]
    for other in (*others, _counted(who)):
        share = _shares(shown, foretold, other[options], rooms)
        foretold = [_mixed(one, other[options], rooms, share) for one in foretold]
        mean = _mixed(mean, other, who.rooms, share)
    return mean


def _mixed(
    beliefs: FloatArray, other: FloatArray, rooms: IntArray, share: FloatArray
) -> FloatArray:
    weight = np.repeat(share[_levels(beliefs, rooms)], np.diff(rooms))
    return np.asarray((1 - weight) * beliefs + weight * other)


def _counted(who: Appearances) -> FloatArray:
    """Return the share of each option in its pool; of those that no release shows, the prior's."""
    from seriatim.inference.pasts import spans

    _, begins, ends = who.option_bounds
    options = spans(begins, ends - begins)
    shown = len(who.pools.options)
    totals = np.bincount(who.pools.pool_of, who.pools.counts, minlength=len(who.pools.starts) - 1)
    shares = np.concatenate([who.pools.counts / totals[who.pools.pool_of], np.zeros(who.n_values)])[
        options
    ]
    owner = np.repeat(np.arange(len(who)), np.diff(who.rooms))
    unseen = (who.pool_of == NO_POOL)[owner]
    shares[unseen] = who.prior[who.prior_of[owner[unseen]], options[unseen] - shown]
    shares[(who.told >= 0)[owner]] = 1.0
    return shares


def _levels(beliefs: FloatArray, rooms: IntArray) -> IntArray:
    greatest = np.maximum.reduceat(np.append(beliefs, 0.0), rooms[:-1])
    return np.searchsorted(_LEVELS, greatest)


def _shares(
    families: list[FloatArray], foretold: list[FloatArray], other: FloatArray, rooms: IntArray
) -> FloatArray:
    """Return the share of another belief that foretells families best, for each level."""
    losses = np.zeros((len(_SHARES), len(_LEVELS) + 1))
    weights = np.zeros(len(_LEVELS) + 1)
    for one, by_others in zip(families, foretold, strict=True):
        level = np.repeat(_levels(by_others, rooms), np.diff(rooms))
        weights += np.bincount(level, one, minlength=len(weights))
        for place, share in enumerate(_SHARES):
            told = np.log(np.maximum((1 - share) * by_others + share * other, 1e-300))
            losses[place] -= np.bincount(level, one * told, minlength=losses.shape[1])
    # The least share that is as good as the best: chance must not decide between equals.
    least = losses.min(axis=0) + _NO_LOSS * np.maximum(weights, 1.0)
    return np.asarray(_SHARES[(losses <= least).argmax(axis=0)])
