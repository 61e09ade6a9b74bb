"""What one quasi-identifier was generalized to, for every group of a release at once.

Columns, not objects: a release of ten million tuples has half a million groups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import FloatArray


@dataclass(frozen=True, eq=False)
class Cover:
    """The tightest parts around the groups of a release, for one quasi-identifier."""

    text: pa.Array
    """The published form per group: ``51``, ``[51,52]``, ``{F,M}``, ``1203*``."""

    extents: FloatArray
    """Normalized length per group: 0 for one value, 1 for the whole domain."""

    penalties: FloatArray
    """Normalized certainty penalty (NCP) per group, in [0, 1]."""


@dataclass(frozen=True, eq=False)
class Prices:
    """The penalties of groups that are not formed yet, over some rising codes of an attribute.

    A group from code r to code s with h the highest border between them (0 where r is s) has
    the penalty upper[h, s] − lower[h, r], and at most 1. In a set every code costs the same,
    from the second on.
    """

    lower: FloatArray
    """Where a part begins that reaches down to a code (heights and 0, codes)."""

    upper: FloatArray
    """Where a part ends that reaches up to a code (heights and 0, codes)."""

    each: float = 0.0
    """What each code of a set costs; 0 where parts are runs and nodes."""


def run_prices(places: FloatArray) -> Prices:
    """Return the penalties of runs whose codes lie at places in [0, 1]: their lengths."""
    same = np.stack([places, places])
    return Prices(same, same)


def share_of(lengths: FloatArray, whole: float) -> FloatArray:
    """Normalize lengths by a domain's length; in a domain of one point everything is 0."""
    return lengths / whole if whole > 0 else np.zeros_like(lengths)


def counted_penalties(counts: FloatArray, n_values: int) -> FloatArray:
    """NCP of unordered values: 0 for one value, else values covered / values in the domain."""
    return np.where(counts > 1, share_of(counts, n_values), 0.0)


def run_texts(
    least: FloatArray, greatest: FloatArray, write: Callable[[FloatArray], pa.Array]
) -> pa.Array:
    """Write the runs of groups between whole numbers; many groups have few different ones."""
    bottom, width = least.min(), int(greatest.max() - least.min()) + 1
    if width * width > len(least):
        return interval_text(pa.array(least == greatest), write(least), write(greatest))
    places = ((least - bottom) * width + (greatest - bottom)).astype(np.int64)
    there = np.zeros(width * width, dtype=np.bool_)
    there[places] = True
    low, high = (bottom + one for one in np.divmod(np.flatnonzero(there), width))
    texts = interval_text(pa.array(low == high), write(low), write(high))
    return texts.take(pa.array((np.cumsum(there) - 1)[places]))


def interval_text(same: pa.Array, low: pa.Array, high: pa.Array) -> pa.Array:
    """Write ``[low,high]``, or the value alone where both ends are the same."""
    return pc.if_else(same, low, pc.binary_join_element_wise("[", low, ",", high, "]", ""))
