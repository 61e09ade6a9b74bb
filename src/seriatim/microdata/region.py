"""A region: the generalized quasi-identifiers that the tuples of a group share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seriatim._typing import BoolArray
from seriatim.errors import SchemaError, UnknownCategoryError, listed
from seriatim.microdata.roster import Roster


@dataclass(frozen=True)
class Region:
    """One part for each quasi-identifier, as a release writes it.

    Words, not codes: a region read from one release can be laid over the roster of
    another view, whatever values that view happens to have.

    >>> print(Region(("age", "gender"), ("[51,52]", "F")))
    age [51,52], gender F
    """

    names: tuple[str, ...]
    """The quasi-identifiers."""

    texts: tuple[str, ...]
    """What each was generalized to."""

    def contains(self, roster: Roster) -> BoolArray:
        """Tell which respondents of a roster lie inside."""
        inside = np.ones(len(roster), dtype=bool)
        axes = {one.name: axis for axis, one in enumerate(roster.schema.quasi_identifiers)}
        for name, text in zip(self.names, self.texts, strict=True):
            if name not in axes:
                message = f"The roster has {listed(axes)}, and the region speaks of {name!r}."
                raise SchemaError(message)
            attribute = roster.schema.quasi_identifiers[axes[name]]
            try:
                inside &= attribute.parse(text).contains(roster.points[:, axes[name]])
            except UnknownCategoryError:
                inside[:] = False
        return inside

    def __str__(self) -> str:
        """Write the region as a release does."""
        pairs = zip(self.names, self.texts, strict=True)
        return ", ".join(f"{name} {text}" for name, text in pairs)
