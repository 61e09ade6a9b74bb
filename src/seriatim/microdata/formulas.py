"""Texts that a spreadsheet would run: they begin as a formula does.

Whoever opens a release in a spreadsheet would let it compute what stands in such a cell, which may
fetch from the network or start a program. A release is not changed for that: it is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim.errors import warn_of_table
from seriatim.microdata.letters import letters_of
from seriatim.microdata.release import Release
from seriatim.microdata.schema import Schema

_BEGINNINGS = np.zeros(256, np.bool_)
_BEGINNINGS[list(b"=+-@\t\r")] = True
_NUMBER = r"^[-+]?(?:[0-9]+(?:[.,' ][0-9]+)*[.,]?|[.,][0-9]+)(?:[eE][-+]?[0-9]+)?\s*%?$"
_ADVICE = (
    "It is published as it is: if readers may open releases in a spreadsheet, write it otherwise in"
    " the table first, as with a word in front."
)
_NAMED = 3
_LONGEST = 40


def runnable(texts: pa.Array) -> list[str]:
    """Return the different texts that a spreadsheet would run; a number or a lone sign is none.

    >>> runnable(pa.array(["=1+1", "-5", "-", "neg", "@sum", "=1+1"]))
    ['=1+1', '@sum']
    """
    letters, begins = letters_of(texts)
    # The first letter of an empty text would be the next one's: it is left out by its length.
    long_enough = np.flatnonzero(np.diff(begins) > 1)
    first = letters[begins[long_enough]]
    odd = texts.take(pa.array(long_enough[_BEGINNINGS[first]])).unique()
    return sorted(odd.filter(pc.invert(pc.match_substring_regex(odd, _NUMBER))).to_pylist())


def tell_of_formulas(columns: Mapping[str, pa.Array | pa.ChunkedArray]) -> None:
    """Tell which columns to be published have cells, or titles, that a spreadsheet would run."""
    for name, column in columns.items():
        found = runnable(pa.array([name]))
        if found:
            warn_of_table(f"The title of column {name!r} begins as a formula does. {_ADVICE}")
        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        if not pa.types.is_string(column.type):
            continue
        values = sorted({text for chunk in chunks for text in runnable(chunk)})
        if values:
            warn_of_table(
                f"Column {name!r} has {len(values):,} different value(s) that a spreadsheet would"
                f" run as a formula: {_listed(values)}. {_ADVICE}"
            )


def tell_of_released_formulas(release: Release) -> None:
    """Tell which cells of a release a spreadsheet would run."""
    schema = release.schema
    known = release.people or [cover.text for cover in release.covers]
    columns = dict(zip(schema.quasi_identifier_names, known, strict=True))
    used = np.flatnonzero(np.bincount(release.value_codes))
    columns[schema.sensitive.name] = schema.sensitive.decode(used)
    if release.kept is not None:
        columns |= {name: release.kept.column(name) for name in release.kept.column_names}
    tell_of_formulas(columns)


def tell_of_formulas_in_domains(schema: Schema) -> None:
    """Tell which values that a series may publish a spreadsheet would run."""
    domains = {
        one.name: getattr(one, "leaves", None) or getattr(one, "values", None) or ()
        for one in schema.quasi_identifiers
    }
    domains[schema.sensitive.name] = schema.sensitive.domain
    tell_of_formulas({name: _texts(domain) for name, domain in domains.items()})


def _texts(values: Iterable[object]) -> pa.Array:
    return pa.array([one for one in values if isinstance(one, str)], pa.string())


def _listed(values: list[str]) -> str:
    shown = [one if len(one) <= _LONGEST else f"{one[:_LONGEST]}…" for one in values[:_NAMED]]
    more = f" and {len(values) - _NAMED:,} more" if len(values) > _NAMED else ""
    return ", ".join(map(repr, shown)) + more
