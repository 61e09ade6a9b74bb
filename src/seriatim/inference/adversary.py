"""The adversary: a reader of releases, simulated.

What it knows beforehand (prior), what it knows of sequences, how it draws
conclusions (rule), and what it remembers. Publisher and auditor hold the same
kind of object: defence and attack differ only in who holds it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from seriatim._typing import FloatArray, Value
from seriatim.errors import OrderError
from seriatim.inference.memory import LocalMemory, Memory
from seriatim.inference.pasts import Pasts, interleave
from seriatim.inference.revision import expected, push
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
class Impression:
    """What one release left in a reader, before it is committed to memory."""

    posterior: Belief
    """What is believed of each respondent of the roster; unpublished ones as before the release."""

    seen: Roster
    """The roster of the release."""

    published: np.ndarray[tuple[int], np.dtype[np.bool_]]
    """Whose tuple was published."""

    pasts: Pasts | None
    """What to remember of the published; None for a reader without sequence knowledge."""


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
    """How to draw conclusions from a group."""

    memory: Memory = field(default_factory=LocalMemory)
    """What it remembers."""

    _compiled: dict[tuple[Value, ...], Automaton] = field(
        default_factory=dict, init=False, repr=False
    )

    def __post_init__(self) -> None:
        """Look a rule up by its name."""
        object.__setattr__(self, "rule", rule_by_name(self.rule))

    @property
    def values(self) -> tuple[Value, ...]:
        """The sensitive values that its knowledge speaks of."""
        known = self.prior.values + (self.sequence.values if self.sequence is not None else ())
        return tuple(dict.fromkeys(known))

    def anew(self, memory: Memory | None = None) -> Adversary:
        """Return a reader of the same kind that remembers nothing, or something else."""
        return replace(self, memory=LocalMemory() if memory is None else memory)

    def expect(self, roster: Roster) -> Belief:
        """Return what each respondent is expected to have: the revised knowledge.

        A view is a roster as well; its sensitive values are not looked at.
        """
        domain = roster.schema.sensitive.domain
        prior = self.prior.belief(roster, domain)
        automaton = self._automaton(domain)
        if automaton is None:
            return prior
        known, pasts = self.memory.recall(roster.respondents)
        if not known.any():
            return prior
        revised = prior.probabilities.copy()
        classes = automaton.classes_of(roster)[known]
        revised[known] = expected(automaton, pasts, classes, revised[known])
        return Belief(revised, domain)

    def consider(
        self, release: Release, membership: Membership, revised: Belief | None = None
    ) -> Impression:
        """Return what a release would leave in this reader, and remember nothing yet.

        ``revised`` saves computing again what ``expect`` returned for the same roster.
        """
        if not membership.fits(release):
            message = (
                "The membership does not fit the release: group sizes differ."
                " Pass the membership that was made with this release."
            )
            raise OrderError(message)
        roster = membership.roster
        before = self.expect(roster) if revised is None else revised
        assert not isinstance(self.rule, str)
        groups = PublishedGroups(membership.members, release.value_codes, release.starts)
        concluded = self.rule.posterior(before.probabilities, groups)
        published = membership.published
        concluded[~published] = before.probabilities[~published]
        return Impression(
            Belief(concluded, before.domain),
            roster,
            published,
            self._moved(roster, published, concluded[published]),
        )

    def observe(self, release: Release, membership: Membership) -> Belief:
        """Read a release: draw conclusions, remember them, and return the posterior."""
        impression = self.consider(release, membership)
        self.remember(impression)
        return impression.posterior

    def remember(self, impression: Impression) -> None:
        """Commit an impression to memory."""
        if impression.pasts is not None:
            readers = impression.seen.respondents.filter(impression.published)
            self.memory.keep(readers, impression.pasts)

    def _automaton(self, domain: tuple[Value, ...]) -> Automaton | None:
        if self.sequence is None:
            return None
        if domain not in self._compiled:
            self._compiled[domain] = self.sequence.automaton(domain)
        return self._compiled[domain]

    def _moved(self, roster: Roster, published: np.ndarray, posterior: FloatArray) -> Pasts | None:
        """Return the pasts of the published respondents after this release."""
        automaton = self._automaton(roster.schema.sensitive.domain)
        if automaton is None:
            return None
        known, pasts = self.memory.recall(roster.respondents.filter(published))
        start = int(automaton.junction_of[automaton.start])
        newcomers = Pasts.beginning(int((~known).sum()), start, posterior[~known])
        if not known.any():
            return newcomers
        return interleave(newcomers, push(automaton, pasts, posterior[known]), known)
