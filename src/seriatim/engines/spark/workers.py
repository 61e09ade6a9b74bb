"""Workers on a Spark cluster: parts are partitions, functions run in Arrow batches."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from seriatim._unforeseen import unforeseen
from seriatim.engines.local.files import LocalFiles
from seriatim.engines.spark.hadoop_files import HadoopFiles
from seriatim.engines.workers import KIND, Files, Work
from seriatim.errors import InternalError, TableError, listed

_DELIMITED = (".csv", ".csv.gz", ".tsv", ".txt")


class SparkWorkers:
    """Works on frames of a Spark session."""

    def __init__(self, session: Any) -> None:
        """Take a session; it is neither configured nor stopped here."""
        self._session = session
        default = session.sparkContext._jsc.hadoopConfiguration().get("fs.defaultFS", "file:///")
        # Small files of this machine need no cluster, and leave no checksum files beside them.
        self._is_local = default.startswith("file:")
        self.files: Files = LocalFiles() if self._is_local else HadoopFiles(session)

    def source(self, source: Any, columns: Sequence[str], texts: Sequence[str]) -> Any:
        """Return the columns of a frame, a file, a folder or a table of the catalog."""
        frame = self._opened(source) if isinstance(source, str | Path) else source
        if not hasattr(frame, "mapInArrow"):
            message = (
                f"A Spark frame, a path or the name of a table was expected, and a"
                f" {type(source).__name__} was given."
            )
            raise TableError(message)
        missing = [name for name in columns if name not in frame.columns]
        if missing:
            message = f"The table has no column {missing[0]!r}; it has {listed(frame.columns)}."
            raise TableError(message)
        return frame.select(*(f"`{name}`" for name in columns))

    def _opened(self, source: str | Path) -> Any:
        from pyspark.errors import AnalysisException

        name, reader = str(source), self._session.read
        try:
            if name.lower().endswith(_DELIMITED):
                # Cells stay texts: to guess their types Spark would read the file twice.
                return reader.option("header", True).option("escape", '"').csv(name)
            if "/" in name or name.lower().endswith(".parquet"):
                return reader.parquet(name)
            return reader.table(name)
        except AnalysisException as error:
            message = (
                f"{name} could not be read: it is no file, folder or table that Spark finds."
                " Possible are CSV and Parquet, and tables of the catalog."
            )
            raise TableError(message) from error

    def schema_of(self, data: Any) -> pa.Schema:
        """Return the columns of a source."""
        from pyspark.sql.pandas.types import to_arrow_schema

        return to_arrow_schema(data.schema)

    def kept(self, folders: Sequence[str], schema: pa.Schema) -> Any:
        """Return what was written to some folders."""
        there = [folder for folder in folders if self.files.names(folder)]
        if not there:
            return self._session.createDataFrame([], _spark_schema(schema))
        return self._session.read.schema(_spark_schema(schema)).parquet(*there)

    def contents(self, folder: str) -> Any:
        """Return the files of a folder, whole."""
        files = self._session.read.format("binaryFile").option("pathGlobFilter", "*.parquet")
        name = "element_at(split(path, '/'), -1) AS name"
        return files.load(folder).selectExpr(name, "content")

    def mapped(self, data: Any, work: Work, schema: pa.Schema) -> Any:
        """Let a function work on every partition."""
        return data.mapInArrow(_Batches(work, schema), _spark_schema(schema))

    def exchanged(self, data: Any, by: str, parts: int) -> Any:
        """Bring rows together whose number in a column is the same modulo ``parts``."""
        from pyspark.sql.functions import col, lit, pmod

        return data.repartitionById(parts, pmod(col(by).cast("long"), lit(parts)).cast("int"))

    def together(self, first: Any, second: Any) -> Any:
        """Return the rows of both."""
        return first.unionByName(second, allowMissingColumns=True)

    def write(self, data: Any, folder: str, *, by_kind: bool = False) -> None:
        """Write frames to a folder, each kind to a folder of its own where asked."""
        writer = data.write.option("compression", "zstd")
        (writer.partitionBy(KIND) if by_kind else writer).parquet(folder)

    def write_parts(self, data: Any, folder: str) -> None:
        """Write frames to files of a folder, and nothing else to it."""
        self.write(data, folder)
        for name in self.files.names(folder):
            if name.startswith("part-") and name.endswith(".parquet"):
                number = int(name.split("-")[1])
                self.files.rename(f"{folder}/{name}", f"{folder}/part-{number:05}.parquet")
            else:
                self.files.remove(f"{folder}/{name}")

    def collect(self, data: Any) -> pa.Table:
        """Bring summaries to the driver."""
        return data.toArrow()


class _Batches:
    """A function on tables, as Spark calls it: batches in, batches out."""

    def __init__(self, work: Work, schema: pa.Schema) -> None:
        self._work, self._schema = work, schema

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        task = TaskContext.get()
        if task is not None:
            # A machine runs as many tasks as it has cores: each keeps to its own.
            os.environ["SERIATIM_CORES"] = str(task.cpus())
        tables = (pa.Table.from_batches([batch]) for batch in batches)
        try:
            for table in self._work(tables):
                yield from table.cast(self._schema).combine_chunks().to_batches()
        except Exception as error:  # noqa: BLE001 - raised again, in words of ours
            # Spark writes the words of errors to its log, and those of libraries quote cells.
            raise InternalError(unforeseen(error).message) from None


def _spark_schema(schema: pa.Schema) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)
