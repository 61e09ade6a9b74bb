"""The edge of the package: tables of any kind in, the same kind out.

Inside, tables are pyarrow; narwhals translates at this door and nowhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import BoolArray, FloatArray, IntArray, Table
from seriatim.errors import (
    KnowledgeError,
    SchemaError,
    TableError,
    at_positions,
    did_you_mean,
    listed,
)
from seriatim.microdata.bad_cells import refuse_cells
from seriatim.microdata.inferred import may_be_numbers
from seriatim.microdata.known_words import codes_of_texts
from seriatim.microdata.letters import MANY, decimal_texts

LARGEST_WHOLE = 2.0**53
"""From here on, neighbouring whole numbers are the same float."""

TableKind = Literal["pandas", "polars", "pyarrow", "mapping"]


@dataclass(frozen=True, eq=False)
class Columns:
    """A table whose columns are turned into arrow when asked for, each by itself.

    Columns without a role are never looked at.
    """

    names: tuple[str, ...]
    """The columns' names."""

    length: int
    """The number of rows."""

    kind: TableKind
    """The kind of table it was read from."""

    load: Callable[[str], pa.Array | pa.ChunkedArray]
    """Gives a column as arrow."""

    _turned: dict[str, pa.Array] = field(default_factory=dict, init=False, repr=False)

    def __repr__(self) -> str:
        """Say how large it is, and nothing of what is in it."""
        return f"Columns({self.length} rows, {list(self.names)})"

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.length

    def __getitem__(self, name: str) -> pa.Array:
        """Return one column, whole; a missing column is an error that names the nearest."""
        if name in self._turned:
            return self._turned[name]
        require_columns(self.names, [name])
        try:
            column = plain(self.load(name))
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            column = None
        if column is None or not _is_plain(column.type):
            # The library's own message shows the value it stumbled over, which may be an id:
            # it is neither repeated nor chained.
            message = (
                f"Column {name!r} mixes kinds of values (numbers with texts, say), or holds what"
                " is no plain value. Give every row a number, a text, a date or a truth value."
            )
            raise TableError(message) from None
        self._turned[name] = column
        return column


def require_columns(names: Collection[str], wanted: Iterable[str]) -> None:
    """Refuse a table without a column that is wanted, and name the nearest.

    Where it has several wanted ones and none of them is there, its first line may be no
    header but someone's row: it is not repeated.
    """
    asked = list(wanted)
    missing = [name for name in asked if name not in names]
    if not missing:
        return
    if len(missing) == len(asked) > 1:
        message = (
            f"The table has none of the columns {listed(asked)}. Is this the right table, and is"
            " its first line a header?"
        )
        raise SchemaError(message)
    message = (
        f"The table has no column {missing[0]!r}; it has {listed(names)}."
        f"{did_you_mean(missing[0], names)}"
    )
    raise SchemaError(message)


def read_table(table: Table) -> Columns:
    """Read a pandas, polars or pyarrow table, or a mapping of columns.

    >>> read_table({"age": [51, 52]})
    Columns(2 rows, ['age'])
    """
    if isinstance(table, Columns):
        return table
    if isinstance(table, Mapping):
        return _from_mapping(table)
    if isinstance(table, pa.Table):
        require_good_names(table.column_names)
        return Columns(tuple(table.column_names), table.num_rows, "pyarrow", table.column)
    if not hasattr(table, "collect"):  # asking a lazy frame for its columns would run it
        require_good_names(getattr(table, "columns", ()))
    try:
        frame = nw.from_native(table, eager_only=True)
    except TypeError as error:
        message = (
            f"A table was expected, and a {type(table).__name__} was given. Possible are eager"
            " pandas, polars and pyarrow tables, and a mapping from names to columns."
            " A lazy frame must be collected first."
        )
        raise TableError(message) from error
    known = frame.implementation.value
    kind: TableKind = known if known in ("pandas", "polars") else "pyarrow"

    def load(name: str) -> pa.Array:
        return frame.get_column(name).to_arrow()

    return Columns(tuple(frame.columns), len(frame), kind, load)


def read_filled_table(table: Table, what: str) -> Columns:
    """Read a table of knowledge, which must have rows."""
    columns = read_table(table)
    if len(columns) == 0:
        message = f"The table of {what} has no rows."
        raise KnowledgeError(message)
    return columns


def write_table(table: pa.Table, kind: TableKind) -> Any:
    """Give a table back in the kind that its data came in."""
    if kind == "pyarrow":
        return table
    if kind == "mapping":
        return table.to_pydict()
    return nw.from_arrow(table, backend=kind).to_native()


def _from_mapping(table: Mapping[Any, Any]) -> Columns:
    require_good_names(table)
    try:
        lengths = {name: len(column) for name, column in table.items()}
    except TypeError:
        message = "A mapping is a table when each name has a column: a list or an array of cells."
        raise TableError(message) from None
    if len(set(lengths.values())) > 1:
        message = f"Columns of a table are of one length, and these are not: {lengths}."
        raise TableError(message)

    def load(name: str) -> pa.Array:
        column = table[name]
        is_arrow = isinstance(column, pa.Array | pa.ChunkedArray)
        return column if is_arrow else pa.array(column, from_pandas=True)

    return Columns(tuple(table), next(iter(lengths.values()), 0), "mapping", load)


