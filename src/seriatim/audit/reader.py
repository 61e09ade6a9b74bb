"""Whoever reads a whole series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from seriatim._typing import Instant, IntArray
from seriatim.knowledge.belief import Belief
from seriatim.microdata.membership import Membership
from seriatim.microdata.placement import Placement
from seriatim.microdata.release import Release
from seriatim.microdata.roster import Roster
from seriatim.microdata.view import View


class Reader(Protocol):
    """An ``Adversary``, a ``Retrospective`` one, or a reader of one's own."""

    def read(
        self,
        releases: Sequence[Release],
        memberships: Sequence[Membership | Placement],
        originals: Sequence[View] | None = None,
    ) -> list[Belief]:
        """Return what is believed of each release, beginning anew."""
        ...

    def told(self, roster: Roster, at: Instant) -> IntArray:
        """Return the codes of the values that the reader was told; -1 for the others."""
        ...
