"""Older forms of a store's file, and how each becomes the next.

Form 1 had no places and no counterfeits, form 2 no traces, and lists of numbers for pasts; form 3
had pasts as bytes, and like those before it a row for every time that something of a
respondent was written. Form 4 had bundles, with a row for every entry, and one table for all
traces; form 5 had entries in words of eight bytes, and a table for what each release told. Form 6
had releases in tables of their own, too; form 7 has bundles in files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seriatim.errors import StoreError
from seriatim.inference.pasts import spans
from seriatim.publish.duckdb_bundles import NARROW, PIECE, WIDE, Bundle, Bundles, Kind, Portion
from seriatim.publish.duckdb_traces import CHANGING, TRACES, table_of
from seriatim.publish.past_records import PASTS, from_lists
from seriatim.publish.store_tables import RAW, Tables

SCHEMA_VERSION = 7
"""The form of the tables; a file of a newer form is refused, an older one is migrated."""

CONTEXTS = Kind("contexts", {"context": np.dtype("<i8")}, {})
"""What was learned from the views: the context of each respondent."""

PLACES = Kind("places", {"place": np.dtype("<i8")}, {})
"""What the partitioner remembers: the place of each respondent."""

KINDS = (PASTS, CONTEXTS, PLACES)
"""All that is remembered by respondent."""

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
        _apart(store)
    elif version == 5:
        _releases_apart(store)
    else:
        _into_files(store)


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


def _into_files(store: Tables) -> None:
    """Take bundles out of the database."""
    for kind in KINDS:
        name = f"bundles of {kind.name}"
        listed = json.loads(store.meta(name) or b"[]")
        # Bundles that were made on the way from an older form are in files already.
        old = [Bundle(*one) for one in listed if len(one) == len(("number", "people", "wide"))]
        if not old:
            continue
        store.set_meta(name, json.dumps(old).encode())
        Bundles(store, kind).replace({one.number: _rows(store, kind, one) for one in old})
        tables = store.table("SELECT table_name AS name FROM duckdb_tables()").column("name")
        for table in tables.to_pylist():
            if any(f"{table}_".startswith(f"{kind.name}_{one.number}_") for one in old):
                store.run(f"DROP TABLE {table}")


def _rows(store: Tables, kind: Kind, bundle: Bundle) -> Iterator[Portion]:
    """Go through a bundle in the tables of forms 4 to 6."""
    table, begin = f"{kind.name}_{bundle.number}", 0
    for first in range(0, bundle.people, PIECE):
        last = min(first + PIECE, bundle.people)
        found = _numbers(store, table, ("high", "low", *kind.columns), first, last)
        high, low = found.pop("high"), found.pop("low")
        entries = {}
        if kind.entries:
            end = begin + int(found["entries"].sum(dtype=np.int64))
            entries = _entries(store, table, kind, bundle, begin, end)
            begin = end
        yield Portion(high, low, found, entries)


def _entries(
    store: Tables, table: str, kind: Kind, bundle: Bundle, first: int, last: int
) -> dict[str, np.ndarray]:
    """Return the entries first..last, which had rows in form 4, and words of eight bytes later."""
    rows = f"{table}_entries"
    if store.table(f"SELECT 1 FROM duckdb_tables() WHERE table_name = '{rows}'").num_rows:
        return _numbers(store, rows, tuple(kind.entries), first, last)
    entries = {}
    for name, one in kind.entries.items():
        numbers = WIDE if bundle.wide and one == NARROW else one
        each = 8 // numbers.itemsize
        low, high = first // each, -(-last // each)
        words = _numbers(store, f"{table}_{name}", ("word",), low, high)["word"]
        entries[name] = words.view(numbers)[first - low * each : last - low * each]
    return entries


def _numbers(
    store: Tables, table: str, columns: Sequence[str], first: int, last: int
) -> dict[str, np.ndarray]:
    """Return columns of the rows first..last of a table, in the order of writing."""
    found = store.table(
        f"SELECT {', '.join(columns)} FROM {table} WHERE rowid >= {first} AND rowid < {last}"
    )
    if found.num_rows < last - first:
        message = "The store lacks rows that it should have: it is damaged. Restore a backup."
        raise StoreError(message)
    return {name: found.column(name).to_numpy() for name in columns}


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
