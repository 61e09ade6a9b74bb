"""With the same boundaries, engines give the same groups, posteriors and figures."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import seriatim as sr
from seriatim.engines.local.engine import LocalEngine
from seriatim.errors import OrderError, TableError, UnsatisfiableError
from sharded_series import (
    POLICY,
    SEED,
    SHARDS,
    SIZES,
    clinic,
    declared_schema,
    figures,
    groups_of,
    in_another_order,
    last_manifest,
    publish_all,
    records_of,
    release_table,
    series_in,
    source_of,
)


@pytest.fixture(scope="module")
def by_engine(engine, tmp_path_factory):
    """Three releases of the engine, from shuffled views."""
    folder = tmp_path_factory.mktemp("engine")
    made = clinic()
    series = series_in(folder, made)
    tables = [in_another_order(table) for table in made.weeks]
    return series, publish_all(engine, series, tables, folder / "views")


def test_engine__gives_the_release_that_the_local_engine_gives(by_engine, by_local):
    for number in (1, 2, 3):
        mine, other = (release_table(one[0], number) for one in (by_engine, by_local))
        assert mine.equals(other)


def test_engine__gives_the_certificate_that_the_local_engine_gives(by_engine, by_local):
    for mine, other in zip(by_engine[1], by_local[1], strict=True):
        assert figures(mine.certificate) == figures(other.certificate)
        assert mine.cut.shards == SHARDS


def test_engine__believes_what_the_local_engine_believes(by_engine, by_local):
    mine, other = records_of(by_engine[0]), records_of(by_local[0])
    assert mine == other
    assert len(mine) == last_manifest(by_engine[0])["people"]


def test_releases__verify_from_their_files_alone(by_engine):
    _, outcomes = by_engine
    found = sr.verify_chain([outcome.files[-1] for outcome in outcomes])
    assert all(one.holds for one in found)
    assert len(outcomes[-1].certificate["files"]) == 3


def test_one_shard__gives_the_groups_of_the_publisher(engine, tmp_path):
    made = clinic()
    series = series_in(tmp_path, made)
    outcomes = publish_all(engine, series, made.weeks[:2], tmp_path, shards=1)
    with sr.DuckDBStore(tmp_path / "store.store") as store:
        publisher = sr.Publisher(
            declared_schema(made), POLICY, series.reader, store=store, seed=SEED
        )
        for number, (outcome, table) in enumerate(zip(outcomes, made.weeks, strict=False), start=1):
            release = publisher.publish(table, at=number)
            assert groups_of(release_table(series, number)) == groups_of(release.to_arrow())
            measured = [finding.worst for finding in publisher.latest.verdict.findings]
            told = [one["worst"] for one in outcome.certificate["measured"]]
            assert told == pytest.approx(measured, abs=1e-9)
            assert outcome.certificate["suppressed"] == publisher.latest.suppressed
            penalty = outcome.certificate["detail lost"]["global certainty penalty"]
            assert penalty == pytest.approx(sr.global_certainty_penalty(release), abs=1e-6)


def test_suppressed__are_not_remembered_and_all_others_are(engine, tmp_path):
    made = clinic()
    series = series_in(tmp_path, made, policy=sr.js_reduce(k=5, t=0.42, j=0.3))
    publish_all(LocalEngine(sizes=SIZES), series, made.weeks[:1], tmp_path)
    (outcome,) = publish_all(engine, series, made.weeks[1:2], tmp_path, first=2)
    told = outcome.certificate
    assert told["suppressed"] > 0
    newest = [one for one in records_of(series).values() if one["version"] == 2]
    assert len(newest) == told["tuples"] == made.weeks[1].num_rows - told["suppressed"]
    assert sr.verify(outcome.files[-1]).holds


def test_view__with_a_respondent_twice_is_refused_and_leaves_nothing(engine, tmp_path):
    made = clinic()
    table = pa.concat_tables([made.weeks[0], made.weeks[0].slice(3, 1)])
    series = series_in(tmp_path, made)
    with pytest.raises(TableError, match="2 rows share theirs"):
        publish_all(engine, series, [table], tmp_path / "views")
    assert not list((tmp_path / "releases").glob("release-*"))
    assert not list((tmp_path / "series").glob("m*"))


def test_errors_of_a_shard__reach_the_driver_as_what_they_are(engine, tmp_path):
    made = clinic()
    table = made.weeks[0]
    gap = table.set_column(1, "age", pa.array([None, *table.column("age").to_pylist()[1:]]))
    with pytest.raises(TableError, match="'age' has 1 missing"):
        publish_all(engine, series_in(tmp_path, made), [gap], tmp_path / "views")


def test_handing_over__changes_nothing(engine, by_local, tmp_path):
    made = clinic()
    series = series_in(tmp_path, made)
    publish_all(LocalEngine(sizes=SIZES), series, made.weeks[:2], tmp_path)
    publish_all(engine, series, made.weeks[2:], tmp_path, first=3)
    assert release_table(series, 3).equals(release_table(by_local[0], 3))


def test_only_looking__leaves_the_series_as_it_was(engine, by_engine, tmp_path):
    made = clinic()
    series, _ = by_engine
    before = last_manifest(series)
    source = source_of(made.weeks[0], tmp_path)
    outcome = engine.publish(series, source, again=True, only_look=True)
    assert outcome.certificate["number"] == 4
    assert outcome.files == ()
    assert last_manifest(series) == before
    with pytest.raises(OrderError, match="published before, as release 1"):
        engine.publish(series, source)


def test_policy_that_nothing_meets__is_said(engine, tmp_path):
    made = clinic()
    series = series_in(tmp_path, made, policy=sr.js_reduce(k=2000, t=0.5, j=1.0))
    with pytest.raises(UnsatisfiableError, match="No group of the 1500 tuples"):
        publish_all(engine, series, made.weeks[:1], tmp_path)


def test_compacting__keeps_the_newest_record_of_everyone_and_changes_no_release(tmp_path):
    made = clinic()
    weeks = [made.weeks[0]] * 4
    series = series_in(tmp_path, made)
    engine = LocalEngine(sizes=SIZES)
    with sr.DuckDBStore(tmp_path / "store.store") as store:
        publisher = sr.Publisher(
            declared_schema(made), POLICY, series.reader, store=store, seed=SEED
        )
        for at, table in enumerate(weeks, start=1):
            source = source_of(table, tmp_path)
            engine.publish(series, source, at=at, seed=SEED, shards=1, again=True)
            release = publisher.publish(table, at=at)
            assert groups_of(release_table(series, at)) == groups_of(release.to_arrow())
    manifest = last_manifest(series)
    assert manifest["pasts"] == ["0003-all", "0004-0"]
    assert manifest["records"] == 2 * manifest["people"] == 2 * len(records_of(series))
    assert len(engine.audit(series, [source] * 4, {"paper": series.reader})) == 4


def test_records__hold_neither_ids_nor_input_order(by_engine):
    series, _ = by_engine
    ids = set(clinic().weeks[0].column("patient").to_pylist())
    for file in (*_files(series.folder), *_files(series.output)):
        for row in pq.read_table(file, partitioning=None).to_pylist():
            assert not ids & set(row.values())


def _files(folder):
    return sorted(Path(folder).rglob("*.parquet"))
