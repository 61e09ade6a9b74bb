"""Tables of cells between delimiters: CSV and its relatives, compressed or not."""

from __future__ import annotations

import codecs
import csv
import io
import lzma
import mmap
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, cast

import pyarrow as pa
import pyarrow.csv

from seriatim.errors import SchemaError, TableError, at_positions
from seriatim.microdata.inferred import inferred
from seriatim.microdata.plain_files import PlainFile, open_plain
from seriatim.microdata.plain_tables import read_plain
from seriatim.microdata.tables import require_columns

DELIMITERS = (",", ";", "\t", "|")
"""The delimiters that are looked for."""

COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4", ".xz": "xz"}
"""Compressed files, by the end of their names."""

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins with the mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE_CHARACTERS = 2**20
_SAMPLE_RECORDS = 50
_ROW_NAMES = "\0"  # a title that no column has


@dataclass(frozen=True)
class _Layout:
    """How a file is written."""

    encoding: str
    """How its bytes become letters."""

    delimiter: str
    """What stands between cells."""

    names: list[str]
    """The columns, in the order of the cells."""

    header_lines: int
    """Lines up to the end of the header."""

    rows: int
    """Rows that were seen below the header; there may be more."""


def read_delimited(
    file: Path,
    *,
    columns: Sequence[str] | None = None,
    text: Collection[str] | None = (),
    missing: Collection[str] = ("",),
    encoding: str | None = None,
    delimiter: str | None = None,
) -> pa.Table:
    """Read a table whose first line names the columns.

    Columns in ``text``, or all where it is None, stay as they are written. A header of one
    cell less than the rows is R's way to leave the row names without a title; they are
    dropped.
    """
    layout = _layout(file, encoding or encoding_of(file), delimiter)
    kept = [name for name in layout.names if name != _ROW_NAMES]
    wanted = kept if columns is None else list(columns)
    require_columns(kept, wanted)
    require_columns(wanted, text or ())
    if not layout.rows:
        return pa.table({name: pa.array([], pa.string()) for name in wanted})
    table = _read_plain(file, layout, wanted, text, missing)
    if table is not None:
        return table
    convert = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(layout.names, pa.string()),
        include_columns=wanted,
        null_values=list(missing),
        strings_can_be_null=text is not None,
    )
    table = _read(file, layout, convert)
    if text is None:
        return table
    return pa.table(
        {name: table[name] if name in text else inferred(table[name]) for name in wanted}
    )


def open_bytes(file: Path) -> BinaryIO:
    """Open a file to read its bytes, unpacked where its name says that it is compressed."""
    compression = COMPRESSIONS.get(file.suffix.lower())
    if compression == "xz":
        return cast(BinaryIO, lzma.open(file))
    if compression is None:
        return file.open("rb")
    return cast(BinaryIO, pa.input_stream(str(file), compression=compression))


def encoding_of(file: Path) -> str:
    """Return the encoding that a file's first bytes name; UTF-8 where they name none."""
    with open_bytes(file) as stream:
        head = stream.read(4)
    marks = (encoding for mark, encoding in _BYTE_ORDER_MARKS if head.startswith(mark))
    return next(marks, "utf-8-sig")


def read_characters(file: Path, encoding: str, most: int = -1) -> str:
    """Return a file's text, up to a number of characters."""
    try:
        codecs.lookup(encoding)
    except LookupError:
        message = (
            f"No encoding is called {encoding!r}. Usual ones are 'utf-8', 'utf-16', 'cp1252'"
            " and 'latin-1'."
        )
        raise SchemaError(message) from None
    try:
        with open_bytes(file) as stream, io.TextIOWrapper(stream, encoding, newline="") as lines:
            return lines.read(most)
    except UnicodeError:
        raise _not_encoded(file, encoding) from None


def _layout(file: Path, encoding: str, delimiter: str | None) -> _Layout:
    """Find out how a file is written from its first records."""
    sample = read_characters(file, encoding, _SAMPLE_CHARACTERS).removeprefix("\ufeff")
    if "\0" in sample:  # every other byte of UTF-16
        raise _not_encoded(file, encoding)
    if delimiter is not None and not _may_delimit(delimiter):
        message = (
            f"A delimiter is one ASCII character, such as ';', and no quote or end of a line;"
            f" not {delimiter!r}."
        )
        raise SchemaError(message)
    possible = DELIMITERS if delimiter is None else (delimiter,)
    best = max(possible, key=lambda one: _fit(sample, one))
    records, header_lines = _records(sample, best)
    names = records[0] if records else []
    rows = records[1:]
    all_differ = len({row[0] for row in rows}) == len(rows)
    if rows and all_differ and all(len(row) == len(names) + 1 for row in rows):
        names = [_ROW_NAMES, *names]
    if not names or len(set(names)) < len(names):
        message = f"{file.name} has columns without a name, or two of one name. Name each column."
        raise TableError(message)
    return _Layout(encoding, best, names, header_lines, len(rows))


