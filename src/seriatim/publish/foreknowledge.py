"""What a rehearsal is played with: a population, and what its reader will have learned."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from seriatim._typing import Value
from seriatim.errors import KnowledgeError, OrderError
from seriatim.inference.adversary import Adversary
from seriatim.knowledge.automaton import Automaton
from seriatim.knowledge.incremental import IncrementalKnowledge
from seriatim.knowledge.learning import Learner, LocalNotebook
from seriatim.microdata.roster import Roster
from seriatim.microdata.view import View
from seriatim.publish.series_schema import require_same_codes
from seriatim.simulate.foresight import Attendance
from seriatim.simulate.population_of_views import LearnedPopulation, learned_population

_WIDTH = 78
"""Characters of a line of what is told."""


@dataclass(frozen=True, eq=False)
class Foreknowledge:
    """A population to draw histories from, and a reader who knows what it is drawn from.

    >>> from seriatim import IncrementalKnowledge, register
    >>> views = register(people=200, releases=4).views
    >>> found = foresee(Adversary(sequence=IncrementalKnowledge(1)), views)
    >>> print(found)
    Learned from 4 views, whose sensitive values were read: 100% of those who were in a release
    and have not left are in the next, 2.0% leave for good after each, nobody comes again with
    other quasi-identifiers. Values follow as they did in the views.
    """

    population: LearnedPopulation
    """What histories are drawn from."""

    adversary: Adversary
    """The reader: what it would learn from views, it has learned from these."""

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Foreknowledge({self.population!r})"

    @property
    def told(self) -> dict[str, Any]:
        """What was learned, in plain values."""
        population, presence = self.population, self.population.presence
        return {
            "tables": presence.views,
            "values_read": population.values_read,
            "again": presence.again,
            "back": presence.back,
            "leaving": presence.leaving,
            "trend": presence.trend,
            "moving": population.changes.moving,
            "values": population.values_go_by,
        }

    def __str__(self) -> str:
        """Tell in words what was learned and what is assumed."""
        return textwrap.fill(" ".join(_sentences(self.population)), _WIDTH)


def foresee(
    adversary: Adversary, rosters: Sequence[Roster], attendance: Attendance | None = None
) -> Foreknowledge:
    """Learn what a rehearsal is played with from past views, or rosters, earliest first.

    Where the reader's knowledge comes from files, values follow by it, tilted by the values of
    views; rosters have none. Where it would learn from the views of the series, both people and
    reader learn from these views: what follows what, shrunk to shorter memories. One view shows
    nothing of that: then values stay, and the reader knows it. ``attendance`` overrules what
    tables show of who comes.

    >>> from seriatim import clinic
    >>> made = clinic(weeks=1, size=60)
    >>> roster = Roster.from_table(made.weeks[0], made.schema)
    >>> foresee(Adversary(made.prior, made.sequence), [roster])
    Foreknowledge(LearnedPopulation(60 respondents, from 1 table))
    """
    if not rosters:
        message = "There is nothing to play: give at least one roster."
        raise OrderError(message)
    require_same_codes(rosters)
    if adversary.sequence is None:
        message = (
            "A reader without sequence knowledge learns nothing from a series beyond each release."
            " Give the rehearsal sequence knowledge."
        )
        raise OrderError(message)
    schema = rosters[-1].schema
    # Domains may only widen: codes of earlier ones are codes of the latest.
    rosters = [replace(one, schema=schema) for one in rosters]
    views = [one for one in rosters if isinstance(one, View)]
    learns = [one for one in (adversary.prior, adversary.sequence) if _learns(one)]
    if learns and len(views) < len(rosters):
        message = (
            f"{type(learns[0]).__name__} learns from the original views, and a rehearsal with"
            " rosters has none: nothing can be drawn from it. Give past views with their sensitive"
            " values (foresee), or knowledge from elsewhere (a file, or what `seriatim mine` makes"
            " of past tables)."
        )
        raise KnowledgeError(message)
    domain, sequence, prior = schema.sensitive.domain, adversary.sequence, adversary.prior
    known = None if isinstance(sequence, Learner) else adversary.automaton(domain)
    if isinstance(prior, Learner) and _learns(prior):
        prior, _ = prior.study(views[-1], LocalNotebook())
    population = learned_population(
        rosters,
        prior=None if adversary.prior in learns else prior,
        automaton=known,
        attendance=attendance,
    )
    if isinstance(sequence, Learner):
        sequence = _learned(sequence, views, domain)
    return Foreknowledge(population, replace(adversary, prior=prior, sequence=sequence))


def _learns(part: object) -> bool:
    """Tell whether knowledge has nothing to say before it has studied a view."""
    return isinstance(part, Learner) and getattr(part, "view", None) is None


def _learned(learner: Learner, views: Sequence[View], domain: tuple[Value, ...]) -> Any:
    """Return what sequence knowledge has learned from views."""
    if len(views) == 1:
        return _staying(domain)
    notebook, known = LocalNotebook(), None
    for view in views:
        known, lesson = learner.study(view, notebook)
        if lesson is not None:
            notebook.keep(lesson)
    return learner.shrunk(notebook, domain) if isinstance(learner, IncrementalKnowledge) else known


def _staying(domain: tuple[Value, ...]) -> Automaton:
    """Return knowledge that values stay; of newcomers it knows nothing."""
    n_values = len(domain)
    following = np.tile(np.arange(1, n_values + 1, dtype=np.int32), (n_values + 1, 1))
    known = np.arange(n_values + 1) > 0
    return Automaton(domain, np.vstack([np.zeros(n_values), np.eye(n_values)]), following, 0, known)


def _sentences(population: LearnedPopulation) -> list[str]:
    presence, views = population.presence, population.values_read
    kind = "view" if views else "roster"
    tables = f"1 {kind}" if presence.views == 1 else f"{presence.views} {kind}s"
    read = "whose sensitive values were read" if views else "without sensitive values"
    leave = f"{presence.leaving:.1%} leave" if presence.leaving >= _HARDLY else "nobody leaves"
    away = (
        f" ({presence.back:.0%} of those who were away)"
        if abs(presence.back - presence.again) >= _ABOUT
        else ""
    )
    move = population.changes.moving
    moving = "nobody comes" if move == 0 else f"{move:.0%} come"
    told = [
        f"Learned from {tables}, {read}: {presence.again:.0%} of those who were in a release and"
        f" have not left are in the next{away}, {leave} for good after each, {moving} again with"
        " other quasi-identifiers."
    ]
    if presence.trend < 1:
        told.append(f"Views shrink as these did, by {1 - presence.trend:.0%} each.")
    if presence.views == 1:
        told.append("One table shows nothing of who comes again or changes: this is assumed.")
    elif not presence.leaving_is_known:
        told.append("Two tables do not tell who left from who was away: nobody leaves by itself.")
    return [*told, _GO_BY[population.values_go_by]]


_HARDLY = 0.0005
"""Chances below are told as nobody's."""

_ABOUT = 0.02
"""Chances nearer to each other are told as one."""

_GO_BY = {
    "views": "Values follow as they did in the views.",
    "staying": "One view shows no value after another: values are taken to stay.",
    "knowledge": "Values follow by the study's knowledge.",
    "tilted knowledge": "Values follow by the study's knowledge, tilted by those of the views.",
}
"""What values go by, in words."""
