"""Releases of other tools: every form of a cell, every form of a file, and bad files."""

import datetime as dt
from collections import Counter

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seriatim as sr
from strategies import hospital_schema, hospital_tables, labels

EXAMS = ("neg", "pos")
ZIPS = ("38121", "38122", "38210", "40100")
AGES = (-6, -5, -4, -3, 0, 19, 20, 25, 29, 30, 39, 40, 43, 44, 69, 70, 99)


def schema_of(*attributes):
    return sr.Schema("id", list(attributes), sr.Sensitive("exam", EXAMS))


def read_cell(attribute, cell, **options):
    table = {attribute.name: [cell], "exam": ["neg"]}
    return sr.read_release(table, schema_of(attribute), at=1, **options)


def inside(attribute, cell, values, **options):
    """Which of some people a cell holds."""
    release = read_cell(attribute, cell, **options)
    roster = sr.Roster.from_table(
        {"id": list(range(len(values))), attribute.name: list(values)}, schema_of(attribute)
    )
    held = release.group(0).region.contains(roster)
    placed = sr.place(roster, release)
    assert placed.published.tolist() == held.tolist()
    return [value for value, here in zip(values, held, strict=True) if here]


def shown(release):
    """What a release shows: cells and values of its groups, in no order."""
    return Counter(
        (group.region.texts, tuple(sorted(group.counts.items()))) for group in release.groups
    )


# ---------------------------------------------------------------------------
# Cells
# ---------------------------------------------------------------------------

ALL = list(AGES)


@pytest.mark.parametrize(
    ("cell", "held"),
    [
        ("[30, 40[", [30, 39]),
        ("[30, 40)", [30, 39]),
        ("[30,40]", [30, 39, 40]),
        ("(19,39]", [20, 25, 29, 30, 39]),
        ("]19, 39]", [20, 25, 29, 30, 39]),
        ("(19, 39)", [20, 25, 29, 30]),
        ("]19, 39[", [20, 25, 29, 30]),
        (">=70", [70, 99]),
        (">= 70", [70, 99]),
        ("≥70", [70, 99]),
        (">70", [99]),
        ("<0", [-6, -5, -4, -3]),
        ("<=0", [-6, -5, -4, -3, 0]),
        ("≤0", [-6, -5, -4, -3, 0]),
        ("25-43", [25, 29, 30, 39, 40, 43]),
        ("25 - 43", [25, 29, 30, 39, 40, 43]),
        ("25–43", [25, 29, 30, 39, 40, 43]),
        ("25..43", [25, 29, 30, 39, 40, 43]),
        ("['25-43']", [25, 29, 30, 39, 40, 43]),
        ("-5--3", [-5, -4, -3]),
        ("[-5,-3]", [-5, -4, -3]),
        ("-5-20", [-5, -4, -3, 0, 19, 20]),
        ("25", [25]),
        ("25.0", [25]),
        ("-5", [-5]),
        ("['25']", [25]),
        ("[2.5e1, 4.3e1]", [25, 29, 30, 39, 40, 43]),
        ("(19.5,29.5]", [20, 25, 29]),
        ("*", ALL),
        ("**", ALL),
        ("*****", ALL),
        ("NA", ALL),
        ("", ALL),
        (" ", ALL),
        ("NULL", ALL),
        ("nan", ALL),
        ("?", ALL),
        (None, ALL),
    ],
)
@pytest.mark.parametrize("attribute", [sr.Numeric("age"), sr.Numeric("age", -10, 99)])
def test_numeric_cell__holds_the_numbers_it_means(attribute, cell, held):
    assert inside(attribute, cell, AGES) == held


@pytest.mark.parametrize(
    ("cell", "held"),
    [
        ("[30, 40)", [30, 39, 40]),
        ("[30, 40[", [30, 39, 40]),
        ("(19,39]", [19, 20, 25, 29, 30, 39]),
        ("25-43", [25, 29, 30, 39, 40, 43]),
        (">=70", [70, 99]),
        ("*", ALL),
    ],
)
def test_numeric_cell__with_closed_ends_holds_both(cell, held):
    assert inside(sr.Numeric("age"), cell, AGES, closed_ends=True) == held


