"""The slow twin of plain files: letter by letter, as one would read them aloud."""

from __future__ import annotations

import re


def cells(body: bytes, delimiter: str, columns: int, returns: bool) -> list[list[bytes]] | None:
    """The cells of each line; None where the text is not plain."""
    end = b"\r\n" if returns else b"\n"
    quoted = rb'"[^"\n\r]*"'
    bare = rb'[^"\n\r' + re.escape(delimiter).encode() + rb"]*"
    cell = rb"(" + quoted + rb"|" + bare + rb")"
    line = re.compile(re.escape(delimiter.encode()).join([cell] * columns) + re.escape(end))
    found, place = [], 0
    while place < len(body):
        match = line.match(body, place)
        if match is None:
            return None
        found.append([one[1:-1] if one.startswith(b'"') else one for one in match.groups()])
        place = match.end()
    return found


def number(cell: bytes) -> int | None:
    """A whole number as numbers are written, of no more digits than are read."""
    return int(cell) if re.fullmatch(rb"0|-?[1-9][0-9]{0,17}", cell) else None


def groups(
    rows: list[list[str]], values: list[object]
) -> tuple[list[list[int]], list[list[str]], bool] | None:
    """Counts and regions of groups, and whether rows of one differ; None beyond their rows.

    A row is a group, two cells that rows of a group share, a value, and whatever.
    """
    n_groups = max(int(row[0]) for row in rows)
    if n_groups > len(rows):
        return None
    spelled = {form: code for code, one in enumerate(values) for form in (str(one), spell(one))}
    found = [[0] * len(values) for _ in range(n_groups)]
    regions: dict[int, list[str]] = {}
    uneven = False
    for row in rows:
        found[int(row[0]) - 1][spelled[row[3]]] += 1
        uneven |= regions.setdefault(int(row[0]), row[1:3]) != row[1:3]
    return found, [regions[one] for one in sorted(regions)], uneven


def spell(value: object) -> str:
    """How a file writes a value."""
    return str(value).lower() if isinstance(value, bool) else str(value)
