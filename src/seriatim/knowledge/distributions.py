"""Distributions as people write them down: long tables with gaps.

A table "key, value, probability" lists for each key the values worth a row.
What a row leaves unlisted is either an error or spread evenly over the values
that it does not name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from seriatim._typing import BoolArray, FloatArray, IntArray, Value
from seriatim.errors import KnowledgeError, at_positions, did_you_mean, listed
from seriatim.knowledge.belief import ROW_SUM_TOLERANCE
from seriatim.microdata.tables import (
    distinct_values,
    find_codes,
    require_present,
)

Unlisted = Literal["error", "spread"]
"""What to do with probability that a row does not give to any value."""


@dataclass(frozen=True, eq=False)
class Distributions:
    """Rows of probabilities over some values, possibly incomplete."""

    values: tuple[Value, ...]
    """The values that any row names."""

    probabilities: FloatArray
    """What each row gives to each value (rows, values)."""

    listed: BoolArray
    """Which values each row names (rows, values)."""

    unlisted: Unlisted = "error"
    """What to do with the rest of a row."""

    def __post_init__(self) -> None:
        """Refuse rows that cannot be completed to distributions."""
        if self.unlisted not in ("error", "spread"):
            message = f"unlisted={self.unlisted!r} is not known; possible are 'error', 'spread'."
            raise KnowledgeError(message)
        wrong = ~np.isfinite(self.probabilities).all(axis=1) | (self.probabilities < 0).any(axis=1)
        if wrong.any():
            message = (
                "Probabilities are numbers from 0 to 1, and the table has NaN, infinite or"
                f" negative ones in {int(wrong.sum())} of its distributions."
            )
            raise KnowledgeError(message)
        sums = self.probabilities.sum(axis=1)
        over = sums > 1.0 + ROW_SUM_TOLERANCE
        under = sums < 1.0 - ROW_SUM_TOLERANCE
        if over.any() or (under.any() and self.unlisted == "error"):
            off = over | under
            worst = float(sums[np.argmax(np.abs(sums - 1.0))])
            advice = (
                "Probabilities of one row cannot exceed 1 together."
                if over.any()
                else "Complete the rows, or pass unlisted='spread' to share the rest evenly"
                " among the values that a row does not name."
            )
            message = (
                f"Each distribution must sum to 1, and {int(off.sum())} of {len(sums)} do not;"
                f" the worst sums to {worst:.6g}. {advice}"
            )
            raise KnowledgeError(message)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.probabilities)

    @classmethod
    def from_columns(
        cls,
        row_of: IntArray,
        n_rows: int,
        value: pa.Array,
        probability: pa.Array,
        unlisted: Unlisted,
    ) -> Distributions:
        """Collect a long table: entry i gives a probability to a value in row row_of[i]."""
        require_present(value, "value")
        values = distinct_values(value)
        codes = find_codes(value, values)
        numbers = _probabilities(probability)
        cells = row_of * len(values) + codes
        _, first, times = np.unique(cells, return_index=True, return_counts=True)
        if (times > 1).any():
            message = (
                "A value has two probabilities in one distribution, the first time at"
                f" {at_positions(first[times > 1])}. Keep one."
            )
            raise KnowledgeError(message)
        table = np.zeros((n_rows, len(values)))
        named = np.zeros((n_rows, len(values)), dtype=bool)
        table[row_of, codes] = numbers
        named[row_of, codes] = True
        return cls(values, table, named, unlisted)

    def over(self, domain: tuple[Value, ...]) -> FloatArray:
        """Return complete distributions over a domain (rows, values)."""
        missing = [value for value in self.values if value not in domain]
        if missing:
            message = (
                f"Knowledge speaks of values outside the sensitive domain: {listed(missing)}."
                f" The domain is {listed(domain)}.{did_you_mean(missing[0], domain)}"
                " Declare them in Sensitive(values=...), or correct the table."
            )
            raise KnowledgeError(message)
        places = [domain.index(value) for value in self.values]
        table = np.zeros((len(self), len(domain)))
        free = np.ones((len(self), len(domain)), dtype=bool)
        table[:, places] = self.probabilities
        free[:, places] = ~self.listed
        rest = np.maximum(1.0 - table.sum(axis=1), 0.0)
        rest[rest <= ROW_SUM_TOLERANCE] = 0.0
        n_free = free.sum(axis=1)
        stuck = (rest > 0) & (n_free == 0)
        if stuck.any():
            message = (
                f"{int(stuck.sum())} distributions name every value of the domain and still sum"
                f" to less than 1 (the least to {1 - rest.max():.6g}): there is nothing to"
                " spread the rest over. Complete the rows."
            )
            raise KnowledgeError(message)
        table += free * (rest / np.maximum(n_free, 1))[:, None]
        return np.asarray(table / table.sum(axis=1, keepdims=True))


def _probabilities(column: pa.Array) -> FloatArray:
    """Return a column as probabilities; anything but numbers from 0 to 1 is an error."""
    kind = column.type
    if not (pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind)):
        message = f"Probabilities are numbers from 0 to 1, and the column holds {kind}."
        raise KnowledgeError(message)
    filled = column.cast(pa.float64()).fill_null(float("nan"))
    numbers = np.asarray(filled.to_numpy(zero_copy_only=False), dtype=np.float64)
    bad = ~((numbers >= 0) & (numbers <= 1 + ROW_SUM_TOLERANCE))
    if bad.any():
        message = (
            "Probabilities are numbers from 0 to 1, and the table has NaN, negative or larger"
            f" ones at {at_positions(np.flatnonzero(bad))}."
        )
        raise KnowledgeError(message)
    return numbers
