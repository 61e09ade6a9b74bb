"""Standing cells in districts: shards that stay."""

import numpy as np
import pytest

import seriatim as sr
from seriatim.engines.local.engine import LocalEngine
from seriatim.errors import OrderError
from sharded_series import (
    SIZES,
    by_the_publisher,
    clinic,
    groups_of,
    last_manifest,
    publish_all,
    records_of,
    release_table,
    series_in,
    standing,
)


@pytest.mark.parametrize("by", ["first-seen", "current"])
@pytest.mark.parametrize("merges", ["stay", "anew"])
def test_one_district__gives_the_groups_of_the_publisher(by, merges, tmp_path):
    made = clinic()
    policy = standing(by, merges)
    series = series_in(tmp_path, made, policy=policy)
    publish_all(LocalEngine(sizes=SIZES), series, made.weeks, tmp_path, shards=1)
    published = by_the_publisher(tmp_path, policy, series.reader, made.weeks)
    for number, (release, _) in enumerate(published, start=1):
        assert groups_of(release_table(series, number)) == groups_of(release.to_arrow())


def test_first_seen__people_keep_their_home_whatever_becomes_of_them(tmp_path):
    made = clinic()
    tight = sr.Policy(
        sr.KAnonymity(5) & sr.TCloseness(0.7) & sr.JSBound(0.02), sr.StandingCells(10)
    )
    series = series_in(tmp_path, made, policy=tight)
    engine, homes = LocalEngine(sizes=SIZES), {}
    suppressed = 0
    for at, table in enumerate(made.weeks, start=1):
        (outcome,) = publish_all(engine, series, [table], tmp_path, shards=4, first=at)
        suppressed += outcome.certificate["suppressed"]
        found = {who: record["home"] for who, record in records_of(series).items()}
        assert all(found[who] == home for who, home in homes.items())
        homes = found
    everyone = {who for table in made.weeks for who in table.column("patient").to_pylist()}
    assert suppressed > 0
    assert len(homes) == len(everyone) == last_manifest(series)["people"]


def test_one_huge_point__is_divided_by_number_and_stays_so(tmp_path):
    made = clinic()
    crowd = [
        table.set_column(1, "age", [np.full(table.num_rows, 50)])
        .set_column(2, "gender", [["F"] * table.num_rows])
        .set_column(3, "zip", [["38100"] * table.num_rows])
        for table in (
            week.select(["patient", "age", "gender", "zip", "exam"]) for week in made.weeks
        )
    ]
    series = series_in(tmp_path, made, policy=standing())
    outcomes = publish_all(LocalEngine(sizes=SIZES), series, crowd, tmp_path, shards=6)
    assert {outcome.cut.shards for outcome in outcomes} == {4}
    assert len(outcomes[0].cut.cells) == 1
    homes = np.array([record["home"] >> 32 for record in records_of(series).values()])
    assert np.bincount(homes).min() > len(homes) / 6


def test_going_on_with_another_partitioner__is_refused(tmp_path):
    made = clinic()
    series = series_in(tmp_path, made, policy=standing())
    publish_all(LocalEngine(sizes=SIZES), series, made.weeks[:1], tmp_path)
    other = series_in(tmp_path, made)
    with pytest.raises(OrderError, match="begun with another partitioner"):
        publish_all(LocalEngine(sizes=SIZES), other, made.weeks[1:2], tmp_path, first=2)
