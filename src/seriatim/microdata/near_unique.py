"""Columns that give people away: with nearly as many different values as people.

What is published as it is must fit several people, or who knows it of someone finds them by
it. That holds of sensitive and of insensitive columns, which are published row by row, and of
categories, which are published as sets: a set of birth dates lists everyone in a group,
though every row of the group has the same set. Numbers, dates and orders become intervals,
and codes of a hierarchy become nodes above them: of these, only ends and nodes are seen.

A mean hides people: with a common filler for half of them, a column of ids has two people to a
value. So of columns that are published row by row, those who are alone with their value are
counted too. Not of sets: there a rare value stands among the others of a group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from seriatim._typing import IntArray
from seriatim.errors import TableError, listed
from seriatim.microdata.attribute import QuasiIdentifier
from seriatim.microdata.categorical import Categorical
from seriatim.microdata.roster import Roster
from seriatim.microdata.schema import Schema
from seriatim.microdata.sensitive import Sensitive
from seriatim.microdata.tables import plain, to_numpy
from seriatim.microdata.view import View

FEW = 10
"""Up to so many different values are categories, however few people there are.

In a table of 12 people 8 wards are no list of people, and no table is too small to be tried."""

LISTED = 30
"""The same for values that are declared: a list that was closed before anyone looked."""

MOST_ALONE = 0.25
"""The greatest share of people who may be alone with their value, where values are published row
by row. Diagnoses have rare codes, and a tail of them is no list of people; a quarter is one."""

Part = Literal["quasi-identifier", "sensitive", "insensitive"]
"""The parts in which a column is published as it is, or as a set."""

_INSTEAD = {
    "quasi-identifier": (
        'Say what it is: kind = "date" with the form that days are written in, kind = "numeric",'
        ' kind = "hierarchical" with a hierarchy or a mask; or make bands of it, or leave it out. A'
        f" fixed list of at most {LISTED} values may be declared."
    ),
    "sensitive": (
        "Make fewer values of it before it is published, as bands or groups of codes. A fixed list"
        f" of at most {LISTED} values may be declared."
    ),
    "insensitive": (
        "Leave it out, make it a quasi-identifier, which is generalized, or make fewer values of it"
        " before it is published."
    ),
}


@dataclass(frozen=True)
class NearlyUnique:
    """A column of which hardly two people share a value."""

    name: str
    """The column."""

    part: Part
    """What it is in the schema."""

    values: int
    """Different values."""

    people: int
    """Different people."""

    alone: int | None = None
    """People who share their value with nobody, where it is for them that it is refused."""


@dataclass(frozen=True)
class Spread:
    """How a column's values are spread over people."""

    values: int
    """Different values."""

    alone: int = 0
    """Values that one person has."""


def is_nearly_unique(values: int, people: int, declared: int | None = None) -> bool:
    """Tell whether a column has nearly as many different values as there are people.

    It has where fewer than two people share a value on the mean: people / values < 2. From two
    on, who knows someone's value is left with someone else, as with k = 2; a stricter bound
    would refuse categories with many rare values, of which most people have a common one. It
    is counted over people, not over rows: somebody who comes six times is no company to
    themselves. Few values are categories in any table (``FEW``), and so are somewhat more
    that were ``declared`` (``LISTED``).

    >>> is_nearly_unique(812, 900), is_nearly_unique(400, 900)
    (True, False)
    >>> is_nearly_unique(8, 8), is_nearly_unique(20, 24), is_nearly_unique(20, 24, declared=20)
    (False, True, False)
    """
    return values > few_values(declared) and 2 * values > people


def leaves_many_alone(alone: int, people: int, declared: int | None = None) -> bool:
    """Tell whether many people are alone with their value: more than a few, and than a quarter.

    >>> leaves_many_alone(226, 900), leaves_many_alone(225, 900), leaves_many_alone(8, 8)
    (True, False, False)
    """
    return alone > few_values(declared) and alone > MOST_ALONE * people


