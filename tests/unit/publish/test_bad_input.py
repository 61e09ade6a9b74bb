"""Whatever is wrong with a view, the answer is one clear error that names nobody."""

import traceback

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import seriatim as sr

NAN, INF = float("nan"), float("inf")
MARK = "SECRET"


def put(column, value, row=3):
    """Return a tampering that changes one cell."""
    return lambda t: {
        **t,
        column: [value if n == row else cell for n, cell in enumerate(t[column])],
    }


def refused(publish):
    """Return the error of a call that must fail."""
    try:
        publish()
    except (sr.SeriatimError, sr.InternalError) as error:
        return error
    pytest.fail("nothing was refused")


def assert_names_nobody(error, ids):
    """No id is in the error, nor in what led to it, however it is printed."""
    printed = "".join(traceback.format_exception(error))
    assert MARK not in printed
    assert not any(one in str(error) for one in ids)


VIEWS = {
    "empty mapping": (lambda t: {name: [] for name in t}, sr.TableError, "no rows.*Skip this"),
    "no columns": (lambda t: {}, sr.TableError, "The table has no rows"),
    "empty pandas": (lambda t: pd.DataFrame(t).iloc[:0], sr.TableError, "no rows.*keep their past"),
    "empty polars": (lambda t: pl.DataFrame(t).head(0), sr.TableError, "The table has no rows"),
    "null id": (put("name", None), sr.TableError, "'name' has 1 missing .* position 3 .*fill them"),
    "null number": (put("age", None), sr.TableError, "'age' has 1 missing value.* position 3 "),
    "NaN number": (put("age", NAN), sr.TableError, "'age' has 1 missing value.* position 3 "),
    "null category": (put("gender", None), sr.TableError, "'gender' has 1 missing .* position 3 "),
    "null value": (put("exam", None), sr.TableError, "'exam' has 1 missing value.* position 3 "),
    "None in pandas": (
        lambda t: pd.DataFrame(put("exam", None)(t)),
        sr.TableError,
        "'exam' has 1 missing value.* position 3 ",
    ),
    "NaN in pandas": (
        lambda t: pd.DataFrame(put("age", NAN)(t)),
        sr.TableError,
        "'age' has 1 missing value.* position 3 ",
    ),
    "NA in pandas": (
        lambda t: pd.DataFrame(t).astype({"age": "Int64"}).replace({"age": {54: pd.NA}}),
        sr.TableError,
        "'age' has 1 missing value.* position 3 ",
    ),
    "null in polars": (
        lambda t: pl.DataFrame(put("gender", None)(t)),
        sr.TableError,
        "'gender' has 1 missing value.* position 3 ",
    ),
    "NaN in polars": (
        lambda t: pl.DataFrame(put("age", NAN)(t), strict=False),
        sr.TableError,
        "'age' has 1 missing value.* position 3 ",
    ),
    "two missing": (
        lambda t: put("age", None, 5)(put("age", NAN, 2)(t)),
        sr.TableError,
        "'age' has 2 missing.* positions 2, 5 ",
    ),
    "infinite number": (put("age", INF), sr.TableError, "'age' has 1 infinite .* position 3 "),
    "minus infinity": (put("age", -INF), sr.TableError, "'age' has 1 infinite .* position 3 "),
    "text for numbers": (
        lambda t: {**t, "age": [str(age) for age in t["age"]]},
        sr.SchemaError,
        "'age' should hold numbers and holds string. Convert .*Categorical",
    ),
    "true for numbers": (
        lambda t: {**t, "age": [True] * 8},
        sr.SchemaError,
        "'age' should hold numbers and holds bool",
    ),
    "unknown category": (
        put("gender", "x"),
        sr.TableError,
        "'gender' has 1 value.*outside its domain: 'x', at row position 3 .*Possible are 'F', 'M'",
    ),
    "unknown value": (
        put("exam", "maybe"),
        sr.TableError,
        "'exam' has 1 value.*outside its domain: 'maybe', at .* 3 .*Possible are 'neg', 'pos'",
    ),
    "id for a value": (
        put("exam", "SECRET-0003"),
        sr.TableError,
        "'exam' has 1 value.*outside its domain, at row position 3 .*Possible are 'neg', 'pos'",
    ),
    "id for a category": (
        put("gender", "SECRET-0003"),
        sr.TableError,
        "'gender' has 1 value.*outside its domain, at row position 3 .*Possible are 'F', 'M'",
    ),
    "id in capitals and spaces for a value": (
        put("exam", " Secret-0003 "),
        sr.TableError,
        "'exam' has 1 value.*outside its domain, at row position 3 ",
    ),
    "id within a value": (
        put("exam", "seenSECRET-0003q: neg"),
        sr.TableError,
        "'exam' has 1 value.*outside its domain, at row position 3 ",
    ),
    "id of another table for a value": (
        put("exam", "SECRET-9783"),
        sr.TableError,
        "'exam' has 1 value.*outside its domain, at row position 3 ",
    ),
    "id among numbers, beside a number": (
        lambda t: put("age", "SECRET-0009 45")({**t, "age": [str(age) for age in t["age"]]}),
        sr.TableError,
        "'age' should hold numbers and has 1 cell.* as one, at row position 3 ",
    ),
    "rows in a cell": (
        put("exam", "neg\nsecrets,41,F,pos"),
        sr.TableError,
        "'exam' has 1 value.*outside its domain, at row position 3 ",
    ),
    "word among numbers": (
        lambda t: put("age", "forty")({**t, "age": [str(age) for age in t["age"]]}),
        sr.TableError,
        "'age' should hold numbers and has 1 cell.* as one: 'forty', at row position 3 ",
    ),
    "id among numbers": (
        lambda t: put("age", "SECRET-0003")({**t, "age": [str(age) for age in t["age"]]}),
        sr.TableError,
        "'age' should hold numbers and has 1 cell.* as one, at row position 3 ",
    ),
    "respondent twice": (
        lambda t: {**t, "name": [*t["name"][:7], t["name"][2]]},
        sr.TableError,
        "one tuple per respondent, and 2 rows share theirs, at row positions 2, 7 .*Keep one row",
    ),
    "everyone the same": (
        lambda t: {**t, "name": [t["name"][0]] * 8},
        sr.TableError,
        "8 rows share theirs, at row positions 0, 1, 2, 3, 4 and 3 more",
    ),
    "id column not there": (
        lambda t: {"nam" if name == "name" else name: t[name] for name in t},
        sr.SchemaError,
        r"no column 'name'.*Did you mean 'nam'\?",
    ),
    "ids in lists": (
        lambda t: {**t, "name": [[one] for one in t["name"]]},
        sr.TableError,
        "'name' mixes kinds .*or holds what is no plain value",
    ),
    "ids as structs": (
        lambda t: {**t, "name": [{"id": one} for one in t["name"]]},
        sr.TableError,
        "'name' mixes kinds .*or holds what is no plain value",
    ),
    "ids as bytes": (
        lambda t: {**t, "name": [one.encode() for one in t["name"]]},
        sr.TableError,
        "'name' mixes kinds .*or holds what is no plain value",
    ),
    "ids as objects of polars": (
        lambda t: pl.DataFrame({**t, "name": pl.Series(t["name"], dtype=pl.Object)}),
        sr.TableError,
        "'name' mixes kinds .*or holds what is no plain value",
    ),
    "ids mixed in a mapping": (
        lambda t: {**t, "name": [1, *t["name"][1:]]},
        sr.TableError,
        "'name' mixes kinds of values .*Give every row a number, a text",
    ),
    "ids mixed in pandas": (
        lambda t: pd.DataFrame({**t, "name": [1, *t["name"][1:]]}),
        sr.TableError,
        "'name' mixes kinds of values .*Give every row a number, a text",
    ),
    "values mixed in a mapping": (
        lambda t: {**t, "exam": [1, *t["exam"][1:-1], "SECRETLY"]},
        sr.TableError,
        "'exam' mixes kinds of values",
    ),
    "values mixed in pandas": (
        lambda t: pd.DataFrame({**t, "exam": [1, *t["exam"][1:-1], "SECRETLY"]}),
        sr.TableError,
        "'exam' mixes kinds of values",
    ),
    "values in lists": (
        lambda t: {**t, "exam": [[one] for one in t["exam"]]},
        sr.TableError,
        "'exam' mixes kinds .*or holds what is no plain value",
    ),
    "numbers mixed with text": (put("age", "SECRETLY"), sr.TableError, "'age' mixes kinds"),
    "numbers that cannot be told apart": (
        put("age", 2**60),
        sr.SchemaError,
        "'age' has whole numbers of 2[*][*]53 and more",
    ),
    "columns of different lengths": (
        lambda t: {**t, "age": t["age"][:5]},
        sr.TableError,
        "Columns of a table are of one length",
    ),
    "cells where a column should be": (lambda t: {**t, "age": 51}, sr.TableError, "has a column"),
    "two columns of one name": (
        lambda t: pa.table([*t.values(), t["age"]], names=[*t, "age"]),
        sr.TableError,
        "several columns of one name: 'age'. Rename",
    ),
    "two columns of one name in pandas": (
        lambda t: pd.concat([pd.DataFrame(t), pd.DataFrame(t)[["age"]]], axis=1),
        sr.TableError,
        "several columns of one name: 'age'. Rename",
    ),
    "columns named by numbers": (lambda t: {**t, 7: t["age"]}, sr.TableError, "are not: 7. Rename"),
    "lazy": (pl.LazyFrame, sr.TableError, "LazyFrame was given.*collected first"),
    "rows as a list": (lambda t: pa.table(t).to_pylist(), sr.TableError, "a list was given"),
}


