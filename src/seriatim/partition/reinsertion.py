"""Leftovers join groups where the requirement still holds, at the least cost."""

from __future__ import annotations

import numpy as np

from seriatim._typing import ByteArray, IntArray
from seriatim.partition.price_list import PriceList
from seriatim.privacy.requirement import Compiled, Requirement
from seriatim.privacy.tally import Evidence, Tally

LEFT_OVER = -1
_ROUNDS = 64
_MOST_PAIRS = 20_000_000
_NEAREST = 16


def reinserted(
    order: IntArray,
    group_of: IntArray,
    prices: PriceList,
    evidence: Evidence,
    requirement: Requirement,
) -> IntArray:
    """Return the group of each place of an order after leftovers joined groups, -1 for none.

    In every round, each leftover names the group that grows least in size · NCP among those
    it may join, and each group takes the one that costs it least, so that what was
    checked still holds when it happens; of equals, the first along the order. It ends when
    nobody may join, after some rounds at the latest. Where leftovers and groups are very many,
    a leftover looks only at the groups nearest to it along the order.
    """
    from seriatim.kernels.optimal import nearest_homes

    group_of = group_of.copy()
    n_groups = int(group_of.max(initial=LEFT_OVER)) + 1
    left = np.flatnonzero(group_of == LEFT_OVER)
    if n_groups == 0 or len(left) == 0:
        return group_of
    compiled = requirement.compiled(evidence)
    first, known = _looked_at(group_of, left, n_groups)
    for _ in range(_ROUNDS):
        rows, starts = grouped(order, group_of)
        if compiled is None:
            _find_out(order[left], rows, starts, first, known, evidence, requirement)
        homes, growths = nearest_homes(
            order[left],
            rows,
            starts,
            first,
            known,
            *prices.arguments,
            evidence.value_codes,
            evidence.beliefs,
            evidence.entropies,
            evidence.view_counts,
            *(compiled or Compiled(())).arguments,
        )
        willing = np.flatnonzero(homes != LEFT_OVER)
        by_growth = willing[np.lexsort((growths[willing], homes[willing]))]
        groups, taken = np.unique(homes[by_growth], return_index=True)
        taken = by_growth[taken]
        if len(taken) == 0:
            break
        group_of[left[taken]] = groups
        left, first = np.delete(left, taken), np.delete(first, taken)
        known = np.delete(known, taken, axis=0)
        _forget(first, known, groups)
    return group_of


def grouped(order: IntArray, group_of: IntArray) -> tuple[IntArray, IntArray]:
    """Return the rows of an order group by group, and where groups begin."""
    by_group = np.argsort(group_of, kind="stable")
    numbers = group_of[by_group]
    begin = int(np.searchsorted(numbers, 0))
    starts = np.concatenate([[0], np.cumsum(np.bincount(numbers[begin:]))])
    return order[by_group[begin:]], starts.astype(np.int64)


def _looked_at(group_of: IntArray, left: IntArray, n_groups: int) -> tuple[IntArray, ByteArray]:
    """Return the first group that each leftover looks at, and room for what is found out."""
    width = min(n_groups, max(2 * _NEAREST, _MOST_PAIRS // len(left)))
    # Groups are numbered along the order: the nearest have numbers near that of the last passed.
    passed = np.maximum.accumulate(group_of)[left]
    first = np.clip(passed - width // 2, 0, n_groups - width)
    return first, np.zeros((len(left), width), dtype=np.uint8)


def _forget(first: IntArray, known: ByteArray, groups: IntArray) -> None:
    """Forget what was found out about groups that have changed."""
    from seriatim.kernels.optimal import UNKNOWN

    for group in groups.tolist():
        column = group - first
        looking = np.flatnonzero((column >= 0) & (column < known.shape[1]))
        known[looking, column[looking]] = UNKNOWN


def _find_out(
    left: IntArray,
    rows: IntArray,
    starts: IntArray,
    first: IntArray,
    known: ByteArray,
    evidence: Evidence,
    requirement: Requirement,
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
        tally = Tally.of(evidence, unions.ravel(), ends)
        holds = requirement.verdict(tally, scanning=True).group_holds
        known[asking, column[asking]] = np.where(holds, LEGAL, ILLEGAL)
