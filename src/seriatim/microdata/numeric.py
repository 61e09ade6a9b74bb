"""Numbers: ages, weights, amounts; generalized to intervals."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import FloatArray, IntArray
from seriatim.errors import KnowledgeError, SchemaError, TableError, at_positions
from seriatim.microdata.attribute import refuse_outside, unresolved
from seriatim.microdata.cover import Cover, IntervalCover, share_of
from seriatim.microdata.part import Interval, Part
from seriatim.microdata.tables import to_numbers

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_ONE = re.compile(rf"\s*({_NUMBER})\s*")
_RANGE = re.compile(rf"\s*\[?\s*({_NUMBER})\s*(?:,|-|–|\.\.)\s*({_NUMBER})\s*\]?\s*")
_CONTINUOUS_STEPS = 2**16


@dataclass(frozen=True)
class Numeric:
    """A numeric quasi-identifier.

    >>> age = Numeric("age", low=45, high=74)
    >>> age.describe(age.parse("45-54"))
    '[45,54]'
    """

    name: str
    """The column."""

    low: float | None = None
    """Least value of the domain; read off each view when left out."""

    high: float | None = None
    """Greatest value of the domain; read off each view when left out."""

    integral: bool = field(default=True, kw_only=True)
    """Whether values are whole numbers, which decides how they are written."""

    def __post_init__(self) -> None:
        """Refuse an empty range."""
        bounds = [bound for bound in (self.low, self.high) if bound is not None]
        if not np.isfinite(bounds).all() or (len(bounds) == 2 and bounds[0] > bounds[1]):
            message = f"Attribute {self.name!r} has no range from {self.low} to {self.high}."
            raise SchemaError(message)

    @property
    def _range(self) -> tuple[float, float]:
        if self.low is None or self.high is None:
            unresolved(self.name)
        return self.low, self.high

    @property
    def steps(self) -> int:
        """How many places of a grid tell its values apart."""
        low, high = self._range
        return min(int(high - low) + 1, _CONTINUOUS_STEPS) if self.integral else _CONTINUOUS_STEPS

    def resolve(self, column: pa.Array) -> Numeric:
        """Fill in what was not declared from the column."""
        numbers = to_numbers(column, self.name)
        if not np.isfinite(numbers).all():
            infinite = np.flatnonzero(~np.isfinite(numbers))
            message = f"Column {self.name!r} is infinite at {at_positions(infinite)}."
            raise TableError(message)
        low = float(numbers.min()) if self.low is None else self.low
        high = float(numbers.max()) if self.high is None else self.high
        bounds_whole = float(low).is_integer() and float(high).is_integer()
        whole = bounds_whole and bool((numbers == np.rint(numbers)).all())
        refuse_outside((numbers < low) | (numbers > high), self.name, low, high)
        return replace(self, low=low, high=high, integral=whole)

    def encode(self, column: pa.Array) -> FloatArray:
        """Return the numbers themselves."""
        return to_numbers(column, self.name)

    def spread(self, codes: FloatArray) -> FloatArray:
        """Stretch the domain over [0, 1]."""
        low, high = self._range
        return share_of(codes - low, high - low)

    def cover(self, codes: FloatArray, starts: IntArray) -> Cover:
        """Return the interval from the least to the greatest value of each group."""
        low, high = self._range
        least = np.minimum.reduceat(codes, starts[:-1])
        greatest = np.maximum.reduceat(codes, starts[:-1])
        return IntervalCover(
            least, greatest, high - low, self._written(least), self._written(greatest)
        )

    def _written(self, numbers: FloatArray) -> pa.Array:
        return pa.array(numbers.astype(np.int64) if self.integral else numbers).cast(pa.string())

    def parse(self, text: Any) -> Part:
        """Read ``51``, ``45-54``, ``45..54`` or ``[45,54]``; ``*`` is the whole domain."""
        written = str(text)
        if written.strip() == "*":
            return Interval(-np.inf, np.inf)
        if one := _ONE.fullmatch(written):
            return Interval(float(one[1]), float(one[1]))
        if two := _RANGE.fullmatch(written):
            return Interval(float(two[1]), float(two[2]))
        message = (
            f"{written!r} is no number or interval of {self.name!r}."
            " Write 51, 45-54, [45,54], or '*' for all."
        )
        raise KnowledgeError(message)

    def describe(self, part: Part) -> str:
        """Write an interval as a release does."""
        assert isinstance(part, Interval)
        ends = self._written(np.array([part.low, part.high])).to_pylist()
        return str(ends[0]) if part.low == part.high else f"[{ends[0]},{ends[1]}]"
