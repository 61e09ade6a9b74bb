"""How gains are spread, against counting one after the other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_report as oracles
from seriatim.audit.distribution import EDGES, distribution

GAINS = st.lists(st.integers(-100, 40).map(lambda step: step / 40), min_size=1, max_size=60)


@given(GAINS)
def test_distribution__is_what_counting_one_after_the_other_gives(gains):
    found = distribution("someone", np.array(gains))
    assert list(found.tuples) == oracles.histogram(gains, EDGES)


@given(GAINS, st.sampled_from(EDGES[:-1]))
def test_share_above_an_edge__is_that_of_the_gains_from_it_on(gains, edge):
    found = distribution("someone", np.array(gains)).above(edge)
    above = sum(gain >= edge for gain in gains) if edge > EDGES[0] else len(gains)
    assert found == pytest.approx(above / len(gains))


@given(st.integers(-4, 19))
def test_distribution__puts_a_gain_at_an_edge_into_the_class_that_begins_there(step):
    gain = step * 0.05  # 3 · 0.05 is not 0.15 to the last bit
    found = distribution("someone", np.array([gain]))
    assert found.tuples.index(1) == step + 4
