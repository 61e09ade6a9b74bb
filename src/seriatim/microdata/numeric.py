"""Numbers: ages, weights, amounts; generalized to intervals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import FloatArray, IntArray
from seriatim.errors import KnowledgeError, SchemaError
from seriatim.microdata.attribute import OUTSIDE_THE_RANGE, flat_heights, refuse_rows, unresolved
from seriatim.microdata.cover import (
    Cover,
    Prices,
    interval_text,
    run_prices,
    run_texts,
    share_of,
)
from seriatim.microdata.gathers import ends_in_groups
from seriatim.microdata.part import Interval, Part
from seriatim.microdata.tables import LARGEST_WHOLE, to_numbers

_NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_ONE = re.compile(rf"\s*({_NUMBER})\s*")
_BETWEEN = rf"\s*({_NUMBER})\s*(?:,|-|–|\.\.)\s*({_NUMBER})\s*"
_RANGE = re.compile(_BETWEEN)
_BRACKETED = re.compile(rf"\s*([\[\](]){_BETWEEN}([\[\])])\s*")
_BOUND = re.compile(rf"\s*(<=|>=|<|>|≤|≥)\s*({_NUMBER})\s*")
_FINEST_STEPS = 2**16


@dataclass(frozen=True)
class Numeric:
    """A numeric quasi-identifier.

    >>> Numeric("age", low=45, high=74).parse("45-54")
    Interval(low=45.0, high=54.0)
    """

    name: str
    """The column."""

    low: float | None = None
    """Least value of the domain; left out, it is read off the views."""

    high: float | None = None
    """Greatest value of the domain; left out, it is read off the views."""

    integral: bool = field(default=True, kw_only=True)
    """Whether numbers are written as whole ones, where they are."""

    open: bool = field(default=False, kw_only=True, repr=False)
    """Whether the range was read off data, and may widen."""

    fractions: bool = field(default=False, kw_only=True, repr=False)
    """Whether data brought numbers that are not whole."""

    def __post_init__(self) -> None:
        """Refuse half a range and an empty one."""
        if (self.low is None) != (self.high is None):
            message = f"Attribute {self.name!r} needs both ends of its range, or neither."
            raise SchemaError(message)
        if not all(isinstance(end, Real | None) for end in (self.low, self.high)):
            message = f"The range of {self.name!r} is two numbers, not {self.low!r}, {self.high!r}."
            raise SchemaError(message)
        if self.low is None or self.high is None:
            return
        if not -np.inf < self.low <= self.high < np.inf:
            message = f"Attribute {self.name!r} has no range from {self.low} to {self.high}."
            raise SchemaError(message)

    @property
    def _range(self) -> tuple[float, float]:
        if self.low is None or self.high is None:
            unresolved(self.name)
        return self.low, self.high

    @property
    def steps(self) -> int:
        """How many places of a grid tell its values apart; fine ranges share places."""
        low, high = self._range
        whole = self.integral and not self.fractions
        return min(int(high - low) + 1, _FINEST_STEPS) if whole else _FINEST_STEPS

    def resolve(self, column: pa.Array) -> Numeric:
        """Read the range off the column, or widen it, where it was not declared."""
        numbers = to_numbers(column, self.name)
        least, greatest = float(numbers.min()), float(numbers.max())
        if not (np.isfinite(least) and np.isfinite(greatest)):
            refuse_rows(~np.isfinite(numbers), self.name, "infinite value(s)")
        undeclared = self.low is None or self.open
        low = least if self.low is None else min(self.low, least) if self.open else self.low
        high = (
            greatest if self.high is None else max(self.high, greatest) if self.open else self.high
        )
        if least < low or greatest > high:
            outside = (numbers < low) | (numbers > high)
            what = f"value(s) outside [{low:g}, {high:g}]"
            refuse_rows(outside, self.name, what, OUTSIDE_THE_RANGE)
        # Columns of whole numbers hold none from 2**53 on.
        whole = pa.types.is_integer(column.type) or _all_whole(numbers)
        whole = whole and _all_whole(np.array([low, high]))
        return replace(
            self, low=low, high=high, open=undeclared, fractions=self.fractions or not whole
        )

    def public(self) -> Numeric:
        """Return the attribute as it was declared."""
        seen = replace(self, low=None, high=None, open=False) if self.open else self
        return replace(seen, fractions=False)

    def encode(self, column: pa.Array) -> FloatArray:
        """Return the numbers themselves."""
        return to_numbers(column, self.name)

    def spread(self, codes: FloatArray) -> FloatArray:
        """Stretch the domain over [0, 1]."""
        low, high = self._range
        return share_of(codes - low, high - low)

    def distance(self, codes: FloatArray, others: FloatArray) -> FloatArray:
        """Return the difference, relative to the domain's length."""
        return np.abs(self.spread(codes) - self.spread(others))

    def heights(self, codes: FloatArray) -> IntArray:
        """Return 1 for every border: none is better than another."""
        return flat_heights(codes)

    def cover(self, codes: FloatArray, starts: IntArray) -> Cover:
        """Return the interval from the least to the greatest value of each group.

        Extent and penalty are both its length relative to the domain's.
        """
        low, high = self._range
        least, greatest = ends_in_groups(codes, starts)
        # A range read off the view may end at a suppressed tuple: only published ones count.
        whole = codes.max() - codes.min() if self.open else high - low
        extents = share_of(greatest - least, float(whole))
        return Cover(self._texts(least, greatest), extents, extents)

    def prices(self, codes: FloatArray) -> Prices:
        """Return the lengths of intervals, relative to the domain's."""
        low, high = (codes.min(), codes.max()) if self.open else self._range
        return run_prices(share_of(codes - low, float(high - low)))

    def _texts(self, least: FloatArray, greatest: FloatArray) -> pa.Array:
        if self.integral and not self.fractions:
            return run_texts(least, greatest, _whole_texts)
        low, high = (pa.array(ends).cast(pa.string()) for ends in (least, greatest))
        return interval_text(pa.array(least == greatest), low, high)

    def parse(self, text: Any) -> Part:
        """Read ``51``, ``45-54``, ``[45,54]``, ``[45,55[``, ``(44,54]``, ``>=70``; ``*`` is all.

        A bracket that looks away from its number leaves the number out, in both customs:
        ``[45,55)`` and ``[45,55[``.
        """
        written = str(text)
        if not written.strip().strip("*") and written.strip():
            return Interval(-np.inf, np.inf)
        if one := _ONE.fullmatch(written):
            return Interval(float(one[1]), float(one[1]))
        if bound := _BOUND.fullmatch(written):
            return _beyond(bound[1], float(bound[2]))
        if bare := _RANGE.fullmatch(written):
            low, high, closed = float(bare[1]), float(bare[2]), (True, True)
        elif two := _BRACKETED.fullmatch(written):
            low, high, closed = float(two[2]), float(two[3]), (two[1] == "[", two[4] == "]")
        else:
            low, high, closed = 1.0, 0.0, (True, True)
        if low > high or (low == high and not all(closed)):
            message = (
                f"{written!r} is no number or interval of {self.name!r}."
                " Write 51, 45-54, [45,54] with the lesser end first, or '*' for all."
            )
            raise KnowledgeError(message)
        return Interval(
            low if closed[0] else float(np.nextafter(low, np.inf)),
            high if closed[1] else float(np.nextafter(high, -np.inf)),
        )

    def ends(self, parts: Sequence[Interval]) -> tuple[pa.Array, pa.Array]:
        """Return the lower and the upper ends of parts, as numbers."""
        return pa.array([part.low for part in parts]), pa.array([part.high for part in parts])

    def measure(self, part: Part) -> tuple[float, float]:
        """Return extent and penalty of a part: its length inside the domain, relatively."""
        assert isinstance(part, Interval)
        low, high = self._range
        length = min(part.high, high) - max(part.low, low)
        extent = float(share_of(np.array([max(length, 0.0)]), high - low)[0])
        return extent, extent


def _beyond(sign: str, number: float) -> Interval:
    """Return the interval on one side of a number."""
    if sign in ("<", "<=", "≤"):
        return Interval(-np.inf, float(np.nextafter(number, -np.inf)) if sign == "<" else number)
    return Interval(float(np.nextafter(number, np.inf)) if sign == ">" else number, np.inf)


def _whole_texts(numbers: FloatArray) -> pa.Array:
    return pa.array(numbers.astype(np.int64)).cast(pa.string())


def _all_whole(numbers: FloatArray) -> bool:
    return bool(((numbers == np.rint(numbers)) & (np.abs(numbers) < LARGEST_WHOLE)).all())
