"""A small study on disk, for tests of the press and of the commands."""

import contextlib
import itertools
import json
import struct

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv

import seriatim as sr
from seriatim.knowledge.files import write_knowledge
from seriatim.publish import store_parts
from seriatim.publish.duckdb_bundles import Bundles
from seriatim.publish.duckdb_migrations import KINDS
from seriatim.publish.duckdb_store import DuckDBStore
from seriatim.publish.past_records import PASTS, told_as_columns, told_plainly
from seriatim.publish.store_parts import remove_store

STUDY = """\
name = "test clinic"

[columns]
respondent = "patient"

[quasi_identifiers.age]
kind = "numeric"
low = 18
high = 95

[quasi_identifiers.gender]
kind = "categorical"
values = ["F", "M"]

[quasi_identifiers.zip]
kind = "hierarchical"
mask = "prefix"

[sensitive]
column = "exam"

[policy]
k = 5
t = 0.6
j = 1.0
remainder = "merge"

[reader]
sequence = "knowledge.csv"
"""


def write_study(folder, *, weeks=3, size=60, changes=(), seed=1):
    """Write a clinic's views, its knowledge and a study; return the study's path."""
    made = sr.clinic(weeks=weeks, size=size, seed=seed)
    (folder / "views").mkdir(parents=True, exist_ok=True)
    for week, table in enumerate(made.weeks, start=1):
        extra = table.append_column("note", [[f"note of row {row}" for row in range(size)]])
        pyarrow.csv.write_csv(extra, folder / "views" / f"week-{week}.csv")
    write_knowledge(made.sequence, folder / "knowledge.csv")
    values = str(list(made.schema.sensitive.domain)).replace("'", '"')
    text = STUDY.replace('column = "exam"\n', f'column = "exam"\nvalues = {values}\n')
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return folder / "study.toml"


def week(study, number):
    """Return the path of one of the views."""
    return study.parent / "views" / f"week-{number}.csv"


def copy_store(path, target):
    """Copy a store in the place of what was there."""
    remove_store(target)
    store_parts.copy_store(path, target)


def to_form_6(path):
    """Make a store's tables what form 6 had: bundles in tables, their entries in words."""
    with _bundles_in_tables(path, _words_of):
        pass


def to_form_5(path):
    """Make a store's tables what form 5 had: all releases in one."""
    with _bundles_in_tables(path, _words_of, form=5) as connection:
        _releases_together(connection)


@contextlib.contextmanager
def _bundles_in_tables(path, write_entries, form=6):
    """Bring bundles into the database, and let more be changed in it."""
    with DuckDBStore(path) as store:
        kept = [
            (kind, [(one, list(Bundles(store, kind).pieces(one))) for one in listed])
            for kind in KINDS
            if (listed := Bundles(store, kind).listed)
        ]
        store.people.remove()
    with duckdb.connect(str(path)) as connection:
        for kind, bundles in kept:
            for bundle, portions in bundles:
                table = f"{kind.name}_{bundle.number}"
                rows = pa.concat_tables(
                    pa.table({"high": one.high, "low": one.low, **one.columns}) for one in portions
                )
                connection.execute(f"CREATE TABLE {table} AS SELECT * FROM rows")
                assert rows.num_rows == bundle.people
                for name in kind.entries:
                    entries = np.concatenate([one.entries[name] for one in portions])
                    write_entries(connection, table, name, entries)
            listed = json.dumps([bundle[:3] for bundle, _ in bundles]).encode()
            connection.execute(
                "UPDATE meta SET value = ? WHERE name = ?", [listed, f"bundles of {kind.name}"]
            )
        yield connection
        connection.execute(
            "UPDATE meta SET value = ? WHERE name = 'schema version'", [str(form).encode()]
        )


