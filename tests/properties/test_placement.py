"""Who may be in which group, against every way to fill the groups."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_readers as oracles
import seriatim as sr
from strategies_readers import opened, region_schema


def pairs_of(found):
    """The pairs of respondent and group that a result leaves possible."""
    if isinstance(found, sr.Membership):
        return {(row, int(group)) for row, group in enumerate(found.group_of) if group >= 0}
    return set(zip(found.respondent_of.tolist(), found.candidates.tolist(), strict=True))


@given(opened())
def test_placement__drops_nothing_that_is_possible(case):
    ways = oracles.assignments(case.fitting, case.sizes)
    assert oracles.possible_pairs(ways) <= pairs_of(sr.place(case.roster, case.release))


@given(opened())
def test_placement__has_only_groups_whose_region_fits(case):
    fits = {(row, group) for row, groups in enumerate(case.fitting) for group in groups}
    assert pairs_of(sr.place(case.roster, case.release)) <= fits


@given(opened())
def test_placement__is_a_membership_exactly_where_one_way_is_possible(case):
    ways = oracles.assignments(case.fitting, case.sizes)
    found = sr.place(case.roster, case.release)
    assert isinstance(found, sr.Membership) == (len(ways) == 1)
    if isinstance(found, sr.Membership):
        published = [None if group < 0 else group for group in found.group_of.tolist()]
        assert tuple(published) == ways[0]


@given(opened(most_spare=0))
def test_placement__of_a_roster_that_is_all_published_leaves_nobody_out(case):
    assert sr.place(case.roster, case.release).published.all()


@given(opened())
def test_placement__fits_its_release(case):
    found = sr.place(case.roster, case.release)
    assert found.fits(case.release)
    assert len(found.published) == len(case.roster)
    if isinstance(found, sr.Placement):
        assert found.offsets[-1] == len(found.candidates) == len(found.respondent_of)


@given(opened())
def test_placement__tells_who_may_be_published(case):
    possible = oracles.possible_pairs(oracles.assignments(case.fitting, case.sizes))
    published = sr.place(case.roster, case.release).published
    assert all(published[row] for row, _ in possible)
    assert not any(published[row] for row, groups in enumerate(case.fitting) if not groups)


@given(opened(), st.randoms(use_true_random=False))
def test_placement__is_the_same_when_rows_arrive_in_another_order(case, random):
    rows = list(range(len(case.points)))
    random.shuffle(rows)
    table = {
        "id": rows,
        "age": [case.points[row][0] for row in rows],
        "gender": [case.points[row][1] for row in rows],
    }
    again = sr.place(sr.Roster.from_table(table, region_schema()), case.release)
    assert pairs_of(again) == pairs_of(sr.place(case.roster, case.release))


def read(cells, values=None):
    values = values or ["a"] * len(cells)
    table = {"age": cells, "gender": ["*"] * len(cells), "exam": values}
    return sr.read_release(table, region_schema(), at=1)


def people(*ages):
    table = {"id": list(range(len(ages))), "age": list(ages), "gender": ["F"] * len(ages)}
    return sr.Roster.from_table(table, region_schema())


def test_placement__whoever_fits_a_group_that_nobody_else_can_fill_is_in_it():
    found = sr.place(people(1, 5), read(["[0,5]", "[4,9]"]))
    assert isinstance(found, sr.Membership)
    assert found.group_of.tolist() == [0, 1]


def test_placement__suppressed_cells_may_be_anybody():
    found = sr.place(people(1, 2, 8), read(["[0,5]", "*", "*"]))
    assert isinstance(found, sr.Placement)
    assert pairs_of(found) == {(0, 0), (1, 0), (0, 1), (1, 1), (2, 1)}


def test_placement__a_group_filled_by_those_who_fit_no_other_takes_nobody_else():
    found = sr.place(people(1, 2, 4, 8), read(["[0,4]", "[0,4]", "[3,9]", "[3,9]"]))
    assert isinstance(found, sr.Membership)
    assert found.group_of.tolist() == [0, 0, 1, 1]


def test_placement__the_surplus_of_a_roster_may_be_anyone():
    found = sr.place(people(1, 2), read(["[0,5]"]))
    assert isinstance(found, sr.Placement)
    assert found.published.tolist() == [True, True]


def test_placement__whoever_fits_nothing_is_absent():
    found = sr.place(people(1, 9), read(["[0,5]"]))
    assert isinstance(found, sr.Membership)
    assert found.group_of.tolist() == [0, -1]


def test_placement__of_nobody_who_fits_has_no_candidates():
    found = sr.place(people(8, 9), read(["[0,5]", "[0,5]"]))
    assert isinstance(found, sr.Placement)
    assert not found.published.any()


@given(opened(most_spare=0), st.data())
def test_placement__of_a_roster_that_lacks_people_still_has_only_fitting_groups(case, data):
    kept = data.draw(st.integers(1, len(case.roster)))
    roster = case.roster.take(np.arange(kept))
    fits = {(row, group) for row, groups in enumerate(case.fitting[:kept]) for group in groups}
    assert pairs_of(sr.place(roster, case.release)) <= fits


def test_placement__says_nothing_about_anyone():
    table = {"id": ["SECRET-1", "SECRET-2"], "age": [1, 2], "gender": ["F", "F"]}
    found = sr.place(sr.Roster.from_table(table, region_schema()), read(["[0,5]"]))
    assert repr(found) == "Placement(2 of 2 respondents, in 2 possible ways)"


def test_placement__finds_whom_the_publisher_published(running_example):
    for view, release, membership in zip(
        running_example.views, running_example.releases, running_example.memberships, strict=True
    ):
        found = sr.place(view.roster, release)
        assert isinstance(found, sr.Membership)
        assert np.array_equal(found.group_of, membership.group_of)


def test_placement__reads_regions_with_values_that_only_other_views_have():
    schema = sr.Schema("id", [sr.Categorical("ward")], sr.Sensitive("exam", ["a"]))
    release = sr.read_release({"ward": ["{N, S}", "W"], "exam": ["a", "a"]}, schema, at=1)
    roster = sr.Roster.from_table({"id": [1, 2], "ward": ["N", "E"]}, schema)
    found = sr.place(roster, release)
    assert pairs_of(found) == {(0, 0)}


def test_placement__refuses_cells_outside_a_declared_domain():
    schema = region_schema()
    release = sr.read_release({"age": ["*"], "gender": ["Q"], "exam": ["a"]}, schema, at=1)
    with pytest.raises(sr.SeriatimError, match="'Q' is no value of 'gender'; possible are 'F'"):
        sr.place(people(1), release)
