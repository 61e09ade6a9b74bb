"""The audit: let readers read a series, and compare what they believe with the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from seriatim._typing import IntArray
from seriatim.audit.findings import Findings, ReleaseFinding, measure_reader
from seriatim.errors import OrderError
from seriatim.knowledge.belief import Belief
from seriatim.microdata.membership import ABSENT, Membership
from seriatim.microdata.release import Release
from seriatim.microdata.roster import Roster
from seriatim.microdata.view import View


class Reader(Protocol):
    """Whoever reads a whole series: an ``Adversary``, or a ``Retrospective`` one."""

    def read(self, releases: Sequence[Release], memberships: Sequence[Membership]) -> list[Belief]:
        """Return what is believed of each release."""
        ...


def audit(
    releases: Sequence[Release],
    originals: Sequence[View],
    readers: Mapping[str, Reader],
    *,
    memberships: Sequence[Membership] | None = None,
) -> Findings:
    """Attack a series of releases with several readers.

    ``memberships`` says who is in which group, as the custodian knows and the
    strongest reader is assumed to know. Left out, it is read off the regions, which
    works where they do not overlap.
    """
    if not readers:
        message = "An audit needs at least one reader, such as {'paper': Adversary(...)}."
        raise OrderError(message)
    if len(releases) != len(originals) or not releases:
        message = f"{len(releases)} releases need as many originals, at least one of each."
        raise OrderError(message)
    if memberships is None:
        memberships = [
            place(view.roster, release) for view, release in zip(originals, releases, strict=True)
        ]
    series, views, members = tuple(releases), tuple(originals), tuple(memberships)
    beliefs = {name: reader.read(series, members) for name, reader in readers.items()}
    rows: list[ReleaseFinding] = []
    for name, held in beliefs.items():
        rows += measure_reader(name, held, series, views, members)
    return Findings(tuple(rows), beliefs, views, series, members)


def place(roster: Roster, release: Release) -> Membership:
    """Find each respondent's group by the regions; a respondent who fits several is an error."""
    group_of: IntArray = np.full(len(roster), ABSENT, dtype=np.int64)
    fits = np.zeros(len(roster), dtype=np.int64)
    for index, group in enumerate(release.groups):
        inside = group.region.contains(roster)
        group_of[inside] = index
        fits += inside
    if (fits > 1).any():
        message = (
            f"{int((fits > 1).sum())} of {len(roster)} respondents fit several groups of the"
            f" release at {release.at!r}, whose regions overlap. Pass memberships."
        )
        raise OrderError(message)
    return Membership(roster, group_of)