# polars warns that it looks up the names of a lazy frame.
@pytest.mark.filterwarnings("ignore::polars.exceptions.PerformanceWarning")
@pytest.mark.parametrize("wrong", VIEWS)
@pytest.mark.parametrize("later", [False, True], ids=["first view", "later view"])
def test_publisher__refuses_a_bad_view_and_names_nobody(
    make_publisher, schema, table, sticky, wrong, later
):
    attributes = [sr.Numeric("age"), sr.Categorical("gender", ["F", "M"])]
    schema = sr.Schema("name", attributes, schema.sensitive)
    publisher = make_publisher(adversary=sr.Adversary(sequence=sticky), schema=schema)
    if later:
        publisher.publish(table, at=1)
    tamper, kind, part = VIEWS[wrong]
    view = tamper(table)
    error = refused(lambda: publisher.publish(view, at=2))
    assert isinstance(error, kind)
    with pytest.raises(kind, match=f"(?s){part}"):
        raise error
    assert_names_nobody(error, table["name"])


@pytest.mark.parametrize("kind", [dict, pd.DataFrame], ids=["mapping", "pandas"])
@pytest.mark.parametrize(
    "cells", [[1, *["DIARY"] * 7], [["DIARY"]] * 8, [None] * 8, [{}, 2.5, *["DIARY"] * 6]], ids=repr
)
def test_publisher__never_looks_at_a_column_without_a_role(make_publisher, table, kind, cells):
    expected = make_publisher().publish(table, at=1).to_arrow()
    release = make_publisher().publish(kind({**table, "diary": cells}), at=1)
    assert release.to_arrow().equals(expected)


