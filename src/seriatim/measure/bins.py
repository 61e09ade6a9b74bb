"""Bins of quasi-identifiers: a few for each attribute, of like many people."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seriatim._typing import FloatArray, IntArray
from seriatim.microdata.categorical import Categorical
from seriatim.microdata.view import View

MOST_BINS = 10
"""Bins of an attribute at most."""


@dataclass(frozen=True, eq=False)
class Bins:
    """How the codes of each quasi-identifier are put into bins.

    Ordered codes (numbers, days, ordinals, and the leaves of a tree in its order) are cut into
    tenths of the people, between codes. Values without order have a bin each; of more than
    ten, the nine most frequent have, and the others share one.

    >>> from seriatim import Numeric, Schema, Sensitive
    >>> schema = Schema("id", [Numeric("age", 20, 99)], Sensitive("exam", ["neg"]))
    >>> people = {"id": range(40), "age": [*range(20, 60)], "exam": ["neg"] * 40}
    >>> bins = Bins.of(View.from_table(people, schema))
    >>> bins.sizes, bins.places(np.array([[20.0], [24.0], [99.0]])).tolist()
    ((10,), [[0], [1], [9]])
    """

    cuts: tuple[FloatArray | None, ...]
    """For each ordered attribute the least code of every bin but the first."""

    bin_of: tuple[IntArray | None, ...]
    """For each attribute without order the bin of every code."""

    def __repr__(self) -> str:
        """Say how many bins there are; where they begin is the view's."""
        return f"Bins({', '.join(map(str, self.sizes))})"

    @classmethod
    def of(cls, view: View) -> Bins:
        """Return the bins that a view's people make."""
        cuts: list[FloatArray | None] = []
        bin_of: list[IntArray | None] = []
        for axis, attribute in enumerate(view.schema.quasi_identifiers):
            codes = view.points[:, axis]
            unordered = isinstance(attribute, Categorical)
            cuts.append(None if unordered else _tenths(codes))
            bin_of.append(_most_frequent(codes, attribute.steps) if unordered else None)
        return cls(tuple(cuts), tuple(bin_of))

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of bins of each attribute."""
        found = []
        for cuts, bin_of in zip(self.cuts, self.bin_of, strict=True):
            if bin_of is not None:
                found.append(int(bin_of.max()) + 1)
            elif cuts is not None:
                found.append(len(cuts) + 1)
        return tuple(found)

    def places(self, points: FloatArray) -> IntArray:
        """Return the bins of some codes (people, attributes)."""
        found = np.empty(points.shape, dtype=np.int64)
        for axis, (cuts, bin_of) in enumerate(zip(self.cuts, self.bin_of, strict=True)):
            if bin_of is not None:
                found[:, axis] = bin_of[points[:, axis].astype(np.int64)]
            elif cuts is not None:
                found[:, axis] = np.searchsorted(cuts, points[:, axis], side="right")
        return found


def _tenths(codes: FloatArray) -> FloatArray:
    """Return where tenths of the people begin; fewer where many have the same code."""
    ordered = np.sort(codes)
    begins = ordered[np.arange(1, MOST_BINS) * len(ordered) // MOST_BINS]
    return np.unique(begins[begins > ordered[0]])


def _most_frequent(codes: FloatArray, steps: int) -> IntArray:
    """Return a bin for each code: the frequent ones first, the rest together."""
    counts = np.bincount(codes.astype(np.int64), minlength=steps)
    rank = np.empty(steps, dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(steps)
    return rank if steps <= MOST_BINS else np.minimum(rank, MOST_BINS - 1)
