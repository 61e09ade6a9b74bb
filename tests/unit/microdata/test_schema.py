import pyarrow as pa
import pytest

import seriatim as sr

AGE, EXAM = sr.Numeric("age"), sr.Sensitive("exam")


def test_schema__lists_the_columns_with_a_role():
    schema = sr.Schema("name", [AGE, sr.Categorical("gender")], EXAM)
    assert schema.columns == ("name", "age", "gender", "exam")


def test_schema__needs_quasi_identifiers():
    with pytest.raises(sr.SchemaError, match=r"no quasi-identifiers.*Numeric\('age'\)"):
        sr.Schema("name", [], EXAM)


@pytest.mark.parametrize(
    "given", [["age"], AGE, "age", None, {"age": AGE}, [AGE, "gender"]], ids=repr
)
def test_schema__takes_a_list_of_attributes_as_quasi_identifiers(given):
    with pytest.raises(sr.SchemaError, match="quasi_identifiers is a list of attributes, such as"):
        sr.Schema("name", given, EXAM)


@pytest.mark.parametrize("given", ["exam", None, AGE], ids=repr)
def test_schema__takes_an_attribute_as_sensitive(given):
    with pytest.raises(sr.SchemaError, match="sensitive is an attribute, such as"):
        sr.Schema("name", [AGE], given)


@pytest.mark.parametrize(
    ("respondent", "attributes", "sensitive", "twice"),
    [
        ("age", [AGE], EXAM, "'age'"),
        ("name", [AGE, sr.Categorical("age")], EXAM, "'age'"),
        ("name", [AGE, sr.Categorical("exam")], EXAM, "'exam'"),
        ("exam", [AGE], EXAM, "'exam'"),
    ],
)
def test_schema__refuses_a_column_in_two_roles(respondent, attributes, sensitive, twice):
    with pytest.raises(sr.SchemaError, match=f"one role, and the schema gives several to {twice}"):
        sr.Schema(respondent, attributes, sensitive)


def test_schema__resolves_every_undeclared_domain(table):
    schema = sr.Schema("name", [AGE, sr.Categorical("gender")], EXAM).resolve(table)
    age, gender = schema.quasi_identifiers
    assert (age.low, age.high, gender.values) == (51, 73, ("F", "M"))
    assert schema.sensitive.domain == ("neg", "pos")


def test_schema__widens_undeclared_domains_and_gives_the_declared_form_back(table):
    declared = sr.Schema(
        "name", [AGE, sr.Categorical("gender")], sr.Sensitive("exam", ["neg", "pos"])
    )
    first = declared.resolve(table)
    later = first.resolve({**table, "age": [20, *table["age"][1:]], "gender": ["X"] * 8})
    age, gender = later.quasi_identifiers
    assert (age.low, age.high, gender.values) == (20, 73, ("F", "M", "X"))
    assert later.public() == first.public() == declared


def test_schema__resolves_a_roster_without_the_sensitive_column(table, schema):
    del table["exam"]
    assert schema.resolve_roster(table).quasi_identifiers[0].low == 51


@pytest.mark.parametrize(
    ("missing", "instead", "hint"),
    [
        ("age", "aage", "no column 'age'.*Did you mean 'aage'?"),
        ("gender", "gendre", "no column 'gender'.*Did you mean 'gendre'?"),
        ("exam", "exams", "no column 'exam'.*Did you mean 'exams'?"),
        ("name", "nmae", "no column 'name'.*Did you mean 'nmae'?"),
        ("gender", "xyz", "no column 'gender'; it has .*'xyz'.*[.]$"),
    ],
)
def test_schema__names_the_nearest_column_when_one_is_missing(
    table, schema, missing, instead, hint
):
    table[instead] = table.pop(missing)
    with pytest.raises(sr.SchemaError, match=hint):
        sr.View.from_table(table, schema)


@pytest.mark.parametrize("age", [AGE, sr.Numeric("age", 0, 99), sr.Date("age")])
def test_schema__reads_no_domain_off_a_table_without_rows(age):
    kind = pa.date32() if isinstance(age, sr.Date) else pa.int64()
    empty = {"name": pa.array([], pa.string()), "age": pa.array([], kind), "exam": []}
    with pytest.raises(sr.TableError, match="no rows, and no domain can be read off it"):
        sr.Schema("name", [age], EXAM).resolve(empty)