def _words_of(connection, table, name, entries):
    """Write entries eight bytes to a row."""
    filled = np.pad(entries, (0, -len(entries) % (8 // entries.itemsize)))
    words = pa.table({"word": filled.view(np.uint64)})
    connection.execute(f"CREATE TABLE {table}_{name} AS SELECT * FROM words")
    assert words.num_rows * 8 == filled.nbytes


def _rows_of(connection, table, name, entries):
    """Write an entry to a row, all numbers in one table."""
    numbers = pa.table({name: entries})
    assert numbers.num_rows == len(entries)
    rows = f"{table}_entries"
    if name == "place":
        connection.execute(f"CREATE TABLE {rows} AS SELECT * FROM numbers")
    else:
        connection.execute(f"CREATE TABLE both_ AS SELECT * FROM {rows} POSITIONAL JOIN numbers")
        connection.execute(f"DROP TABLE {rows}; ALTER TABLE both_ RENAME TO {rows}")


def _releases_together(connection):
    connection.execute("ALTER TABLE releases ADD COLUMN release BLOB")
    kept = connection.execute("SELECT number, kept_in FROM releases").fetchall()
    for number, table in kept:
        connection.execute(
            f"UPDATE releases SET release = (SELECT release FROM {table} WHERE number = {number})"
            f" WHERE number = {number}"
        )
    for table in {table for _, table in kept}:
        connection.execute(f"DROP TABLE {table}")
    connection.execute("ALTER TABLE releases DROP COLUMN kept_in")


def to_form_4(path):
    """Make a store's tables what form 4 had: a row for each entry of a past."""
    with _bundles_in_tables(path, _rows_of, form=4) as connection:
        _releases_together(connection)
        traces_of_form_4(connection)


def traces_of_form_4(connection):
    """Let all traces be in one table, with a column that was never asked for."""
    connection.execute("ALTER TABLE traces ADD COLUMN people INTEGER")
    releases = connection.execute("SELECT DISTINCT release FROM traces").fetchall()
    for (release,) in releases:
        told = f"SELECT {release} AS release, name, content FROM trace_{release}"
        connection.execute(f"INSERT INTO traces BY NAME {told}")
        connection.execute(f"DROP TABLE trace_{release}")


def to_form_3(path):
    """Make a store's tables what form 3 had: rows by respondent and version, pasts as bytes."""
    with DuckDBStore(path) as store:
        everyone = {kind.name: [*_everyone(Bundles(store, kind), kind)] for kind in KINDS}
        store.people.remove()
    columns = {"pasts": "seen_at DOUBLE, past BLOB", "contexts": "context BIGINT"}
    columns["places"] = "place BIGINT"
    with duckdb.connect(str(path)) as connection:
        _releases_together(connection)
        traces_of_form_4(connection)
        for name, people in everyone.items():
            told = f"high UBIGINT, low UBIGINT, version INTEGER, {columns[name]}"
            connection.execute(f"CREATE TABLE {name} ({told})")
            for row in people:
                marks = ", ".join("?" * len(row))
                connection.execute(f"INSERT INTO {name} VALUES ({marks})", row)
        connection.execute("DELETE FROM meta WHERE name LIKE 'bundles of %'")
        connection.execute("UPDATE meta SET value = '3'::BLOB WHERE name = 'schema version'")


def to_form_2(path):
    """Make a store's tables what form 2 had: pasts in lists, and no traces."""
    to_form_3(path)
    with duckdb.connect(str(path)) as connection:
        old = connection.execute("SELECT high, low, version, seen_at, past FROM pasts").fetchall()
        connection.execute("DROP TABLE pasts")
        connection.execute(
            "CREATE TABLE pasts (high UBIGINT, low UBIGINT, version INTEGER, seen_at DOUBLE,"
            " places INTEGER[], weights FLOAT[], codes INTEGER[], beliefs FLOAT[])"
        )
        for *first, past in old:
            words = [*first, *_lists(past)]
            connection.execute("INSERT INTO pasts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", words)
        connection.execute("DROP TABLE traces")
        connection.execute("UPDATE meta SET value = '2'::BLOB WHERE name = 'schema version'")


def _everyone(bundles, kind):
    """Go through the rows of form 3."""
    told = told_plainly if kind is PASTS else told_as_columns
    for bundle in bundles.listed:
        for portion in bundles.pieces(bundle):
            for row in told(portion, bundle.number).to_pylist():
                first = [row["high"], row["low"], row["bundle"]]
                yield first + (
                    [row["seen_at"], _bytes(row)] if kind is PASTS else [*row.values()][3:]
                )


def _bytes(row):
    """Return a past as form 3 wrote it: 32-bit words, the number of places first."""
    places, codes = row["places"], row["codes"]
    kinds = f"<i{len(places)}i{len(places)}f{len(codes)}i{len(codes)}f"
    numbers = (*places, *row["weights"], *codes, *row["beliefs"])
    return struct.pack(kinds, len(places), *numbers)


def _lists(past):
    """Return places, weights, codes and beliefs from the bytes of form 3."""
    (count,) = struct.unpack_from("<i", past)
    possible = (len(past) // 4 - 1 - 2 * count) // 2
    found = struct.unpack(f"<i{count}i{count}f{possible}i{possible}f", past)[1:]
    cuts = (0, count, 2 * count, 2 * count + possible, len(found))
    return [list(found[begin:end]) for begin, end in itertools.pairwise(cuts)]
