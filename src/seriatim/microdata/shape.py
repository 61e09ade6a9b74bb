"""The shape of a column: how many values it has, and how they are spread; aggregates only."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim.microdata.tables import Columns, missing_mask, to_numpy, to_text

_BINS = 24
_WORDS = 12
"""Values of a text column that are named; the others are counted together."""


@dataclass(frozen=True)
class Bar:
    """A part of a column, and how many rows are in it."""

    label: str
    """A value, or where an interval begins."""

    count: int
    """Rows."""


@dataclass(frozen=True)
class ColumnShape:
    """What can be told of a column without a row of it."""

    name: str
    """The column."""

    type: str
    """What its cells are."""

    rows: int
    """All rows."""

    missing: int
    """Rows without a value."""

    distinct: int
    """Different values."""

    bars: tuple[Bar, ...] = ()
    """How the values are spread: a histogram, or the most frequent ones."""

    low: str | None = None
    """The least, of numbers and dates."""

    high: str | None = None
    """The greatest."""

    others: int = 0
    """Rows with values that are not named among the bars."""

    @property
    def is_ordered(self) -> bool:
        """Whether the bars are a histogram."""
        return self.low is not None


def shape_of(columns: Columns, name: str, *, spread: bool = True) -> ColumnShape:
    """Return the shape of a column; without ``spread`` no value of it is told.

    >>> from seriatim.microdata.tables import read_table
    >>> table = read_table({"exam": ["neg", "neg", "pos", None]})
    >>> shape_of(table, "exam").bars
    (Bar(label='neg', count=2), Bar(label='pos', count=1))
    """
    column = columns[name]
    missing = int(missing_mask(column).sum())
    distinct = count_distinct(column)
    told = ColumnShape(name, _type(column.type), len(column), missing, distinct)
    if not spread or missing == len(column):
        return told
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _histogram(told, to_numpy(column.drop_null().cast(pa.float64(), safe=False)))
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        days = column.drop_null().cast(pa.date32(), safe=False).cast(pa.int32())
        return _histogram(told, to_numpy(days).astype(float), dates=True)
    return _frequencies(told, to_text(column, name))


def count_distinct(column: pa.Array) -> int:
    """Return how many different values a column has, those that are missing left out."""
    # A column without any value has no kind, and arrow does not count it.
    return 0 if pa.types.is_null(column.type) else int(pc.count_distinct(column).as_py())


def _histogram(told: ColumnShape, numbers: np.ndarray, *, dates: bool = False) -> ColumnShape:
    numbers = numbers[np.isfinite(numbers)]
    if not len(numbers):
        return told

    def words(number: float) -> str:
        return str(np.datetime64(int(number), "D")) if dates else f"{number:g}"

    low, high = float(numbers.min()), float(numbers.max())
    whole = dates or bool((numbers == np.floor(numbers)).all())
    bins = int(min(_BINS, high - low + 1)) if whole else _BINS
    # Halved, or the width of the widest range would be no number; neighbours may be one edge.
    edges = np.unique(2 * np.linspace(low / 2, high / 2, bins + 1)) if high > low else [low, high]
    counts = np.bincount(np.searchsorted(edges[1:-1], numbers, "right"), minlength=len(edges) - 1)
    bars = tuple(
        Bar(words(edge), int(count)) for edge, count in zip(edges[:-1], counts, strict=True)
    )
    return replace(told, bars=bars, low=words(low), high=words(high))


def _frequencies(told: ColumnShape, texts: pa.Array) -> ColumnShape:
    counted = pc.value_counts(texts.drop_null())
    keys = [("counts", "descending"), ("values", "ascending")]
    table = pa.table([counted.field("values"), counted.field("counts")], ["values", "counts"])
    shown = table.take(pc.sort_indices(table, sort_keys=keys)[:_WORDS]).to_pylist()
    bars = tuple(Bar(one["values"], one["counts"]) for one in shown)
    others = told.rows - told.missing - sum(bar.count for bar in bars)
    return replace(told, bars=bars, others=others)


def _type(kind: pa.DataType) -> str:
    if pa.types.is_integer(kind):
        return "whole numbers"
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "numbers"
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return "dates"
    return "truth values" if pa.types.is_boolean(kind) else "texts"