@pytest.mark.parametrize("at", [None, NAN, {}, np.array([1, 2]), 1j], ids=repr)
@pytest.mark.parametrize("later", [False, True], ids=["first release", "later release"])
def test_publisher__refuses_an_instant_without_before_and_after(make_publisher, table, at, later):
    publisher = make_publisher()
    if later:
        publisher.publish(table, at=1)
    error = refused(lambda: publisher.publish(table, at=at))
    with pytest.raises(sr.OrderError, match="is no instant: it has no before and after"):
        raise error
    assert_names_nobody(error, table["name"])


@pytest.mark.parametrize(
    ("at", "part"),
    [(1, "already reaches 1"), (0, "give a later instant"), ("2", "one kind of instant")],
)
def test_publisher__refuses_an_instant_out_of_order(make_publisher, table, at, part):
    publisher = make_publisher()
    publisher.publish(table, at=1)
    error = refused(lambda: publisher.publish(table, at=at))
    with pytest.raises(sr.OrderError, match=part):
        raise error
    assert_names_nobody(error, table["name"])


def test_publisher__refuses_ids_that_change_their_kind(make_publisher, table, sticky):
    publisher = make_publisher(adversary=sr.Adversary(sequence=sticky))
    publisher.publish(table, at=1)
    error = refused(lambda: publisher.publish({**table, "name": list(range(8))}, at=2))
    with pytest.raises(
        sr.OrderError, match=r"were texts in earlier .* numbers now.*one kind of id"
    ):
        raise error
    assert_names_nobody(error, table["name"])