@pytest.mark.parametrize("cell", ["abc", "[40,30]", "(30,30)", "[30", "30-", "25 to 43", "{1,2}"])
def test_numeric_cell__that_is_no_interval_is_refused(cell):
    with pytest.raises(sr.SeriatimError, match="no number or interval of 'age'"):
        read_cell(sr.Numeric("age", 0, 99), cell)


GENDERS = ("F", "M", "X")


@pytest.mark.parametrize(
    ("cell", "held"),
    [
        ("F", ["F"]),
        ("{F}", ["F"]),
        ("['F']", ["F"]),
        (" F ", ["F"]),
        ("{F, M}", ["F", "M"]),
        ("{F,M}", ["F", "M"]),
        ("F,M", ["F", "M"]),
        ("F, M", ["F", "M"]),
        ("['F,M']", ["F", "M"]),
        ("F|M", ["F", "M"]),
        ("F;M", ["F", "M"]),
        ("F_M", ["F", "M"]),
        ("*", list(GENDERS)),
        ("***", list(GENDERS)),
        ("NA", list(GENDERS)),
        ("", list(GENDERS)),
        (None, list(GENDERS)),
    ],
)
@pytest.mark.parametrize("attribute", [sr.Categorical("g"), sr.Categorical("g", GENDERS)])
def test_categorical_cell__holds_the_values_it_means(attribute, cell, held):
    assert inside(attribute, cell, GENDERS) == held


@pytest.mark.parametrize(
    ("cell", "held"),
    [
        ("38121", ["38121"]),
        ("3812*", ["38121", "38122"]),
        ("381**", ["38121", "38122"]),
        ("381*", ["38121", "38122"]),
        ("38***", ["38121", "38122", "38210"]),
        ("*****", list(ZIPS)),
        ("*", list(ZIPS)),
        ("38121_38122", ["38121", "38122"]),
        ("38122_40100", ["38122", "40100"]),
        ("38121,38210", ["38121", "38210"]),
        ("{38121, 38210}", ["38121", "38210"]),
        ("['38210,38121']", ["38121", "38210"]),
        ("{3812*, 401**}", ["38121", "38122", "40100"]),
        ("NA", list(ZIPS)),
        ("", list(ZIPS)),
    ],
)
@pytest.mark.parametrize(
    "attribute",
    [
        sr.Hierarchical("zip", mask="prefix"),
        sr.Hierarchical("zip", mask="prefix", values=ZIPS),
    ],
)
def test_masked_cell__holds_the_leaves_it_means(attribute, cell, held):
    assert inside(attribute, cell, ZIPS) == held


@pytest.mark.parametrize(
    ("cell", "held"),
    [
        ("A1", ["A1"]),
        ("A", ["A1", "A2"]),
        ("{A, B1}", ["A1", "A2", "B1"]),
        ("A1_B1", ["A1", "B1"]),
        ("north, and east", ["B1", "B2"]),
        ("*", ["A1", "A2", "B1", "B2"]),
        ("NA", ["A1", "A2", "B1", "B2"]),
    ],
)
def test_hierarchy_cell__holds_the_leaves_under_its_node(cell, held):
    paths = {"A1": ["A"], "A2": ["A"], "B1": ["north, and east"], "B2": ["north, and east"]}
    assert inside(sr.Hierarchical("ward", paths), cell, list(paths)) == held


@pytest.mark.parametrize(
    ("cell", "held"),
    [
        ("low", ["low"]),
        ("[low,middle]", ["low", "middle"]),
        ("[middle, high]", ["middle", "high"]),
        ("*", ["low", "middle", "high"]),
        ("NA", ["low", "middle", "high"]),
        ("['low']", ["low"]),
    ],
)
def test_ordinal_cell__holds_the_run_it_means(cell, held):
    grades = ["low", "middle", "high"]
    assert inside(sr.Ordinal("grade", grades), cell, grades) == held


def test_cells__of_a_domain_read_off_another_view_keep_the_values_that_are_known():
    assert inside(sr.Categorical("ward"), "{N, S, Q}", ["N", "W"]) == ["N"]
    assert inside(sr.Categorical("ward"), "Q", ["N", "W"]) == []


def test_cells__of_numbers_may_be_numbers():
    table = {"age": [25, 30], "exam": ["neg", "pos"]}
    release = sr.read_release(table, schema_of(sr.Numeric("age", 0, 99)), at=1)
    assert sorted(group.region.texts for group in release.groups) == [("25",), ("30",)]


