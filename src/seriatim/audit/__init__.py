"""Attacks a series of releases, and explains what was learned."""

from seriatim.audit.attack import audit
from seriatim.audit.explain import Explanation, explain
from seriatim.audit.findings import Finding, Findings

__all__ = ["Explanation", "Finding", "Findings", "audit", "explain"]
