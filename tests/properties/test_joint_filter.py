"""Joint filtering and smoothing, against enumerating every sequence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from seriatim.inference import Joint, smooth
from seriatim.inference.filtering import Observed


@st.composite
def histories(draw, longest=4):
    """An automaton, a prior row, and the likelihoods of a few releases."""
    n_values, n_states = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    next_value = rng.dirichlet(np.ones(n_values), n_states)
    next_state = rng.integers(0, n_states, (n_states, n_values))
    automaton = sr.Automaton(tuple(range(n_values)), next_value, next_state)
    likelihoods = rng.random((draw(st.integers(1, longest)), n_values)) + 1e-3
    return automaton, rng.dirichlet(np.ones(n_values)), likelihoods


def knowledge_of(automaton):
    return oracles.Knowledge(automaton.next_value[0].tolist(), automaton.next_state.tolist())


def filtered(automaton, prior, likelihoods):
    """Feed a joint filter with posteriors that carry the given likelihoods."""
    joint, classes = Joint(), np.zeros(1, dtype=np.int64)
    revised, pasts = prior[None], None
    for likelihood in likelihoods:
        posterior = revised * likelihood / (revised * likelihood).sum()
        if pasts is None:
            pasts = joint.begin(automaton, posterior)
        else:
            reading = Observed(classes, prior[None], revised, posterior)
            pasts = joint.moved(automaton, pasts, reading)
        revised = joint.expected(automaton, pasts, classes, prior[None])
    return revised[0]


@given(histories())
def test_joint_filter__expects_what_all_sequences_together_expect(history):
    automaton, prior, likelihoods = history
    expected = oracles.filtered_next(knowledge_of(automaton), prior, likelihoods.tolist())
    assert np.allclose(filtered(automaton, prior, likelihoods), expected, atol=1e-10)


@given(histories())
def test_smoothing__agrees_with_enumerating_every_sequence(history):
    automaton, _, likelihoods = history
    first = automaton.next_value[0, automaton.start]
    expected = oracles.smoothed(knowledge_of(automaton), first, likelihoods.tolist())
    assert np.allclose(smooth(automaton, likelihoods[:, None])[:, 0], expected, atol=1e-10)


@given(histories())
def test_smoothing__of_the_last_release_is_what_the_filter_believes(history):
    automaton, _, likelihoods = history
    first = automaton.next_value[0, automaton.start]
    before = filtered(automaton, first, likelihoods[:-1]) if len(likelihoods) > 1 else first
    believed = before * likelihoods[-1] / (before * likelihoods[-1]).sum()
    assert np.allclose(smooth(automaton, likelihoods[:, None])[-1, 0], believed, atol=1e-10)


def test_retrospect__raises_the_belief_that_alice_had_a_positive_mammography(running_example):
    reader = sr.Adversary(
        prior=running_example.prior, sequence=running_example.sequence, rule="exact"
    )
    releases, memberships = running_example.releases, running_example.memberships
    at_first = reader.anew().observe(releases[0], memberships[0])
    later = sr.inference.retrospect(reader, releases, memberships)
    assert at_first.of("MAM-pos")[0] == pytest.approx(0.5)
    assert later[0].of("MAM-pos")[0] > 0.95
    # Betty did not come back: what Alice had, she had not.
    assert later[0].of("MAM-pos")[1] < 0.2
    one_way = sr.inference.retrospect(reader, releases, memberships, passes=0)
    assert one_way[0].of("MAM-pos")[1] == pytest.approx(0.5)


def test_retrospect__leaves_the_readers_memory_alone(running_example):
    reader = sr.Adversary(prior=running_example.prior, sequence=running_example.sequence)
    sr.inference.retrospect(reader, running_example.releases, running_example.memberships)
    assert len(reader.memory) == 0


def test_joint_filter__survives_values_that_were_held_impossible():
    certain = sr.Automaton(("a", "b"), [[1, 0], [1, 0], [0, 1]], [[1, 2]] * 3)
    schema = sr.Schema("who", [sr.Numeric("age")], sr.Sensitive("exam", ("a", "b")))
    publisher = sr.Publisher(
        schema, sr.Policy(sr.KAnonymity(k=2)), sr.Adversary(sequence=certain, filtering="joint")
    )
    found = []
    for week, exams in enumerate((["a", "a"], ["b", "b"], ["a", "b"])):
        publisher.publish({"who": [1, 2], "age": [30, 31], "exam": exams}, at=week)
        found.append(publisher.latest)
    assert np.allclose(found[1].posterior.of("b"), 1.0)
    releases, memberships = [one.release for one in found], [one.membership for one in found]
    smoothed = sr.inference.retrospect(sr.Adversary(sequence=certain), releases, memberships)
    assert all(np.isfinite(belief.probabilities).all() for belief in smoothed)


@pytest.mark.parametrize("least", [1e-300, 1e-318, 5e-324])
def test_joint_filter__survives_beliefs_that_are_next_to_nothing(least):
    automaton = sr.Automaton((0, 1), [[0.97, 0.03], [0.0, 1.0]], [[0, 1], [0, 1]])
    joint, classes = Joint(), np.zeros(1, dtype=np.int64)
    pasts = joint.begin(automaton, np.array([[least, 1.0]]))
    revised = joint.expected(automaton, pasts, classes, np.array([[0.5, 0.5]]))
    for posterior in (revised, np.array([[0.4, 0.6]])):
        reading = Observed(classes, np.array([[0.5, 0.5]]), revised, posterior)
        moved = joint.moved(automaton, pasts, reading)
        assert np.isfinite(moved.weights).all()
        assert moved.weights.sum() == pytest.approx(1.0)
