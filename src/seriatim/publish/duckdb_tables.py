"""The tables of a store in one DuckDB file, as all who keep something there use them."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from seriatim._typing import WordArray
from seriatim.errors import OrderError, StoreError
from seriatim.publish.duckdb_file import Connection, told_plainly
from seriatim.publish.key_lookup import keyed_words
from seriatim.publish.people_folder import PeopleFolder


class DuckDBTables:
    """Queries, rows and values under names, of an open file; errors are told plainly."""

    def __init__(self, path: Path, connection: Connection, people: PeopleFolder) -> None:
        """Take an open connection, and the files beside it; ``path`` is what errors name."""
        self._path = path
        self._connection = connection
        self.people = people
        """The files of what is remembered of people."""
        self._keyed: tuple[pa.Array, tuple[WordArray, WordArray]] | None = None
        self._values: dict[str, bytes] | None = None

    @property
    def secret(self) -> bytes:
        """The secret of the series, drawn when it begins."""
        found = self.meta("secret")
        assert found is not None
        return found

    def meta(self, name: str) -> bytes | None:
        """Return a value kept under a name."""
        return self._named().get(name)

    def set_meta(self, name: str, value: bytes) -> None:
        """Keep a value under a name."""
        known = self._named()
        if name in known:
            self._run("UPDATE meta SET value = ? WHERE name = ?", [value, name])
        else:
            self._run("INSERT INTO meta VALUES (?, ?)", [name, value])
        known[name] = value

    def _named(self) -> dict[str, bytes]:
        """Return what is kept under names: nobody else changes it while the file is open."""
        if self._values is None:
            self._values = dict(self._rows("SELECT name, value FROM meta"))
        return self._values

    def number(self, name: str) -> int:
        """Return a number kept under a name; 0 where there is none."""
        found = self.meta(name)
        return 0 if found is None else int(found)

    def keys(self, respondents: pa.Array) -> tuple[WordArray, WordArray]:
        """Return the keyed digests of ids, as two words each; those asked for last are kept."""
        if self._keyed is not None and self._keyed[0].equals(respondents):
            return self._keyed[1]
        secret = hashlib.blake2b(self.secret, digest_size=32, person=b"respondents").digest()
        self._keyed = (respondents, keyed_words(respondents, secret))
        return self._keyed[1]

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
    def _aside(self) -> Iterator[DuckDBTables]:
        """Give the tables to read in another thread: a connection is for one at a time."""
        with told_plainly(self._path):
            connection = self._connection.cursor()
        try:
            yield DuckDBTables(self._path, connection, self.people)
        finally:
            connection.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._run("BEGIN")
        try:
            yield
            self._run("COMMIT")
        except BaseException:
            self._values = None
            with contextlib.suppress(StoreError):
                self._run("ROLLBACK")
            raise

    def _run(self, statement: str, values: list[Any] | None = None) -> None:
        with told_plainly(self._path):
            self._connection.execute(statement, values)

    def _rows(self, query: str, values: list[Any] | None = None) -> list[tuple[Any, ...]]:
        with told_plainly(self._path):
            return self._connection.execute(query, values).fetchall()
