"""Requirements: what a group must satisfy to be published."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from seriatim._typing import FloatArray
from seriatim.errors import PolicyError
from seriatim.privacy.tally import Evidence, Tally
from seriatim.privacy.verdict import TOLERANCE, Finding, Verdict


@dataclass(frozen=True)
class Criterion:
    """A requirement in the form that compiled scans understand."""

    code: int
    """What to measure, as numbered in ``kernels.criteria``."""

    bound: float
    """What it must reach, or must not pass."""

    tolerance: float
    """How far a group under construction may pass the bound."""


@dataclass(frozen=True, eq=False)
class MemberCriterion:
    """A bound on how far any member's belief moves, in the form that compiled scans understand."""

    beliefs: FloatArray
    """What the requirement's own reader believes of each tuple beforehand (tuples, values)."""

    smoother: FloatArray
    """How beliefs are spread before they are compared (values, values); empty for not at all."""

    bound: float
    """The greatest distance between belief and posterior, in bits."""


@dataclass(frozen=True, eq=False)
class Compiled:
    """A whole requirement in the form that compiled scans understand."""

    criteria: tuple[Criterion, ...]
    """What is measured on a group's totals."""

    members: MemberCriterion | None = None
    """What is measured on every member."""

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The last arguments of a compiled scan, as ``kernels.criteria.stands`` takes them."""
        # Codes rise with cost: most groups fail on size, before any logarithm is taken.
        ordered = sorted(self.criteria, key=lambda criterion: criterion.code)
        none = np.empty((0, 0))
        return (
            np.array([criterion.code for criterion in ordered], dtype=np.int64),
            np.array([criterion.bound for criterion in ordered], dtype=np.float64),
            np.array([criterion.tolerance for criterion in ordered], dtype=np.float64),
            -1.0 if self.members is None else self.members.bound,
            none if self.members is None else self.members.beliefs,
            none if self.members is None else self.members.smoother,
        )


class Requirement(ABC):
    """A condition on groups; several are joined with ``&``.

    To write one, subclass ``Measured``; ``seriatim.checks`` tells whether it
    keeps the laws that partitioners rely on.
    """

    @property
    @abstractmethod
    def parts(self) -> tuple[Measured, ...]:
        """The single requirements that it consists of."""

    def verdict(self, tally: Tally, *, scanning: bool = False) -> Verdict:
        """Measure every part on every group of a tally.

        ``scanning`` is for whoever still builds groups, and holds them to the
        tighter tolerance that leaves room for a later check.
        """
        return Verdict(tuple(part.finding(tally, scanning=scanning) for part in self.parts))

    def compiled(self, evidence: Evidence) -> Compiled | None:
        """Return the compiled form; None when a part has none, and Python must measure."""
        on_totals = [part.criterion() for part in self.parts]
        on_members = [part.member_criterion(evidence) for part in self.parts]
        totals = tuple(criterion for criterion in on_totals if criterion is not None)
        members = [criterion for criterion in on_members if criterion is not None]
        if len(totals) + len(members) < len(self.parts) or len(members) > 1:
            return None
        return Compiled(totals, members[0] if members else None)

    def __and__(self, other: Requirement) -> AllOf:
        """Require both."""
        if not isinstance(other, Requirement):
            return NotImplemented
        return AllOf(self.parts + other.parts)


class Measured(Requirement):
    """A requirement that compares one measure of a group with a bound."""

    at_least: ClassVar[bool] = False
    """Whether the measure must reach the bound; otherwise it must not pass it."""

    unit: ClassVar[str] = ""
    """The unit of the measure."""

    strict: ClassVar[bool] = False
    """Whether a measure at the bound fails; a finished group then gets no tolerance either."""

    scan_tolerance: ClassVar[float] = 0.0
    """How far a group under construction may pass the bound; counts need no room.

    Below zero, it must keep that far away from the bound."""

    @property
    @abstractmethod
    def bound(self) -> float:
        """What is asked."""

    @abstractmethod
    def measure(self, tally: Tally) -> FloatArray:
        """Return the measure of each group."""

    def criterion(self) -> Criterion | None:
        """Return the compiled form, where it is a measure of totals."""
        return None

    def member_criterion(self, evidence: Evidence) -> MemberCriterion | None:
        """Return the compiled form, where it is a measure of every member."""
        return None

    @property
    def parts(self) -> tuple[Measured, ...]:
        """Itself alone."""
        return (self,)

    def finding(self, tally: Tally, *, scanning: bool = False) -> Finding:
        """Measure every group of a tally."""
        finished = 0.0 if self.strict else TOLERANCE
        return Finding(
            str(self),
            self.measure(tally),
            self.bound,
            self.at_least,
            self.unit,
            self.scan_tolerance if scanning else finished,
            self.strict,
        )


@dataclass(frozen=True)
class AllOf(Requirement):
    """Several requirements at once, as ``KAnonymity(k=10) & TCloseness(t=0.5)``."""

    members: tuple[Measured, ...]
    """The single requirements."""

    @property
    def parts(self) -> tuple[Measured, ...]:
        """The single requirements."""
        return self.members

    def __str__(self) -> str:
        """Write it as in a policy."""
        return " & ".join(str(part) for part in self.members)


def require_bound(name: str, value: object, low: float, high: float = float("inf")) -> None:
    """Refuse a parameter outside its range."""
    if isinstance(value, bool) or not isinstance(value, Real) or not low <= float(value) <= high:
        top = "" if high == float("inf") else f" and at most {high:g}"
        message = f"{name} must be a number of at least {low:g}{top}, not {value!r}."
        raise PolicyError(message)


def require_above(name: str, value: object, low: float, high: float = float("inf")) -> None:
    """Refuse a parameter that is not above the least end of its range."""
    if isinstance(value, bool) or not isinstance(value, Real) or not low < float(value) <= high:
        top = "" if high == float("inf") else f" and at most {high:g}"
        message = f"{name} must be a number above {low:g}{top}, not {value!r}."
        raise PolicyError(message)


def require_whole(name: str, value: object, low: int) -> None:
    """Refuse a parameter that is no whole number, or too small."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < low:
        message = f"{name} must be a whole number of at least {low}, not {value!r}."
        raise PolicyError(message)
