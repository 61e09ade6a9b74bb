"""What a register's knowledge says, against its formula in plain Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_simulate as oracle
import seriatim as sr
from seriatim.simulate.register import DIAGNOSES


@given(st.integers(2, len(DIAGNOSES)), st.floats(0, 1), st.integers(1, 6), st.data())
def test_sequence__is_what_plain_words_say_after_any_number_of_releases(values, stays, steps, data):
    made = sr.register(people=1, values=values, stays=stays)
    before = data.draw(st.integers(0, values - 1))
    expected = oracle.register_row(oracle.register_shares(values), stays, before, steps)
    table = made.sequence.next_value[0]
    row = np.eye(values)[before]
    for _ in range(steps):
        state = made.sequence.next_state[0]
        row = row @ table[state]
    assert row == pytest.approx(expected, abs=1e-12)


@given(st.integers(2, len(DIAGNOSES)), st.floats(0, 1))
def test_prior__holds_at_any_time(values, stays):
    made = sr.register(people=1, values=values, stays=stays)
    shares = np.array(list(made.prior.distribution.values()))
    assert shares == pytest.approx(oracle.register_shares(values))
    assert shares @ made.sequence.next_value[0, 1:] == pytest.approx(shares)
    assert made.sequence.next_value[0, made.sequence.start] == pytest.approx(shares)
