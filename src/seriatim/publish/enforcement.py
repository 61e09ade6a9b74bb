"""Enforcement: what becomes of a release by which the simulated reader would gain too much.

It is refused, or formed again with larger groups until the watch is under the target. A
larger k is stricter than the one that was declared, so the promise holds either way. Trying
commits nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from seriatim.errors import UnsatisfiableError
from seriatim.publish.policy import Policy
from seriatim.publish.publisher import Publication
from seriatim.publish.series_plan import SeriesPlan
from seriatim.publish.store import Step
from seriatim.publish.study_file import Enforce
from seriatim.publish.traces import Trace
from seriatim.publish.watch import Watch, require_under
from seriatim.publish.whereabouts import Separation, Whereabouts

_GROWTH = 1.5
"""How much larger groups are asked for, from one attempt to the next."""

_MOST_OF_A_VIEW = 3
"""Groups of more than one in so many of a view are not tried."""


class Looked(NamedTuple):
    """What the watch found of a release."""

    watched: Watch
    """What the simulated reader gains by it."""

    window: tuple[Trace, ...]
    """What is followed of the last releases from now on."""

    separation: Separation | None = None
    """Whom it separates by subtraction from the last releases."""

    whereabouts: tuple[Whereabouts, ...] = ()
    """Who was in which group of these and of it, from now on."""


@dataclass(frozen=True, eq=False)
class Attempt:
    """A release that was formed, and is not yet out."""

    publication: Publication
    """The release, and what it was made from."""

    step: Step
    """What makes it part of the series."""

    look: Callable[[], Looked]
    """What finds out what the simulated reader gains by it."""

    k: int
    """The least size of a group that it was formed with."""

    instead: Watch | None = None
    """What the reader would have gained with the groups that were asked for, where they grew."""

    def __repr__(self) -> str:
        """Say what it is, and nothing about anyone in it."""
        return f"Attempt({self.publication.release!r}, k={self.k})"

    @cached_property
    def looked(self) -> Looked:
        """What was found, when it was first asked for."""
        return self.look()

    @property
    def watched(self) -> Watch:
        """What the simulated reader gains by it."""
        return self.looked.watched


def enforced(
    first: Attempt,
    policy: Policy,
    plan: SeriesPlan,
    enforce: Enforce,
    again: Callable[[Policy, int], Attempt],
) -> Attempt:
    """Return an attempt that keeps the target, or refuse; ``again`` forms groups of a larger k."""
    if enforce is False or first.watched.decisive <= plan.target:
        return first
    tried = ""
    if enforce == "enlarge":
        most = len(first.publication.view) / _MOST_OF_A_VIEW
        k = math.ceil(first.k * _GROWTH)
        while k <= most:
            try:
                attempt = again(policy.with_k(k), k)
            except UnsatisfiableError:
                break
            if attempt.watched.decisive <= plan.target:
                return replace(attempt, instead=first.watched)
            tried = f" Groups of up to {k} did not help."
            k = math.ceil(k * _GROWTH)
    require_under(first.watched, plan, tried)
    return first
