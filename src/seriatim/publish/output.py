"""Releases as files: CSV is for people, Parquet for machines.

In Parquet, ordered attributes have columns with the lower and upper end beside the words.
"""

from __future__ import annotations

import io
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from seriatim.microdata.attribute import Ordered, QuasiIdentifier
from seriatim.microdata.part import Interval
from seriatim.microdata.release import Release
from seriatim.microdata.schema import Schema
from seriatim.microdata.tables import to_numpy
from seriatim.publish.csv_text import Content, csv_bytes


def written(table: pa.Table, kind: Literal["csv", "parquet"], release: Release) -> Content:
    """Return the bytes of a table in a kind of file; the same table gives the same bytes."""
    if kind == "csv":
        return csv_bytes(table)
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
