"""The adversary: a reader of releases, simulated.

What it knows beforehand (prior), what it knows of sequences, how it draws
conclusions (rule), and what it remembers. Publisher and auditor hold the same
kind of object: defence and attack differ only in who holds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, Value
from seriatim.errors import OrderError
from seriatim.inference.filtering import Filtering, Marginal, Reading, filtering_by_name
from seriatim.inference.memory import LocalMemory, Memory
from seriatim.inference.pasts import Pasts, interleave
from seriatim.inference.rules import (
    Omega,
    PosteriorRule,
    PublishedGroups,
    rule_by_name,
)
from seriatim.knowledge.automaton import Automaton, SequenceModel
from seriatim.knowledge.belief import Belief
from seriatim.knowledge.prior import Prior
from seriatim.knowledge.uniform_prior import UniformPrior
from seriatim.microdata.membership import Membership
from seriatim.microdata.release import Release
from seriatim.microdata.roster import Roster


@dataclass(frozen=True, eq=False)
class Expectation:
    """What a reader expects of a roster, and what it remembered to get there."""

    revised: Belief
    """What each respondent is expected to have."""

    known: BoolArray
    """Who is remembered from earlier releases."""

    pasts: Pasts | None
    """The pasts of those; None for nobody."""

    version: int
    """The state of the memory that this rests on."""

    prior: Belief
    """What the prior alone says."""

    classes: IntArray
    """The class of each respondent in the sequence knowledge."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Expectation({len(self.known)} respondents)"


@dataclass(frozen=True, eq=False)
class Impression:
    """What one release left in a reader, before it is committed to memory."""

    posterior: Belief
    """What is believed of each respondent of the roster; unpublished ones as before the release."""

    roster: Roster
    """The roster of the release."""

    published: BoolArray
    """Whose tuple was published."""

    pasts: Pasts | None
    """What to remember of the published; None for a reader without sequence knowledge."""

    version: int
    """The state of the memory that this rests on."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Impression({len(self.published)} respondents)"

    def remember_in(self, memory: Memory) -> None:
        """Commit to a memory, which must be as it was when the release was considered."""
        if memory.version != self.version:
            message = (
                "The memory has changed since this release was considered; remembering it now"
                " would undo what came between. Consider the release again."
            )
            raise OrderError(message)
        if self.pasts is not None:
            memory.keep(self.roster.respondents.filter(self.published), self.pasts)


@dataclass(frozen=True, eq=False)
class Adversary:
    """A reader with a prior, sequence knowledge and a posterior rule.

    Respondents seen for the first time are judged by the prior, those who skip
    releases keep their past. Without sequence knowledge every release is read
    alone: the paper's snapshot attack.
    """

    prior: Prior = field(default_factory=UniformPrior)
    """Who is likely to have what."""

    sequence: SequenceModel | None = None
    """What tends to follow what."""

    rule: str | PosteriorRule = field(default_factory=Omega)
    """How to draw conclusions from a group: a rule, or the name of one."""

    filtering: str | Filtering = field(default_factory=Marginal)
    """How to carry beliefs to the next release: ``"marginal"`` as the paper, or ``"joint"``."""

    memory: Memory = field(default_factory=LocalMemory)
    """What it remembers."""

    _compiled: dict[tuple[Value, ...], Automaton] = field(
        default_factory=dict, init=False, repr=False
    )

    def __post_init__(self) -> None:
        """Refuse a rule and a filtering that are not known."""
        rule_by_name(self.rule)
        filtering_by_name(self.filtering)

    @property
    def values(self) -> tuple[Value, ...]:
        """The sensitive values that its knowledge speaks of."""
        known = self.prior.values + (self.sequence.values if self.sequence is not None else ())
        return tuple(dict.fromkeys(known))

    def anew(self, memory: Memory | None = None) -> Adversary:
        """Return a reader of the same kind that remembers nothing, or something else."""
        return replace(self, memory=LocalMemory() if memory is None else memory)

    def expect(self, roster: Roster) -> Belief:
        """Return what each respondent is expected to have: the revised knowledge."""
        return self.anticipate(roster).revised

    def anticipate(self, roster: Roster) -> Expectation:
        """Return what is expected of a roster, together with what was remembered of it."""
        domain = roster.schema.sensitive.domain
        prior = self.prior.belief(roster, domain)
        automaton = self.automaton(domain)
        nobody = np.zeros(len(roster), dtype=bool)
        if automaton is None:
            classes = np.zeros(len(roster), dtype=np.int64)
            return Expectation(prior, nobody, None, self.memory.version, prior, classes)
        # Asked of everyone, also while nobody is remembered: a class table that does not fit
        # the roster must show before the first release, not after it.
        classes = automaton.classes_of(roster)
        known, pasts = self.memory.recall(roster.respondents)
        if pasts is None:
            return Expectation(prior, known, None, self.memory.version, prior, classes)
        revised = prior.probabilities.copy()
        revised[known] = filtering_by_name(self.filtering).expected(
            automaton, pasts, classes[known], revised[known]
        )
        version = self.memory.version
        return Expectation(Belief(revised, domain), known, pasts, version, prior, classes)

    def consider(
        self, release: Release, membership: Membership, before: Expectation | None = None
    ) -> Impression:
        """Return what a release would leave in this reader, and remember nothing yet.

        ``before`` saves computing again what ``anticipate`` returned for the same roster.
        """
        if not membership.fits(release):
            message = (
                "The membership does not fit the release: group sizes differ."
                " Pass the membership that was made with this release."
            )
            raise OrderError(message)
        before = self.anticipate(membership.roster) if before is None else before
        groups = PublishedGroups(
            membership.members, release.starts, release.value_codes, release.starts
        )
        revised = before.revised.probabilities
        concluded = rule_by_name(self.rule).posterior(revised, groups)
        published = membership.published
        concluded[~published] = revised[~published]
        return Impression(
            Belief(concluded, before.revised.domain),
            membership.roster,
            published,
            self._moved(before, published, concluded),
            before.version,
        )

    def observe(self, release: Release, membership: Membership) -> Belief:
        """Read a release: draw conclusions, remember them, and return the posterior."""
        impression = self.consider(release, membership)
        impression.remember_in(self.memory)
        return impression.posterior

    def read(self, releases: Sequence[Release], memberships: Sequence[Membership]) -> list[Belief]:
        """Return what this kind of reader, beginning anew, believes after each release."""
        reader = self.anew()
        pairs = zip(releases, memberships, strict=True)
        return [reader.observe(release, membership) for release, membership in pairs]

    def automaton(self, domain: tuple[Value, ...]) -> Automaton | None:
        """Return its sequence knowledge in computable form; None where it has none."""
        if self.sequence is None:
            return None
        if domain not in self._compiled:
            self._compiled[domain] = self.sequence.automaton(domain)
        return self._compiled[domain]

    def _moved(
        self, before: Expectation, published: BoolArray, posterior: FloatArray
    ) -> Pasts | None:
        """Return the pasts of the published respondents after this release."""
        automaton = self.automaton(before.revised.domain)
        if automaton is None:
            return None
        filtering = filtering_by_name(self.filtering)
        newcomers = filtering.begin(automaton, posterior[published & ~before.known])
        if before.pasts is None:
            return newcomers
        again = published & before.known
        reading = Reading(
            before.classes[again],
            before.prior.probabilities[again],
            before.revised.probabilities[again],
            posterior[again],
        )
        returning = before.pasts.take(np.flatnonzero(published[before.known]))
        moved = filtering.moved(automaton, returning, reading)
        return interleave(newcomers, moved, before.known[published])
