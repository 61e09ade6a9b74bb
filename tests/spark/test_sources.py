"""Views from whatever Spark reads, and small files wherever Hadoop finds them."""

import pyarrow.csv
import pytest

from seriatim.engines.local.engine import LocalEngine
from seriatim.engines.local.files import LocalFiles
from seriatim.engines.spark.engine import SparkEngine
from seriatim.engines.spark.hadoop_files import HadoopFiles
from seriatim.errors import OrderError, TableError
from sharded_series import SEED, SIZES, clinic, release_table, series_in, source_of


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder, made = tmp_path_factory.mktemp("expected"), clinic()
    series = series_in(folder, made)
    source = source_of(made.weeks[0], folder)
    LocalEngine(sizes=SIZES).publish(series, source, at=1, seed=SEED, shards=2)
    return release_table(series, 1)


@pytest.mark.parametrize("kind", ["csv", "table"])
def test_source__gives_the_same_release(kind, spark, expected, tmp_path):
    made = clinic()
    series = series_in(tmp_path, made)
    if kind == "csv":
        source = str(tmp_path / "view.csv")
        pyarrow.csv.write_csv(made.weeks[0], source)
    else:
        file = source_of(made.weeks[0], tmp_path)
        spark.read.parquet(file).createOrReplaceTempView("week_1")
        source = "week_1"
    SparkEngine(spark, sizes=SIZES).publish(series, source, at=1, seed=SEED, shards=2)
    assert release_table(series, 1).equals(expected)


@pytest.mark.parametrize("source", ["no_such_table", "/no/such/folder/view.parquet", 7])
def test_source_that_is_none__is_said(source, spark, tmp_path):
    with pytest.raises(TableError):
        SparkEngine(spark).publish(series_in(tmp_path, clinic()), source)


def test_column_that_is_not_there__is_said(spark, tmp_path):
    source = source_of(clinic().weeks[0].drop_columns("age"), tmp_path)
    with pytest.raises(TableError, match="no column 'age'"):
        SparkEngine(spark).publish(series_in(tmp_path, clinic()), source)


@pytest.mark.parametrize("kind", ["local", "hadoop"])
def test_files__are_written_whole_listed_renamed_and_removed(kind, spark, tmp_path):
    files = LocalFiles() if kind == "local" else HadoopFiles(spark)
    folder = str(tmp_path) if kind == "local" else f"file://{tmp_path}"
    files.write_new(f"{folder}/a/one.json", b"content \x00\xff")
    assert files.read(f"{folder}/a/one.json") == b"content \x00\xff"
    with pytest.raises(OrderError, match=r"one\.json is there already"):
        files.write_new(f"{folder}/a/one.json", b"other")
    assert files.read(f"{folder}/a/one.json") == b"content \x00\xff"
    files.rename(f"{folder}/a", f"{folder}/b/c")
    shown = [name for name in files.names(f"{folder}/b/c") if not name.endswith(".crc")]
    assert (shown, files.names(f"{folder}/a")) == (["one.json"], [])
    files.remove(f"{folder}/b")
    files.remove(f"{folder}/b")
    assert files.names(f"{folder}/b") == []
