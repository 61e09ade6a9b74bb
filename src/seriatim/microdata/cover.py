"""What one quasi-identifier was generalized to, for every group of a release at once.

Columns, not objects: a release of ten million tuples has half a million groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import FloatArray, IntArray
from seriatim.microdata.part import CodeSet, Interval, Part


class Cover(Protocol):
    """The tightest parts around the groups of a release, for one quasi-identifier."""

    @property
    def extents(self) -> FloatArray:
        """Normalized length per group: 0 for one value, 1 for the whole domain."""
        ...

    @property
    def penalties(self) -> FloatArray:
        """Normalized certainty penalty (NCP) per group, in [0, 1]."""
        ...

    def text(self) -> pa.Array:
        """Return the published form per group."""
        ...

    def part(self, group: int) -> Part:
        """Return the part of one group."""
        ...


def share_of(lengths: FloatArray, whole: float) -> FloatArray:
    """Normalize lengths by a domain's length; in a domain of one point everything is 0."""
    return lengths / whole if whole > 0 else np.zeros_like(lengths)


@dataclass(frozen=True, eq=False)
class IntervalCover:
    """Intervals of an ordered attribute; penalty and extent are both their relative length."""

    low: FloatArray
    """Smallest code per group."""

    high: FloatArray
    """Largest code per group."""

    whole: float
    """Length of the domain, in codes."""

    low_text: pa.Array
    """How each smallest code is written."""

    high_text: pa.Array
    """How each largest code is written."""

    @property
    def extents(self) -> FloatArray:
        """Normalized length per group."""
        return share_of(self.high - self.low, self.whole)

    @property
    def penalties(self) -> FloatArray:
        """Normalized certainty penalty per group."""
        return self.extents

    def text(self) -> pa.Array:
        """Return ``[low,high]``, or the value alone where there is only one."""
        joined = pc.binary_join_element_wise("[", self.low_text, ",", self.high_text, "]", "")
        return pc.if_else(pa.array(self.low == self.high), self.low_text, joined)

    def part(self, group: int) -> Part:
        """Return the interval of one group."""
        return Interval(float(self.low[group]), float(self.high[group]))


@dataclass(frozen=True, eq=False)
class SetCover:
    """Sets of values of an unordered attribute."""

    starts: IntArray
    """Where each group's codes begin; one more entry than groups."""

    codes: IntArray
    """The codes of all groups, one group after the other, each sorted."""

    labels: tuple[str, ...]
    """How each code is written."""

    @property
    def _counts(self) -> FloatArray:
        return np.diff(self.starts).astype(np.float64)

    @property
    def extents(self) -> FloatArray:
        """Other values in the set, relative to other values in the domain."""
        return share_of(self._counts - 1, len(self.labels) - 1)

    @property
    def penalties(self) -> FloatArray:
        """0 for one value, else values in the set / values in the domain."""
        counts = self._counts
        return np.where(counts > 1, share_of(counts, len(self.labels)), 0.0)

    def text(self) -> pa.Array:
        """Return ``{a,b}``, or the value alone where there is only one."""
        words = pa.array(self.labels, pa.string()).take(pa.array(self.codes))
        lists = pa.ListArray.from_arrays(pa.array(self.starts, pa.int32()), words)
        joined = pc.binary_join(lists, ",")
        braced = pc.binary_join_element_wise("{", joined, "}", "")
        return pc.if_else(pa.array(self._counts == 1), joined, braced)

    def part(self, group: int) -> Part:
        """Return the set of one group."""
        codes = self.codes[self.starts[group] : self.starts[group + 1]]
        return CodeSet(frozenset(codes.tolist()))


@dataclass(frozen=True, eq=False)
class NodeCover:
    """Nodes of a hierarchy: each covers a run of neighbouring leaves."""

    first_leaf: IntArray
    """First leaf under each group's node."""

    last_leaf: IntArray
    """Last leaf under each group's node."""

    n_leaves: int
    """Leaves of the whole hierarchy."""

    labels: pa.Array
    """The name of each group's node."""

    @property
    def extents(self) -> FloatArray:
        """Other leaves under the node, relative to other leaves in the hierarchy."""
        return share_of((self.last_leaf - self.first_leaf).astype(float), self.n_leaves - 1)

    @property
    def penalties(self) -> FloatArray:
        """0 for a leaf, else leaves under the node / leaves in the hierarchy."""
        leaves = (self.last_leaf - self.first_leaf + 1).astype(float)
        return np.where(leaves > 1, share_of(leaves, self.n_leaves), 0.0)

    def text(self) -> pa.Array:
        """Return the nodes' names."""
        return self.labels

    def part(self, group: int) -> Part:
        """Return the leaves under one group's node."""
        return Interval(float(self.first_leaf[group]), float(self.last_leaf[group]))
