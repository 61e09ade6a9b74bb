"""What groups are generalized to, for the four kinds of attributes, against raw values."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from strategies import labels

WARDS = {
    "A1": ["A", "north", "all"],
    "A2": ["A", "north", "all"],
    "B1": ["B", "north", "all"],
    "C1": ["C", "south", "all"],
    "C2": ["C", "south", "all"],
    "C3": ["C", "south", "all"],
}
WORDS = ("red", "green", "blue", "black", "white")
MISLEADING = ["a,b", "a", "b", "{a,b}", '"a', "*", "", " a", '",', "[a", "a*", "}{"]
"""Labels that read as two, as a set, as anything, as nothing."""


def grouped(values):
    return st.lists(st.lists(values, min_size=1, max_size=5), min_size=1, max_size=5)


def domains_and_groups(domains):
    return domains.flatmap(
        lambda domain: st.tuples(st.just(domain), grouped(st.sampled_from(domain)))
    )


def assert_covers(attribute, groups, twins, everything):
    """Text, extent and penalty are the twins', and the text reads back as what they hold.

    ``everything`` lists values of the domain, inside and outside the parts.
    """
    column = pa.array([value for group in groups for value in group])
    attribute = attribute.resolve(column)
    found = attribute.cover(attribute.encode(column), np.cumsum([0, *map(len, groups)]))
    assert found.text.to_pylist() == [twin.text for twin in twins]
    assert found.extents == pytest.approx([twin.extent for twin in twins], abs=1e-12)
    assert found.penalties == pytest.approx([twin.penalty for twin in twins], abs=1e-12)
    codes = attribute.encode(pa.array(everything))
    for text, twin in zip(found.text.to_pylist(), twins, strict=True):
        inside = attribute.parse(text).contains(codes)
        assert inside.tolist() == [twin.holds(value) for value in everything]


@given(grouped(st.integers(-20, 20)), st.integers(20, 60))
def test_intervals__of_whole_numbers_equal_their_twins(groups, high):
    twins = [oracles.interval(group, -20, high) for group in groups]
    assert_covers(sr.Numeric("x", -20, high), groups, twins, range(-20, high + 1))


@given(grouped(st.integers(1, 99).map(lambda number: number / 8)))
def test_intervals__of_fractions_equal_their_twins(groups):
    groups = [*groups, [0.0, 13.125]]  # the domain is what occurs
    twins = [oracles.interval(group, 0, 13.125, lambda x: f"{x:g}") for group in groups]
    assert_covers(sr.Numeric("x"), groups, twins, [number / 16 for number in range(2 * 99 + 13)])


@given(grouped(st.just(7)))
def test_intervals__in_a_domain_of_one_point_cost_nothing(groups):
    twins = [oracles.interval(group, 7, 7) for group in groups]
    assert {(twin.text, twin.extent, twin.penalty) for twin in twins} == {("7", 0.0, 0.0)}
    assert_covers(sr.Numeric("x"), groups, twins, [6, 7, 8])


@example([-1e-300, 5e-324])
@example([1e16, 1e300])
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=6))
def test_intervals__of_any_numbers_are_read_back_to_the_last_digit(numbers):
    column = pa.array(np.array(numbers) + 0.0)  # zero has one sign in a table
    assume(np.isfinite(max(numbers) - min(numbers)))
    attribute = sr.Numeric("x").resolve(column)
    cover = attribute.cover(attribute.encode(column), np.array([0, len(numbers)]))
    part = attribute.parse(cover.text[0].as_py())
    assert (part.low, part.high) == (min(numbers), max(numbers))


@given(grouped(st.sampled_from(WORDS)), st.permutations(WORDS))
def test_runs__equal_their_twins(groups, order):
    twins = [oracles.run_of(group, order) for group in groups]
    assert_covers(sr.Ordinal("x", order), groups, twins, order)


@given(grouped(st.sampled_from(WORDS)), st.permutations(WORDS))
def test_sets__equal_their_twins(groups, order):
    twins = [oracles.value_set(group, order) for group in groups]
    assert_covers(sr.Categorical("x", order), groups, twins, order)


@example((MISLEADING, [[label] for label in MISLEADING]))
@example((MISLEADING, [MISLEADING, ["a", "b"], ["a", "{a,b}"], ["*", ""]]))
@given(domains_and_groups(labels()))
def test_runs__of_misleading_labels_are_read_back_as_what_they_hold(drawn):
    domain, groups = drawn
    twins = [oracles.run_of(group, domain) for group in groups]
    assert_covers(sr.Ordinal("x", domain), groups, twins, domain)


@example((MISLEADING, [[label] for label in MISLEADING]))
@example((MISLEADING, [MISLEADING, ["a", "b"], ["a", "{a,b}"], ["*", ""]]))
@given(domains_and_groups(labels()))
def test_sets__of_misleading_labels_are_read_back_as_what_they_hold(drawn):
    domain, groups = drawn
    twins = [oracles.value_set(group, domain) for group in groups]
    assert_covers(sr.Categorical("x", domain), groups, twins, domain)


@given(grouped(st.sampled_from(sorted(WARDS))), st.permutations(sorted(WARDS)))
def test_nodes__equal_their_twins(groups, order):
    twins = [oracles.lowest_node(group, WARDS) for group in groups]
    paths = {leaf: WARDS[leaf] for leaf in order}
    assert_covers(sr.Hierarchical("x", paths), groups, twins, order)


@given(domains_and_groups(labels(least=2).map(lambda domain: [label.strip() for label in domain])))
def test_nodes__with_misleading_labels_are_read_back_as_what_they_hold(drawn):
    leaves, groups = drawn
    assume(len(set(leaves)) == len(leaves))
    # Half of the leaves below "{x,y}", the others below 'z, "w"'; no leaf has these names.
    paths = {
        leaf: [("{x,y}", 'z, "w"')[place % 2], "root"] for place, leaf in enumerate(sorted(leaves))
    }
    twins = [oracles.lowest_node(group, paths) for group in groups]
    assert_covers(sr.Hierarchical("x", paths), groups, twins, leaves)


@example((["1", "12", "123", "1234"], [["1"], ["12", "1234"], ["123", "1234"], ["1", "12"]]))
@given(
    domains_and_groups(
        st.lists(st.text("0123", min_size=1, max_size=4), min_size=2, max_size=9, unique=True)
    )
)
def test_masked_prefixes__equal_their_twins_also_where_values_are_short(drawn):
    codes, groups = drawn
    paths = oracles.prefix_paths(codes)
    twins = [oracles.lowest_node(group, paths) for group in groups]
    assert_covers(sr.Hierarchical("x", mask="prefix", values=codes), groups, twins, codes)
