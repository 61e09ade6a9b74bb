"""Values and keys as TOML writes them."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Mapping
from typing import Any


def toml_value(value: Any) -> str:
    """Write a value as TOML does.

    >>> print(toml_value(["F", "M"]), toml_value(0.5), toml_value(True))
    ["F", "M"] 0.5 true
    """
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(one) for one in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{toml_key(k)} = {toml_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, str):
        return _quoted(value)
    return json.dumps(value) if isinstance(value, bool) else repr(value)


def toml_key(name: str) -> str:
    """Write a key as TOML does, in quotes where it needs them.

    >>> print(toml_key("age"), toml_key("post code"))
    age "post code"
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)


def toml_comment(text: str) -> str:
    r"""Write a text as part of a comment, which must not end its line.

    >>> print(toml_comment("post code"), toml_comment("post\ncode"))
    post code "post\ncode"
    """
    return text if text.isprintable() else _quoted(text)


def _quoted(text: str) -> str:
    """Write a text in quotes, with escapes for all that no screen shows: a title may have any."""
    return "".join(
        letter if letter.isprintable() else _escaped(letter)
        for letter in json.dumps(text, ensure_ascii=False)
    )


def _escaped(letter: str) -> str:
    code = ord(letter)
    return f"\\u{code:04x}" if code < 2**16 else f"\\U{code:08x}"
