"""The slow twin of an intake: row by row, as one would do it by hand."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

Row = Mapping[str, Any]


class Taken(NamedTuple):
    """What is left of a table; None where the table is refused."""

    rows: list[dict[str, Any]]
    dropped: dict[str, int]
    labelled: dict[str, int]
    repeated: int
    dropped_rows: int


def chosen(rows: Sequence[Row], rule: str | tuple[str, str], roles: Sequence[str]) -> Row | None:
    """Which of a respondent's rows speaks for them; None where that is open."""
    if len(rows) == 1:
        return rows[0]
    if rule == "error":
        return None
    if rule in ("first", "last"):
        return rows[0] if rule == "first" else rows[-1]
    which, column = rule
    if any(row[column] is None for row in rows):
        return None
    best = (max if which == "latest" else min)(row[column] for row in rows)
    finalists = [row for row in rows if row[column] == best]
    alike = all(row[name] == finalists[0][name] for row in finalists for name in roles)
    return finalists[0] if alike else None


def take_in(
    rows: Sequence[Row],
    roles: Sequence[str],
    policies: Mapping[str, str],
    rule: str | tuple[str, str],
    label: str,
) -> Taken | None:
    """Choose a row for each respondent, drop those with gaps, label the others."""
    someone = roles[0]
    dropped, labelled = Counter(), Counter()
    nobody = dropped_rows = 0
    by_person: dict[Any, list[Row]] = {}
    for row in rows:
        if row[someone] is not None:
            by_person.setdefault(row[someone], []).append(row)
        elif policies[someone] == "error":
            return None
        else:
            dropped[someone] += 1
            nobody += 1
    people = [chosen(several, rule, roles) for several in by_person.values()]
    if any(person is None for person in people):
        return None
    taken = []
    for person in people:
        gaps = [name for name in roles if person[name] is None]
        to_drop = [name for name in gaps if policies[name] == "drop"]
        dropped.update(to_drop)
        if to_drop:
            dropped_rows += 1
            continue
        if any(policies[name] == "error" for name in gaps):
            return None
        labelled.update(gaps)
        taken.append({name: label if name in gaps else person[name] for name in roles})
    present = sum(len(several) for several in by_person.values())
    return Taken(taken, dict(dropped), dict(labelled), present - len(people), dropped_rows + nobody)


_NOTHING = ("", "NA", "N/A", "NaN", "nan", "NULL", "null")


def inferred(cells: Sequence[str | None]) -> list[Any]:
    """Read texts as whole numbers or numbers where all can be; dates are another's matter."""
    trimmed = [None if cell is None else cell.strip() for cell in cells]
    read = [None if cell in _NOTHING else cell for cell in trimmed]
    filled = [cell for cell in read if cell is not None]
    if not filled:
        return list(cells)
    if all(re.fullmatch("0|-?[1-9][0-9]*", cell) for cell in filled):
        fits = all(-(2**63) <= int(cell) < 2**63 for cell in filled)
        return [None if cell is None else int(cell) for cell in read] if fits else list(cells)
    if all(re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]*)?", cell) for cell in filled):
        return [None if cell is None else float(cell) for cell in read]
    return list(cells)
