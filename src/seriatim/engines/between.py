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
            to_numpy(plain(table.column(name))).view(np.uint64) for name in ("label_1", "label_2")
        ]
        # The first words are different but for a chance of one in 2**64 / groups.
        stays = ~(np.isin(words[0], firsts) & np.isin(words[1], gone[:, 1]))
        yield table.filter(pa.array(stays))
