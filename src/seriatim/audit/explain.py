"""Why a reader came to believe something, in words and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow.compute as pc

from seriatim._typing import Instant, Value
from seriatim.errors import OrderError
from seriatim.inference.adversary import Adversary, Expectation, Impression
from seriatim.inference.filtering import Marginal
from seriatim.inference.memory import LocalMemory
from seriatim.microdata.membership import Membership
from seriatim.microdata.release import Release

_PARTS_SHOWN = 3


@dataclass(frozen=True)
class Appearance:
    """One release in which the respondent appears."""

    at: Instant
    """The release."""

    group: int
    """The respondent's group."""

    size: int
    """Its size."""

    frequency: float
    """Share of the value in the group."""

    expected: float
    """Belief in the value before the release."""

    believed: float
    """Belief in the value after it."""

    because: tuple[tuple[Value, float, float], ...]
    """Earlier values that raised the expectation: value, its belief, its part of ``expected``."""


@dataclass(frozen=True)
class Explanation:
    """How the belief in one value of one respondent came about."""

    value: Value
    """The value."""

    appearances: tuple[Appearance, ...]
    """The releases in which the respondent appears, up to the one explained."""

    def __str__(self) -> str:
        """Tell it."""
        lines = []
        for step in self.appearances:
            lines.append(
                f"Release {step.at}: group {step.group} of {step.size}, where {self.value} is"
                f" {step.frequency:.0%} of the values. Expected {step.expected:.2f},"
                f" believed {step.believed:.2f} afterwards."
            )
            lines += [
                f"    {part / step.expected:.0%} of the expectation came through {value}"
                f" (believed {belief:.2f} before)."
                for value, belief, part in step.because
            ]
        return "\n".join(lines)


def explain(
    adversary: Adversary,
    releases: Sequence[Release],
    memberships: Sequence[Membership],
    *,
    release: int,
    row: int,
    value: Value,
) -> Explanation:
    """Explain the belief in a value of the respondent at one row of a release's roster.

    The series is read again as the paper's reader does, whatever the adversary's own
    way of filtering: what it expects is then a sum over the values that the respondent
    may have had last, and each part of the sum can be shown. The explanation names
    nobody.
    """
    if not 0 <= release < len(releases) or len(releases) != len(memberships):
        message = f"There is no release {release} among {len(releases)} with their memberships."
        raise OrderError(message)
    respondents = memberships[release].roster.respondents
    if not 0 <= row < len(respondents):
        message = f"The roster of release {release} has {len(respondents)} rows, not row {row}."
        raise OrderError(message)
    reader = replace(adversary, filtering=Marginal(), memory=LocalMemory())
    appearances = []
    for one, membership in zip(releases[: release + 1], memberships, strict=False):
        before = reader.anticipate(membership.roster)
        impression = reader.consider(one, membership, before)
        here = pc.index(membership.roster.respondents, respondents[row]).as_py()
        if here >= 0 and membership.published[here]:
            appearances.append(
                _appearance(reader, one, membership, here, value, before, impression)
            )
        impression.remember_in(reader.memory)
    return Explanation(value, tuple(appearances))


def _appearance(
    reader: Adversary,
    release: Release,
    membership: Membership,
    row: int,
    value: Value,
    before: Expectation,
    impression: Impression,
) -> Appearance:
    group = release.group(int(membership.group_of[row]))
    return Appearance(
        release.at,
        group.number,
        len(group),
        group.counts.get(value, 0) / len(group),
        float(before.revised.of(value)[row]),
        float(impression.posterior.of(value)[row]),
        _parts(reader, before, row, value),
    )


def _parts(
    reader: Adversary, before: Expectation, row: int, value: Value
) -> tuple[tuple[Value, float, float], ...]:
    """Split the expectation of a value by the value that the respondent may have had last."""
    domain = before.revised.domain
    automaton = reader.automaton(domain)
    if automaton is None or before.pasts is None or not before.known[row]:
        return ()
    assert automaton.known is not None
    past = before.pasts.take(np.array([np.count_nonzero(before.known[:row])]))
    kind, code = int(before.classes[row]), domain.index(value)
    states = automaton.junction_next[past.places]
    chance = np.where(
        automaton.known[kind, states],
        automaton.next_value[kind, states, code],
        before.prior.probabilities[row, code],
    )
    parts = past.posterior[0] * (past.weights @ chance)
    order = np.argsort(-parts, kind="stable")
    return tuple(
        (domain[last], float(past.posterior[0, last]), float(parts[last]))
        for last in order[:_PARTS_SHOWN]
        if parts[last] > 0
    )
