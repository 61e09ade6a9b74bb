"""Values drawn from sequence knowledge, tilted by what past views show of quasi-identifiers.

Knowledge from elsewhere seldom says how values go with quasi-identifiers. Where there are views
with values, its chances are multiplied, stratum by stratum, by how much more often each value
followed than it expected, and scaled to sum to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.prior import Prior
from seriatim.knowledge.tempo import Period
from seriatim.microdata.roster import Roster, numbered
from seriatim.microdata.view import View
from seriatim.simulate.strata import Strata

_AS_EXPECTED = 10.0
"""People of each value and stratum who are added as if knowledge had been right about them."""


@dataclass(frozen=True, eq=False)
class NextValues:
    """What people have who come again, by where they stand in sequence knowledge.

    >>> from seriatim import running_example
    >>> made = running_example()
    >>> automaton = made.sequence.automaton(made.schema.sensitive.domain)
    >>> following = NextValues(automaton, made.prior)
    >>> roster, start = made.views[0].roster, np.zeros(4, dtype=np.int64)
    >>> state, rows = following.chances(roster, start, np.ones(4), np.random.default_rng(1))
    >>> rows.shape
    (4, 10)
    """

    automaton: Automaton
    """What follows what."""

    prior: Prior | None = None
    """What is expected where the automaton knows nothing; None for the shares of the stratum."""

    strata: Strata | None = None
    """How people are told apart by what views show; None where nothing is known of them."""

    tilt: FloatArray | None = None
    """How much more often each value followed than expected (strata, values)."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        strata = 0 if self.strata is None else len(self.strata)
        return f"NextValues({self.automaton!r}, {strata} strata)"

    def chances(
        self, roster: Roster, state: IntArray, gaps: FloatArray, rng: np.random.Generator
    ) -> tuple[IntArray, FloatArray]:
        """Return the state each is in, and how likely each value is beside the others.

        ``state`` is the one after the last value, so many releases ago. Where the knowledge counts
        time, what happened through releases away is drawn.
        """
        automaton, beliefs = self.automaton, self._otherwise(roster)
        classes, state = automaton.classes_of(roster), state.copy()
        if isinstance(automaton.tempo, Period):
            unseen = automaton.tempo.unseen_steps(gaps)
            for step in range(int(unseen.max(initial=0))):
                away = np.flatnonzero(unseen > step)
                rows = _expected(automaton, classes[away], state[away], beliefs[away])
                rows = self._tilted(rows, roster.points[away])
                state[away] = automaton.next_state[state[away], drawn(rows, rng)]
        timed, tables = automaton.after(gaps, classes)
        rows = _expected(timed, tables, state, beliefs)
        return state, self._tilted(rows, roster.points)

    def draw(
        self, roster: Roster, state: IntArray, gaps: FloatArray, rng: np.random.Generator
    ) -> tuple[IntArray, IntArray]:
        """Draw a value for each respondent; return the state before it as well."""
        before, rows = self.chances(roster, state, gaps, rng)
        return before, drawn(rows, rng)

    def tilted_by(self, views: Sequence[View], strata: Strata) -> tuple[NextValues, IntArray]:
        """Return the same knowledge, tilted by views, and where people stand before the latest.

        Each value is set beside what was expected of this person after what they had before. One
        view shows nothing that followed, and tilts nothing.
        """
        plain = NextValues(self.automaton, self.prior, strata)
        start = self.automaton.start
        had, thought = np.zeros((2, len(strata), strata.shares.shape[1]))
        people = numbered(views)
        state = np.full(1 + max(int(one.max()) for one in people), start)
        last = np.zeros(len(state), dtype=np.int64)
        before = np.empty(0, dtype=np.int64)
        rng = np.random.default_rng(0)  # for values that nobody saw, where knowledge counts time
        for number, (view, who) in enumerate(zip(views, people, strict=True), start=1):
            again = np.flatnonzero(last[who] > 0)
            before = np.full(len(who), start)
            if len(again):
                gaps = (number - last[who[again]]).astype(np.float64)
                some = view.roster.take(again)
                before[again], rows = plain.chances(some, state[who[again]], gaps, rng)
                where = strata.of(some.points)
                _add(had, thought, where, view.value_codes[again], rows)
            state[who] = self.automaton.next_state[before, view.value_codes]
            last[who] = number
        if len(views) == 1:
            return plain, before
        return replace(plain, tilt=_ratio(had, thought)), before

    def _otherwise(self, roster: Roster) -> FloatArray:
        """Return what is expected of each where the automaton knows nothing."""
        if self.prior is not None:
            return self.prior.belief(roster, roster.schema.sensitive.domain).probabilities
        assert self.strata is not None
        return self.strata.shares[self.strata.of(roster.points)]

    def _tilted(self, rows: FloatArray, points: FloatArray) -> FloatArray:
        if self.tilt is None or self.strata is None:
            return rows
        return np.asarray(rows * self.tilt[self.strata.of(points)])


def drawn(rows: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw a value from each row of chances, whatever they sum to.

    >>> drawn(np.array([[0.0, 3.0], [1.0, 0.0]]), np.random.default_rng(1)).tolist()
    [1, 0]
    """
    up_to = np.cumsum(rows, axis=1)
    # Above 0, so that a value without a chance is never drawn.
    picks = (1.0 - rng.random(len(rows))) * up_to[:, -1]
    return np.asarray((up_to < picks[:, None]).sum(axis=1).clip(max=rows.shape[1] - 1))


def _expected(
    automaton: Automaton, tables: IntArray, state: IntArray, beliefs: FloatArray
) -> FloatArray:
    assert automaton.known is not None
    rows = automaton.next_value[tables, state]
    known = automaton.known[tables, state] & (rows.sum(axis=1) > 0)
    return np.where(known[:, None], rows, beliefs)


def _add(
    had: FloatArray, thought: FloatArray, strata: IntArray, codes: IntArray, rows: FloatArray
) -> None:
    """Count values, and add up what was expected, by stratum."""
    np.add.at(had, (strata, codes), 1.0)
    sums = rows.sum(axis=1, keepdims=True)
    np.add.at(thought, strata, rows / np.where(sums > 0, sums, 1.0))


def _ratio(had: FloatArray, thought: FloatArray) -> FloatArray:
    """Return how much more often values came than was expected, shrunk to as often.

    Counts of Poisson with a gamma distribution of mean 1 about their ratio, as if as many had come
    as expected, ten times, before anyone was counted.
    """
    return (had + _AS_EXPECTED) / (thought + _AS_EXPECTED)
