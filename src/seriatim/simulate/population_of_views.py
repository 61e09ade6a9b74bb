"""A population learned from past views, and the series that it may come to.

Who comes goes by attendance and turnover (``foresight.py``). Quasi-identifiers of those who come
again change as those of people in the views did. Values go by knowledge from elsewhere
(``known_values.py``), or are dealt as well: what followed what, by people alike
(``appearances.py``). Each change is dealt by itself rather than a person's whole course: a course
dealt whole would play past views again, which ``tune`` does, and could be no longer than they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import FloatArray, IntArray
from seriatim.errors import OrderError
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.prior import Prior
from seriatim.microdata.roster import Roster
from seriatim.microdata.view import View
from seriatim.simulate.appearances import Arrivals, Changes, Followers, Sightings
from seriatim.simulate.foresight import Attendance, Presence, presence_of, sizes_of
from seriatim.simulate.known_values import NextValues, drawn
from seriatim.simulate.strata import Strata

_DIGITS = 12
"""Digits of a drawn id that is a text: texts then sort as numbers do."""


@runtime_checkable
class Population(Protocol):
    """Whatever histories of any length can be drawn from.

    >>> class Steady:
    ...     def __init__(self, view):
    ...         self.view = view
    ...
    ...     def draw(self, releases, rng):
    ...         return [self.view] * releases
    >>> from seriatim import running_example
    >>> isinstance(Steady(running_example().views[0]), Population)
    True
    """

    def draw(self, releases: int, rng: np.random.Generator) -> list[View]:
        """Draw a history: views of people with values, earliest first."""
        ...


@dataclass(frozen=True, eq=False)
class LearnedPopulation:
    """People like those of past views, with what became of these.

    >>> from seriatim import register
    >>> found = learned_population(register(people=200, releases=4).views)
    >>> [len(view) for view in found.draw(6, np.random.default_rng(1))]
    [200, 200, 200, 200, 200, 200]
    """

    latest: Roster
    """Whom a history begins with; a view where these keep their values."""

    arrivals: Arrivals
    """Whom newcomers are like."""

    before: IntArray
    """Where those of the latest view stood before it: in the sequence knowledge their state, else
    the value that they had when last seen, -1 where there is none."""

    presence: Presence
    """Who comes, stays away and leaves."""

    changes: Changes
    """How quasi-identifiers change."""

    following: NextValues | Followers
    """What people have who come again."""

    first: Prior | None
    """What people have first; None where they have what views show."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        views = "1 table" if self.presence.views == 1 else f"{self.presence.views} tables"
        return f"LearnedPopulation({len(self.latest)} respondents, from {views})"

    @property
    def values_read(self) -> bool:
        """Whether anything was learned from sensitive values."""
        return isinstance(self.latest, View)

    @property
    def values_go_by(self) -> str:
        """What values go by: knowledge, tilted knowledge, views, or staying as they are.

        They stay where nothing was seen to follow any, as in one view.
        """
        if isinstance(self.following, NextValues):
            return "knowledge" if self.following.tilt is None else "tilted knowledge"
        return "views" if len(self.following) else "staying"

    def draw(self, releases: int, rng: np.random.Generator) -> list[View]:
        """Draw a history that begins with the people of the latest view, under other ids.

        Views keep their size, or shrink as past ones did.
        """
        cast = _Cast(self, rng)
        sizes = sizes_of(len(self.latest), releases, self.presence)
        return [cast.view(size) for size in sizes.tolist()]


def learned_population(
    rosters: Sequence[Roster],
    *,
    prior: Prior | None = None,
    automaton: Automaton | None = None,
    attendance: Attendance | None = None,
) -> LearnedPopulation:
    """Learn a population from past views, or rosters, earliest first, of the same domains.

    From views people have the values that they or those like them had. What follows goes by an
    automaton, tilted by what followed in the views; without one, by that alone. Rosters have no
    values, and need prior and automaton. ``attendance`` overrules what is seen.

    >>> from seriatim import clinic
    >>> made = clinic(weeks=1, size=60)
    >>> roster = Roster.from_table(made.weeks[0], made.schema)
    >>> domain = made.schema.sensitive.domain
    >>> learned_population([roster], prior=made.prior, automaton=made.sequence.automaton(domain))
    LearnedPopulation(60 respondents, from 1 table)
    """
    views = [one for one in rosters if isinstance(one, View)]
    have_values = len(views) == len(rosters)
    if not rosters or not (have_values or (prior is not None and automaton is not None)):
        message = (
            "A population is learned from views with their sensitive values where knowledge does"
            f" not say what people have. Given were {len(rosters)} tables, {len(views)} of them"
            " with values. Give views, or rosters with both prior and sequence knowledge."
        )
        raise OrderError(message)
    sightings, latest = Sightings.of(rosters), rosters[-1]
    following: NextValues | Followers
    strata: Strata | None = None
    if have_values:
        one_each, n_values = sightings.latest, len(latest.schema.sensitive.domain)
        strata = Strata.of_people(
            sightings.points[one_each], sightings.codes[one_each], n_values=n_values
        )
        if automaton is None:
            following, before = Followers.of(sightings, strata), sightings.before_latest()
        else:
            following, before = NextValues(automaton, prior).tilted_by(views, strata)
    else:
        assert automaton is not None
        following, before = NextValues(automaton, prior), np.full(len(latest), automaton.start)
        rosters = [
            Roster(one.schema, one.respondents, one.points, one.positions) for one in rosters
        ]
    return LearnedPopulation(
        rosters[-1],
        Arrivals.of(sightings, strata),
        before,
        presence_of(rosters, attendance),
        Changes.of(latest.schema, sightings),
        following,
        None if have_values else prior,
    )


