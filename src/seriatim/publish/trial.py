"""Trials: what comes of one setting when a series is published with it and attacked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from seriatim.errors import UnsatisfiableError
from seriatim.inference.adversary import Adversary
from seriatim.inference.readers import named_readers
from seriatim.knowledge.belief import Belief
from seriatim.measure.score import Score, score
from seriatim.measure.strongest import is_worse_than_counting
from seriatim.measure.utility import global_certainty_penalty
from seriatim.microdata.view import View
from seriatim.partition.standing_cells import StandingCells
from seriatim.publish.policy import Policy
from seriatim.publish.publisher import Publication, Publisher
from seriatim.publish.watch import gains_of

LEAST_SUPPRESSED = 0.0025
"""The greatest share of a release that a recommended setting may suppress."""

_AT_ONCE = 2**16
"""Respondents whose beliefs are looked at in one piece: all values of millions are many."""


@dataclass(frozen=True)
class Trial:
    """What came of one setting, on one or several histories.

    >>> from seriatim import StandingCells
    >>> found = Trial(StandingCells(20), k=10, gains=(0.08, 0.11), penalty=0.3, suppressed=0.0)
    >>> found.gain, found.holds(0.12), found.holds(0.1)
    (0.11, True, False)
    """

    cells: StandingCells
    """The cells."""

    k: int
    """The least size of a group; never below what the policy asks for."""

    gains: tuple[float, ...]
    """The greatest mean gain of a release, in each history."""

    penalty: float
    """Global certainty penalty, the mean over releases."""

    suppressed: float
    """The greatest share of a release that was suppressed."""

    failure: str | None = None
    """Why a series could not be published to its end."""

    score: Score | None = None
    """Log-loss and calibration of the reader, over all histories; None where none was attacked."""

    @property
    def gain(self) -> float:
        """The greatest gain over the histories."""
        return max(self.gains, default=0.0)

    @property
    def spread(self) -> float:
        """The standard deviation of the gain over the histories; 0 for one."""
        return float(np.std(self.gains, ddof=1)) if len(self.gains) > 1 else 0.0

    def holds(self, target: float) -> bool:
        """Tell whether every history stayed under a target, and hardly anyone was left out."""
        return self.failure is None and self.gain <= target and self.suppressed <= LEAST_SUPPRESSED

    @property
    def scored(self) -> tuple[float | None, float | None, float | None]:
        """Log-loss, that of counting, and how much was right of what was said above 0.9."""
        if self.score is None:
            return None, None, None
        found = self.score
        return found.log_loss, found.log_loss_by_frequency, found.sure_and_right

    @property
    def misled(self) -> bool:
        """Whether the reader is worse than counting: then its gain says little."""
        return self.score is not None and is_worse_than_counting(self.score)

    def policy(self, policy: Policy) -> Policy:
        """Return a policy with this setting, which asks for no less."""
        return replace(policy.with_k(self.k), partitioner=self.cells)

    def and_also(self, more: Trial) -> Trial:
        """Return what came of the same setting on the histories of both."""
        played, added = len(self.gains), len(more.gains)
        return replace(
            self,
            gains=self.gains + more.gains,
            penalty=(self.penalty * played + more.penalty * added) / max(played + added, 1),
            suppressed=max(self.suppressed, more.suppressed),
            failure=self.failure or more.failure,
            score=_together([one for one in (self.score, more.score) if one is not None]),
        )


def tried(
    policy: Policy,
    cells: StandingCells,
    k: int,
    histories: Sequence[list[View]],
    adversary: Adversary,
    reader: str,
    *,
    coarser_than: float = 1.0,
) -> Trial | None:
    """Publish histories with one setting, and attack what was published.

    None where more detail is lost than ``coarser_than``: then nobody needs to attack.
    """
    policy = replace(policy.with_k(k), partitioner=cells)
    gains: list[float] = []
    penalties: list[float] = []
    scores: list[Score] = []
    suppressed, failure = 0.0, None
    for views in histories:
        made, failure = _published(policy, adversary, views)
        if failure is not None:
            break
        penalties += [global_certainty_penalty(one.release) for one in made]
        if np.mean(penalties) > coarser_than:
            return None
        beliefs = _read(made, adversary, reader)
        pairs = list(zip(made, beliefs, strict=True))
        gains.append(max(float(gains_of(one, belief).mean()) for one, belief in pairs))
        scores += [one for pair in pairs for one in _scored(*pair)]
        suppressed = max(suppressed, *(one.suppressed / len(one.view) for one in made))
    penalty = float(np.mean(penalties)) if penalties else 1.0
    return Trial(cells, k, tuple(gains), penalty, suppressed, failure, _together(scores))


def _published(
    policy: Policy, adversary: Adversary, views: list[View]
) -> tuple[list[Publication], str | None]:
    publisher = Publisher(views[0].schema, policy, adversary, seed=1)
    made: list[Publication] = []
    for number, view in enumerate(views, start=1):
        try:
            publisher.publish(view, at=number)
        except UnsatisfiableError as error:
            return made, f"release {number}: {str(error).splitlines()[0]}"
        assert publisher.latest is not None
        made.append(publisher.latest)
    return made, None


def _read(made: list[Publication], adversary: Adversary, reader: str) -> list[Belief]:
    """Return what a reader believes who has read a series."""
    attacker = named_readers([reader], adversary)[reader]
    views = [one.view for one in made]
    return attacker.read([one.release for one in made], [one.membership for one in made], views)


def _scored(made: Publication, belief: Belief) -> list[Score]:
    """Return the scores of what is believed of the published, some respondents at a time."""
    rows, counts = np.flatnonzero(made.membership.published), made.release.value_counts
    parts = (rows[begin : begin + _AT_ONCE] for begin in range(0, len(rows), _AT_ONCE))
    truth, groups = made.view.value_codes, made.membership.group_of
    return [score(belief.some(part), truth[part], groups[part], published=counts) for part in parts]


def _together(scores: Sequence[Score]) -> Score | None:
    return reduce(Score.and_also, scores) if scores else None