def test_publisher__refuses_a_k_larger_than_the_view(make_publisher, table):
    error = refused(lambda: make_publisher(sr.KAnonymity(k=9)).publish(table, at=1))
    expected = (
        r"No group of the 8 tuples.*nothing was published"
        r".*KAnonymity\(k=9\) fails: 8 tuples, 1 off.*smaller k"
    )
    with pytest.raises(sr.UnsatisfiableError, match=f"(?s){expected}"):
        raise error
    assert_names_nobody(error, table["name"])


def test_publisher__says_which_part_of_a_policy_fails(make_publisher, table):
    requirement = sr.KAnonymity(k=2) & sr.DistinctLDiversity(l=2)
    same = {**table, "exam": ["pos"] * 8}
    error = refused(lambda: make_publisher(requirement).publish(same, at=1))
    expected = r"k=2\) holds: 8 tuples, 6 to spare.*DistinctLDiversity\(l=2\) fails: 1 value"
    with pytest.raises(sr.UnsatisfiableError, match=f"(?s){expected}"):
        raise error
    assert_names_nobody(error, table["name"])


@pytest.mark.parametrize(
    "requirement",
    [
        sr.KAnonymity(k=4),
        sr.TCloseness(t=0) & sr.KAnonymity(k=4),
        sr.JSBound(j=0) & sr.KAnonymity(k=4),
    ],
    ids=str,
)
def test_publisher__publishes_a_view_with_one_sensitive_value(make_publisher, table, requirement):
    same = {**table, "exam": ["pos"] * 8}
    frame = make_publisher(requirement).publish(same, at=1).to_frame()
    assert frame["exam"] == ["pos"] * 8


def test_publisher__publishes_a_view_with_one_value_of_each_quasi_identifier(make_publisher, table):
    same = {**table, "age": [51] * 8, "gender": ["F"] * 8}
    release = make_publisher().publish(same, at=1)
    assert (set(release.to_frame()["age"]), set(release.to_frame()["gender"])) == ({"51"}, {"F"})
    assert sr.global_certainty_penalty(release) == 0.0


def test_publisher__publishes_a_domain_of_one_value(make_publisher, schema, table):
    exam = sr.Sensitive("exam", ["pos"], ordered=True)
    schema = sr.Schema("name", schema.quasi_identifiers, exam)
    publisher = make_publisher(sr.TCloseness(t=0, distance="ordered"), schema=schema)
    publisher.publish({**table, "exam": ["pos"] * 8}, at=1)
    assert publisher.latest.posterior.probabilities.tolist() == [[1.0]] * 8


def test_publisher__publishes_everyone_alone_under_k_1(make_publisher, table):
    release = make_publisher(sr.KAnonymity(k=1)).publish(table, at=1)
    assert release.sizes.tolist() == [1] * 8


def test_publisher__publishes_a_single_respondent_where_k_is_1(make_publisher, table):
    one = {name: column[:1] for name, column in table.items()}
    frame = make_publisher(sr.KAnonymity(k=1)).publish(one, at=1).to_frame()
    assert frame == {"group": [1], "age": ["51"], "gender": ["F"], "exam": ["pos"]}


def prior_of(ids, **options):
    table = {"respondent": ids, "value": ["pos"] * len(ids), "probability": [1.0] * len(ids)}
    return sr.TabulatedPrior.from_table(table, **options)


