"""The adversary: a reader of releases, simulated.

What it knows beforehand (prior), what it knows of sequences, how it draws
conclusions (rule), and what it remembers. Publisher and auditor hold the same
kind of object: defence and attack differ only in who holds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from seriatim._typing import BoolArray, FloatArray, Instant, IntArray, Value
from seriatim.errors import OrderError
from seriatim.inference.compromised import CompromisedTuples
from seriatim.inference.conclusions import UNTOLD, conclude, conclude_runs
from seriatim.inference.elapsed import carried, gaps_until
from seriatim.inference.filtering import Filtering, Marginal, Observed, filtering_by_name
from seriatim.inference.memory import LocalMemory, Memory
from seriatim.inference.pasts import Pasts, past_of
from seriatim.inference.rules import (
    Omega,
    PosteriorRule,
    rule_by_name,
)
from seriatim.knowledge.automaton import Automaton, SequenceModel
from seriatim.knowledge.belief import Belief
from seriatim.knowledge.learning import Learner, Lesson, LocalNotebook, Notebook
from seriatim.knowledge.prior import Prior
from seriatim.knowledge.runs import Runs, runs_of
from seriatim.knowledge.uniform_prior import UniformPrior
from seriatim.knowledge.wide_belief import WIDE, WideBelief
from seriatim.microdata.instants import moment
from seriatim.microdata.membership import Membership
from seriatim.microdata.placement import Placement
from seriatim.microdata.release import Release
from seriatim.microdata.roster import Roster
from seriatim.microdata.view import View

_LARGE = 2**18
"""Probabilities from which on what a release leaves in a reader is kept without its zeros."""


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

    gaps: FloatArray
    """The time since each was last seen, where the knowledge depends on it; else zeros."""

    automaton: Automaton | None = None
    """The sequence knowledge for these times."""

    tables: IntArray | None = None
    """The table of the automaton that each respondent goes by."""

    past_of: IntArray | None = None
    """Which of the pasts is whose, -1 for those who have none; None where there are no pasts."""

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

    seen: BoolArray
    """Of whom something was learned: the published, and those it was told of."""

    pasts: Pasts | None
    """What to remember of those; None for a reader without sequence knowledge."""

    version: int
    """The state of the memory that this rests on."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Impression({len(self.seen)} respondents)"

    def remember_in(self, memory: Memory) -> None:
        """Commit to a memory, which must be as it was when the release was considered."""
        if memory.version != self.version:
            message = (
                "The memory has changed since this release was considered; remembering it now"
                " would undo what came between. Consider the release again."
            )
            raise OrderError(message)
        if self.pasts is not None:
            memory.keep(self.roster.respondents, self.pasts, self.seen)


