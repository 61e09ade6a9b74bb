"""Messages: what each release says of each respondent, revised in the light of all the others.

A release that was read when it came knew nothing of those after it. Passing messages goes back
to it with what all other releases say of every member of a group, concludes for the group
again, and does so for all releases a few times: belief propagation over groups and time.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.inference.adversary import Adversary, Expectation
from seriatim.inference.conclusions import conclude
from seriatim.inference.elapsed import carried
from seriatim.inference.filtering import Joint
from seriatim.inference.matching_rules import Exact, Strongest
from seriatim.inference.memory import LocalMemory
from seriatim.inference.pasts import past_of
from seriatim.inference.rules import PosteriorRule, rule_by_name
from seriatim.inference.smoothing import (
    LEAST,
    Observations,
    Reading,
    Sightings,
    Smoothed,
    blocks,
    sightings,
    smooth_observations,
)
from seriatim.knowledge.belief import Belief
from seriatim.microdata.membership import Membership
from seriatim.microdata.placement import Placement
from seriatim.microdata.release import Release

DAMPING = 0.5
"""The share that what was believed keeps in each pass."""


@dataclass(frozen=True, eq=False)
class Messages:
    """How much each release speaks for each value of each respondent of its roster."""

    read: Reading
    """The series as it was read, release by release."""

    seen: Sightings
    """Who was seen where."""

    likelihood: list[FloatArray]
    """Release by release (respondents, values), each row up to a factor."""

    surprising: list[BoolArray]
    """Which values were held impossible and came all the same (respondents, values)."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Messages({len(self.likelihood)} releases)"

    @classmethod
    def of(cls, read: Reading) -> Messages:
        """Return what each release said when it came: posterior over expectation."""
        quotients = [
            _quotient(impression.posterior.probabilities, before.revised.probabilities)
            for before, impression in read.steps
        ]
        likelihood, surprising = zip(*quotients, strict=True)
        return cls(read, sightings(read), list(likelihood), list(surprising))

    def observed(self, begin: int, end: int) -> Observations:
        """Return what all releases say of the respondents from one number to another."""
        seen, steps = self.seen, self.read.steps
        entries = slice(seen.offsets[begin], seen.offsets[end])
        releases, rows = seen.release_of[entries], seen.row_of[entries]

        def gathered(arrays: list[np.ndarray]) -> np.ndarray:
            found = np.empty((len(rows), *arrays[0].shape[1:]), dtype=arrays[0].dtype)
            for index, array in enumerate(arrays):
                here = releases == index
                found[here] = array[rows[here]]
            return found

        return Observations(
            seen.offsets[begin : end + 1] - seen.offsets[begin],
            gathered(self.likelihood),
            gathered(self.surprising),
            gathered([before.prior.probabilities for before, _ in steps]),
            gathered([before.classes for before, _ in steps]),
            gathered([before.gaps for before, _ in steps]),
        )

    def smoothed(self) -> Iterator[tuple[IntArray, IntArray, Smoothed]]:
        """Smooth everyone's observations, so many at a time that it stays small.

        Yields their releases, their rows in the rosters, and what was found.
        """
        assert self.read.automaton is not None
        seen = self.seen
        for begin, end in blocks(seen.offsets):
            found = smooth_observations(self.read.automaton, self.observed(begin, end))
            entries = slice(seen.offsets[begin], seen.offsets[end])
            yield seen.release_of[entries], seen.row_of[entries], found

    def believed(self) -> list[FloatArray]:
        """Return what is believed of each release (respondents, values).

        Of those whose tuple was not published, what the filter expected.
        """
        found = [impression.posterior.probabilities.copy() for _, impression in self.read.steps]
        for release_of, rows, smoothed in self.smoothed():
            for index, table in enumerate(found):
                here = release_of == index
                table[rows[here]] = smoothed.beliefs[here]
        return found


def pass_messages(
    adversary: Adversary,
    read: Reading,
    releases: Sequence[Release],
    memberships: Sequence[Membership | Placement],
    passes: int,
) -> Messages:
    """Return what each release says after some passes over all of them; 0 leaves it one-way."""
    passed = passing_messages(adversary, read, releases, memberships)
    return next(itertools.islice(passed, passes, None))


def passing_messages(
    adversary: Adversary,
    read: Reading,
    releases: Sequence[Release],
    memberships: Sequence[Membership | Placement],
) -> Iterator[Messages]:
    """Yield what each release says at first, and after each pass over all of them, without end.

    A pass goes forward once more, with hindsight: what a member is expected to have is what the
    releases before say, in this pass, times what the later ones said in the pass before (its
    cavity). The message is posterior over cavity, and what the old message made of the cavity
    keeps a share d: new = (d · old belief + (1 − d) · posterior) / cavity. Releases are weighed
    one after the other, each with the newest messages: all at once, every one of them would
    correct the same mistake.
    """
    messages = Messages.of(read)
    yield messages
    # Where nobody came twice other releases have nothing to say.
    alone = bool((np.diff(messages.seen.offsets) <= 1).all())
    rule = _rule(adversary)
    while True:
        if not alone:
            messages = _passed(adversary, rule, messages, releases, memberships)
        yield messages


