"""Assembling groups from cells: merge what cannot stand, trim, and re-attach.

Groups are numbered by their label, cells' numbers run from left to right through the tree of
cuts, so groups with near numbers are near in their quasi-identifiers. Only so many on
either side are looked at, and of those only the cheapest are measured: the work stays
near-linear in the tuples.
"""

from __future__ import annotations

import heapq

import numpy as np

from seriatim._typing import BoolArray, FloatArray, IntArray, WordArray
from seriatim.microdata.view import View
from seriatim.partition.partition import Partition
from seriatim.partition.price_list import PriceList
from seriatim.privacy.requirement import Requirement
from seriatim.privacy.tally import Evidence, Roll, Tally

_WINDOW = 256
"""Groups on either side that a merge or a re-attachment looks at."""

_MEASURED = 12
"""Of those, how many are measured: the ones that lose least detail."""


class Assembly:
    """Groups of one release in the making."""

    def __init__(
        self,
        view: View,
        evidence: Evidence,
        requirement: Requirement,
        labels: IntArray,
        ties: WordArray,
    ) -> None:
        """Begin with the groups that labels name."""
        self._evidence = evidence
        self._requirement = requirement
        self._ties = ties
        self._prices = PriceList.of(view)
        order = np.lexsort((ties, labels))
        self._labels, first = np.unique(labels[order], return_index=True)
        starts = np.append(first, len(order))
        self._rows = [order[starts[g] : starts[g + 1]] for g in range(len(self._labels))]
        self._tally = Tally.of(evidence, order, starts)
        ranks = self._prices.ranks[order]
        self._low = np.minimum.reduceat(ranks, first, axis=0)
        self._high = np.maximum.reduceat(ranks, first, axis=0)
        n = len(self._labels)
        self._alive = np.ones(n, dtype=bool)
        self._failing = np.zeros(n, dtype=bool)
        self._set_aside: list[int] = []
        self._left: list[int] = []
        self._home: dict[int, int] = {}
        self._unions: dict[int, int] = {}

    def merge(self) -> None:
        """Merge groups that break the requirement, the smallest first, with a neighbour."""
        self._failing = ~self._requirement.verdict(self._tally, scanning=True).group_holds
        failing = [(int(self._tally.sizes[g]), int(g)) for g in np.flatnonzero(self._failing)]
        heapq.heapify(failing)
        while failing:
            size, group = heapq.heappop(failing)
            if not self._alive[group] or size != self._tally.sizes[group]:
                continue
            partner, stands = self._partner(group)
            if partner is None:
                self._set_aside.append(group)
                continue
            joined = self._join(group, partner)
            self._failing[joined] = not stands
            if not stands:
                heapq.heappush(failing, (int(self._tally.sizes[joined]), joined))
        # One that was set aside may have been merged with since, and set aside again.
        still = dict.fromkeys(group for group in self._set_aside if self._alive[group])
        self._set_aside = list(still)

    def trim(self) -> None:
        """Take respondents out of groups that no merge mended, until the rest may stand."""
        for group in self._set_aside:
            rows = self._by_distance(self._rows[group])
            ends = np.arange(1, len(rows) + 1)
            holds = self._requirement.verdict(self._prefixes(rows, ends), scanning=True)
            legal = np.flatnonzero(holds.group_holds)
            kept = int(ends[legal[-1]]) if len(legal) else 0
            for row in rows[kept:].tolist():
                self._left.append(row)
                self._home[row] = group
            if kept:
                self._replace(group, rows[:kept])
            else:
                self._remove(group)

    def leave_out(self) -> None:
        """Leave out groups that no merge mended, whole."""
        for group in self._set_aside:
            self._left += self._rows[group].tolist()
            self._remove(group)

    def reattach(self) -> None:
        """Let each respondent who was taken out join the cheapest near group that stays legal."""
        still: list[int] = []
        for row in sorted(self._left, key=lambda one: int(self._ties[one])):
            at = self._prices.ranks[row]
            near, _ = self._cheapest(self._home[row], at, at, 1)
            holds = np.zeros(0, dtype=bool)
            if len(near):
                unions = self._with_row(near, row)
                holds = self._requirement.verdict(unions, scanning=True).group_holds
            if holds.any():
                best = int(near[np.argmax(holds)])
                self._replace(best, np.append(self._rows[best], row))
            else:
                still.append(row)
        self._left = still

    def partition(self) -> Partition:
        """Return the groups, and who is left over."""
        alive = np.flatnonzero(self._alive)
        rows = [self._rows[group] for group in alive]
        sizes = [len(some) for some in rows]
        return Partition(
            np.concatenate(rows) if rows else np.empty(0, dtype=np.int64),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.array(self._left, dtype=np.int64),
        )

    def relabelled(self, merged: IntArray) -> IntArray:
        """Return the label of each cell after the merges of this release."""
        becomes = np.arange(int(merged.max()) + 1)
        for gone, into in self._unions.items():
            becomes[self._labels[gone]] = self._labels[into]
        while not np.array_equal(becomes[becomes], becomes):
            becomes = becomes[becomes]
        return np.asarray(becomes[merged])

    def _partner(self, group: int) -> tuple[int | None, bool]:
        """Return whom to merge a group with, and whether the union may stand."""
        size = int(self._tally.sizes[group])
        near, growth = self._cheapest(group, self._low[group], self._high[group], size)
        near, growth = near[near != group], growth[near != group]
        if not len(near):
            return None, False
        unions = self._with_group(near, group)
        stands = self._requirement.verdict(unions, scanning=True).group_holds
        if stands.any():
            # One that fails as well would cost about as much again: both are mended at once.
            price = np.where(self._failing[near], growth - growth[stands].min(), growth)
            return int(near[stands][np.argmin(price[stands])]), True
        harmless = self._harmless(near, group, unions)
        if harmless.any():
            return int(near[np.argmax(harmless)]), False
        return None, False

    def _harmless(self, near: IntArray, group: int, unions: Tally) -> BoolArray:
        """Tell which unions break no part of the requirement that held for either side."""
        found = np.ones(len(near), dtype=bool)
        alone, partners = self._taken(np.array([group])), self._taken(near)
        for part in self._requirement.parts:
            held = part.finding(alone, scanning=True).group_holds[0]
            theirs = part.finding(partners, scanning=True).group_holds
            joined = part.finding(unions, scanning=True).group_holds
            found &= joined | ~(theirs | held)
        return np.asarray(found)

    def _cheapest(
        self, group: int, low: IntArray, high: IntArray, size: int
    ) -> tuple[IntArray, FloatArray]:
        """Return the groups near one that lose least detail by taking in a box, and how much."""
        begin = max(group - _WINDOW, 0)
        near = begin + np.flatnonzero(self._alive[begin : group + _WINDOW + 1])
        lows, highs = np.minimum(self._low[near], low), np.maximum(self._high[near], high)
        sizes, penalty = self._tally.sizes[near], self._prices.of_runs
        growth = (
            (sizes + size) * penalty(lows, highs)
            - sizes * penalty(self._low[near], self._high[near])
            - size * penalty(low[None], high[None])
        )
        cheapest = np.argsort(growth, kind="stable")[:_MEASURED]
        return near[cheapest], growth[cheapest]

    def _join(self, one: int, other: int) -> int:
        """Merge two groups under the label of the lower one."""
        into, gone = min(one, other), max(one, other)
        rows = np.concatenate([self._rows[into], self._rows[gone]])
        tally = self._tally
        for totals in (tally.sizes, tally.value_counts, tally.belief_sums, tally.entropy_sums):
            totals[into] += totals[gone]
        self._low[into] = np.minimum(self._low[into], self._low[gone])
        self._high[into] = np.maximum(self._high[into], self._high[gone])
        self._rows[into] = rows
        self._unions[gone] = into
        self._remove(gone)
        return into

    def _replace(self, group: int, rows: IntArray) -> None:
        """Let a group have other members."""
        tally = Tally.of(self._evidence, rows, np.array([0, len(rows)]))
        own = self._tally
        own.sizes[group], own.value_counts[group] = len(rows), tally.value_counts[0]
        own.belief_sums[group], own.entropy_sums[group] = (
            tally.belief_sums[0],
            tally.entropy_sums[0],
        )
        self._low[group] = self._prices.ranks[rows].min(axis=0)
        self._high[group] = self._prices.ranks[rows].max(axis=0)
        self._rows[group] = rows

    def _remove(self, group: int) -> None:
        """Take a group out."""
        self._alive[group] = False

    def _by_distance(self, rows: IntArray) -> IntArray:
        """Return members from the nearest to the mean belief to the farthest from it."""
        beliefs = self._evidence.beliefs[rows]
        mean = np.maximum(beliefs.mean(axis=0), 1e-300)
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(beliefs > 0, beliefs * np.log2(beliefs / mean), 0.0)
        return np.asarray(rows[np.lexsort((self._ties[rows], terms.sum(axis=1).round(12)))])

    def _prefixes(self, rows: IntArray, ends: IntArray) -> Tally:
        """Return the totals of the first members, for each number of them."""
        evidence = self._evidence
        shown = np.zeros((len(rows), evidence.n_values), dtype=np.int64)
        shown[np.arange(len(rows)), evidence.value_codes[rows]] = 1
        return Tally(
            ends,
            np.cumsum(shown, axis=0),
            np.cumsum(evidence.beliefs[rows], axis=0),
            np.cumsum(evidence.entropies[rows]),
            evidence.view_counts,
            Roll(evidence, rows, np.zeros_like(ends), ends),
        )

    def _taken(self, groups: IntArray) -> Tally:
        """Return the totals of some groups."""
        rows = [self._rows[group] for group in groups]
        return self._totals(groups, rows, 0, 0, 0.0, 0.0)

    def _with_group(self, near: IntArray, group: int) -> Tally:
        """Return the totals of each of some groups together with another one."""
        tally, mine = self._tally, self._rows[group]
        rows = [np.concatenate([self._rows[other], mine]) for other in near]
        return self._totals(
            near,
            rows,
            tally.sizes[group],
            tally.value_counts[group],
            tally.belief_sums[group],
            tally.entropy_sums[group],
        )

    def _with_row(self, near: IntArray, row: int) -> Tally:
        """Return the totals of each of some groups together with a respondent."""
        evidence = self._evidence
        rows = [np.append(self._rows[other], row) for other in near]
        shown = np.zeros(evidence.n_values, dtype=np.int64)
        shown[evidence.value_codes[row]] = 1
        return self._totals(near, rows, 1, shown, evidence.beliefs[row], evidence.entropies[row])

    def _totals(
        self,
        groups: IntArray,
        rows: list[IntArray],
        size: int,
        counts: IntArray | int,
        beliefs: FloatArray | float,
        entropy: float,
    ) -> Tally:
        tally = self._tally
        ends = np.cumsum([len(some) for some in rows])
        return Tally(
            tally.sizes[groups] + size,
            tally.value_counts[groups] + counts,
            tally.belief_sums[groups] + beliefs,
            tally.entropy_sums[groups] + entropy,
            tally.view_counts,
            Roll(self._evidence, np.concatenate(rows), ends - [len(some) for some in rows], ends),
        )
