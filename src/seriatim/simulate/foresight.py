"""Who will come: attendance and turnover, as given or as past rosters show them.

From one release to the next whoever takes part leaves for good with one chance; those who stay
are in the release with a chance that depends on whether they were in the one before. The three
chances are the likeliest for what became of everyone after their first roster (the model of
Cormack, Jolly and Seber for marked animals, with absence that lasts). Whoever was in no roster
before is a newcomer, so those who took part unseen are not asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.errors import PolicyError
from seriatim.microdata.roster import Roster, numbered

ASSUMED_SHARE = 0.5
"""The chance to be in a release where a single roster shows nothing of it."""

_ALIKE = 5.0
"""As many returns and absences are added as if those away came like those who were there.

Where nobody was away long enough to tell, they are taken to come alike: whoever is never seen
again then has left."""

_ROUNDS = 2000
"""Rounds of expectation and maximization; each is a handful of sums over the lengths of tails."""

_BEYOND_CHANCE = 4.0
"""Views shrink where the fall is more than so many standard deviations of a count."""

_RECENT = 5
"""Chances are those of the latest half of the views, and of so many at least: they drift."""

_LEAST_TREND = 0.5
"""A view is not taken to be smaller than half of the one before."""


@dataclass(frozen=True)
class Attendance:
    """Who comes again, as a custodian says; what is left out is estimated from past views.

    >>> Attendance(share=0.8)
    Attendance(share=0.8, turnover=None)
    """

    share: float | None = None
    """The share of those under way who are in a view: each comes with this chance.

    Left out, it is estimated; with one view, which shows nothing of it, it is 0.5."""

    turnover: float | None = None
    """The share of those under way who leave for good after each release.

    Left out, it is estimated; up to two views cannot tell leaving from absence, and then nobody
    leaves: whoever stays longer is better known."""

    def __post_init__(self) -> None:
        """Refuse shares that are none."""
        share = 1.0 if self.share is None else self.share
        turnover = 0.0 if self.turnover is None else self.turnover
        numbers = isinstance(share, Real) and isinstance(turnover, Real)
        if not numbers or not 0 < share <= 1 or not 0 <= turnover < 1:
            message = (
                "Attendance is a share above 0 and at most 1, turnover one from 0 and below 1; not"
                f" {self.share!r} and {self.turnover!r}."
            )
            raise PolicyError(message)


@dataclass(frozen=True)
class Presence:
    """The chances by which people come, stay away and leave.

    >>> Presence(again=0.9, back=0.4, leaving=0.0).share
    0.8
    """

    again: float
    """The chance to be in a release of those who were in the one before and have not left."""

    back: float
    """The same chance of those who were away from the one before."""

    leaving: float
    """The share who leave for good after each release, present or not."""

    trend: float = 1.0
    """How large a view is beside the one before; 1 unless past views shrank beyond chance."""

    views: int = 0
    """How many past views this was estimated from."""

    @property
    def share(self) -> float:
        """The share of those under way who are in a release, in the long run; 0 if nobody returns.

        It is again · share + back · (1 − share).
        """
        lost = self.back + 1.0 - self.again
        return 1.0 if lost <= 0 else round(self.back / lost, 12)

    @property
    def leaving_is_known(self) -> bool:
        """Whether there were views enough to tell who left from who was away."""
        return self.views > 2


def presence_of(rosters: Sequence[Roster], given: Attendance | None = None) -> Presence:
    """Estimate who comes from past rosters, earliest first; what is given overrules it.

    One roster shows nothing. Two show who comes again, and not whether the others left: nobody is
    taken to leave, and those away to come like those who were there. From three on people who
    were away and came back tell the two apart, the better the more rosters there are.

    >>> from seriatim import register
    >>> found = presence_of(register(people=400, releases=6, turnover=0.05).views)
    >>> round(found.again, 2), round(found.leaving, 2)
    (1.0, 0.05)
    """
    given = Attendance() if given is None else given
    recent = rosters[-max(_RECENT, -(-len(rosters) // 2)) :]
    runs, trend = _Runs.of(recent), _trend([len(one) for one in recent])
    if len(rosters) > 2:
        found = _likeliest(runs, given)
    else:
        leaving = given.turnover or 0.0
        share = given.share
        if share is None:
            shown = runs.together / max(runs.together + float(runs.tails[1:].sum()), 1.0)
            share = ASSUMED_SHARE if len(rosters) == 1 else min(shown / (1 - leaving), 1.0)
        found = share, share, leaving
    again, back, leaving = (float(one) for one in found)
    return Presence(again, back, leaving, trend, len(rosters))


@dataclass(frozen=True, eq=False)
class _Runs:
    """What rosters show of presence from a person's first roster on, counted over people."""

    together: float
    """Rosters that follow one with the same person."""

    absences: float
    """Stretches of absence that ended."""

    away: float
    """Rosters missed within these, beyond the first of each."""

    tails: FloatArray
    """How many people were last seen so many rosters before the latest (rosters)."""

    @classmethod
    def of(cls, rosters: Sequence[Roster]) -> _Runs:
        people = numbered(rosters)
        when = np.repeat(np.arange(len(people)), [len(one) for one in people])
        who = np.concatenate(people)
        order = np.lexsort((when, who))
        who, when = who[order], when[order]
        same = who[1:] == who[:-1]
        gaps = np.diff(when)[same]
        tails = len(people) - 1 - when[np.append(~same, True)]
        return cls(
            float((gaps == 1).sum()),
            float((gaps > 1).sum()),
            float(np.maximum(gaps - 2, 0).sum()),
            np.bincount(tails, minlength=len(people)).astype(np.float64),
        )


