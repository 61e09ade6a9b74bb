import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from seriatim.inference.pasts import Pasts
from seriatim.inference.revision import _after, _pushed, push
from strategies import automaton, distributions, knowledge, rows_of


@st.composite
def pasts(draw):
    """Knowledge, the posteriors of one respondent at some releases, and the prior."""
    n_values, releases = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    return (
        draw(knowledge(n_values, most_states=5)),
        draw(rows_of(releases, n_values)),
        draw(distributions(n_values)),
    )


@given(pasts())
def test_revision__agrees_with_enumerating_every_sequence(past):
    known, posteriors, prior = past
    found = sr.revise(automaton(known), [[row] for row in posteriors], [prior])
    np.testing.assert_allclose(found[0], oracles.revise(known, posteriors, prior), atol=1e-12)


@given(pasts())
def test_revision__is_a_distribution(past):
    known, posteriors, prior = past
    found = sr.revise(automaton(known), [[row] for row in posteriors], [prior])
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(1, abs=1e-12)


@given(st.data())
def test_revision__reads_each_respondent_alone(data):
    known = data.draw(knowledge(2))
    history = np.array(data.draw(st.lists(rows_of(4, 2), min_size=1, max_size=4)))
    priors = data.draw(rows_of(4, 2))
    found = sr.revise(automaton(known), history, priors)
    for respondent in range(4):
        alone = oracles.revise(known, history[:, respondent].tolist(), priors[respondent])
        np.testing.assert_allclose(found[respondent], alone, atol=1e-12)


@given(st.data())
def test_revision__after_certain_releases_is_what_the_sequence_leads_to(data):
    known = data.draw(knowledge(3))
    sequence = data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=40))
    prior = data.draw(distributions(3))
    found = sr.revise(automaton(known), np.eye(3)[sequence][:, None], [prior])
    state = known.after(sequence)
    np.testing.assert_allclose(
        found[0], known.next_value[state] if known.knows(state) else prior, atol=1e-12
    )


@given(st.data())
def test_push__where_the_last_value_alone_matters_gives_the_same_numbers(data):
    n_values, people = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 6))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    # Two values are remembered: the state is the last of them, and the one before.
    last = np.arange(n_values**2) % n_values
    follows = last[:, None] * n_values + np.arange(n_values)
    starts = np.arange(n_values)[None] * (n_values + 1)
    next_state = np.vstack([starts, follows]) + 1
    next_value = rng.dirichlet(np.ones(n_values), n_values**2 + 1)
    two_back = sr.Automaton(tuple(range(n_values)), next_value, next_state)
    assert _after(two_back) is not None
    posteriors = rng.dirichlet(np.ones(n_values), (4, people))
    pasts = Pasts.beginning(two_back, posteriors[0])
    for posterior in posteriors[1:]:
        rows = rng.integers(-1, people, people)
        moved = push(two_back, pasts, posterior, rows)
        begin = int(two_back.junction_of[two_back.start])
        pushed = _pushed(two_back, pasts, rows, begin)
        assert moved.offsets.tolist() == pushed.offsets.tolist()
        assert moved.places.tolist() == pushed.places.tolist()
        assert moved.weights.tolist() == pushed.weights.tolist()
        pasts = moved
