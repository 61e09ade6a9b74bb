"""Ordered categories: stages, grades, bands; generalized to runs of neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import FloatArray, IntArray
from seriatim.errors import UnknownCategoryError
from seriatim.microdata.attribute import check_values, code_of, encode_values
from seriatim.microdata.cover import Cover, IntervalCover, share_of
from seriatim.microdata.part import Interval, Part


@dataclass(frozen=True)
class Ordinal:
    """An ordered quasi-identifier, its values declared from least to greatest.

    >>> grade = Ordinal("grade", ["low", "middle", "high"])
    >>> grade.describe(grade.parse("[middle,high]"))
    '[middle,high]'
    """

    name: str
    """The column."""

    values: Sequence[Any]
    """All values, from least to greatest."""

    def __post_init__(self) -> None:
        """Accept any sequence of values, each once."""
        object.__setattr__(self, "values", tuple(self.values))
        check_values(self.values, self.name)

    @property
    def steps(self) -> int:
        """How many places of a grid tell its values apart."""
        return len(self.values)

    def resolve(self, column: pa.Array) -> Ordinal:
        """Return the attribute itself: its order cannot be read off data."""
        return self

    def encode(self, column: pa.Array) -> FloatArray:
        """Return each value's place in the order."""
        return encode_values(column, self.values, self.name).astype(np.float64)

    def spread(self, codes: FloatArray) -> FloatArray:
        """Stretch the order over [0, 1]."""
        return share_of(codes, len(self.values) - 1)

    def cover(self, codes: FloatArray, starts: IntArray) -> Cover:
        """Return the run from the least to the greatest value of each group."""
        least = np.minimum.reduceat(codes, starts[:-1])
        greatest = np.maximum.reduceat(codes, starts[:-1])
        labels = pa.array([str(value) for value in self.values], pa.string())
        return IntervalCover(
            least,
            greatest,
            float(len(self.values) - 1),
            labels.take(pa.array(least.astype(np.int64))),
            labels.take(pa.array(greatest.astype(np.int64))),
        )

    def parse(self, text: Any) -> Part:
        """Read one value or ``[least,greatest]``; ``*`` is the whole domain."""
        written = str(text).strip()
        if written == "*":
            return Interval(0, len(self.values) - 1)
        labels = [str(value) for value in self.values]
        if written in labels:
            return Interval(labels.index(written), labels.index(written))
        if written.startswith("[") and written.endswith("]"):
            least, _, greatest = written[1:-1].partition(",")
            return Interval(
                code_of(least.strip(), self.values, self.name),
                code_of(greatest.strip(), self.values, self.name),
            )
        message = (
            f"{written!r} is no value or run of {self.name!r}."
            f" Write one of {', '.join(labels)}, [least,greatest], or '*' for all."
        )
        raise UnknownCategoryError(message)

    def describe(self, part: Part) -> str:
        """Write a run as a release does."""
        assert isinstance(part, Interval)
        least, greatest = self.values[int(part.low)], self.values[int(part.high)]
        return str(least) if part.low == part.high else f"[{least},{greatest}]"
