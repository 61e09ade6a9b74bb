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
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | bool) else repr(value)


def toml_key(name: str) -> str:
    """Write a key as TOML does, in quotes where it needs them.

    >>> print(toml_key("age"), toml_key("post code"))
    age "post code"
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)