def _likeliest(runs: _Runs, given: Attendance) -> tuple[float, float, float]:
    """Find the likeliest chances by expectation and maximization.

    Not observed is only when those who were not seen to the end left, if they did. Missing r
    rosters after being there has the chance Σⱼ (left before the j-th of them) + (never left):
    with q = 1 − leaving, leaving for j = 1, q(1 − again) · [q(1 − back)]^(j−2) · leaving for
    j > 1, and q(1 − again) · [q(1 − back)]^(r−1).
    """
    length = np.arange(1, len(runs.tails))
    times = runs.tails[1:]
    leaving = 0.02 if given.turnover is None else given.turnover
    again = (runs.together + 1) / (runs.together + runs.absences + 2)
    again = back = again if given.share is None else given.share
    for _ in range(_ROUNDS):
        before = again, back, leaving
        first, missed = (1 - leaving) * (1 - again), (1 - leaving) * (1 - back)
        left = np.where(length == 1, leaving, first * missed ** np.maximum(length - 2, 0) * leaving)
        stayed = first * missed ** (length - 1)
        share = np.divide(
            times, np.cumsum(left) + stayed, where=times > 0, out=np.zeros_like(stayed)
        )
        # How many left before each roster of a tail, and how many of each length never did.
        leavers = left * np.cumsum(share[::-1])[::-1]
        stayers = share * stayed
        absences = runs.absences + stayers.sum() + leavers[1:].sum()
        away = runs.away + stayers @ (length - 1) + leavers[2:] @ (length[2:] - 2)
        if given.turnover is None:
            steps = runs.together + absences + away + runs.absences
            leaving = float(leavers.sum() / max(leavers.sum() + steps, 1.0))
        if given.share is None:
            again = float(runs.together / max(runs.together + absences, 1.0))
            returns, all_away = runs.absences + _ALIKE * again, runs.absences + away + _ALIKE
            back = float(returns / all_away)
        if np.allclose(before, (again, back, leaving), rtol=0, atol=1e-9):
            break
    return again, back, leaving


def _trend(sizes: Sequence[int]) -> float:
    """Return by how much views shrink from one to the next; 1 where that may be chance."""
    first, latest = sizes[0], sizes[-1]
    if len(sizes) < 3 or first - latest <= _BEYOND_CHANCE * np.sqrt(first):
        return 1.0
    # The middle one: a first view may hold everyone who was ever there before.
    steps = np.diff(np.log(sizes))
    return float(np.clip(np.exp(np.median(steps)), _LEAST_TREND, 1.0))


def sizes_of(size: int, releases: int, presence: Presence) -> IntArray:
    """Return how large each release will be, beginning with the latest view's size.

    Never less than a tenth of it: a trend does not go on for ever.

    >>> sizes_of(100, 3, Presence(1.0, 1.0, 0.1, trend=0.9)).tolist()
    [100, 90, 81]
    """
    falling = np.maximum(presence.trend ** np.arange(releases), 0.1)
    return np.asarray(np.maximum(np.rint(size * falling), 1).astype(np.int64))
