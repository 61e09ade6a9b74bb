"""The prior of a reader who knows nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seriatim._typing import Value
from seriatim.knowledge.belief import Belief
from seriatim.microdata.roster import Roster


@dataclass(frozen=True)
class UniformPrior:
    """Every value is as likely as every other, for everyone.

    >>> from seriatim import running_example
    >>> UniformPrior().belief(running_example().views[0].roster, ("neg", "pos")).of("pos").tolist()
    [0.5, 0.5, 0.5, 0.5]
    """

    @property
    def values(self) -> tuple[Value, ...]:
        """No value in particular."""
        return ()

    def belief(self, roster: Roster, domain: tuple[Value, ...]) -> Belief:
        """Return the even distribution for each respondent."""
        row = np.full(len(domain), 1.0 / len(domain))
        return Belief(np.broadcast_to(row, (len(roster), len(domain))), domain)
