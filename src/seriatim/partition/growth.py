"""Growing cells: where to cut a roster so that least detail is lost.

Over all trees of straight cuts with a least number of tuples in each cell, the one with the
least Σ size · NCP. Where a roster has too many boxes to weigh them all, it is halved at medians of
its widest attribute into blocks of a few cells, and blocks are cut at the best of some borders.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from seriatim._typing import IntArray
from seriatim.microdata.roster import Roster
from seriatim.partition.price_list import PriceList
from seriatim.partition.space import Space

CELL = -1
"""The attribute of a node that is cut no further."""

_MANY_CELLS = 16
"""A block of more cells than this is halved first, where its boxes cannot all be weighed."""

_WHOLE = 2**20
"""A roster with no more boxes than this is one block, and its cells are the best there are."""

_ALL_BOXES = 2**24
"""Boxes that are weighed in all otherwise, about; shared out over the cells."""

_FEWEST_BOXES, _MOST_BOXES = 128, 4096
"""Boxes that are weighed for a cell, at the least and at the most."""


@dataclass
class Tree:
    """Nodes of a tree of cuts in the making; a cell has attribute -1."""

    axes: list[int] = field(default_factory=list)
    """The attribute of each cut."""

    ranks: list[int] = field(default_factory=list)
    """The last rank on the left of each cut."""

    left: list[int] = field(default_factory=list)
    """The node on the left."""

    right: list[int] = field(default_factory=list)
    """The node on the right."""

    def add(self, axis: int = CELL, rank: int = 0, left: int = 0, right: int = 0) -> int:
        """Add a node, and return its number."""
        self.axes.append(axis)
        self.ranks.append(rank)
        self.left.append(left)
        self.right.append(right)
        return len(self.axes) - 1

    def cut(self, node: int, axis: int, rank: int) -> tuple[int, int]:
        """Cut a node, and return the nodes on either side."""
        self.axes[node], self.ranks[node] = axis, rank
        self.left[node], self.right[node] = self.add(), self.add()
        return self.left[node], self.right[node]


class Growth:
    """A roster being cut."""

    def __init__(self, roster: Roster, least: int) -> None:
        """Begin with the whole roster; every cell will have at least so many tuples."""
        self.space = Space.of(roster)
        self._prices = PriceList.of(roster)
        self._least = least
        self._boxes_a_cell = int(
            np.clip(_ALL_BOXES // max(len(roster) // least, 1), _FEWEST_BOXES, _MOST_BOXES)
        )

    def tree(self) -> Tree:
        """Cut the roster."""
        tree = Tree()
        waiting = [(tree.add(), np.arange(len(self.space.ranks)))]
        while waiting:
            node, rows = waiting.pop()
            if len(rows) < 2 * self._least:
                continue
            room = _WHOLE if node == 0 else self._boxes_a_cell * (len(rows) // self._least)
            n_bins = [_distinct(self.space.ranks[rows, axis]) for axis in self._attributes]
            halves = None
            if len(rows) >= _MANY_CELLS * self._least and _boxes(n_bins) > room:
                halves = self._halved(rows)
            if halves is None:
                self._graft(tree, node, rows, _coarsened(n_bins, room))
            else:
                left, right, axis, rank = halves
                both = tree.cut(node, axis, rank)
                waiting += zip(both, (left, right), strict=True)
        return tree

    @property
    def _attributes(self) -> range:
        return range(self.space.ranks.shape[1])

    def _halved(self, rows: IntArray) -> tuple[IntArray, IntArray, int, int] | None:
        """Return the halves of some tuples, and attribute and border of the cut."""
        from seriatim.kernels.cells import median_cut

        space, divided = self.space, np.empty_like(rows)
        inside, axis, rank = median_cut(
            rows,
            space.ranks,
            space.places,
            space.offsets,
            space.heights,
            self._least,
            divided,
        )
        return (divided[:inside], divided[inside:], axis, rank) if inside else None

    def _graft(self, tree: Tree, node: int, rows: IntArray, n_bins: list[int]) -> None:
        """Cut a block at the best of some borders."""
        from seriatim.kernels.best_cuts import best_cuts, tree_of_cuts

        ranks = self.space.ranks[rows]
        lasts = [self._lasts(ranks[:, axis], axis, n_bins[axis]) for axis in self._attributes]
        bins = np.column_stack(
            [np.searchsorted(some, ranks[:, at]) for at, some in enumerate(lasts)]
        )
        counts = np.array([len(some) for some in lasts])
        cut_axis, cut_bin, strides = best_cuts(
            rows, bins, counts, self._least, *self._prices.arguments
        )
        axes, borders, left, right = tree_of_cuts(cut_axis, cut_bin, strides, counts)
        # Nodes of a block are numbered level by level: whoever is below comes later.
        places = [node] + [CELL] * (len(axes) - 1)
        for inner, axis in enumerate(axes.tolist()):
            if axis != CELL:
                both = tree.cut(places[inner], axis, int(lasts[axis][borders[inner]]))
                places[left[inner]], places[right[inner]] = both

    def _lasts(self, ranks: IntArray, axis: int, wanted: int) -> IntArray:
        """Return the last rank of each of at most so many bins.

        Borders between larger units are taken first; of those as high, as many as are still
        wanted, evenly among the tuples.
        """
        present, counts = np.unique(ranks, return_counts=True)
        if len(present) <= wanted:
            return present
        heights = self.space.heights[self.space.offsets[axis] :]
        between = np.maximum.reduceat(heights[: present[-1]], present[:-1])
        taken = np.zeros(len(between), dtype=bool)
        for height in np.unique(between)[::-1]:
            here = np.flatnonzero(between == height)
            still = wanted - 1 - int(taken.sum())
            if len(here) > still:
                behind = np.cumsum(counts)[here]
                even = np.arange(1, still + 1) * (counts.sum() / (still + 1))
                here = here[np.searchsorted(behind, even).clip(max=len(here) - 1)]
                taken[here] = True
                break
            taken[here] = True
        return np.append(present[:-1][taken], present[-1])


def _distinct(ranks: IntArray) -> int:
    """Return how many different ranks there are, without sorting them."""
    return int(np.count_nonzero(np.bincount(ranks - ranks.min())))


def _boxes(n_bins: list[int]) -> float:
    """Return how many boxes a grid has."""
    found = 1.0
    for bins in n_bins:
        found *= bins * (bins + 1) / 2
    return found


def _coarsened(n_bins: list[int], room: float) -> list[int]:
    """Return as many bins as have room, the same for all attributes that have more."""
    most = 2
    while most < max(n_bins) and _boxes([min(bins, most + 1) for bins in n_bins]) <= room:
        most += 1
    return [min(bins, most) for bins in n_bins]


def numbered(tree: Tree) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return a tree as arrays, with its cells numbered from left to right."""
    left = np.array(tree.left)
    cells, waiting = 0, [0]
    while waiting:
        node = waiting.pop()
        if tree.axes[node] == CELL:
            left[node] = cells
            cells += 1
        else:
            waiting += [tree.right[node], tree.left[node]]
    return np.array(tree.axes), np.array(tree.ranks), left, np.array(tree.right)
