"""The strongest of several readers: the one with the lowest log-loss, never the highest gain.

Log-loss is a proper scoring rule: no reader lowers the expected one by saying more than they
know. Gain is linear in the belief, so it is the largest for a reader who puts all belief on the
likeliest value, however unlikely that is: the highest gain may be the boldest guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, Protocol, TypeVar

WORSE: Final = "worse than counting"
"""What is said of a reader whose log-loss is above that of one who only counts."""

_ROUNDING = 1e-9
"""Log-losses that are no farther apart than this are equal."""

Remark = Literal["strongest", "worse than counting", ""]
"""What is said beside the figures of a reader."""


class Scored(Protocol):
    """What one reader learned, with log-loss; both figures are None where no truth is known."""

    @property
    def log_loss(self) -> float | None:
        """Mean surprise at the truth, in bits."""
        ...

    @property
    def log_loss_by_frequency(self) -> float | None:
        """The same for one who only counts."""
        ...


_Scored = TypeVar("_Scored", bound=Scored)


def is_worse_than_counting(one: Scored) -> bool:
    """Tell whether a reader knows less than one who only counts: sure, and wrong too often."""
    return _beyond(one) > _ROUNDING


def strongest_of(readers: Sequence[_Scored]) -> _Scored | None:
    """Return the reader with the lowest log-loss, of equals the last.

    None where every reader is worse than counting, or where no truth is known.

    >>> from seriatim.measure.score import Score
    >>> honest = Score(10, 0.88, 1.0, sure_above_nine_tenths=0.0, sure_and_right=None)
    >>> bold = Score(10, 2.00, 1.0, sure_above_nine_tenths=1.0, sure_and_right=0.7)
    >>> strongest_of([honest, bold]) is honest, strongest_of([bold])
    (True, None)
    """
    known = [
        (one.log_loss, one)
        for one in readers
        if one.log_loss is not None and not is_worse_than_counting(one)
    ]
    least = min((loss for loss, _ in known), default=0.0)
    return next((one for loss, one in reversed(known) if loss <= least + _ROUNDING), None)


def remark_on(one: _Scored, readers: Sequence[_Scored]) -> Remark:
    """Return what is to be said of one of several readers, beside the figures."""
    if is_worse_than_counting(one):
        return WORSE
    return "strongest" if len(readers) > 1 and one is strongest_of(readers) else ""


def _beyond(one: Scored) -> float:
    """Return by how many bits a log-loss is above counting's; 0 where no truth is known."""
    if one.log_loss is None or one.log_loss_by_frequency is None:
        return 0.0
    return one.log_loss - one.log_loss_by_frequency
