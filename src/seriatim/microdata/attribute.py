"""What every quasi-identifier can do, whatever its kind.

``resolve`` reads what was not declared off a table; ``encode`` turns a column
into codes; ``spread`` places codes on [0, 1] for the space-filling curve;
``cover`` finds the tightest part around each group; ``parse`` reads a part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NoReturn, Protocol

import numpy as np
import pyarrow as pa

from seriatim._typing import BoolArray, FloatArray, IntArray
from seriatim.errors import (
    SchemaError,
    TableError,
    UnknownCategoryError,
    at_positions,
    listed,
)
from seriatim.microdata.cover import Cover
from seriatim.microdata.part import Part
from seriatim.microdata.tables import distinct_values, find_codes, require_present


class QuasiIdentifier(Protocol):
    """An attribute that, joined with outside knowledge, may point at a respondent."""

    @property
    def name(self) -> str:
        """The column's name."""
        ...

    @property
    def steps(self) -> int:
        """How many places of a grid tell its codes apart (once resolved)."""
        ...

    def resolve(self, column: pa.Array) -> QuasiIdentifier:
        """Return the attribute with its domain filled in from a column where undeclared."""
        ...

    def encode(self, column: pa.Array) -> FloatArray:
        """Return a column's codes; missing and unknown values are errors."""
        ...

    def spread(self, codes: FloatArray) -> FloatArray:
        """Stretch codes over [0, 1], whatever the number of values in the domain."""
        ...

    def cover(self, codes: FloatArray, starts: IntArray) -> Cover:
        """Return the tightest part around each group; codes come group by group."""
        ...

    def parse(self, text: Any) -> Part:
        """Read a part from how a release or a class table writes it."""
        ...

    def describe(self, part: Part) -> str:
        """Write a part as a release does."""
        ...


def resolve_values(declared: Sequence[Any] | None, column: pa.Array, name: str) -> Sequence[Any]:
    """Return the declared values, or those of the column."""
    if declared is not None:
        return declared
    require_present(column, name)
    return distinct_values(column)


def encode_values(column: pa.Array, values: Sequence[Any] | None, name: str) -> IntArray:
    """Return the place of each value in the domain; an unknown value is an error."""
    require_present(column, name)
    if values is None:
        unresolved(name)
    codes = find_codes(column, values)
    unknown = np.flatnonzero(codes < 0)
    if len(unknown):
        found = distinct_values(column.take(pa.array(unknown)))
        message = (
            f"Column {name!r} has {len(unknown)} value(s) outside its domain, at"
            f" {at_positions(unknown)}: {listed(found)}. Declared are {listed(values)}."
            " Correct the rows, or declare the values when the attribute is made."
        )
        raise TableError(message)
    return codes


def refuse_outside(outside: BoolArray, name: str, low: float, high: float) -> None:
    """Refuse numbers that are not inside the declared range."""
    if outside.any():
        message = (
            f"Column {name!r} has {int(outside.sum())} value(s) outside [{low:g}, {high:g}], at"
            f" {at_positions(np.flatnonzero(outside))}. Correct the rows, or declare a wider range."
        )
        raise TableError(message)


def check_values(values: Sequence[Any] | None, name: str) -> None:
    """Refuse declared domains that are empty or name a value twice."""
    if values is None:
        return
    if not values:
        message = f"Attribute {name!r} declares no values. Name at least one, or leave them out."
        raise SchemaError(message)
    if len(set(values)) < len(values):
        twice = sorted(str(value) for value, times in Counter(values).items() if times > 1)
        message = f"Attribute {name!r} declares values twice: {listed(twice)}."
        raise SchemaError(message)


def code_of(value: Any, values: Sequence[Any] | None, name: str) -> int:
    """Return the code of one value as a knowledge table writes it."""
    if values is None:
        unresolved(name)
    by_text = {str(known): code for code, known in enumerate(values)}
    if str(value) not in by_text:
        message = (
            f"{value!r} is no value of {name!r}; possible are {listed(values)},"
            " and '*' for any of them."
        )
        raise UnknownCategoryError(message)
    return by_text[str(value)]


def unresolved(name: str) -> NoReturn:
    """Say that an attribute's domain is not known yet."""
    message = f"The domain of {name!r} is not known. Declare it, or resolve the schema on a table."
    raise SchemaError(message)
