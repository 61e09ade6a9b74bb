"""What messages both ways make of a series, for the reader who weighs worlds.

Belief propagation sees no worlds, and so forgets counts; but it says fast who may have what. Chains
of worlds begin with it, and where they do not agree it is believed in their place.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from seriatim._typing import FloatArray
from seriatim.inference.adversary import Adversary
from seriatim.inference.appearances import Appearances
from seriatim.inference.filtering import Joint
from seriatim.inference.messages import passing_messages
from seriatim.inference.pasts import spans
from seriatim.inference.smoothing import read_through
from seriatim.microdata.membership import Membership
from seriatim.microdata.placement import Placement
from seriatim.microdata.release import Release
from seriatim.microdata.view import View

_LEADING = 4
"""Passes of messages after which they lead chains: few, so that chains may go different ways."""

_PASSES = 10
"""Passes after which they are believed: more than a retrospective reader makes, who has no chains
that tell where messages say too much."""

_FAINT = 1e-4
"""The least weight of a value: a hint is no proof."""


@dataclass(frozen=True, eq=False)
class Hints:
    """What messages say of every option of every appearance."""

    weight: FloatArray
    """How much the releases speak for it, the most for an appearance being 1."""

    belief: FloatArray
    """How much it is believed."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Hints({len(self.weight)} options)"


def hints_of(
    adversary: Adversary,
    who: Appearances,
    releases: Sequence[Release],
    memberships: Sequence[Membership | Placement],
    originals: Sequence[View] | None = None,
) -> Hints:
    """Return what messages both ways say of these appearances."""
    reader = replace(adversary, rule="strongest", filtering=Joint())
    read = read_through(reader, releases, memberships, originals)
    if read.automaton is None:
        flat = [np.ones_like(one.posterior.probabilities) for _, one in read.steps]
        return Hints(
            _laid_out(who, flat),
            _shares(who, [one.posterior.probabilities for _, one in read.steps]),
        )
    passing = passing_messages(reader, read, releases, memberships)
    leading = next(itertools.islice(passing, _LEADING, None))
    believed = next(itertools.islice(passing, _PASSES - _LEADING - 1, None)).believed()
    weight = _laid_out(who, leading.likelihood)
    lengths = np.diff(who.rooms)
    most = np.maximum.reduceat(np.append(weight, 0.0), who.rooms[:-1])
    most = np.repeat(np.where(most > 0, most, 1.0), lengths)
    return Hints(np.maximum(weight / most, _FAINT), _shares(who, believed))


def _laid_out(who: Appearances, tables: Sequence[FloatArray]) -> FloatArray:
    """Return what tables (respondents, values), one a release, say of each option; else 1."""
    options, begins, ends = who.option_bounds
    lengths = ends - begins
    values = options[spans(begins, lengths)]
    owner = np.repeat(np.arange(len(who)), lengths)
    found = np.ones(len(values))
    release = np.where(who.row_of >= 0, who.release_of, -1)[owner]
    for number, table in enumerate(tables):
        here = np.flatnonzero(release == number)
        found[here] = table[who.row_of[owner[here]], values[here]]
    return found


def _shares(who: Appearances, tables: Sequence[FloatArray]) -> FloatArray:
    """Return beliefs in the options of each appearance; of nobody's tuples all alike."""
    found = _laid_out(who, tables) + np.finfo(np.float64).tiny
    sums = np.add.reduceat(np.append(found, 0.0), who.rooms[:-1])
    return np.asarray(found / np.repeat(sums, np.diff(who.rooms)))
