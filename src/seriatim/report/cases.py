"""The most exposed cases, told without saying who or in which group."""

from __future__ import annotations

from seriatim.audit.evidence import Weighing
from seriatim.audit.explain import Explanation
from seriatim.audit.findings import Findings, Risk
from seriatim.report.account import Case, CaseStep

_WORTH_TELLING = 0.01
"""How far a belief must be from counting to be explained."""


def most_exposed(findings: Findings, most: int) -> list[Risk]:
    """Return the risks that are worth telling, each about someone else, the worst first.

    What the strongest reader learned; nothing where every reader is worse than counting.
    """
    reader = findings.strongest
    if reader is None or not most:
        return []
    risks = findings.at_risk(reader, most * max(len(findings.releases), 1))
    by_person: dict[object, Risk] = {}
    for risk in risks:
        if risk.belief > risk.frequency + _WORTH_TELLING:
            by_person.setdefault(findings.respondent(risk), risk)
    return list(by_person.values())[:most]


def explained_cases(findings: Findings, most: int) -> tuple[Case, ...]:
    """Explain the cases of which the strongest reader learned most."""
    risks = most_exposed(findings, most)
    return tuple(case_of(risk, findings.explain(risk)) for risk in risks)


def case_of(risk: Risk, explanation: Explanation) -> Case:
    """Return how a belief came about.

    Numbers of groups are left out, and sizes and shares are told roughly: exact ones would
    find the group in the released table, and with it what is known of the person.
    """
    weighing = explanation.weighing
    by_messages = weighing.belief if explanation.in_worlds and weighing is not None else None
    steps = tuple(
        CaseStep(
            str(step.at),
            None if step.size is None else rough_size(step.size),
            rough_share(step.frequency),
            step.expected,
            step.believed,
            None if weighing is None or explanation.in_worlds else weighing.without[index],
            _told(explanation, weighing, index),
        )
        for index, step in enumerate(explanation.appearances)
    )
    counted = rough_share(risk.frequency)
    value, at = str(risk.value), str(explanation.at)
    return Case(
        risk.reader,
        at,
        value,
        risk.belief,
        counted,
        steps,
        by_messages,
        explanation.by_worlds,
        explanation.subtraction is not None,
    )


def rough_size(size: int) -> int:
    """Return a size to the nearest ten, from ten on.

    >>> rough_size(4), rough_size(34), rough_size(36)
    (4, 30, 40)
    """
    return size if size < 10 else max(10, (size + 5) // 10 * 10)


def rough_share(share: float) -> float:
    """Return a share to the nearest twentieth.

    >>> rough_share(0.02), rough_share(1 / 3)
    (0.0, 0.35)
    """
    return round(20 * share) / 20


def _told(explanation: Explanation, weighing: Weighing | None, index: int) -> tuple[str, ...]:
    step = explanation.appearances[index]
    told = [
        f"{part / step.expected:.0%} of what was expected came through {value}"
        f" (believed {belief:.2f} before)."
        for value, belief, part in step.because
        if step.expected > 0
    ]
    if weighing is not None:
        told += weighing.lines(index, explanation.value)
    return tuple(told)
