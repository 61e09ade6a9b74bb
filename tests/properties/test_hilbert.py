import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from seriatim.partition import hilbert_order
from seriatim.partition.hilbert import grid_bits, grid_points
from strategies import hospital_schema, hospital_tables

SHAPES = [(1, 1), (4, 1), (1, 4), (3, 2), (5, 2), (2, 3), (3, 3), (2, 5)]
"""Bits a dimension, dimensions: at most 2**10 points."""


@st.composite
def points(draw, *, most_bits=32, most_dimensions=8):
    bits, dimensions = draw(st.integers(1, most_bits)), draw(st.integers(1, most_dimensions))
    side = st.integers(0, 2**bits - 1)
    rows = st.lists(st.tuples(*[side] * dimensions), min_size=1, max_size=6)
    return draw(rows), bits


def as_integers(index):
    """One big integer for each row of words."""
    if index.ndim == 1:
        return index.tolist()
    return [sum(int(word) << 64 * place for place, word in enumerate(row[::-1])) for row in index]


@pytest.mark.parametrize(("bits", "dimensions"), SHAPES)
def test_hilbert_index__is_a_bijection_whose_successive_points_are_neighbours(bits, dimensions):
    grid = np.array(list(itertools.product(range(2**bits), repeat=dimensions)))
    index = sr.hilbert_index(grid, bits)
    assert sorted(index.tolist()) == list(range(len(grid)))
    walk = grid[np.argsort(index)]
    assert (np.abs(np.diff(walk, axis=0)).sum(axis=1) == 1).all()


@pytest.mark.parametrize(("bits", "dimensions"), SHAPES)
def test_hilbert_index__is_undone_by_walking_back_from_the_index(bits, dimensions):
    walk = [
        oracles.hilbert_point(index, bits, dimensions) for index in range(2 ** (bits * dimensions))
    ]
    assert sr.hilbert_index(walk, bits).tolist() == list(range(len(walk)))


@given(points())
def test_hilbert_index__of_any_length_is_the_big_integer_of_its_twins(drawn):
    rows, bits = drawn
    found = as_integers(sr.hilbert_index(np.array(rows, dtype=np.uint64), bits))
    assert found == [oracles.hilbert_index(row, bits) for row in rows]
    assert [oracles.hilbert_point(index, bits, len(rows[0])) for index in found] == rows


@given(st.data())
def test_hilbert_index__of_several_words_sorts_like_the_big_integer(data):
    bits, dimensions = 32, data.draw(st.integers(3, 5))
    # Few high bits, so that points also differ in their last words only.
    side = st.integers(0, 3) | st.integers(0, 2**32 - 1)
    rows = data.draw(st.lists(st.tuples(*[side] * dimensions), min_size=2, max_size=8))
    words = sr.hilbert_index(np.array(rows, dtype=np.uint64), bits)
    assert words.shape == (len(rows), -(-dimensions * bits // 64))
    by_words = sorted(range(len(rows)), key=lambda row: tuple(words[row].tolist()))
    assert by_words == sorted(
        range(len(rows)), key=lambda row: oracles.hilbert_index(rows[row], bits)
    )


def some_ties(n, seed):
    """Any numbers, few enough to come up twice, and others that need all 64 bits."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, n, dtype=np.uint64) * np.uint64(2**63) + rng.integers(
        0, 4, n, dtype=np.uint64
    )


@given(hospital_tables(), st.integers(0, 99))
def test_hilbert_order__goes_along_the_curve_and_visits_everyone_once(table, seed):
    view = sr.View.from_table(table, hospital_schema())
    bits = grid_bits(view)
    order = hilbert_order(view, ties=some_ties(len(view), seed))
    index = [oracles.hilbert_index(point, bits) for point in grid_points(view, bits).tolist()]
    walk = [index[row] for row in order]
    assert sorted(order.tolist()) == list(range(len(view)))
    assert walk == sorted(walk)


@given(hospital_tables(), st.integers(0, 99))
def test_hilbert_order__goes_by_ties_among_those_with_equal_quasi_identifiers(table, seed):
    # Two points only, so that most have somebody at theirs.
    n = len(table["id"])
    here = np.random.default_rng(seed).integers(0, 2, n).tolist()
    table |= {"gender": ["F"] * n, "grade": ["low"] * n, "zip": ["12030"] * n, "age": here}
    view = sr.View.from_table(table, hospital_schema())
    ties = some_ties(n, seed)
    order = hilbert_order(view, ties=ties)
    expected = sorted(range(n), key=lambda row: (view.points[row, 0], ties[row]))
    if view.points[order[0], 0] == 1:  # the curve may meet the two points in either order
        expected = sorted(range(n), key=lambda row: (-view.points[row, 0], ties[row]))
    assert order.tolist() == expected


@given(st.integers(1, 6), st.integers(3, 12), st.integers(0, 99))
def test_hilbert_order__goes_along_the_curve_with_an_index_of_several_words(n, dimensions, seed):
    rng = np.random.default_rng(seed)
    schema = sr.Schema(
        "id",
        [sr.Numeric(f"x{axis}", 0, 2**16 - 1) for axis in range(dimensions)],
        sr.Sensitive("value", (0, 1)),
    )
    points = rng.integers(0, 2**16, (3 * n, dimensions))
    table = {"id": list(range(3 * n)), "value": [0] * (3 * n)}
    table |= {f"x{axis}": points[:, axis].tolist() for axis in range(dimensions)}
    order = hilbert_order(sr.View.from_table(table, schema), ties=some_ties(3 * n, seed))
    walk = [oracles.hilbert_index(points[row].tolist(), 16) for row in order]
    assert walk == sorted(walk)


@given(hospital_tables())
def test_grid__tells_all_points_apart_and_uses_its_whole_side(table):
    view = sr.View.from_table(table, hospital_schema())
    bits = grid_bits(view)
    grid = grid_points(view, bits)
    assert len(np.unique(grid, axis=0)) == len(np.unique(view.points, axis=0))
    for axis, attribute in enumerate(view.schema.quasi_identifiers):
        ends = attribute.spread(np.array([0.0, attribute.steps - 1.0]))
        assert ends.tolist() == [0, 1]
        assert set(grid[:, axis]) <= set(range(2**bits))
