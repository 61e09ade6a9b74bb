"""Slots: a row number for each respondent, in arrays that grow with those seen."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import IntArray
from seriatim.errors import OrderError


class Slots:
    """Numbers respondents in the order in which they come.

    >>> slots = Slots()
    >>> slots.add(pa.array(["B", "A"]), np.array([0, 1]))
    >>> slots.of(pa.array(["A", "C"])).tolist()
    [1, -1]
    """

    def __init__(self) -> None:
        """Number nobody."""
        self._slots: dict[Any, int] = {}
        self._ids_are_text: bool | None = None

    def __len__(self) -> int:
        """Return the number of respondents."""
        return len(self._slots)

    def of(self, respondents: pa.Array) -> IntArray:
        """Return the slot of each respondent, -1 for one without."""
        if self._ids_are_text not in (None, _is_text(respondents)):
            words = ("numbers", "texts") if _is_text(respondents) else ("texts", "numbers")
            message = (
                f"Respondents were {words[0]} in earlier releases and are {words[1]} now; they"
                " could not be recognized. Use one kind of id for a whole series."
            )
            raise OrderError(message)
        ids = respondents.to_pylist()
        found = map(self._slots.get, ids, itertools.repeat(-1))
        return np.fromiter(found, dtype=np.int64, count=len(ids))

    def with_newcomers(self, respondents: pa.Array) -> tuple[IntArray, IntArray]:
        """Return a slot for each respondent, new ones behind the others, and who is new."""
        slots = self.of(respondents)
        new = np.flatnonzero(slots < 0)
        slots[new] = len(self) + np.arange(len(new))
        return slots, new

    def add(self, respondents: pa.Array, slots: IntArray) -> None:
        """Remember the slots of respondents."""
        self._slots.update(zip(respondents.to_pylist(), slots.tolist(), strict=True))
        self._ids_are_text = _is_text(respondents)


def _is_text(respondents: pa.Array) -> bool:
    return bool(pa.types.is_string(respondents.type))
