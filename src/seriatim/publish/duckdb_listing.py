"""Who is listed in the last release, in a DuckDB store: one table of Arrow's, in one row.

It has the ids of those who are listed, their quasi-identifiers and their values: whoever is away
next time is published from it. Written anew in the transaction of each release; a series whose
people neither move in batches nor stay listed has none.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from seriatim.publish.listing import Listing
from seriatim.publish.store_tables import RAW, Tables

_TABLE = "listing"
_NUMBER = "release of the listing"
"""Under what name the database keeps the number of its release; empty where there is none."""


class DuckDBListing:
    """The listing that a store keeps."""

    def __init__(self, store: Tables) -> None:
        """Read and write in a store."""
        self._store = store

    def __repr__(self) -> str:
        """Say where it is."""
        return f"DuckDBListing({self._store!r})"

    @property
    def tables(self) -> list[str]:
        """The names of all tables."""
        return [_TABLE] if self._store.meta(_NUMBER) else []

    def read(self) -> Listing | None:
        """Return what is kept."""
        number = self._store.meta(_NUMBER)
        if not number:
            return None
        rows = self._store.table(f"SELECT content FROM {_TABLE}")
        return read_listing(int(number), rows.column("content")[0].as_buffer())

    def keep(self, listing: Listing | None) -> None:
        """Put a listing, or none, in the place of the one there was."""
        if self._store.meta(_NUMBER):
            self._store.run(f"DROP TABLE {_TABLE}")
        if listing is None:
            if self._store.meta(_NUMBER):
                self._store.set_meta(_NUMBER, b"")
            return
        self._store.run(f"CREATE TABLE {_TABLE} (content BLOB {RAW})")
        content = pa.array([write_listing(listing)], pa.large_binary())
        self._store.insert(_TABLE, pa.table({"content": content}))
        self._store.set_meta(_NUMBER, str(listing.release).encode())

    def forget(self, respondents: pa.Array) -> None:
        """Remove respondents from the listing."""
        kept = self.read()
        if kept is not None:
            self.keep(kept.without(respondents))


def write_listing(listing: Listing) -> bytes:
    """Write a listing as a table of Arrow's, without its number.

    >>> made = Listing(2, pa.array(["A"]), np.array([[51.0]]), np.array([0]), np.array([1]))
    >>> read_listing(2, pa.py_buffer(write_listing(made))).carried.tolist()
    [True]
    """
    columns = [listing.respondents, pa.array(listing.value_codes), pa.array(listing.last_seen)]
    columns += [pa.array(axis) for axis in np.ascontiguousarray(listing.points.T)]
    names = ["respondent", "value", "last seen"]
    names += [f"point {axis}" for axis in range(listing.points.shape[1])]
    if listing.kept is not None:
        columns += [column.combine_chunks() for column in listing.kept.columns]
        names += [f"kept {name}" for name in listing.kept.column_names]
    sink = pa.BufferOutputStream()
    table = pa.table(columns, names=names)
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())


def read_listing(number: int, content: pa.Buffer) -> Listing:
    """Read a listing back."""
    with pa.ipc.open_stream(content) as stream:
        table = stream.read_all().combine_chunks()
    points = [name for name in table.column_names if name.startswith("point ")]
    kept = [name for name in table.column_names if name.startswith("kept ")]
    return Listing(
        number,
        _column(table, "respondent"),
        np.column_stack([_numbers(table, name) for name in points]),
        _numbers(table, "value"),
        _numbers(table, "last seen"),
        pa.table({name.removeprefix("kept "): table.column(name) for name in kept})
        if kept
        else None,
    )


def _column(table: pa.Table, name: str) -> pa.Array:
    column = table.column(name)
    return column.chunk(0) if column.num_chunks else pa.array([], column.type)


def _numbers(table: pa.Table, name: str) -> np.ndarray:
    return np.array(_column(table, name).to_numpy(zero_copy_only=False))
