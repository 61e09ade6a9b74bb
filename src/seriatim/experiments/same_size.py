"""Groups of the same size: the k at which one technique's groups are as large as another's.

What a series gives away goes by the size of its groups first, so rivals are met at equal size.
"""

from __future__ import annotations

from math import ceil, inf

from seriatim.experiments.series import Material, publish_series
from seriatim.experiments.techniques import Technique
from seriatim.inference.adversary import Adversary
from seriatim.publish.policy import Policy

_EVERY = 4
"""Techniques of one table: every fourth view is enough for a mean."""


def as_large(policy: Policy, size: float, material: Material, reader: Adversary) -> Policy:
    """Return a policy with the k whose groups come nearest to a mean size.

    Groups only grow with k, and none is smaller than k: the search ends at the wanted size.
    """
    some = Material(material.views[::_EVERY], material.schema, None, material.seed)

    def grown(k: int) -> float:
        series = publish_series(Technique("", policy.with_k(k)), some, reader)
        return inf if series.failure else series.mean_size

    low, high = policy.k, max(ceil(size), policy.k)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if grown(middle) < size else (low, middle)
    return policy.with_k(min((low, high), key=lambda k: abs(grown(k) - size)))
