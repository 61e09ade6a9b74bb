"""A table as CSV, to the byte as Arrow writes it, on all cores.

The first line and every text stand in quotes, numbers do not. Texts with a quote inside, and
columns of other kinds, are left to Arrow.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.csv

from seriatim._typing import ByteArray, IntArray, SmallIntArray
from seriatim.microdata.letters import MANY, letters_of
from seriatim.microdata.tables import plain, to_text

_QUOTE = ord('"')
_COMMA, _LINE_END = ord(","), ord("\n")
_BLOCK = 2**14
"""Rows that are written at a time: few enough to stay near while column after column is."""


Content: TypeAlias = bytes | memoryview
"""What a file is to hold; as it lies in memory where it is large."""


def csv_bytes(table: pa.Table) -> Content:
    r"""Return a table as a CSV file.

    >>> csv_bytes(pa.table({"group": [1], "exam": ["neg"]}))
    b'"group","exam"\n1,"neg"\n'
    """
    cells = None if table.num_rows < MANY else _cells(table)
    if cells is None:
        made = io.BytesIO()
        pyarrow.csv.write_csv(table, made)
        return made.getvalue()
    return _lines(cells, table.num_rows, header_bytes(table.column_names)).data


def grouped_csv_bytes(
    groups: pa.Table, starts: IntArray, name: str, values: pa.Array, codes: IntArray
) -> Content | None:
    """Return a table as ``csv_bytes`` does, of which only the last column differs within groups.

    The rows from starts[g] to starts[g + 1] have the cells of row g of ``groups``, and values by
    their codes under a name. None where the table has few rows, or cells that are Arrow's to write.
    """
    few = len(codes) < MANY
    said, shown = (None, None) if few else (_cells(groups), _cells(pa.table({name: values})))
    if said is None or shown is None:
        return None
    from seriatim.kernels.csv_lines import measure_groups, write_groups
    from seriatim.kernels.stretches import over_groups

    head = header_bytes([*groups.column_names, name])
    begins, value_begins = (
        _ends(cells, np.arange(rows + 1))
        for cells, rows in ((said, groups.num_rows), (shown, len(values)))
    )
    lines, endings = _lines(said, groups.num_rows), _lines(shown, len(values))
    lines[begins[1:] - 1] = _COMMA  # the value comes behind it
    ends = np.empty(len(starts), np.int64)
    ends[0] = len(head)
    over_groups(measure_groups, starts, starts, begins, value_begins, codes, ends[1:])
    np.cumsum(ends, out=ends)
    text = np.empty(ends[-1], np.uint8)
    text[: len(head)] = np.frombuffer(head, np.uint8)
    over_groups(
        write_groups, starts, starts, lines, begins, endings, value_begins, codes, ends, text
    )
    return text.data


def header_bytes(names: Sequence[str]) -> bytes:
    """Return the first line of a file with some columns."""
    made = io.BytesIO()
    columns = [pa.array([], pa.string()) for _ in names]
    pyarrow.csv.write_csv(pa.table(columns, names=list(names)), made)
    return made.getvalue()


_Cells = list[tuple[ByteArray, SmallIntArray, bool]]
"""Of each column: the letters of its cells, where each begins, and whether quotes are about it."""


def _cells(table: pa.Table) -> _Cells | None:
    """Return the cells of all columns; None where one is not plain."""
    cells: _Cells = []
    for name in table.column_names:
        column = plain(table.column(name))
        quoted = pa.types.is_string(column.type)
        if column.null_count or not (quoted or pa.types.is_signed_integer(column.type)):
            return None
        letters, begins = letters_of(to_text(column, name))
        if quoted and (letters[begins[0] : begins[-1]] == _QUOTE).any():
            return None
        cells.append((letters, begins, quoted))
    return cells


def _lines(cells: _Cells, rows: int, head: bytes = b"") -> ByteArray:
    """Return the lines of some cells, behind what stands in front of them."""
    blocks = np.minimum(np.arange(0, rows + _BLOCK, _BLOCK), rows)
    ends = len(head) + _ends(cells, blocks)
    text = np.empty(ends[-1], np.uint8)
    text[: len(head)] = np.frombuffer(head, np.uint8)
    _write(cells, blocks, ends, text)
    return text


def _ends(cells: _Cells, blocks: IntArray) -> IntArray:
    """Return where each block of rows begins in the file, and the last one ends."""
    letters = sum(begins[blocks].astype(np.int64) - begins[0] for _, begins, _ in cells)
    beside = sum(3 if quoted else 1 for _, _, quoted in cells)
    return np.asarray(letters + blocks * beside)


def _write(cells: _Cells, blocks: IntArray, ends: IntArray, text: ByteArray) -> None:
    from seriatim.kernels._jit import calls
    from seriatim.kernels.csv_lines import place_lines, write_cells

    behind = [_COMMA] * (len(cells) - 1) + [_LINE_END]

    def write(start: int, stop: int, begin: int) -> None:
        places = np.zeros(stop - start, np.int64)
        for _, begins, quoted in cells:
            place_lines(start, stop, begins, 3 if quoted else 1, places)
        places[:] = np.concatenate([[begin], begin + np.cumsum(places)[:-1]])
        for (letters, begins, quoted), mark in zip(cells, behind, strict=True):
            write_cells(start, stop, letters, begins, quoted, mark, places, text)

    pairs = itertools.pairwise(blocks.tolist())
    calls(write, [(*pair, begin) for pair, begin in zip(pairs, ends[:-1].tolist(), strict=True)])
