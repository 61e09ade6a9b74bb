"""Least total penalty along the Hilbert curve, by dynamic programming over its stretches."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from seriatim._typing import BoolArray, IntArray, WordArray
from seriatim.knowledge.belief import Belief
from seriatim.microdata.view import View
from seriatim.partition.hilbert import curve_orders
from seriatim.partition.hilbert_greedy import greedy_starts
from seriatim.partition.partition import Partition
from seriatim.partition.price_list import PriceList
from seriatim.partition.reinsertion import LEFT_OVER, grouped, reinserted
from seriatim.privacy.requirement import Compiled, Requirement, require_whole
from seriatim.privacy.tally import Evidence, Tally

_NARROWEST = 8
"""The least window that is found without being asked for."""

_WIDEST = 256
"""The greatest."""

_SHORTLIST = 3
"""Along how many curves leftovers are reinserted."""


@dataclass(frozen=True)
class HilbertOptimal:
    """Cut the curve where the total of size · NCP is least; leftovers join groups where they may.

    Groups are stretches of the Hilbert order, as those of ``HilbertGreedy``, and of all ways
    to cut it the best is found by dynamic programming, best[e] being the lesser of

        best[e − 1], with tuple e left over, and
        best[s] + size · NCP of the stretch from s to e, where that meets the requirement.

    Leaving out is the last resort: fewer left over come before any smaller total. Stretches
    have at most ``window`` tuples; those of the greedy scan are always among the candidates,
    so along the same order the outcome is never worse than its. The cost is tuples × window ×
    values. Under k-anonymity alone, stretches of 2k or more are never needed.

    Several curves are tried (``curve_orders``). What is left over along the best few joins the
    groups that grow least by it (``reinserted``); the curve with the fewest left over, then
    with the least total, is kept. Domains that were not declared count as what occurs in the view.

    Made for a single release. Where borders lie, and along which curve, depends on the
    sensitive values through the requirement, and both may change from one release to the
    next: over a series, people are dealt into new groups, and a reader who intersects them
    learns from it. For a series, groups that stay are worth more than tight ones.

    >>> from seriatim import Adversary, HilbertGreedy, KAnonymity, Numeric, Policy, Publisher
    >>> from seriatim import Schema, Sensitive
    >>> schema = Schema("name", [Numeric("age", 50, 80)], Sensitive("exam"))
    >>> table = {"name": list("ABCDE"), "age": [51, 70, 71, 72, 52], "exam": list("xyxyx")}
    >>> for partitioner in (HilbertGreedy(), HilbertOptimal()):
    ...     policy = Policy(KAnonymity(k=2), partitioner)
    ...     release = Publisher(schema, policy, Adversary(), seed=1).publish(table, at=1)
    ...     print(sorted(release.covers[0].text.to_pylist()))
    ['[51,52]', '[70,71]']
    ['[51,52]', '[70,72]']
    """

    window: int | None = None
    """Greatest size of the stretches that are weighed.

    Left out, it is twice the size that is usual in the greedy scan, or that the requirement
    asks for; while tuples are left over, it is doubled along the kept curve as long as that saves
    some, up to 256."""

    def __post_init__(self) -> None:
        """Refuse a window without room for a tuple."""
        if self.window is not None:
            require_whole("window", self.window, 1)

    def partition(
        self,
        view: View,
        revised: Belief,
        requirement: Requirement,
        *,
        ties: WordArray,
    ) -> Partition:
        """Form the groups of the best curve."""
        evidence = Evidence.of(view, revised)
        search = Search(PriceList.of(view), evidence, requirement)
        curves = [Curve.along(order, search) for order in curve_orders(view, ties=ties)]
        window = min(self.window or _usual_window(curves[0], requirement), max(len(view), 1))
        found = search.best_of(curves, window)
        widest = 0 if self.window else min(_WIDEST, len(view))
        while found.left_over and window < widest:
            # Larger groups may meet what smaller ones cannot.
            window = min(2 * window, widest)
            wider = search.best_of([found.curve], window)
            if len(found) and wider.left_over >= found.left_over:
                break
            found = wider
        return found.partition


@dataclass(frozen=True, eq=False)
class Curve:
    """One order of the tuples, and the greedy scan's groups along it."""

    order: IntArray
    """Rows of the view."""

    greedy: IntArray
    """Where the scan's groups begin; the last entry is where the last one ends."""

    @classmethod
    def along(cls, order: IntArray, search: Search) -> Curve:
        """Scan an order."""
        return cls(order, greedy_starts(order, search.evidence, search.requirement))


