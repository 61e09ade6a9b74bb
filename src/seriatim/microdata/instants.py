"""Instants as people write them, and as numbers, so that the time between two can be told."""

from __future__ import annotations

import contextlib
import datetime as dt
import math
from numbers import Real

import numpy as np

from seriatim._typing import Instant
from seriatim.errors import StudyError
from seriatim.microdata.tables import LARGEST_WHOLE
from seriatim.microdata.typed_numbers import typed_number

_DAY = dt.timedelta(days=1)
_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - naive instants have no zone


def moment(at: Instant | None) -> float:
    """Return an instant as a number: numbers as they are, dates and times in days.

    NaN for an instant that has an order only, such as a text.

    >>> moment(dt.date(2026, 1, 8)) - moment(dt.date(2026, 1, 1))
    7.0
    """
    if isinstance(at, np.datetime64):
        return float((at - np.datetime64(0, "s")) / np.timedelta64(1, "D"))
    if isinstance(at, dt.datetime):
        zoned = at if at.tzinfo is None else at.astimezone(dt.UTC).replace(tzinfo=None)
        return (zoned - _EPOCH) / _DAY
    if isinstance(at, dt.date):
        return float((at - _EPOCH.date()).days)
    return float(at) if isinstance(at, Real) else math.nan


def read_instant_word(word: str) -> Instant:
    """Read an instant as people write it: a number, a date or a time.

    >>> read_instant_word("3"), read_instant_word("2026-11-16")
    (3, datetime.date(2026, 11, 16))
    """
    number = typed_number(word)
    if number is not None and abs(number) < LARGEST_WHOLE:
        return number
    if number is None and word.isascii():
        for kind in (dt.date.fromisoformat, dt.datetime.fromisoformat):
            with contextlib.suppress(ValueError):
                return kind(word)
    message = (
        f"{word!r} is no instant. Give a number in plain digits, such as 10 or 2.5 and less than"
        " 2**53, or a date or time such as 2026-11-16."
    )
    raise StudyError(message)
