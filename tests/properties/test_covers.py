"""What groups are generalized to, for the four kinds of attributes, against raw values."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import seriatim as sr

WARDS = {
    "A1": ["A", "north", "all"],
    "A2": ["A", "north", "all"],
    "B1": ["B", "north", "all"],
    "C1": ["C", "south", "all"],
    "C2": ["C", "south", "all"],
    "C3": ["C", "south", "all"],
}
WORDS = ("red", "green", "blue", "black", "white")


def grouped(values):
    return st.lists(st.lists(values, min_size=1, max_size=5), min_size=1, max_size=5)


def cover(attribute, groups):
    column = pa.array([value for group in groups for value in group])
    attribute = attribute.resolve(column)
    starts = np.cumsum([0, *map(len, groups)])
    return attribute, attribute.cover(attribute.encode(column), starts)


def assert_covers(attribute, groups, twins):
    """Text, extent and penalty are the twins', and the text reads back as the part."""
    attribute, found = cover(attribute, groups)
    assert found.text().to_pylist() == [twin.text for twin in twins]
    assert found.extents == pytest.approx([twin.extent for twin in twins], abs=1e-12)
    assert found.penalties == pytest.approx([twin.penalty for twin in twins], abs=1e-12)
    for number, (group, twin) in enumerate(zip(groups, twins, strict=True)):
        part = found.part(number)
        assert attribute.parse(twin.text) == part
        assert attribute.describe(part) == twin.text
        assert part.contains(attribute.encode(pa.array(group))).all()


@given(grouped(st.integers(-20, 20)), st.integers(20, 60))
def test_intervals__of_whole_numbers_equal_their_twins(groups, high):
    twins = [oracles.interval(group, -20, high) for group in groups]
    assert_covers(sr.Numeric("x", -20, high), groups, twins)


@given(grouped(st.integers(1, 99).map(lambda number: number / 8)))
def test_intervals__of_fractions_equal_their_twins(groups):
    groups = [*groups, [0.0, 13.125]]  # the domain is what occurs
    twins = [oracles.interval(group, 0, 13.125, lambda x: f"{x:g}") for group in groups]
    assert_covers(sr.Numeric("x"), groups, twins)


@given(grouped(st.just(7)))
def test_intervals__in_a_domain_of_one_point_cost_nothing(groups):
    assert_covers(sr.Numeric("x"), groups, [oracles.Cover("7", 0.0, 0.0)] * len(groups))


@given(grouped(st.sampled_from(WORDS)), st.permutations(WORDS))
def test_runs__equal_their_twins(groups, order):
    twins = [oracles.run_of(group, order) for group in groups]
    assert_covers(sr.Ordinal("x", order), groups, twins)


@given(grouped(st.sampled_from(WORDS)), st.permutations(WORDS))
def test_sets__equal_their_twins(groups, order):
    twins = [oracles.value_set(group, order) for group in groups]
    assert_covers(sr.Categorical("x", order), groups, twins)


@given(grouped(st.sampled_from(sorted(WARDS))), st.permutations(sorted(WARDS)))
def test_nodes__equal_their_twins(groups, order):
    twins = [oracles.lowest_node(group, WARDS) for group in groups]
    assert_covers(sr.Hierarchical("x", {leaf: WARDS[leaf] for leaf in order}), groups, twins)


@given(
    st.lists(st.text("0123", min_size=4, max_size=4), min_size=2, max_size=9, unique=True).flatmap(
        lambda codes: st.tuples(st.just(codes), grouped(st.sampled_from(codes)))
    )
)
def test_masked_prefixes__equal_their_twins(drawn):
    codes, groups = drawn
    paths = oracles.prefix_paths(codes)
    twins = [oracles.lowest_node(group, paths) for group in groups]
    texts = [twin.text for twin in twins]
    attribute, found = cover(sr.Hierarchical("x", mask="prefix", values=codes), groups)
    assert found.text().to_pylist() == texts
    assert found.extents == pytest.approx([twin.extent for twin in twins], abs=1e-12)
    assert found.penalties == pytest.approx([twin.penalty for twin in twins], abs=1e-12)
    for number, text in enumerate(texts):
        assert attribute.parse(text) == found.part(number)
