"""Units of the calendar: days, months, quarters, years; how they are written and read.

Days are counted from 1970-01-01. A month, a quarter and a year are runs of 1, 3 and 12
months, counted from the same day, so that one division finds any of them.
"""

from __future__ import annotations

import datetime as dt
import re

import numpy as np

from seriatim._typing import IntArray

MONTHS_IN = {"month": 1, "quarter": 3, "year": 12}
"""The units above a day, from the finest to the coarsest."""

FIRST_DAY, LAST_DAY = -719_162, 2_932_896
"""0001-01-01 and 9999-12-31: the years that are written with four digits."""

_EPOCH = dt.date(1970, 1, 1).toordinal()
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?", re.ASCII)
_MONTHS = re.compile(r"(\d{4})(?:-(?:(0[1-9]|1[0-2])|Q([1-4])))?", re.ASCII)


def unit_of(days: IntArray, unit: str) -> IntArray:
    """Return the number of the unit that each day lies in.

    >>> unit_of(np.array([0, 31, 365]), "month").tolist()
    [0, 1, 12]
    """
    months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    return np.asarray(months // MONTHS_IN[unit])


def first_day_of(units: IntArray, unit: str) -> IntArray:
    """Return the day that each unit begins with."""
    months = (units * MONTHS_IN[unit]).astype("datetime64[M]")
    return np.asarray(months.astype("datetime64[D]").astype(np.int64))


def last_day_of(units: IntArray, unit: str) -> IntArray:
    """Return the day that each unit ends with."""
    return first_day_of(units + 1, unit) - 1


def day_texts(days: IntArray) -> np.ndarray:
    """Write days, as ``1984-03-12``."""
    return days.astype("datetime64[D]").astype(str)


def unit_texts(units: IntArray, unit: str) -> np.ndarray:
    """Write units, as ``1984-03``, ``1984-Q1`` or ``1984``.

    >>> unit_texts(np.array([56]), "quarter").tolist()
    ['1984-Q1']
    """
    if unit == "month":
        return units.astype("datetime64[M]").astype(str)
    if unit == "year":
        return units.astype("datetime64[Y]").astype(str)
    years = (units // 4).astype("datetime64[Y]").astype(str)
    return np.asarray(np.char.add(np.char.add(years, "-Q"), (units % 4 + 1).astype(str)))


def read_day(text: str, form: str | None = None) -> int | None:
    """Read a day in ISO's form or another one; a time of day is left out.

    >>> read_day("1970-01-02"), read_day("2.1.1970", "%d.%m.%Y"), read_day("1970-02-30")
    (1, 1, None)
    """
    try:
        if form is not None:
            day = dt.datetime.strptime(text, form)  # noqa: DTZ007 - a day has no zone
        elif _DAY.fullmatch(text):
            day = dt.datetime.fromisoformat(text)
        else:
            return None
    except ValueError:
        return None
    return day.toordinal() - _EPOCH


def read_unit(text: str, form: str | None = None) -> tuple[int, int] | None:
    """Read a day, month, quarter or year: its first day and its last.

    What ISO's form can mean, it means, whatever other form days are written in.

    >>> read_unit("1970-Q1"), read_unit("spring")
    ((0, 89), None)
    """
    day = read_day(text)
    found = _MONTHS.fullmatch(text)
    if day is None and found is None and form is not None:
        day = read_day(text, form)
    if day is not None:
        return day, day
    if found is None or found[1] == "0000":
        return None
    year, month, quarter = (int(part) if part else 0 for part in found.groups())
    unit = "month" if month else "quarter" if quarter else "year"
    months = (year - 1970) * 12 + max(month - 1, 3 * (quarter - 1), 0)
    number = np.array([months // MONTHS_IN[unit]])
    return int(first_day_of(number, unit)[0]), int(last_day_of(number, unit)[0])