@pytest.mark.parametrize("values", [("NA", "F"), ("?", "F"), ("nan", "F")])
def test_cells__that_name_a_declared_value_mean_it(values):
    """A domain that declares NA has a value of that name, as a country code has."""
    assert inside(sr.Categorical("g", values), values[0], values) == [values[0]]


# ---------------------------------------------------------------------------
# Columns
# ---------------------------------------------------------------------------


def test_columns__of_least_and_greatest_are_an_interval():
    table = {"age_min": ["25", "30"], "age_max": ["43", "30"], "exam": ["neg", "pos"]}
    release = sr.read_release(table, schema_of(sr.Numeric("age", 0, 99)), at=1)
    assert shown(release) == shown(
        sr.read_release(
            {"age": ["[25,43]", "[30,30]"], "exam": ["neg", "pos"]},
            schema_of(sr.Numeric("age", 0, 99)),
            at=1,
        )
    )


@pytest.mark.parametrize("truths", [(True, False), ("True", "False"), ("TRUE", "FALSE"), (1, 0)])
def test_columns__of_truth_values_are_a_set(truths):
    yes, no = truths
    table = {"g_F": [yes, yes], "g_M": [yes, no], "g_X": [no, no], "exam": ["neg", "pos"]}
    release = sr.read_release(table, schema_of(sr.Categorical("g", GENDERS)), at=1)
    assert sorted(group.region.texts for group in release.groups) == [("{F,M}",), ("{F}",)]


def test_columns__of_truth_values_that_are_none_are_refused():
    table = {"g_F": ["SECRET-1"], "g_M": ["yes"], "exam": ["neg"]}
    with pytest.raises(sr.TableError, match="'g_F' should say of each row") as caught:
        sr.read_release(table, schema_of(sr.Categorical("g", GENDERS)), at=1)
    assert "SECRET" not in str(caught.value)


def test_rows__with_the_same_cells_are_one_group():
    table = {"age": ["20-39", "40-59", " 20-39 "], "exam": ["neg", "pos", "pos"]}
    release = sr.read_release(table, schema_of(sr.Numeric("age")), at=1)
    assert shown(release) == Counter(
        {(("20-39",), (("neg", 1), ("pos", 1))): 1, (("40-59",), (("pos", 1),)): 1}
    )


def test_rows__with_a_column_of_groups_are_as_many_groups_as_it_says():
    table = {"group": [1, 1, 2], "age": ["20-39"] * 3, "exam": ["neg", "pos", "pos"]}
    release = sr.read_release(table, schema_of(sr.Numeric("age")), at=1)
    assert sorted(release.sizes.tolist()) == [1, 2]


def test_rows__with_a_column_of_groups_that_has_gaps_give_a_helpful_error_or_groups():
    table = {"group": [1, None], "age": ["20-39"] * 2, "exam": ["neg", "pos"]}
    try:
        release = sr.read_release(table, schema_of(sr.Numeric("age")), at=1)
    except sr.SeriatimError as error:
        assert "group" in str(error)  # noqa: PT017 - either is good
    else:
        assert len(release) == 2


# ---------------------------------------------------------------------------
# Counts
# ---------------------------------------------------------------------------


def counted(counts, **options):
    n = len(counts)
    table = {
        "age": ["20-39", "40-59", "40-59"][:n],
        "exam": ["neg", "pos", "neg"][:n],
        options.get("count", "count"): counts,
    }
    return sr.read_release(table, schema_of(sr.Numeric("age", 0, 99)), at=1, **options)


@pytest.mark.parametrize("counts", [[2, 3, 1], ["2", "3", "1"], [2.0, 3.0, 1.0], ["2.0", "3", "1"]])
def test_count__says_how_many_people_a_row_stands_for(counts):
    release = counted(counts)
    assert len(release) == 6
    assert shown(release) == Counter(
        {(("20-39",), (("neg", 2),)): 1, (("40-59",), (("neg", 1), ("pos", 3))): 1}
    )


def test_count__may_have_another_name():
    assert len(counted([2, 3, 1], count="n")) == 6


def test_count__may_be_an_attribute():
    """A column of that name with a role is what its role says."""
    schema = sr.Schema("id", [sr.Numeric("count", 0, 9)], sr.Sensitive("exam", EXAMS))
    assert len(sr.read_release({"count": ["1-3"], "exam": ["neg"]}, schema, at=1)) == 1


