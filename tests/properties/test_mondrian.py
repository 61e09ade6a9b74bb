"""Mondrian against a plain recursion, for every kind of attribute and requirement."""

import datetime as dt
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import oracles_rivals as rivals
import seriatim as sr
from seriatim.partition import tie_order

GENDERS = ("F", "M", "X")
GRADES = ("low", "middle", "high", "top", "beyond")
WARDS = {
    "a1": ["a", "north"],
    "a2": ["a", "north"],
    "b1": ["b", "north"],
    "c1": ["c", "south"],
    "c2": ["c", "south"],
}
"""Five leaves: places in all domains are quarters, halves or finer, so that widths are exact."""

FIRST_DAY = dt.date(2023, 1, 1)
DAYS = 512
VALUES = ("u", "v", "w")

SCHEMA = sr.Schema(
    "id",
    [
        sr.Numeric("age", 0, 8),
        sr.Categorical("gender", GENDERS),
        sr.Ordinal("grade", GRADES),
        sr.Hierarchical("ward", WARDS),
        sr.Date(
            "born",
            FIRST_DAY.isoformat(),
            (FIRST_DAY + dt.timedelta(DAYS)).isoformat(),
            levels=("month", "quarter", "year"),
        ),
    ],
    sr.Sensitive("exam", VALUES),
)


