import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import seriatim as sr

SCHEMA = sr.Schema(
    "id",
    [
        sr.Numeric("age"),
        sr.Categorical("gender", ["F", "M"]),
        sr.Ordinal("grade", ["low", "high"]),
        sr.Date("born"),
    ],
    sr.Sensitive("exam", ["neg", "pos"]),
)
ROWS = {
    "id": ["SECRET-1", "SECRET-2", "SECRET-3"],
    "age": [51, 52, 53],
    "gender": ["F", "M", "F"],
    "grade": ["low", "high", "low"],
    "born": ["1984-03-12", "1985-03-12", "1986-03-12"],
    "exam": ["neg", "pos", "neg"],
}


def schema_of(attribute, sensitive=None):
    return sr.Schema("id", [attribute], sensitive or sr.Sensitive("exam", ["neg"]))


def taken_in(attribute, cells, **options):
    table = {"id": list(range(len(cells))), attribute.name: cells, "exam": ["neg"] * len(cells)}
    policy = {attribute.name: options.pop("policy", "category")}
    return sr.Intake(schema_of(attribute), missing_in=policy, **options).take_in(table)


def test_table__without_gaps_and_repeats_is_left_as_it_is():
    taken = sr.Intake(SCHEMA).take_in(ROWS)
    assert taken.table == ROWS
    assert (taken.dropped, taken.labelled, taken.repeated) == ({}, {}, 0)
    assert taken.schema == SCHEMA


def test_columns__without_a_role_are_left_out_and_never_read():
    taken = sr.Intake(SCHEMA).take_in(ROWS | {"odd": [object()] * 3})
    assert list(taken.table) == list(SCHEMA.columns)


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame], ids=["arrow", "pd", "pl"])
def test_table__is_given_back_in_its_own_kind(make):
    raw = make(ROWS | {"age": [51, None, 53]})
    taken = sr.Intake(SCHEMA, "drop").take_in(raw)
    assert type(taken.table) is type(raw)
    assert taken.dropped == {"age": 1}
    assert len(sr.View.from_table(taken.table, taken.schema)) == 2


@pytest.mark.parametrize("name", SCHEMA.columns)
def test_gap__is_an_error_that_names_rows_by_position_only(name):
    cells = [ROWS[name][0], None, ROWS[name][2]]
    with pytest.raises(sr.TableError, match=rf"'{name}' has 1 missing.*position 1 .*'drop'") as no:
        sr.Intake(SCHEMA).take_in(ROWS | {name: cells})
    assert "SECRET" not in str(no.value)


@pytest.mark.parametrize("name", SCHEMA.columns)
def test_gap__drops_its_row_and_is_counted_by_column(name):
    taken = sr.Intake(SCHEMA, "drop").take_in(ROWS | {name: [None, *ROWS[name][1:]]})
    assert taken.dropped == {name: 1}
    assert taken.table["grade"] == ["high", "low"]


def test_row__with_two_gaps_counts_in_both_columns():
    gaps = {"age": [None, 52, 53], "gender": [None, "M", None]}
    taken = sr.Intake(SCHEMA, "drop").take_in(ROWS | gaps)
    assert taken.dropped == {"age": 1, "gender": 2}
    assert taken.table["age"] == [52]


def test_row__with_several_gaps_is_one_row_that_is_left_out():
    gaps = {"id": ["a", None, "c"], "age": [None, None, 53], "gender": [None, "M", "F"]}
    taken = sr.Intake(SCHEMA, "drop").take_in(ROWS | gaps)
    assert (taken.dropped_rows, taken.dropped) == (2, {"id": 1, "age": 1, "gender": 1})


def test_row__that_is_dropped_may_have_any_other_gap():
    gaps = {"age": [None, 52, 53], "gender": [None, "M", "F"]}
    taken = sr.Intake(SCHEMA, missing_in={"age": "drop"}).take_in(ROWS | gaps)
    assert taken.dropped == {"age": 1}


def test_category__is_taken_where_there_is_a_place_and_an_error_elsewhere():
    intake = sr.Intake(SCHEMA, "category")
    policies = [intake.policy(name) for name in SCHEMA.columns]
    assert policies == ["error", "error", "category", "error", "error", "category"]
    gaps = {"gender": ["F", None, "F"], "exam": [None, "pos", None]}
    taken = intake.take_in(ROWS | gaps)
    assert taken.table["gender"] == ["F", "missing", "F"]
    assert taken.labelled == {"gender": 1, "exam": 2}
    assert taken.schema.sensitive.domain == ("neg", "pos", "missing")


@pytest.mark.parametrize("name", ["id", "age", "grade", "born"])
def test_category__is_refused_where_it_has_no_place(name):
    with pytest.raises(sr.PolicyError, match=rf"of '{name}' cannot be a category.*Choose 'drop'"):
        sr.Intake(SCHEMA, missing_in={name: "category"})


def test_category__is_refused_among_ordered_values():
    stage = sr.Sensitive("exam", ["I", "II"], ordered=True)
    with pytest.raises(sr.PolicyError, match="of 'exam' cannot be a category"):
        sr.Intake(schema_of(sr.Numeric("age"), stage), missing_in={"exam": "category"})


