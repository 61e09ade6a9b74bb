"""A sheet: knowledge as one long table, in CSV or JSON.

A row for each thing that is known: what was given, what comes next, and a
probability, a count or a rate; class columns where it matters who one is. What a
table cannot say stands in front of it: in the first line of a CSV file,
``# seriatim: {...}``, or under ``"seriatim"`` in JSON. A hand-made CSV file needs no such
line: its columns tell what it is.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from seriatim.errors import KnowledgeError, listed

_MARK = "# seriatim:"
_WHOLE = ("count", "state", "to")
_NUMBERS = ("probability", "rate", *_WHOLE)
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_WHOLE_NUMBER = re.compile(r"[-+]?[0-9]{1,18}")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")

RESERVED = (*_NUMBERS, "next", "value", "respondent")
"""Columns with a meaning of their own; all but these and ``given`` ones are classes."""


@dataclass(frozen=True)
class Sheet:
    """Knowledge as a table and what stands in front of it."""

    kind: str
    """What it is."""

    columns: dict[str, list[Any]] = field(default_factory=dict)
    """The table."""

    settings: dict[str, Any] = field(default_factory=dict)
    """What the table does not say."""


def as_json(sheet: Sheet) -> str:
    """Write a sheet in JSON, one row to a line."""
    names = list(sheet.columns)
    rows = zip(*sheet.columns.values(), strict=True)
    lines = [json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) for row in rows]
    front = json.dumps({"kind": sheet.kind} | sheet.settings, ensure_ascii=False)
    body = ",\n  ".join(lines)
    return f'{{\n "seriatim": {front},\n "rows": [\n  {body}\n ]\n}}\n'


def from_json(text: str) -> Sheet:
    """Read a sheet from JSON."""
    try:
        found = json.loads(text)
        front, rows = dict(found["seriatim"]), list(found["rows"])
        kind = front.pop("kind")
        names = list(dict.fromkeys(name for row in rows for name in row))
        columns = {name: [row.get(name) for row in rows] for name in names}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        message = (
            f'This is no knowledge in JSON{where}: it needs "seriatim" with a kind, and'
            ' "rows", a list of rows.'
        )
        raise KnowledgeError(message) from None
    return Sheet(kind, columns, front)


def as_csv(sheet: Sheet) -> str:
    """Write a sheet in CSV."""
    made = io.StringIO()
    made.write(f"{_MARK} {_written_front(sheet)}\n")
    rows = list(zip(*sheet.columns.values(), strict=True))
    returns = any("\r" in str(cell) for row in rows for cell in row)
    # The library leaves a carriage return bare, and would not read it back.
    writer = csv.writer(
        made, lineterminator="\n", quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL
    )
    writer.writerow(sheet.columns)
    for row in rows:
        writer.writerow(["" if cell is None else cell for cell in row])
    return made.getvalue()


def _written_front(sheet: Sheet) -> str:
    """Write what stands in front of a table, with no comma inside a text.

    A spreadsheet cuts the line at its commas; joined by commas again, it is what it was.
    """
    front = json.dumps({"kind": sheet.kind} | sheet.settings, ensure_ascii=False)
    return _TEXT.sub(lambda text: text[0].replace(",", "\\u002c"), front)


def from_csv(text: str) -> Sheet:
    """Read a sheet from CSV, also from a table that people made by hand."""
    settings: dict[str, Any] = {}
    first, _, rest = text.partition("\n")
    if first.lstrip('"').startswith(_MARK):
        settings = _front(first)
        text = rest
    cells = _table(text)
    kind = settings.pop("kind", None) or _kind_of(list(cells))
    words = [name for name in cells if name in ("next", "value") or name.startswith("given")]
    values = settings.get("values")
    if values is not None and not isinstance(values, list):
        message = f"values, in front of the table, is a list, not {values!r}."
        raise KnowledgeError(message)
    typed = _typing_of({cell for name in words for cell in cells[name]}, values)
    columns = {
        name: _numbers(column, name, whole=name in _WHOLE)
        if name in _NUMBERS
        else [typed(cell) for cell in column]
        if name in words
        else column
        for name, column in cells.items()
    }
    if "respondent" in columns and settings.get("respondents") == "numbers":
        columns["respondent"] = _numbers(cells["respondent"], "respondent", whole=True)
    return Sheet(kind, columns, settings)


def _table(text: str) -> dict[str, list[str]]:
    """Read rows of cells, without the empty columns that a spreadsheet leaves at the right."""
    try:
        rows = [
            row
            for row in csv.reader(io.StringIO(text, newline=""), strict=True)
            if "".join(row).strip()
        ]
    except csv.Error:
        message = "The table cannot be read: a quote that does not end, or a cell that is too long."
        raise KnowledgeError(message) from None
    width = max((len(row) for row in rows), default=0)
    while width and not any(row[width - 1].strip() for row in rows if len(row) >= width):
        width -= 1
    if any(len(row) > width for row in rows):
        rows = [row[:width] for row in rows]
    names = [name.strip() for name in rows[0]] if rows else []
    if len(set(names)) < len(names) or any(len(row) != len(names) for row in rows):
        message = "The rows of the table have different lengths, or two columns one name."
        raise KnowledgeError(message)
    columns = zip(*rows[1:], strict=True) if len(rows) > 1 else ([] for _ in names)
    return {name: list(column) for name, column in zip(names, columns, strict=True)}


def _front(line: str) -> dict[str, Any]:
    """Read the first line, also as a spreadsheet leaves it: in cells, with commas behind."""
    written = line.strip()
    ways = [written]
    with contextlib.suppress(csv.Error, StopIteration):
        ways.append(",".join(next(csv.reader([written]))))
    for way in ways:
        with contextlib.suppress(ValueError, TypeError, RecursionError):
            return dict(json.loads(way.removeprefix(_MARK).strip().rstrip(",")))
    message = f"The first line begins with {_MARK!r} and is no JSON object behind it."
    raise KnowledgeError(message)


def _kind_of(names: list[str]) -> str:
    """Tell what a hand-made table is, by its columns."""
    have = set(names)
    for kind, needs in (
        ("automaton", {"state", "next", "probability", "to"}),
        ("mined knowledge", {"given", "next", "count"}),
        ("transition rates", {"given", "next", "rate"}),
        ("domain knowledge", {"given", "next", "probability"}),
        ("tabulated prior", {"respondent", "value", "probability"}),
    ):
        if needs <= have:
            return kind
    if {"value", "probability"} <= have:
        return "class prior" if len(have) > 2 else "marginal prior"
    message = (
        f"The columns {listed(names)} are those of no knowledge. Needed are given, next and"
        " probability (or count, or rate) for sequences, value and probability for a prior."
    )
    raise KnowledgeError(message)


def _typing_of(cells: set[str], values: list[Any] | None) -> Callable[[str], Any]:
    """Return how cells are turned into values: those named in front, else all numbers or texts."""
    named = {str(value): value for value in values or []}
    otherwise: Callable[[str], Any] = str
    filled = [cell for cell in cells if cell]
    for kind, pattern in () if values else ((int, _WHOLE_NUMBER), (float, _NUMBER)):
        if filled and all(pattern.fullmatch(cell) for cell in filled):
            otherwise = kind
            break

    def typed(cell: str) -> Any:
        if cell == "":
            return None
        return named[cell] if cell in named else otherwise(cell)

    return typed


def _numbers(column: list[str], name: str, *, whole: bool) -> list[Any]:
    """Read numbers, each different text once: in a long table most are the same."""
    kind, pattern = (int, _WHOLE_NUMBER) if whole else (float, _NUMBER)
    texts = {cell: cell.strip() for cell in set(column)}
    if not all(pattern.fullmatch(text) for text in texts.values() if text):
        message = f"Column {name!r} holds numbers, and some cells are none."
        raise KnowledgeError(message)
    read = {cell: kind(text) if text else None for cell, text in texts.items()}
    return [read[cell] for cell in column]
