import numpy as np
import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.kernels.siphash import siphash
from seriatim.partition import hilbert_order, tie_order


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
    order = hilbert_order(view, ties=np.zeros(8, dtype=np.uint64))
    assert view.points[order, 0].tolist() == sorted(table["age"])


def test_hilbert_order__leaves_equals_to_their_ties(table, schema):
    table["age"], table["gender"] = [51] * 8, ["F"] * 8
    view = sr.View.from_table(table, schema)
    ties = np.array([5, 1, 7, 3, 0, 6, 2, 4], dtype=np.uint64)
    assert ties[hilbert_order(view, ties=ties)].tolist() == list(range(8))


def test_hilbert_order__asks_ties_of_equals_only(table, schema):
    view = sr.View.from_table(table, schema)
    ties = np.random.default_rng(1).permutation(8).astype(np.uint64)
    order = hilbert_order(view, ties=ties)
    assert order.tolist() == hilbert_order(view, ties=ties[::-1].copy()).tolist()


def test_tie_order__depends_on_the_id_and_the_secret_alone(table, schema):
    view = sr.View.from_table(table, schema)
    ties = tie_order(view, b"secret")
    assert len(set(ties.tolist())) == 8
    fewer = {name: column[3:] for name, column in table.items()}
    fewer["age"] = [age + 20 for age in fewer["age"]]
    assert tie_order(sr.View.from_table(fewer, schema), b"secret").tolist() == ties[3:].tolist()


def test_tie_order__is_another_under_another_secret(table, schema):
    view = sr.View.from_table(table, schema)
    orders = {tuple(np.argsort(tie_order(view, bytes([secret])))) for secret in range(20)}
    assert len(orders) > 15


@pytest.mark.parametrize("kind", [pa.int8(), pa.int32(), pa.uint64()])
def test_tie_order__is_the_same_for_numbers_of_any_width(table, schema, kind):
    table["name"] = pa.array(range(8), pa.int64())
    expected = tie_order(sr.View.from_table(table, schema), b"secret")
    table["name"] = pa.array(range(8), kind)
    assert tie_order(sr.View.from_table(table, schema), b"secret").tolist() == expected.tolist()


def test_siphash__gives_the_vectors_of_its_authors():
    """Key 00 01 … 0f; texts of 0, 1, 8 and 15 bytes 00 01 … (Aumasson and Bernstein)."""
    lengths = [0, 1, 8, 15]
    data = np.concatenate([np.arange(n, dtype=np.uint8) for n in lengths])
    key = np.frombuffer(bytes(range(16)), np.uint64)
    hashes = np.empty(4, np.uint64)
    siphash(0, 4, data, np.concatenate([[0], np.cumsum(lengths)]), key, hashes)
    assert [f"{word:016x}" for word in hashes.tolist()] == [
        "726fdb47dd0e0e31",
        "74f839c593dc67fd",
        "93f5f5799a932462",
        "a129ca6149be45e5",
    ]
