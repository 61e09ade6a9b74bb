"""Whoever reads a whole series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from seriatim._typing import Instant, IntArray
from seriatim.errors import StudyError, did_you_mean, listed
from seriatim.inference.adversary import Adversary
from seriatim.inference.smoothing import Retrospective
from seriatim.knowledge.belief import Belief
from seriatim.microdata.membership import Membership
from seriatim.microdata.placement import Placement
from seriatim.microdata.release import Release
from seriatim.microdata.roster import Roster
from seriatim.microdata.view import View

READERS = ("snapshot", "paper", "joint", "retrospective")
"""The readers that can be named, from the weakest to the strongest."""


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


def named_readers(names: Sequence[str], knowledge: Adversary) -> dict[str, Reader]:
    """Return readers by name, all with the same knowledge, from the weakest to the strongest."""
    unknown = [name for name in names if name not in READERS]
    if unknown:
        message = (
            f"There is no reader {unknown[0]!r}; possible are {listed(READERS)}."
            f"{did_you_mean(unknown[0], READERS)}"
        )
        raise StudyError(message)
    strong = replace(knowledge, rule="strongest", filtering="joint")
    known: dict[str, Reader] = {
        "snapshot": Adversary(knowledge.prior),
        "paper": replace(knowledge, rule="omega", filtering="marginal"),
        "joint": strong,
        "retrospective": Retrospective(strong),
    }
    return {name: known[name] for name in READERS if name in names}
