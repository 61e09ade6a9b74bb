"""Thinks like the reader: conclude from a release, expect the next one."""

from seriatim.inference.adversary import Adversary, Expectation, Impression
from seriatim.inference.memory import LocalMemory, Memory
from seriatim.inference.pasts import Pasts
from seriatim.inference.revision import revise
from seriatim.inference.rules import (
    Additive,
    Omega,
    PosteriorRule,
    PublishedGroups,
    posterior,
)

__all__ = [
    "Additive",
    "Adversary",
    "Expectation",
    "Impression",
    "LocalMemory",
    "Memory",
    "Omega",
    "Pasts",
    "PosteriorRule",
    "PublishedGroups",
    "posterior",
    "revise",
]
