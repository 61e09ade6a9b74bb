"""What groups would cost in penalties, as compiled scans look it up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from seriatim._typing import FloatArray, IntArray
from seriatim.microdata.roster import Roster
from seriatim.partition.ranks import ranked

_Number = TypeVar("_Number", np.int64, np.float64)


@dataclass(frozen=True, eq=False)
class PriceList:
    """The penalty of any group of a roster's tuples: that of ``cover``, looked up.

    For domains read off data, as if nobody were left over. The codes present of each attribute
    are numbered in order (ranks), and all attributes stand side by side in the same arrays.
    """

    ranks: IntArray
    """The rank of each tuple's code (tuples, attributes)."""

    offsets: IntArray
    """Where the ranks of each attribute begin in the arrays below."""

    units: IntArray
    """Which part between borders higher than h a rank is in (heights and 0, ranks)."""

    lower: FloatArray
    """Where parts begin, by their highest border (heights and 0, ranks)."""

    upper: FloatArray
    """Where parts end, by their highest border (heights and 0, ranks)."""

    each: FloatArray
    """What each value of a set costs (attributes); 0 where parts are runs and nodes."""

    @classmethod
    def of(cls, roster: Roster) -> PriceList:
        """Write the list of a roster."""
        ranks, units, prices = [], [], []
        for axis, attribute in enumerate(roster.schema.quasi_identifiers):
            codes, rank = ranked(roster.points[:, axis])
            price, borders = attribute.prices(codes), attribute.heights(codes)
            # Parts of height 0 are the codes themselves.
            above = [borders > height for height in range(len(price.lower))]
            ranks.append(rank)
            units.append(np.cumsum(np.insert(above, 0, 0, axis=1), axis=1, dtype=np.int64))
            prices.append(price)
        offsets = np.cumsum([0] + [unit.shape[1] for unit in units[:-1]])
        return cls(
            np.column_stack(ranks).astype(np.int64),
            offsets.astype(np.int64),
            _side_by_side(units),
            _side_by_side([price.lower for price in prices]),
            _side_by_side([price.upper for price in prices]),
            np.array([price.each for price in prices], dtype=np.float64),
        )

    @property
    def arguments(
        self,
    ) -> tuple[IntArray, IntArray, IntArray, FloatArray, FloatArray, FloatArray]:
        """The arrays, as the kernels in ``kernels.optimal`` take them."""
        return self.ranks, self.offsets, self.units, self.lower, self.upper, self.each

    def of_runs(self, lows: IntArray, highs: IntArray) -> FloatArray:
        """Return the penalty, summed over attributes, of groups that reach from rank to rank.

        Both run (groups, attributes). Of a set, all values between its first and last count.
        """
        least, greatest = self.offsets + lows, self.offsets + highs
        found = np.zeros(least.shape)
        open_still = np.ones(least.shape, dtype=bool)
        for height in range(len(self.units)):
            units = self.units[height]
            inside = open_still & (units[least] == units[greatest])
            found[inside] = (self.upper[height][greatest] - self.lower[height][least])[inside]
            open_still &= ~inside
        sets = np.where(highs > lows, self.each * (highs - lows + 1), 0.0)
        return np.asarray(np.where(self.each > 0, sets, found).clip(max=1.0).sum(axis=1))

    def total(self, rows: IntArray, starts: IntArray) -> float:
        """Return Σ size · NCP of some groups, each rows[starts[g]:starts[g + 1]]."""
        from seriatim.kernels.optimal import group_costs

        return float(group_costs(rows, starts, *self.arguments)[0].sum())


def _side_by_side(tables: Sequence[npt.NDArray[_Number]]) -> npt.NDArray[_Number]:
    """Join tables whose first axis is the height; heights that one has not are never asked for."""
    tallest = max(len(table) for table in tables)
    return np.concatenate(
        [np.pad(table, ((0, tallest - len(table)), (0, 0)), mode="edge") for table in tables],
        axis=1,
    )
