"""Slow, obvious twins of what seriatim is compared with: Mondrian, (B, t)-privacy, m-invariance.

Written from the papers and the docstrings, in plain Python, without an import from the package.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from oracles import entropy, omega_posterior

Row = Sequence[float]
Rows = list[int]
MayStand = Callable[[Rows], bool]

# ---------------------------------------------------------------------------
# Mondrian (LeFevre, DeWitt and Ramakrishnan, 2006)
# ---------------------------------------------------------------------------


class Axis(NamedTuple):
    """One quasi-identifier as Mondrian sees it."""

    values: Sequence[Any]
    """The value of every tuple."""

    place: Callable[[Any], float]
    """Where a value lies in its domain, from 0 to 1; this also orders the values."""

    height: Callable[[Any, Any], int]
    """How high the border between two values is."""

    def width(self, rows: Rows) -> float:
        places = [self.place(self.values[row]) for row in rows]
        return max(places) - min(places)

    def cuts(self, rows: Rows) -> Iterator[tuple[Rows, Rows]]:
        """The cut nearest to the median at the highest borders, then at lower ones."""
        present = sorted({self.values[row] for row in rows}, key=self.place)
        by_height: dict[int, list[tuple[Rows, Rows]]] = {}
        for here, there in itertools.pairwise(present):
            left = [row for row in rows if self.place(self.values[row]) <= self.place(here)]
            right = [row for row in rows if row not in left]
            by_height.setdefault(self.height(here, there), []).append((left, right))
        for height in sorted(by_height, reverse=True):
            yield min(
                by_height[height], key=lambda cut: (abs(len(cut[0]) - len(cut[1])), -len(cut[0]))
            )


def mondrian(rows: Rows, axes: Sequence[Axis], may_stand: MayStand) -> list[tuple[Rows, bool]]:
    """Cut the widest axis first, where both halves may stand; what fails is cut all the same.

    Returns the parts that are not cut further, from low to high, and which may stand.
    """
    tried = []
    for axis in sorted(axes, key=lambda axis: -axis.width(rows)):
        for left, right in axis.cuts(rows):
            if may_stand(left) and may_stand(right):
                return mondrian(left, axes, may_stand) + mondrian(right, axes, may_stand)
            tried.append((left, right))
    if may_stand(rows) or not tried:
        return [(rows, may_stand(rows))]
    left, right = tried[0]
    return mondrian(left, axes, may_stand) + mondrian(right, axes, may_stand)


def flat(one: Any, other: Any) -> int:
    """The height of every border where none is better than another."""
    return 1


def tree_height(paths: Mapping[Any, Sequence[Any]]) -> Callable[[Any, Any], int]:
    """How far one must climb from two leaves until their lines meet."""

    def height(one: Any, other: Any) -> int:
        pairs = zip((one, *paths[one]), (other, *paths[other]), strict=True)
        return next(step for step, pair in enumerate(pairs) if pair[0] == pair[1])

    return height


# ---------------------------------------------------------------------------
# (B, t)-privacy (Li, Li and Zhang, 2009)
# ---------------------------------------------------------------------------


def epanechnikov(distance: float, bandwidth: float) -> float:
    return 0.75 * (1 - (distance / bandwidth) ** 2) if distance < bandwidth else 0.0


def smoothed(row: Row, bandwidth: float, *, ordered: bool) -> list[float]:
    """Every value gives its probability away to the values near it, itself included."""
    n = len(row)
    found = [0.0] * n
    for source in range(n):
        if ordered:
            apart = [abs(source - target) / max(n - 1, 1) for target in range(n)]
        else:
            apart = [0.0 if source == target else 1.0 for target in range(n)]
        weights = [epanechnikov(distance, bandwidth) for distance in apart]
        for target in range(n):
            found[target] += row[source] * weights[target] / sum(weights)
    return found


def js_of_two(one: Row, other: Row) -> float:
    """H of the mean less the mean of H, in bits."""
    middle = [(a + b) / 2 for a, b in zip(one, other, strict=True)]
    return entropy(middle) - (entropy(one) + entropy(other)) / 2


def farthest_moved(
    priors: Sequence[Row], published: Sequence[int], bandwidth: float, *, ordered: bool
) -> float:
    """The greatest distance between what was believed of a member and its Ω-posterior."""
    return max(
        js_of_two(
            smoothed(before, bandwidth, ordered=ordered),
            smoothed(after, bandwidth, ordered=ordered),
        )
        for before, after in zip(priors, omega_posterior(priors, published), strict=True)
    )


# ---------------------------------------------------------------------------
# m-invariance (Xiao and Tao, 2007)
# ---------------------------------------------------------------------------

PublicGroup = tuple[list[Hashable], list[Any]]
"""Who is in a group, and the values that it shows."""


class Shown(NamedTuple):
    """How far a series is m-invariant."""

    m: int
    returning: int
    broken: int


def invariance(series: Sequence[Sequence[PublicGroup]]) -> Shown:
    """Go through everyone's groups; compare the values shown with those of the time before."""
    m, returning, broken = math.inf, 0, 0
    last: dict[Hashable, set[Any]] = {}
    for release in series:
        for members, values in release:
            m = min(m, len(values) if len(set(values)) == len(values) else 0)
            for member in members:
                if member in last:
                    returning += 1
                    broken += last[member] != set(values)
                last[member] = set(values)
    return Shown(int(m) if series else 0, returning, broken)


# ---------------------------------------------------------------------------
# Counterfeits
# ---------------------------------------------------------------------------


def fewest_counterfeits(
    n_values: int, may_stand_with: Callable[[tuple[int, ...]], bool], most: int
) -> int | None:
    """Try every multiset of values, the small ones first; None where none of them helps."""
    for number in range(most + 1):
        choices = itertools.combinations_with_replacement(range(n_values), number)
        if any(may_stand_with(values) for values in choices):
            return number
    return None
