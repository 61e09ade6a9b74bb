"""Refuses parameters of made data that are no numbers, or outside their range."""

from __future__ import annotations

import math
from numbers import Integral, Real

from seriatim.errors import PolicyError


def require_between(
    name: str,
    given: object,
    low: float,
    high: float,
    *,
    above: bool = False,
    below: bool = False,
) -> None:
    """Refuse a parameter outside its range.

    Ends are included, but for the lower one with ``above``, and the upper one with ``below``.
    """
    number = float(given) if isinstance(given, Real) and not isinstance(given, bool) else math.nan
    if not low <= number <= high or (above and number == low) or (below and number == high):
        start = "above" if above else "from"
        end = "and below" if below else "and at most" if above else "to"
        message = f"{name} is a number {start} {low:g} {end} {high:g}, not {given!r}."
        raise PolicyError(message)


def require_whole_between(name: str, given: object, low: int, high: int) -> None:
    """Refuse a parameter that is no whole number, or outside its range, ends included."""
    if isinstance(given, bool) or not isinstance(given, Integral) or not low <= int(given) <= high:
        message = f"{name} is a whole number from {low:,} to {high:,}, not {given!r}."
        raise PolicyError(message)
