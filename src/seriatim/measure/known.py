"""People who are known: of whom a reader is sure of a true value, and counting alone is not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray

SURE = 0.9
"""Whose true value is believed above this is known, unless something else is asked."""

_NINE_IN_TEN = 1.2815515655446004
"""The 0.9 quantile of the normal distribution."""


@dataclass(frozen=True)
class KnownPeople:
    """How many people a reader knows by a whole series, beyond what counting tells.

    >>> one = KnownPeople(people=400, known=2)
    >>> one.share, round(one.at_most, 4)
    (0.005, 0.012)
    >>> one.and_also(KnownPeople(people=600, known=0))
    KnownPeople(people=1000, known=2)
    """

    people: int
    """People who were ever published."""

    known: int
    """Those of whom a true value is believed above the bound in some release that shows them, and
    is not above it in the eyes of one who only counts."""

    @property
    def share(self) -> float:
        """The share of the people who are known."""
        return self.known / self.people if self.people else 0.0

    @property
    def at_most(self) -> float:
        """What the share lies below in nine of ten samples of people: Wilson's bound, one-sided."""
        if not self.people:
            return 0.0
        z, n, p = _NINE_IN_TEN, self.people, self.share
        spread = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return (p + z * z / (2 * n) + spread) / (1 + z * z / n)

    def and_also(self, more: KnownPeople) -> KnownPeople:
        """Return the count over other people as well."""
        return KnownPeople(self.people + more.people, self.known + more.known)


def known_people(
    people: Sequence[IntArray],
    confidence: Sequence[FloatArray],
    frequency: Sequence[FloatArray],
    *,
    above: float = SURE,
    harmful: Sequence[BoolArray] | None = None,
) -> KnownPeople:
    """Count who is ever known, of people numbered alike in all releases.

    All lists are over releases, their arrays over tuples: whose, what is believed of the true
    value, its share in the group, and whether knowing it does harm (all, if left out).

    >>> two = [np.array([0, 1]), np.array([0, 2])]
    >>> believed = [np.array([0.95, 0.5]), np.array([0.4, 0.99])]
    >>> counted = [np.array([0.5, 0.5]), np.array([0.5, 0.95])]
    >>> known_people(two, believed, counted)
    KnownPeople(people=3, known=1)
    """
    who = np.concatenate([np.zeros(0, dtype=np.int64), *people])
    if len(who) == 0:
        return KnownPeople(0, 0)
    found = (np.concatenate(confidence) > above) & (np.concatenate(frequency) <= above)
    if harmful is not None:
        found &= np.concatenate(harmful)
    return KnownPeople(len(np.unique(who)), len(np.unique(who[found])))
