"""Thinks like the reader: conclude from a release, expect the next one."""

from seriatim.inference.adversary import Adversary, Expectation, Impression
from seriatim.inference.compromised import CompromisedTuples
from seriatim.inference.filtering import Filtering, Joint, Marginal
from seriatim.inference.from_releases import learned_from_releases
from seriatim.inference.matching_rules import Bethe, Exact, Sinkhorn, Strongest
from seriatim.inference.memory import LocalMemory, Memory
from seriatim.inference.pasts import Pasts
from seriatim.inference.retrospective import Retrospective, retrospect
from seriatim.inference.revision import revise
from seriatim.inference.rules import (
    Additive,
    Omega,
    PosteriorRule,
    PublishedGroups,
    posterior,
)
from seriatim.inference.smoothing import smooth
from seriatim.inference.weighing import weigh_worlds
from seriatim.inference.worlds import Worlds

__all__ = [
    "Additive",
    "Adversary",
    "Bethe",
    "CompromisedTuples",
    "Exact",
    "Expectation",
    "Filtering",
    "Impression",
    "Joint",
    "LocalMemory",
    "Marginal",
    "Memory",
    "Omega",
    "Pasts",
    "PosteriorRule",
    "PublishedGroups",
    "Retrospective",
    "Sinkhorn",
    "Strongest",
    "Worlds",
    "learned_from_releases",
    "posterior",
    "retrospect",
    "revise",
    "smooth",
    "weigh_worlds",
]
