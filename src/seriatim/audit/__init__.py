"""Attacks a series of releases, and explains what was learned."""

from seriatim.audit.assessment import Assessment, assess
from seriatim.audit.attack import audit
from seriatim.audit.explain import Explanation, explain
from seriatim.audit.figures import ReleaseFinding, SeriesFinding
from seriatim.audit.findings import Findings, Risk
from seriatim.audit.reader import Reader

__all__ = [
    "Assessment",
    "Explanation",
    "Findings",
    "Reader",
    "ReleaseFinding",
    "Risk",
    "SeriesFinding",
    "assess",
    "audit",
    "explain",
]
