"""The techniques that can be named: the paper's rivals with its parameters, and its own."""

from __future__ import annotations

from dataclasses import dataclass, replace

from seriatim.errors import PolicyError, did_you_mean, listed
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.privacy.requirement import Requirement
from seriatim.privacy.t_closeness import TCloseness
from seriatim.publish.policy import Policy, js_reduce
from seriatim.publish.presets import (
    bt_privacy,
    k_anonymity,
    l_diversity,
    m_invariance,
    t_closeness,
)


@dataclass(frozen=True)
class Technique:
    """A policy with a name.

    >>> from seriatim import KAnonymity, Policy, StandingCells
    >>> cells = Technique("cells of 20", Policy(KAnonymity(k=5), StandingCells(20)))
    >>> print(cells.name, "promise", cells.policy.requirement)
    cells of 20 promise KAnonymity(k=5)
    """

    name: str
    """What it is called in tables and charts."""

    policy: Policy
    """What its releases promise, and how they are made."""


TECHNIQUES: dict[str, Technique] = {
    one.name: one
    for one in (
        Technique("k-anonymity", k_anonymity(10)),
        Technique("l-diversity", l_diversity(l=2)),
        Technique("t-closeness", t_closeness(t=0.8)),
        Technique("bt-privacy", bt_privacy(bandwidth=0.5, t=0.8)),
        Technique("m-invariance", m_invariance(m=2)),
        Technique("js-reduce", js_reduce(k=10, t=0.5, j=0.6)),
    )
}
"""By name: the parameters are those of the paper's experiments, where it has any."""


def technique(name: str) -> Technique:
    """Return a technique by its name.

    >>> print(technique("l-diversity").policy.requirement)
    DistinctLDiversity(l=2)
    """
    if name not in TECHNIQUES:
        message = (
            f"There is no technique {name!r}; possible are {listed(TECHNIQUES)}."
            f"{did_you_mean(name, TECHNIQUES)}"
        )
        raise PolicyError(message)
    return TECHNIQUES[name]


def matched_technique(one: Technique, *, k: int, t: float) -> Technique:
    """Return a technique that also asks for a size and a closeness, so that rows compare fairly.

    What a series gives away goes by the size of groups first, whatever the technique:
    without the same k and t, a comparison of techniques is one of sizes. m-invariance has
    groups of m values and no other size: its m becomes k.

    >>> print(matched_technique(technique("l-diversity"), k=10, t=0.5).policy.requirement)
    KAnonymity(k=10) & TCloseness(t=0.5, distance='equal') & DistinctLDiversity(l=2)
    """
    if one.name == "m-invariance":
        return Technique(one.name, m_invariance(m=k))
    asked: Requirement = KAnonymity(k=k) & TCloseness(t=t)
    for part in one.policy.requirement.parts:
        if not isinstance(part, KAnonymity | TCloseness):
            asked = asked & part
    return Technique(one.name, replace(one.policy, requirement=asked))
