"""Refuses parameters of made data that are no numbers, or outside their range."""

from __future__ import annotations

from numbers import Integral, Real

from seriatim.errors import PolicyError


def require_between(name: str, given: object, low: float, high: float) -> None:
    """Refuse a parameter outside its range, ends included."""
    if isinstance(given, bool) or not isinstance(given, Real) or not low <= float(given) <= high:
        message = f"{name} is a number from {low:g} to {high:g}, not {given!r}."
        raise PolicyError(message)


def require_whole_between(name: str, given: object, low: int, high: int) -> None:
    """Refuse a parameter that is no whole number, or outside its range, ends included."""
    if isinstance(given, bool) or not isinstance(given, Integral) or not low <= int(given) <= high:
        message = f"{name} is a whole number from {low:,} to {high:,}, not {given!r}."
        raise PolicyError(message)
