"""Releases as files: a generalized table, or buckets.

CSV is for people. Parquet is for machines: ordered attributes have columns with the
lower and upper end beside the words. Buckets are two tables: the quasi-identifiers as
they are with a group number, and how often each group has each value.
"""

from __future__ import annotations

import io
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from seriatim.microdata.attribute import Ordered, QuasiIdentifier
from seriatim.microdata.part import Interval
from seriatim.microdata.release import GROUP_COLUMN, Release
from seriatim.microdata.tables import to_numpy
from seriatim.publish.publisher import Publication

Form = Literal["generalized", "buckets"]
"""What is published of quasi-identifiers: regions, or the values with a group number."""

COUNT_COLUMN = "count"
"""How often a group has a value, in the second table of buckets."""


def tables_of(publication: Publication, form: Form) -> dict[str, pa.Table]:
    """Return the tables of a release by the ending of their names: none, or two."""
    if form == "generalized":
        return {"": publication.release.to_arrow()}
    return {".people": _people(publication), ".values": _values(publication.release)}


def written(table: pa.Table, kind: Literal["csv", "parquet"], release: Release) -> bytes:
    """Return the bytes of a table in a kind of file; the same table gives the same bytes."""
    made = io.BytesIO()
    if kind == "csv":
        pyarrow.csv.write_csv(table, made)
    else:
        pyarrow.parquet.write_table(_with_ends(table, release), made, compression="zstd")
    return made.getvalue()


def _people(publication: Publication) -> pa.Table:
    """Return the quasi-identifiers as they are, in an order that tells nothing."""
    view, membership = publication.view, publication.membership
    rows = membership.members
    columns = {GROUP_COLUMN: pa.array(membership.group_of[rows] + 1)}
    alone = np.arange(len(rows) + 1)
    for axis, attribute in enumerate(view.schema.quasi_identifiers):
        columns[attribute.name] = attribute.cover(view.points[rows, axis], alone).text
    table = pa.table(columns)
    order = pc.sort_indices(table, sort_keys=[(name, "ascending") for name in columns])
    return table.take(order)


def _values(release: Release) -> pa.Table:
    """Return how often each group has each value."""
    n_values = len(release.schema.sensitive.domain)
    cells, counts = np.unique(release.group_of * n_values + release.value_codes, return_counts=True)
    sensitive = release.schema.sensitive
    return pa.table(
        {
            GROUP_COLUMN: pa.array(cells // n_values + 1),
            sensitive.name: sensitive.decode(cells % n_values),
            COUNT_COLUMN: pa.array(counts),
        }
    )


def _with_ends(table: pa.Table, release: Release) -> pa.Table:
    """Add the ends of intervals beside their words."""
    for attribute in release.schema.quasi_identifiers:
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
