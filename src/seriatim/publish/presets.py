"""Techniques from the literature as policies, to compare with.

All but m-invariance look at one table, and form their groups by strict Mondrian, as the
papers that proposed them do. The same k and t for all make a fair comparison: what a series
leaks depends on the size of groups first.
"""

from __future__ import annotations

from seriatim.partition.m_invariant import MInvariant
from seriatim.partition.mondrian import Mondrian
from seriatim.privacy.bt_privacy import BTPrivacy
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.privacy.l_diversity import DistinctLDiversity
from seriatim.privacy.m_uniqueness import MUniqueness
from seriatim.privacy.requirement import Requirement
from seriatim.privacy.t_closeness import TCloseness
from seriatim.publish.policy import Policy


def k_anonymity(k: int, *, t: float | None = None) -> Policy:
    """Return k-anonymity; with ``t``, t-closeness as well.

    >>> print(k_anonymity(10).requirement)
    KAnonymity(k=10)
    """
    return _policy(KAnonymity(k=k), 1, t)


def l_diversity(l: int = 2, *, k: int = 1, t: float | None = None) -> Policy:
    """Return distinct l-diversity; groups of l different values have at least l tuples.

    >>> print(l_diversity(l=2, k=10).requirement)
    DistinctLDiversity(l=2) & KAnonymity(k=10)
    """
    return _policy(DistinctLDiversity(l=l), k, t)


def t_closeness(t: float = 0.8, *, k: int = 2) -> Policy:
    """Return t-closeness with a least size: a tuple alone may be close where a value is common.

    >>> print(t_closeness(t=0.8).requirement)
    TCloseness(t=0.8, distance='equal') & KAnonymity(k=2)
    """
    return _policy(TCloseness(t=t), k, None)


def bt_privacy(
    bandwidth: float = 0.5, t: float = 0.8, *, k: int = 2, closeness: float | None = None
) -> Policy:
    """Return (B, t)-privacy with a least size; with ``closeness``, t-closeness as well.

    >>> print(bt_privacy(bandwidth=0.5, t=0.8).requirement)
    BTPrivacy(bandwidth=0.5, t=0.8) & KAnonymity(k=2)
    """
    return _policy(BTPrivacy(bandwidth=bandwidth, t=t), k, closeness)


def m_invariance(m: int = 2) -> Policy:
    """Return m-invariance, which looks at the whole series and assumes that values stay.

    >>> print(m_invariance(m=2).requirement)
    MUniqueness(m=2)
    """
    return Policy(MUniqueness(m=m), MInvariant(m=m))


def _policy(requirement: Requirement, k: int, t: float | None) -> Policy:
    if k > 1:
        requirement = requirement & KAnonymity(k=k)
    if t is not None:
        requirement = requirement & TCloseness(t=t)
    return Policy(requirement, Mondrian())
