"""A reader who weighs worlds comes to what listing every world does."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import seriatim as sr
from oracles_worlds import beliefs_over_worlds


@st.composite
def small_series(draw):
    """Five people who come or not, two groups or one; values of a chain that changes or hardly."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_values, stays = draw(st.integers(2, 3)), draw(st.sampled_from([0.0, 0.5, 0.9, 0.99, 1.0]))
    prior = rng.dirichlet(np.full(n_values, 3.0))
    transition = stays * np.eye(n_values) + (1 - stays) * rng.dirichlet(np.ones(n_values), n_values)
    values, releases = rng.choice(n_values, 5, p=prior), []
    for _ in range(draw(st.integers(1, 3))):
        there = np.flatnonzero(rng.random(5) < 0.8)
        group_of = rng.integers(0, 2, 5)
        groups = [there[group_of[there] == one] for one in (0, 1)]
        releases.append(
            [(one.tolist(), rng.permutation(values[one]).tolist()) for one in groups if len(one)]
        )
        values = np.array([rng.choice(n_values, p=transition[value]) for value in values])
    return [groups for groups in releases if groups], prior, transition


@given(small_series(), st.integers(0, 100))
def test_reader__believes_what_listing_every_world_does(made, seed):
    releases, prior, transition = made
    if not releases:
        return
    found = sr.weigh_worlds(releases, prior, transition, sweeps=3000, seed=seed)
    expected = beliefs_over_worlds(releases, prior, transition)
    for belief, twin in zip(found, expected, strict=True):
        np.testing.assert_allclose(belief, twin, atol=0.04)
