"""A store in one file: releases, and what the simulated reader believes after them.

The file holds no respondent's id: people are known by a keyed digest of theirs. What
is remembered of a respondent is written anew with every release they are in, and
older versions are swept out when they outnumber the living, so that a release costs
what its view costs and the file stays within a small multiple of what it must hold.

Tables: ``meta`` (names and values), ``releases``, ``pasts``, ``contexts`` (what was
learned from the views, by respondent), ``counts`` (the same, in sum), ``places`` (what
the partitioner remembers of respondents) and ``traces`` (what the watch follows of the last
releases).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa

from seriatim._typing import Instant, IntArray
from seriatim.errors import OrderError, StoreError
from seriatim.knowledge.learning import require_unchanged
from seriatim.microdata.history import History
from seriatim.microdata.keys import respondent_keys
from seriatim.microdata.schema import Schema
from seriatim.publish.duckdb_file import (
    connected,
    copy_database,
    copy_file,
    private_folder,
    require_place,
    require_sealed,
    told_plainly,
)
from seriatim.publish.duckdb_memory import DuckDBMemory, DuckDBNotebook
from seriatim.publish.duckdb_register import DuckDBRegister
from seriatim.publish.duckdb_traces import DuckDBTraces
from seriatim.publish.extension import Extension
from seriatim.publish.lock import Lock
from seriatim.publish.past_records import folded_pasts, unfolded_pasts
from seriatim.publish.records import (
    read_instant,
    read_release_record,
    read_schema,
    write_instant,
    write_release,
    write_schema,
)
from seriatim.publish.seal import Key, seal, unseal
from seriatim.publish.store import Entry, Step
from seriatim.publish.traces import Trace

SCHEMA_VERSION = 3
"""The form of the tables; a file of a newer form is refused, an older one is migrated."""

# Packing numbers that are read at every release costs more than it saves.
_TRACES = """
CREATE TABLE traces (
    release INTEGER, people INTEGER, name VARCHAR, content BLOB USING COMPRESSION uncompressed
);
"""

_BY_RESPONDENT = {
    # Compressing bytes that look like noise takes longer than writing them.
    "pasts": "seen_at DOUBLE, past BLOB USING COMPRESSION uncompressed",
    "contexts": "context BIGINT",
    "places": "place BIGINT",
}
"""Tables with a row for every time that something of a respondent was written: what they have
besides the respondent's key and the version."""

_TABLES = """
CREATE TABLE meta (name VARCHAR, value BLOB);
CREATE TABLE releases (
    number INTEGER, instant VARCHAR, release BLOB, view BLOB, record VARCHAR,
    counterfeits VARCHAR
);
CREATE TABLE counts (cell BIGINT, times BIGINT);
"""

_MIGRATIONS: dict[int, str] = {
    1: """
CREATE TABLE places (high UBIGINT, low UBIGINT, version INTEGER, place BIGINT);
ALTER TABLE releases ADD COLUMN counterfeits VARCHAR DEFAULT '[]';
""",
    2: _TRACES,  # and the lists of pasts become bytes
}
"""From each older form, the statements that lead to the next."""