@pytest.mark.parametrize(
    "counts",
    [
        [1, -1],
        [1, 0.5],
        [1, None],
        ["1", "many"],
        ["1", ""],
        [1.0, float("inf")],
        ["1", "inf"],
        [dt.date(2026, 1, 1)] * 2,
        [True, None],
    ],
    ids=str,
)
def test_count__that_is_no_number_of_people_is_refused(counts):
    with pytest.raises(sr.SeriatimError, match="'count'"):
        counted(counts)


@pytest.mark.parametrize("counts", [[2, 0], [0, 2], [0, 2, 0], [2, 0, 0], [0, 1, 1]])
def test_count__of_nobody_leaves_a_group_that_can_be_placed(counts):
    release = counted(counts)
    assert len(release) == sum(counts)
    assert all(len(cover.text) == release.n_groups for cover in release.covers)
    people = {"id": list(range(4)), "age": [25, 30, 45, 50]}
    placed = sr.place(sr.Roster.from_table(people, release.schema), release)
    young, old = counts[0] > 0, sum(counts[1:]) > 0
    assert placed.published.tolist() == [young, young, old, old]


def test_count__of_nobody_at_all_is_refused():
    with pytest.raises(sr.SeriatimError):
        counted([0, 0])


# ---------------------------------------------------------------------------
# Files
# ---------------------------------------------------------------------------

SCHEMA = schema_of(sr.Numeric("age", 0, 99), sr.Categorical("g", GENDERS))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("suffix", [".csv", ".CSV", ".tsv", ".txt"])
def test_file__may_have_any_usual_delimiter(tmp_path, delimiter, end, mark, suffix):
    lines = [
        delimiter.join(cells)
        for cells in [("age", "g", "exam"), ('"[20, 39]"', "F", "neg"), ("40-59", "*", '"pos"')]
    ]
    path = tmp_path / f"release{suffix}"
    path.write_bytes((mark + end.join([*lines, ""])).encode())
    release = sr.read_release(path, SCHEMA, at=1)
    assert sorted(group.region.texts for group in release.groups) == [
        ("40-59", "*"),
        ("[20, 39]", "F"),
    ]
    assert len(sr.read_release(str(path), SCHEMA, at=1)) == 2


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_file__of_r_may_have_row_names_without_a_title(tmp_path, delimiter):
    rows = [
        ['"age"', '"g"', '"exam"'],
        ['"1"', '"(19,39]"', '"F"', '"neg"'],
        ['"2"', "NA", "NA", '"pos"'],
    ]
    path = tmp_path / "release.csv"
    path.write_text("\n".join(delimiter.join(row) for row in rows) + "\n")
    release = sr.read_release(path, SCHEMA, at=1)
    assert sorted(group.region.texts for group in release.groups) == [("(19,39]", "F"), ("*", "*")]


def test_file__keeps_leading_zeros(tmp_path):
    path = tmp_path / "release.csv"
    path.write_text("zip,exam\n00123,neg\n")
    schema = schema_of(sr.Hierarchical("zip", mask="prefix", values=["00123", "00200"]))
    assert sr.read_release(path, schema, at=1).group(0).region.texts == ("00123",)


def test_file__may_have_columns_that_nobody_asked_for(tmp_path):
    path = tmp_path / "release.csv"
    path.write_text("index,age,note,g,exam\n0,25,x,F,neg\n")
    assert len(sr.read_release(path, SCHEMA, at=1)) == 1


def test_file__of_numbers_as_sensitive_values_is_read_as_declared(tmp_path):
    path = tmp_path / "release.csv"
    path.write_text("age,stage\n25,1\n25,3\n")
    schema = sr.Schema("id", [sr.Numeric("age")], sr.Sensitive("stage", [1, 2, 3]))
    release = sr.read_release(path, schema, at=1)
    assert release.group(0).counts == {1: 1, 3: 1}


def test_history__reads_an_undeclared_domain_off_all_releases(tmp_path):
    for week, exams in ((1, "neg"), (2, "pos")):
        (tmp_path / f"{week}.csv").write_text(f"age,g,exam\n25,F,{exams}\n")
    schema = sr.Schema("id", SCHEMA.quasi_identifiers, sr.Sensitive("exam"))
    history = sr.read_history([tmp_path / "1.csv", tmp_path / "2.csv"], schema)
    assert history.instants == (1, 2)
    assert all(release.schema.sensitive.domain == ("neg", "pos") for release in history)


