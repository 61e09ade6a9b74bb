import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

import oracles
import seriatim as sr
from seriatim.kernels.rows import WIDEST, entropies_by_logs
from seriatim.knowledge.divergence import entropy_of_rows
from strategies import beliefs, distributions


@given(beliefs())
def test_entropy__equals_its_twin(rows):
    assert sr.entropy(rows) == pytest.approx([oracles.entropy(row) for row in rows], abs=1e-12)


@given(beliefs())
def test_js__equals_its_twin(rows):
    assert sr.js_divergence(rows) == pytest.approx(oracles.js_divergence(rows), abs=1e-12)


@given(st.integers(2, 5).flatmap(lambda n: st.tuples(distributions(n), distributions(n))))
def test_js__of_two_beliefs_is_scipys(pair):
    squared = jensenshannon(*pair, base=2) ** 2
    assert sr.js_divergence(pair) == pytest.approx(squared, abs=1e-9)


@given(beliefs())
def test_js__is_zero_exactly_when_beliefs_coincide(rows):
    coincide = np.ptp(np.array(rows), axis=0).max() < 1e-12
    assert (sr.js_divergence(rows) < 1e-9) == coincide


@given(distributions(4), st.integers(1, 9))
def test_js__of_one_belief_many_times_is_zero(row, times):
    assert sr.js_divergence([row] * times) == pytest.approx(0, abs=1e-12)


@given(beliefs())
def test_js__is_at_most_the_logarithm_of_the_group_size(rows):
    assert 0 <= sr.js_divergence(rows) <= math.log2(len(rows)) + 1e-12


@given(st.integers(1, 6))
def test_js__of_contrary_certainties_is_the_logarithm_of_the_group_size(size):
    assert sr.js_divergence(np.eye(size)) == pytest.approx(math.log2(size), abs=1e-12)


@given(beliefs(), st.randoms(use_true_random=False))
def test_js__does_not_depend_on_the_order_of_beliefs(rows, chance):
    shuffled = list(rows)
    chance.shuffle(shuffled)
    assert sr.js_divergence(shuffled) == pytest.approx(sr.js_divergence(rows), abs=1e-12)


@given(st.integers(1, WIDEST), st.integers(1, 5), st.integers(0, 2**32))
def test_entropies__added_in_lanes_are_numpys_to_the_last_digit(width, length, seed):
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.full(width, 0.3), size=length)
    rows[rng.random(rows.shape) < 0.3] = 0.0
    with np.errstate(divide="ignore"):
        logs = np.log2(rows)
    found = np.empty(length)
    entropies_by_logs(rows, logs, found)
    terms = np.where(rows > 0, rows * np.where(rows > 0, logs, 0.0), 0.0)
    assert found.tobytes() == (-terms.sum(axis=1) + 0.0).tobytes()


@pytest.mark.parametrize("width", [1, 7, 19, WIDEST, WIDEST + 1])
def test_entropies__of_many_rows_are_those_of_few_to_the_last_digit(width):
    rng = np.random.default_rng(width)
    rows = rng.dirichlet(np.full(width, 0.3), size=2**18 // width + 1)
    rows[rng.random(rows.shape) < 0.1] = 0.0
    few = [entropy_of_rows(some) for some in np.array_split(rows, 7)]
    assert entropy_of_rows(rows).tobytes() == np.concatenate(few).tobytes()
