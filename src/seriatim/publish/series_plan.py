"""What a custodian plans: how many releases, and what nobody may learn by them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from seriatim._typing import Value
from seriatim.errors import PolicyError, did_you_mean, listed
from seriatim.inference.readers import BY_NAME
from seriatim.measure.known import SURE
from seriatim.privacy.requirement import require_bound, require_whole
from seriatim.simulate.foresight import Attendance

Basis = Literal["determined", "found"]
"""What a promise rests on: all that the tables determine, or what the reader found in them."""

Defence = Literal["batch", "pool", "keep"]
"""Ways to protect a series that change who is listed, and when."""

BASES: Final[dict[Basis, str]] = {
    "determined": "by what the tables determine at most",
    "found": "by what the reader finds",
}
"""The bases in words."""


@dataclass(frozen=True)
class SeriesPlan:
    """What a custodian means to publish, and what nobody may learn by it.

    The promise has two parts. No release tells a reader more than ``target`` on the mean; and at
    most a ``share`` of the people is ever known above ``known`` beyond what counting tells.

    >>> plan = SeriesPlan(releases=12, target=0.1)
    >>> plan.reader, round(plan.goal, 3)
    ('strongest', 0.08)
    >>> print(plan.promise)
    at most 0.5% of the people ever known above 0.9, mean gain at most 0.1
    """

    releases: int = 24
    """How many releases there will be."""

    target: float = 0.12
    """The greatest mean gain of a release that is acceptable; 1 promises nothing."""

    reader: str = "strongest"
    """Against whom, by name. The strongest weighs worlds where what follows goes by the last value
    alone, and passes messages where it goes by more: there chains do not settle in time."""

    attendance: Attendance = field(default_factory=Attendance)
    """Who comes again; what is left open is estimated from the views at hand."""

    margin: float = 0.2
    """The share of both that is kept in reserve: knowledge and attendance are guesses.

    Audits of made hospitals found up to a sixth more than was rehearsed for them."""

    known: float = SURE
    """Of whom a true value is believed above this is known."""

    share: float = 0.005
    """The greatest share of people who may ever be known; 1 promises nothing."""

    basis: Basis = "determined"
    """What the promise rests on, where the reader weighs worlds. Others can only find."""

    harmless: tuple[Value, ...] = ()
    """Values whose knowledge does no harm: nobody counts as known by them."""

    told: float = 0.0
    """The share of the tuples that the reader is told from elsewhere."""

    allow: tuple[Defence, ...] = ("batch",)
    """What may be recommended besides larger cells."""

    def __post_init__(self) -> None:
        """Refuse what is no plan."""
        require_whole("releases", self.releases, 1)
        require_bound("target", self.target, 0, 1)
        require_bound("margin", self.margin, 0, 1)
        require_bound("known", self.known, 0, 1)
        require_bound("share", self.share, 0, 1)
        require_bound("told", self.told, 0, 1)
        for name, given, possible in (
            ("reader", (self.reader,), ("strongest", *BY_NAME)),
            ("basis", (self.basis,), get_args(Basis)),
            ("allow", self.allow, get_args(Defence)),
        ):
            unknown = [one for one in given if one not in possible]
            if unknown:
                message = (
                    f"{name} = {unknown[0]!r} is not known; possible are {listed(possible)}."
                    f"{did_you_mean(str(unknown[0]), possible)}"
                )
                raise PolicyError(message)

    @property
    def goal(self) -> float:
        """The gain that a rehearsal must stay under."""
        return self.target * (1 - self.margin) if self.target < 1 else 1.0

    @property
    def share_goal(self) -> float:
        """The share of people known that a rehearsal must stay under."""
        return self.share * (1 - self.margin) if self.share < 1 else 1.0

    @property
    def sure_share(self) -> float:
        """The share of people that may ever be known above 0.9; 1 where that is not promised."""
        return self.share if self.known == SURE else 1.0

    @property
    def promise(self) -> str:
        """The promise in words."""
        people = f"at most {self.share * 100:.3g}% of the people ever known above {self.known:g}"
        parts = [people] if self.share < 1 else []
        parts += [f"mean gain at most {self.target:g}"] if self.target < 1 else []
        return ", ".join(parts) or "nothing"
