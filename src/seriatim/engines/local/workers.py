"""Workers on one machine: parts are tables in memory, worked on one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from seriatim.engines.local.files import LocalFiles
from seriatim.engines.workers import KIND, Work
from seriatim.microdata.sources import open_table
from seriatim.microdata.tables import read_table

Parts = list[pa.Table]


class LocalWorkers:
    """Works on lists of tables."""

    def __init__(self) -> None:
        """Begin with the machine's own files."""
        self.files = LocalFiles()

    def source(self, source: Any, columns: Sequence[str], texts: Sequence[str]) -> Parts:
        """Return the columns of a table to be published, some of them as texts."""
        if isinstance(source, str | Path):
            source = open_table(source, columns=list(columns), text=list(texts))
        found = read_table(source)
        return [pa.table({name: found[name] for name in columns})]

    def schema_of(self, data: Parts) -> pa.Schema:
        """Return the columns of a source."""
        return data[0].schema

    def kept(self, folders: Sequence[str], schema: pa.Schema) -> Parts:
        """Return what was written to some folders."""
        files = [file for folder in folders for file in sorted(Path(folder).rglob("*.parquet"))]
        return [pq.read_table(file, columns=schema.names, partitioning=None) for file in files]

    def contents(self, folder: str) -> Parts:
        """Return the files of a folder, whole."""
        files = sorted(Path(folder).glob("*.parquet"))
        return [pa.table({"name": [one.name], "content": [one.read_bytes()]}) for one in files]

    def mapped(self, data: Parts, work: Work, schema: pa.Schema) -> Parts:
        """Let a function work on every part."""
        return [_joined(work(iter([part])), schema) for part in data]

    def exchanged(self, data: Parts, by: str, parts: int) -> Parts:
        """Bring rows together whose number in a column is the same modulo ``parts``."""
        if not data:
            return []
        table = pa.concat_tables(data, promote_options="default")
        if parts == 1:
            return [table]
        part = table.column(by).to_numpy() % parts
        order = np.argsort(part, kind="stable")
        bounds = np.searchsorted(part[order], np.arange(parts + 1))
        table = table.take(pa.array(order))
        return [table.slice(bounds[p], bounds[p + 1] - bounds[p]) for p in range(parts)]

    def together(self, first: Parts, second: Parts) -> Parts:
        """Return the rows of both."""
        return [*first, *second]

    def write(self, data: Parts, folder: str, *, by_kind: bool = False) -> None:
        """Write tables to a folder, each kind to a folder of its own where asked."""
        there = [(number, part) for number, part in enumerate(data) if part.num_rows]
        for number, part in there:
            for place, table in _kinds(part, folder) if by_kind else [(folder, part)]:
                Path(place).mkdir(parents=True, exist_ok=True)
                pq.write_table(table, Path(place) / f"part-{number:05}.parquet", compression="zstd")

    def write_parts(self, data: Parts, folder: str) -> None:
        """Write tables to files of a folder, and nothing else to it."""
        self.write(data, folder)

    def collect(self, data: Parts) -> pa.Table:
        """Bring summaries to the driver."""
        return pa.concat_tables(data)


def _joined(tables: Iterator[pa.Table], schema: pa.Schema) -> pa.Table:
    return pa.concat_tables([*tables, schema.empty_table()])


def _kinds(table: pa.Table, folder: str) -> Iterator[tuple[str, pa.Table]]:
    """Yield the rows of each kind, and where they go."""
    for kind in pc.unique(table.column(KIND)).to_pylist():
        rows = table.filter(pc.equal(table.column(KIND), kind)).drop_columns(KIND)
        yield f"{folder}/{KIND}={kind}", rows
