"""Who is in which group of a release.

The custodian knows it; the readers we defend against are assumed to know it
too, from the quasi-identifiers they hold. It is private, and never part of a release.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from seriatim._typing import BoolArray, IntArray
from seriatim.errors import OrderError
from seriatim.microdata.orders import sorted_order
from seriatim.microdata.release import Release
from seriatim.microdata.roster import Roster

ABSENT = -1


@dataclass(frozen=True, eq=False)
class Membership:
    """The group of each respondent of a roster, in one release.

    >>> from seriatim import running_example
    >>> example = running_example()
    >>> members = Membership(example.views[0].roster, np.array([0, 0, 1, -1]))
    >>> members
    Membership(3 of 4 respondents)
    >>> members.fits(example.releases[0])  # it shows a fourth tuple
    False
    """

    roster: Roster
    """The respondents, and what is known of them."""

    group_of: IntArray
    """The group of each, from 0; -1 for a respondent whose tuple was not published."""

    counterfeits: IntArray | None = None
    """How many tuples of each group are nobody's; none where it is left out."""

    carried: BoolArray | None = None
    """Whose tuple repeats the last one that there was of them; nobody's where it is left out."""

    @classmethod
    def of_groups(cls, roster: Roster, rows: IntArray, starts: IntArray) -> Membership:
        """Return who is in which group, of rows that stand group by group; no row twice."""
        from seriatim.kernels.shuffles import enter_groups
        from seriatim.kernels.stretches import over_groups

        group_of, members = np.full(len(roster), ABSENT), np.empty(len(rows), np.int64)
        over_groups(enter_groups, starts, starts, rows, members, group_of)
        made = cls(roster, group_of)
        # As asking for them would find them.
        made.__dict__["members"], made.__dict__["_sizes"] = members, np.diff(starts)
        return made

    def __post_init__(self) -> None:
        """Refuse groups that are not aligned to the roster."""
        groups = np.asarray(self.group_of)
        whole = np.issubdtype(groups.dtype, np.integer)
        if groups.shape != (len(self.roster),) or not whole or (groups < ABSENT).any():
            message = (
                f"A membership gives each of {len(self.roster)} respondents a group from 0, or -1;"
                f" an array of shape {groups.shape} and type {groups.dtype} was given."
            )
            raise OrderError(message)
        object.__setattr__(self, "group_of", groups.astype(np.int64, copy=False))
        if self.carried is None:
            return
        carried = np.asarray(self.carried)
        if carried.shape != groups.shape or carried.dtype != np.bool_:
            message = (
                f"carried tells of each of {len(self.roster)} respondents whether their tuple is"
                f" repeated; an array of shape {carried.shape} and type {carried.dtype} was given."
            )
            raise OrderError(message)
        object.__setattr__(self, "carried", carried)

    def __repr__(self) -> str:
        """Say how large it is, and nothing about anyone in it."""
        return f"Membership({int(self.published.sum())} of {len(self.group_of)} respondents)"

    def carrying(self, carried: BoolArray) -> Membership:
        """Return the same with whose tuple repeats the last one that there was of them."""
        made = Membership(self.roster, self.group_of, self.counterfeits, carried)
        for name in ("members", "_sizes"):
            if name in self.__dict__:
                made.__dict__[name] = self.__dict__[name]
        return made

    @property
    def published(self) -> BoolArray:
        """Whose tuple was published."""
        return np.asarray(self.group_of != ABSENT)

    @cached_property
    def members(self) -> IntArray:
        """Rows of the published respondents, group by group, ascending in each."""
        order = sorted_order(self.group_of + 1)
        return order[np.count_nonzero(~self.published) :]

    @cached_property
    def _sizes(self) -> IntArray:
        """How many members each group has, up to the last that has any."""
        return np.bincount(self.group_of[self.published])

    def fits(self, release: Release) -> bool:
        """Tell whether the groups have the sizes that the release shows."""
        if len(self._sizes) > release.n_groups:
            return False
        shown = release.sizes if self.counterfeits is None else release.sizes - self.counterfeits
        return bool((np.diff(self.starts(release)) == shown).all())

    def starts(self, release: Release) -> IntArray:
        """Return where each group of a release begins among the members."""
        begins = np.zeros(max(release.n_groups, len(self._sizes)) + 1, dtype=np.int64)
        np.cumsum(self._sizes, out=begins[1 : len(self._sizes) + 1])
        begins[len(self._sizes) + 1 :] = begins[len(self._sizes)]
        return begins
