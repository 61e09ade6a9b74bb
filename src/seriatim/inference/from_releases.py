"""Knowledge from the releases alone: what follows what, learned from one's own worlds.

Nobody needs a corpus to attack a series: worlds that fit the releases show what tends to follow
what, and with that knowledge better worlds are drawn (stochastic expectation and maximization).
One world would be believed too much, so several chains learn together, little by little. A row of
which little is known is what is known of all of them: that a value stays with one chance for all,
and otherwise follows the shares of all values. Learning begins with the chance of staying that
makes the published counts likeliest, and ends with the knowledge that does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from seriatim._typing import FloatArray
from seriatim.errors import OrderError
from seriatim.inference.adversary import Adversary
from seriatim.inference.appearances import Appearances
from seriatim.inference.drawing import Chains, Effort
from seriatim.inference.met import appearances_in
from seriatim.inference.repeated import with_repeated
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.marginal_prior import MarginalPrior
from seriatim.microdata.membership import Membership
from seriatim.microdata.placement import Placement
from seriatim.microdata.release import Release

_STAYING = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)
"""Chances of staying that are tried at first."""

_BEGINNINGS = 4
"""Times that worlds are drawn anew, with what is known by then."""

_ROUNDS = 12
"""Times that knowledge is estimated for each."""

_SWEEPS = 5
"""Sweeps of each chain between two estimates."""

_FADING = 0.6
"""Round i counts (1 + i)^-fading: the last ones little, so that estimates settle."""

_PSEUDO_COUNTS = 30.0
"""How many times each row has seen what is known of all rows."""


def learned_from_releases(
    releases: Sequence[Release],
    memberships: Sequence[Membership | Placement],
    *,
    chains: int = 6,
    seed: int = 0,
    progress: Callable[[str], None] = lambda _: None,
) -> Adversary:
    """Return a reader who knows what the releases themselves tell of what follows what.

    Prior: the shares of first values. Sequence: one step. Of values that are shown once and of
    releases that stand alone, nothing can be learned but how common values are.

    >>> from seriatim import running_example
    >>> made = running_example()
    >>> reader = learned_from_releases(made.releases, made.memberships)
    >>> sum(reader.prior.distribution.values()).__round__(6)
    1.0
    """
    if not releases:
        message = "Knowledge is learned from releases, and there are none."
        raise OrderError(message)
    domain = releases[0].schema.sensitive.domain
    shares = np.ones(len(domain)) + sum(one.value_counts.sum(axis=0) for one in releases)
    shares = shares / shares.sum()
    adversary = _reader(domain, shares, _staying(0.0, shares))
    who = appearances_in(adversary, releases, memberships)
    drawn = Chains(who, Effort(approach=300, sweeps=1, chains=chains, seed=seed))
    progress("learning what follows what from the releases")
    tried = []
    for chance in _STAYING:
        known = shares, _staying(chance, shares)
        tried.append((_likely(drawn, who, *known), *known))
    for _ in range(_BEGINNINGS):
        _, prior, following = max(tried, key=lambda one: one[0])
        _likely(drawn, who, prior, following)
        known = _estimated(drawn, who, shares)
        tried.append((_likely(drawn, who, *known), *known))
    _, prior, following = max(tried, key=lambda one: one[0])
    return _reader(domain, prior, following)


def _staying(chance: float, shares: FloatArray) -> FloatArray:
    """Return transitions where a value stays with a chance, or is drawn anew."""
    return chance * np.eye(len(shares)) + (1 - chance) * shares


def _likely(drawn: Chains, who: Appearances, prior: FloatArray, following: FloatArray) -> float:
    """Return how likely knowledge makes the published counts; the chains go on with it."""
    drawn.knowing(_with(who, prior, following))
    return drawn.approach()


def _with(who: Appearances, prior: FloatArray, following: FloatArray) -> Appearances:
    """Return the same appearances with other knowledge; the last prior is that of nobody."""
    nobodys = len(who.prior) - 1
    automaton, tables = with_repeated(
        _one_step(who.automaton.values, prior, following),
        np.zeros(len(who), dtype=np.int64),
        who.repeated,
    )
    return replace(
        who,
        prior=np.vstack([prior, who.prior[nobodys]]),
        prior_of=np.where(who.prior_of == nobodys, 1, 0),
        automaton=automaton,
        table_of=tables,
    )


def _estimated(
    drawn: Chains, who: Appearances, shares: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return prior and transitions after some rounds; the chains go on with them."""
    firsts, pairs = np.zeros_like(shares), np.zeros((len(shares), len(shares)))
    for number in range(_ROUNDS):
        drawn.stir(_SWEEPS)
        weight = (1.0 + number) ** -_FADING
        first, pair = _counted(drawn, who)
        firsts += weight * (first - firsts)
        pairs += weight * (pair - pairs)
        prior = (firsts + _PSEUDO_COUNTS * shares) / (firsts.sum() + _PSEUDO_COUNTS)
        following = _shrunk(pairs, shares)
        drawn.knowing(_with(who, prior, following))
    return prior, following


def _shrunk(pairs: FloatArray, shares: FloatArray) -> FloatArray:
    """Return transitions: counts, and for each row so many pseudo-counts of what all rows share.

    That is s · (the same value) + (1 − s) · shares, with s from all pairs: of those that are alike
    some are so by chance, with Σ shares².
    """
    total = pairs.sum() + _PSEUDO_COUNTS
    by_chance = float((shares**2).sum())
    alike = (np.trace(pairs) + _PSEUDO_COUNTS * by_chance) / total
    stays = max((alike - by_chance) / max(1 - by_chance, 1e-9), 0.0)
    expected = pairs + _PSEUDO_COUNTS * _staying(stays, shares)
    return np.asarray(expected / expected.sum(axis=1, keepdims=True))


def _counted(drawn: Chains, who: Appearances) -> tuple[FloatArray, FloatArray]:
    """Return how often values come first, and after each other: the mean over chains."""
    n_values = who.n_values
    real = who.prior_of[who.offsets[:-1]] != len(who.prior) - 1
    firsts, pairs = np.zeros(n_values), np.zeros(n_values * n_values)
    for world in drawn.worlds:
        values = world.values
        there = values >= 0
        begins = values[who.offsets[:-1]][real]
        firsts += np.bincount(begins[begins >= 0], minlength=n_values)
        both = there[1:] & there[:-1] & (who.who[1:] == who.who[:-1]) & ~who.repeated[1:]
        pairs += np.bincount(
            values[:-1][both].astype(np.int64) * n_values + values[1:][both],
            minlength=n_values * n_values,
        )
    n_chains = len(drawn.worlds)
    return firsts / n_chains, pairs.reshape(n_values, n_values) / n_chains


def _reader(domain: tuple[object, ...], prior: FloatArray, following: FloatArray) -> Adversary:
    shares = MarginalPrior(dict(zip(domain, prior.tolist(), strict=True)))
    return Adversary(shares, _one_step(domain, prior, following))


def _one_step(domain: tuple[object, ...], prior: FloatArray, following: FloatArray) -> Automaton:
    leads = np.tile(np.arange(len(domain), dtype=np.int32), (len(domain) + 1, 1))
    return Automaton(domain, np.vstack([following, prior]), leads, start=len(domain))
