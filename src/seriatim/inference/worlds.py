"""The reader who weighs whole worlds: what a series tells whoever keeps its counts.

Other readers hold one belief a person. A release fixes how often each value occurs in a group, and
beliefs of single people forget that: after A and l were shown with one value more than A alone,
l had that value, though nobody's own distribution says so. A *world* gives every published tuple
to a member of its group, in all releases at once; worlds are drawn by their probability given
everything that was published, and a belief is the share of worlds, so that what follows by
subtracting tables is known.

Exact in the limit of many draws; how far from it so many are is told by the spread between chains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seriatim._typing import BoolArray, FloatArray, Instant, IntArray
from seriatim.errors import OrderError
from seriatim.inference.adversary import Adversary
from seriatim.inference.appearances import Appearances
from seriatim.inference.drawing import Drawn, Effort, draw_worlds, require_whole_number
from seriatim.inference.hints import hints_of
from seriatim.inference.linkability import Linkability
from seriatim.inference.met import appearances_in
from seriatim.knowledge.belief import Belief
from seriatim.microdata.membership import Membership
from seriatim.microdata.placement import Placement
from seriatim.microdata.release import Release
from seriatim.microdata.roster import Roster
from seriatim.microdata.view import View

SETTLED = 0.05
"""Families of chains that lie no farther apart than this have settled."""


@dataclass(frozen=True, eq=False)
class Worlds:
    """A reader who has read everything, and weighs every world that fits all of it.

    It never begins with the truth. How conclusions are drawn from single groups (``rule``) and
    carried on (``filtering``) means nothing to it: worlds take the place of both. It knows whose
    tuples are carried over from the release before (``Membership.carried``), and takes their values
    for the same.

    In the first release of the running example Alice's mammography was as likely positive as
    not; the second tells what it was, and that Betty's was not:

    >>> from seriatim import running_example
    >>> made = running_example()
    >>> reader = Worlds(Adversary(made.prior, made.sequence))
    >>> first, second = reader.read(made.releases, made.memberships)
    >>> first.of("MAM-pos").round(1).tolist()
    [1.0, 0.0, 0.0, 0.0]
    """

    adversary: Adversary
    """What it knows."""

    approach: int = 1000
    """Times that each person's values are drawn on the way to worlds that fit."""

    sweeps: int = 500
    """Times that each person changes places with somebody in worlds that fit."""

    chains: int = 4
    """How many times it begins anew: what these say apart tells how sure it may be."""

    seed: int = 0
    """Where random numbers begin."""

    def __post_init__(self) -> None:
        """Refuse efforts that are none."""
        require_whole_number("approach", self.approach)
        require_whole_number("sweeps", self.sweeps)
        require_whole_number("chains", self.chains)

    def read(
        self,
        releases: Sequence[Release],
        memberships: Sequence[Membership | Placement],
        originals: Sequence[View] | None = None,
    ) -> list[Belief]:
        """Return what is believed of each release after all of them."""
        return self.weigh(releases, memberships, originals).of_series()

    def weigh(
        self,
        releases: Sequence[Release],
        memberships: Sequence[Membership | Placement],
        originals: Sequence[View] | None = None,
        *,
        from_truth: bool = False,
    ) -> Weighed:
        """Return what is believed, and how sure that is.

        ``originals`` teach knowledge that comes from them. Chains that begin ``from_truth`` show
        what the tables determine for a reader with unlimited time: no world is left that they
        would have had to find.
        """
        who = appearances_in(self.adversary, releases, memberships, originals)
        hints = truth = None
        if from_truth:
            truth = _truth(who, originals)
        else:
            hints = hints_of(self.adversary, who, releases, memberships, originals)
        effort = Effort(self.approach, self.sweeps, self.chains, self.seed)
        drawn = draw_worlds(who, effort, hints=hints, truth=truth)
        domain = releases[0].schema.sensitive.domain
        return Weighed(drawn, domain, tuple(len(one.roster) for one in memberships))

    def told(self, roster: Roster, at: Instant) -> IntArray:
        """Return the codes of the values that the reader was told; -1 for the others."""
        return self.adversary.told(roster, at)


@dataclass(frozen=True, eq=False)
class Weighed:
    """What drawn worlds make believe of a series."""

    drawn: Drawn
    """The chains."""

    domain: tuple[object, ...]
    """The sensitive values."""

    sizes: tuple[int, ...]
    """How many rows the roster of each release has."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Weighed({len(self.sizes)} releases, {len(self.drawn.chains)} chains)"

    def of_series(self) -> list[Belief]:
        """Return what is believed of each release."""
        return self._of_releases(self.drawn.beliefs())

    def by_family(self) -> list[list[Belief]]:
        """Return what each family of chains makes believe: they never heard of each other."""
        return [self._of_releases(held) for held in self.drawn.by_family()]

    @property
    def linkability(self) -> Linkability:
        """How sure a reader may be that rows of two releases are one person's."""
        return self.drawn.links.told()

    @property
    def disagreement(self) -> float | None:
        """How far families of chains lie apart: the mean total variation distance of their beliefs.

        Next to 0 for chains that have settled; None where there is but one.
        """
        who, families = self.drawn.appearances, self.drawn.by_family()
        if len(families) < 2:
            return None
        reported, n_families = _reported(who), len(families)
        mean = sum(families) / n_families
        # A family lies from the mean of all as far as (n − 1)/n of the way to the others.
        apart = np.asarray(sum(np.abs(one - mean) for one in families) / n_families)
        sums = np.add.reduceat(np.append(apart, 0.0), who.rooms[:-1])[reported] / 2
        return float(sums.mean() * n_families / (n_families - 1)) if len(sums) else 0.0

    @property
    def has_settled(self) -> bool:
        """Whether families of chains, begun apart, came to the same."""
        return self.disagreement is not None and self.disagreement <= SETTLED

    def _of_releases(self, held: FloatArray) -> list[Belief]:
        return [self._of_release(held, number) for number in range(len(self.sizes))]

    def _of_release(self, held: FloatArray, number: int) -> Belief:
        who = self.drawn.appearances
        entries = np.flatnonzero((who.release_of == number) & (who.row_of >= 0))
        rows = who.dense(held, entries)
        nothing = rows.sum(axis=1) <= 0
        rows[nothing] = who.prior[who.prior_of[entries[nothing]]]
        found = np.empty((self.sizes[number], who.n_values))
        found[who.row_of[entries]] = rows / rows.sum(axis=1, keepdims=True)
        return Belief(found, self.domain)


def _reported(who: Appearances) -> BoolArray:
    """Tell which appearances somebody asks about, and the reader was not told of."""
    return np.asarray((who.row_of >= 0) & (who.told < 0))


def _truth(who: Appearances, originals: Sequence[View] | None) -> IntArray:
    if originals is None:
        message = (
            "Chains that begin from the truth need the original views, and there are none. Leave"
            " from_truth out, or give the originals."
        )
        raise OrderError(message)
    codes = np.concatenate([view.value_codes for view in originals])
    begins = np.cumsum([0, *(len(view) for view in originals)])
    there = (who.row_of >= 0) & (who.release_of >= 0)
    places = np.where(there, begins[np.maximum(who.release_of, 0)] + who.row_of, 0)
    return np.where(there, codes[places], -1)
