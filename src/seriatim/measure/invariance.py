"""m-invariance of a series: do respondents' groups always show the same values?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from seriatim._typing import IntArray
from seriatim.errors import OrderError
from seriatim.microdata.membership import Membership
from seriatim.microdata.release import Release
from seriatim.microdata.slots import Slots


@dataclass(frozen=True)
class Invariance:
    """How far a series is m-invariant."""

    m: int
    """Least size of a group; 0 where some group shows a value twice."""

    returning: int
    """How many times a respondent was published who had been before."""

    broken: int
    """How many of these times the group showed other values than the one before it."""

    @property
    def holds(self) -> bool:
        """Whether the series is m-invariant, for the m that its groups have."""
        return self.m > 0 and self.broken == 0


def invariance(releases: Sequence[Release], memberships: Sequence[Membership]) -> Invariance:
    """Return how far a series is m-invariant (Xiao and Tao, 2007).

    >>> from seriatim import running_example
    >>> example = running_example()
    >>> invariance(example.releases, example.memberships)  # Alice and Carol come again
    Invariance(m=2, returning=2, broken=2)
    """
    if len(releases) != len(memberships):
        message = f"{len(releases)} releases need as many memberships, not {len(memberships)}."
        raise OrderError(message)
    least, returning, broken = [], 0, 0
    numbers: dict[bytes, int] = {}
    slots, last = Slots(), np.empty(0, dtype=np.int64)
    for release, membership in zip(releases, memberships, strict=True):
        counts = release.value_counts
        least.append(int(release.sizes.min()) if (counts <= 1).all() else 0)
        rows = membership.members
        signatures = _numbered(counts > 0, numbers)[membership.group_of[rows]]
        respondents = membership.roster.respondents.take(pa.array(rows))
        places, new = slots.with_newcomers(respondents)
        again = np.ones(len(rows), dtype=bool)
        again[new] = False
        returning += int(again.sum())
        broken += int((last[places[again]] != signatures[again]).sum())
        last = np.concatenate([last, np.zeros(len(new), dtype=np.int64)])
        last[places] = signatures
        slots.add(respondents.take(pa.array(new)), places[new])
    return Invariance(min(least, default=0), returning, broken)


def _numbered(shown: np.ndarray, numbers: dict[bytes, int]) -> IntArray:
    """Number sets of values, the same set always alike, also where the domain has grown."""
    words = [row.tobytes().rstrip(b"\0") for row in shown]
    return np.array([numbers.setdefault(word, len(numbers)) for word in words], dtype=np.int64)
