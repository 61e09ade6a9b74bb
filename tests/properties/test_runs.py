"""Runs are rows without their zeros."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seriatim.knowledge.runs import Runs, interleaved


@st.composite
def rows(draw, width=None):
    width = draw(st.integers(1, 5)) if width is None else width
    cells = st.sampled_from([0.0, 0.25, 0.5, 1.0])
    table = draw(st.lists(st.lists(cells, min_size=width, max_size=width), max_size=8))
    return np.array(table).reshape(len(table), width)


@given(rows(), st.data())
def test_runs__give_back_the_rows_that_they_were_made_of(dense, data):
    assert Runs.of(dense).dense().tolist() == dense.tolist()
    some = data.draw(st.lists(st.integers(0, max(len(dense) - 1, 0)), max_size=6))
    chosen = np.array(some if len(dense) else [], dtype=np.int64)
    assert Runs.of(dense, chosen).dense().tolist() == dense[chosen].tolist()
    assert Runs.of(dense).take(chosen).dense().tolist() == dense[chosen].tolist()


@given(rows(), st.data())
def test_runs__have_the_number_at_any_place(dense, data):
    everyone = np.arange(len(dense))
    cell = st.integers(0, dense.shape[1] - 1)
    places = np.array([data.draw(cell) for _ in everyone], dtype=np.int64)
    assert Runs.of(dense).at(everyone, places).tolist() == dense[everyone, places].tolist()


@given(st.integers(1, 4).flatmap(lambda width: st.tuples(rows(width), rows(width))), st.randoms())
def test_runs__interleave_like_lists(both, chance):
    first, second = both
    takes = [False] * len(first) + [True] * len(second)
    chance.shuffle(takes)
    left, right = iter(first.tolist()), iter(second.tolist())
    expected = [next(right) if one else next(left) for one in takes]
    merged = interleaved(Runs.of(first), Runs.of(second), np.array(takes, dtype=bool))
    assert merged.dense().tolist() == expected
