"""Rehearsing in a setting: which cells a series needs there, found before it is published.

The custodian's side of an experiment: it sees the first view's roster and the defender's
knowledge, and no sensitive value. Kinds of knowledge that are counted in the views as they
come (``IE``) have nothing to rehearse with: nothing is recommended, and that is said.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from seriatim.errors import KnowledgeError, OrderError
from seriatim.experiments.plans import Plan
from seriatim.experiments.recommendation import Recommendation
from seriatim.experiments.settings import Setting
from seriatim.microdata.roster import Roster
from seriatim.publish.frontier import Rehearsal
from seriatim.publish.policy import Policy
from seriatim.publish.rehearsal import rehearse
from seriatim.publish.series_plan import SeriesPlan
from seriatim.publish.series_schema import with_values


@dataclass(frozen=True)
class Question:
    """What is asked of a rehearsal; series that ask the same share the answer."""

    policy: Policy
    """What every group must satisfy; the rehearsal finds the cells."""

    defender: str
    """The kind of knowledge that histories are drawn from, and read with."""

    target: float
    """The greatest mean gain of a release that is acceptable."""


def questions(plan: Plan) -> tuple[Question, ...]:
    """Return what must be rehearsed before a plan can be run."""
    own = () if plan.target is None else (Question(plan.policy, plan.defender, plan.target),)
    return own + tuple(one for like in plan.as_large_as for one in questions(like))


def answered(setting: Setting, question: Question) -> Recommendation:
    """Rehearse in a setting with what its custodian knows before the first release."""
    material = setting.material()
    reader = setting.reader(question.defender)
    schema = with_values(material.schema, reader.values)
    # Techniques are compared by their mean gain, and by cells alone.
    plan = SeriesPlan(
        releases=len(material.views),
        target=question.target,
        reader="retrospective",
        share=1.0,
        allow=(),
    )
    asked = Recommendation(
        setting.name, setting.seed, question.defender, plan.target, plan.releases
    )
    try:
        roster = Roster.from_table(material.views[0], schema)
        found = rehearse(question.policy, reader, [roster], plan, seed=setting.seed)
    except (KnowledgeError, OrderError) as error:
        # Its first sentence says what is wrong; what to try instead is for whoever asked.
        return replace(asked, reason=str(error).partition(". ")[0].rstrip("."))
    best = found.recommended
    if best is None:
        return replace(asked, reason=_why_none(found))
    return replace(
        asked,
        histories=len(best.gains),
        size=best.cells.size,
        by=best.cells.by,
        merges=best.cells.merges,
        k=best.k,
        gain=best.gain,
        penalty=best.penalty,
        suppressed=best.suppressed,
    )


def settled(plan: Plan, answers: dict[Question, Recommendation]) -> Plan | None:
    """Return a plan with what was found out for it; None where it cannot be run."""
    like = [one for one in (settled(each, answers) for each in plan.as_large_as) if one]
    if plan.as_large_as and not like:
        return None
    plan = replace(plan, as_large_as=tuple(like[:1]))
    if plan.target is None:
        return plan
    found = answers[Question(plan.policy, plan.defender, plan.target)].policy(plan.policy)
    return None if found is None else replace(plan, policy=found)


def _why_none(found: Rehearsal) -> str:
    """Say how near the rehearsal came to its target."""
    told = (
        f"no cells held {found.plan.goal:.3f} (the target of {found.plan.target:g}, less reserve)"
    )
    ended = [trial for trial in found.trials if trial.failure is None]
    if not ended:
        return f"{told}: no series could be published to its end"
    near = min(ended, key=lambda trial: trial.gain)
    return (
        f"{told}: cells of {near.cells.size} came nearest, with a gain of {near.gain:.3f} and"
        f" {near.suppressed:.2%} suppressed in the worst release"
    )
