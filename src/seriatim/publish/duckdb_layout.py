"""What a store's database is made of: its version, its tables, and what is kept of people."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from seriatim.publish.duckdb_bundles import Kind
from seriatim.publish.past_records import PASTS
from seriatim.publish.store_tables import RAW, Tables

SCHEMA_VERSION = 8
"""The version of the tables; a database of another one is refused."""

TABLES = """
CREATE TABLE meta (name VARCHAR, value BLOB);
CREATE TABLE releases (
    number INTEGER, instant VARCHAR, view BLOB, record VARCHAR, counterfeits VARCHAR,
    kept_in VARCHAR
);
CREATE TABLE counts (cell BIGINT, times BIGINT);
"""
"""The tables of a new store, but for those of the watch."""

CONTEXTS = Kind("contexts", {"context": np.dtype("<i8")}, {})
"""What was learned from the views: the context of each respondent."""

PLACES = Kind("places", {"place": np.dtype("<i8")}, {})
"""What the partitioner remembers: the place of each respondent."""

KINDS = (PASTS, CONTEXTS, PLACES)
"""All that is remembered by respondent."""

_BLOCK = 2**18
"""Bytes of a block of the database file."""

_SHARED = 16
"""Small releases that share a table."""


def release_table(number: int, size: int) -> str:
    """Return the table of a release of some bytes: its own, or one that a few small ones share.

    A table takes a block of the file at least.
    """
    return f"release_{number}" if size >= _BLOCK else f"releases_{number // _SHARED}"


def keep_release(store: Tables, number: int, record: bytes) -> str:
    """Write a release; return the table that it is in."""
    table = release_table(number, len(record))
    # What is written is compressed already.
    store.run(f"CREATE TABLE IF NOT EXISTS {table} (number INTEGER, release BLOB {RAW})")
    row = {
        "number": pa.array([number], pa.int32()),
        "release": pa.array([record], pa.large_binary()),
    }
    store.insert(table, pa.table(row))
    return table
