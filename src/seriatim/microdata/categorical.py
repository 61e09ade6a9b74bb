"""Unordered categories: gender, region, ward; generalized to sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import FloatArray, IntArray
from seriatim.microdata.attribute import (
    check_values,
    code_of,
    encode_values,
    resolve_values,
    unresolved,
)
from seriatim.microdata.cover import Cover, SetCover, share_of
from seriatim.microdata.part import CodeSet, Part


@dataclass(frozen=True)
class Categorical:
    """An unordered quasi-identifier.

    >>> gender = Categorical("gender", ["F", "M"])
    >>> gender.describe(gender.parse("{F,M}"))
    '{F,M}'
    """

    name: str
    """The column."""

    values: Sequence[Any] | None = None
    """The domain; read off each view when left out."""

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

    @property
    def steps(self) -> int:
        """How many places of a grid tell its values apart."""
        return len(self._domain)

    def resolve(self, column: pa.Array) -> Categorical:
        """Read the domain off the column where it was not declared."""
        return replace(self, values=resolve_values(self.values, column, self.name))

    def encode(self, column: pa.Array) -> FloatArray:
        """Return each value's place in the domain."""
        return encode_values(column, self.values, self.name).astype(np.float64)

    def spread(self, codes: FloatArray) -> FloatArray:
        """Place the values at equal distances over [0, 1], so that even two of them lie apart."""
        return share_of(codes, self.steps - 1)

    def cover(self, codes: FloatArray, starts: IntArray) -> Cover:
        """Return the set of values of each group."""
        n_groups = len(starts) - 1
        group_of = np.repeat(np.arange(n_groups), np.diff(starts))
        pairs = np.unique(group_of * self.steps + codes.astype(np.int64))
        ends = np.searchsorted(pairs, np.arange(n_groups + 1) * self.steps)
        return SetCover(ends, pairs % self.steps, tuple(str(value) for value in self._domain))

    def parse(self, text: Any) -> Part:
        """Read one value or ``{a,b}``; ``*`` is the whole domain."""
        written = str(text).strip()
        if written == "*":
            return CodeSet(frozenset(range(self.steps)))
        braced = written.startswith("{") and written.endswith("}")
        if braced and written not in {str(value) for value in self._domain}:
            words = [word.strip() for word in written[1:-1].split(",")]
        else:
            words = [written]
        return CodeSet(frozenset(code_of(word, self.values, self.name) for word in words))

    def describe(self, part: Part) -> str:
        """Write a set as a release does."""
        assert isinstance(part, CodeSet)
        words = [str(self._domain[code]) for code in sorted(part.codes)]
        return words[0] if len(words) == 1 else "{" + ",".join(words) + "}"
