"""What every engine over shards promises, shown on the one that needs no cluster."""

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
    by_the_publisher,
    clinic,
    figures,
    groups_of,
    in_another_order,
    last_manifest,
    publish_all,
    records_of,
    release_table,
    series_in,
    source_of,
    strict_series,
)


@pytest.fixture
def engine():
    return LocalEngine(sizes=SIZES)


def test_releases__are_the_same_when_tuples_arrive_in_another_order(engine, by_local, tmp_path):
    series = strict_series(tmp_path)
    tables = [in_another_order(table) for table in clinic().weeks]
    outcomes = publish_all(engine, series, tables, tmp_path)
    for number, (mine, other) in enumerate(zip(outcomes, by_local[1], strict=True), start=1):
        assert release_table(series, number).equals(release_table(by_local[0], number))
        assert figures(mine.certificate) == figures(other.certificate)
        assert mine.cut.shards == SHARDS
    assert records_of(series) == records_of(by_local[0])


def test_releases__verify_from_their_files_alone(by_local):
    _, outcomes = by_local
    found = sr.verify_chain([outcome.files[-1] for outcome in outcomes])
    assert all(one.holds for one in found)
    assert len(outcomes[-1].certificate["files"]) == 3


def test_one_shard__gives_the_groups_of_the_publisher(engine, tmp_path):
    made = clinic()
    series = series_in(tmp_path, made)
    outcomes = publish_all(engine, series, made.weeks[:2], tmp_path, shards=1)
    published = by_the_publisher(tmp_path, POLICY, series.reader, made.weeks[:2])
    for number, ((release, latest), outcome) in enumerate(
        zip(published, outcomes, strict=True), start=1
    ):
        assert groups_of(release_table(series, number)) == groups_of(release.to_arrow())
        measured = [finding.worst for finding in latest.verdict.findings]
        told = [one["worst"] for one in outcome.certificate["measured"]]
        assert told == pytest.approx(measured, abs=1e-9)
        assert outcome.certificate["suppressed"] == latest.suppressed
        penalty = outcome.certificate["detail lost"]["global certainty penalty"]
        assert penalty == pytest.approx(sr.global_certainty_penalty(release), abs=1e-6)


def test_suppressed__are_not_remembered_and_all_others_are(by_local):
    series, outcomes = by_local
    told = outcomes[-1].certificate
    newest = [one for one in records_of(series).values() if one["version"] == 3]
    assert told["suppressed"] > 0
    assert len(newest) == told["tuples"] == clinic().weeks[2].num_rows - told["suppressed"]


def test_view__with_a_respondent_twice_is_refused_and_leaves_nothing(engine, tmp_path):
    made = clinic()
    table = pa.concat_tables([made.weeks[0], made.weeks[0].slice(3, 1)])
    series = series_in(tmp_path, made)
    with pytest.raises(TableError, match="2 rows share theirs"):
        publish_all(engine, series, [table], tmp_path / "views")
    assert not list((tmp_path / "releases").glob("release-*"))
    assert not list((tmp_path / "series").glob("m*"))


def test_only_looking__leaves_the_series_as_it_was(engine, by_local, tmp_path):
    made = clinic()
    series, _ = by_local
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
    with pytest.raises(UnsatisfiableError, match="No group of the 750 tuples"):
        publish_all(engine, series, made.weeks[:1], tmp_path)


def test_compacting__keeps_the_newest_record_of_everyone_and_changes_no_release(engine, tmp_path):
    made = clinic()
    weeks = [made.weeks[0]] * 4
    series = series_in(tmp_path, made)
    published = by_the_publisher(tmp_path, POLICY, series.reader, weeks)
    source = source_of(weeks[0], tmp_path)
    for at, (release, _) in enumerate(published, start=1):
        engine.publish(series, source, at=at, seed=SEED, shards=1, again=True)
        assert groups_of(release_table(series, at)) == groups_of(release.to_arrow())
    manifest = last_manifest(series)
    assert manifest["pasts"] == ["0003-all", "0004-0"]
    assert manifest["records"] == 2 * manifest["people"] == 2 * len(records_of(series))
    assert len(engine.audit(series, [source] * 4, {"paper": series.reader})) == 4


def test_records__hold_neither_ids_nor_input_order(by_local):
    series, _ = by_local
    ids = set(clinic().weeks[0].column("patient").to_pylist())
    files = [file for folder in (series.folder, series.output) for file in _files(folder)]
    assert files
    for file in files:
        for row in pq.read_table(file, partitioning=None).to_pylist():
            assert not ids & set(row.values())


def _files(folder):
    return sorted(Path(folder).rglob("*.parquet"))
