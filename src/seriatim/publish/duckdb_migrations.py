"""Older forms of a store's file, and how each becomes the next.

Form 1 had no places and no counterfeits, form 2 no traces, and lists of numbers for pasts; form 3
had pasts as bytes, and like those before it a row for every time that something of a
respondent was written. Form 4 had bundles, with a row for every entry, and one table for all
traces; form 5 has entries in words, and a table for what each release told. Form 6 has releases
in tables of their own, too.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim.inference.pasts import spans
from seriatim.publish.duckdb_bundles import Bundles, Kind, Portion
from seriatim.publish.duckdb_traces import CHANGING, TRACES, table_of
from seriatim.publish.past_records import PASTS, from_lists
from seriatim.publish.store_tables import RAW, Stretch, Tables, read_numbers

SCHEMA_VERSION = 6
"""The form of the tables; a file of a newer form is refused, an older one is migrated."""

CONTEXTS = Kind("contexts", {"context": "BIGINT"}, {})
"""What was learned from the views: the context of each respondent."""

PLACES = Kind("places", {"place": "BIGINT"}, {})
"""What the partitioner remembers: the place of each respondent."""

KINDS = (PASTS, CONTEXTS, PLACES)
"""All that is remembered by respondent."""

_AT_A_TIME = 2**22
"""Entries that are moved at a time."""

_BLOCK = 2**18
"""Bytes of a block of the file."""

_SHARED = 16
"""Small releases that share a table."""

_STATEMENTS = {
    1: """
CREATE TABLE places (high UBIGINT, low UBIGINT, version INTEGER, place BIGINT);
ALTER TABLE releases ADD COLUMN counterfeits VARCHAR DEFAULT '[]';
""",
    2: """
CREATE TABLE traces (release INTEGER, people INTEGER, name VARCHAR, content BLOB);
""",
}


def knows(version: int) -> bool:
    """Return whether a form is an older one that can be migrated."""
    return 1 <= version < SCHEMA_VERSION


def to_next(store: Tables, version: int) -> None:
    """Make a store of an older form one of the next, within a transaction."""
    if version in _STATEMENTS:
        store.run(_STATEMENTS[version])
    elif version == 3:
        _into_bundles(store)
    elif version == 4:
        _into_words(store)
        _apart(store)
    else:
        _releases_apart(store)


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


def _releases_apart(store: Tables) -> None:
    """Take releases out of the table of what is recorded of them."""
    store.run("ALTER TABLE releases ADD COLUMN kept_in VARCHAR")
    numbers = store.table("SELECT number FROM releases ORDER BY number").column("number")
    for number in numbers.to_pylist():
        found = store.table(f"SELECT release FROM releases WHERE number = {number}")
        table = keep_release(store, number, found.column("release")[0].as_py())
        store.run("UPDATE releases SET kept_in = ? WHERE number = ?", [table, number])
    store.run("ALTER TABLE releases DROP COLUMN release")


def _into_words(store: Tables) -> None:
    """Take entries out of their rows."""
    bundles = Bundles(store, PASTS)
    for bundle in bundles.listed:
        rows = f"{PASTS.name}_{bundle.number}_entries"
        # Bundles that were made on the way from an older form have words already.
        if store.table(f"SELECT 1 FROM duckdb_tables() WHERE table_name = '{rows}'").num_rows == 0:
            continue
        total = store.table(f"SELECT count(*) AS n FROM {rows}").column("n")[0].as_py()
        for name, column in bundles.words(bundle).items():
            writer = column.make()
            for first in range(0, total, _AT_A_TIME):
                last = min(first + _AT_A_TIME, total)
                [read] = read_numbers(store, {name: column.kind}, [Stretch(rows, first, last)])
                writer.add(read[name])
            writer.end()
        store.run(f"DROP TABLE {rows}")


def _apart(store: Tables) -> None:
    """Give what each release told a table of its own."""
    rows = store.table("SELECT release, name, content FROM traces")
    store.run(f"DROP TABLE traces; {TRACES}")
    changing = pc.is_in(rows["name"], pa.array(CHANGING))
    store.insert("traces", rows.filter(changing))
    lasting = rows.filter(pc.invert(changing))
    for release in pc.unique(rows["release"]).to_pylist():
        store.run(table_of(release))
        told = lasting.filter(pc.equal(lasting["release"], release)).drop_columns("release")
        store.insert(f"trace_{release}", told)


def _into_bundles(store: Tables) -> None:
    """Keep of everyone the newest row."""
    for kind in KINDS:
        # Newer versions count, and only they go on.
        rows = store.table(
            f"SELECT t.* FROM {kind.name} t JOIN (SELECT high, low, max(version) AS version FROM"
            f" {kind.name} GROUP BY high, low) USING (high, low, version)"
        )
        store.run(f"DROP TABLE {kind.name}")
        if rows.num_rows == 0:
            continue
        if kind is PASTS:
            portion = from_lists(rows if "places" in rows.column_names else _lists(rows))
        else:
            numbers = {name: rows.column(name).to_numpy() for name in kind.columns}
            high, low = (rows.column(name).to_numpy() for name in ("high", "low"))
            portion = Portion(high, low, numbers, {})
        wide = bool(kind is PASTS and portion.entries["place"].max() > np.iinfo(np.uint16).max)
        Bundles(store, kind).append([portion], portion.high, portion.low, wide=wide)


def _lists(table: pa.Table) -> pa.Table:
    """Return a table of pasts with the bytes of form 3 as lists.

    A past was a string of 32-bit words: the number of places, the places, the weight on each,
    the codes of the values that are possible, the belief in each.
    """
    column = pa.concat_arrays(table.column("past").cast(pa.large_binary()).chunks)
    _, offsets, data = column.buffers()
    bounds = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1]
    words, bounds = np.frombuffer(data, np.int32), bounds // 4
    counts = words[bounds[:-1]].astype(np.int64)
    possible = (np.diff(bounds) - 1 - 2 * counts) // 2
    begins = bounds[:-1] + 1
    shares = words.view(np.float32)
    table = table.drop_columns("past")
    for name, source, begin, count in (
        ("places", words, begins, counts),
        ("weights", shares, begins + counts, counts),
        ("codes", words, begins + 2 * counts, possible),
        ("beliefs", shares, begins + 2 * counts + possible, possible),
    ):
        ends = pa.array(np.concatenate([[0], np.cumsum(count)]))
        entries = pa.array(source[spans(begin, count)])
        table = table.append_column(name, pa.LargeListArray.from_arrays(ends, entries))
    return table
