import numpy as np
import pytest

import seriatim as sr


@pytest.fixture
def release(running_example):
    return running_example.releases[1]


@pytest.fixture
def view(running_example):
    return running_example.views[1]


def test_membership__lists_members_group_by_group(view):
    membership = sr.Membership(view, np.array([1, -1, 0, 1, 0]))
    assert membership.members.tolist() == [2, 4, 0, 3]
    assert membership.published.tolist() == [True, False, True, True, True]


def test_membership__of_groups_is_that_of_the_group_of_each_row():
    table = {"who": np.arange(700), "age": np.arange(700) % 60, "exam": np.arange(700) % 3}
    schema = sr.Schema("who", [sr.Numeric("age")], sr.Sensitive("exam"))
    roster = sr.View.from_table(table, schema).roster
    rows = np.random.default_rng(3).permutation(700)[:650]
    starts = np.cumsum([0, 3, 1, 200, 64, 65, 317])
    group_of = np.full(700, -1)
    group_of[rows] = np.repeat(np.arange(6), np.diff(starts))
    found = sr.Membership.of_groups(roster, rows, starts)
    assert found.group_of.tolist() == group_of.tolist()
    assert found.members.tolist() == sr.Membership(roster, group_of).members.tolist()


@pytest.mark.parametrize(
    "groups",
    [
        [0, 0, 1, 1],
        [0, 0, 1, 1, 1, 1],
        [[0, 0, 1, 1, 1]],
        [0.0, 0.0, 1.0, 1.0, 1.0],
        [-2, 0, 0, 0, 0],
    ],
)
def test_membership__refuses_groups_that_are_not_aligned_to_its_roster(view, groups):
    with pytest.raises(sr.OrderError, match="gives each of 5 respondents a group from 0, or -1"):
        sr.Membership(view.roster, np.array(groups))


def test_membership__takes_groups_of_any_whole_kind(view):
    membership = sr.Membership(view.roster, np.array([0, 0, 1, 1, -1], dtype=np.int8))
    assert membership.group_of.dtype == np.int64


def test_membership__made_with_a_release_holds_no_sensitive_values(make_publisher, table):
    publisher = make_publisher()
    publisher.publish(table, at=1)
    assert type(publisher.latest.membership.roster) is sr.Roster


@pytest.mark.parametrize(
    ("groups", "fits"),
    [
        ([0, 0, 1, 1, 1], True),
        ([1, 0, 1, 0, 1], True),
        ([0, 0, 0, 1, 1], False),
        ([0, 0, 1, 1, -1], False),
        ([0, 0, 1, 1, 2], False),
        ([-1, -1, -1, -1, -1], False),
    ],
)
def test_membership__fits_a_release_with_the_same_group_sizes(view, release, groups, fits):
    assert sr.Membership(view, np.array(groups)).fits(release) is fits
