"""A history: the releases made so far, in order."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from numbers import Real

import numpy as np

from seriatim._typing import Instant
from seriatim.errors import OrderError
from seriatim.microdata.release import Release
from seriatim.microdata.schema import Schema


@dataclass(frozen=True, eq=False)
class History:
    """Releases of one schema, at ever later instants.

    >>> from seriatim import running_example
    >>> first, second = running_example().releases
    >>> history = History((first,)).append(second)
    >>> history, history.instants
    (History(2 releases), (1, 2))
    """

    releases: tuple[Release, ...] = field(default=())
    """The releases, earliest first."""

    def __post_init__(self) -> None:
        """Refuse releases that are out of order or of different schemas."""
        for before, after in itertools.pairwise(self.releases):
            require_later(after.at, before.at)
            _require_same_columns(after.schema, before.schema)

    def __len__(self) -> int:
        """Return the number of releases."""
        return len(self.releases)

    def __iter__(self) -> Iterator[Release]:
        """Go through the releases, earliest first."""
        return iter(self.releases)

    def __getitem__(self, index: int) -> Release:
        """Return one release, counted from 0."""
        return self.releases[index]

    def __repr__(self) -> str:
        """Say how long it is."""
        return f"History({len(self)} releases)"

    @property
    def instants(self) -> tuple[Instant, ...]:
        """When the releases were made."""
        return tuple(release.at for release in self.releases)

    def append(self, release: Release) -> History:
        """Return the history with one more release; it must be later and of the same schema."""
        return History((*self.releases, release))


def require_later(at: Instant, last: Instant | None) -> None:
    """Refuse an instant that is not after the last one, or that cannot be ordered at all."""
    try:
        ordered = not isinstance(at, set | frozenset | np.ndarray)
        ordered = ordered and bool(at <= at) and not bool(at < at)  # noqa: PLR0124 - false for NaN
        ordered = ordered and not (isinstance(at, Real) and math.isinf(at))
    except (TypeError, ValueError):
        ordered = False
    if not ordered:
        message = f"{at!r} is no instant: it has no before and after. Give a number or a date."
        raise OrderError(message)
    if last is None:
        return
    try:
        later = bool(at > last)
    except (TypeError, ValueError) as error:
        message = (
            f"Instant {at!r} cannot be compared with {last!r} of the last release."
            " Use one kind of instant for a whole history: numbers, or dates."
        )
        raise OrderError(message) from error
    if not later:
        message = (
            f"A release at {at!r} was asked for, and the history already reaches {last!r}."
            " Releases are made in order; give a later instant."
        )
        raise OrderError(message)


def _require_same_columns(new: Schema, old: Schema) -> None:
    before = old.sensitive.domain
    grown = new.sensitive.domain[: len(before)] == before
    if new.public_columns != old.public_columns or not grown:
        message = (
            f"The release has columns {new.public_columns} and {len(new.sensitive.domain)}"
            f" sensitive values, the history {old.public_columns} and"
            f" {len(old.sensitive.domain)}."
            " A history keeps one schema: start another for another table."
        )
        raise OrderError(message)
