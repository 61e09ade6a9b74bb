"""Mistakes in study.toml, told with their lines."""

from __future__ import annotations

import re
import tomllib
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from seriatim.errors import did_you_mean, listed

_NAME = r"""(?:[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_PATH = rf"({_NAME}(?:\s*\.\s*{_NAME})*)"
_HEADER = re.compile(rf"^\s*\[\[?\s*{_PATH}\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(rf"^\s*{_PATH}\s*=")
_PART = re.compile(_NAME)


def explain_mistakes(file: str, text: str, error: ValidationError, model: type[BaseModel]) -> str:
    """Tell every mistake in a study file, each with its line."""
    lines = toml_lines(text)
    told = sorted({_told(one, lines, model) for one in error.errors()})
    count = f"{len(told)} mistakes" if len(told) > 1 else "a mistake"
    return "\n".join([f"{file} has {count}:", *(words for _, words in told)])


def explain_syntax(file: str, text: str, error: ValueError) -> str:
    """Tell why a text is not TOML, with the line that it breaks at."""
    found = re.fullmatch(r"(.*) \(at line (\d+), column \d+\)", str(error))
    if found is None:
        return f"{file} is not TOML: {error}."
    line = int(found[2])
    written = text.split("\n")[line - 1].strip()
    why = f"{found[1]}."
    if why.startswith(("Cannot overwrite", "Cannot declare")):
        why = "This stands further up already. Keep one of the two."
    return f"{file} is not TOML:\n  line {line}: {written}\n  {why}"


def _told(one: Any, lines: dict[tuple[str, ...], int], model: type[BaseModel]) -> tuple[int, str]:
    """Return the line of a mistake, and what to say of it."""
    path = _written_path(one["loc"])
    if one["type"] == "union_tag_invalid":
        path = (*path, "kind")
    line = next(
        (lines[path[:length]] for length in range(len(path), 0, -1) if path[:length] in lines), 1
    )
    name = ".".join(path) if path else "the study"
    return line, f"  line {line}: {name}: {_what(one, path, model)}"


def _written_path(loc: tuple[int | str, ...]) -> tuple[str, ...]:
    """Return a place as the file writes it, without the kind that chose among models."""
    kinds = ("numeric", "date", "ordinal", "categorical", "hierarchical")
    path = [str(part) for part in loc if not isinstance(part, int)]
    if len(path) > 2 and path[0] == "quasi_identifiers" and path[2] in kinds:
        del path[2]
    return tuple(path)


def _what(one: Any, path: tuple[str, ...], model: type[BaseModel]) -> str:
    kind, context, given = one["type"], one.get("ctx", {}), one.get("input")
    if kind == "extra_forbidden":
        possible = _possible_names(one["loc"], model)
        return f"is not known; possible are {listed(possible)}.{did_you_mean(path[-1], possible)}"
    if kind == "missing":
        return "is needed and is not there."
    if kind == "literal_error":
        possible = re.findall(r"'([^']*)'", context["expected"])
        return f"{given!r} is not possible; use {listed(possible)}.{did_you_mean(given, possible)}"
    if kind == "union_tag_invalid":
        possible = re.findall(r"'([^']*)'", context["expected_tags"])
        tag = context["tag"]
        return f"{tag!r} is not known; use {listed(possible)}.{did_you_mean(tag, possible)}"
    if kind == "union_tag_not_found":
        return 'needs kind = "numeric", "date", "ordinal", "categorical" or "hierarchical".'
    message = str(one["msg"]).removeprefix("Value error, ")
    shown = f" (given: {given!r})" if isinstance(given, str | int | float | bool) else ""
    return f"{message[0].lower()}{message[1:]}{shown}."


def _possible_names(loc: tuple[int | str, ...], model: type[BaseModel]) -> list[str]:
    """Return the names that may stand where an unknown one was found."""
    here: Any = model
    for part in loc[:-1]:
        fields = getattr(here, "model_fields", None)
        if fields is not None and part in fields:
            here = fields[part].annotation
        elif fields is None:
            here = _chosen(here, part)
        models = [one for one in (here, *get_args(here)) if hasattr(one, "model_fields")]
        if models and not hasattr(here, "model_fields"):
            here = models[0] if len(models) == 1 else here
    return list(getattr(here, "model_fields", {}))


def _chosen(annotation: Any, part: int | str) -> Any:
    """Return the model of a union that a kind chose; the whole where it does not choose."""
    todo = [annotation]
    while todo:
        one = todo.pop()
        fields = getattr(one, "model_fields", None)
        if fields is not None and "kind" in fields and part in get_args(fields["kind"].annotation):
            return one
        if fields is None:
            todo += get_args(one)
    return annotation


def toml_lines(text: str) -> dict[tuple[str, ...], int]:
    """Return the line of every table and key of a TOML file."""
    found: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(lines_of(text), start=1):
        if header := _HEADER.match(line):
            table = _parts(header[1])
            found.setdefault(table, number)
        elif key := _KEY.match(line):
            found.setdefault(table + _parts(key[1]), number)
    return found


def lines_of(text: str) -> list[str]:
    r"""Return the lines of a TOML file; only a line end ends one, and may follow a return.

    >>> lines_of("k = 8\r\n# one\u2028line\n")
    ['k = 8', '# one\u2028line']
    """
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _parts(name: str) -> tuple[str, ...]:
    """Return the names of a path; those in quotes may have letters written as escapes."""
    return tuple(_unquoted(part) for part in _PART.findall(name))


def _unquoted(name: str) -> str:
    try:
        return next(iter(tomllib.loads(f"{name} = 0")))
    except tomllib.TOMLDecodeError:
        return name.strip("\"'")
