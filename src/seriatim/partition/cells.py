"""Cells: a division of the space of quasi-identifiers that stays for a whole series.

Grown from the quasi-identifiers of the first view, never from sensitive values: the straight
cuts that lose least detail with a least number of tuples in every cell. A tree of cuts, not a
grid, so that cells are small where people are many.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from seriatim._typing import IntArray
from seriatim.errors import OrderError
from seriatim.microdata.attribute import QuasiIdentifier
from seriatim.microdata.roster import Roster
from seriatim.partition.growth import Growth, numbered


@dataclass(frozen=True, eq=False)
class Cells:
    """A tree of cuts; each border is written as a value, so that domains may grow."""

    axes: IntArray
    """The attribute of each cut; -1 for a cell."""

    borders: tuple[Any, ...]
    """The last value on the left of each cut: a number, or a label."""

    left: IntArray
    """The node on the left of each cut; of a cell, its number."""

    right: IntArray
    """The node on the right of each cut."""

    def __len__(self) -> int:
        """Return the number of cells."""
        return int((self.axes < 0).sum())

    def __repr__(self) -> str:
        """Say how many there are."""
        return f"Cells({len(self)})"

    @classmethod
    def grown(cls, roster: Roster, least: int) -> Cells:
        """Cut a roster into cells of at least so many respondents, at the least Σ size · NCP.

        Of rosters with too many boxes to weigh them all, by a search that is not exhaustive.
        """
        growth = Growth(roster, least)
        axes, ranks, left, right = numbered(growth.tree())
        attributes = roster.schema.quasi_identifiers
        borders = tuple(
            None if axis < 0 else _value(attributes[axis], growth.space.codes[axis][rank])
            for axis, rank in zip(axes.tolist(), ranks.tolist(), strict=True)
        )
        return cls(axes, borders, left, right)

    @classmethod
    def from_plan(cls, plan: Mapping[str, Any]) -> Cells:
        """Read cells back from plain values."""
        return cls(
            np.array(plan["axes"], dtype=np.int64),
            tuple(plan["borders"]),
            np.array(plan["left"], dtype=np.int64),
            np.array(plan["right"], dtype=np.int64),
        )

    def to_plan(self) -> dict[str, Any]:
        """Write cells as plain values."""
        return {
            "axes": self.axes.tolist(),
            "borders": list(self.borders),
            "left": self.left.tolist(),
            "right": self.right.tolist(),
        }

    def of(self, roster: Roster) -> IntArray:
        """Return the cell of each respondent, by the quasi-identifiers it has now."""
        from seriatim.kernels._jit import over_ranges
        from seriatim.kernels.cells import find_cells

        attributes = roster.schema.quasi_identifiers
        known = [_codes(attribute) for attribute in attributes]
        codes = np.zeros(len(self.axes))
        for node, (axis, border) in enumerate(zip(self.axes.tolist(), self.borders, strict=True)):
            if axis >= 0:
                codes[node] = _code(border, known[axis], attributes[axis].name)
        found = np.empty(len(roster), dtype=np.int64)
        over_ranges(
            find_cells,
            len(roster),
            roster.points,
            self.axes,
            codes,
            self.left,
            self.right,
            found,
        )
        return found


def _labels(attribute: QuasiIdentifier) -> tuple[Any, ...] | None:
    return getattr(attribute, "leaves", getattr(attribute, "values", None))


def _value(attribute: QuasiIdentifier, code: float) -> Any:
    """Return what a code stands for, in plain values."""
    labels = _labels(attribute)
    return float(code) if labels is None else str(labels[int(code)])


def _code(border: Any, known: Mapping[str, int] | None, name: str) -> float:
    """Return the code of a border; a domain that has lost it is not the series'."""
    if known is None:
        return float(border)
    if border not in known:
        message = (
            f"The cells of this series were cut in a domain of {name!r} that has values which this"
            " view was read without. Read it with the schema of the series, or pass the table"
            " itself."
        )
        raise OrderError(message)
    return float(known[border])


def _codes(attribute: QuasiIdentifier) -> dict[str, int] | None:
    """Return the code of each label, as borders are written; None where borders are numbers."""
    labels = _labels(attribute)
    if labels is None:
        return None
    # Of labels that are written alike the first counts.
    return {str(label): code for code, label in reversed(list(enumerate(labels)))}