class _Cast:
    """Everyone met so far in a history that is being drawn; row i is person i."""

    def __init__(self, population: LearnedPopulation, rng: np.random.Generator) -> None:
        self.population, self.rng, self.release = population, rng, 0
        following = population.following
        self.start = following.automaton.start if isinstance(following, NextValues) else -1
        nobody = np.empty(0, dtype=np.int64)
        self.points = np.empty((0, population.latest.points.shape[1]))
        self.codes = self.before = self.seen = nobody
        self.gone = np.empty(0, dtype=bool)

    def view(self, size: int) -> View:
        """Draw the next release: who is there, their quasi-identifiers and values."""
        self.release += 1
        there = self._first() if self.release == 1 else self._next(size)
        latest = self.population.latest
        roster = Roster(latest.schema, self._ids(there), self.points[there], there)
        self._draw_values(roster, there)
        self.seen[there] = self.release
        codes = self.codes[there]
        return View(latest.schema, roster.respondents, roster.points, there, codes, "pyarrow")

    def _ids(self, there: IntArray) -> pa.Array:
        """Return ids of another kind than those of the past, which so can be nobody's."""
        if pa.types.is_integer(self.population.latest.respondents.type):
            return pc.utf8_lpad(pc.cast(pa.array(there), pa.string()), _DIGITS, "0")
        return pa.array(there)

    def _first(self) -> IntArray:
        latest = self.population.latest
        nothing = np.zeros(len(latest), dtype=np.int64)
        codes = latest.value_codes if isinstance(latest, View) else nothing
        return self._enrol(latest.points, codes, self.population.before)

    def _next(self, size: int) -> IntArray:
        """Draw who comes again, and let newcomers fill the room."""
        population, presence, rng = self.population, self.population.presence, self.rng
        self.gone |= rng.random(len(self.gone)) < presence.leaving
        chance = np.where(self.seen == self.release - 1, presence.again, presence.back)
        coming = np.flatnonzero(~self.gone & (rng.random(len(self.gone)) < chance))
        if len(coming) > size:
            coming = np.sort(rng.choice(coming, size, replace=False))
        gaps = self.release - self.seen[coming]
        self.points[coming] = population.changes.dealt(self.points[coming], gaps, rng)
        points, codes = population.arrivals.draw(size - len(coming), rng)
        before = np.full(len(points), self.start)
        return np.concatenate([coming, self._enrol(points, codes, before)])

    def _enrol(self, points: FloatArray, codes: IntArray, before: IntArray) -> IntArray:
        """Give numbers to people who are seen for the first time."""
        numbers = len(self.gone) + np.arange(len(points))
        nothing = np.zeros(len(points), dtype=np.int64)
        self.points = np.concatenate([self.points, points])
        self.codes = np.concatenate([self.codes, codes])
        self.before = np.concatenate([self.before, before])
        self.seen = np.concatenate([self.seen, nothing])
        self.gone = np.concatenate([self.gone, nothing > 0])
        return numbers

    def _draw_values(self, roster: Roster, there: IntArray) -> None:
        """Draw what everyone of a release has, and note where that leads."""
        following, rng = self.population.following, self.rng
        again, new = (np.flatnonzero((self.seen[there] > 0) == met) for met in (True, False))
        self._draw_first(roster, there, new)
        some = there[again]
        gaps, before = self.release - self.seen[some], self.before[there]
        if isinstance(following, Followers):
            last, earlier = self.codes[some], before[again]
            self.codes[some] = following.draw(self.points[some], gaps, last, earlier, rng)
            self.before[some] = last
            return
        if len(again):
            times = gaps.astype(np.float64)
            known = roster.take(again)
            before[again], self.codes[some] = following.draw(known, before[again], times, rng)
        self.before[there] = following.automaton.next_state[before, self.codes[there]]

    def _draw_first(self, roster: Roster, there: IntArray, new: IntArray) -> None:
        """Draw what newcomers have by the prior, where views do not show it."""
        first = self.population.first
        if first is not None and len(new):
            some = roster.take(new)
            rows = first.belief(some, roster.schema.sensitive.domain).probabilities
            self.codes[there[new]] = drawn(rows, self.rng)
