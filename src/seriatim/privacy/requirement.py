"""Requirements: what a group must satisfy to be published."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from numbers import Integral, Real
from typing import ClassVar

from seriatim._typing import FloatArray
from seriatim.errors import PolicyError
from seriatim.privacy.tally import Tally
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

    def criteria(self) -> tuple[Criterion, ...] | None:
        """Return the compiled form; None when a part has none, and Python must measure."""
        criteria = [part.criterion() for part in self.parts]
        known = tuple(criterion for criterion in criteria if criterion is not None)
        return known if len(known) == len(criteria) else None

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
        """Return the compiled form, where there is one."""
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
