"""Measures: what a reader learns, and what a release is worth."""

from seriatim.measure.disclosure import Disclosure, adversary_confidence, adversary_gain
from seriatim.measure.exposure import Exposure, exposure
from seriatim.measure.invariance import Invariance, invariance
from seriatim.measure.utility import global_certainty_penalty, semiperimeter, suppression

__all__ = [
    "Disclosure",
    "Exposure",
    "Invariance",
    "adversary_confidence",
    "adversary_gain",
    "exposure",
    "global_certainty_penalty",
    "invariance",
    "semiperimeter",
    "suppression",
]
