"""Ordered categories: stages, grades, bands; generalized to runs of neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import FloatArray, IntArray
from seriatim.errors import KnowledgeError, listed
from seriatim.microdata.attribute import (
    check_values,
    code_of,
    codes_by_text,
    encode_values,
    flat_heights,
    measure_codes,
)
from seriatim.microdata.cover import Cover, Prices, run_prices, run_texts, share_of
from seriatim.microdata.gathers import ends_in_groups
from seriatim.microdata.part import Interval, Part
from seriatim.microdata.words import read_words, written


@dataclass(frozen=True)
class Ordinal:
    """An ordered quasi-identifier, its values declared from least to greatest.

    >>> Ordinal("grade", ["low", "middle", "high"]).parse("[middle,high]")
    Interval(low=1, high=2)
    """

    name: str
    """The column."""

    values: Sequence[Any]
    """All values, from least to greatest."""

    def __post_init__(self) -> None:
        """Accept any sequence of values, each once."""
        object.__setattr__(self, "values", tuple(self.values))
        check_values(self.values, self.name)

    @cached_property
    def _codes(self) -> dict[str, int]:
        return codes_by_text(self.values)

    @property
    def open(self) -> bool:
        """Never: the order cannot be read off data, so the values are declared."""
        return False

    @property
    def steps(self) -> int:
        """How many places of a grid tell its values apart."""
        return len(self.values)

    def resolve(self, column: pa.Array) -> Ordinal:
        """Return the attribute itself."""
        return self

    def public(self) -> Ordinal:
        """Return the attribute itself."""
        return self

    def encode(self, column: pa.Array) -> FloatArray:
        """Return each value's place in the order."""
        return encode_values(column, self.values, self.name).astype(np.float64)

    def spread(self, codes: FloatArray) -> FloatArray:
        """Stretch the order over [0, 1]."""
        return share_of(codes, len(self.values) - 1)

    def distance(self, codes: FloatArray, others: FloatArray) -> FloatArray:
        """Return the difference, relative to the domain's length.

        Codes outside the domain (negative) are at distance 1 from everything.
        """
        apart = np.abs(self.spread(codes) - self.spread(others))
        return np.where((codes < 0) | (others < 0), 1.0, apart)

    def heights(self, codes: FloatArray) -> IntArray:
        """Return 1 for every border: none is better than another."""
        return flat_heights(codes)

    def cover(self, codes: FloatArray, starts: IntArray) -> Cover:
        """Return the run from the least to the greatest value of each group.

        Extent and penalty are both its steps relative to the domain's.
        """
        least, greatest = ends_in_groups(codes, starts)
        extents = share_of(greatest - least, len(self.values) - 1)
        labels = pa.array([written(value) for value in self.values], pa.string())

        def write(codes: FloatArray) -> pa.Array:
            return labels.take(pa.array(codes.astype(np.int64)))

        return Cover(run_texts(least, greatest, write), extents, extents)

    def prices(self, codes: FloatArray) -> Prices:
        """Return the steps of runs, relative to the domain's."""
        return run_prices(self.spread(codes))

    def parse(self, text: Any) -> Part:
        """Read one value or ``[least,greatest]``; ``*`` is the whole domain."""
        words = str(text).strip()
        if words == "*":
            return Interval(0, len(self.values) - 1)
        bracketed = words.startswith("[") and words.endswith("]")
        quoted = words.startswith('"')
        if not bracketed and not quoted and words in self._codes:
            words = written(words)
        ends = [
            code_of(word, self._codes, self.name)
            for word in read_words(words[1:-1] if bracketed else words)
        ]
        if len(ends) != (2 if bracketed else 1) or ends[0] > ends[-1]:
            message = (
                f"{words!r} is no value or run of {self.name!r}. Write one value, or"
                f" [least,greatest] with two of {listed(self.values)}, the lesser first."
            )
            raise KnowledgeError(message)
        return Interval(ends[0], ends[-1])

    def ends(self, parts: Sequence[Interval]) -> tuple[pa.Array, pa.Array]:
        """Return the least and the greatest values of parts."""
        lower = pa.array([self.values[int(part.low)] for part in parts])
        return lower, pa.array([self.values[int(part.high)] for part in parts])

    def measure(self, part: Part) -> tuple[float, float]:
        """Return extent and penalty of a part: its steps, relative to the domain's."""
        extent, _ = measure_codes(part, len(self.values))
        return extent, extent
