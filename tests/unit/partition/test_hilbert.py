import numpy as np
import pytest

import seriatim as sr
from seriatim.partition import hilbert_order


def test_hilbert_index__walks_from_neighbour_to_neighbour():
    grid = np.array([[x, y] for x in range(8) for y in range(8)])
    walk = grid[np.argsort(sr.hilbert_index(grid, bits=3))]
    assert (np.abs(np.diff(walk, axis=0)).sum(axis=1) == 1).all()


def test_hilbert_index__of_many_dimensions_is_a_row_of_words():
    points = np.eye(5, dtype=int)
    words = sr.hilbert_index(points, bits=16)
    assert words.shape == (5, 2)
    assert len(np.unique(words, axis=0)) == 5


@pytest.mark.parametrize(
    ("points", "bits", "part"),
    [
        ([[0, 4]], 2, "from 0 to 3 with 2 bits"),
        ([[0, -1]], 2, "from 0 to 3 with 2 bits"),
        ([[0.5, 1.0]], 2, "whole numbers .*type float64"),
        ([0, 1], 2, r"array of shape \(2,\)"),
        ([[0, 1]], 0, "bits must be from 1 to 32, not 0"),
        ([[0, 1]], 33, "bits must be from 1 to 32, not 33"),
    ],
)
def test_hilbert_index__refuses_points_that_are_not_on_the_grid(points, bits, part):
    with pytest.raises(sr.PolicyError, match=part):
        sr.hilbert_index(points, bits=bits)


def test_hilbert_order__follows_the_numbers_of_a_single_attribute(table):
    schema = sr.Schema("name", [sr.Numeric("age")], sr.Sensitive("exam"))
    table["age"] = [73, 51, 60, 52, 70, 54, 90, 53]
    view = sr.View.from_table(table, schema)
    order = hilbert_order(view, rng=np.random.default_rng(0))
    assert view.points[order, 0].tolist() == sorted(table["age"])


def test_hilbert_order__leaves_equals_to_chance(table, schema):
    table["age"], table["gender"] = [51] * 8, ["F"] * 8
    view = sr.View.from_table(table, schema)
    orders = {tuple(hilbert_order(view, rng=np.random.default_rng(seed))) for seed in range(20)}
    assert len(orders) > 10
    assert all(sorted(order) == list(range(8)) for order in orders)
