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
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from seriatim.errors import KnowledgeError, listed

_MARK = "# seriatim:"
_WHOLE = ("count", "state", "to")
_NUMBERS = ("probability", "rate", *_WHOLE)
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
    except (ValueError, KeyError, TypeError, AttributeError) as error:
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
    front = json.dumps({"kind": sheet.kind} | sheet.settings, ensure_ascii=False)
    made.write(f"{_MARK} {front}\n")
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(sheet.columns)
    for row in zip(*sheet.columns.values(), strict=True):
        writer.writerow(["" if cell is None else cell for cell in row])
    return made.getvalue()


def from_csv(text: str) -> Sheet:
    """Read a sheet from CSV, also from a table that people made by hand."""
    settings: dict[str, Any] = {}
    first, _, rest = text.partition("\n")
    if first.lstrip('"').startswith(_MARK):
        settings = _front(first)
        text = rest
    rows = [row for row in csv.reader(io.StringIO(text)) if any(cell.strip() for cell in row)]
    names = [name.strip() for name in rows[0]] if rows else []
    if len(set(names)) < len(names) or any(len(row) != len(names) for row in rows):
        message = "The rows of the table have different lengths, or two columns one name."
        raise KnowledgeError(message)
    cells = {name: [row[place] for row in rows[1:]] for place, name in enumerate(names)}
    kind = settings.pop("kind", None) or _kind_of(names)
    words = [name for name in names if name in ("next", "value") or name.startswith("given")]
    typed = _typing_of([cell for name in words for cell in cells[name]], settings.get("values"))
    columns = {
        name: _numbers(column, name)
        if name in _NUMBERS
        else [typed(cell) for cell in column]
        if name in words
        else column
        for name, column in cells.items()
    }
    if "respondent" in columns and settings.get("respondents") == "numbers":
        columns["respondent"] = [int(cell) for cell in columns["respondent"]]
    return Sheet(kind, columns, settings)


def _front(line: str) -> dict[str, Any]:
    """Read the first line, also as a spreadsheet leaves it: quoted, with commas behind."""
    written = line.strip()
    if written.startswith('"'):
        written = next(csv.reader([written]))[0]
    written = written.removeprefix(_MARK).strip().rstrip(",")
    try:
        return dict(json.loads(written))
    except (ValueError, TypeError):
        message = f"The first line begins with {_MARK!r} and is no JSON object behind it."
        raise KnowledgeError(message) from None


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


def _typing_of(cells: list[str], values: list[Any] | None) -> Callable[[str], Any]:
    """Return how cells are turned into values: those named in front, else all numbers or texts."""
    named = {str(value): value for value in values or []}
    kinds: tuple[Callable[[str], Any], ...] = (int, float)
    otherwise: Callable[[str], Any] = str
    for kind in () if values else kinds:
        with contextlib.suppress(ValueError):
            for cell in filter(None, cells):
                kind(cell)
            otherwise = kind
            break

    def typed(cell: str) -> Any:
        if cell == "":
            return None
        return named[cell] if cell in named else otherwise(cell)

    return typed


def _numbers(column: list[str], name: str) -> list[Any]:
    kind = int if name in _WHOLE else float
    try:
        return [None if cell.strip() == "" else kind(cell) for cell in column]
    except ValueError:
        message = f"Column {name!r} holds numbers, and some cells are none."
        raise KnowledgeError(message) from None
