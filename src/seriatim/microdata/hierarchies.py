"""Hierarchies in files, as ARX writes them: a line for each leaf, from the leaf to the root."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from seriatim.errors import SchemaError
from seriatim.microdata.delimited import encoding_of, read_characters
from seriatim.microdata.quotes import Quotes, quotes_in

# A comma may stand in labels, as in [20, 30[ and {F, M}; so it is looked for last.
_DELIMITERS = (";", "\t", "|", ",")


def read_paths(
    path: str | Path, *, encoding: str | None = None, delimiter: str | None = None
) -> dict[str, tuple[str, ...]]:
    """Return the path from each leaf to its ancestors, nearest first.

    There is no header. The delimiter is the first of ``; tab | ,`` that stands in every line.
    """
    file = Path(path)
    try:
        text = read_characters(file, encoding or encoding_of(file)).removeprefix("\ufeff")
    except OSError as error:
        message = f"{file} could not be read: {error.strerror or 'not a hierarchy'}."
        raise SchemaError(message) from None
    delimiter = _delimiter(text) if delimiter is None else delimiter
    lines = _lines(text, delimiter, file)
    is_known = delimiter.isascii()  # other delimiters are not letters of one byte
    quotes = quotes_in(text.encode(errors="replace"), delimiter) if is_known else Quotes()
    open_since = quotes.open_since
    if open_since is not None:
        message = (
            f"{file.name} ends inside quotes: a double quote opens a label in line {open_since},"
            " and none closes it. Remove it, or put the whole label in quotes and write two for"
            " each inside."
        )
        raise SchemaError(message)
    first_line, first = lines[0]
    leaves: dict[str, int] = {}
    for number, labels in lines:
        if len(labels) != len(first):
            message = (
                f"Line {number} of {file.name} has {len(labels)} labels, and line {first_line} has"
                f" {len(first)}. Repeat a label where a branch is shorter; put labels that contain"
                " the delimiter in double quotes."
            )
            raise SchemaError(message)
        if not all(labels):
            message = f"Line {number} of {file.name} has an empty label. Name every node."
            raise SchemaError(message)
        if labels[0] in leaves:
            message = (
                f"Line {number} of {file.name} names the leaf {labels[0]!r}, and so does line"
                f" {leaves[labels[0]]}. Keep one of them."
            )
            raise SchemaError(message)
        leaves[labels[0]] = number
    return {labels[0]: tuple(labels[1:]) for _, labels in lines}


def _delimiter(text: str) -> str:
    """Return the first delimiter that every line has; else the one that most lines have."""
    lines = [line for line in text.splitlines() if line.strip()]
    return max(_DELIMITERS, key=lambda one: sum(one in line for line in lines))


def _lines(text: str, delimiter: str, file: Path) -> list[tuple[int, list[str]]]:
    """Return the lines that are not empty, with their numbers."""
    try:
        reader = csv.reader(
            io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True
        )
        lines = [(reader.line_num, labels) for labels in reader if labels]
    except (csv.Error, TypeError):
        message = f"{file.name} is no hierarchy, or {delimiter!r} is not its delimiter."
        raise SchemaError(message) from None
    if not lines or all(len(labels) < 2 for _, labels in lines):
        message = (
            f"{file.name} has no paths. A hierarchy has a line for each leaf, from the leaf to the"
            " root, such as 20;20-29;*. Say delimiter= if it has an unusual one."
        )
        raise SchemaError(message)
    return lines
