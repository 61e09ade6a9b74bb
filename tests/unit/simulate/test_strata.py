"""Strata: cuts where values differ, and none where they do not."""

import numpy as np
import pytest

import oracles_foresight as oracles
from seriatim.simulate.strata import Strata, _best_cut


def test_strata__find_the_border_that_values_go_by():
    rng = np.random.default_rng(1)
    points = np.column_stack([rng.integers(0, 100, 2000), rng.integers(0, 3, 2000)]).astype(float)
    codes = ((points[:, 0] > 50) & (rng.random(2000) < 0.9)).astype(np.int64)
    found = Strata.of_people(points, codes, n_values=2)
    young, old = found.of(np.array([[10.0, 1.0], [90.0, 1.0]]))
    assert found.shares[young, 0] > 0.95
    assert found.shares[old, 1] == pytest.approx(0.9, abs=0.05)


def test_strata__tell_nobody_apart_by_chance():
    rng = np.random.default_rng(2)
    cut = 0
    for _ in range(50):
        points, codes = rng.random((400, 3)), rng.integers(0, 6, 400)
        cut += len(Strata.of_people(points, codes, n_values=6)) > 1
    assert cut <= 5


def test_strata__have_shares_that_sum_to_one_and_a_leaf_for_every_point():
    rng = np.random.default_rng(3)
    points = rng.random((3000, 2))
    codes = (points[:, 0] * 5).astype(np.int64)
    found = Strata.of_people(points, codes, n_values=8)
    assert found.shares.sum(axis=1) == pytest.approx(1.0)
    where = found.of(points)
    assert sorted(set(where.tolist())) == list(range(len(found)))
    assert np.bincount(where).min() >= 50
    assert found.of(np.array([[-5.0, 9.0]])).shape == (1,)


def test_cut__tells_most_among_its_borders_by_plain_counting():
    rng = np.random.default_rng(4)
    for _ in range(20):
        column = rng.integers(0, 12, 300).astype(float)
        codes = np.where(
            rng.random(300) < 0.4, column > rng.integers(3, 9), rng.integers(0, 3, 300)
        )
        axis, border = _best_cut(column[:, None], codes.astype(np.int64), 3) or (0, None)
        told = {
            at: oracles.information_of_cut(column.tolist(), codes.tolist(), at)
            for at in range(11)
            if 50 <= (column <= at).sum() <= 250
        }
        if border is None:
            assert max(told.values()) <= 2 + 4 * 2 + 1e-9
        else:
            assert axis == 0
            assert told[border] == pytest.approx(max(told.values()))