def test_history__reads_an_undeclared_domain_of_numbers_as_one_release_does():
    schema = sr.Schema("id", [sr.Numeric("age")], sr.Sensitive("stage"))
    tables = [{"age": ["25"], "stage": [1]}, {"age": ["25"], "stage": [2]}]
    history = sr.read_history(tables, schema)
    assert [release.group(0).counts for release in history] == [{1: 1}, {2: 1}]


def test_history__has_the_instants_that_it_is_given():
    weeks = [dt.date(2026, 1, 5), dt.date(2026, 1, 12)]
    tables = [{"age": ["25"], "g": ["F"], "exam": ["neg"]}] * 2
    assert sr.read_history(tables, SCHEMA, instants=weeks).instants == tuple(weeks)


@pytest.mark.parametrize("instants", [[1], [1, 2, 3], [2, 1], [1, 1]])
def test_history__refuses_instants_that_do_not_fit(instants):
    tables = [{"age": ["25"], "g": ["F"], "exam": ["neg"]}] * 2
    with pytest.raises(sr.SeriatimError):
        sr.read_history(tables, SCHEMA, instants=instants)


def test_history__refuses_no_releases():
    with pytest.raises(sr.TableError, match="at least one"):
        sr.read_history([], SCHEMA)


# ---------------------------------------------------------------------------
# Our own releases, there and back
# ---------------------------------------------------------------------------


def write_csv(frame, path):
    if isinstance(frame, pd.DataFrame):
        frame.to_csv(path, index=False)
    elif isinstance(frame, pl.DataFrame):
        frame.write_csv(path)
    else:
        pyarrow.csv.write_csv(frame, path)


def write_parquet(frame, path):
    if isinstance(frame, pd.DataFrame):
        frame.to_parquet(path)
    elif isinstance(frame, pl.DataFrame):
        frame.write_parquet(path)
    else:
        pyarrow.parquet.write_table(frame, path)


KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
WRITERS = {".csv": write_csv, ".parquet": write_parquet}


def published(table, schema, k=2):
    policy = sr.Policy(sr.KAnonymity(k=k), remainder="merge")
    return sr.Publisher(schema, policy, sr.Adversary(), seed=3).publish(table, at=1)


def all_hidden_alike(texts):
    """A mask of nothing but stars hides everything, however many they are."""
    return tuple("*" if not text.strip("*") else text for text in texts)


def shown_alike(release):
    return Counter(
        (all_hidden_alike(group.region.texts), tuple(sorted(group.counts.items())))
        for group in release.groups
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", WRITERS)
@given(table=hospital_tables())
def test_own_release__is_the_same_read_back_from_a_file(kind, suffix, table, tmp_path_factory):
    release = published(KINDS[kind](table), hospital_schema())
    path = tmp_path_factory.mktemp("own") / f"release{suffix}"
    WRITERS[suffix](release.to_frame(), path)
    again = sr.read_release(path, hospital_schema(), at=1)
    assert shown_alike(again) == shown_alike(release)
    assert len(again) == len(release)


@given(table=hospital_tables())
def test_own_release__is_the_same_read_back_from_a_mapping(table):
    release = published(table, hospital_schema())
    again = sr.read_release(release.to_frame(), hospital_schema(), at=1)
    assert shown_alike(again) == shown_alike(release)


@given(table=hospital_tables())
def test_own_release__read_back_has_the_same_extents(table):
    release = published(table, hospital_schema())
    again = sr.read_release(release.to_frame(), hospital_schema(), at=1)
    assert again.sizes.sum() == release.sizes.sum()
    mine = Counter(map(tuple, release.extents.round(9).tolist()))
    assert Counter(map(tuple, again.extents.round(9).tolist())) == mine


@pytest.mark.parametrize("suffix", WRITERS)
@given(values=labels(least=2), data=st.data())
def test_own_release__of_values_that_look_like_sets_is_the_same_read_back(
    suffix, values, data, tmp_path_factory
):
    schema = sr.Schema(
        "id",
        [sr.Categorical("label", values), sr.Numeric("age", 0, 9)],
        sr.Sensitive("exam", EXAMS),
    )
    n = data.draw(st.integers(4, 8))
    table = {
        "id": list(range(n)),
        "label": data.draw(st.lists(st.sampled_from(values), min_size=n, max_size=n)),
        "age": data.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)),
        "exam": data.draw(st.lists(st.sampled_from(EXAMS), min_size=n, max_size=n)),
    }
    release = published(pa.table(table), schema)
    path = tmp_path_factory.mktemp("labels") / f"release{suffix}"
    WRITERS[suffix](release.to_frame(), path)
    again = sr.read_release(path, schema, at=1)
    assert shown(again) == shown(release)
    roster = sr.Roster.from_table(table, schema)
    for mine, theirs in zip(
        sorted(release.groups, key=lambda one: one.region.texts),
        sorted(again.groups, key=lambda one: one.region.texts),
        strict=True,
    ):
        assert mine.region.contains(roster).tolist() == theirs.region.contains(roster).tolist()


