"""Why a reader came to believe something, in words and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow.compute as pc

from seriatim._typing import Instant, Value
from seriatim.audit.evidence import Weighing, weigh
from seriatim.audit.reader import Reader
from seriatim.errors import OrderError
from seriatim.inference.adversary import Adversary, Expectation, Impression
from seriatim.inference.filtering import Joint, Marginal, filtering_by_name
from seriatim.inference.messages import pass_messages
from seriatim.inference.retrospective import PASSES, Retrospective
from seriatim.inference.smoothing import read_through
from seriatim.inference.worlds import Worlds
from seriatim.microdata.membership import Membership
from seriatim.microdata.placement import Placement
from seriatim.microdata.release import Release
from seriatim.microdata.view import View

_PARTS_SHOWN = 3
"""Of how many last values it is told what they contributed."""


@dataclass(frozen=True)
class Appearance:
    """One release in which the respondent appears."""

    at: Instant
    """The release."""

    group: int | None
    """The respondent's group; None where several are possible."""

    size: int | None
    """Its size."""

    frequency: float
    """Share of the value among those that the respondent may have by counting alone."""

    expected: float
    """Belief in the value before the release."""

    believed: float
    """Belief in the value after it."""

    because: tuple[tuple[Value, float, float], ...] = ()
    """Earlier values that raised the expectation: value, its belief, its part of ``expected``."""


@dataclass(frozen=True)
class Explanation:
    """How the belief in one value of one respondent came about; it names nobody.

    >>> from seriatim import Adversary, explain, running_example
    >>> made = running_example()
    >>> reader = Adversary(made.prior, made.sequence)
    >>> alice = dict(release=1, row=0, value="BCM-pos")
    >>> told = explain(reader, made.releases, made.memberships, **alice)
    >>> [(one.at, round(one.expected, 2), round(one.believed, 2)) for one in told.appearances]
    [(1, 0.0, 0.0), (2, 0.31, 0.87)]
    """

    value: Value
    """The value."""

    at: Instant
    """The release that is explained."""

    belief: float
    """How much the reader believes in it."""

    appearances: tuple[Appearance, ...]
    """The releases in which the respondent appears, as far as the reader has read."""

    weighing: Weighing | None = None
    """What each release contributed, for a reader who keeps past values together."""

    in_worlds: bool = False
    """Whether the reader weighs whole worlds; the rest is then of one who passes messages."""

    settled: bool = False
    """Whether chains of worlds came to the same, so that the belief is their share of worlds."""

    subtraction: str | None = None
    """The subtraction of groups that gives the value away by counts alone, in words."""

    def __str__(self) -> str:
        """Tell it."""
        lines = [f"{self.value} at release {self.at} is believed with {self.belief:.2f}."]
        if self.by_worlds is not None:
            lines = [f"{self.value} at release {self.at}: {self.by_worlds}"]
        if self.subtraction is not None:
            lines.append(f"From counts alone: {self.subtraction}")
        if self.in_worlds and self.weighing is not None:
            lines.append(
                "A reader of one belief a person, who passes messages between the tables and"
                f" cannot subtract them, comes to {self.weighing.belief:.2f}:"
            )
        for index, step in enumerate(self.appearances):
            lines.append(f"Release {step.at}: {_where(step)} {self._says(step)}")
            lines += [
                f"    {part / step.expected:.0%} of the expectation came through {value}"
                f" (believed {belief:.2f} before)."
                for value, belief, part in step.because
            ]
            if self.weighing is not None:
                lines += [f"    {line}" for line in self.weighing.lines(index, self.value)]
        return "\n".join(lines)

    @property
    def by_worlds(self) -> str | None:
        """What a reader says of it who weighs whole worlds, in words; None of other readers."""
        if not self.in_worlds:
            return None
        if not self.settled:
            return (
                f"believed with {self.belief:.2f}, from worlds that fit all tables together; chains"
                " begun apart do not agree, so this is no mere count of worlds."
            )
        share = "more than 999" if self.belief > 0.9995 else f"{1000 * self.belief:.0f}"
        return f"so it is in {share} of 1,000 worlds that fit all tables together."

    def _says(self, step: Appearance) -> str:
        if self.weighing is not None and step.at != self.at:
            return f"counting gives {self.value} {step.frequency:.0%} here."
        return (
            f"counting gives {self.value} {step.frequency:.0%}, {step.expected:.2f} was expected,"
            f" and {step.believed:.2f} believed right after it."
        )


