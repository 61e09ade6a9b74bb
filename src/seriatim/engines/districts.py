"""Districts: the shards of a series of standing cells, which stay as the cells do.

Districts are large cells, cut once from a sample of the first view's quasi-identifiers, with
borders that are values, so that domains may grow. A district in which too many live, because
they cannot be told apart by quasi-identifiers, is divided by their secret numbers. Inside a
district its own cells are cut and kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import FloatArray, IntArray, WordArray
from seriatim.microdata.roster import Roster
from seriatim.microdata.schema import Schema
from seriatim.partition.cells import Cells
from seriatim.partition.register import UNPLACED, Enrolment

SAMPLE = 40_000
"""Tuples of the first view that districts are cut by, about."""

_HALF = np.uint64(32)
_LOW = (1 << 32) - 1


@dataclass(frozen=True, eq=False)
class Districts:
    """Which shard a respondent belongs to, by quasi-identifiers and number."""

    cells: Cells
    """The districts, as large cells."""

    slices: IntArray
    """Into how many shards each is divided."""

    @property
    def shards(self) -> int:
        """How many shards there are."""
        return int(self.slices.sum())

    def __repr__(self) -> str:
        """Say how many there are."""
        return f"Districts({len(self.cells)}, {self.shards} shards)"

    def of(self, roster: Roster, numbers: WordArray) -> IntArray:
        """Return the shard of each respondent."""
        cell = self.cells.of(roster)
        first = np.cumsum(self.slices) - self.slices
        share = ((numbers >> _HALF) * self.slices[cell].astype(np.uint64)) >> _HALF
        return np.asarray(first[cell] + share.astype(np.int64))

    @classmethod
    def cut(cls, points: FloatArray, schema: Schema, shards: int) -> Districts:
        """Cut about so many shards from a sample of points; few points stand for many rows."""
        places = np.arange(len(points))
        sample = Roster(schema, pa.array(places), points, places)
        # A cell has from this many to about twice as many: on the mean one and a half.
        least = max(round(len(points) / (1.5 * shards)), 1)
        cells = Cells.grown(sample, least)
        counts = np.bincount(cells.of(sample), minlength=len(cells))
        share = counts / len(points) * shards
        return cls(cells, np.maximum(np.rint(share / 1.5), 1).astype(np.int64))

    def to_plain(self) -> dict[str, Any]:
        """Write them as plain values."""
        return {"cells": self.cells.to_plan(), "slices": self.slices.tolist()}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Districts:
        """Read them back."""
        return cls(Cells.from_plan(plain["cells"]), np.array(plain["slices"], dtype=np.int64))


class DistrictRegister:
    """What the partitioner remembers of one district."""

    def __init__(self, shard: int, plan: Mapping[str, Any], homes: IntArray) -> None:
        """Take the plan of the district, and where its respondents were placed; -1 for nowhere."""
        self.plan = plan
        self.version = 1 if plan else 0
        mine = (homes >= 0) & (homes >> 32 == shard)
        self._places = np.where(mine, homes & _LOW, UNPLACED)

    def places(self, respondents: pa.Array) -> IntArray:
        """Return the place of each respondent; they are the rows of the shard."""
        return self._places

    def keep(self, enrolment: Enrolment) -> None:
        """Keep nothing: what is to be kept is handed on."""


def home_of(shard: int, cells: IntArray) -> IntArray:
    """Return one number for a district and a cell in it."""
    return (np.int64(shard) << 32) | cells.astype(np.int64)


def district_of(homes: IntArray) -> IntArray:
    """Return the district of each home; -1 for those without one."""
    return np.where(homes >= 0, homes >> 32, -1)
