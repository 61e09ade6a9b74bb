"""Small steps between the large ones: leftovers in fewer shards, records without the suppressed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from seriatim.microdata.tables import plain, to_numpy


def regrouped(fewer: tuple[int, int], tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Bring the rows of neighbouring shards together, in fewer shards."""
    before, after = fewer
    for table in tables:
        shard = to_numpy(plain(table.column("shard"))).astype(np.int64) * after // before
        place = table.column_names.index("shard")
        yield table.set_column(place, "shard", pa.array(shard.astype(np.int32)))


def without(fallen: frozenset[tuple[int, int]], tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Leave out the records of people whose group was suppressed after all."""
    gone = np.array(sorted(fallen), dtype=np.uint64).reshape(-1, 2)
    firsts = np.unique(gone[:, 0])
    for table in tables:
        words = [
            to_numpy(plain(table.column(name).fill_null(0))).view(np.uint64)
            for name in ("label_1", "label_2")
        ]
        fell = np.isin(words[0], firsts) & np.isin(words[1], gone[:, 1])
        yield table.filter(pa.array(~fell))
        homes = to_numpy(plain(table.column("home").fill_null(-1)))
        settled = fell & (homes >= 0) & to_numpy(plain(table.column("is_new"))).astype(bool)
        if settled.any():
            yield placed_only(table.filter(pa.array(settled)))


def placed_only(table: pa.Table) -> pa.Table:
    """Return records that say where people's homes are, and nothing of a release."""
    for name in ("past", "seen_at", "label_1", "label_2", "number"):
        place = table.column_names.index(name)
        nothing = pa.nulls(table.num_rows, table.schema.field(name).type)
        table = table.set_column(place, table.schema.field(name), nothing)
    return table
