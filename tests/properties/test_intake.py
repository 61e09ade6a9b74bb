"""Raw tables with gaps and repeats, against the slow twin."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_intake
import seriatim as sr

LABEL = "?"
SCHEMA = sr.Schema(
    "id",
    [
        sr.Numeric("age"),
        sr.Categorical("gender", ["F", "M"]),
        sr.Hierarchical("ward", {"A1": ["A"], "A2": ["A"], "B1": ["B"]}),
        sr.Hierarchical("zip", mask="prefix"),
    ],
    sr.Sensitive("exam", ["neg", "pos"]),
)
CELLS = {
    "id": st.sampled_from(["a", "b", "c", "d"]),
    "age": st.integers(50, 53),
    "gender": st.sampled_from("FM"),
    "ward": st.sampled_from(["A1", "A2", "B1"]),
    "zip": st.sampled_from(["12030", "12031"]),
    "exam": st.sampled_from(["neg", "pos"]),
    "seen": st.integers(1, 3),
}
RULES = st.sampled_from(["error", "first", "last", ("latest", "seen"), ("earliest", "seen")])
POLICIES = st.fixed_dictionaries(
    {
        name: st.sampled_from(
            ["error", "drop", "drop"] + ["category"] * 3 * (name not in ("id", "age"))
        )
        for name in SCHEMA.columns
    }
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            name: cells if name == "seen" else st.one_of(*[cells] * 6, st.none())
            for name, cells in CELLS.items()
        }
    ),
    min_size=1,
    max_size=8,
)
TYPES = {name: pa.int64() if name in ("age", "seen") else pa.string() for name in CELLS}


def as_table(rows):
    return pa.table({name: pa.array([row[name] for row in rows], TYPES[name]) for name in CELLS})


def by_id(rows):
    return sorted(rows, key=lambda row: row["id"])


@given(ROWS, POLICIES, RULES)
def test_intake__equals_its_twin(rows, policies, rule):
    intake = sr.Intake(SCHEMA, missing_in=policies, repeated=rule, label=LABEL)
    twin = oracles_intake.take_in(rows, SCHEMA.columns, policies, rule, LABEL)
    if twin is None:
        with pytest.raises(sr.TableError, match="row position"):
            intake.take_in(as_table(rows))
        return
    taken = intake.take_in(as_table(rows))
    assert by_id(taken.table.to_pylist()) == by_id(twin.rows)
    assert (taken.dropped, taken.labelled, taken.repeated) == (
        twin.dropped,
        twin.labelled,
        twin.repeated,
    )
    assert taken.dropped_rows == twin.dropped_rows
    if twin.rows:
        assert len(sr.View.from_table(taken.table, taken.schema)) == len(twin.rows)


@given(ROWS, RULES.filter(lambda rule: rule not in ("first", "last")), st.randoms())
def test_intake__by_a_column_does_not_depend_on_the_order_of_rows(rows, rule, rng):
    intake = sr.Intake(SCHEMA, "drop", repeated=rule)
    shuffled = rng.sample(rows, len(rows))
    outcomes = []
    for one in (rows, shuffled):
        try:
            taken = intake.take_in(as_table(one))
            outcomes.append((by_id(taken.table.to_pylist()), taken.dropped, taken.repeated))
        except sr.TableError:
            outcomes.append(None)
    assert outcomes[0] == outcomes[1]


@given(ROWS, st.sampled_from(["first", "last"]))
def test_intake__by_order_chooses_the_other_row_in_the_reverse_order(rows, rule):
    other = {"first": "last", "last": "first"}[rule]
    there = sr.Intake(SCHEMA, "drop", repeated=rule).take_in(as_table(rows))
    back = sr.Intake(SCHEMA, "drop", repeated=other).take_in(as_table(rows[::-1]))
    assert by_id(there.table.to_pylist()) == by_id(back.table.to_pylist())


@given(ROWS)
def test_intake__of_what_was_taken_in_changes_nothing(rows):
    policies = {"id": "drop", "age": "drop"}
    intake = sr.Intake(SCHEMA, "category", policies, repeated="first", label=LABEL)
    once = intake.take_in(as_table(rows))
    again = intake.take_in(once.table)
    assert again.table == once.table
    assert (again.dropped, again.labelled, again.repeated) == ({}, {}, 0)
