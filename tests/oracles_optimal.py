"""Slow, obvious twins of HilbertOptimal: every way to cut an order, and rounds of reinsertion.

Written from the docstrings, in plain Python, without an import from the package.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

Rows = list[int]
MayStand = Callable[[Rows], bool]
Penalty = Callable[[Rows], float]
"""NCP of a group, summed over its attributes."""

Price = tuple[int, float]
"""How many are left over, and the total of size · NCP."""


def price_of(groups: Sequence[Rows], left: Rows, penalty: Penalty) -> Price:
    return len(left), sum(len(rows) * penalty(rows) for rows in groups)


def least_price(order: Rows, may_stand: MayStand, penalty: Penalty, longest: int = 10**9) -> Price:
    """Try to end with a stretch of every length, and with a tuple left over."""

    @cache
    def best(end: int) -> Price:
        if end == 0:
            return 0, 0.0
        left, total = best(end - 1)
        found = [(left + 1, total)]
        for start in range(max(end - longest, 0), end):
            rows = order[start:end]
            if may_stand(rows):
                left, total = best(start)
                found.append((left, total + len(rows) * penalty(rows)))
        return min(found)

    return best(len(order))


def least_price_of_all_cuts(order: Rows, may_stand: MayStand, penalty: Penalty) -> Price:
    """Without dynamic programming: every set of borders, and every choice of what stands.

    A stretch that is no group is left over, so stretches that may stand are groups, and it
    never helps to leave one of them over.
    """
    found = []
    for borders in range(2 ** max(len(order) - 1, 0)):
        stretches: list[Rows] = [[]]
        for place, row in enumerate(order):
            stretches[-1].append(row)
            if borders >> place & 1:
                stretches.append([])
        standing = [rows for rows in stretches if rows and may_stand(rows)]
        left = [row for rows in stretches if rows and not may_stand(rows) for row in rows]
        found.append(price_of(standing, left, penalty))
    return min(found)


def reinserted(
    order: Rows, groups: Sequence[Rows], may_stand: MayStand, penalty: Penalty
) -> list[Rows]:
    """Every leftover names its cheapest group, every group takes its cheapest leftovers; again."""
    groups = [list(rows) for rows in groups]
    while True:
        inside = {row for rows in groups for row in rows}
        left = [row for row in order if row not in inside]
        asking: dict[int, list[tuple[float, int]]] = {}
        for row in left:
            cheapest, home = _cheapest_home(row, groups, may_stand, penalty)
            if home is not None:
                asking.setdefault(home, []).append((cheapest, row))
        if not asking:
            return groups
        for number, queue in asking.items():
            queue.sort(key=lambda offer: offer[0])
            for _, row in queue[: 1 + len(left) // (8 * len(groups))]:
                if may_stand([*groups[number], row]):
                    groups[number].append(row)


def _cheapest_home(
    row: int, groups: Sequence[Rows], may_stand: MayStand, penalty: Penalty
) -> tuple[float, int | None]:
    cheapest, home = math.inf, None
    for number, rows in enumerate(groups):
        if may_stand([*rows, row]):
            growth = (len(rows) + 1) * penalty([*rows, row]) - len(rows) * penalty(rows)
            if growth < cheapest:
                cheapest, home = growth, number
    return cheapest, home


def least_total_of_straight_cuts(
    rows: Rows, axes: Sequence[Sequence[float]], least: int, penalty: Penalty
) -> float:
    """Try every tree of straight cuts with at least so many tuples in each cell.

    ``axes`` has each attribute's codes, a code for each row.
    """

    @cache
    def best(some: tuple[int, ...]) -> float:
        found = [len(some) * penalty(list(some))]
        for codes in axes:
            for border in sorted({codes[row] for row in some})[:-1]:
                left = tuple(row for row in some if codes[row] <= border)
                right = tuple(row for row in some if codes[row] > border)
                if min(len(left), len(right)) >= least:
                    found.append(best(left) + best(right))
        return min(found)

    return best(tuple(rows))
