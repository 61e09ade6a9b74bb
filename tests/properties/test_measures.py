import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from seriatim.partition import generalize
from strategies import (
    GENDERS,
    GRADES,
    ZIPS,
    as_partition,
    groups,
    hospital_schema,
    hospital_tables,
    partitions,
)


@st.composite
def read_releases(draw):
    """Posterior, true values and the group of each respondent; -1 is unpublished."""
    posterior, values = draw(groups(most_rows=10))
    n = len(values)
    drawn = draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n).filter(lambda g: max(g) >= 0))
    return posterior, values, drawn


def rows_by_group(group_of):
    return [
        [row for row, group in enumerate(group_of) if group == number]
        for number in sorted(set(group_of) - {-1})
    ]


@given(read_releases())
def test_confidence__equals_its_twin(drawn):
    posterior, values, group_of = drawn
    twin = oracles.confidences(posterior, values, rows_by_group(group_of))
    found = sr.adversary_confidence(posterior, values, group_of)
    assert sorted(found.per_tuple) == pytest.approx(sorted(twin), abs=1e-12)
    assert found.mean == pytest.approx(oracles.mean(twin), abs=1e-12)


@given(read_releases())
def test_gain__equals_its_twin(drawn):
    posterior, values, group_of = drawn
    twin = oracles.gains(posterior, values, rows_by_group(group_of))
    found = sr.adversary_gain(posterior, values, group_of)
    assert sorted(found.per_tuple) == pytest.approx(sorted(twin), abs=1e-12)
    assert found.mean == pytest.approx(oracles.mean(twin), abs=1e-12)


@given(read_releases())
def test_baselines__are_what_a_reader_reaches_who_only_counts(drawn):
    posterior, values, group_of = drawn
    counting = dict(enumerate(posterior))
    by_group = rows_by_group(group_of)
    for rows in by_group:
        shares = oracles.frequencies([values[row] for row in rows], len(posterior[0]))
        counting.update(dict.fromkeys(rows, shares))
    confidence = oracles.mean(oracles.confidences(counting, values, by_group))
    gain = oracles.mean(oracles.gains(counting, values, by_group))
    assert sr.adversary_confidence(*drawn).baseline == pytest.approx(confidence, abs=1e-12)
    assert sr.adversary_gain(*drawn).baseline == pytest.approx(gain, abs=1e-12)


@st.composite
def releases(draw):
    """A release of arbitrary groups, the covers of its twins, and the sizes of its groups."""
    table = draw(hospital_tables(least=2, most=12))
    view = sr.View.from_table(table, hospital_schema())
    n = len(view)
    *groups, left = draw(partitions(n))
    rng = np.random.default_rng(0)
    release, membership = generalize(view, as_partition(groups, left), at=1, rng=rng)
    covers = [covers_of([table_row(table, view, row) for row in rows]) for rows in groups]
    return release, membership, covers, [len(rows) for rows in groups]


def table_row(table, view, row):
    place = table["id"].index(view.respondents[int(row)].as_py())
    return {name: column[place] for name, column in table.items()}


def covers_of(rows):
    return [
        oracles.interval([row["age"] for row in rows], 0, 99),
        oracles.value_set([row["gender"] for row in rows], GENDERS),
        oracles.run_of([row["grade"] for row in rows], GRADES),
        oracles.lowest_node([row["zip"] for row in rows], oracles.prefix_paths(ZIPS)),
    ]


@given(releases())
def test_semiperimeter__equals_its_twin(drawn):
    release, _, covers, _ = drawn
    twin = oracles.semiperimeter([[cover.extent for cover in row] for row in covers])
    assert sr.semiperimeter(release) == pytest.approx(twin, abs=1e-12)


@given(releases())
def test_gcp__equals_its_twin(drawn):
    release, _, covers, sizes = drawn
    penalties = [[cover.penalty for cover in row] for row in covers]
    twin = oracles.global_certainty_penalty(penalties, sizes)
    assert sr.global_certainty_penalty(release) == pytest.approx(twin, abs=1e-12)


@given(releases())
def test_suppression__is_the_share_of_tuples_left_out(drawn):
    _, membership, _, sizes = drawn
    n = len(membership.roster)
    assert sr.suppression(membership) == pytest.approx(1 - sum(sizes) / n, abs=1e-12)
