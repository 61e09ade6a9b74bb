"""Verdicts: whether a requirement holds, and by how much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seriatim._figures import written_measure
from seriatim._typing import BoolArray, FloatArray

TOLERANCE = 1e-9
"""How far a measure of a finished group may pass its bound and still hold.

The same sum in another order ends in another last digit. Whoever builds groups
keeps to a requirement's own, smaller ``scan_tolerance``, so that an independent
pass over the finished group never disagrees."""


@dataclass(frozen=True, eq=False)
class Finding:
    """One requirement measured on every group."""

    requirement: str
    """The requirement, as written in a policy."""

    measured: FloatArray
    """What was measured on each group."""

    bound: float
    """What was asked."""

    at_least: bool
    """Whether the measure must reach the bound; otherwise it must not pass it."""

    unit: str = ""
    """The unit of the measure."""

    tolerance: float = TOLERANCE
    """How far the measure may pass the bound and still hold."""

    strict: bool = False
    """Whether a measure at the bound, tolerance included, fails."""

    @property
    def margins(self) -> FloatArray:
        """By how much each group holds; negative where it fails."""
        gap = self.measured - self.bound
        return gap if self.at_least else -gap

    @property
    def group_holds(self) -> BoolArray:
        """Which groups hold."""
        if self.strict:
            return np.asarray(self.margins > -self.tolerance)
        return np.asarray(self.margins >= -self.tolerance)

    @property
    def holds(self) -> bool:
        """Whether every group holds."""
        return bool(self.group_holds.all())

    @property
    def worst(self) -> float:
        """What was measured on the group with the least margin; the bound if there is no group."""
        if len(self.measured) == 0:
            return self.bound
        return float(self.measured[np.argmin(self.margins)])

    def __str__(self) -> str:
        """Say it in a sentence."""
        unit = self.unit.removesuffix("s") if self.worst == 1 else self.unit
        measured = f"{written_measure(self.worst)} {unit}".rstrip()
        margin = written_measure(abs(self.worst - self.bound))
        groups = len(self.measured)
        if groups > 1:
            failing = int((~self.group_holds).sum())
            where = "in every group" if self.holds else f"in {failing} of {groups} groups"
            measured = f"worst {measured}"
        else:
            where = ""
        if self.holds:
            return f"{self.requirement} holds {where}".rstrip() + f": {measured}, {margin} to spare"
        off = f"{margin} off"
        if self.strict and self.worst == self.bound:
            off = f"and must be {'above' if self.at_least else 'below'} it"
        return f"{self.requirement} fails {where}".rstrip() + f": {measured}, {off}"


@dataclass(frozen=True, eq=False)
class Verdict:
    """What all parts of a requirement say of some groups.

    >>> from seriatim import KAnonymity, TCloseness
    >>> from seriatim.privacy import Evidence, Tally
    >>> evidence = Evidence(np.array([0, 1, 1, 1]), np.full((4, 2), 0.5))
    >>> two_groups = Tally.of(evidence, np.arange(4), np.array([0, 1, 4]))
    >>> verdict = (KAnonymity(k=2) & TCloseness(t=0.8)).verdict(two_groups)
    >>> print(verdict)
    KAnonymity(k=2) fails in 1 of 2 groups: worst 1 tuple, 1 off
    TCloseness(t=0.8, distance='equal') holds in every group: worst 0.75, 0.05 to spare
    >>> verdict.holds, verdict.group_holds.tolist()
    (False, [False, True])
    """

    findings: tuple[Finding, ...]
    """One for each part."""

    @property
    def holds(self) -> bool:
        """Whether every part holds on every group."""
        return all(finding.holds for finding in self.findings)

    def __bool__(self) -> bool:
        """Tell whether it holds."""
        return self.holds

    @property
    def group_holds(self) -> BoolArray:
        """Which groups meet every part."""
        return np.asarray(np.logical_and.reduce([finding.group_holds for finding in self.findings]))

    def __str__(self) -> str:
        """Say it, a sentence for each part."""
        return "\n".join(str(finding) for finding in self.findings)
