"""Tables in databases: SQLite by the standard library, PostgreSQL by its ADBC driver.

An address names the database, and after two colons the table:

    sqlite:///people.db::patients               a file, relative to the working folder
    sqlite:////data/people.db::patients         a file, from the root
    postgresql://user@host/hospital::patients   a table on the search path
    postgresql://user@host/hospital::ward.patients

Names are written as the database stores them. Nothing is ever written to a database, and
no message repeats an address: it may have a password in it. PostgreSQL also takes one from
the environment (PGPASSWORD) or from its own file (.pgpass). Its times with a zone come in UTC.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa

from seriatim.errors import SchemaError, TableError, did_you_mean, listed
from seriatim.microdata.inferred import inferred
from seriatim.microdata.tables import require_columns

_ROWS_AT_ONCE = 2**16
_AS_THEY_ARE = ("bool", "int2", "int4", "int8", "float4", "float8", "text", "varchar", "date")
_TIMES = ("timestamp", "timestamptz")
_REASONS = (
    ("authentication failed", "the user or the password was refused"),
    ("no password supplied", "a password is needed, and none was given"),
    ("does not exist", "the server has no such database or user"),
    ("could not translate host name", "no host of this name was found"),
    ("refused", "no server answered"),
)


def is_address(source: str) -> bool:
    """Tell whether a source is a database's address."""
    return "://" in source


def read_database(source: str, *, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a table of a database, or some of its columns."""
    scheme = source.partition("://")[0]
    address, _, table = source.rpartition("::")
    known = scheme in ("sqlite", "postgresql", "postgres")
    if not known or not table or not address or set(table) & set("@/?"):
        message = (
            "The address names no table of a database that can be read. Write"
            " sqlite:///people.db::patients or postgresql://user@host/hospital::ward.patients,"
            " with the table after two colons."
        )
        raise TableError(message)
    if scheme == "sqlite":
        return _read_sqlite(address, table, columns)
    return _read_postgresql(address, table, columns)


def _read_sqlite(address: str, table: str, columns: Sequence[str] | None) -> pa.Table:
    path = Path(address.removeprefix("sqlite:///"))
    if not address.startswith("sqlite:///") or not path.is_file():
        message = (
            f"There is no database file {path.name!r}. Write sqlite:///people.db::patients for a"
            " file in the working folder, sqlite:////data/people.db::patients for one elsewhere."
        )
        raise TableError(message)
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as base:
            base.isolation_level = None
            base.execute("BEGIN")  # all that follows sees one state of the database
            return _sqlite_table(base, table, columns)
    except (sqlite3.Error, pa.ArrowException):
        message = f"{path.name} could not be read: not a SQLite database, or a damaged one."
        raise TableError(message) from None


def _sqlite_table(base: sqlite3.Connection, table: str, columns: Sequence[str] | None) -> pa.Table:
    names = [name for (name,) in base.execute("SELECT name FROM pragma_table_info(?)", [table])]
    if not names:
        known = base.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
        )
        raise _no_table(table, [name for (name,) in known])
    wanted = names if columns is None else list(columns)
    require_columns(names, wanted)
    kinds = ", ".join(f"group_concat(DISTINCT typeof({_quoted(name)}))" for name in wanted)
    found = base.execute(f"SELECT {kinds} FROM {_quoted(table)}").fetchone()
    fields = [
        pa.field(name, _sqlite_type(name, set((kinds or "").split(",")) - {"null", ""}))
        for name, kinds in zip(wanted, found, strict=True)
    ]
    cells = ", ".join(
        f"CAST({_quoted(one.name)} AS TEXT)" if pa.types.is_string(one.type) else _quoted(one.name)
        for one in fields
    )
    cursor = base.execute(f"SELECT {cells} FROM {_quoted(table)}")
    batches = []
    while rows := cursor.fetchmany(_ROWS_AT_ONCE):
        arrays = [
            pa.array(column, field.type)
            for column, field in zip(zip(*rows, strict=True), fields, strict=True)
        ]
        batches.append(pa.record_batch(arrays, schema=pa.schema(fields)))
    return pa.Table.from_batches(batches, pa.schema(fields))


def _sqlite_type(name: str, kinds: set[str]) -> pa.DataType:
    """Return what all cells of a column can be: in SQLite each has a type of its own."""
    if "blob" in kinds:
        message = f"Column {name!r} holds bytes. Leave it out: columns=[...] names those to read."
        raise TableError(message)
    if kinds and kinds <= {"integer", "real"}:
        return pa.int64() if kinds == {"integer"} else pa.float64()
    return pa.string()


def _read_postgresql(address: str, table: str, columns: Sequence[str] | None) -> pa.Table:
    try:
        import adbc_driver_manager
        from adbc_driver_postgresql import dbapi
    except ImportError:
        message = (
            "Tables of PostgreSQL need adbc-driver-postgresql."
            ' Install it: pip install "seriatim[databases]".'
        )
        raise TableError(message) from None
    try:
        with dbapi.connect(address) as base, base.cursor() as cursor:
            return _postgresql_table(cursor, table, columns)
    except adbc_driver_manager.Error as error:
        # The driver's message may show cells; it is looked at, neither repeated nor chained.
        words = str(error)
        reason = next((reason for sign, reason in _REASONS if sign in words), None)
        message = (
            f"The PostgreSQL database could not be read: {reason or 'the server refused'}."
            " Check user, password, host and database of the address, and the right to read."
        )
        raise TableError(message) from None


def _postgresql_table(cursor: Any, table: str, columns: Sequence[str] | None) -> pa.Table:
    place = ".".join(_quoted(part) for part in table.split(".", 1))
    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
    cursor.execute(
        "SELECT attname::text, typname::text FROM pg_attribute"
        " JOIN pg_type ON pg_type.oid = atttypid"
        " WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
        parameters=(place,),
    )
    kinds = dict(cursor.fetchall())
    if not kinds:
        cursor.execute(
            "SELECT CASE WHEN schemaname = 'public' THEN tablename"
            " ELSE schemaname || '.' || tablename END FROM pg_tables"
            " WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1"
        )
        raise _no_table(table, [name for (name,) in cursor.fetchall()])
    wanted = list(kinds) if columns is None else list(columns)
    require_columns(kinds, wanted)
    plain = (*_AS_THEY_ARE, *_TIMES)
    cells = ", ".join(
        _quoted(name) if kinds[name] in plain else f"{_quoted(name)}::text AS {_quoted(name)}"
        for name in wanted
    )
    cursor.execute(f"SELECT {cells} FROM {place}")
    read = cursor.fetch_arrow_table()
    return pa.table(
        {name: inferred(read[name]) if kinds[name] == "numeric" else read[name] for name in wanted}
    )


def _no_table(table: str, known: list[str]) -> SchemaError:
    return SchemaError(
        f"The database has no table {table!r}; it has {listed(known)}.{did_you_mean(table, known)}"
    )


def _quoted(name: str) -> str:
    """Write a name so that SQL takes it for nothing else."""
    return '"' + name.replace('"', '""') + '"'