def calendar_height(one, other):
    """1 between days of a month; one more for each of month, quarter and year that differs."""
    units = [
        lambda day: (day.year, day.month),
        lambda day: (day.year, (day.month - 1) // 3),
        lambda day: day.year,
    ]
    return 1 + sum(unit(one) != unit(other) for unit in units)


def axes_of(table):
    return [
        rivals.Axis(table["age"], lambda age: age / 8, rivals.flat),
        rivals.Axis(table["gender"], lambda gender: GENDERS.index(gender) / 2, rivals.flat),
        rivals.Axis(table["grade"], lambda grade: GRADES.index(grade) / 4, rivals.flat),
        rivals.Axis(
            table["ward"],
            lambda ward: sorted(WARDS).index(ward) / 4,
            rivals.tree_height({leaf: [*above, "*"] for leaf, above in WARDS.items()}),
        ),
        rivals.Axis(table["born"], lambda day: (day - FIRST_DAY).days / DAYS, calendar_height),
    ]


@st.composite
def crowds(draw, *, most=28):
    """A table with a few values in each attribute, sorted by id, and beliefs."""
    n = draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    # Now and then an attribute tells nobody apart, or only a few.
    width = [draw(st.sampled_from([1, 2, 5, 9])) for _ in range(5)]
    days = rng.choice(DAYS + 1, min(width[4], 9), replace=False)
    table = {
        "id": list(range(n)),
        "age": rng.integers(0, width[0], n).tolist(),
        "gender": [GENDERS[code] for code in rng.integers(0, min(width[1], 3), n)],
        "grade": [GRADES[code] for code in rng.integers(0, min(width[2], 5), n)],
        "ward": [sorted(WARDS)[code] for code in rng.integers(0, min(width[3], 5), n)],
        "born": [FIRST_DAY + dt.timedelta(int(day)) for day in rng.choice(days, n)],
        "exam": [VALUES[code] for code in rng.integers(0, 3, n)],
    }
    beliefs = rng.integers(0, 5, (n, 3)) + np.eye(3, dtype=int)[rng.integers(0, 3, n)]
    return table, beliefs / beliefs.sum(axis=1, keepdims=True)


class Unheard(sr.KAnonymity):
    """A requirement that no kernel knows."""

    def criterion(self):
        return None


REQUIREMENTS = {
    "k": sr.KAnonymity(k=3),
    "k & t": sr.KAnonymity(k=2) & sr.TCloseness(t=0.35),
    "l": sr.DistinctLDiversity(l=2),
    "k & js": sr.KAnonymity(k=2) & sr.JSBound(j=0.12),
    "unique": sr.MUniqueness(m=2),
}


def twin_of(name, values, beliefs):
    groups = {
        "k": lambda rows, _: len(rows) >= 3,
        "k & t": lambda rows, group: (
            len(rows) >= 2 and oracles.scanned_equal_distance(group, values, 3) <= 0.35
        ),
        "l": lambda _, group: oracles.distinct_values(group) >= 2,
        "k & js": lambda rows, _: (
            len(rows) >= 2
            and oracles.js_divergence([beliefs[row] for row in rows]) <= 0.12 + oracles.JS_ROOM
        ),
        "unique": lambda rows, group: len(rows) >= 2 and len(set(group)) == len(rows),
    }
    return lambda rows: groups[name](rows, [values[row] for row in rows])


def partitioned(table, beliefs, requirement):
    view = sr.View.from_table(table, SCHEMA)
    revised = sr.Belief(np.asarray(beliefs), VALUES)
    return sr.Mondrian().partition(view, revised, requirement, ties=tie_order(view, b"secret"))


def as_lists(partition):
    return [sorted(rows.tolist()) for rows in partition.groups], sorted(
        partition.remainder.tolist()
    )


@pytest.mark.parametrize("name", REQUIREMENTS)
@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "in Python"])
def test_mondrian__equals_the_plain_recursion(name, compiled):
    @given(crowds())
    def agrees(crowd):
        table, beliefs = crowd
        values = [VALUES.index(value) for value in table["exam"]]
        may_stand = twin_of(name, values, beliefs.tolist())
        parts = rivals.mondrian(list(range(len(values))), axes_of(table), may_stand)
        expected = (
            [rows for rows, stands in parts if stands],
            sorted(chain(*(rows for rows, stands in parts if not stands))),
        )
        requirement = REQUIREMENTS[name] if compiled else Unheard(k=1) & REQUIREMENTS[name]
        assert as_lists(partitioned(table, beliefs, requirement)) == expected

    agrees()


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_mondrian__leaves_no_group_that_its_rule_would_cut(name):
    @given(crowds(most=20))
    def is_final(crowd):
        table, beliefs = crowd
        values = [VALUES.index(value) for value in table["exam"]]
        may_stand = twin_of(name, values, beliefs.tolist())
        groups, left = as_lists(partitioned(table, beliefs, REQUIREMENTS[name]))
        assert sorted([*chain(*groups), *left]) == list(range(len(values)))
        for rows in groups:
            assert may_stand(rows)
            for axis in axes_of(table):
                assert not any(may_stand(low) and may_stand(high) for low, high in axis.cuts(rows))

    is_final()


@given(crowds(most=20))
def test_mondrian__under_k_leaves_no_group_that_any_border_could_cut(crowd):
    """For sizes alone the border nearest to the median fails only where all of its height do."""
    table, beliefs = crowd
    groups, _ = as_lists(partitioned(table, beliefs, sr.KAnonymity(k=3)))
    for rows in groups:
        for axis in axes_of(table):
            places = sorted(axis.place(axis.values[row]) for row in rows)
            cuts = [n for n in range(1, len(places)) if places[n - 1] < places[n]]
            assert not any(3 <= n <= len(places) - 3 for n in cuts)


@given(crowds(), st.sampled_from(sorted(REQUIREMENTS)), st.data())
def test_mondrian__does_not_go_by_the_order_of_the_input_nor_by_ties(crowd, name, data):
    table, beliefs = crowd
    n = len(table["id"])
    order = data.draw(st.permutations(range(n)))
    turned = {column: [cells[row] for row in order] for column, cells in table.items()}
    found = partitioned(turned, beliefs, REQUIREMENTS[name])
    assert as_lists(found) == as_lists(partitioned(table, beliefs, REQUIREMENTS[name]))


