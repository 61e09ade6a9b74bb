"""Tables of cells between delimiters: CSV and its relatives, compressed or not."""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import mmap
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from seriatim.errors import SchemaError, TableError, at_positions, warn_of_table
from seriatim.microdata.inferred import inferred
from seriatim.microdata.plain_files import PlainFile, open_plain
from seriatim.microdata.plain_tables import read_plain
from seriatim.microdata.quotes import Quotes, QuoteScan, quotes_in, quotes_of, span_of_rows
from seriatim.microdata.tables import require_columns
from seriatim.microdata.unpacking import COMPRESSIONS, open_bytes

DELIMITERS = (",", ";", "\t", "|")
"""The delimiters that are looked for."""

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins with the mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE_CHARACTERS = 2**20
_GUESSED_CHARACTERS = 2**15
_SAMPLE_RECORDS = 50
_PIECE = 2**20
_ABOUT_QUOTES = (
    "Remove the quote; or, where it belongs to the text, put the whole cell in quotes and write"
    ' two for each inside: "5"" wound".'
)
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

    quotes: Quotes | None
    """What quotes do in the file; None where it has more than was looked at."""


def read_delimited(
    file: Path,
    *,
    columns: Sequence[str] | None = None,
    text: Collection[str] | None = (),
    missing: Collection[str] = ("",),
    encoding: str | None = None,
    delimiter: str | None = None,
    tell: bool = True,
) -> pa.Table:
    """Read a table whose first line names the columns.

    Columns in ``text``, or all where it is None, stay as they are written. A header of one
    cell less than the rows is R's way to leave the row names without a title; they are
    dropped. A file in which a stray quote swallows rows is refused. Where ``tell`` says so, as
    of tables that people wrote, so is one with a cell that looks like rows, and other cells
    that span lines are told.
    """
    layout = _layout(file, encoding or encoding_of(file), delimiter)
    if layout.quotes is not None:
        _require_closed(file, layout, layout.quotes)
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
    table, quotes = _read(file, layout, convert)
    if tell:
        _refuse_cell_of_rows(file, layout, quotes)
        _tell_of_spans(file, quotes)
    if text is None:
        return table
    return pa.table(
        {name: table[name] if name in text else inferred(table[name]) for name in wanted}
    )


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
    sample = read_characters(file, encoding, _SAMPLE_CHARACTERS)
    is_whole = len(sample) < _SAMPLE_CHARACTERS
    sample = sample.removeprefix("\ufeff")
    if "\0" in sample:  # every other byte of UTF-16
        raise _not_encoded(file, encoding)
    if delimiter is not None and not _may_delimit(delimiter):
        message = (
            f"A delimiter is one ASCII character, such as ';', and no quote or end of a line;"
            f" not {delimiter!r}."
        )
        raise SchemaError(message)
    possible = DELIMITERS if delimiter is None else (delimiter,)
    best = possible[0] if len(possible) == 1 else max(possible, key=lambda one: _fit(sample, one))
    records, header_lines = _records(sample, best)
    names = records[0] if records else []
    rows = [row for row in records[1:] if row]
    quotes = _quotes(sample, best) if is_whole or not rows else None
    known = quotes if is_whole else None
    layout = _Layout(encoding, best, names, header_lines, len(records) - 1, known)
    if quotes is not None and not rows and quotes.open_since is not None:
        raise _left_open(file, layout, quotes.open_since)  # a header as long as the sample
    all_differ = len({row[0] for row in rows}) == len(rows)
    if rows and all_differ and all(len(row) == len(names) + 1 for row in rows):
        layout = replace(layout, names=[_ROW_NAMES, *names])
    if not names and is_whole:
        message = f"{file.name} is empty: it has no header and no rows. Export the table again."
        raise TableError(message)
    if not names or len(set(layout.names)) < len(layout.names):
        message = f"{file.name} has columns without a name, or two of one name. Name each column."
        raise TableError(message)
    return layout


def _may_delimit(delimiter: str) -> bool:
    return len(delimiter) == 1 and delimiter.isascii() and delimiter not in '"\r\n\0'


def _records(sample: str, delimiter: str) -> tuple[list[list[str]], int]:
    """Return the first records that are not blank, and the lines that the first one takes."""
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    records: list[list[str]] = []
    header_lines = 0
    try:
        for record in filter(None, reader):
            header_lines = header_lines or reader.line_num
            records.append(record)
            if len(records) > _SAMPLE_RECORDS:
                break
    except csv.Error:  # a cell is longer than the parser takes: of its record nothing is known
        records.append([])
    return records, header_lines


def _quotes(text: str, delimiter: str) -> Quotes:
    return quotes_in(text.encode(errors="replace"), delimiter) if '"' in text else Quotes()


def _fit(sample: str, delimiter: str) -> tuple[int, int, int]:
    """Tell how well a delimiter fits: few quotes misplaced; rows like the header, or R's; cells.

    A quote that stands right under one delimiter stands in the middle of a cell under another.
    """
    if delimiter not in sample and '"' not in sample:
        return 0, 0, 1
    records, _ = _records(sample, delimiter)
    lengths = [len(record) for record in records] or [0]
    same = len(set(lengths)) == 1 and lengths[0] > 1
    row_names = len(set(lengths[1:])) == 1 and lengths[1] == lengths[0] + 1
    misplaced = _quotes(sample[:_GUESSED_CHARACTERS], delimiter).misplaced
    return -misplaced, 2 if same else 1 if row_names else 0, lengths[0]


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


