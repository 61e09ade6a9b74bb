"""Standing cells: groups by cells that stay for the whole series.

What leaks over a series is people being dealt into new groups. Cells are cut once; whoever is
in a cell stays with it; cells that cannot stand alone are merged, and stay merged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from seriatim._typing import IntArray, WordArray
from seriatim.errors import OrderError, PolicyError, listed
from seriatim.knowledge.belief import Belief
from seriatim.microdata.roster import Roster
from seriatim.microdata.view import View
from seriatim.partition.assembly import Assembly
from seriatim.partition.cells import Cells
from seriatim.partition.partition import Partition
from seriatim.partition.register import UNPLACED, Enrolment, Register, require_begun_with
from seriatim.privacy.requirement import Requirement, require_whole
from seriatim.privacy.tally import Evidence

Merges = Literal["stay", "anew", "recut"]
"""Whether merges are for good, and whether cells are."""

By = Literal["first-seen", "current"]
"""Whether people stay in the cell where they were first seen, or go by where they are now."""


@dataclass(frozen=True)
class StandingCells:
    """Groups by cells that are cut at the first release and stay.

    Each release: groups are the cells with someone in them, merged as they were before.
    While a group breaks the requirement, the smallest such is merged with the neighbour
    that costs least detail, if no part of the requirement that held breaks by it. From
    groups that no merge mends, respondents whose beliefs lie farthest from the others' are
    taken out until the rest may stand; they join the cheapest near group that stays legal,
    or are left over.

    B has aged, and stays with A:

    >>> from seriatim import Adversary, KAnonymity, Numeric, Policy, Publisher, Schema, Sensitive
    >>> schema = Schema("name", [Numeric("age", 50, 80)], Sensitive("exam"))
    >>> publisher = Publisher(schema, Policy(KAnonymity(k=2), StandingCells(2)), Adversary())
    >>> for at, age in enumerate((52, 60), start=1):
    ...     table = {"name": list("ABCD"), "age": [51, age, 71, 72], "exam": list("xyxy")}
    ...     print(sorted(publisher.publish(table, at=at).covers[0].text.to_pylist()))
    ['[51,52]', '[71,72]']
    ['[51,60]', '[71,72]']
    """

    size: int
    """Tuples of a cell in the first view, at least. Rehearsal finds what a series needs."""

    by: By = "first-seen"
    """``first-seen``: a respondent's cell never changes; ``current``: it goes by present values."""

    merges: Merges = "stay"
    """``stay``: what was merged stays merged; ``anew``: each release merges what it must;
    ``recut``: each release also cuts its own cells.

    Where beliefs and closeness are tight, merges that stay make groups ever larger; anew, borders
    come and go with sensitive values, which tells of them. Cells that are cut for each view
    lose least detail and deal people into new groups, which costs nothing where values do not
    last. Rehearsal weighs them."""

    def __post_init__(self) -> None:
        """Refuse what is no size, and no way to place people."""
        require_whole("size", self.size, 1)
        if self.by not in get_args(By):
            message = f"by={self.by!r} is not known; possible are {listed(get_args(By))}."
            raise PolicyError(message)
        if self.merges not in get_args(Merges):
            message = (
                f"merges={self.merges!r} is not known; possible are {listed(get_args(Merges))}."
            )
            raise PolicyError(message)
        if self.merges == "recut" and self.by != "current":
            message = (
                "Cells that are cut for each view have no place for who was seen in others. Place"
                ' people by="current", or let cells stay.'
            )
            raise PolicyError(message)

    @property
    def places_stay(self) -> bool:
        """Whether a respondent has one cell for the whole series."""
        return self.by == "first-seen" and self.merges != "recut"

    def labels(self, roster: Roster, register: Register) -> IntArray:
        """Return the cell that each respondent would be in, as merged so far.

        Respondents of the same label are in one group, or in none. All are 0 before the first
        release.
        """
        self._require_as_begun(register)
        plan = register.plan
        if not plan or self.merges == "recut":
            return np.zeros(len(roster), dtype=np.int64)
        homes = self._homes(roster, Cells.from_plan(plan["cells"]), register)
        return np.asarray(np.array(plan["merged"])[homes])

    def partition_next(
        self,
        view: View,
        revised: Belief,
        requirement: Requirement,
        *,
        ties: WordArray,
        register: Register,
        evidence: Evidence | None = None,
        whole: bool = False,
    ) -> tuple[Partition, Enrolment]:
        """Form groups by the cells of the series; the first release cuts them.

        ``evidence`` is given where the view is only part of a larger one. With ``whole`` nobody is
        parted from their cell: groups that no merge mends are left over as they are.
        """
        evidence = Evidence.of(view, revised) if evidence is None else evidence
        plan = register.plan
        self._require_as_begun(register)
        kept_cells = bool(plan) and self.merges != "recut"
        cells = Cells.from_plan(plan["cells"]) if kept_cells else Cells.grown(view, self.size)
        merged = np.array(plan["merged"]) if kept_cells else np.arange(len(cells))
        homes = self._homes(view, cells, register)
        assembly = Assembly(view, evidence, requirement, merged[homes], ties)
        assembly.merge()
        if whole:
            assembly.leave_out()
        else:
            assembly.trim()
            assembly.reattach()
        if self.merges == "stay":
            merged = assembly.relabelled(merged)
        kept: dict[str, Any] = {
            "size": self.size,
            "by": self.by,
            "merges": self.merges,
            "cells": cells.to_plan(),
            "merged": merged.tolist(),
        }
        enrolment = Enrolment(view.respondents, homes, kept, register.version)
        return assembly.partition(), enrolment

    def _homes(self, roster: Roster, cells: Cells, register: Register) -> IntArray:
        """Return the cell of each respondent."""
        now = cells.of(roster)
        if self.by == "current":
            return now
        before = register.places(roster.respondents)
        return np.where(before == UNPLACED, now, before)

    def _require_as_begun(self, register: Register) -> None:
        require_begun_with(register, "cells")
        plan = register.plan
        begun = StandingCells(plan["size"], plan["by"], plan["merges"]) if plan else self
        if begun != self:
            message = (
                f"The cells of this series are {begun}, and stay as they are; {self} is asked for"
                " now. Go on with the former, or begin a new series."
            )
            raise OrderError(message)
