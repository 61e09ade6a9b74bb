"""Classes of respondents: knowledge that differs by age band, gender or place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import BoolArray, IntArray
from seriatim.errors import (
    KnowledgeError,
    UnknownCategoryError,
    at_positions,
    did_you_mean,
    listed,
)
from seriatim.microdata.attribute import QuasiIdentifier
from seriatim.microdata.roster import Roster
from seriatim.microdata.tables import Columns, to_numpy


@dataclass(frozen=True)
class Classes:
    """Classes by quasi-identifier, each a row of cells such as ``45-54``, ``F`` or ``*``.

    >>> from seriatim import Numeric, Roster, Schema, Sensitive
    >>> schema = Schema("name", [Numeric("age", 0, 120)], Sensitive("exam"))
    >>> people = Roster.from_table({"name": [1, 2], "age": [30, 70]}, schema)
    >>> Classes(("age",), (("0-64",), ("65-120",))).of(people).tolist()
    [0, 1]
    """

    names: tuple[str, ...]
    """The quasi-identifiers that decide."""

    cells: tuple[tuple[Any, ...], ...]
    """One row per class, one cell per name."""

    def __len__(self) -> int:
        """Return the number of classes."""
        return len(self.cells)

    def of(self, roster: Roster) -> IntArray:
        """Return the class of each respondent; it must be exactly one."""
        attributes = {one.name: axis for axis, one in enumerate(roster.schema.quasi_identifiers)}
        missing = [name for name in self.names if name not in attributes]
        if missing:
            message = (
                f"Classes go by {listed(missing)}, and the schema's quasi-identifiers are"
                f" {listed(attributes)}.{did_you_mean(missing[0], attributes)}"
            )
            raise KnowledgeError(message)
        fits = np.ones((len(self), len(roster)), dtype=bool)
        for place, name in enumerate(self.names):
            axis = attributes[name]
            attribute = roster.schema.quasi_identifiers[axis]
            masks: dict[str, BoolArray] = {}
            for index, row in enumerate(self.cells):
                text = str(row[place])
                if text not in masks:
                    masks[text] = _inside(attribute, text, roster, axis)
                fits[index] &= masks[text]
        times = fits.sum(axis=0)
        self._require_one(times, roster.positions)
        return np.asarray(fits.argmax(axis=0))

    def _require_one(self, times: IntArray, positions: IntArray) -> None:
        for wrong, what, advice in (
            (times == 0, "no class", "Add a class that covers them; a cell '*' covers all."),
            (times > 1, "several classes", "Make the classes' cells disjoint."),
        ):
            if wrong.any():
                message = (
                    f"{int(wrong.sum())} respondents belong to {what} of the {len(self)} by"
                    f" {listed(self.names)}, at {at_positions(positions[wrong])}. {advice}"
                )
                raise KnowledgeError(message)


def _inside(attribute: QuasiIdentifier, text: str, roster: Roster, axis: int) -> BoolArray:
    if text == "*":
        return np.ones(len(roster), dtype=bool)
    try:
        part = attribute.parse(text)
    except UnknownCategoryError:
        if not attribute.open:
            raise
        # A class may name a category that the data happens not to have: nobody is in it.
        return np.zeros(len(roster), dtype=bool)
    return part.contains(roster.points[:, axis])


def collect_classes(columns: Columns, by: str | Sequence[str]) -> tuple[Classes, IntArray]:
    """Read the classes that a long table names, and the class of each of its rows."""
    names = (by,) if isinstance(by, str) else tuple(by)
    read = [columns[name] for name in names]
    number = np.zeros(len(columns), dtype=np.int64)
    for column in read:
        cells = column.dictionary_encode(null_encoding="encode")
        joined = number * len(cells.dictionary) + to_numpy(cells.indices)
        number = np.unique(joined, return_inverse=True)[1].ravel()
    _, first, number = np.unique(number, return_index=True, return_inverse=True)
    # Numbered as they come in the table, as whoever wrote it would.
    order = np.argsort(first)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    rows = [column.take(pa.array(first[order])).to_pylist() for column in read]
    return Classes(names, tuple(zip(*rows, strict=True))), place[number.ravel()]
