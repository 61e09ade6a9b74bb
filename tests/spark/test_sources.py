"""Views that Spark does not find, and small files wherever Hadoop finds them."""

import pytest

from seriatim.engines.spark.engine import SparkEngine
from seriatim.engines.spark.hadoop_files import HadoopFiles
from seriatim.errors import TableError
from sharded_series import clinic, require_files_as_promised, series_in, source_of


@pytest.mark.parametrize("source", ["no_such_table", "/no/such/folder/view.parquet", 7])
def test_source_that_is_none__is_said(source, spark, tmp_path):
    with pytest.raises(TableError):
        SparkEngine(spark).publish(series_in(tmp_path, clinic()), source)


def test_column_that_is_not_there__is_said(spark, tmp_path):
    source = source_of(clinic().weeks[0].drop_columns("age"), tmp_path)
    with pytest.raises(TableError, match="no column 'age'"):
        SparkEngine(spark).publish(series_in(tmp_path, clinic()), source)


def test_files_of_hadoop__are_written_whole_listed_renamed_and_removed(spark, tmp_path):
    require_files_as_promised(HadoopFiles(spark), f"file://{tmp_path}")
