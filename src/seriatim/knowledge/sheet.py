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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.csv

from seriatim.errors import KnowledgeError, listed

_MARK = "# seriatim:"
_WHOLE = ("count", "state", "to")
_NUMBERS = ("probability", "rate", *_WHOLE)
_MOST_BYTES = 2**30
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
    typed = _typing_of({word for name in words for word in cells[name].words}, values)
    columns = {
        name: _numbers(column, name, whole=name in _WHOLE)
        if name in _NUMBERS
        else column.read(typed if name in words else str)
        for name, column in cells.items()
    }
    if "respondent" in columns and settings.get("respondents") == "numbers":
        columns["respondent"] = _numbers(cells["respondent"], "respondent", whole=True)
    return Sheet(kind, columns, settings)


@dataclass(frozen=True)
class _Column:
    """The cells of a column: the different ones, and which of them each row has."""

    words: list[str]
    places: list[int]

    @classmethod
    def of(cls, cells: Sequence[str]) -> _Column:
        """Number the cells of a column."""
        numbers = {word: number for number, word in enumerate(dict.fromkeys(cells))}
        return cls(list(numbers), list(map(numbers.__getitem__, cells)))

    @property
    def is_blank(self) -> bool:
        """Whether nothing is in it."""
        return not any(map(str.strip, self.words))

    def read(self, read: Callable[[str], Any] = str) -> list[Any]:
        """Return what its cells are read as, each different one once."""
        values = [read(word) for word in self.words]
        return [values[place] for place in self.places]


def _table(text: str) -> dict[str, _Column]:
    """Read columns, without the empty ones that a spreadsheet leaves at the right."""
    titles, columns = _unquoted(text) or _quoted(text)
    while titles and not titles[-1] and columns[-1].is_blank:
        titles, columns = titles[:-1], columns[:-1]
    if len(set(titles)) < len(titles):
        raise _no_table()
    return dict(zip(titles, columns, strict=True))


def _unquoted(text: str) -> tuple[list[str], list[_Column]] | None:
    """Read a table in which commas and ends of lines are nothing else, as Arrow does.

    None for all others: with quotes, rows of different lengths, or of nothing but blanks.
    """
    titles = re.split(r"[\r\n]", text, maxsplit=1)[0].split(",")
    if not "".join(titles).strip() or any(mark in text for mark in '"\0'):
        return None
    content = text.encode("utf-8", "surrogatepass")
    bare_return = b"\r" in content and b"\r" in content.replace(b"\r\n", b"")
    if bare_return or len(content) > _MOST_BYTES:
        return None
    names = [str(place) for place in range(len(titles))]
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(content),
            pyarrow.csv.ReadOptions(
                use_threads=False, block_size=len(content) + 1, skip_rows=1, column_names=names
            ),
            pyarrow.csv.ParseOptions(quote_char=False),
            pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.dictionary(pa.int32(), pa.string())),
                strings_can_be_null=False,
                null_values=[],
            ),
        )
    except pa.ArrowException:
        return None
    encoded = [column.combine_chunks() for column in table.columns]
    columns = [
        _Column(one.dictionary.to_pylist(), one.indices.to_numpy().tolist()) for one in encoded
    ]
    longest = max(
        len(word) for words in (titles, *(one.words for one in columns)) for word in words
    )
    if longest > csv.field_size_limit() or _has_blank_row(columns):
        return None
    return [title.strip() for title in titles], columns


def _has_blank_row(columns: list[_Column]) -> bool:
    blank = [[not word.strip() for word in column.words] for column in columns]
    if not any(blank[0]):
        return False
    rows = zip(*(column.places for column in columns), strict=True)
    return any(
        all(here[place] for here, place in zip(blank, row, strict=True))
        for row in rows
        if blank[0][row[0]]
    )


def _quoted(text: str) -> tuple[list[str], list[_Column]]:
    """Read a table as the library reads CSV, cell by cell."""
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
    rows = [row[:width] for row in rows]
    if any(len(row) != width for row in rows):
        raise _no_table()
    titles = [title.strip() for title in rows[0]] if rows else []
    cells = zip(*rows[1:], strict=True) if len(rows) > 1 else ([] for _ in titles)
    return titles, [_Column.of(column) for column in cells]


def _no_table() -> KnowledgeError:
    return KnowledgeError("The rows of the table have different lengths, or two columns one name.")


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
    found = f"The columns {listed(names)} are" if any(names) else "It has no columns, and is"
    rest = "those of no knowledge" if any(names) else "no knowledge"
    message = (
        f"{found} {rest}. Needed are given, next and"
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


def _numbers(column: _Column, name: str, *, whole: bool) -> list[Any]:
    """Read numbers, and nothing where a cell is empty."""
    kind, pattern = (int, _WHOLE_NUMBER) if whole else (float, _NUMBER)
    texts = [word.strip() for word in column.words]
    if not all(pattern.fullmatch(text) for text in texts if text):
        message = f"Column {name!r} holds numbers, and some cells are none."
        raise KnowledgeError(message)
    values = [kind(text) if text else None for text in texts]
    return [values[place] for place in column.places]