@pytest.mark.parametrize("word", ["NA", "?"])
def test_own_release__of_a_value_that_reads_like_suppression_is_the_same_read_back(word):
    schema = sr.Schema("id", [sr.Categorical("land", ["DE", word])], sr.Sensitive("exam", EXAMS))
    table = {"id": [1, 2, 3, 4], "land": ["DE", "DE", word, word], "exam": ["neg", "pos"] * 2}
    release = published(table, schema)
    assert shown(sr.read_release(release.to_frame(), schema, at=1)) == shown(release)


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "values",
    [(1, 2), (0.5, 1.0), (True, False), (dt.date(2026, 1, 5), dt.date(2026, 1, 12))],
    ids=["whole", "fractions", "truths", "dates"],
)
def test_own_release__of_sensitive_values_of_any_kind_is_the_same_read_back(
    tmp_path, kind, suffix, values
):
    schema = sr.Schema("id", [sr.Numeric("age", 0, 99)], sr.Sensitive("stage", values))
    table = {"id": [1, 2, 3, 4], "age": [20, 21, 50, 51], "stage": [values[0], values[1]] * 2}
    release = published(KINDS[kind](table), schema)
    path = tmp_path / f"release{suffix}"
    WRITERS[suffix](release.to_frame(), path)
    assert shown(sr.read_release(path, schema, at=1)) == shown(release)


# ---------------------------------------------------------------------------
# Bad files
# ---------------------------------------------------------------------------


def refuse(path, schema=SCHEMA):
    """Return what is said of a bad file: helpful, and nobody's id in it."""
    with pytest.raises(sr.SeriatimError) as caught:
        sr.read_release(path, schema, at=1)
    told = str(caught.value)
    assert "SECRET" not in told
    assert len(told) > 20
    return told


HEAD = "id,age,g,exam\n"
GOOD = "SECRET-1,25,F,neg\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("\n", "is empty"),
        (HEAD, "no rows"),
        ("id,age,exam\nSECRET-1,25,neg\n", "no column 'g'"),
        ("id,aeg,g,exam\nSECRET-1,25,F,neg\n", "Did you mean 'aeg'"),
        ("id,age,g\nSECRET-1,25,F\n", "no column 'exam'"),
        ("age,age,g,exam\n25,25,F,neg\n", "two of one name"),
        (HEAD + GOOD + "SECRET-2,25\n", "cells to a row by its header"),
        (HEAD + GOOD + "SECRET-2,25,F,neg,more\n", "cells to a row by its header"),
        (HEAD + GOOD + "SECRET-2,old,F,neg\n", "'old' is no number or interval of 'age'"),
        (HEAD + GOOD + "SECRET-2,25,F,maybe\n", "outside its domain: 'maybe', at row position 1"),
        (HEAD + GOOD + "SECRET-2,25,F,\n", "row position 1"),
        (HEAD.strip() + ",count\n" + "SECRET-1,25,F,neg,few\n", "'count'"),
    ],
)
def test_bad_file__is_refused_with_a_helpful_message(tmp_path, content, words):
    path = tmp_path / "release.csv"
    path.write_text(content)
    assert words in refuse(path)


def test_bad_file__without_a_first_line_of_names_quotes_nobody(tmp_path):
    path = tmp_path / "release.csv"
    path.write_text("SECRET-1,25,F,neg\nSECRET-2,26,M,pos\n")
    refuse(path)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".txt", ".tsv"])
