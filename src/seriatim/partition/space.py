"""The space of quasi-identifiers as the kernels that cut it see it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.microdata.roster import Roster
from seriatim.partition.ranks import ranked


@dataclass(frozen=True, eq=False)
class Space:
    """Where tuples lie: codes numbered in order, with places and borders of each attribute."""

    ranks: IntArray
    """Each attribute's different codes numbered from 0, in order (tuples, attributes)."""

    places: FloatArray
    """Where each rank lies in [0, 1], attribute after attribute."""

    offsets: IntArray
    """Where the places and borders of each attribute begin."""

    heights: IntArray
    """How high the border behind each rank is, attribute after attribute."""

    codes: tuple[FloatArray, ...]
    """The codes behind the ranks of each attribute."""

    @classmethod
    def of(cls, roster: Roster) -> Space:
        """Number the codes of a roster."""
        ranks, places, heights, known = [], [], [], []
        for axis, attribute in enumerate(roster.schema.quasi_identifiers):
            codes, rank = ranked(roster.points[:, axis])
            known.append(codes)
            ranks.append(rank)
            places.append(attribute.spread(codes))
            heights.append(np.append(attribute.heights(codes), 0))
        offsets = np.cumsum([0] + [len(found) for found in places[:-1]])
        return cls(
            np.column_stack(ranks).astype(np.int64),
            np.concatenate(places),
            offsets.astype(np.int64),
            np.concatenate(heights).astype(np.int64),
            tuple(known),
        )
