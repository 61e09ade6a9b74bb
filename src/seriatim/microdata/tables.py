"""The edge of the package: tables of any kind in, the same kind out.

Inside, tables are pyarrow; narwhals translates at this door and nowhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, cast

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import BoolArray, FloatArray, IntArray, Table
from seriatim.errors import SchemaError, TableError, at_positions, did_you_mean, listed

TableKind = Literal["pandas", "polars", "pyarrow", "mapping"]


@dataclass(frozen=True, eq=False)
class Columns:
    """A table as arrow columns, and the kind of table it came from."""

    table: pa.Table
    kind: TableKind

    def __repr__(self) -> str:
        """Say how large it is, and nothing of what is in it."""
        return f"Columns({len(self)} rows, {self.table.column_names})"

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
        _require_single_names(table.column_names)
        return Columns(table, "pyarrow")
    names = list(getattr(table, "columns", ()))
    _require_single_names(names)
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
    columns: dict[str, pa.Array] = {}
    for name in frame.columns:
        try:
            columns[str(name)] = frame.get_column(name).to_arrow()
        except (pa.ArrowException, TypeError, ValueError):
            _refuse_mixed(name)
    known = kind if kind in ("pandas", "polars") else "pyarrow"
    return Columns(pa.table(columns), cast("TableKind", known))


def write_table(table: pa.Table, kind: TableKind) -> Any:
    """Give a table back in the kind that its data came in."""
    if kind == "pyarrow":
        return table
    if kind == "mapping":
        return table.to_pydict()
    return nw.from_arrow(table, backend=kind).to_native()


def _from_mapping(table: Mapping[Any, Any]) -> pa.Table:
    columns: dict[str, pa.Array] = {}
    for name, column in table.items():
        try:
            columns[str(name)] = column if isinstance(column, pa.ChunkedArray) else pa.array(column)
        except (pa.ArrowException, TypeError, ValueError):
            _refuse_mixed(name)
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        message = f"Columns of a table are of one length, and these are not: {lengths}."
        raise TableError(message)
    return pa.table(columns)


def _refuse_mixed(name: object) -> NoReturn:
    # The library's own message shows the value it stumbled over, which may be an id: it is
    # neither repeated nor chained.
    message = (
        f"Column {name!r} mixes kinds of values (numbers with texts, say), or holds what is no"
        " plain value. Give every row of it one kind."
    )
    raise TableError(message) from None


def _require_single_names(names: list[Any]) -> None:
    twice = [name for name, times in Counter(map(str, names)).items() if times > 1]
    if twice:
        message = f"The table has several columns of one name: {listed(twice)}. Rename them."
        raise TableError(message)


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


def to_text(column: pa.Array, name: str) -> pa.Array:
    """Return a column of texts or numbers as texts."""
    try:
        return column.cast(pa.string())
    except pa.ArrowException:
        message = f"Column {name!r} holds {column.type}, which cannot be written as text."
        raise SchemaError(message) from None


def find_codes(column: pa.Array, values: Sequence[Any]) -> IntArray:
    """Return the place of each value of a column in a list of values, -1 where it is not there."""
    fitting = [(code, value) for code, value in enumerate(values) if _fits(value, column.type)]
    wanted = pa.array([value for _, value in fitting], type=column.type)
    places = np.array([code for code, _ in fitting] + [-1], dtype=np.int64)
    found = pc.fill_null(pc.index_in(column, value_set=wanted), len(fitting))
    return np.asarray(places[to_numpy(found)])


def _fits(value: Any, kind: pa.DataType) -> bool:
    """Tell whether a value survives in a column of a type: 0.5 does not among whole numbers."""
    try:
        kept = pa.scalar(value, type=kind).as_py()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return bool(kept == value) and isinstance(kept, bool) == isinstance(value, bool)


def distinct_values(column: pa.Array) -> tuple[Any, ...]:
    """Return the values of a column, each once, in sorted order."""
    values = pc.unique(column)
    return tuple(values.take(pc.sort_indices(values)).to_pylist())
