"""The commands that do what a screen does, as they would be typed in the studio's folder."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import Any


def command(verb: str, *words: str, study: str | None = None, **options: Any) -> str:
    """Write a command; options without a value are left out, lists are repeated.

    >>> command("publish", "week 1.csv", study="study.toml", at="3", dry_run=True)
    "seriatim publish 'week 1.csv' --at 3 --dry-run"
    """
    parts = ["seriatim", verb, *words]
    if study is not None and study != "study.toml":
        parts += ["--study", study]
    for name, value in options.items():
        parts += _option(f"--{name.replace('_', '-')}", value)
    return shlex.join(parts)


def _option(name: str, value: Any) -> list[str]:
    if value is None or value is False or value == "":
        return []
    if value is True:
        return [name]
    if isinstance(value, Iterable) and not isinstance(value, str | Mapping):
        return [part for one in value for part in (name, str(one))]
    return [name, str(value)]