class DuckDBStore:
    """A series in a DuckDB file."""

    def __init__(self, path: str | Path, *, key: Key | None = None, wait: float = 0.0) -> None:
        """Open a store, or begin one; others are kept out until it is closed.

        With a key the file is sealed: encrypted and authenticated whenever it is at rest. It
        is worked on in a private folder, in memory where the system has such, and sealed
        again by every commit. A sealed file is never opened without its key, nor a plain
        one with a key.
        """
        self._path = Path(path)
        self._key = key
        require_place(self._path)
        self._lock = Lock(self._path.with_name(self._path.name + ".lock"), wait=wait)
        self._workshop: Path | None = None
        try:
            require_sealed(self._path, sealed=key is not None)
            self._connection = connected(self._unsealed())
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise
        except BaseException:
            self._clear()
            raise

    def __repr__(self) -> str:
        """Say where it is."""
        return f"DuckDBStore({str(self._path)!r})"

    def __enter__(self) -> DuckDBStore:
        """Keep the store open."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the store."""
        self.close()

    def close(self) -> None:
        """Let others open the file; doing so twice does nothing."""
        self._connection.close()
        self._clear()

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    @property
    def history(self) -> History:
        """The releases made so far."""
        rows = self._rows("SELECT release FROM releases ORDER BY number")
        return History(tuple(read_release_record(record) for (record,) in rows))

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What is recorded of each release."""
        rows = self._rows(
            "SELECT instant, view, record, counterfeits FROM releases ORDER BY number"
        )
        return tuple(
            Entry(
                read_instant(at),
                view,
                json.loads(record),
                tuple((group, code) for group, code in json.loads(added)),
            )
            for at, view, record, added in rows
        )

    @property
    def n_releases(self) -> int:
        """How many releases were made."""
        return int(self._rows("SELECT count(*) FROM releases")[0][0])

    @property
    def last_instant(self) -> Instant | None:
        """When the last release was made; None before the first."""
        rows = self._rows("SELECT instant FROM releases ORDER BY number DESC LIMIT 1")
        return read_instant(rows[0][0]) if rows else None

    @property
    def schema(self) -> Schema | None:
        """The schema of the series, every domain settled; None before the first release."""
        found = self.meta("schema")
        return None if found is None else read_schema(found.decode())

    @property
    def memory(self) -> DuckDBMemory:
        """What the simulated reader remembers."""
        return DuckDBMemory(self)

    @property
    def notebook(self) -> DuckDBNotebook:
        """What the simulated reader learned from the views."""
        return DuckDBNotebook(self)

    @property
    def register(self) -> DuckDBRegister:
        """What the partitioner remembers."""
        return DuckDBRegister(self)

    @property
    def traces(self) -> tuple[Trace, ...]:
        """What is followed of the last releases."""
        return DuckDBTraces(self).read()

    @property
    def secret(self) -> bytes:
        """The secret of the series, drawn when it begins."""
        found = self.meta("secret")
        assert found is not None
        return found

    def commit(self, step: Step) -> None:
        """Add all of a step or nothing of it."""
        with self._transaction():
            if step.lesson is not None:
                require_unchanged(self.notebook, step.lesson)
            step.impression.remember_in(self.memory)
            if step.lesson is not None:
                self.notebook.keep(step.lesson)
            if step.enrolment is not None:
                self.register.keep(step.enrolment)
            DuckDBTraces(self).keep(step.traces)
            self._run(
                "INSERT INTO releases SELECT count(*), ?, ?, ?, ?, ? FROM releases",
                [
                    write_instant(step.release.at),
                    write_release(step.release),
                    step.view_digest,
                    json.dumps(step.record),
                    json.dumps(step.counterfeits),
                ],
            )
            self.set_meta("schema", write_schema(step.schema).encode())
        self._sweep()
        self._seal()

    def forget(self, respondents: pa.Array) -> int:
        """Remove every trace of respondents from the store; return how many it knew.

        The file is written anew without them: nothing is left in freed space. What was
        counted over all views stays, as sums that name nobody.
        """
        high, low = self.keys(respondents)
        asked = pa.table({"high": high, "low": low})
        known = self.table(
            "SELECT count(DISTINCT (high, low)) AS people FROM"
            " (SELECT high, low FROM pasts UNION ALL SELECT high, low FROM contexts"
            " UNION ALL SELECT high, low FROM places) JOIN asked USING (high, low)",
            asked=asked,
        )
        with told_plainly(self._path), self._registered({"asked": asked}), self._transaction():
            for name in _BY_RESPONDENT:
                self._connection.execute(
                    f"DELETE FROM {name} USING asked"
                    f" WHERE {name}.high = asked.high AND {name}.low = asked.low"
                )
            DuckDBTraces(self).forget(respondents, self.secret)
        self._rewrite()
        self._seal()
        return int(known.column("people")[0].as_py())

    def extend(self, extension: Extension) -> None:
        """Carry everything that is remembered over to a larger sensitive domain."""
        with self._transaction():
            self.set_meta("schema", write_schema(extension.schema).encode())
            if self.meta("structure") is not None and extension.places is not None:
                moved = unfolded_pasts(self.table("SELECT * FROM pasts"))
                places = moved.column("places").combine_chunks()
                carried = extension.places[places.values.to_numpy()].astype(np.int32)
                lists = pa.LargeListArray.from_arrays(places.offsets, pa.array(carried))
                column = moved.column_names.index("places")
                moved = moved.set_column(column, "places", lists)
                self._replace("pasts", folded_pasts(moved))
                self.set_meta("structure", extension.structure)
                self.set_meta("values", str(len(extension.schema.sensitive.domain)).encode())
            if self.number("size of counts") and extension.contexts is not None:
                moved = self.table("SELECT * FROM contexts")
                column = moved.column_names.index("context")
                contexts = extension.contexts[moved.column("context").to_numpy()]
                self._replace("contexts", moved.set_column(column, "context", pa.array(contexts)))
                counted = self.table("SELECT * FROM counts")
                cells = extension.moved_cells(counted.column("cell").to_numpy())
                self._replace("counts", counted.set_column(0, "cell", pa.array(cells)))
                self.set_meta("size of counts", str(extension.size).encode())
            if extension.places is not None:
                DuckDBTraces(self).extend(extension.places)
        self._seal()

    def _replace(self, name: str, rows: pa.Table) -> None:
        self._run(f"DELETE FROM {name}")
        self.insert(name, rows)

    def copy_to(self, target: Path) -> None:
        """Write the store, as it is at rest, to another file."""
        self.settle()
        copy_file(self._path, target)

    def _rewrite(self) -> None:
        """Write the file anew, without what was deleted from it."""
        self.settle()
        self._connection.close()
        fresh = self.working.with_name(self.working.name + ".part")
        fresh.unlink(missing_ok=True)
        copy_database(self.working, fresh)
        with told_plainly(self._path):
            fresh.chmod(0o600)
            fresh.replace(self.working)
        self._connection = connected(self.working)

    def settle(self) -> None:
        """Bring everything that was committed into the file itself."""
        self._run("CHECKPOINT")

    @property
    def working(self) -> Path:
        """The file that is worked on: the store itself, or its content in a private folder."""
        return self._path if self._workshop is None else self._workshop / "store.duckdb"

    def _unsealed(self) -> Path:
        """Return the file to work on: the store itself, or its content in a private folder."""
        if self._key is None:
            return self._path
        self._workshop = private_folder(self._path)
        if self._path.exists():
            unseal(self._path, self.working, self._key)
        return self.working

    def _seal(self) -> None:
        """Bring what was committed to rest; until then a sealed store is as it was."""
        if self._key is not None and self._workshop is not None:
            self.settle()
            seal(self.working, self._path, self._key)

    def _clear(self) -> None:
        """Remove the private folder, and let others in."""
        if self._workshop is not None:
            shutil.rmtree(self._workshop, ignore_errors=True)
            self._workshop = None
        self._lock.release()

    # What memory, notebook and the store's own tools share.

    def meta(self, name: str) -> bytes | None:
        """Return a value kept under a name."""
        rows = self._rows("SELECT value FROM meta WHERE name = ?", [name])
        return rows[0][0] if rows else None

    def set_meta(self, name: str, value: bytes) -> None:
        """Keep a value under a name."""
        self._run("DELETE FROM meta WHERE name = ?", [name])
        self._run("INSERT INTO meta VALUES (?, ?)", [name, value])

    def number(self, name: str) -> int:
        """Return a number kept under a name; 0 where there is none."""
        found = self.meta(name)
        return 0 if found is None else int(found)

    def keys(self, respondents: pa.Array) -> tuple[pa.Array, pa.Array]:
        """Return the keyed digests of ids, as two columns of numbers."""
        secret = hashlib.blake2b(self.secret, digest_size=32, person=b"respondents").digest()
        digests = respondent_keys(respondents, secret)
        words = np.frombuffer(digests.buffers()[1], dtype=">u8")
        words = words[2 * digests.offset : 2 * (digests.offset + len(digests))]
        pairs = words.reshape(-1, 2).astype(np.uint64)
        return pa.array(pairs[:, 0]), pa.array(pairs[:, 1])

    def require_kind_of_ids(self, respondents: pa.Array) -> None:
        """Refuse ids of another kind than before: nobody would be recognized."""
        is_text = pa.types.is_string(respondents.type)
        found = self.meta("ids are texts")
        if found is not None and bool(int(found)) != is_text:
            words = ("numbers", "texts") if is_text else ("texts", "numbers")
            message = (
                f"Respondents were {words[0]} in earlier releases and are {words[1]} now; they"
                " could not be recognized. Use one kind of id for a whole series."
            )
            raise OrderError(message)

    def table(self, query: str, **tables: pa.Table) -> pa.Table:
        """Run a query over the store and some tables of one's own."""
        with told_plainly(self._path), self._registered(tables):
            return self._connection.sql(query).to_arrow_table()

    def latest(self, name: str, column: str, respondents: pa.Array) -> tuple[IntArray, IntArray]:
        """Return who of some respondents has rows in a table, and a column of the newest ones."""
        rows, versions, values = self._matched(name, column, respondents)
        best = _greatest(rows, versions, len(respondents))
        return rows[best], values[best]

    def newest(self, name: str, respondents: pa.Array) -> tuple[IntArray, IntArray]:
        """Return who of some respondents has rows in a table, and where the newest ones are."""
        return self.latest(name, "rowid", respondents)

    def _matched(
        self, name: str, column: str, respondents: pa.Array
    ) -> tuple[IntArray, IntArray, IntArray]:
        """Return all rows of some respondents: of whom, of which version, and a column."""
        high, low = self.keys(respondents)
        asked = pa.table({"high": high, "low": low, "row": pa.array(np.arange(len(respondents)))})
        found = self.table(
            f"SELECT row, version, {name}.{column} AS found FROM asked JOIN {name}"
            " USING (high, low)",
            asked=asked,
        )
        return (
            found.column("row").to_numpy(),
            found.column("version").to_numpy(),
            found.column("found").to_numpy(),
        )

    def run(self, statement: str, values: list[Any] | None = None) -> None:
        """Run a statement."""
        self._run(statement, values)

    def insert(self, name: str, rows: pa.Table) -> None:
        """Append rows to a table."""
        with told_plainly(self._path), self._registered({"rows": rows}):
            self._connection.execute(f"INSERT INTO {name} BY NAME SELECT * FROM rows")

    @contextlib.contextmanager
    def _registered(self, tables: dict[str, pa.Table]) -> Iterator[None]:
        for name, table in tables.items():
            self._connection.register(name, table)
        try:
            yield
        finally:
            for name in tables:
                self._connection.unregister(name)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._run("BEGIN")
        try:
            yield
            self._run("COMMIT")
        except BaseException:
            with contextlib.suppress(StoreError):
                self._run("ROLLBACK")
            raise

    def _run(self, statement: str, values: list[Any] | None = None) -> None:
        with told_plainly(self._path):
            self._connection.execute(statement, values)

    def _rows(self, query: str, values: list[Any] | None = None) -> list[tuple[Any, ...]]:
        with told_plainly(self._path):
            return self._connection.execute(query, values).fetchall()

    def _prepare(self) -> None:
        """Make the tables of a new store, or see that those of an old one can be read."""
        found = self._rows("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'meta'")
        if found[0][0] == 0:
            with self._transaction():
                self._run(_TABLES + _TRACES)
                for name in _BY_RESPONDENT:
                    self._make_table(name)
                self.set_meta("schema version", str(SCHEMA_VERSION).encode())
                self.set_meta("secret", secrets.token_bytes(32))
            self._seal()
            return
        version = self.number("schema version")
        if version > SCHEMA_VERSION:
            message = (
                f"{self._path.name} was written by a newer seriatim (form {version}, this one"
                f" knows {SCHEMA_VERSION}). Use that version, or a newer one."
            )
            raise StoreError(message)
        while version < SCHEMA_VERSION:
            if version not in _MIGRATIONS:
                message = f"{self._path.name} is no store of seriatim."
                raise StoreError(message)
            with self._transaction():
                self._run(_MIGRATIONS[version])
                if version == 2:
                    self._fold_pasts()
                version += 1
                self.set_meta("schema version", str(version).encode())

    def _make_table(self, name: str, called: str | None = None) -> None:
        """Make one of the tables that are written by respondent, under its name or another."""
        self._run(
            f"CREATE TABLE {called or name}"
            f" (high UBIGINT, low UBIGINT, version INTEGER, {_BY_RESPONDENT[name]})"
        )

    def _fold_pasts(self) -> None:
        """Write what older stores keep in lists as bytes."""
        old = self.table("SELECT * FROM pasts")
        self._run("DROP TABLE pasts")
        self._make_table("pasts")
        if old.num_rows:
            self.insert("pasts", folded_pasts(old))

    def _sweep(self) -> None:
        """Remove what newer versions replaced, once there is more of it than of what counts."""
        for name in _BY_RESPONDENT:
            # Near enough, and a hundred times faster than counting.
            ((rows, people),) = self._rows(
                f"SELECT count(*), approx_count_distinct(high) FROM {name}"
            )
            if rows > 2 * people + 1000:
                with self._transaction():
                    self._make_table(name, "swept")
                    self._run(
                        f"INSERT INTO swept SELECT {name}.* FROM {name} JOIN"
                        f" (SELECT high, low, max(version) AS version FROM {name}"
                        " GROUP BY high, low) USING (high, low, version)"
                    )
                    self._run(f"DROP TABLE {name}")
                    self._run(f"ALTER TABLE swept RENAME TO {name}")


def _greatest(rows: IntArray, versions: IntArray, length: int) -> IntArray:
    """Return where each row number has its greatest version; a version has each row once."""
    newest = np.full(length, -1, dtype=versions.dtype)
    np.maximum.at(newest, rows, versions)
    return np.flatnonzero(versions == newest[rows])