def require_good_names(names: Iterable[Any]) -> None:
    """Refuse columns that are not named by texts, each by its own."""
    names = list(names)
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        message = f"Columns are named by texts, and these are not: {listed(wrong)}. Rename them."
        raise TableError(message)
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        message = f"The table has several columns of one name: {listed(twice)}. Rename them."
        raise TableError(message)


def _is_plain(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_string(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_temporal(kind)
        or pa.types.is_null(kind)
    )


def plain(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Return a column as one array, with dictionaries and views unfolded."""
    if isinstance(column, pa.ChunkedArray):
        # Joining a single chunk would copy it.
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if isinstance(column, pa.ChunkedArray):  # several chunks of a type that cannot be joined
        column = pa.concat_arrays(column.chunks)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_large_string(column.type) or pa.types.is_string_view(column.type):
        column = column.cast(pa.string())
    if pa.types.is_floating(column.type):
        # Zero has one sign here; two of them would be two values that read the same.
        column = pc.add(column, pa.scalar(0.0, column.type))
    return column


def require_present(column: pa.Array, name: str) -> None:
    """Refuse missing values: nulls, and numbers that are NaN."""
    if not (column.null_count or pa.types.is_floating(column.type)):
        return
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
    if not (nan_is_null or column.null_count):
        return np.zeros(len(column), dtype=bool)
    return np.asarray(to_numpy(pc.is_null(column, nan_is_null=nan_is_null)), dtype=bool)


def to_numpy(column: pa.Array) -> Any:
    """Return a column without nulls as a numpy array."""
    return column.to_numpy(zero_copy_only=False)


def to_numbers(column: pa.Array, name: str) -> FloatArray:
    """Return a column of numbers as floats; text is an error, not a guess."""
    require_present(column, name)
    kind = column.type
    if pa.types.is_string(kind):
        _refuse_words(column, name)
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        message = (
            f"Column {name!r} should hold numbers and holds {kind}. Convert the column,"
            " or declare it Categorical, Ordinal or Hierarchical."
        )
        raise SchemaError(message)
    numbers = np.asarray(to_numpy(column.cast(pa.float64(), safe=False)))
    far = max(-numbers.min(), numbers.max()) if len(numbers) else 0.0
    if pa.types.is_integer(kind) and far >= LARGEST_WHOLE:
        message = (
            f"Column {name!r} has whole numbers of 2**53 and more, which could not be told apart."
            " Use smaller units, or declare it Categorical if they are codes."
        )
        raise SchemaError(message)
    return numbers


def _refuse_words(column: pa.Array, name: str) -> None:
    """Refuse the words in a column of texts that mostly are numbers."""
    words = ~np.asarray(may_be_numbers(column), dtype=bool)
    if words.sum() <= len(words) // 2:
        refuse_cells(
            words,
            f"Column {name!r} should hold numbers and has {int(words.sum())} cell(s) that are not"
            " written as one",
            "Correct the rows, or declare the column Categorical, Ordinal or Hierarchical.",
            column=column,
        )


def to_text(column: pa.Array, name: str) -> pa.Array:
    """Return a column of texts or numbers as texts."""
    written = decimal_texts(column)
    if written is not None:
        return written
    try:
        return column.cast(pa.string())
    except pa.ArrowException:
        message = f"Column {name!r} holds {column.type}, which cannot be written as text."
        raise SchemaError(message) from None


def joined(columns: Sequence[pa.Array], name: str) -> pa.Array:
    """Return columns one behind the other, of a kind that all their values have; else as texts.

    >>> joined([pa.array([9], pa.int32()), pa.array([10])], "week").to_pylist()
    [9, 10]
    >>> joined([pa.array([9]), pa.array(["ten"])], "week").to_pylist()
    ['9', 'ten']
    """
    tables = [pa.table({"": column}) for column in columns]
    try:
        return plain(pa.concat_tables(tables, promote_options="permissive").column(0))
    except pa.ArrowException:
        return pa.concat_arrays([to_text(column, name) for column in columns])


def find_codes(column: pa.Array, values: Sequence[Any]) -> IntArray:
    """Return the place of each value of a column in a list of values, -1 where it is not there."""
    fitting = [(code, value) for code, value in enumerate(values) if _fits(value, column.type)]
    if all(isinstance(value, str) for _, value in fitting):
        quick = codes_of_texts(column, {value: code for code, value in reversed(fitting)})
        if quick is not None:
            return quick
    wanted = pa.array([value for _, value in fitting], type=column.type)
    places = np.array([code for code, _ in fitting] + [-1], dtype=np.int64)
    codes = np.empty(len(column), dtype=np.int64)

    def find(start: int, stop: int) -> None:
        found = pc.index_in(column[start:stop], value_set=wanted)
        if not found.null_count and len(fitting) == len(values):
            codes[start:stop] = to_numpy(found)
            return
        known = pc.fill_null(found, len(fitting)) if found.null_count else found
        codes[start:stop] = places[to_numpy(known)]

    if len(column) < MANY:
        find(0, len(column))
        return codes
    from seriatim.kernels._jit import over_ranges

    over_ranges(find, len(column))
    return codes


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
