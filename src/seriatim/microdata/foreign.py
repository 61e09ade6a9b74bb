"""Releases that other tools made, read from their tables.

What ARX, sdcMicro, AnonyPyx, AnonyPy and anjana write: intervals, masks, sets and
nodes of hierarchies; suppressed cells as ``*``, ``NA`` or nothing; a column that says
how many people a row stands for; AnonyPyx' columns ``age_min``, ``age_max`` and
``zip_38121``. Rows with the same cells are one group.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim._typing import BoolArray, Instant, IntArray, Table, Value
from seriatim.errors import SchemaError, TableError, UnknownCategoryError, at_positions
from seriatim.microdata.attribute import QuasiIdentifier
from seriatim.microdata.cover import Cover
from seriatim.microdata.release import GROUP_COLUMN, Release
from seriatim.microdata.schema import Schema
from seriatim.microdata.sensitive import Sensitive
from seriatim.microdata.sources import open_as_text
from seriatim.microdata.tables import (
    Columns,
    find_codes,
    read_table,
    require_columns,
    require_present,
    to_numbers,
    to_numpy,
    to_text,
)
from seriatim.microdata.words import written

SUPPRESSED = ("", "*", "NA", "NULL", "null", "nan", "?")
"""Cells that may stand for any value."""

_MOST_PEOPLE = 2**31

_OPEN_END = re.compile(r"^([\[\](])(.*)([\[\])])$")


def read_release(
    source: Table | str | Path,
    schema: Schema,
    *,
    at: Instant,
    count: str | None = None,
    closed_ends: bool = False,
) -> Release:
    """Read a release from a table or a file, whoever made it.

    ``count`` names a column that says how many people a row stands for; a column
    ``count`` without a role is taken for one. ``closed_ends`` reads ``[40, 60)`` as if 60
    were inside, for tools that put it there. Extents and penalties of the regions are
    NaN where the schema does not know an attribute's domain.

    >>> from seriatim import Numeric, Sensitive
    >>> schema = Schema("id", [Numeric("age", 0, 99)], Sensitive("exam", ["neg", "pos"]))
    >>> table = {"age": ["20-39", "20-39"], "exam": ["neg", "pos"], "count": [2, 1]}
    >>> read_release(table, schema, at=1)
    Release(at=1, 3 tuples in 1 groups)
    """
    columns = opened_as_text(source)
    require_columns(columns.names, (schema.sensitive.name, *_known_names(columns, schema)))
    times = people_counted(columns, count, schema)
    if len(times) == 0 or not times.any():
        message = "The release has no rows, or none that stands for anyone."
        raise TableError(message)
    texts = [_cells(columns, one, closed_ends=closed_ends) for one in schema.quasi_identifiers]
    sensitive = schema.sensitive.resolve(columns[schema.sensitive.name])
    codes = value_codes(columns[sensitive.name], sensitive)
    group_of = _groups(columns, texts, times > 0)
    in_order = np.lexsort((codes, group_of))
    order = np.repeat(in_order, times[in_order])
    sizes = np.bincount(group_of[order])
    first = in_order[np.searchsorted(group_of[in_order], np.arange(len(sizes)))]
    covers = tuple(
        _cover(text.take(pa.array(first)), one)
        for text, one in zip(texts, schema.quasi_identifiers, strict=True)
    )
    return Release(
        at,
        replace(schema, sensitive=sensitive),
        covers,
        np.concatenate([[0], np.cumsum(sizes)]),
        codes[order],
        columns.kind,
    )


def opened_as_text(source: Table | str | Path) -> Columns:
    """Open a table; the columns of a file stay texts, since regions are words."""
    is_path = isinstance(source, str | os.PathLike)
    return read_table(open_as_text(source) if is_path else source)


def _cells(columns: Columns, attribute: QuasiIdentifier, *, closed_ends: bool) -> pa.Array:
    """Return what a column was generalized to, as words that the attribute reads."""
    name = attribute.name
    if name in columns.names:
        texts = to_text(columns[name], name)
    elif {f"{name}_min", f"{name}_max"} <= set(columns.names):
        low, high = (to_text(columns[f"{name}_{end}"], name) for end in ("min", "max"))
        texts = pc.binary_join_element_wise("[", low, ",", high, "]", "")
    elif flags := [one for one in columns.names if one.startswith(f"{name}_")]:
        texts = _from_flags(columns, flags, len(name) + 1)
    else:
        texts = to_text(columns[name], name)
    encoded = texts.dictionary_encode()
    labels = getattr(attribute, "values", None) or ()
    known = frozenset(str(label) for label in labels)
    words = [
        word if word in known else _cleaned(word, closed_ends=closed_ends)
        for word in encoded.dictionary.to_pylist()
    ]
    return pa.array(words, pa.string()).take(encoded.indices).fill_null("*")


def _cleaned(word: str, *, closed_ends: bool) -> str:
    text = word.strip()
    if text.startswith("['") and text.endswith("']"):  # AnonyPy writes a list of one
        text = text[2:-2]
    if text in SUPPRESSED or not text.strip("*"):
        return "*"
    bracketed = _OPEN_END.match(text)
    return f"[{bracketed[2]}]" if closed_ends and bracketed else text


def _from_flags(columns: Columns, names: list[str], skip: int) -> pa.Array:
    """Join columns of truth values, one per category, to sets."""
    flags = np.column_stack([_truths(columns[name], name) for name in names])
    labels = [written(name[skip:]) for name in names]
    patterns, which = np.unique(flags, axis=0, return_inverse=True)
    sets = [
        "{" + ",".join(label for label, on in zip(labels, row, strict=True) if on) + "}"
        for row in patterns
    ]
    return pa.array(sets, pa.string()).take(pa.array(which.ravel()))


def _truths(column: pa.Array, name: str) -> BoolArray:
    words = pc.utf8_lower(pc.utf8_trim_whitespace(to_text(column, name))).dictionary_encode()
    labels = words.dictionary.to_pylist()
    if words.null_count or not set(labels) <= {"true", "false", "1", "0"}:
        message = f"Column {name!r} should say of each row whether it has this value."
        raise TableError(message)
    return np.asarray(np.isin(labels, ["true", "1"])[to_numpy(words.indices)])


def value_codes(column: pa.Array, sensitive: Sensitive) -> IntArray:
    """Return the codes of published values; a file writes numbers and truth values as texts."""
    if not pa.types.is_string(column.type):
        return sensitive.encode(column)
    domain = sensitive.domain
    spelled = {form: str(domain[code]) for form, code in spellings(domain).items()}
    texts = replace(sensitive, values=[str(value) for value in domain])
    encoded = column.dictionary_encode()
    words = [spelled.get(word, word) for word in encoded.dictionary.to_pylist()]
    codes = find_codes(pa.array(words, pa.string()), texts.domain)
    if column.null_count or (codes < 0).any():
        return texts.encode(pa.array(words, pa.string()).take(encoded.indices))  # tells where
    return np.asarray(codes[to_numpy(encoded.indices)])


def spellings(domain: Sequence[Value]) -> dict[str, int]:
    """Return the code of each value of a domain by the ways in which a file may write it.

    >>> spellings(["a", True])
    {'a': 0, 'True': 1, 'true': 1}
    """
    forms = [
        (value,)
        if isinstance(value, str)
        else (str(value), str(pa.scalar(value).cast(pa.string()).as_py()))
        for value in domain
    ]
    return {form: code for code, ways in enumerate(forms) for form in ways}


def _known_names(columns: Columns, schema: Schema) -> list[str]:
    """Return the quasi-identifiers that a table must name whole, not by their ends or flags."""
    names = [one.name for one in schema.quasi_identifiers]
    return [name for name in names if not any(one.startswith(f"{name}_") for one in columns.names)]


def _groups(columns: Columns, texts: list[pa.Array], counted: BoolArray) -> IntArray:
    """Number the groups: by their own column where there is one, else by their cells.

    Rows that stand for nobody make no group; theirs is the last number.
    """
    group_of = (~counted).astype(np.int64)
    if GROUP_COLUMN in columns.names:
        require_present(columns[GROUP_COLUMN], GROUP_COLUMN)
        texts = [*texts, to_text(columns[GROUP_COLUMN], GROUP_COLUMN)]
    for text in texts:
        encoded = text.dictionary_encode()
        joined = group_of * len(encoded.dictionary) + encoded.indices.to_numpy()
        group_of = np.unique(joined, return_inverse=True)[1].ravel()
    return group_of


def people_counted(columns: Columns, count: str | None, schema: Schema) -> IntArray:
    """Return how many people each row stands for."""
    if count is None and "count" in columns.names and "count" not in schema.columns:
        count = "count"
    if count is None:
        return np.ones(len(columns), dtype=np.int64)
    column = columns[count]
    require_present(column, count)
    try:
        numbers = to_numbers(column.cast(pa.float64()), count)
    except pa.ArrowException:
        numbers = np.full(len(columns), np.nan)
    wrong = ~((numbers >= 0) & (numbers == np.floor(numbers)) & (numbers <= _MOST_PEOPLE))
    if wrong.any():
        message = (
            f"Column {count!r} says how many people a row stands for, in whole numbers; it does"
            f" not at {at_positions(np.flatnonzero(wrong))}."
        )
        raise TableError(message)
    return numbers.astype(np.int64)


def _cover(texts: pa.Array, attribute: QuasiIdentifier) -> Cover:
    """Return the parts with their sizes, where the attribute's domain is known."""
    encoded = texts.dictionary_encode()
    sizes = [_measured(word, attribute) for word in encoded.dictionary.to_pylist()]
    table = np.array(sizes, dtype=np.float64).reshape(-1, 2)[encoded.indices.to_numpy()]
    return Cover(texts, table[:, 0], table[:, 1])


def _measured(word: str, attribute: QuasiIdentifier) -> tuple[float, float]:
    try:
        return attribute.measure(attribute.parse(word))
    except (SchemaError, UnknownCategoryError):
        # No domain to measure by, or a value that only other views have.
        return float("nan"), float("nan")