def explain(
    reader: Reader,
    releases: Sequence[Release],
    memberships: Sequence[Membership | Placement],
    *,
    release: int,
    row: int,
    value: Value,
    originals: Sequence[View] | None = None,
    belief: float | None = None,
) -> Explanation:
    """Explain the belief in a value of the respondent at one row of a release's roster.

    For the paper's reader, what it expects is a sum over the values that the respondent
    may have had last, and each part of the sum is shown. For a joint or a retrospective
    reader, the belief is computed again without what each release told, in turn, and the
    transitions to the appearances before and after are shown. What a release told a
    retrospective reader includes what other releases told of the others in its groups.
    Knowledge that changed meanwhile is taken as it is after the last of these releases. For a
    reader who weighs worlds ``belief`` is what was believed; else worlds are drawn again, and
    where they have settled it is told in how many of them this is so.

    >>> from seriatim import Adversary, running_example
    >>> made = running_example()
    >>> reader = Adversary(made.prior, made.sequence)
    >>> alice = dict(release=1, row=0, value="BCM-pos")
    >>> print(explain(reader, made.releases, made.memberships, **alice))
    BCM-pos at release 2 is believed with 0.87.
    Release 1: group 1 of 2 tuples; counting gives BCM-pos 0%, 0.00 was expected, ...
    Release 2: group 1 of 2 tuples; counting gives BCM-pos 50%, 0.31 was expected, ...
        97% of the expectation came through MAM-pos (believed 0.50 before).
        3% of the expectation came through CX-neg (believed 0.50 before).
    """
    if not 0 <= release < len(releases) or len(releases) != len(memberships):
        message = f"There is no release {release} among {len(releases)} with their memberships."
        raise OrderError(message)
    adversary = _adversary(reader)
    respondents = memberships[release].roster.respondents
    if not 0 <= row < len(respondents):
        message = f"The roster of release {release} has {len(respondents)} rows, not row {row}."
        raise OrderError(message)
    jointly = isinstance(reader, Retrospective | Worlds) or isinstance(
        filtering_by_name(adversary.filtering), Joint
    )
    until = len(releases) if isinstance(reader, Retrospective | Worlds) else release + 1
    keeper = replace(adversary, filtering=Joint() if jointly else Marginal())
    views = None if originals is None else originals[:until]
    series = releases[:until], memberships[:until], views
    read = read_through(keeper, *series, keep_pasts=not jointly)
    told = []
    for one, membership, (before, impression) in zip(
        releases, memberships, read.steps, strict=False
    ):
        here = pc.index(membership.roster.respondents, respondents[row]).as_py()
        if here >= 0 and impression.seen[here]:
            because = () if jointly else _parts(before, here, value)
            told.append(_appearance(one, membership, here, value, before, impression, because))
    weighing = None
    if jointly and read.automaton is not None and read.steps[release][1].seen[row]:
        passes = PASSES if isinstance(reader, Worlds) else getattr(reader, "passes", 0)
        messages = pass_messages(keeper, read, *series[:2], passes)
        weighing = weigh(messages, [one.at for one in releases], (release, row), value)
    if isinstance(reader, Worlds):
        settled = False
        if belief is None:
            weighed = reader.weigh(releases, memberships, originals)
            belief = float(weighed.of_series()[release].of(value)[row])
            settled = weighed.has_settled
        return Explanation(
            value,
            releases[release].at,
            belief,
            tuple(told),
            weighing,
            in_worlds=True,
            settled=settled,
        )
    # Only who goes back believes something else of a release than right after it.
    believed = float(read.steps[release][1].posterior.of(value)[row])
    if weighing is not None and isinstance(reader, Retrospective):
        believed = weighing.belief
    return Explanation(value, releases[release].at, believed, tuple(told), weighing)


def _adversary(reader: Reader) -> Adversary:
    """Return how a reader draws conclusions; one of another kind is refused."""
    adversary = reader.adversary if isinstance(reader, Retrospective | Worlds) else reader
    if not isinstance(adversary, Adversary):
        message = "Only an Adversary, a Retrospective reader and one of Worlds can be explained."
        raise OrderError(message)
    return adversary


def _where(step: Appearance) -> str:
    if step.group is None:
        return "in one of several possible groups;"
    return f"group {step.group} of {step.size} tuples;"


def _appearance(
    release: Release,
    membership: Membership | Placement,
    row: int,
    value: Value,
    before: Expectation,
    impression: Impression,
    because: tuple[tuple[Value, float, float], ...],
) -> Appearance:
    number, size, frequency = _counted(release, membership, row, value)
    return Appearance(
        release.at,
        number,
        size,
        frequency,
        float(before.revised.of(value)[row]),
        float(impression.posterior.of(value)[row]),
        because,
    )


def _counted(
    release: Release, membership: Membership | Placement, row: int, value: Value
) -> tuple[int | None, int | None, float]:
    """Return group, size and frequency of a value; over all groups that are possible."""
    if isinstance(membership, Membership):
        possible = membership.group_of[[row]]
    else:
        possible = membership.candidates[membership.offsets[row] : membership.offsets[row + 1]]
    groups = [release.group(int(index)) for index in possible if index >= 0]
    size = sum(len(group) for group in groups)
    frequency = sum(group.counts.get(value, 0) for group in groups) / max(size, 1)
    if len(groups) == 1:
        return groups[0].number, size, frequency
    return None, None, frequency


def _parts(before: Expectation, row: int, value: Value) -> tuple[tuple[Value, float, float], ...]:
    """Split the expectation of a value by the value that the respondent may have had last."""
    domain, automaton = before.revised.domain, before.automaton
    if automaton is None or before.pasts is None or not before.known[row]:
        return ()
    assert automaton.known is not None
    assert before.tables is not None
    past = before.pasts.take(np.array([np.count_nonzero(before.known[:row])]))
    kind, code = int(before.tables[row]), domain.index(value)
    states = automaton.junction_next[past.places]
    chance = np.where(
        automaton.known[kind, states],
        automaton.next_value[kind, states, code],
        before.prior.probabilities[row, code],
    )
    parts = past.posterior[0] * (past.weights @ chance)
    if automaton.deficient and parts.sum() > 0:
        parts = parts * (before.revised.probabilities[row, code] / parts.sum())
    order = np.argsort(-parts, kind="stable")
    return tuple(
        (domain[last], float(past.posterior[0, last]), float(parts[last]))
        for last in order[:_PARTS_SHOWN]
        if parts[last] > 0
    )
