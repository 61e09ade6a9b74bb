"""Where tables come from: files of many kinds, and databases."""

from __future__ import annotations

import csv
import errno
import lzma
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from seriatim.errors import MissingFileError, TableError, listed
from seriatim.microdata.databases import is_address, read_database
from seriatim.microdata.delimited import read_delimited
from seriatim.microdata.tables import require_columns, to_text
from seriatim.microdata.unpacking import COMPRESSIONS, too_large, unpacked_limit
from seriatim.microdata.workbooks import read_workbook

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

_DELIMITED = (".csv", ".tsv", ".tab", ".txt")
_PARQUET = (".parquet", ".pq")
_ARROW = (".arrow", ".feather", ".ipc", ".arrows")
_WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_DATABASES = (".db", ".sqlite", ".sqlite3")


def open_table(
    source: str | Path,
    *,
    columns: Sequence[str] | None = None,
    text: Collection[str] = (),
    missing: Collection[str] = ("",),
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
) -> pa.Table:
    r"""Read a table from a file or a database.

    Files are told by the end of their names: delimited texts (``.csv``, ``.tsv``, ``.tab``,
    ``.txt``, also compressed: ``.csv.gz``, ``.bz2``, ``.zst``, ``.lz4``, ``.xz``), Parquet,
    Arrow and Feather, Excel and OpenDocument. Databases are told by their address, which names
    the table after two colons: ``sqlite:///people.db::patients`` (four slashes for a path from
    the root), ``postgresql://user@host/hospital::ward.patients``.

    In delimited texts, the delimiter is found among ``, ; tab |`` and the encoding is UTF-8, or
    UTF-16 where the first bytes say so; ``delimiter`` and ``encoding`` name others. A column
    becomes numbers or dates where all its cells are; codes such as ``00123`` and ids of many
    digits stay texts. Row names of R, a first column without a title, are dropped.

    ``columns`` names those to read; ``text`` those to keep as texts whatever they look like;
    ``missing`` the cells of a delimited text that mean no value; ``sheet`` the sheet of a
    workbook that has several.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "people.csv")
    ...     written = file.write_text("id;zip;age\n1;01203;51\n2;01204;\n")
    ...     table = open_table(file)
    >>> table.to_pydict()
    {'id': [1, 2], 'zip': ['01203', '01204'], 'age': [51, None]}
    """
    columns = None if columns is None else list(dict.fromkeys(columns))
    if isinstance(source, str) and is_address(source):
        return _with_texts(read_database(source, columns=columns), text)
    file = Path(source)
    kind = _kind(file)
    with _reading(file):
        if kind not in _DELIMITED:
            return _with_texts(_read_typed(file, kind, columns, sheet), text)
        return read_delimited(
            file,
            columns=columns,
            text=text,
            missing=missing,
            encoding=encoding,
            delimiter=delimiter,
        )


def open_as_text(
    source: str | Path,
    *,
    columns: Sequence[str] | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
) -> pa.Table:
    """Read a table whose cells are words: every cell of a delimited text stays as it is.

    Cells that span lines are not told: a release has them where its values do.
    """
    file = Path(source)
    is_file = not (isinstance(source, str) and is_address(source))
    if not is_file or _kind(file) not in _DELIMITED:
        return open_table(source, columns=columns)
    with _reading(file):
        return read_delimited(
            file, columns=columns, text=None, encoding=encoding, delimiter=delimiter, tell=False
        )


def named_source(source: str | Path, otherwise: str) -> str:
    """Return a file's name for messages; another word for a database, whose address is private."""
    return otherwise if isinstance(source, str) and is_address(source) else Path(source).name


def _kind(file: Path) -> str:
    """Return the end of a file's name that says what it is."""
    inner = Path(file.stem) if file.suffix.lower() in COMPRESSIONS else file
    kind = inner.suffix.lower()
    if kind in _DELIMITED or (inner is file and kind in (*_PARQUET, *_ARROW, *_WORKBOOKS)):
        return kind
    if kind in _DATABASES:
        message = (
            f"{file.name} is a database. Name its table: sqlite:///{file.name}::patients, or"
            " sqlite:////folder/... for a path from the root."
        )
        raise TableError(message)
    possible = (*_DELIMITED, *_PARQUET, *_ARROW, *_WORKBOOKS)
    message = (
        f"{file.name} is no table that can be read; possible are {listed(possible, most=20)},"
        f" the first {len(_DELIMITED)} also with {listed(COMPRESSIONS)}."
    )
    raise TableError(message)


def _read_typed(
    file: Path, kind: str, columns: Sequence[str] | None, sheet: str | None
) -> pa.Table:
    """Read a file whose cells have kinds of their own."""
    if kind in _WORKBOOKS:
        return read_workbook(file, columns=columns, sheet=sheet)
    if kind in _PARQUET:
        from pyarrow.parquet import ParquetFile

        # A file by itself: `read_table` would take folders named year=2026 for columns.
        with ParquetFile(file) as parquet:
            names = parquet.schema_arrow.names
            wanted = names if columns is None else list(columns)
            require_columns(names, wanted)
            _require_fitting(file, parquet, wanted)
            return parquet.read(wanted).select(wanted)
    with pa.memory_map(str(file)) as stream:
        table = _read_arrow(stream)
    wanted = table.column_names if columns is None else list(columns)
    require_columns(table.column_names, wanted)
    return table.select(wanted)


def _require_fitting(file: Path, parquet: ParquetFile, columns: Sequence[str]) -> None:
    """Refuse a file that says of itself that it unpacks to more than it may."""
    told, schema = parquet.metadata, parquet.schema_arrow
    widths = [_width(schema.field(name).type) for name in columns]
    chunks = (
        told.row_group(group).column(place)
        for group in range(told.num_row_groups)
        for place in range(told.num_columns)
    )
    unpacked = sum(
        chunk.total_uncompressed_size
        for chunk in chunks
        if chunk.path_in_schema.partition(".")[0] in columns
    )
    limit = unpacked_limit(file)
    # A run of the same value takes no room in the file, and that of all its rows in memory.
    if max(unpacked, told.num_rows * sum(widths)) > limit:
        raise too_large(file, limit)


def _width(kind: pa.DataType) -> int:
    """Return how many bytes a value takes at least; of a text, where it begins."""
    try:
        return max(int(kind.bit_width) // 8, 1)
    except ValueError:
        return 4


def _read_arrow(stream: pa.NativeFile) -> pa.Table:
    """Read Arrow's form for files, which Feather is as well, or its form for streams."""
    if stream.read(6) == b"ARROW1":
        return pa.ipc.open_file(stream).read_all()
    stream.seek(0)
    return pa.ipc.open_stream(stream).read_all()


def _with_texts(table: pa.Table, text: Collection[str]) -> pa.Table:
    """Return the table with some columns as texts."""
    require_columns(table.column_names, text)
    return pa.table(
        {
            name: to_text(table[name], name) if name in text else table[name]
            for name in table.column_names
        }
    )


@contextmanager
def _reading(file: Path) -> Iterator[None]:
    """Say that a file could not be read, without the library's words: they quote cells."""
    try:
        if not file.exists():
            raise FileNotFoundError(errno.ENOENT, "")
        yield
    except MemoryError:
        raise  # Arrow's is one of its own errors as well
    except (OSError, EOFError, csv.Error, lzma.LZMAError, pa.ArrowException) as error:
        number = error.errno if isinstance(error, OSError) else None
        message = f"{file} could not be read: {os.strerror(number) if number else 'not a table'}."
        missing = isinstance(error, FileNotFoundError)
        raise (MissingFileError if missing else TableError)(message) from None