KNOWLEDGE = {
    "a prior that does not know everyone": (
        lambda ids: prior_of(ids[:5]),
        r"no row for 3 respondents, at row positions 5, 6, 7",
    ),
    "a class table that covers nobody": (
        lambda ids: sr.ClassPrior.from_table(
            {"age": ["0-9"], "value": ["pos"], "probability": [1.0]}, classes=["age"]
        ),
        "8 respondents belong to no class.*Add a class that covers them",
    ),
    "a class table that covers somebody twice": (
        lambda ids: sr.ClassPrior.from_table(
            {"age": ["*", "70-73"], "value": ["pos"] * 2, "probability": [1.0] * 2},
            classes=["age"],
        ),
        "4 respondents belong to several classes.*positions 4, 5, 6, 7 .*disjoint",
    ),
    "a prior that knows people by number": (
        lambda ids: prior_of(list(range(8))),
        "names respondents as int64, the view as string. Use one kind",
    ),
    "a prior of values that are not there": (
        lambda ids: sr.MarginalPrior({"posi": 1.0}),
        r"outside the sensitive domain: 'posi'.*Did you mean 'pos'\?",
    ),
}


@pytest.mark.parametrize("wrong", KNOWLEDGE)
def test_publisher__refuses_bad_knowledge_and_names_nobody(make_publisher, table, wrong):
    make, part = KNOWLEDGE[wrong]
    publisher = make_publisher(adversary=sr.Adversary(prior=make(table["name"])))
    error = refused(lambda: publisher.publish(table, at=1))
    with pytest.raises(sr.KnowledgeError, match=part):
        raise error
    assert_names_nobody(error, table["name"])


def test_tabulated_prior__that_knows_people_by_name_names_nobody_to_a_view_of_numbers(
    make_publisher, table, ids
):
    publisher = make_publisher(adversary=sr.Adversary(prior=prior_of(ids)))
    error = refused(lambda: publisher.publish({**table, "name": list(range(8))}, at=1))
    with pytest.raises(sr.KnowledgeError, match=r"as string, the view as int64\. Use one kind"):
        raise error
    assert_names_nobody(error, ids)


@pytest.mark.parametrize(
    ("name", "cell", "part"),
    [("age", "0-60", "4 respondents belong to no class"), ("zipp", "*", "Classes go by 'zipp'")],
)
def test_classes__are_checked_before_the_first_release(make_publisher, table, name, cell, part):
    known = {name: [cell], "given": ["pos"], "next": ["pos"], "probability": [1.0]}
    knowledge = sr.DomainKnowledge.from_table(known, classes=[name])
    publisher = make_publisher(adversary=sr.Adversary(sequence=knowledge))
    with pytest.raises(sr.KnowledgeError, match=part):
        publisher.publish(table, at=1)
    assert len(publisher.history) == 0


@pytest.mark.parametrize(
    ("column", "cell", "part"),
    [
        ("respondent", None, "'respondent' has 1 missing value.* position 1 "),
        ("value", None, "'value' has 1 missing value.* position 1 "),
        ("probability", None, "NaN, negative or larger ones at row position 1 "),
        ("probability", NAN, "NaN, negative or larger ones at row position 1 "),
        ("probability", 0.5, r"sums to 0\.5"),
        ("probability", -1.0, "NaN, negative or larger ones at row position 1 "),
        ("probability", 2.0, "NaN, negative or larger ones at row position 1 "),
    ],
)
def test_tabulated_prior__refuses_bad_rows_and_names_nobody(ids, column, cell, part):
    table = {"respondent": list(ids), "value": ["pos"] * 8, "probability": [1.0] * 8}
    table[column][1] = cell
    error = refused(lambda: sr.TabulatedPrior.from_table(table))
    with pytest.raises(sr.SeriatimError, match=part):
        raise error
    assert_names_nobody(error, ids)


def test_tabulated_prior__refuses_two_rows_for_one_value_and_names_nobody(ids):
    error = refused(lambda: prior_of([ids[0], ids[1], ids[0]]))
    with pytest.raises(sr.KnowledgeError, match=r"two probabilities in one .* position 0"):
        raise error
    assert_names_nobody(error, ids)


def test_membership__that_does_not_fit_names_nobody(make_publisher, table):
    publisher = make_publisher()
    publisher.publish(table, at=1)
    made = publisher.latest
    wrong = sr.Membership(made.view, np.zeros(8, dtype=int))
    error = refused(lambda: sr.Adversary().observe(made.release, wrong))
    assert type(error) is sr.OrderError
    assert_names_nobody(error, table["name"])