def _passed(
    adversary: Adversary,
    rule: PosteriorRule,
    before_pass: Messages,
    releases: Sequence[Release],
    memberships: Sequence[Membership | Placement],
) -> Messages:
    messages = replace(
        before_pass,
        likelihood=before_pass.likelihood.copy(),
        surprising=before_pass.surprising.copy(),
    )
    hindsight, again = _hindsight(messages), _Filter(adversary, messages.read)
    for index, (release, where) in enumerate(zip(releases, memberships, strict=True)):
        before = again.expect(index)
        revised = before.revised.probabilities
        cavity = revised * hindsight[index]
        total = cavity.sum(axis=1, keepdims=True)
        cavity /= np.where(total > 0, total, 1.0)
        told = adversary.told(where.roster, release.at)
        posterior = conclude(rule, cavity, release, where, told)
        said, surprising = _damped(messages.likelihood[index], posterior, cavity)
        messages.likelihood[index], messages.surprising[index] = said, surprising
        again.move(index, before, np.where(surprising, said, said * revised))
    return messages


def _hindsight(messages: Messages) -> list[FloatArray]:
    """Return what later releases say of the respondents of each (respondents, values)."""
    found = [np.zeros_like(one) for one in messages.likelihood]
    for release_of, rows, smoothed in messages.smoothed():
        for index, table in enumerate(found):
            here = release_of == index
            table[rows[here]] = smoothed.hindsight[here]
    return found


class _Filter:
    """Goes forward over a series that was read before, with other messages."""

    def __init__(self, adversary: Adversary, read: Reading) -> None:
        """Begin anew, with the knowledge after the last release."""
        assert read.automaton is not None
        self._adversary, self._steps, self._automaton = adversary, read.steps, read.automaton
        self._memory = LocalMemory()

    def expect(self, index: int) -> Expectation:
        """Return what is expected of a release."""
        before, impression = self._steps[index]
        prior, joint = before.prior.probabilities, Joint()
        known, pasts = self._memory.recall(impression.roster.respondents)
        theirs, timed, tables = None, self._automaton, before.classes
        revised = prior
        if pasts is not None:
            gaps, classes = before.gaps, before.classes
            pasts = carried(timed, joint, pasts, gaps[known], classes[known], before.prior, known)
            timed, tables = timed.after(gaps, classes)
            theirs = past_of(known)
            revised = joint.expected(timed, pasts, tables, prior, theirs)
        return replace(
            before,
            revised=Belief(np.ascontiguousarray(revised), before.revised.domain),
            known=known,
            pasts=pasts,
            automaton=timed,
            tables=tables,
            past_of=theirs,
        )

    def move(self, index: int, before: Expectation, believed: FloatArray) -> None:
        """Remember what came of a release; beliefs are of those who were seen, up to a factor."""
        impression = self._steps[index][1]
        total = believed.sum(axis=1, keepdims=True)
        believed = believed / np.where(total > 0, total, 1.0)
        pasts = self._adversary.moved(before, impression.seen, believed)
        assert pasts is not None
        self._memory.keep(impression.roster.respondents, pasts, impression.seen)


def _rule(adversary: Adversary) -> PosteriorRule:
    """Return the rule that concludes from cavities: exact where affordable, Bethe above."""
    own = rule_by_name(adversary.rule)
    return own if isinstance(own, Exact | Strongest) else Strongest()


def _quotient(posterior: FloatArray, expected: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return how much a release speaks for each value, and which were held impossible."""
    surprising = (expected <= 0) & (posterior > 0)
    quotient = posterior / np.maximum(expected, LEAST)
    return np.where(surprising, posterior, quotient), surprising


def _damped(
    old: FloatArray, posterior: FloatArray, cavity: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Return the new messages, in which the old ones keep a share, and what surprises.

    Shares of beliefs, not of logarithms: few passes never leave anyone surer than the shares
    allow. Where something comes that no other release leaves possible, there is nothing old.
    """
    believed = old * cavity
    total = believed.sum(axis=1, keepdims=True)
    unforeseen = ((cavity <= 0) & (posterior > 0)).any(axis=1, keepdims=True) | (total <= 0)
    believed /= np.where(total > 0, total, 1.0)
    mixed = DAMPING * believed + (1.0 - DAMPING) * posterior
    return _quotient(np.where(unforeseen, posterior, mixed), cavity)
