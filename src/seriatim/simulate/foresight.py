"""Foresight: the views that a custodian may come to publish, drawn from knowledge alone.

Who will be there goes by rosters, without sensitive values; what they will have is drawn
from the reader's own prior and sequence knowledge. If that knowledge is right, so is the
rehearsal; a reader who knows less learns less.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
import pyarrow as pa

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.errors import PolicyError
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.prior import Prior
from seriatim.knowledge.tempo import Period
from seriatim.microdata.roster import Roster, numbered
from seriatim.microdata.view import View


@dataclass(frozen=True)
class Attendance:
    """Who comes again, where only one roster is known.

    >>> from seriatim import running_example
    >>> roster, rng = running_example().views[0].roster, np.random.default_rng(1)
    >>> foreseen_rosters(roster, 3, Attendance(share=0.5), rng)  # 4 of some 8 each time
    [Roster(4 respondents), Roster(4 respondents), Roster(4 respondents)]
    """

    share: float = 0.5
    """The share of those under way who are in a view: each comes with this chance."""

    turnover: float = 0.0
    """The share of those under way who leave for good after each release.

    Whoever stays longer is better known: none is the cautious assumption."""

    def __post_init__(self) -> None:
        """Refuse shares that are none."""
        numbers = isinstance(self.share, Real) and isinstance(self.turnover, Real)
        if not numbers or not 0 < self.share <= 1 or not 0 <= self.turnover < 1:
            message = (
                "Attendance is a share above 0 and at most 1, turnover one from 0 and below 1; not"
                f" {self.share!r} and {self.turnover!r}."
            )
            raise PolicyError(message)


def foreseen_rosters(
    roster: Roster, releases: int, attendance: Attendance, rng: np.random.Generator
) -> list[Roster]:
    """Draw who will be in each of some views as large as a roster.

    Everyone under way has the quasi-identifiers of someone in the roster. The first view is
    the roster itself.
    """
    size = len(roster)
    pool = max(size, round(size / attendance.share))
    like = np.concatenate([np.arange(size), rng.integers(0, size, pool - size)])
    names = np.arange(pool)
    met = pool
    found = []
    for release in range(releases):
        there = np.arange(size) if release == 0 else rng.choice(pool, size, replace=False)
        there = there[np.argsort(names[there])]
        found.append(
            Roster(roster.schema, pa.array(names[there]), roster.points[like[there]], there)
        )
        gone = np.flatnonzero(rng.random(pool) < attendance.turnover)
        like[gone] = rng.integers(0, size, len(gone))
        names[gone] = met + np.arange(len(gone))
        met += len(gone)
    return found


def foreseen_views(
    rosters: Sequence[Roster], prior: Prior, automaton: Automaton | None, rng: np.random.Generator
) -> Iterator[View]:
    """Draw what everyone will have in each view, release by release.

    Releases are a unit of time apart. A newcomer's value comes from the prior, whoever was
    there before goes by the sequence knowledge, through weeks away as well where it counts
    time. Without sequence knowledge every value comes from the prior.
    """
    people = numbered(rosters)
    n_people = 1 + max(int(some.max()) for some in people)
    states = np.zeros(n_people, dtype=np.int64)
    last_seen = np.zeros(n_people, dtype=np.int64)
    for number, (roster, who) in enumerate(zip(rosters, people, strict=True), start=1):
        beliefs = prior.belief(roster, roster.schema.sensitive.domain).probabilities
        codes = _drawn(beliefs, rng)
        if automaton is not None:
            known = last_seen[who] > 0
            before = _Before(
                np.where(known, states[who], automaton.start),
                np.where(known, number - last_seen[who], 0).astype(float),
                known,
            )
            state, codes = _continued(automaton, roster, before, beliefs, codes, rng)
            states[who] = automaton.next_state[state, codes]
            last_seen[who] = number
        yield View(
            roster.schema, roster.respondents, roster.points, roster.positions, codes, "pyarrow"
        )


@dataclass(frozen=True, eq=False)
class _Before:
    """Where everyone of a roster stood when last there."""

    state: IntArray
    gaps: FloatArray
    known: BoolArray


def _continued(
    automaton: Automaton,
    roster: Roster,
    before: _Before,
    beliefs: FloatArray,
    codes: IntArray,
    rng: np.random.Generator,
) -> tuple[IntArray, IntArray]:
    """Draw the values of those who were there before; return the states they come from as well."""
    classes = automaton.classes_of(roster)
    state, gaps, known = before.state.copy(), before.gaps, before.known
    if isinstance(automaton.tempo, Period):
        unseen = np.where(known, automaton.tempo.unseen_steps(gaps), 0)
        for step in range(int(unseen.max(initial=0))):
            away = np.flatnonzero(unseen > step)
            hidden = _drawn(_expected(automaton, classes[away], state[away], beliefs[away]), rng)
            state[away] = automaton.next_state[state[away], hidden]
    timed, tables = automaton.after(gaps, classes)
    again = np.flatnonzero(known)
    expected = _expected(timed, tables[again], state[again], beliefs[again])
    codes = codes.copy()
    codes[again] = _drawn(expected, rng)
    return state, codes


def _expected(
    automaton: Automaton, tables: IntArray, state: IntArray, beliefs: FloatArray
) -> FloatArray:
    assert automaton.known is not None
    known = automaton.known[tables, state]
    return np.where(known[:, None], automaton.next_value[tables, state], beliefs)


def _drawn(rows: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw a value from each row."""
    up_to = np.cumsum(rows, axis=1)
    picks = rng.random(len(rows)) * up_to[:, -1]
    return np.asarray((up_to < picks[:, None]).sum(axis=1).clip(max=rows.shape[1] - 1))