@pytest.mark.parametrize(
    "content", [b"\x89PNG\r\n\x1a\n\x00\xff\xfe", b"\xff\xfea\x00,\x00b\x00", b"PAR1SECRET"]
)
def test_bad_file__of_bytes_is_refused(tmp_path, suffix, content):
    path = tmp_path / f"release{suffix}"
    path.write_bytes(content)
    refuse(path)


def test_bad_file__that_is_not_there_is_said_to_be_missing(tmp_path):
    assert "No such file" in refuse(tmp_path / "gone.csv")
    assert "could not be read" in refuse(tmp_path / "gone.parquet")


def test_bad_file__that_is_a_folder_is_refused(tmp_path):
    (tmp_path / "release.csv").mkdir()
    assert "could not be read" in refuse(tmp_path / "release.csv")


@pytest.mark.parametrize("name", ["release", "release.sav"])
def test_bad_file__of_another_kind_says_which_kinds_are_read(tmp_path, name):
    (tmp_path / name).write_text(HEAD + GOOD)
    assert "'.csv'" in refuse(tmp_path / name)


@pytest.mark.parametrize("source", [None, 5, b"age", [1, 2], [{"age": 1}], object()])
def test_bad_source__that_is_no_table_is_refused(source):
    assert "table was expected" in refuse(source)


def test_bad_parquet__with_lists_is_refused(tmp_path):
    path = tmp_path / "release.parquet"
    pyarrow.parquet.write_table(
        pa.table({"age": [["SECRET-1"]], "g": ["F"], "exam": ["neg"]}), path
    )
    assert "'age'" in refuse(path)


def test_bad_cell__in_a_declared_domain_is_refused_by_the_audit(tmp_path):
    path = tmp_path / "release.csv"
    path.write_text(HEAD + "SECRET-1,25,Q,neg\nSECRET-2,25,Q,pos\n")
    release = sr.read_release(path, SCHEMA, at=1)
    people = {"id": ["SECRET-1", "SECRET-2"], "age": [25, 25], "g": ["F", "F"]}
    with pytest.raises(
        sr.SeriatimError, match="'Q' is no value of 'g'; possible are 'F'"
    ) as caught:
        sr.audit([release], [people], [sr.Adversary()])
    assert "SECRET" not in str(caught.value)


@given(content=st.binary(max_size=60), suffix=st.sampled_from([".csv", ".parquet"]))
def test_bad_file__of_any_bytes_is_a_release_or_refused(content, suffix, tmp_path_factory):
    path = tmp_path_factory.mktemp("bytes") / f"release{suffix}"
    path.write_bytes(content)
    refuse(path)


LINES = st.text('ab,;"\n\r\t| 1-[]{}*', max_size=40)


@given(content=LINES)
def test_bad_file__of_any_lines_is_a_release_or_refused(content, tmp_path_factory):
    path = tmp_path_factory.mktemp("lines") / "release.csv"
    path.write_text("age,g,exam\n" + content, newline="")
    try:
        release = sr.read_release(path, SCHEMA, at=1)
    except sr.SeriatimError:
        return
    assert len(release) >= 1


@given(cells=st.lists(st.text(max_size=8), min_size=1, max_size=4), data=st.data())
def test_bad_cell__of_any_text_is_read_or_refused(cells, data):
    attribute = data.draw(
        st.sampled_from(
            [
                sr.Numeric("x", 0, 99),
                sr.Categorical("x", GENDERS),
                sr.Hierarchical("x", mask="prefix", values=ZIPS),
                sr.Hierarchical("x", {"A1": ["A"], "B1": ["B"]}),
                sr.Ordinal("x", ["low", "high"]),
            ]
        )
    )
    table = {"x": cells, "exam": ["neg"] * len(cells)}
    try:
        release = sr.read_release(table, schema_of(attribute), at=1)
    except sr.SeriatimError:
        return
    assert len(release) == len(cells)


def test_history__takes_numbers_of_different_widths_for_the_same_values():
    schema = sr.Schema("id", [sr.Numeric("age", 0, 99)], sr.Sensitive("grade"))
    grades = (pa.array([9], pa.int32()), pa.array([10], pa.int64()))
    found = sr.read_history([{"age": ["31"], "grade": one} for one in grades], schema)
    assert found[0].schema.sensitive.domain == (9, 10)
