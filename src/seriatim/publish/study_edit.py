"""Changes study.toml key by key: its comments, its order and what else it says stay.

A study is read by people, and each choice stands there with its reason. So keys are changed
in their lines. Whatever comes out is read again: if it does not say exactly what was meant,
it is not used.
"""

from __future__ import annotations

import contextlib
import copy
import json
import os
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seriatim._temporary import forget, register
from seriatim.errors import StudyError
from seriatim.publish.study_errors import lines_of, toml_lines
from seriatim.publish.study_file import study_json_schema
from seriatim.publish.toml_text import toml_key, toml_value

Place = tuple[str, ...]
"""Where a value stands: its table, and its key."""


def edited(text: str, changes: Mapping[Place, Any]) -> str:
    """Return a study's text with some values changed; None takes a key, or a table, out.

    >>> print(edited("[policy]", {("policy", "k"): 8, ("policy", "t"): 0.5}))
    [policy]
    k = 8
    t = 0.5
    <BLANKLINE>
    """
    for place, value in changes.items():
        text = _changed(text, place, value)
    return text


def save_study(file: Path, text: str) -> None:
    """Write a study whole, and the schema for editors beside it."""
    schema = json.dumps(study_json_schema(), indent=1) + "\n"
    try:
        for path, content in ((file.with_name("study.schema.json"), schema), (file, text)):
            _write_whole(path, content)
    except OSError as error:
        message = f"{file} could not be written: {error.strerror}."
        raise StudyError(message) from None


def _write_whole(file: Path, content: str) -> None:
    """Put a new file in the place of an old one; whoever reads it has one or the other."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    register(Path(name))
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as opened:
            opened.write(content)
        mode = file.stat().st_mode & 0o777 if file.exists() else 0o666 & ~_umask()
        Path(name).chmod(mode)
        Path(name).replace(file)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
    finally:
        forget(Path(name))


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _changed(text: str, place: Place, value: Any) -> str:
    """Change one value, and look whether the text now says so."""
    said = tomllib.loads(text)
    if _at(said, place) == value:
        return text
    meant = _meant(said, place, value)
    lines = lines_of(text)
    found = toml_lines(text)
    if isinstance(value, Mapping) or (value is None and isinstance(_at(said, place), Mapping)):
        made = _with_table(lines, found, place, value)
    elif place in found:
        made = _with_line(lines, found[place] - 1, place, value)
    else:
        made = _with_new_line(lines, found, place, value)
    changed = "\n".join(made).rstrip("\n") + "\n"
    with contextlib.suppress(tomllib.TOMLDecodeError):
        if tomllib.loads(changed) == meant:
            return changed
    message = (
        f"{'.'.join(place)} is written in a way that cannot be changed by itself. Change it in the"
        " text of the study."
    )
    raise StudyError(message)


def _at(said: Mapping[str, Any], place: Place) -> Any:
    here: Any = said
    for part in place:
        if not isinstance(here, Mapping) or part not in here:
            return None
        here = here[part]
    return here


def _meant(said: dict[str, Any], place: Place, value: Any) -> dict[str, Any]:
    """Return what the file should say after the change."""
    meant = copy.deepcopy(said)
    here = meant
    for part in place[:-1]:
        here = here.setdefault(part, {})
    if value is None:
        here.pop(place[-1], None)
    else:
        here[place[-1]] = dict(value) if isinstance(value, Mapping) else value
    return meant


def _with_line(lines: list[str], first: int, place: Place, value: Any) -> list[str]:
    """Put a value in the place of the one whose line is known, which may go over several."""
    last = first
    while last < len(lines):
        with contextlib.suppress(tomllib.TOMLDecodeError):
            tomllib.loads("\n".join(lines[first : last + 1]))
            break
        last += 1
    new = [] if value is None else [f"{toml_key(place[-1])} = {toml_value(value)}"]
    return [*lines[:first], *new, *lines[last + 1 :]]


def _with_new_line(
    lines: list[str], found: dict[Place, int], place: Place, value: Any
) -> list[str]:
    """Add a key to its table, after the last line that says something there."""
    table, line = place[:-1], f"{toml_key(place[-1])} = {toml_value(value)}"
    if not table:
        return [line, *lines]
    if table not in found:
        return [*lines, "", f"[{'.'.join(map(toml_key, table))}]", line]
    end = _end_of(lines, found, table)
    return [*lines[:end], line, *lines[end:]]


def _with_table(
    lines: list[str], found: dict[Place, int], place: Place, value: Mapping[str, Any] | None
) -> list[str]:
    """Take a table out, or put another in its place."""
    said = [f"{toml_key(key)} = {toml_value(one)}" for key, one in (value or {}).items()]
    new = [] if value is None else [f"[{'.'.join(map(toml_key, place))}]", *said]
    if place not in found:
        # Beside its siblings, where it has any.
        near = [table for table in found if table[:-1] == place[:-1] and len(table) == len(place)]
        near = [table for table in near if lines[found[table] - 1].lstrip().startswith("[")]
        if not near:
            return [*lines, "", *new]
        end = max(_end_of(lines, found, table) for table in near)
        return [*lines[:end], "", *new, *lines[end:]]
    first = found[place] - 1
    end = _end_of(lines, found, place)
    if value is None:
        while first > 0 and not lines[first - 1].strip():
            first -= 1
    return [*lines[:first], *new, *lines[end:]]


def _end_of(lines: list[str], found: dict[Place, int], table: Place) -> int:
    """Return the line after the last one of a table that says something."""
    start = found[table]
    headers = [
        number
        for place, number in found.items()
        if number > start and lines[number - 1].lstrip().startswith("[") and place != table
    ]
    end = min(headers) - 1 if headers else len(lines)
    while end > start and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    return end