def _read(file: Path, layout: _Layout, convert: Any) -> tuple[pa.Table, Quotes]:
    wrong: list[tuple[int, int, int | None]] = []
    # Without quotes no cell has several lines, and pieces of the file are read side by side.
    quoted = _may_have_quotes(file, layout)

    def refuse(row: Any) -> str:
        wrong.append((row.expected_columns, row.actual_columns, row.number))
        return "error"

    def attempt(*, use_threads: bool) -> tuple[pa.Table, Quotes]:
        with _open_text(file, layout) as stream:
            scanned = _Scanned(stream, QuoteScan(layout.delimiter, layout.header_lines))
            table = pyarrow.csv.read_csv(
                scanned if quoted else stream,
                pyarrow.csv.ReadOptions(
                    skip_rows=layout.header_lines,
                    column_names=layout.names,
                    use_threads=use_threads,
                ),
                pyarrow.csv.ParseOptions(
                    delimiter=layout.delimiter,
                    newlines_in_values=quoted,
                    invalid_row_handler=refuse,
                ),
                convert,
            )
            return table, scanned.scan.finish()

    try:
        try:
            table, quotes = attempt(use_threads=True)
        except pa.ArrowInvalid:
            if not wrong:
                raise
            wrong.clear()
            table, quotes = attempt(use_threads=False)  # slower, and tells which row it is
    except UnicodeError:
        raise _not_encoded(file, layout.encoding) from None
    except pa.ArrowInvalid as error:
        if quoted:  # what is wrong may come of a quote
            _require_closed(file, layout, _quotes_of(file, layout))
        if wrong:
            raise _ragged(file, layout, *wrong[0]) from None
        if "UTF8" in str(error):
            raise _not_encoded(file, layout.encoding) from None
        raise
    _require_closed(file, layout, quotes)
    return table, quotes


class _Scanned(io.RawIOBase):
    """A stream whose quotes are looked at as it is read."""

    def __init__(self, stream: Any, scan: QuoteScan) -> None:
        self._stream = stream
        self.scan = scan

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        piece: bytes = self._stream.read(size)
        self.scan.feed(piece)
        return piece


@contextlib.contextmanager
def _open_text(file: Path, layout: _Layout) -> Iterator[Any]:
    """Open a file as UTF-8, whatever it is written in."""
    with open_bytes(file) as stream:
        if layout.encoding == "utf-8-sig":
            yield stream
        else:
            yield pa.transcoding_input_stream(pa.PythonFile(stream, "r"), layout.encoding, "utf8")


def _quotes_of(file: Path, layout: _Layout) -> Quotes:
    with _open_text(file, layout) as stream:
        return quotes_of(iter(lambda: stream.read(_PIECE), b""), layout.delimiter)


def _require_closed(file: Path, layout: _Layout, quotes: Quotes) -> None:
    """Refuse a file in which rows disappear in a cell that a stray quote opened."""
    if quotes.open_since is not None:
        raise _left_open(file, layout, quotes.open_since)
    if quotes.torn_at is not None:
        message = (
            f"{file.name} has a cell that a double quote opens in line {quotes.torn_at}, and that"
            " a quote with text behind it closes only in a later line: the rows between would be"
            f" part of that cell. {_ABOUT_QUOTES} The delimiter was taken to be"
            f" {layout.delimiter!r}."
        )
        raise TableError(message)


def _left_open(file: Path, layout: _Layout, line: int) -> TableError:
    return TableError(
        f"{file.name} ends inside quotes: a double quote opens a cell in line {line} (the first"
        " line is 1), and none closes it, so that all rows below would be part of that cell."
        f" {_ABOUT_QUOTES} The delimiter was taken to be {layout.delimiter!r}."
    )


def _refuse_cell_of_rows(file: Path, layout: _Layout, quotes: Quotes) -> None:
    """Refuse a file in which a pair of stray quotes makes one cell of the rows between them."""
    if not quotes.spanning:
        return
    with _open_text(file, layout) as stream:
        pieces = iter(lambda: stream.read(_PIECE), b"")
        found = span_of_rows(pieces, layout.delimiter, len(layout.names), quotes)
    if found is not None:
        line, lines = found
        message = (
            f"{file.name} has a cell that a double quote opens in line {line} and another closes"
            f" in line {line + lines - 1} (the first line is 1), and the lines between look like"
            f" rows: {lines - 1:,} row(s) would be part of that cell, and be lost."
            f" {_ABOUT_QUOTES} Where it is one long text, write its line ends as spaces. The"
            f" delimiter was taken to be {layout.delimiter!r}."
        )
        raise TableError(message)


def _tell_of_spans(file: Path, quotes: Quotes) -> None:
    if quotes.spanning:
        warn_of_table(
            f"{quotes.spanning:,} cell(s) of {file.name} span lines, the longest"
            f" {quotes.longest:,} lines from line {quotes.longest_at} on (the first line is 1)."
            " Look whether they are meant: a pair of stray double quotes makes one cell of all"
            " rows between them."
        )


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
        " cells that contain it in double quotes, or say which it is: --delimiter, in Python"
        " delimiter=."
    )


def _not_encoded(file: Path, encoding: str) -> TableError:
    name = "UTF-8" if encoding == "utf-8-sig" else encoding
    return TableError(
        f"{file.name} was read as {name}, and some of its bytes are not. Say how it is"
        ' written: --encoding cp1252 (Windows), in Python encoding="cp1252"; others are "latin-1"'
        ' and "utf-16-le". Or save it as UTF-8.'
    )
