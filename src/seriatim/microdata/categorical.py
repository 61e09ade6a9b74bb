"""Unordered categories: gender, region, ward; generalized to sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import FloatArray, IntArray
from seriatim.microdata.attribute import (
    check_values,
    code_of,
    codes_by_text,
    encode_values,
    flat_heights,
    measure_codes,
    resolve_values,
    union_of,
    unresolved,
)
from seriatim.microdata.cover import Cover, Prices, counted_penalties, share_of
from seriatim.microdata.gathers import different_sets
from seriatim.microdata.part import CodeSet, Part
from seriatim.microdata.words import written


@dataclass(frozen=True)
class Categorical:
    """An unordered quasi-identifier.

    >>> Categorical("gender", ["F", "M"]).parse("{F,M}")
    CodeSet(codes=frozenset({0, 1}))
    """

    name: str
    """The column."""

    values: Sequence[Any] | None = None
    """The domain; left out, it is read off the views."""

    open: bool = field(default=False, kw_only=True, repr=False)
    """Whether the domain was read off data, and may widen."""

    def __post_init__(self) -> None:
        """Accept any sequence of values, each once."""
        if self.values is not None:
            object.__setattr__(self, "values", tuple(self.values))
        check_values(self.values, self.name)

    @property
    def _domain(self) -> Sequence[Any]:
        if self.values is None:
            unresolved(self.name)
        return self.values

    @cached_property
    def _codes(self) -> dict[str, int]:
        return codes_by_text(self._domain)

    @property
    def steps(self) -> int:
        """How many places of a grid tell its values apart."""
        return len(self._domain)

    def resolve(self, column: pa.Array) -> Categorical:
        """Read the domain off the column, or widen it, where it was not declared."""
        values, is_open = resolve_values(self.values, column, self.name, is_open=self.open)
        return replace(self, values=values, open=is_open)

    def public(self) -> Categorical:
        """Return the attribute as it was declared."""
        return replace(self, values=None, open=False) if self.open else self

    def encode(self, column: pa.Array) -> FloatArray:
        """Return each value's place in the domain."""
        return encode_values(column, self.values, self.name).astype(np.float64)

    def spread(self, codes: FloatArray) -> FloatArray:
        """Place the values at equal distances over [0, 1], so that even two of them lie apart."""
        return share_of(codes, self.steps - 1)

    def distance(self, codes: FloatArray, others: FloatArray) -> FloatArray:
        """Return 0 for the same value, 1 for any other."""
        return np.asarray(codes != others, dtype=np.float64)

    def heights(self, codes: FloatArray) -> IntArray:
        """Return 1 for every border: none is better than another."""
        return flat_heights(codes)

    def cover(self, codes: FloatArray, starts: IntArray) -> Cover:
        """Return the set of values of each group.

        The extent counts the other values in the set, relative to the other
        values in the domain.
        """
        pairs, which = different_sets(codes, starts, self.steps)
        ends = np.searchsorted(pairs, np.arange(which.max() + 2) * self.steps)
        lengths = np.diff(ends)
        counts = lengths[which].astype(np.float64)
        # A domain read off the view may have values of suppressed tuples: only published count.
        n_values = len(np.unique(pairs % self.steps)) if self.open else self.steps
        labels = pa.array([written(value) for value in self._domain], pa.string())
        words = labels.take(pa.array(pairs % self.steps))
        joined = pc.binary_join(pa.LargeListArray.from_arrays(pa.array(ends), words), ",")
        braced = pc.binary_join_element_wise("{", joined, "}", "")
        return Cover(
            pc.if_else(pa.array(lengths == 1), joined, braced).take(pa.array(which)),
            share_of(counts - 1, n_values - 1),
            counted_penalties(counts, n_values),
        )

    def prices(self, codes: FloatArray) -> Prices:
        """Return the share of the domain that each value is."""
        nothing = np.zeros((2, len(codes)))
        return Prices(nothing, nothing, 1.0 / (len(codes) if self.open else self.steps))

    def parse(self, text: Any) -> Part:
        """Read one value, ``{a,b}``, ``a,b`` or ``a|b``; ``*`` is the whole domain."""
        words = str(text).strip()
        braced = words.startswith("{") and words.endswith("}")
        if not braced and not words.startswith('"') and words in self._codes:
            return CodeSet(frozenset({self._codes[words]}))
        if words == "*":
            return CodeSet(frozenset(range(self.steps)))

        def one(word: str) -> Part:
            return CodeSet(frozenset({code_of(word, self._codes, self.name)}))

        return union_of(words, one, self.steps, is_open=self.open)

    def measure(self, part: Part) -> tuple[float, float]:
        """Return extent and penalty of a part: its values, relative to the domain's."""
        return measure_codes(part, self.steps)