def _may_delimit(delimiter: str) -> bool:
    return len(delimiter) == 1 and delimiter.isascii() and delimiter not in '"\r\n\0'


def _records(sample: str, delimiter: str) -> tuple[list[list[str]], int]:
    """Return the first records that are not empty, and the lines that the first one takes."""
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    header = next((record for record in reader if record), None)
    if header is None:
        return [], 0
    header_lines = reader.line_num
    rows = (record for record in reader if record)
    return [header, *islice(rows, _SAMPLE_RECORDS)], header_lines


def _fit(sample: str, delimiter: str) -> tuple[bool, int, int]:
    """Tell how well a delimiter fits: no quotes torn; rows like the header, or R's; more cells."""
    if delimiter not in sample and '"' not in sample:
        return True, 0, 1
    records, _ = _records(sample, delimiter)
    lengths = [len(record) for record in records] or [0]
    torn = any(cell.count('"') % 2 for record in records for cell in record)
    same = len(set(lengths)) == 1 and lengths[0] > 1
    row_names = len(set(lengths[1:])) == 1 and lengths[1] == lengths[0] + 1
    return not torn, 2 if same else 1 if row_names else 0, lengths[0]


def _read_plain(
    file: Path,
    layout: _Layout,
    wanted: Sequence[str],
    text: Collection[str] | None,
    missing: Collection[str],
) -> pa.Table | None:
    """Read a large plain file; None where it is another, and left to Arrow."""
    plain = _open_plain(file, layout)
    return None if plain is None else read_plain(plain, layout.names, wanted, text, missing)


def _open_plain(file: Path, layout: _Layout) -> PlainFile | None:
    if file.suffix.lower() in COMPRESSIONS or layout.encoding != "utf-8-sig":
        return None
    return open_plain(
        file,
        header_lines=layout.header_lines,
        delimiter=layout.delimiter,
        n_columns=len(layout.names),
    )


def _read(file: Path, layout: _Layout, convert: Any) -> pa.Table:
    wrong: list[tuple[int, int, int | None]] = []
    # Without quotes no cell has several lines, and pieces of the file are read side by side.
    quoted = _may_have_quotes(file, layout)

    def refuse(row: Any) -> str:
        wrong.append((row.expected_columns, row.actual_columns, row.number))
        return "error"

    def attempt(*, use_threads: bool) -> pa.Table:
        with open_bytes(file) as stream:
            return pyarrow.csv.read_csv(
                stream,
                pyarrow.csv.ReadOptions(
                    skip_rows=layout.header_lines,
                    column_names=layout.names,
                    encoding="utf8" if layout.encoding == "utf-8-sig" else layout.encoding,
                    use_threads=use_threads,
                ),
                pyarrow.csv.ParseOptions(
                    delimiter=layout.delimiter,
                    newlines_in_values=quoted,
                    invalid_row_handler=refuse,
                ),
                convert,
            )

    try:
        try:
            return attempt(use_threads=True)
        except pa.ArrowInvalid:
            if not wrong:
                raise
            wrong.clear()
            return attempt(use_threads=False)  # slower, and tells which row it is
    except UnicodeError:
        raise _not_encoded(file, layout.encoding) from None
    except pa.ArrowInvalid as error:
        if wrong:
            raise _ragged(file, layout, *wrong[0]) from None
        if "UTF8" in str(error):
            raise _not_encoded(file, layout.encoding) from None
        raise


def _may_have_quotes(file: Path, layout: _Layout) -> bool:
    """Tell whether there may be quotes below the header; compressed files are not searched."""
    if file.suffix.lower() in COMPRESSIONS or layout.encoding != "utf-8-sig":
        return True
    with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as text:
        below = 0
        for _ in range(layout.header_lines):
            below = text.find(b"\n", below) + 1
        return text.find(b'"', below) >= 0


def _ragged(
    file: Path, layout: _Layout, expected: int, actual: int, number: int | None
) -> TableError:
    where = f", at {at_positions([number - 1 - layout.header_lines])}" if number else ""
    return TableError(
        f"{file.name} has {expected} cells to a row by its header, and {actual} in another"
        f" row{where}. The delimiter was taken to be {layout.delimiter!r}: correct the row, put"
        " cells that contain it in double quotes, or say delimiter=."
    )


def _not_encoded(file: Path, encoding: str) -> TableError:
    name = "UTF-8" if encoding == "utf-8-sig" else encoding
    return TableError(
        f"{file.name} was read as {name}, and some of its bytes are not. Say how it is"
        ' written: encoding="cp1252" (Windows), "latin-1" or "utf-16-le", or save it as UTF-8.'
    )
