"""Dates: births, admissions, first symptoms; generalized to units of the calendar."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import FloatArray, IntArray
from seriatim.errors import KnowledgeError, SchemaError, listed
from seriatim.microdata.attribute import OUTSIDE_THE_RANGE, refuse_rows, unresolved
from seriatim.microdata.bad_cells import refuse_cells
from seriatim.microdata.calendar_units import (
    FIRST_DAY,
    LAST_DAY,
    MONTHS_IN,
    day_texts,
    first_day_of,
    last_day_of,
    read_day,
    read_unit,
    unit_of,
    unit_texts,
)
from seriatim.microdata.cover import Cover, Prices, interval_text, share_of
from seriatim.microdata.gathers import ends_in_groups
from seriatim.microdata.part import Interval, Part
from seriatim.microdata.tables import require_present, to_numpy

_BRACKETED = re.compile(r"([\[\](])\s*([^,]+?)\s*,\s*([^,]+?)\s*([\[\])])")
_BARE = re.compile(r"([^/]+?)\s*(?:\.\.|/|–)\s*([^/]+)")
_FINEST_STEPS = 2**16
_EPOCH = dt.date(1970, 1, 1)


@dataclass(frozen=True)
class Date:
    """A quasi-identifier of the calendar; codes are days since 1970-01-01.

    Columns of dates and of timestamps are read by their day, a timestamp's in its own time
    zone; texts as ISO writes them, or as ``form`` says. Releases write ISO's form.

    >>> Date("born", "1900", "2025").parse("1970-01")
    Interval(low=0.0, high=30.0)
    """

    name: str
    """The column."""

    first: dt.date | str | None = None
    """First day of the domain, a date or its text; left out, it is read off the views."""

    last: dt.date | str | None = None
    """Last day of the domain, a date or its text; left out, it is read off the views."""

    levels: Sequence[str] = field(default=tuple(MONTHS_IN), kw_only=True)
    """The units that groups may be generalized to; runs of days where there are none."""

    form: str | None = field(default=None, kw_only=True)
    """How texts write a day, as ``"%d.%m.%Y"``; left out, as ISO does: ``1984-03-12``."""

    open: bool = field(default=False, kw_only=True, repr=False)
    """Whether the range was read off data, and may widen."""

    def __post_init__(self) -> None:
        """Accept texts for days; refuse half a range, an empty one and unknown units."""
        levels = [self.levels] if isinstance(self.levels, str) else list(self.levels)
        if not set(levels) <= set(MONTHS_IN):
            message = (
                f"Attribute {self.name!r} has levels {listed(levels)};"
                f" possible are {listed(MONTHS_IN)}."
            )
            raise SchemaError(message)
        in_order = tuple(unit for unit in MONTHS_IN if unit in levels)
        object.__setattr__(self, "levels", in_order)
        if (self.first is None) != (self.last is None):
            message = f"Attribute {self.name!r} needs both ends of its range, or neither."
            raise SchemaError(message)
        if self.first is None or self.last is None:
            return
        ends = _day_of(self.first, 0), _day_of(self.last, 1)
        if ends[0] is None or ends[1] is None:
            message = (
                f"The range of {self.name!r} is two dates, such as '1900-01-01', '2025-12-31',"
                f" not {self.first!r}, {self.last!r}."
            )
            raise SchemaError(message)
        if ends[0] > ends[1]:
            message = f"Attribute {self.name!r} has no range from {self.first} to {self.last}."
            raise SchemaError(message)
        object.__setattr__(self, "first", _date_of(ends[0]))
        object.__setattr__(self, "last", _date_of(ends[1]))

    @property
    def _range(self) -> tuple[int, int]:
        first, last = _day_of(self.first, 0), _day_of(self.last, 1)
        if first is None or last is None:
            unresolved(self.name)
        return first, last

    @property
    def steps(self) -> int:
        """How many places of a grid tell its days apart; long ranges share places."""
        first, last = self._range
        return min(last - first + 1, _FINEST_STEPS)

    def resolve(self, column: pa.Array) -> Date:
        """Read the range off the column, or widen it, where it was not declared."""
        days = to_days(column, self.name, self.form)
        first, last = int(days.min()), int(days.max())
        undeclared = self.first is None or self.open
        if self.first is not None:
            known = self._range
            first = min(known[0], first) if self.open else known[0]
            last = max(known[1], last) if self.open else known[1]
        what = f"day(s) outside the range from {_date_of(first)} to {_date_of(last)}"
        refuse_rows((days < first) | (days > last), self.name, what, OUTSIDE_THE_RANGE)
        return replace(self, first=_date_of(first), last=_date_of(last), open=undeclared)

    def public(self) -> Date:
        """Return the attribute as it was declared."""
        return replace(self, first=None, last=None, open=False) if self.open else self

    def encode(self, column: pa.Array) -> FloatArray:
        """Return the days since 1970-01-01."""
        return to_days(column, self.name, self.form).astype(np.float64)

    def spread(self, codes: FloatArray) -> FloatArray:
        """Stretch the domain over [0, 1]."""
        first, last = self._range
        return share_of(codes - first, last - first)

    def distance(self, codes: FloatArray, others: FloatArray) -> FloatArray:
        """Return the difference, relative to the domain's length."""
        return np.abs(self.spread(codes) - self.spread(others))

    def heights(self, codes: FloatArray) -> IntArray:
        """Return 1 between days of a unit, one more for each level that ends between them."""
        days = codes.astype(np.int64)
        found = np.ones(max(len(days) - 1, 0), dtype=np.int64)
        for unit in self.levels:
            numbers = unit_of(days, unit)
            found += numbers[1:] != numbers[:-1]
        return found

    def cover(self, codes: FloatArray, starts: IntArray) -> Cover:
        """Return the finest unit that holds all days of each group.

        One day where all are the same; beyond the coarsest level, a run of its units.
        Extent and penalty are both the length, last day less first day, relative to the
        domain's, and at most 1.
        """
        least, greatest = (one.astype(np.int64) for one in ends_in_groups(codes, starts))
        texts, begins, ends = self._runs(least, greatest)
        undecided = least != greatest
        for unit in self.levels:
            unit_begins, unit_ends = unit_of(least, unit), unit_of(greatest, unit)
            agree = undecided & (unit_begins == unit_ends)
            texts[agree] = unit_texts(unit_begins[agree], unit)
            begins[agree] = first_day_of(unit_begins[agree], unit)
            ends[agree] = last_day_of(unit_ends[agree], unit)
            undecided &= ~agree
        first, last = self._range
        # A range read off the view may end at a suppressed tuple: only published ones count.
        whole = float(codes.max() - codes.min()) if self.open else float(last - first)
        lengths = (ends - begins).astype(np.float64)
        extents = np.minimum(share_of(lengths, whole), 1.0)
        return Cover(pa.array(texts, pa.string()), extents, extents)

    def _runs(self, least: IntArray, greatest: IntArray) -> tuple[np.ndarray, IntArray, IntArray]:
        """Return days where they are the same, else runs of the coarsest unit."""
        same = least == greatest
        low, high, begins, ends = day_texts(least), day_texts(greatest), least, greatest
        if self.levels:
            unit = self.levels[-1]
            units = unit_of(least, unit), unit_of(greatest, unit)
            low = np.where(same, low, unit_texts(units[0], unit))
            high = np.where(same, high, unit_texts(units[1], unit))
            begins = np.where(same, least, first_day_of(units[0], unit))
            ends = np.where(same, greatest, last_day_of(units[1], unit))
        texts = interval_text(pa.array(same), pa.array(low), pa.array(high))
        return np.array(texts.to_numpy(zero_copy_only=False), dtype=object), begins, ends

    def prices(self, codes: FloatArray) -> Prices:
        """Return the lengths of units and of runs of the coarsest, relative to the domain's."""
        days = codes.astype(np.int64)
        first, last = (days.min(), days.max()) if self.open else self._range
        begins, ends = [days], [days]
        for unit in self.levels:
            numbers = unit_of(days, unit)
            begins.append(first_day_of(numbers, unit))
            ends.append(last_day_of(numbers, unit))
        lower, upper = (
            share_of(np.stack([*rows, rows[-1]]).astype(np.float64) - first, float(last - first))
            for rows in (begins, ends)
        )
        return Prices(lower, upper)

    def parse(self, text: Any) -> Part:
        """Read ``1984-03-12``, ``1984-03``, ``1984-Q1``, ``1984`` and runs; ``*`` is all.

        Runs are written ``[1980,1984]``, ``1980..1984`` or ``1980/1984``, with ends in any
        unit; a bracket that looks away from its end leaves it out.
        """
        written = str(text).strip()
        if written and not written.strip("*"):
            return Interval(-np.inf, np.inf)
        if unit := read_unit(written, self.form):
            return Interval(*map(float, unit))
        closed = True, True
        if found := _BRACKETED.fullmatch(written):
            ends, closed = (found[2], found[3]), (found[1] == "[", found[4] == "]")
        elif found := _BARE.fullmatch(written):
            ends = found[1], found[2]
        else:
            ends = "", ""
        low, high = (read_unit(end, self.form) for end in ends)
        if low and high:
            first = low[0] if closed[0] else low[1] + 1
            last = high[1] if closed[1] else high[0] - 1
            if first <= last:
                return Interval(float(first), float(last))
        message = (
            f"{written!r} is no day or unit of the calendar for {self.name!r}. Write 1984-03-12,"
            " 1984-03, 1984-Q1, 1984, [1980,1984] with the earlier end first, or '*' for all."
        )
        raise KnowledgeError(message)

    def ends(self, parts: Sequence[Interval]) -> tuple[pa.Array, pa.Array]:
        """Return the first and the last day of parts."""
        first = np.array([part.low for part in parts]).clip(FIRST_DAY, LAST_DAY)
        last = np.array([part.high for part in parts]).clip(FIRST_DAY, LAST_DAY)
        lower, upper = (pa.array(days.astype(np.int32)) for days in (first, last))
        return lower.cast(pa.date32()), upper.cast(pa.date32())

    def measure(self, part: Part) -> tuple[float, float]:
        """Return extent and penalty of a part: its length, relative to the domain's."""
        assert isinstance(part, Interval)
        first, last = self._range
        length = share_of(np.array([part.high - part.low]), last - first)
        extent = min(float(length[0]), 1.0)
        return extent, extent


