"""Additive models against a twin that goes uphill one effect at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_utility as oracles
from seriatim.measure.additive import AdditiveModel, fit_additive
from seriatim.measure.taught import evenly_spread

CELLS = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]])
BINS = (2, 3)
COUNTS = st.lists(
    st.lists(st.integers(0, 40), min_size=2, max_size=2), min_size=len(CELLS), max_size=len(CELLS)
)


@settings(max_examples=15)
@given(COUNTS, st.sampled_from([10.0, 100.0]), st.floats(0.1, 0.9))
def test_fit__is_the_likeliest_that_is_found_uphill(counts, imagined, share):
    marginal = np.array([share, 1 - share])
    given_counts = np.array(counts, dtype=float)
    model = fit_additive(CELLS, given_counts, marginal, BINS, imagined=imagined, tolerance=1e-7)
    rows = {tuple(cell): row for cell, row in zip(CELLS.tolist(), counts, strict=True)}
    effects = oracles.additive_fit(rows, marginal.tolist(), BINS, imagined)
    expected = [oracles.additive_belief(marginal, effects, tuple(cell)) for cell in CELLS.tolist()]
    assert model.probabilities(CELLS) == pytest.approx(np.array(expected), abs=1e-3)


@given(COUNTS, st.sampled_from([10.0, 300.0]))
def test_sweep__never_lowers_the_likelihood(counts, imagined):
    marginal = np.array([0.3, 0.7])
    rows = {tuple(cell): row for cell, row in zip(CELLS.tolist(), counts, strict=True)}

    def likelihood(model):
        effects = {
            (axis, place, value): model.effects[axis][place, value]
            for axis, number in enumerate(BINS)
            for place in range(number)
            for value in range(2)
        }
        return oracles.additive_likelihood(rows, marginal, effects, BINS, imagined)

    model = AdditiveModel.without_effects(marginal, BINS, imagined)
    before = likelihood(model)
    for _ in range(4):
        model, _change = model.swept(CELLS, np.array(counts, dtype=float))
        after = likelihood(model)
        assert after >= before - 1e-9
        before = after


@given(st.integers(1, 6), st.integers(2, 5))
def test_points__are_spread_evenly_over_boxes(attributes, pieces):
    points = evenly_spread(np.arange(4096), attributes)
    assert ((points >= 0) & (points < 1)).all()
    for axis in range(attributes):
        shares = np.bincount((points[:, axis] * pieces).astype(int), minlength=pieces) / 4096
        assert shares == pytest.approx(1 / pieces, abs=0.01)
    if attributes > 1:
        inside = (points[:, 0] < 0.5) & (points[:, 1] < 0.5)
        assert inside.mean() == pytest.approx(0.25, abs=0.02)
