"""What a release leaves in a reader is the same, with its zeros or as runs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seriatim.inference.rules import Omega, PublishedGroups
from seriatim.knowledge.runs import Runs
from seriatim.knowledge.wide_belief import WideBelief


@st.composite
def published(draw):
    """Beliefs with zeros in them, and groups of some of the respondents; a few counterfeits."""
    n_values, people = draw(st.integers(1, 6)), draw(st.integers(1, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    prior = rng.random((people, n_values)) * (rng.random((people, n_values)) < 0.7)
    prior[prior.sum(axis=1) == 0, 0] = 1.0
    prior[:, 0] *= draw(st.sampled_from([1.0, 1e-300, 0.0]))
    members = rng.permutation(people)[: draw(st.integers(1, people))]
    sizes = np.bincount(rng.integers(0, 5, len(members)))
    sizes = sizes[sizes > 0]
    shown = sizes + rng.integers(0, 2, len(sizes))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    value_starts = np.concatenate([[0], np.cumsum(shown)])
    codes = rng.integers(0, n_values, value_starts[-1])
    return prior, PublishedGroups(members, starts, codes, value_starts)


@given(published())
def test_omega__as_runs_is_omega_to_the_last_bit(case):
    prior, groups = case
    runs, dense = Omega().posterior_runs(prior, groups), Omega().posterior(prior, groups)
    assert (runs.dense() == dense).all()
    assert (runs.weights > 0).all()
    same = Runs.of(dense)
    assert runs.offsets.tolist() == same.offsets.tolist()
    assert runs.places.tolist() == same.places.tolist()


@given(published(), st.data())
def test_a_wide_belief__keeps_what_was_expected_of_those_in_no_group(case, data):
    prior, groups = case
    others = np.setdiff1d(np.arange(len(prior)), groups.members)
    dense = Omega().posterior(prior, groups)
    dense[others] = prior[others]
    runs = Omega().posterior_runs(prior, groups)
    belief = WideBelief(runs, tuple(range(prior.shape[1])), others, Runs.of(prior, others))
    assert (belief.probabilities == dense).all()
    assert belief.of(0).tolist() == dense[:, 0].tolist()
    some = data.draw(st.lists(st.integers(0, len(prior) - 1), max_size=8))
    assert (belief.some(np.array(some, dtype=np.int64)) == dense[some]).all()


@given(published())
def test_runs__without_their_empty_rows_are_not_copied(case):
    prior, groups = case
    runs = Omega().posterior_runs(prior, groups)
    seen = np.sort(groups.members)
    taken = runs.take(seen)
    assert taken.weights is runs.weights
    assert (taken.dense() == runs.dense()[seen]).all()


@given(published(), st.data())
def test_runs__tell_the_number_at_a_place(case, data):
    prior, _ = case
    rows = np.array(data.draw(st.lists(st.integers(0, len(prior) - 1), max_size=8)), dtype=np.int64)
    places = np.array([data.draw(st.integers(0, prior.shape[1] - 1)) for _ in rows], dtype=np.int64)
    assert Runs.of(prior).at(rows, places).tolist() == prior[rows, places].tolist()