def to_days(column: pa.Array, name: str, form: str | None = None) -> IntArray:
    """Return the days of a column of dates, timestamps or texts, counted from 1970-01-01."""
    require_present(column, name)
    kind = column.type
    if pa.types.is_string(kind):
        days = _days_of_texts(column, name, form)
    elif pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        days = _days_of_dates(column)
    else:
        message = (
            f"Column {name!r} should hold dates and holds {kind}. Convert the column,"
            " or declare it Numeric, Categorical, Ordinal or Hierarchical."
        )
        raise SchemaError(message)
    refuse_rows((days < FIRST_DAY) | (days > LAST_DAY), name, "day(s) outside the years 1 to 9999")
    return days


def _days_of_dates(column: pa.Array) -> IntArray:
    days = column.cast(pa.date32(), safe=False).cast(pa.int32())
    return np.asarray(to_numpy(days), dtype=np.int64)


def _days_of_texts(column: pa.Array, name: str, form: str | None) -> IntArray:
    """Read each different text once."""
    encoded = column.dictionary_encode()
    read = [read_day(text, form) for text in encoded.dictionary.to_pylist()]
    places = to_numpy(encoded.indices)
    wrong = np.array([day is None for day in read], dtype=bool)[places]
    if wrong.any():
        expected = "ISO dates such as 1984-03-12" if form is None else f"dates of the form {form!r}"
        refuse_cells(
            wrong,
            f"Column {name!r} holds texts, and {int(wrong.sum())} of them are no {expected}",
            f'Correct the rows, or say how days are written: Date({name!r}, form="%d.%m.%Y").',
        )
    return np.asarray(np.array(read, dtype=np.int64)[places])


def _day_of(end: object, which: int) -> int | None:
    """Return a declared end as a day; a text may name a unit, whose first or last day counts."""
    if isinstance(end, dt.datetime):
        end = end.date()
    if isinstance(end, dt.date):
        return (end - _EPOCH).days
    unit = read_unit(end) if isinstance(end, str) else None
    return unit[which] if unit else None


def _date_of(day: int) -> dt.date:
    return _EPOCH + dt.timedelta(days=day)