@dataclass(frozen=True, eq=False)
class Solution:
    """Groups along a curve, and what they cost."""

    curve: Curve
    """Along which."""

    group_of: IntArray
    """The group of each place of the order; -1 where it is left over."""

    total: float
    """Σ size · NCP."""

    @property
    def left_over(self) -> int:
        """How many form no group."""
        return int((self.group_of == LEFT_OVER).sum())

    @property
    def price(self) -> tuple[int, float]:
        """What is to be least: who is left over first."""
        return self.left_over, self.total

    def __len__(self) -> int:
        """Return the number of groups."""
        return int(self.group_of.max(initial=LEFT_OVER)) + 1

    @property
    def partition(self) -> Partition:
        """The groups, along the curve by where they begin."""
        rows, starts = grouped(self.curve.order, self.group_of)
        return Partition(rows, starts, self.curve.order[self.group_of == LEFT_OVER])


@dataclass(frozen=True, eq=False)
class Search:
    """The search for cheap groups of one view, under one requirement."""

    prices: PriceList
    """What groups cost."""

    evidence: Evidence
    """What the requirement looks at."""

    requirement: Requirement
    """What groups must meet."""

    def best_of(self, curves: list[Curve], window: int) -> Solution:
        """Return the best solution; only the most promising get their leftovers reinserted."""
        promising = sorted(
            (self.stretches(curve, window) for curve in curves), key=lambda one: one.price
        )
        found = [self._with_leftovers(one) for one in promising[:_SHORTLIST]]
        return min(found, key=lambda one: one.price)

    def stretches(self, curve: Curve, window: int) -> Solution:
        """Return the best stretches of a curve: fewest left over, then the least total."""
        from seriatim.kernels.optimal import best_stretches

        compiled = self.requirement.compiled(self.evidence)
        legal = np.empty((0, 0), dtype=bool)
        if compiled is None:
            legal = self._legal(curve.order, window)
        begins = np.full(len(curve.order) + 1, -1, dtype=np.int64)
        begins[curve.greedy[1:]] = curve.greedy[:-1]
        group_of = best_stretches(
            window,
            curve.order,
            begins,
            legal,
            *self.prices.arguments,
            self.evidence.value_codes,
            self.evidence.beliefs,
            self.evidence.entropies,
            self.evidence.view_counts,
            *(compiled or Compiled(())).arguments,
        )
        return self._solution(curve, group_of)

    def _with_leftovers(self, found: Solution) -> Solution:
        """Let leftovers join groups."""
        if found.left_over == 0:
            return found
        group_of = reinserted(
            found.curve.order, found.group_of, self.prices, self.evidence, self.requirement
        )
        return self._solution(found.curve, group_of)

    def _solution(self, curve: Curve, group_of: IntArray) -> Solution:
        return Solution(curve, group_of, self.prices.total(*grouped(curve.order, group_of)))

    def _legal(self, order: IntArray, window: int) -> BoolArray:
        """Tell in Python which stretches may stand (last place, size − 1)."""
        legal = np.zeros((len(order), window), dtype=bool)
        for last in range(len(order)):
            rows = order[max(last + 1 - window, 0) : last + 1]
            tally = Tally.of(self.evidence, rows, np.arange(len(rows) + 1)).joined_from_the_end()
            holds = self.requirement.verdict(tally, scanning=True).group_holds
            legal[last, : len(rows)] = holds[::-1]
        return legal


def _usual_window(curve: Curve, requirement: Requirement) -> int:
    """Return twice the size that groups usually need: nine in ten of the greedy scan are smaller.

    Where the scan finds hardly any, at least twice what the requirement names itself.
    """
    sizes = np.diff(curve.greedy)
    usual = int(np.quantile(sizes, 0.9)) if len(sizes) else 0
    return max(2 * usual, 2 * _least_size(requirement), _NARROWEST)


def _least_size(requirement: Requirement) -> int:
    """Return the size below which no group can meet a requirement, as far as it is known."""
    from seriatim.kernels.criteria import AT_LEAST

    known = [part.criterion() for part in requirement.parts]
    # So many tuples, or so many different or effective values: no fewer tuples than that.
    asked = [one.bound for one in known if one is not None and one.code in AT_LEAST]
    return math.ceil(max(asked, default=1.0))
