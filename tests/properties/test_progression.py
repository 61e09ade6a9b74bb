"""The parametrised course of illness, against its formula in plain Python."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import oracles_simulate as oracle
import seriatim as sr
from seriatim.simulate.patients import CLASS_BANDS
from seriatim.simulate.progression import Traits, course_of

share = st.floats(0, 1)


@st.composite
def progressions(draw):
    ends = st.tuples(st.floats(0.05, 0.95), st.floats(0.05, 0.95)).map(sorted).map(tuple)
    counts = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    return sr.Progression(
        dwell_exponent=draw(st.none() | st.floats(-1, 4)),
        momentum=draw(st.floats(0.1, 100)),
        power=draw(st.floats(0.2, 4)),
        switch=draw(share),
        exit_rate=draw(share),
        dwell_cap=draw(st.integers(1, 4)),
        staying=draw(ends),
        rising=draw(ends),
        class_noise=draw(st.floats(0, 1)),
        age_effect=draw(st.floats(0.5, 2)),
        stages=tuple((f"disease {place}", count) for place, count in enumerate(counts)),
    )


def states_of(parameters):
    values = oracle.stage_names(parameters.stages)
    inner = itertools.product(values, range(parameters.dwell_cap), oracle.DIRECTIONS)
    return [None, *inner, "deceased", "discharged"]


@given(progressions(), st.integers(0, 2**32), st.integers(0, 17))
def test_course__has_the_rows_of_the_formula(parameters, seed, kind):
    traits = Traits.draw(parameters, np.random.default_rng(seed))
    course = course_of(parameters, traits)
    states = states_of(parameters)
    expected = np.zeros((len(states), len(course.values)))
    for place, state in enumerate(states):
        row = oracle.progression_row(parameters, traits, tuple(CLASS_BANDS[kind]), state)
        expected[place] = [row.get(value, 0.0) for value in course.values]
    np.testing.assert_allclose(course.next_value[kind], expected, rtol=1e-9, atol=1e-12)


@given(progressions())
def test_course__leads_where_plain_words_say(parameters):
    course = parameters.draw(np.random.default_rng(0))
    states = states_of(parameters)
    number = {state: place for place, state in enumerate(states)}
    expected = [
        [number[oracle.progression_next(parameters, state, value)] for value in course.values]
        for state in states
    ]
    assert course.next_state.tolist() == expected
    for state, words in zip(states, course.states, strict=True):
        told = "" if state is None else state if isinstance(state, str) else state[0]
        assert words[0] == told


@given(progressions(), st.integers(0, 2**32))
def test_course__is_knowledge(parameters, seed):
    made = sr.hospital(views=1, size=3, preset=parameters, seed=seed)
    assert made.sequence.next_value.sum(axis=2).round(9).min() == 1.0
    assert made.prior.values == made.course.values[:-2]
