"""Mined knowledge, against counting by hand."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from seriatim.knowledge import Corpus, KernelPrior, count_sequences, mine

corpora = st.lists(
    st.dictionaries(st.integers(0, 5), st.integers(0, 2), min_size=1), min_size=2, max_size=5
)


def tables(views):
    return [{"who": list(view), "exam": list(view.values())} for view in views]


@given(corpora)
def test_counts__are_those_of_algorithm_3(views):
    corpus = Corpus.from_tables(tables(views), respondent="who", value="exam")
    assert count_sequences(corpus) == oracles.count_sequences(views)


@given(corpora, st.integers(0, 3), st.data())
def test_mined_automaton__expects_the_successors_of_the_longest_known_context(views, steps, data):
    model = mine(tables(views), steps=steps, respondent="who", value="exam")
    automaton = model.automaton(model.values)
    history = data.draw(st.lists(st.sampled_from(model.values), max_size=5))
    state = automaton.start
    for value in history:
        state = automaton.next_state[state, model.values.index(value)]
    expected = oracles.mined_expectation(views, history, steps, model.values)
    assert np.allclose(automaton.next_value[0, state], expected)


def test_mine__reads_one_table_with_a_column_of_instants():
    table = {"who": [1, 1, 2, 2], "week": [2, 1, 1, 2], "exam": ["b", "a", "a", "a"]}
    model = mine(table, steps=1, respondent="who", value="exam", at="week")
    assert model.automaton(("a", "b")).next_value[0, 1].tolist() == [0.5, 0.5]


def test_mine__keeps_classes_apart():
    weeks = [
        {"who": [1, 2], "sex": ["F", "M"], "exam": ["a", "a"]},
        {"who": [1, 2], "sex": ["F", "M"], "exam": ["a", "b"]},
    ]
    automaton = mine(weeks, steps=1, respondent="who", value="exam", by="sex").automaton(("a", "b"))
    assert automaton.next_value[:, 1].tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("corpus", "options", "words"),
    [
        ({"who": [1], "exam": ["a"]}, {}, "needs a column of instants"),
        ([{"who": [], "exam": []}] * 2, {}, "no rows"),
        ({"who": [1, 1], "exam": ["a", "b"], "week": [1, 1]}, {"at": "week"}, "one value per"),
    ],
)
def test_mine__explains_what_is_wrong_with_a_corpus(corpus, options, words):
    with pytest.raises(sr.SeriatimError, match=words):
        mine(corpus, steps=1, respondent="who", value="exam", **options)


@given(
    st.lists(
        st.tuples(st.integers(20, 60), st.sampled_from("FM"), st.integers(0, 2)),
        min_size=1,
        max_size=12,
    ),
    st.floats(0.05, 1.5),
)
def test_kernel_prior__weighs_people_by_how_near_they_are(people, bandwidth):
    schema = sr.Schema(
        "who",
        [sr.Numeric("age", 20, 60), sr.Categorical("sex", "FM")],
        sr.Sensitive("exam", (0, 1, 2)),
    )
    table = {
        "who": list(range(len(people))),
        "age": [age for age, _, _ in people],
        "sex": [sex for _, sex, _ in people],
        "exam": [exam for _, _, exam in people],
    }
    prior = KernelPrior.from_table(table, schema, bandwidth=bandwidth)
    asked = {"who": [1, 2, 3], "age": [20, 41, 60], "sex": ["F", "M", "F"]}
    found = prior.belief(sr.Roster.from_table(asked, schema), (0, 1, 2)).probabilities
    distances = (lambda a, b: abs(a - b) / 40, lambda a, b: float(a != b))
    for row, point in zip(found, zip(asked["age"], asked["sex"], strict=True), strict=True):
        others = [((age, sex), exam) for age, sex, exam in people]
        expected = oracles.kernel_share(point, others, distances, bandwidth, 3)
        assert np.allclose(row, expected, atol=1e-9)


def test_mining__orders_instants_of_different_widths_by_number():
    weeks = [
        {"who": [1], "exam": ["a"], "week": pa.array([9], pa.int32())},
        {"who": [1], "exam": ["b"], "week": pa.array([10], pa.int64())},
    ]
    model = mine(weeks, steps=1, respondent="who", value="exam", at="week")
    assert model.automaton(("a", "b")).next_value[0, 1].tolist() == [0.0, 1.0]
