"""Tables in files: CSV with any usual delimiter, and Parquet."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from seriatim.errors import TableError, listed

_DELIMITERS = ",;\t|"
_SUFFIXES = (".csv", ".tsv", ".txt", ".parquet")


def open_as_text(path: str | Path) -> pa.Table:
    """Read a file whose cells are words: every column of a CSV file stays text.

    A first line with one cell less than the others is R's way to leave the row names
    without a title; they are dropped.
    """
    file = Path(path)
    if file.suffix.lower() not in _SUFFIXES:
        message = f"{file.name} is no table that can be read; possible are {listed(_SUFFIXES)}."
        raise TableError(message)
    try:
        if file.suffix.lower() == ".parquet":
            return pyarrow.parquet.read_table(file)
        return _read_csv(file)
    except (OSError, UnicodeDecodeError, csv.Error, pa.ArrowException) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "not a table"
        message = f"{file} could not be read: {reason}."
        raise TableError(message) from None


def _read_csv(file: Path) -> pa.Table:
    with file.open(newline="", encoding="utf-8-sig") as lines:
        first = lines.readline()
        delimiter = max(_DELIMITERS, key=first.count)
        names = next(csv.reader([first], delimiter=delimiter), [])
        second = next(csv.reader(lines, delimiter=delimiter), names)
    row_names = len(second) == len(names) + 1
    columns = ["row name", *names] if row_names else names
    if len(set(columns)) < len(columns) or not names:
        message = f"{file.name} has columns without a name, or two of one name."
        raise TableError(message)
    table = pyarrow.csv.read_csv(
        file,
        pyarrow.csv.ReadOptions(skip_rows=1, column_names=columns),
        pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(columns, pa.string()), strings_can_be_null=False
        ),
    )
    return table.drop_columns(["row name"]) if row_names else table
