"""Readers go through a series where its data lies, and learn what they learn on one machine."""

import pytest

from seriatim.engines.local.engine import LocalEngine
from seriatim.engines.spark.engine import SparkEngine
from sharded_series import SIZES, clinic, publish_all, readers_of, series_in, source_of


@pytest.mark.slow
@pytest.mark.parametrize("name", ["paper", "joint"])
def test_audit__finds_on_spark_what_the_local_engine_finds(name, spark, tmp_path):
    made, local = clinic(), LocalEngine(sizes=SIZES)
    series, weeks = series_in(tmp_path, made), made.weeks[:2]
    publish_all(local, series, weeks, tmp_path)
    sources = [source_of(week, tmp_path, f"o-{at}") for at, week in enumerate(weeks)]
    readers = {name: readers_of(made)[name]}
    found = SparkEngine(spark, sizes=SIZES).audit(series, sources, readers)
    assert found == local.audit(series, sources, readers)
    assert [one.at for one in found] == [1, 2]
