"""Whether a CSV file is written as releases are, so that no spelling carries a message.

The same cells can be written with quotes or without, with other line ends, with a mark in front.
A release has one way: the first line in quotes, every column either in quotes throughout or not
at all, a line feed behind each row.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from seriatim.publish.csv_text import header_bytes


def is_spelled_plainly(file: Path, table: pa.Table) -> bool:
    """Tell whether a file is, byte by byte, the one way to write the texts that were read of it."""
    head = header_bytes(table.column_names)
    with file.open("rb") as stream:
        if stream.read(len(head)) != head:
            return False
        quoted: list[bool] | None = None
        for batch in table.to_batches():
            if batch.num_rows == 0:
                continue
            if quoted is None:
                quoted = _columns_in_quotes(batch, _looked_at(stream, batch))
            cells = [
                _in_quotes(column) if in_quotes else column
                for column, in_quotes in zip(batch.columns, quoted, strict=True)
            ]
            cells[-1] = pc.binary_join_element_wise(cells[-1], "\n", "")
            lines = pc.binary_join_element_wise(*cells, ",")
            if stream.read(_length(lines)) != _letters(lines):
                return False
        return stream.read(1) == b""


def _looked_at(stream: Any, batch: pa.RecordBatch) -> bytes:
    """Return what is at least the first line, and leave the stream where it was."""
    place = stream.tell()
    longest = sum(2 * len(column[0].as_py().encode()) + 3 for column in batch.columns)
    found: bytes = stream.read(longest)
    stream.seek(place)
    return found


def _columns_in_quotes(batch: pa.RecordBatch, line: bytes) -> list[bool]:
    """Tell by the first row which columns stand in quotes."""
    quoted, place = [], 0
    for column in batch.columns:
        cell = column[0].as_py().encode()
        quoted.append(line[place : place + 1] == b'"')
        place += 1 + len(cell) + (2 + cell.count(b'"') if quoted[-1] else 0)
    return quoted


def _in_quotes(column: pa.Array) -> pa.Array:
    inside = pc.replace_substring(column, '"', '""')
    return pc.binary_join_element_wise('"', inside, '"', "")


def _length(lines: pa.Array) -> int:
    return int(pc.sum(pc.binary_length(lines)).as_py())


def _letters(lines: pa.Array) -> bytes:
    """Return texts one behind the other."""
    joined = pc.binary_join(
        pa.ListArray.from_arrays(pa.array([0, len(lines)], pa.int32()), lines), ""
    )
    return bytes(joined[0].as_buffer())