@given(crowds(), st.sampled_from(sorted(REQUIREMENTS)), st.data())
def test_mondrian__forms_the_same_groups_whatever_people_are_called(crowd, name, data):
    """New ids sort in another order; everyone keeps cells, value and belief."""
    table, beliefs = crowd
    order = data.draw(st.permutations(range(len(table["id"]))))
    turned = {column: [cells[row] for row in order] for column, cells in table.items()}
    turned["id"] = table["id"]
    groups, left = as_lists(partitioned(turned, beliefs[list(order)], REQUIREMENTS[name]))
    expected, rest = as_lists(partitioned(table, beliefs, REQUIREMENTS[name]))
    assert [sorted(order[row] for row in rows) for rows in groups] == expected
    assert sorted(order[row] for row in left) == rest


@given(crowds())
def test_mondrian__is_the_same_with_two_readers_of_their_own_which_no_kernel_knows(crowd):
    table, beliefs = crowd
    asked = sr.KAnonymity(k=2) & sr.BTPrivacy(bandwidth=0.4, t=0.1)
    twice = asked & sr.BTPrivacy(bandwidth=0.4, t=0.1)
    assert as_lists(partitioned(table, beliefs, twice)) == as_lists(
        partitioned(table, beliefs, asked)
    )


def one_axis(attribute, column, k=2):
    n = len(column)
    schema = sr.Schema("id", [attribute], sr.Sensitive("exam", VALUES))
    table = {"id": list(range(n)), attribute.name: column, "exam": ["u"] * n}
    view = sr.View.from_table(table, schema)
    revised = sr.Belief(np.full((n, 3), 1 / 3), VALUES)
    found = sr.Mondrian().partition(
        view, revised, sr.KAnonymity(k=k), ties=tie_order(view, b"secret")
    )
    return as_lists(found)[0]


def test_cut__separates_two_values_also_where_the_median_is_the_greatest():
    gender = sr.Categorical("gender", ["F", "M"])
    assert one_axis(gender, ["F"] * 2 + ["M"] * 6) == [[0, 1], [2, 3, 4, 5, 6, 7]]
    assert one_axis(gender, ["F"] * 6 + ["M"] * 2) == [[0, 1, 2, 3, 4, 5], [6, 7]]


def test_cut__of_two_as_even_is_the_one_above_the_median():
    assert one_axis(sr.Numeric("age", 0, 8), [0, 0, 4, 8, 8]) == [[0, 1, 2], [3, 4]]


def test_cut__goes_between_larger_units_first_even_where_another_is_more_even():
    wards = sr.Hierarchical("ward", WARDS)
    ward = ["a1"] * 3 + ["a2"] * 3 + ["b1"] * 3 + ["c1"] * 2
    assert one_axis(wards, ward, k=2) == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10]]
    # North and south differ in size too much for k = 5; inside north, a and b may be parted.
    assert one_axis(wards, ward, k=5) == [[*range(6)], [*range(6, 11)]]


def test_mondrian__cuts_what_fails_as_a_whole_and_keeps_what_holds_in_parts():
    """Divergence falls when groups are cut: the whole view fails, each half holds."""
    schema = sr.Schema("id", [sr.Numeric("age", 0, 8)], sr.Sensitive("exam", VALUES))
    table = {"id": [0, 1, 2, 3], "age": [0, 1, 7, 8], "exam": ["u", "v", "u", "v"]}
    view = sr.View.from_table(table, schema)
    revised = sr.Belief(np.eye(3)[[0, 0, 1, 1]], VALUES)
    asked = sr.KAnonymity(k=2) & sr.JSBound(j=0.0)
    found = sr.Mondrian().partition(view, revised, asked, ties=tie_order(view, b""))
    assert as_lists(found) == ([[0, 1], [2, 3]], [])
    revised = sr.Belief(np.eye(3)[[0, 1, 0, 1]], VALUES)
    found = sr.Mondrian().partition(view, revised, asked, ties=tie_order(view, b""))
    assert as_lists(found) == ([], [0, 1, 2, 3])
