"""Attacks a series of releases, and explains what was learned."""

from seriatim.audit.attack import audit
from seriatim.audit.explain import Explanation, explain
from seriatim.audit.findings import Findings, ReleaseFinding

__all__ = ["Explanation", "Findings", "ReleaseFinding", "audit", "explain"]
