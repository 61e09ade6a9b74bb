"""Tables in workbooks: sheets of Excel and of OpenDocument."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from seriatim.errors import SchemaError, TableError, did_you_mean, listed
from seriatim.microdata.tables import require_columns, require_good_names
from seriatim.microdata.workbook_sizes import require_fitting


def read_workbook(
    file: Path, *, columns: Sequence[str] | None = None, sheet: str | None = None
) -> pa.Table:
    """Read a sheet whose first row names the columns.

    Cells have the kinds that the workbook gives them, so a code that is a text there keeps
    its zeros. A column that mixes numbers or dates with texts is read as texts.
    """
    rows = _rows(file, sheet)
    header, body = [str(cell) for cell in rows[0]], [row for row in rows[1:] if any(map(_is, row))]
    require_good_names(header)
    wanted = header if columns is None else list(columns)
    require_columns(header, wanted)
    places = [header.index(name) for name in wanted]
    cells = ([row[place] if _is(row[place]) else None for row in body] for place in places)
    return pa.table({name: _column(column) for name, column in zip(wanted, cells, strict=True)})


def _is(cell: Any) -> bool:
    """Tell whether a cell is filled; an empty one is read as an empty text."""
    return not (isinstance(cell, str) and cell == "")


def _rows(file: Path, sheet: str | None) -> list[list[Any]]:
    try:
        import python_calamine as calamine
    except ImportError:
        message = (
            f"{file.name} is a workbook, which needs python-calamine."
            ' Install it: pip install "seriatim[excel]". Or save the sheet as CSV.'
        )
        raise TableError(message) from None
    require_fitting(file)
    try:
        workbook = calamine.CalamineWorkbook.from_path(str(file))
    except calamine.PasswordError:
        message = f"{file.name} is locked by a password. Save it without one, or as CSV."
        raise TableError(message) from None
    except calamine.CalamineError:
        message = f"{file.name} could not be read: not a workbook."
        raise TableError(message) from None
    names = workbook.sheet_names
    if sheet is None and len(names) != 1:
        message = f"{file.name} has the sheets {listed(names)}. Choose one: sheet={names[0]!r}."
        raise SchemaError(message)
    if sheet is not None and sheet not in names:
        message = (
            f"{file.name} has no sheet {sheet!r}; it has {listed(names)}."
            f"{did_you_mean(sheet, names)}"
        )
        raise SchemaError(message)
    try:
        rows: list[list[Any]] = workbook.get_sheet_by_name(sheet or names[0]).to_python()
    except calamine.CalamineError:  # of a sheet that is damaged, or has more cells than it reads
        message = f"The sheet of {file.name} could not be read. Save it as CSV."
        raise TableError(message) from None
    if not rows:
        message = f"The sheet of {file.name} is empty. Its first row should name the columns."
        raise TableError(message)
    return rows


def _column(cells: list[Any]) -> pa.Array:
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds <= {int, float} and kinds:
        whole = all(cell is None or float(cell).is_integer() for cell in cells)
        return pa.array(cells, pa.float64()).cast(pa.int64() if whole else pa.float64())
    if kinds in ({bool}, {dt.date}, {dt.datetime}):
        return pa.array(cells)
    if kinds == {dt.date, dt.datetime}:
        return pa.array(cells, pa.timestamp("us"))
    return pa.array([None if cell is None else _written(cell) for cell in cells], pa.string())


def _written(cell: Any) -> str:
    """Write a cell as text; workbooks keep whole numbers as floats."""
    is_whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell)) if is_whole else str(cell)
