"""Forms, as browsers send them."""

from __future__ import annotations

from collections.abc import Sequence


class Form:
    """The fields of a form."""

    def __init__(self, fields: Sequence[tuple[str, str]]) -> None:
        """Take the fields as they were sent."""
        self._fields = list(fields)

    def one(self, name: str) -> str:
        """Return a field; empty where it is not there."""
        return next((value.strip() for key, value in self._fields if key == name), "")

    def all(self, name: str) -> list[str]:
        """Return all fields of a name that are not empty."""
        return [value for key, value in self._fields if key == name and value]

    def under(self, prefix: str) -> dict[str, str]:
        """Return the fields whose names begin with something, without it."""
        return {
            key.removeprefix(prefix): value.strip()
            for key, value in self._fields
            if key.startswith(prefix)
        }

    def __contains__(self, name: str) -> bool:
        """Tell whether there is a field of a name."""
        return any(key == name for key, _ in self._fields)
