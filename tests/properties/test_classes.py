"""Knowledge by class: whoever changes class is judged by the class of today."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from seriatim.knowledge import Classes
from seriatim.knowledge.classes import collect_classes
from seriatim.microdata.tables import read_table
from seriatim.partition import Partition, generalize
from strategies import codes, distributions, rows_of

GENDERS = ("F", "M")
NEXT_STATE = [[1, 2]] * 3


def schema():
    return sr.Schema("id", [sr.Categorical("gender", GENDERS)], sr.Sensitive("value", (0, 1)))


@given(st.data())
def test_class_dependent_knowledge__goes_by_the_class_of_today(data):
    by_class = [data.draw(rows_of(3, 2)) for _ in GENDERS]
    classes = Classes(("gender",), tuple((gender,) for gender in GENDERS))
    automaton = sr.Automaton((0, 1), by_class, NEXT_STATE, classes=classes)
    adversary = sr.Adversary(sequence=automaton)
    pasts = {}
    for at in range(data.draw(st.integers(2, 5))):
        present = sorted(data.draw(st.sets(st.integers(0, 4), min_size=1)))
        n = len(present)
        today = data.draw(codes(n, len(GENDERS)))
        table = {"id": present, "gender": [GENDERS[kind] for kind in today]}
        view = sr.View.from_table({**table, "value": data.draw(codes(n, 2))}, schema())
        found = adversary.expect(view).probabilities
        for row, respondent in enumerate(present):
            known = oracles.Knowledge(by_class[today[row]], NEXT_STATE)
            past = pasts.get(respondent)
            expected = oracles.revise(known, past, [0.5, 0.5]) if past else [0.5, 0.5]
            np.testing.assert_allclose(found[row], expected, atol=1e-12)
        everyone = Partition(np.arange(n), np.array([0, n]), np.arange(0))
        seen = generalize(view, everyone, at=at, rng=np.random.default_rng(0))
        for respondent, row in zip(present, adversary.observe(*seen).probabilities, strict=True):
            pasts.setdefault(respondent, []).append(row)


@given(st.integers(0, 90), st.lists(st.integers(0, 99), min_size=1, max_size=8), st.data())
def test_class_prior__gives_each_respondent_the_row_of_their_class(border, ages, data):
    young, old = data.draw(distributions(2)), data.draw(distributions(2))
    bands = [f"0-{border}"] * 2 + [f"[{border + 1},99]"] * 2
    table = {"age": bands, "value": ["neg", "pos"] * 2, "probability": [*young, *old]}
    prior = sr.ClassPrior.from_table(table, classes=["age"])
    schema = sr.Schema("id", [sr.Numeric("age", 0, 99)], sr.Sensitive("exam", ("pos", "neg")))
    roster = sr.Roster.from_table({"id": range(len(ages)), "age": ages}, schema)
    expected = [(young if age <= border else old)[::-1] for age in ages]
    assert prior.belief(roster, ("pos", "neg")).probabilities == pytest.approx(
        np.array(expected), abs=1e-12
    )


@given(
    st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["F", "M", None])), min_size=1),
    st.booleans(),
)
def test_classes__are_numbered_as_they_come_in_the_table(rows, both):
    columns = {"age": [row[0] for row in rows], "gender": [row[1] for row in rows]}
    names = ("age", "gender") if both else ("age",)
    classes, class_of = collect_classes(read_table(columns), names)
    expected = oracles.classes_in_order([row[: len(names)] for row in rows])
    assert (list(classes.cells), class_of.tolist()) == expected
