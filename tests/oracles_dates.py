"""The slow twin of what days are generalized to: try every unit, finest first."""

from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from oracles import Cover

UNITS = ("month", "quarter", "year")


class Unit(NamedTuple):
    """A unit of the calendar."""

    text: str
    first: dt.date
    last: dt.date


def unit_around(day: dt.date, unit: str) -> Unit:
    """The month, quarter or year that a day lies in."""
    if unit == "year":
        return Unit(f"{day.year:04}", dt.date(day.year, 1, 1), dt.date(day.year, 12, 31))
    if unit == "month":
        begin = end = day.month
        text = f"{day.year:04}-{day.month:02}"
    else:
        (begin, end), number = next(
            (months, number)
            for number, months in enumerate([(1, 3), (4, 6), (7, 9), (10, 12)], start=1)
            if months[0] <= day.month <= months[1]
        )
        text = f"{day.year:04}-Q{number}"
    days_in_end = calendar.monthrange(day.year, end)[1]
    return Unit(text, dt.date(day.year, begin, 1), dt.date(day.year, end, days_in_end))


def possible_units(days: Sequence[dt.date], levels: Sequence[str]) -> Iterator[Unit]:
    """What may hold some days, from the finest on."""
    least, greatest = min(days), max(days)
    if least == greatest:
        yield Unit(least.isoformat(), least, least)
    for level in levels:
        unit = unit_around(least, level)
        if all(unit.first <= day <= unit.last for day in days):
            yield unit
    if levels:
        low, high = unit_around(least, levels[-1]), unit_around(greatest, levels[-1])
        yield Unit(f"[{low.text},{high.text}]", low.first, high.last)
    else:
        yield Unit(f"[{least.isoformat()},{greatest.isoformat()}]", least, greatest)


def calendar_unit(
    days: Sequence[dt.date], first: dt.date, last: dt.date, levels: Sequence[str] = UNITS
) -> Cover:
    """The finest unit; extent and penalty are its length relative to the domain's, at most 1."""
    unit = next(possible_units(days, levels))
    length = (unit.last - unit.first).days / (last - first).days if last > first else 0.0
    share = min(length, 1.0)
    return Cover(unit.text, share, share, lambda day: unit.first <= day <= unit.last)