def test_schema__is_the_same_whether_or_not_a_table_has_gaps():
    intake = sr.Intake(SCHEMA, "category")
    gaps = ROWS | {"gender": ["F", None, "F"]}
    assert intake.take_in(ROWS).schema == intake.take_in(gaps).schema == intake.labelled


def test_category__of_a_hierarchy_is_a_branch_under_the_root():
    paths = {"A1": ["A", "all"], "A2": ["A", "all"], "B1": ["B", "all"]}
    taken = taken_in(sr.Hierarchical("ward", paths), ["A1", None, "A2"])
    (ward,) = taken.schema.quasi_identifiers
    codes = ward.encode(pa.array(taken.table["ward"]))
    cover = ward.cover(codes[[0, 2, 1, 0, 1]], np.array([0, 2, 3, 5]))
    assert cover.text.to_pylist() == ["A", "missing", "all"]


@pytest.mark.parametrize(
    ("paths", "path"),
    [
        ({"A1": ["A"], "B1": ["B"]}, ("missing",)),
        ({"A1": ["A"], "A2": ["A"]}, ("A",)),
        ({"A1": [], "B1": []}, ()),
        ({1: ["low", "all"], 2: ["high", "all"]}, ("missing", "all")),
        ({"A1": ["A"], "missing": ["B"]}, ("B",)),
    ],
)
def test_category__of_any_tree_has_a_path_of_its_own(paths, path):
    taken = taken_in(sr.Hierarchical("ward", paths), [next(iter(paths)), None])
    (ward,) = taken.schema.quasi_identifiers
    assert ward.paths["missing"] == path
    assert len(sr.View.from_table(taken.table, taken.schema)) == 2


def test_category__under_a_mask_is_a_single_character():
    code = sr.Hierarchical("zip", mask="prefix")
    with pytest.raises(sr.PolicyError, match=r"masked from the right.*Try label='\?'"):
        taken_in(code, ["12030", None])
    taken = taken_in(code, ["12030", None], label="?")
    view = sr.View.from_table(taken.table, taken.schema)
    (settled,) = view.schema.quasi_identifiers
    assert settled.cover(view.points[:, 0], np.array([0, 1, 2])).text.to_pylist() == ["12030", "?"]
    assert settled.cover(view.points[:, 0], np.array([0, 2])).text.to_pylist() == ["*****"]


def test_category__under_a_mask_refuses_values_that_begin_with_it():
    code = sr.Hierarchical("zip", mask="prefix")
    with pytest.raises(
        sr.TableError, match=r"1 value.*begin with the label.*row position 0 "
    ) as no:
        taken_in(code, ["1SECRET", None], label="1")
    assert "SECRET" not in str(no.value)
    declared = sr.Hierarchical("zip", mask="prefix", values=["12030"])
    with pytest.raises(sr.PolicyError, match="no value begins with"):
        taken_in(declared, ["12030", None], label="1")


@pytest.mark.parametrize(
    "cells",
    [[1, None, 2], [1.0, float("nan"), 2.0], ["1", None, "2"], pd.Series([1, None, 2])],
    ids=["whole", "float", "text", "pandas"],
)
def test_category__of_whole_numbers_is_written_with_them_as_texts(cells):
    taken = taken_in(sr.Categorical("ward", [1, 2]), cells)
    assert taken.table["ward"] == ["1", "missing", "2"]
    assert taken.schema.quasi_identifiers[0].values == ("1", "2", "missing")
    assert len(sr.View.from_table(taken.table, taken.schema)) == 3


@pytest.mark.parametrize("values", [[True, False], [0.5, 1.5]])
def test_category__of_other_values_is_refused(values):
    with pytest.raises(sr.PolicyError, match="where its values are texts or whole numbers"):
        taken_in(sr.Categorical("ward", values), [None])


def test_category__that_is_declared_is_used():
    taken = taken_in(sr.Categorical("ward", ["unknown", "A"]), ["A", None], label="unknown")
    assert taken.schema.quasi_identifiers[0].values == ("unknown", "A")


def test_ids__that_a_gap_made_floats_are_whole_again():
    raw = {"id": [1.0, float("nan"), 3.0], "age": [51, 52, 53], "exam": ["neg"] * 3}
    taken = sr.Intake(schema_of(sr.Numeric("age")), "drop").take_in(raw)
    assert taken.table["id"] == [1, 3]
    assert taken.dropped == {"id": 1}


TWICE = {
    "id": ["a", "b", "a", "c"],
    "age": [51, 52, 53, 54],
    "exam": ["neg"] * 4,
    "seen": [2, 1, 1, None],
}


@pytest.mark.parametrize(
    ("rule", "ages"),
    [
        ("first", [51, 52, 54]),
        ("last", [52, 53, 54]),
        (("latest", "seen"), [51, 52, 54]),
        (("earliest", "seen"), [52, 53, 54]),
    ],
)
def test_repeats__leave_the_row_that_was_asked_for(rule, ages):
    taken = sr.Intake(schema_of(sr.Numeric("age")), repeated=rule).take_in(TWICE)
    assert (taken.table["age"], taken.repeated) == (ages, 1)


