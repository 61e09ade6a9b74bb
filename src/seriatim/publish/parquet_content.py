"""What a Parquet file of a release carries besides its columns: it should be nothing.

A Parquet file has room that no reader of its columns sees: metadata of the file and of its
columns, words of a dictionary that no row has, and bytes between the parts of the file.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from seriatim.microdata.tables import to_numpy

_ARROW = b"ARROW:schema"
_SPARK = (b"org.apache.spark.version", b"org.apache.spark.sql.parquet.row.metadata")
_SPARK_FIELD = {"name", "type", "nullable", "metadata"}
_BY_SPARK = "parquet-mr"
_BINARY = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
_FRAME = 12
"""Bytes of a file besides column chunks and footer: two marks, and the length of the footer."""


def written_by_spark(file: Path) -> bool:
    """Tell whether a file says that Spark wrote it, and not pyarrow."""
    with pyarrow.parquet.ParquetFile(file) as parquet:
        return str(parquet.metadata.created_by).startswith(_BY_SPARK)


def odd_columns(file: Path, group: str, insensitive: Sequence[str]) -> list[str]:
    """Return the columns of kinds that no release has; insensitive ones may be of any kind."""
    with pyarrow.parquet.ParquetFile(file) as parquet:
        fields = [one for one in parquet.schema_arrow if one.name not in insensitive]
    return [
        one.name
        for one in fields
        if (one.name == group and one.type != pa.int64())
        or pa.types.is_nested(one.type)
        or any(is_kind(one.type) for is_kind in _BINARY)
    ]


def carries_more(file: Path, *, by_spark: bool = False) -> str | None:
    """Say what a file carries besides its columns, as far as any version of pyarrow can tell."""
    with pyarrow.parquet.ParquetFile(file) as parquet:
        footer, schema = parquet.metadata, parquet.schema_arrow
        metadata = footer.metadata or {}
    more = [key for key in metadata if key != _ARROW and not (by_spark and key in _SPARK)]
    if more or not _are_plain_fields(metadata.get(_SPARK[1])):
        return "metadata of its own"
    if any(field.metadata and set(field.metadata) - {b"PARQUET:field_id"} for field in schema):
        return "metadata of columns"
    chunks = [
        footer.row_group(row_group).column(column).total_compressed_size
        for row_group in range(footer.num_row_groups)
        for column in range(footer.num_columns)
    ]
    # Spark writes indexes of pages behind the columns, whose lengths pyarrow does not tell.
    if not by_spark and file.stat().st_size != sum(chunks) + footer.serialized_size + _FRAME:
        return "bytes besides its columns"
    return None


def is_written_again(file: Path) -> bool:
    """Tell whether a file is, byte by byte, what this pyarrow writes of its columns."""
    with pyarrow.parquet.ParquetFile(file) as parquet:
        footer = parquet.metadata
        first = footer.row_group(0).column(0) if footer.num_row_groups else None
        made = io.BytesIO()
        pyarrow.parquet.write_table(
            parquet.read(), made, compression="zstd" if first is None else first.compression
        )
    return made.getbuffer() == file.read_bytes()


def has_unused_words(table: pa.Table) -> bool:
    """Tell whether a dictionary of a table, as it was read, has words that no row has."""
    return any(
        pa.types.is_dictionary(column.type) and _has_unused_words(column.chunks)
        for column in table.columns
    )


def _has_unused_words(chunks: list[Any]) -> bool:
    """Look at the chunks of a column, all of which have the same dictionary."""
    if not chunks:
        return False
    used = np.zeros(len(chunks[0].dictionary), np.bool_)
    for chunk in chunks:
        used[to_numpy(chunk.indices)] = True
    return not used.all()


def _are_plain_fields(described: bytes | None) -> bool:
    """Tell whether Spark's description of the columns has their types, and nothing else."""
    if described is None:
        return True
    try:
        fields = json.loads(described)["fields"]
        return all(
            set(one) == _SPARK_FIELD and one["metadata"] == {} and isinstance(one["type"], str)
            for one in fields
        )
    except (ValueError, TypeError, KeyError):
        return False
