"""Follows one respondent: what a reader believes of them, release by release, and why.

Who it is, the custodian says; what comes back has no id in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import Instant, Value
from seriatim.audit.explain import Explanation
from seriatim.audit.findings import Findings, Risk
from seriatim.errors import TableError
from seriatim.microdata.view import View


@dataclass(frozen=True)
class Sight:
    """One release in which the respondent is, or may be."""

    release: int
    """The release, from 0."""

    at: Instant
    """When it was."""

    beliefs: tuple[float, ...]
    """How much the reader believes in each value, in the order of the domain."""

    counted: tuple[float, ...]
    """The same for a reader who only counts."""

    value: Value
    """The true value, or without originals the most believed one."""

    is_true: bool
    """Whether ``value`` is the true one."""

    explanation: Explanation
    """How the belief in it came about: what each release contributed."""

    @property
    def belief(self) -> float:
        """How much the reader believes in the value."""
        return self.explanation.belief


@dataclass(frozen=True)
class Course:
    """What one reader believes of one respondent over a series; it names nobody."""

    reader: str
    """The reader's name."""

    domain: tuple[Value, ...]
    """The sensitive values."""

    sights: tuple[Sight, ...]
    """The releases in which the respondent is, or may be."""


def follow(
    findings: Findings,
    reader: str,
    respondent: Any,
    *,
    progress: Callable[[str], None] = lambda _: None,
) -> Course:
    """Return what a reader believes of a respondent in each release, and why."""
    findings.require_reader(reader)
    rows = [_row(roster.respondents, respondent) for roster in findings.rosters]
    seen = [
        (index, row)
        for index, row in enumerate(rows)
        if row >= 0 and findings.memberships[index].published[row]
    ]
    if not seen:
        message = (
            "No respondent of these originals has this id, or no release has their tuple. Ids are"
            " compared to the letter."
        )
        raise TableError(message)
    domain = tuple(findings.releases[0].schema.sensitive.domain)
    sights = []
    for index, row in seen:
        progress(f"explaining what is believed of release {findings.releases[index].at}")
        sights.append(_sight(findings, reader, index, row))
    return Course(reader, domain, tuple(sights))


def _row(respondents: pa.Array, respondent: Any) -> int:
    """Return the row of a respondent; -1 where they are not."""
    try:
        wanted = pa.scalar(respondent).cast(respondents.type)
    except pa.ArrowException:
        return -1
    return int(pc.index(respondents, wanted).as_py())


def _sight(findings: Findings, reader: str, index: int, row: int) -> Sight:
    roster, release = findings.rosters[index], findings.releases[index]
    belief = findings.beliefs[reader][index].probabilities[row]
    measured = findings.measured[reader][index]
    place = np.flatnonzero(measured.rows == row)
    counted = measured.counted[place[0]] if len(place) else belief
    is_true = isinstance(roster, View)
    code = int(roster.value_codes[row]) if isinstance(roster, View) else int(belief.argmax())
    value = release.schema.sensitive.domain[code]
    risk = Risk(reader, index, row, value, float(belief[code]), float(counted[code]))
    return Sight(
        index,
        release.at,
        tuple(float(one) for one in belief),
        tuple(float(one) for one in counted),
        value,
        is_true,
        findings.explain(risk),
    )
