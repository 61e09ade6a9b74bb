"""Requirements: what a group must satisfy, and by how much it does."""

from seriatim.privacy.beta_likeness import BetaLikeness
from seriatim.privacy.bt_privacy import BTPrivacy
from seriatim.privacy.delta_disclosure import DeltaDisclosure
from seriatim.privacy.entropy_l_diversity import EntropyLDiversity
from seriatim.privacy.js_bound import JSBound
from seriatim.privacy.k_anonymity import KAnonymity
from seriatim.privacy.l_diversity import DistinctLDiversity
from seriatim.privacy.m_uniqueness import MUniqueness
from seriatim.privacy.posterior_bound import PosteriorBound
from seriatim.privacy.recursive_cl_diversity import RecursiveCLDiversity
from seriatim.privacy.requirement import (
    AllOf,
    Compiled,
    Criterion,
    Measured,
    MemberCriterion,
    Requirement,
)
from seriatim.privacy.t_closeness import TCloseness
from seriatim.privacy.tally import Evidence, Tally
from seriatim.privacy.verdict import TOLERANCE, Finding, Verdict

__all__ = [
    "TOLERANCE",
    "AllOf",
    "BTPrivacy",
    "BetaLikeness",
    "Compiled",
    "Criterion",
    "DeltaDisclosure",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "Evidence",
    "Finding",
    "JSBound",
    "KAnonymity",
    "MUniqueness",
    "Measured",
    "MemberCriterion",
    "PosteriorBound",
    "RecursiveCLDiversity",
    "Requirement",
    "TCloseness",
    "Tally",
    "Verdict",
]