def few_values(declared: int | None) -> int:
    """Return up to how many different values a column has few, by how many were declared."""
    return FEW if declared is None or declared > LISTED else LISTED


def declared_values(attribute: QuasiIdentifier | Sensitive) -> int | None:
    """Return how many values an attribute was declared with; None where they are read off data."""
    values = getattr(attribute, "values", None)
    return None if values is None or getattr(attribute, "open", False) else len(values)


def nearly_unique(view: Roster, declared: Schema) -> tuple[NearlyUnique, ...]:
    """Return the columns of a view that give people away, but for those that the schema allows.

    ``declared`` is the schema before any domain was read off data.
    """
    spreads = {
        attribute.name: _spread(np.bincount(view.points[:, axis].astype(np.int64)))
        for axis, attribute in enumerate(declared.quasi_identifiers)
        if isinstance(attribute, Categorical)
    }
    if isinstance(view, View):
        spreads[declared.sensitive.name] = _spread(np.bincount(view.value_codes))
        kept = pa.table({}) if view.kept is None else view.kept
        for name in kept.column_names:
            spreads[name] = _spread(counts_of(plain(kept.column(name))))
    return nearly_unique_of(spreads, len(view), declared)


def nearly_unique_of(
    spreads: Mapping[str, Spread], people: int, declared: Schema
) -> tuple[NearlyUnique, ...]:
    """Return the same by how columns are spread; those not named are not judged."""
    parts: dict[str, tuple[Part, int | None]] = {
        one.name: ("quasi-identifier", declared_values(one))
        for one in declared.quasi_identifiers
        if isinstance(one, Categorical)
    }
    parts |= dict.fromkeys(declared.insensitive, ("insensitive", None))
    parts[declared.sensitive.name] = ("sensitive", declared_values(declared.sensitive))
    found = []
    for name, (part, closed) in parts.items():
        if name not in spreads or name in declared.allow_unique:
            continue
        one = spreads[name]
        if is_nearly_unique(one.values, people, closed):
            found.append(NearlyUnique(name, part, one.values, people))
        elif part != "quasi-identifier" and leaves_many_alone(one.alone, people, closed):
            found.append(NearlyUnique(name, part, one.values, people, one.alone))
    return tuple(found)


def refuse_nearly_unique(found: Sequence[NearlyUnique]) -> None:
    """Refuse columns that give people away, and say what can be done about each."""
    if not found:
        return
    lines = [
        f"Column {one.name!r} is {_PARTS[one.part]} and has {one.values:,} different values among"
        f" {one.people:,} people: {_shared(one)}, and who knows it of someone would find them"
        f" by it. {_INSTEAD[one.part]}"
        for one in found
    ]
    names = [one.name for one in found]
    lines.append(
        f"To publish {listed(names)} all the same, say so: allow_unique = {_written(names)} under"
        " [columns] of study.toml, or allow_unique of the Schema; certificates will tell it."
    )
    raise TableError("\n".join(lines))


_PARTS: Mapping[str, str] = {
    "quasi-identifier": "a categorical quasi-identifier",
    "sensitive": "the sensitive column",
    "insensitive": "insensitive",
}


def counts_of(column: pa.Array) -> IntArray:
    """Return how often each value of a column occurs."""
    codes = to_numpy(column.dictionary_encode().indices.drop_null()).astype(np.int64, copy=False)
    return np.bincount(codes)


def _spread(counts: IntArray) -> Spread:
    """Return how values are spread that occur so often."""
    return Spread(int(np.count_nonzero(counts)), int(np.count_nonzero(counts == 1)))


def _shared(one: NearlyUnique) -> str:
    if one.alone is None:
        return "hardly two share one"
    return f"{one.alone:,} people ({one.alone / one.people:.0%}) share theirs with nobody"


def _written(names: list[str]) -> str:
    """Write names as TOML and Python both do."""
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"
