"""Groups of the same size: the k at which one technique's groups are as large as another's.

What a series gives away goes by the size of its groups first, so rivals are met at equal size.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, inf

from seriatim.experiments.series import Material, publish_series
from seriatim.experiments.techniques import Technique
from seriatim.inference.adversary import Adversary
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.privacy.requirement import Requirement
from seriatim.publish.policy import Policy

_EVERY = 4
"""Techniques of one table: every fourth view is enough for a mean."""


def as_large(policy: Policy, size: float, material: Material, reader: Adversary) -> Policy:
    """Return a policy with the k whose groups come nearest to a mean size.

    Groups only grow with k, and none is smaller than k: the search ends at the wanted size.
    """
    some = Material(material.views[::_EVERY], material.schema, None, material.seed)

    def grown(k: int) -> float:
        series = publish_series(Technique("", with_k(policy, k)), some, reader)
        return inf if series.failure else series.mean_size

    low, high = k_of(policy), max(ceil(size), k_of(policy))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if grown(middle) < size else (low, middle)
    return with_k(policy, min((low, high), key=lambda k: abs(grown(k) - size)))


def k_of(policy: Policy) -> int:
    """Return the size that a policy asks of groups."""
    return max(
        (one.k for one in policy.requirement.parts if isinstance(one, KAnonymity)), default=2
    )


def with_k(policy: Policy, k: int) -> Policy:
    """Return a policy that asks for another size of groups.

    >>> from seriatim.publish.presets import l_diversity
    >>> print(with_k(l_diversity(l=2), 7).requirement)
    KAnonymity(k=7) & DistinctLDiversity(l=2)
    """
    asked: Requirement = KAnonymity(k=k)
    for part in policy.requirement.parts:
        if not isinstance(part, KAnonymity):
            asked = asked & part
    return replace(policy, requirement=asked)