@dataclass(frozen=True, eq=False)
class Adversary:
    """A reader with a prior, sequence knowledge and a posterior rule.

    Respondents seen for the first time are judged by the prior, those who skip
    releases keep their past. Without sequence knowledge every release is read
    alone: the paper's snapshot attack. Tuples that are carried over from earlier releases are
    ordinary ones to it.

    What is believed of BCM-pos after both releases of the running example; Alice comes first:

    >>> from seriatim import running_example
    >>> made = running_example()
    >>> reader = Adversary(made.prior, made.sequence)
    >>> for release, membership in zip(made.releases, made.memberships, strict=True):
    ...     belief = reader.observe(release, membership)
    >>> belief.of("BCM-pos").round(2).tolist()
    [0.87, 0.07, 0.0, 0.0, 0.0]
    """

    prior: Prior = field(default_factory=UniformPrior)
    """Who is likely to have what."""

    sequence: SequenceModel | None = None
    """What tends to follow what."""

    rule: str | PosteriorRule = field(default_factory=Omega)
    """How to draw conclusions from a group: a rule, or the name of one."""

    filtering: str | Filtering = field(default_factory=Marginal)
    """How to carry beliefs to the next release: ``"marginal"`` as the paper, or ``"joint"``."""

    compromised: CompromisedTuples | None = None
    """Values that it was told."""

    memory: Memory = field(default_factory=LocalMemory)
    """What it remembers of releases."""

    notebook: Notebook = field(default_factory=LocalNotebook)
    """What it learned from original views, where its knowledge comes from them."""

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

    def anew(self, memory: Memory | None = None, notebook: Notebook | None = None) -> Adversary:
        """Return a reader of the same kind that remembers nothing, or something else."""
        return replace(
            self,
            memory=LocalMemory() if memory is None else memory,
            notebook=LocalNotebook() if notebook is None else notebook,
        )

    def taught(self, view: View) -> tuple[Adversary, Lesson | None]:
        """Return the reader with what it learns from an original view, and the lesson to keep.

        A reader whose knowledge does not come from original views is returned as it is.
        """
        prior, sequence, lesson = self.prior, self.sequence, None
        if isinstance(prior, Learner):
            prior, _ = prior.study(view, self.notebook)
        if isinstance(sequence, Learner):
            sequence, lesson = sequence.study(view, self.notebook)
        if prior is self.prior and sequence is self.sequence:
            return self, None
        reader = replace(self, prior=prior, sequence=sequence)
        if sequence is self.sequence:
            reader._compiled.update(self._compiled)
        return reader, lesson

    def expect(self, roster: Roster, at: Instant | None = None) -> Belief:
        """Return what each respondent is expected to have: the revised knowledge.

        ``at`` is needed where the sequence knowledge depends on elapsed time.
        """
        return self.anticipate(roster, at).revised

    def anticipate(self, roster: Roster, at: Instant | None = None) -> Expectation:
        """Return what is expected of a roster, together with what was remembered of it."""
        domain = roster.schema.sensitive.domain
        prior = self.prior.belief(roster, domain)
        automaton = self.automaton(domain)
        nobody = np.zeros(len(roster), dtype=bool)
        gaps = np.zeros(len(roster))
        version = self.memory.version
        if automaton is None:
            classes = np.zeros(len(roster), dtype=np.int64)
            whole = Belief(np.ascontiguousarray(prior.probabilities), domain)
            return Expectation(whole, nobody, None, version, prior, classes, gaps)
        # Asked of everyone, also while nobody is remembered: a class table that does not fit
        # the roster must show before the first release, not after it.
        classes = automaton.classes_of(roster)
        known, pasts = self.memory.recall(roster.respondents)
        if pasts is None:
            # Asked before anyone was seen, for the same reason: is this instant a number?
            gaps_until(automaton, np.zeros(1), at)
            whole = Belief(np.ascontiguousarray(prior.probabilities), domain)
            return Expectation(
                whole, known, None, version, prior, classes, gaps, automaton, classes
            )
        filtering = filtering_by_name(self.filtering)
        if automaton.tempo is not None:
            gaps[known] = gaps_until(automaton, pasts.seen_at, at)
            pasts = carried(automaton, filtering, pasts, gaps[known], classes[known], prior, known)
        timed, tables = automaton.after(gaps, classes)
        theirs = past_of(known)
        revised = Belief(
            filtering.expected(timed, pasts, tables, prior.probabilities, theirs), domain
        )
        return Expectation(
            revised, known, pasts, version, prior, classes, gaps, timed, tables, theirs
        )

    def consider(
        self,
        release: Release,
        membership: Membership | Placement,
        before: Expectation | None = None,
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
        roster = membership.roster
        before = self.anticipate(roster, release.at) if before is None else before
        revised, domain = before.revised.probabilities, before.revised.domain
        rule = rule_by_name(self.rule)
        seen = membership.published
        concluded: FloatArray | Runs
        large = len(domain) > WIDE or (isinstance(rule, Omega) and revised.size >= _LARGE)
        told = None if self.compromised is None else self.told(roster, release.at)
        if told is not None and (told == UNTOLD).all():
            told = None
        if large and isinstance(membership, Membership) and told is None:
            concluded = conclude_runs(rule, revised, release, membership)
            others = np.flatnonzero(~seen)
            posterior: Belief = WideBelief(concluded, domain, others, Runs.of(revised, others))
        else:
            concluded = conclude(rule, revised, release, membership, told)
            posterior = Belief(concluded, domain)
        if told is not None:
            seen = seen | (told != UNTOLD)
        moved = self.moved(before, seen, concluded)
        if moved is not None:
            moved = moved.seen(moment(release.at))
        return Impression(posterior, roster, seen, moved, before.version)

    def told(self, roster: Roster, at: Instant) -> IntArray:
        """Return the codes of the values that the reader was told; -1 for the others."""
        if self.compromised is None:
            return np.full(len(roster), UNTOLD, dtype=np.int64)
        return self.compromised.codes(roster, at, roster.schema.sensitive.domain)

    def observe(
        self,
        release: Release,
        membership: Membership | Placement,
        original: View | None = None,
    ) -> Belief:
        """Read a release: draw conclusions, remember them, and return the posterior.

        ``original`` is for a reader whose knowledge comes from the original views.
        """
        reader, lesson = (self, None) if original is None else self.taught(original)
        impression = reader.consider(release, membership)
        impression.remember_in(self.memory)
        if lesson is not None:
            self.notebook.keep(lesson)
        return impression.posterior

    def read(
        self,
        releases: Sequence[Release],
        memberships: Sequence[Membership | Placement],
        originals: Sequence[View] | None = None,
    ) -> list[Belief]:
        """Return what this kind of reader, beginning anew, believes after each release."""
        reader = self.anew()
        views = [None] * len(releases) if originals is None else originals
        series = zip(releases, memberships, views, strict=True)
        return [reader.observe(release, members, view) for release, members, view in series]

    def automaton(self, domain: tuple[Value, ...]) -> Automaton | None:
        """Return its sequence knowledge in computable form; None where it has none."""
        if self.sequence is None:
            return None
        if domain not in self._compiled:
            self._compiled[domain] = self.sequence.automaton(domain)
        return self._compiled[domain]

    def moved(
        self, before: Expectation, seen: BoolArray, posterior: FloatArray | Runs
    ) -> Pasts | None:
        """Return the pasts of the respondents of whom something was learned."""
        if before.automaton is None or before.tables is None:
            return None
        filtering = filtering_by_name(self.filtering)
        # Mostly everyone is, and nobody has to be looked up.
        rows = None if seen.all() else np.flatnonzero(seen)
        if before.pasts is None:
            return filtering.begin(before.automaton, runs_of(posterior, rows))
        reading = Observed(
            before.tables,
            before.prior.probabilities,
            before.revised.probabilities,
            posterior,
            rows,
        )
        theirs = past_of(before.known) if before.past_of is None else before.past_of
        if rows is not None:
            theirs = theirs[rows]
        return filtering.moved(before.automaton, before.pasts, reading, theirs)
