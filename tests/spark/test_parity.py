"""With the same boundaries, engines give the same groups, posteriors and figures."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import seriatim as sr
from seriatim.engines.local.engine import LocalEngine
from seriatim.engines.spark.engine import SparkEngine
from seriatim.errors import TableError
from sharded_series import (
    SHARDS,
    SIZES,
    clinic,
    figures,
    last_manifest,
    publish_all,
    records_of,
    release_table,
    series_in,
    standing,
)


def test_spark__gives_the_releases_that_the_local_engine_gives(by_turns, by_local):
    for number in (1, 2, 3):
        mine, other = (release_table(one[0], number) for one in (by_turns, by_local))
        assert mine.equals(other)


def test_spark__gives_the_certificates_that_the_local_engine_gives(by_turns, by_local):
    for mine, other in zip(by_turns[1], by_local[1], strict=True):
        assert figures(mine.certificate) == figures(other.certificate)
        assert mine.cut.shards == SHARDS


def test_spark__believes_what_the_local_engine_believes(by_turns, by_local):
    assert records_of(by_turns[0]) == records_of(by_local[0])


def test_third_release__has_boundaries_to_mend_and_groups_to_suppress(by_turns):
    _, outcomes, before = by_turns
    assert outcomes[2].certificate["suppressed"] > 0
    assert (before / "mending the boundaries").exists()


def test_releases__verify_from_their_files_alone(by_turns):
    _, outcomes, _ = by_turns
    found = sr.verify_chain([outcome.files[-1] for outcome in outcomes])
    assert all(one.holds for one in found)
    assert len(outcomes[-1].certificate["files"]) == 3


def test_records__hold_neither_ids_nor_input_order(by_turns):
    series, *_ = by_turns
    ids = {who for week in clinic().weeks for who in week.column("patient").to_pylist()}
    files = [one for folder in (series.folder, series.output) for one in _files(folder)]
    assert files
    for file in files:
        for row in pq.read_table(file, partitioning=None).to_pylist():
            assert not ids & set(row.values())


def _files(folder):
    return sorted(Path(folder).rglob("*.parquet"))


def test_errors_of_a_shard__reach_the_driver_as_what_they_are(spark, tmp_path):
    made = clinic()
    table = made.weeks[0]
    gap = table.set_column(1, "age", pa.array([None, *table.column("age").to_pylist()[1:]]))
    with pytest.raises(TableError, match="'age' has 1 missing"):
        publish_all(SparkEngine(spark), series_in(tmp_path, made), [gap], tmp_path / "views")


@pytest.mark.slow
@pytest.mark.parametrize("begun_by", ["local", "spark"])
def test_standing_cells__are_the_same_on_spark_and_records_are_compacted(begun_by, spark, tmp_path):
    made, local, engine = clinic(), LocalEngine(sizes=SIZES), SparkEngine(spark, sizes=SIZES)
    week, next_week = made.weeks[:2]
    old = pa.compute.is_in(next_week.column("patient"), value_set=week.column("patient"))
    with_newcomers = pa.concat_tables([week, next_week.filter(pa.compute.invert(old))])
    tables = [week, week, with_newcomers]
    mine, other = (
        series_in(tmp_path / name, made, policy=standing()) for name in ("mine", "other")
    )
    begins = local if begun_by == "local" else engine
    outcomes = [
        *publish_all(begins, mine, tables[:1], tmp_path / "a", again=True),
        *publish_all(local, mine, tables[1:2], tmp_path / "a", first=2, again=True),
        *publish_all(engine, mine, tables[2:], tmp_path / "a", first=3, again=True),
    ]
    expected = publish_all(local, other, tables, tmp_path / "b", again=True)
    for number in (1, 2, 3):
        told, wanted = outcomes[number - 1].certificate, expected[number - 1].certificate
        assert figures(told) == figures(wanted)
        assert release_table(mine, number).equals(release_table(other, number))
    assert outcomes[-1].cut.shards > 2
    assert records_of(mine) == records_of(other)
    assert last_manifest(mine)["pasts"] == last_manifest(other)["pasts"] == ["0003-all"]
