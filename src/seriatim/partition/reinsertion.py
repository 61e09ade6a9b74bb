"""Leftovers join groups where the requirement still holds, at the least cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from seriatim._typing import ByteArray, FloatArray, IntArray
from seriatim.partition.price_list import PriceList
from seriatim.privacy.requirement import Compiled, Requirement
from seriatim.privacy.tally import Evidence, Tally

LEFT_OVER = -1
"""The group of a place that is in none."""

_ROUNDS = 64
"""After so many rounds it ends."""

_MOST_PAIRS = 2_000_000
"""Pairs of a leftover and a group that are looked at in a round, about."""

_NEAREST = 16
"""Groups on either side that a leftover looks at, however many leftovers there are."""

_CROWD = 8
"""Leftovers for each group, from which on a group takes several in a round."""


def reinserted(
    order: IntArray,
    group_of: IntArray,
    prices: PriceList,
    evidence: Evidence,
    requirement: Requirement,
) -> IntArray:
    """Return the group of each place of an order after leftovers joined groups, -1 for none.

    In every round, each leftover names the group that grows least in size · NCP among those
    it may join, and each group takes the one that costs it least; of equals, the first along
    the order. Where there are more than eight leftovers for each group, a group takes
    further ones in the same round, from the cheapest on, as long as each may still join.

    It ends when nobody may join, after 64 rounds at the latest. Where leftovers and groups are
    very many, a leftover looks only at the groups nearest to it along the order, and at more
    when there are fewer left.
    """
    group_of = group_of.copy()
    n_groups = int(group_of.max(initial=LEFT_OVER)) + 1
    left = np.flatnonzero(group_of == LEFT_OVER)
    if n_groups == 0 or len(left) == 0:
        return group_of
    homes_of = _Homes(prices, evidence, requirement, requirement.compiled(evidence))
    # Groups are numbered along the order: the nearest have numbers near that of the last passed.
    passed = np.maximum.accumulate(group_of)[left]
    first, known = _looked_at(passed, n_groups)
    for _ in range(_ROUNDS):
        if len(left) == 0:
            break
        homes, growths = homes_of(order[left], *grouped(order, group_of), first, known)
        changed: list[int] = []
        for turn, asking in enumerate(_turns(homes, growths, 1 + len(left) // (_CROWD * n_groups))):
            joining = asking
            if turn > 0:
                groups, anew = homes[asking], np.zeros((len(asking), 1), dtype=np.uint8)
                still, _ = homes_of(order[left[asking]], *grouped(order, group_of), groups, anew)
                joining = asking[still != LEFT_OVER]
            group_of[left[joining]] = homes[joining]
            changed += homes[joining].tolist()
        waiting = group_of[left] == LEFT_OVER
        left, passed, first, known = left[waiting], passed[waiting], first[waiting], known[waiting]
        if changed:
            _forget(first, known, sorted(set(changed)))
        elif known.shape[1] < _width(len(left), n_groups):
            first, known = _looked_at(passed, n_groups)
        else:
            break
    return group_of


def grouped(order: IntArray, group_of: IntArray) -> tuple[IntArray, IntArray]:
    """Return the rows of an order group by group, and where groups begin."""
    by_group = np.argsort(group_of, kind="stable")
    numbers = group_of[by_group]
    begin = int(np.searchsorted(numbers, 0))
    starts = np.concatenate([[0], np.cumsum(np.bincount(numbers[begin:]))])
    return order[by_group[begin:]], starts.astype(np.int64)


def _turns(homes: IntArray, growths: FloatArray, most: int) -> Iterator[IntArray]:
    """Yield who asks first at each group, then who asks second, and so on."""
    willing = np.flatnonzero(homes != LEFT_OVER)
    queue = willing[np.lexsort((growths[willing], homes[willing]))]
    _, begins, lengths = np.unique(homes[queue], return_index=True, return_counts=True)
    for turn in range(min(most, int(lengths.max(initial=0)))):
        yield queue[begins[lengths > turn] + turn]


def _width(n_left: int, n_groups: int) -> int:
    """Return at how many groups a leftover looks."""
    return min(n_groups, max(2 * _NEAREST, _MOST_PAIRS // n_left))


def _looked_at(passed: IntArray, n_groups: int) -> tuple[IntArray, ByteArray]:
    """Return the first group that each leftover looks at, and room for what is found out."""
    width = _width(len(passed), n_groups)
    first = np.clip(passed - width // 2, 0, n_groups - width)
    return first, np.zeros((len(passed), width), dtype=np.uint8)


def _forget(first: IntArray, known: ByteArray, groups: list[int]) -> None:
    """Forget what was found out about groups that have changed."""
    from seriatim.kernels.optimal import UNKNOWN

    for group in groups:
        column = group - first
        looking = np.flatnonzero((column >= 0) & (column < known.shape[1]))
        known[looking, column[looking]] = UNKNOWN


@dataclass(frozen=True, eq=False)
class _Homes:
    """Finds the cheapest group that leftovers may join."""

    prices: PriceList
    evidence: Evidence
    requirement: Requirement
    compiled: Compiled | None

    def __call__(
        self, left: IntArray, rows: IntArray, starts: IntArray, first: IntArray, known: ByteArray
    ) -> tuple[IntArray, FloatArray]:
        """Return the home of each row left over, -1 for none, and how much it would grow."""
        from seriatim.kernels.optimal import nearest_homes

        if self.compiled is None:
            self._find_out(left, rows, starts, first, known)
        homes, growths = nearest_homes(
            left,
            rows,
            starts,
            first,
            known,
            *self.prices.arguments,
            self.evidence.value_codes,
            self.evidence.beliefs,
            self.evidence.entropies,
            self.evidence.view_counts,
            *(self.compiled or Compiled(())).arguments,
        )
        return homes, growths

    def _find_out(
        self, left: IntArray, rows: IntArray, starts: IntArray, first: IntArray, known: ByteArray
    ) -> None:
        """Note in Python which leftovers may join which groups, where that is not known yet."""
        from seriatim.kernels.optimal import ILLEGAL, LEGAL, UNKNOWN

        for group in range(len(starts) - 1):
            column = group - first
            asking = np.flatnonzero((column >= 0) & (column < known.shape[1]))
            asking = asking[known[asking, column[asking]] == UNKNOWN]
            if len(asking) == 0:
                continue
            members = rows[starts[group] : starts[group + 1]]
            unions = np.column_stack([np.tile(members, (len(asking), 1)), left[asking]])
            ends = np.arange(len(asking) + 1) * unions.shape[1]
            tally = Tally.of(self.evidence, unions.ravel(), ends)
            holds = self.requirement.verdict(tally, scanning=True).group_holds
            known[asking, column[asking]] = np.where(holds, LEGAL, ILLEGAL)
