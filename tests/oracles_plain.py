"""The slow twin of plain files: letter by letter, as one would read them aloud."""

from __future__ import annotations

import re
from dataclasses import replace

from seriatim.microdata.quotes import Quotes


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


def quotes(text: str, delimiter: str) -> Quotes:
    """What quotes do, letter by letter, as the parsers of Arrow and of Python go on."""
    ends = delimiter + "\r\n"
    state, line, place, breaks, opened = "begin", 1, 0, 0, None
    found = Quotes()
    while place < len(text):
        letter, behind = text[place], text[place + 1 : place + 2]
        breaks_line = letter == "\n" or (letter == "\r" and behind != "\n")
        if state == "inside" and letter == behind == '"':
            place += 2
            continue
        if state == "inside" and letter == '"':
            torn = behind != "" and behind not in ends
            found = replace(found, misplaced=found.misplaced + torn)
            if breaks and torn and found.torn_at is None:
                found = replace(found, torn_at=opened)
            if breaks + 1 > max(found.longest, 1):
                found = replace(found, longest=breaks + 1, longest_at=opened)
            found = replace(found, spanning=found.spanning + (breaks > 0))
            state, opened = "cell", None
        elif state == "inside":
            breaks += breaks_line
        elif state == "begin" and letter == '"':
            state, opened, breaks = "inside", line, 0
        else:
            found = replace(found, misplaced=found.misplaced + (letter == '"'))
            state = "begin" if letter in ends else "cell"
        line += breaks_line
        place += 1
    return replace(found, open_since=opened)
