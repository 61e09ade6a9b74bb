"""The edge of the package: tables of any kind in, the same kind out.

Inside, tables are pyarrow; narwhals translates at this door and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import BoolArray, FloatArray, IntArray, Table
from seriatim.errors import SchemaError, TableError, at_positions, did_you_mean, listed

TableKind = Literal["pandas", "polars", "pyarrow", "mapping"]


@dataclass(frozen=True)
class Columns:
    """A table as arrow columns, and the kind of table it came from."""

    table: pa.Table
    kind: TableKind

    def __len__(self) -> int:
        """Return the number of rows."""
        return int(self.table.num_rows)

    def __getitem__(self, name: str) -> pa.Array:
        """Return one column, whole; a missing column is an error that names the nearest."""
        if name not in self.table.column_names:
            found = self.table.column_names
            message = (
                f"The table has no column {name!r}; it has {listed(found)}."
                f"{did_you_mean(name, found)}"
            )
            raise SchemaError(message)
        return plain(self.table.column(name))


def read_table(table: Table) -> Columns:
    """Read a pandas, polars or pyarrow table, or a mapping of columns.

    >>> read_table({"age": [51, 52]}).kind
    'mapping'
    """
    if isinstance(table, Columns):
        return table
    if isinstance(table, Mapping):
        return Columns(_from_mapping(table), "mapping")
    if isinstance(table, pa.Table):
        return Columns(table, "pyarrow")
    try:
        frame = nw.from_native(table, eager_only=True)
    except TypeError as error:
        message = (
            f"A table was expected, and a {type(table).__name__} was given. Possible are eager"
            " pandas, polars and pyarrow tables, and a mapping from names to columns."
            " A lazy frame must be collected first."
        )
        raise TableError(message) from error
    kind = frame.implementation.value
    if kind not in ("pandas", "polars"):
        return Columns(frame.to_arrow(), "pyarrow")
    try:
        return Columns(frame.to_arrow(), cast("TableKind", kind))
    except pa.ArrowException as error:
        message = f"A column of the table mixes kinds of values: {error}. Give it one kind."
        raise TableError(message) from error


def write_table(table: pa.Table, kind: TableKind) -> Any:
    """Give a table back in the kind that its data came in."""
    if kind == "pyarrow":
        return table
    if kind == "mapping":
        return table.to_pydict()
    return nw.from_arrow(table, backend=kind).to_native()


def _from_mapping(table: Mapping[Any, Any]) -> pa.Table:
    try:
        return pa.table({str(name): column for name, column in table.items()})
    except (pa.ArrowException, TypeError, ValueError) as error:
        message = f"The mapping is not a table of equally long, plain columns: {error}."
        raise TableError(message) from error


def plain(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Return a column as one array, with dictionaries and views unfolded."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.ChunkedArray):  # several chunks of a type that cannot be joined
        column = pa.concat_arrays(column.chunks)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_large_string(column.type) or pa.types.is_string_view(column.type):
        column = column.cast(pa.string())
    return column


def require_present(column: pa.Array, name: str) -> None:
    """Refuse missing values: nulls, and numbers that are NaN."""
    missing = missing_mask(column)
    if missing.any():
        message = (
            f"Column {name!r} has {int(missing.sum())} missing value(s), at"
            f" {at_positions(np.flatnonzero(missing))}. Every tuple needs a value:"
            " fill them (for instance with a category of their own) or leave the rows out."
        )
        raise TableError(message)


def missing_mask(column: pa.Array) -> BoolArray:
    """Tell where a column has no value."""
    nan_is_null = pa.types.is_floating(column.type)
    return np.asarray(to_numpy(pc.is_null(column, nan_is_null=nan_is_null)), dtype=bool)


def to_numpy(column: pa.Array) -> Any:
    """Return a column without nulls as a numpy array."""
    return column.to_numpy(zero_copy_only=False)


def to_numbers(column: pa.Array, name: str) -> FloatArray:
    """Return a column of numbers as floats; text is an error, not a guess."""
    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        message = (
            f"Column {name!r} should hold numbers and holds {kind}. Convert the column,"
            " or declare it Categorical, Ordinal or Hierarchical."
        )
        raise SchemaError(message)
    require_present(column, name)
    return cast("FloatArray", to_numpy(column.cast(pa.float64(), safe=False)))


def find_codes(column: pa.Array, values: Sequence[Any]) -> IntArray:
    """Return the place of each value of a column in a list of values, -1 where it is not there."""
    wanted = as_array(values, column.type)
    if wanted is None:
        return np.full(len(column), -1, np.int64)
    codes = pc.fill_null(pc.index_in(column, value_set=wanted), -1)
    return cast("IntArray", to_numpy(codes).astype(np.int64))


def as_array(values: Sequence[Any], kind: pa.DataType) -> pa.Array | None:
    """Return values as an array of a type, or None where they do not fit it."""
    try:
        return pa.array(list(values), type=kind)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None


def distinct_values(column: pa.Array) -> tuple[Any, ...]:
    """Return the values of a column, each once, in sorted order."""
    values = pc.unique(column)
    return tuple(values.take(pc.sort_indices(values)).to_pylist())
