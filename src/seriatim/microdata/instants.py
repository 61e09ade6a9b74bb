"""Instants as numbers, so that the time between two of them can be told."""

from __future__ import annotations

import datetime as dt
import math
from numbers import Real

import numpy as np

from seriatim._typing import Instant

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