@pytest.mark.parametrize(
    "seen",
    [
        ["2026-01-02", "2026-01-01", "2026-01-01", None],
        ["2026-01-01 10:30", None, "2026-01-01 10:29", ""],
        [dt.date(2026, 1, 2), None, dt.date(2026, 1, 1), None],
        [1.5, None, 1.25, None],
    ],
    ids=["dates", "times", "days", "numbers"],
)
def test_repeats__go_by_numbers_and_times(seen):
    intake = sr.Intake(schema_of(sr.Numeric("age")), repeated=("latest", "seen"))
    assert intake.take_in(TWICE | {"seen": seen}).table["age"] == [51, 52, 54]


def test_repeats__do_not_go_by_texts_without_an_order():
    intake = sr.Intake(schema_of(sr.Numeric("age")), repeated=("latest", "seen"))
    with pytest.raises(sr.SchemaError, match=r"'seen' .*texts are in no order of time"):
        intake.take_in(TWICE | {"seen": ["2.1.2026", None, "10.1.2026", None]})


def test_repeats__are_an_error_that_names_rows_by_position_only():
    part = r"2 rows share theirs, at row positions 0, 2 .*repeated='first'"
    with pytest.raises(sr.TableError, match=part):
        sr.Intake(schema_of(sr.Numeric("age"))).take_in(TWICE)


def test_repeats__need_to_know_when():
    intake = sr.Intake(schema_of(sr.Numeric("age")), repeated=("latest", "seen"))
    with pytest.raises(sr.TableError, match=r"'seen' .* 1 missing value.*at row position 2 "):
        intake.take_in(TWICE | {"seen": [2, 1, None, 4]})
    with pytest.raises(sr.SchemaError, match="no column 'seen'"):
        intake.take_in({name: cells for name, cells in TWICE.items() if name != "seen"})


def test_repeats__at_the_same_time_must_not_differ():
    intake = sr.Intake(schema_of(sr.Numeric("age")), repeated=("latest", "seen"))
    with pytest.raises(sr.TableError, match=r"1 respondents have several different rows.*latest"):
        intake.take_in(TWICE | {"seen": [1, 1, 1, 1]})
    alike = TWICE | {"seen": [1, 1, 1, 1], "age": [51, 52, 51, 54]}
    assert intake.take_in(alike).repeated == 1


def test_repeats__are_settled_before_gaps():
    raw = TWICE | {"age": [51, 52, None, 54]}
    intake = sr.Intake(schema_of(sr.Numeric("age")), "drop", repeated="last")
    taken = intake.take_in(raw)
    assert (taken.table["id"], taken.dropped, taken.repeated) == (["b", "c"], {"age": 1}, 1)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"missing": "fill"}, "handled by 'fill'; possible are 'error', 'drop', 'category'"),
        ({"missing_in": {"age": "fill"}}, "Missing cells of 'age' are handled by 'fill'"),
        ({"missing_in": {"agee": "drop"}}, "'agee' has no role.*mean 'age'"),
        ({"repeated": "newest"}, "handled by 'newest'; possible are 'error', 'first', 'last', "),
        ({"repeated": ("newest", "seen")}, "possible are 'error'"),
        ({"label": ""}, r"is a word without '\*', not ''"),
        ({"label": "**"}, "is a word without"),
        ({"label": " x"}, "is a word without"),
        ({"label": 7}, "is a word without"),
    ],
)
def test_intake__refuses_what_cannot_be_meant(options, part):
    with pytest.raises(sr.PolicyError, match=part):
        sr.Intake(SCHEMA, **options)


def test_label__that_is_a_node_with_leaves_is_refused():
    with pytest.raises(sr.PolicyError, match="'A' is a node of 'ward' with leaves"):
        taken_in(sr.Hierarchical("ward", {"A1": ["A"], "B1": ["B"]}), ["A1"], label="A")


def test_what_was_taken__shows_nobody():
    taken = sr.Intake(SCHEMA, "drop").take_in(ROWS | {"age": [None, 52, 53]})
    assert repr(taken) == "Taken(dropped={'age': 1}, labelled={}, repeated=0)"


def test_series__goes_on_whether_or_not_a_table_has_gaps():
    intake = sr.Intake(SCHEMA, "category", repeated="last", label="unknown")
    tables = [
        {name: cells * 2 for name, cells in ROWS.items()},
        ROWS | {"gender": [None, "M", None], "exam": [None, "pos", "neg"]},
        ROWS | {"gender": [None, None, None]},
    ]
    policy = sr.Policy(sr.KAnonymity(k=3))
    publisher = sr.Publisher(intake.labelled, policy, sr.Adversary(), seed=1)
    for at, table in enumerate(tables):
        taken = intake.take_in(table)
        release = publisher.publish(taken.table, at=at)
        assert len(release) == 3
    assert release.group(0).region.texts[1] == "unknown"
