"""What a custodian plans: how many releases, and what nobody may gain by them."""

from __future__ import annotations

from dataclasses import dataclass, field

from seriatim.privacy.requirement import require_bound, require_whole
from seriatim.simulate.foresight import Attendance


@dataclass(frozen=True)
class SeriesPlan:
    """What a custodian means to publish, and what no reader may gain by it.

    >>> plan = SeriesPlan(releases=12, target=0.1)
    >>> plan.reader, round(plan.goal, 3)
    ('retrospective', 0.08)
    """

    releases: int = 24
    """How many releases there will be."""

    target: float = 0.12
    """The greatest mean gain of a release that is acceptable."""

    reader: str = "retrospective"
    """Against whom."""

    attendance: Attendance = field(default_factory=Attendance)
    """Who comes again, where only one roster is known."""

    margin: float = 0.2
    """The share of the target that is kept in reserve: knowledge and attendance are guesses.

    Audits of made hospitals found up to a sixth more than was rehearsed for them."""

    def __post_init__(self) -> None:
        """Refuse what is no plan."""
        require_whole("releases", self.releases, 1)
        require_bound("target", self.target, 0, 1)
        require_bound("margin", self.margin, 0, 1)

    @property
    def goal(self) -> float:
        """The gain that a rehearsal must stay under."""
        return self.target * (1 - self.margin)
