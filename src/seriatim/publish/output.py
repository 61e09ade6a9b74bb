"""Releases as files: CSV is for people, Parquet for machines.

In Parquet, ordered attributes have columns with the lower and upper end beside the words.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from seriatim.microdata.attribute import Ordered, QuasiIdentifier
from seriatim.microdata.part import Interval
from seriatim.microdata.release import GROUP_COLUMN, Release
from seriatim.microdata.schema import Schema
from seriatim.microdata.tables import to_numpy
from seriatim.publish.csv_text import Content, csv_bytes, grouped_csv_bytes

Kind: TypeAlias = Literal["csv", "parquet"]
"""A kind of file."""

KINDS: tuple[Kind, ...] = get_args(Kind)
"""All kinds of files."""


def written(release: Release, kinds: Sequence[Kind]) -> dict[tuple[str, Kind], Content]:
    """Return the tables of a release in some kinds of files, by the ending of their names.

    The same tables give the same bytes.
    """
    files: dict[tuple[str, Kind], Content] = {}
    if "csv" in kinds and (by_group := _written_by_group(release)) is not None:
        files["", "csv"] = by_group
        kinds = [kind for kind in kinds if kind != "csv"]
    for ending, table in release.tables().items() if kinds else ():
        for kind in kinds:
            files[ending, kind] = csv_bytes(table) if kind == "csv" else _parquet(table, release)
    return files


def _written_by_group(release: Release) -> Content | None:
    """Return a table as CSV without making it row by row; None where that is no other way."""
    if release.people is not None or release.kept is not None:
        return None
    schema = release.schema
    names = (GROUP_COLUMN, *schema.quasi_identifier_names)
    cells = (pa.array(np.arange(release.n_groups) + 1), *(one.text for one in release.covers))
    values = schema.sensitive.decode(np.arange(len(schema.sensitive.domain)))
    groups = pa.table(dict(zip(names, cells, strict=True)))
    return grouped_csv_bytes(
        groups, release.starts, schema.sensitive.name, values, release.value_codes
    )


def _parquet(table: pa.Table, release: Release) -> bytes:
    made = io.BytesIO()
    pyarrow.parquet.write_table(with_ends(table, release.schema), made, compression="zstd")
    return made.getvalue()


def with_ends(table: pa.Table, schema: Schema) -> pa.Table:
    """Add the ends of intervals beside their words."""
    for attribute in schema.quasi_identifiers:
        if attribute.name not in table.column_names:
            continue
        ends = _ends(table.column(attribute.name).combine_chunks(), attribute)
        place = table.column_names.index(attribute.name) + 1
        for name, column in reversed(list(ends.items())):
            table = table.add_column(place, name, column)
    return table


def _ends(words: pa.Array, attribute: QuasiIdentifier) -> dict[str, pa.Array]:
    """Return the lower and upper ends of an ordered attribute; nothing for the others."""
    if not isinstance(attribute, Ordered):
        return {}
    distinct = pc.dictionary_encode(words)
    parts = [attribute.parse(word) for word in distinct.dictionary.to_pylist()]
    lower, upper = attribute.ends([part for part in parts if isinstance(part, Interval)])
    which = pa.array(to_numpy(distinct.indices))
    return {
        f"{attribute.name}_lower": lower.take(which),
        f"{attribute.name}_upper": upper.take(which),
    }
