"""Trials: what comes of one setting when a series is published with it and attacked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TypeVar

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.errors import UnsatisfiableError
from seriatim.inference.adversary import Adversary
from seriatim.inference.compromised import CompromisedTuples
from seriatim.inference.readers import named_readers
from seriatim.inference.retrospective import Retrospective
from seriatim.inference.worlds import Worlds
from seriatim.knowledge.belief import Belief
from seriatim.measure.disclosure import gain_over
from seriatim.measure.known import KnownPeople, known_people
from seriatim.measure.score import Score, score
from seriatim.measure.strongest import is_worse_than_counting
from seriatim.measure.utility import global_certainty_penalty
from seriatim.microdata.membership import Membership
from seriatim.microdata.release import Release
from seriatim.microdata.roster import numbered
from seriatim.microdata.schema import Schema
from seriatim.microdata.view import View
from seriatim.publish.policy import Policy
from seriatim.publish.pooling import pooled
from seriatim.publish.publisher import Publication, Publisher
from seriatim.publish.series_plan import Basis, SeriesPlan
from seriatim.publish.setting import Setting

LEAST_SUPPRESSED = 0.0025
"""The greatest share of a release that a recommended setting may suppress."""

_SWEEPS, _CHAINS = (20, 60), 2
"""How long worlds are drawn from the truth: chains stay near it at first, so that what they show
falls with time. What keeps the promise already need not be drawn longer."""

HOPELESS = 1.5
"""What breaks the promise so many times over is not drawn longer either."""

_AT_ONCE = 2**16
"""Respondents whose beliefs are looked at in one piece: all values of millions are many."""


@dataclass(frozen=True, kw_only=True)
class Trial(Setting):
    """What came of one setting, on one or several histories.

    >>> from seriatim import SeriesPlan, StandingCells
    >>> found = Trial(
    ...     cells=StandingCells(20), k=10, gains=(0.08, 0.09), penalty=0.3, suppressed=0.0
    ... )
    >>> found.gain, found.holds(SeriesPlan(target=0.12)), found.holds(SeriesPlan(target=0.1))
    (0.09, True, False)
    """

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

    known: KnownPeople | None = None
    """How many people are ever known, over all histories; None where none was attacked."""

    waiting: float = 0.0
    """The mean share of those who came who wait to be listed."""

    carried: float = 0.0
    """The mean share of a release that is about people who did not come."""

    @property
    def gain(self) -> float:
        """The greatest gain over the histories."""
        return max(self.gains, default=0.0)

    @property
    def spread(self) -> float:
        """The standard deviation of the gain over the histories; 0 for one."""
        return float(np.std(self.gains, ddof=1)) if len(self.gains) > 1 else 0.0

    @property
    def cost(self) -> float:
        """What it costs the users of the data, as a share: detail lost, rows missing and stale."""
        return self.penalty + self.waiting + self.carried

    def keeps(self, plan: SeriesPlan) -> bool:
        """Tell whether every history kept the promise of a plan, with what is in reserve."""
        known = 0.0 if self.known is None else self.known.share
        return self.gain <= plan.goal and known <= plan.share_goal

    def excess(self, plan: SeriesPlan) -> float:
        """Return how many times over the promise is broken; at most 1 where it is kept."""
        over = [self.gain / plan.goal] if plan.goal else [float(self.gain > 0)]
        if self.known is not None and plan.share_goal:
            # People at the edge of the bound fall out of it sooner than a mean falls.
            over.append((self.known.share / plan.share_goal) ** 0.5)
        return float(max(over))

    def holds(self, plan: SeriesPlan) -> bool:
        """Tell whether the promise was kept to the end, and hardly anyone was left out."""
        return self.failure is None and self.suppressed <= LEAST_SUPPRESSED and self.keeps(plan)

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

    def and_also(self, more: Trial) -> Trial:
        """Return what came of the same setting on the histories of both."""
        played, added = len(self.gains), len(more.gains)

        def mean(mine: float, theirs: float) -> float:
            return (mine * played + theirs * added) / max(played + added, 1)

        return replace(
            self,
            gains=self.gains + more.gains,
            penalty=mean(self.penalty, more.penalty),
            suppressed=max(self.suppressed, more.suppressed),
            failure=self.failure or more.failure,
            score=_together([one for one in (self.score, more.score) if one is not None]),
            known=_together([one for one in (self.known, more.known) if one is not None]),
            waiting=mean(self.waiting, more.waiting),
            carried=mean(self.carried, more.carried),
        )


def tried(
    policy: Policy,
    setting: Setting,
    histories: Sequence[list[View]],
    adversary: Adversary,
    plan: SeriesPlan,
    *,
    dearer_than: float = float("inf"),
) -> Trial | None:
    """Publish histories with one setting, and attack what was published.

    None where it costs more than ``dearer_than``: then nobody needs to attack.
    """
    policy = setting.policy(policy)
    found: Trial | None = None
    for number, views in enumerate(histories):
        made, failure = published(policy, adversary, views)
        if failure is None:
            trial = _cost(setting, made)
            if trial.cost > dearer_than:
                return None
            trial = _attacked(trial, made, adversary, plan, number)
        else:
            trial = Trial(**vars(setting), gains=(), penalty=1.0, suppressed=0.0, failure=failure)
        found = trial if found is None else found.and_also(trial)
        if failure is not None:
            break
    return found


def published(
    policy: Policy, adversary: Adversary, views: list[View]
) -> tuple[list[Publication], str | None]:
    """Publish a history, and say why where that cannot be done to the end."""
    publisher = Publisher(views[0].schema, policy, adversary, seed=1)
    made: list[Publication] = []
    pools = [views[at : at + policy.pool] for at in range(0, len(views), policy.pool)]
    whole = [pool for pool in pools if len(pool) == policy.pool]
    for number, pool in enumerate(whole, start=1):
        try:
            publisher.publish(pooled(pool), at=number * policy.pool)
        except UnsatisfiableError as error:
            return made, f"release {number}: {str(error).splitlines()[0]}"
        assert publisher.latest is not None
        made.append(publisher.latest)
    return made, None


def _cost(setting: Setting, made: Sequence[Publication]) -> Trial:
    """Return a setting with what it costs."""
    return Trial(
        **vars(setting),
        gains=(),
        penalty=float(np.mean([global_certainty_penalty(one.release) for one in made])),
        suppressed=max(one.suppressed / len(one.view) for one in made),
        waiting=float(np.mean([_share(one.waiting, len(one.view)) for one in made])),
        carried=float(np.mean([_share(one.carried, len(one.view)) for one in made])),
    )


def _share(some: int, all_of_them: int) -> float:
    return some / all_of_them if all_of_them else 0.0


def _attacked(
    trial: Trial, made: list[Publication], adversary: Adversary, plan: SeriesPlan, number: int
) -> Trial:
    """Return a trial with what its reader learns."""
    series = _Series.of(made, adversary, plan, number)
    attacker, basis = attacker_of(plan, series.adversary, series.made[0].view.schema)
    if not isinstance(attacker, Worlds) or basis == "found":
        beliefs = attacker.read(series.releases, series.memberships, series.views)
        return series.measured(trial, beliefs)
    for sweeps in _SWEEPS:
        quick = replace(attacker, sweeps=sweeps, chains=_CHAINS)
        weighed = quick.weigh(series.releases, series.memberships, series.views, from_truth=True)
        trial = series.measured(trial, weighed.of_series())
        if trial.keeps(plan) or trial.excess(plan) > HOPELESS:
            break
    return trial


def attacker_of(
    plan: SeriesPlan, adversary: Adversary, schema: Schema
) -> tuple[Adversary | Retrospective | Worlds, Basis]:
    """Return who attacks by a plan, and what a promise against them rests on."""
    name = plan.reader
    if name == "strongest":
        automaton = adversary.automaton(schema.sensitive.domain)
        short = automaton is None or automaton.is_forgetful
        name = "worlds" if short else "retrospective"
    attacker = named_readers([name], adversary)[name]
    return attacker, plan.basis if isinstance(attacker, Worlds) else "found"


@dataclass(frozen=True, eq=False)
class _Series:
    """A published series, and what there is to measure its readers by; private."""

    made: list[Publication]
    plan: SeriesPlan
    adversary: Adversary
    rows: list[IntArray]
    """Rows of each view that were published, and that the reader was not told of."""

    @classmethod
    def of(
        cls, made: list[Publication], adversary: Adversary, plan: SeriesPlan, number: int
    ) -> _Series:
        rows = [np.flatnonzero(one.membership.published) for one in made]
        if not plan.told:
            return cls(made, plan, adversary, rows)
        views, instants = [one.view for one in made], [one.release.at for one in made]
        told = CompromisedTuples.of_people(views, instants, share=plan.told, seed=number)
        knowing = replace(adversary, compromised=told)
        untold = [
            some[knowing.told(view.roster, at)[some] < 0]
            for some, view, at in zip(rows, views, instants, strict=True)
        ]
        return cls(made, plan, knowing, untold)

    @property
    def releases(self) -> list[Release]:
        return [one.release for one in self.made]

    @property
    def memberships(self) -> list[Membership]:
        return [one.membership for one in self.made]

    @property
    def views(self) -> list[View]:
        return [one.view for one in self.made]

    def measured(self, trial: Trial, beliefs: list[Belief]) -> Trial:
        """Return a trial with what these beliefs come to."""
        triples = list(zip(self.made, beliefs, self.rows, strict=True))
        confidence, frequency = zip(*(_believed(*triple) for triple in triples), strict=True)
        pairs = list(zip(confidence, frequency, strict=True))
        return replace(
            trial,
            gains=(max(_mean_gain(*pair) for pair in pairs),),
            score=_together([one for triple in triples for one in _scored(*triple)]),
            known=known_people(
                numbered([one.view.roster.take(rows) for one, _, rows in triples]),
                confidence,
                frequency,
                above=self.plan.known,
                harmful=[harmful(one.view, self.plan)[rows] for one, _, rows in triples],
            ),
        )


def harmful(view: View, plan: SeriesPlan) -> BoolArray:
    """Tell of which rows it does harm to know the value."""
    domain = view.schema.sensitive.domain
    harmless = np.array([value in plan.harmless for value in domain], dtype=bool)
    return np.asarray(~harmless[view.value_codes])


def _believed(made: Publication, belief: Belief, rows: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the belief in each true value, and its share in the group."""
    truth = made.view.value_codes[rows]
    counts = made.release.value_counts[made.membership.group_of[rows]]
    shown = counts[np.arange(len(rows)), truth]
    return belief.at(rows, truth), shown / counts.sum(axis=1)


def _mean_gain(confidence: FloatArray, frequency: FloatArray) -> float:
    return float(gain_over(confidence, frequency).mean()) if len(confidence) else 0.0


def _scored(made: Publication, belief: Belief, rows: IntArray) -> list[Score]:
    """Return the scores of what is believed of the published, some respondents at a time."""
    counts, truth, groups = made.release.value_counts, made.view.value_codes, made.membership
    return [
        score(belief.some(part), truth[part], groups.group_of[part], published=counts)
        for part in _pieces(rows)
    ]


def _pieces(rows: IntArray) -> list[IntArray]:
    return [rows[begin : begin + _AT_ONCE] for begin in range(0, len(rows), _AT_ONCE)]


_Added = TypeVar("_Added", Score, KnownPeople)


def _together(found: Sequence[_Added]) -> _Added | None:
    return reduce(lambda one, more: one.and_also(more), found) if found else None
