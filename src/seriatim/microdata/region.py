"""A region: the generalized quasi-identifiers that the tuples of a group share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seriatim._typing import BoolArray, FloatArray
from seriatim.microdata.attribute import QuasiIdentifier
from seriatim.microdata.part import Part


@dataclass(frozen=True)
class Region:
    """One part for each quasi-identifier.

    >>> from seriatim import Categorical, Numeric
    >>> age, gender = Numeric("age", 45, 74), Categorical("gender", ["F", "M"])
    >>> print(Region((age, gender), (age.parse("51-52"), gender.parse("F"))))
    age [51,52], gender F
    """

    attributes: Sequence[QuasiIdentifier]
    """The quasi-identifiers."""

    parts: tuple[Part, ...]
    """What each was generalized to."""

    def contains(self, points: FloatArray) -> BoolArray:
        """Tell which points (rows, attributes) lie inside."""
        points = np.atleast_2d(points)
        inside = [part.contains(points[:, axis]) for axis, part in enumerate(self.parts)]
        return np.asarray(np.logical_and.reduce(inside))

    def __str__(self) -> str:
        """Write the region as a release does."""
        pairs = zip(self.attributes, self.parts, strict=True)
        return ", ".join(
            f"{attribute.name} {attribute.describe(part)}" for attribute, part in pairs
        )
