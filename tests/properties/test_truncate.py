import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from strategies import automaton, knowledge


def state_after(machine, context):
    state = machine.start
    for value in context:
        state = machine.next_state[state, value]
    return state


LATER = oracles.Knowledge([[1, 0], [0.5, 0.5], [0.2, 0.8]], [[1, 1], [1, 2], [1, 2]])
"""Nobody begins with the second value, and it is likely to stay once it has come."""

NEVER = oracles.Knowledge([[1, 0], [1, 0]], [[1, 0], [1, 0]])
"""Nobody ever has the second value."""


@example(LATER, 2, 4)
@example(LATER, 3, 2)
@example(NEVER, 2, 3)
@given(knowledge(2), st.integers(1, 3), st.integers(1, 5))
def test_truncation__agrees_with_enumerating_whole_histories(known, steps, horizon):
    short = sr.truncate(automaton(known), steps=steps, horizon=horizon)
    for length in range(steps + 1):
        for context in itertools.product(range(2), repeat=length):
            state = state_after(short, context)
            expected = oracles.truncated_expectation(known, context, steps, horizon)
            assert short.known[0, state] == (expected is not None)
            if expected is not None:
                np.testing.assert_allclose(short.next_value[0, state], expected, atol=1e-12)


def test_truncation__judges_what_nobody_begins_with_as_it_may_occur_later():
    short = sr.truncate(automaton(LATER), steps=2, horizon=9)
    expected = short.next_value[0, state_after(short, [1])]
    # Whoever has the second value is in the last state, which expects 0.8; on average over
    # everybody, which is what a reader would expect who forgot it, it is less.
    np.testing.assert_allclose(expected, [0.2, 0.8], atol=1e-12)


@given(knowledge(2), st.integers(1, 2), st.lists(st.integers(0, 1), min_size=3, max_size=9))
def test_truncation__forgets_all_but_the_last_values(known, steps, history):
    short = sr.truncate(automaton(known), steps=steps, horizon=3)
    once, again = history[-steps:], [1 - history[0], *history]
    assert state_after(short, history) == state_after(short, once)
    assert state_after(short, again) == state_after(short, once)


@given(st.data())
def test_truncation__to_the_whole_memory_changes_nothing(data):
    rows = data.draw(
        st.lists(
            st.lists(st.integers(1, 9), min_size=2, max_size=2).map(lambda r: np.divide(r, sum(r))),
            min_size=3,
            max_size=3,
        )
    )
    last_value = sr.Automaton((0, 1), rows, [[1, 2]] * 3)
    for steps in (1, 2):
        short = sr.truncate(last_value, steps=steps)
        for history in itertools.product(range(2), repeat=4):
            np.testing.assert_allclose(
                short.next_value[0, state_after(short, history)],
                last_value.next_value[0, state_after(last_value, history)],
                atol=1e-12,
            )


@pytest.mark.parametrize("steps", [6, 10**7])
def test_truncation__refuses_more_contexts_than_it_can_hold(steps):
    made = sr.hospital(views=1, size=10)
    with pytest.raises(sr.KnowledgeError, match=r"contexts, too many to hold. Use fewer steps"):
        sr.truncate(made.sequence, steps=steps)
