"""Domains read off data: they widen, never shrink, and change nothing that was said before."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import seriatim as sr
from strategies import EXAMS, GRADES, hospital_schema, hospital_tables, labels

UNDECLARED = sr.Schema(
    "id",
    [
        sr.Numeric("age"),
        sr.Categorical("gender"),
        sr.Ordinal("grade", GRADES),
        sr.Hierarchical("zip", mask="prefix"),
    ],
    sr.Sensitive("exam", EXAMS),
)
COLUMNS = ("id", "age", "gender", "grade", "zip", "exam")


def permuted(table, order):
    return {name: [column[row] for row in order] for name, column in table.items()}


def digest(table, schema=UNDECLARED):
    return sr.View.from_table(table, schema).digest()


@given(hospital_tables(least=2, most=12), st.data())
def test_digest__is_the_same_in_whatever_order_rows_arrive(table, data):
    order = data.draw(st.permutations(range(len(table["id"]))))
    assert digest(permuted(table, order)) == digest(table)


@given(hospital_tables(least=2, most=12), hospital_tables(least=2, most=12))
def test_digest__is_the_same_after_a_domain_has_widened(table, later):
    assert digest(table, UNDECLARED.resolve(later).resolve(table)) == digest(table)
    assert digest(table, UNDECLARED.resolve(table).resolve(later)) == digest(table)
    assert digest(table, hospital_schema()) == digest(table)


@given(hospital_tables(least=1, most=8), st.sampled_from(COLUMNS), st.data())
def test_digest__is_another_when_any_cell_changes(table, column, data):
    row = data.draw(st.integers(0, len(table["id"]) - 1))
    possible = {
        "id": st.integers(100, 200),
        "age": st.integers(0, 99),
        "gender": st.sampled_from("FMX"),
        "grade": st.sampled_from(GRADES),
        "zip": st.sampled_from(["12030", "99", "1"]),
        "exam": st.sampled_from(EXAMS),
    }[column]
    cell = data.draw(possible.filter(lambda cell: cell != table[column][row]))
    changed = table | {column: [*table[column][:row], cell, *table[column][row + 1 :]]}
    assert digest(changed) != digest(table)
    assert digest(changed, UNDECLARED.resolve(table)) != digest(table)


@given(hospital_tables(least=3, most=8), st.sampled_from(COLUMNS[1:]), st.data())
def test_digest__is_another_when_two_people_swap_cells(table, column, data):
    first, second = data.draw(st.permutations(range(len(table["id"]))))[:2]
    assume(table[column][first] != table[column][second])
    swapped = [*table[column]]
    swapped[first], swapped[second] = swapped[second], swapped[first]
    assert digest(table | {column: swapped}) != digest(table)


values = st.lists(st.sampled_from(["F", "M", "X", "a,b", "*", "", "zz", "A"]), min_size=1)
columns = st.lists(values, min_size=1, max_size=5)


@given(columns)
def test_growing_domain__of_a_categorical_never_changes_a_code(drawn):
    attribute, codes = sr.Categorical("x"), {}
    for column in drawn:
        attribute = attribute.resolve(pa.array(column))
        assert attribute.open
        assert set(column) <= set(attribute.values)
        now = dict(zip(attribute.values, range(attribute.steps), strict=True))
        assert codes.items() <= now.items()
        assert attribute.encode(pa.array(column)).tolist() == [now[value] for value in column]
        codes = now
    assert set(codes) == {value for column in drawn for value in column}


numbers = st.integers(-99, 99) | st.integers(-99, 99).map(lambda number: number / 4)


@given(st.lists(st.lists(numbers, min_size=1), min_size=1, max_size=5))
def test_growing_domain__of_a_number_is_the_range_of_all_that_was_seen(drawn):
    attribute, seen = sr.Numeric("x"), []
    for column in drawn:
        attribute = attribute.resolve(pa.array(column))
        seen += column
        assert (attribute.low, attribute.high) == (min(seen), max(seen))
    assert attribute.public() == sr.Numeric("x")


@given(columns)
def test_growing_domain__of_a_mask_keeps_every_leaf(drawn):
    drawn = [[value.replace("*", "star") or "none" for value in column] for column in drawn]
    attribute, seen = sr.Hierarchical("x", mask="prefix"), set()
    for column in drawn:
        attribute = attribute.resolve(pa.array(column))
        seen |= set(column)
        assert set(attribute.leaves) == seen
    assert attribute.public() == sr.Hierarchical("x", mask="prefix")


@given(labels(), st.data())
def test_declared_domain__stays_closed(domain, data):
    stranger = data.draw(st.text("xy", min_size=1))
    inside = pa.array(data.draw(st.lists(st.sampled_from(domain), min_size=1)))
    for attribute in (sr.Categorical("x", domain), sr.Ordinal("x", domain)):
        assert attribute.resolve(inside) == attribute
        with pytest.raises(sr.TableError, match="outside its domain"):
            attribute.resolve(pa.array([stranger])).encode(pa.array([stranger]))


@given(st.lists(st.lists(numbers, min_size=2, max_size=6), min_size=2, max_size=4), st.booleans())
def test_series__goes_on_whether_numbers_are_whole_or_not(drawn, is_declared):
    age = sr.Numeric("age", -99, 99) if is_declared else sr.Numeric("age")
    schema = sr.Schema("id", [age], sr.Sensitive("exam", EXAMS))
    publisher = sr.Publisher(schema, sr.Policy(sr.KAnonymity(k=2)), sr.Adversary(), seed=1)
    for at, ages in enumerate(drawn):
        table = {"id": list(range(len(ages))), "age": ages, "exam": [EXAMS[0]] * len(ages)}
        release = publisher.publish(table, at=at)
        assert release.schema == schema
    assert publisher.history.instants == tuple(range(len(drawn)))


@given(st.lists(hospital_tables(least=4, most=12), min_size=2, max_size=4))
def test_series__widens_its_domains_and_never_shows_them(tables):
    store = sr.MemoryStore()
    publisher = sr.Publisher(
        UNDECLARED, sr.Policy(sr.KAnonymity(k=2)), sr.Adversary(), store=store, seed=1
    )
    for at, table in enumerate(tables):
        release = publisher.publish(table, at=at)
        so_far = {
            name: [cell for shown in tables[: at + 1] for cell in shown[name]] for name in COLUMNS
        }
        age, gender, _, postcode = store.schema.quasi_identifiers
        assert (age.low, age.high) == (min(so_far["age"]), max(so_far["age"]))
        assert set(gender.values) == set(so_far["gender"])
        assert set(postcode.leaves) == set(so_far["zip"])
        assert release.schema == UNDECLARED
        assert store.last_instant == at


@given(hospital_tables(least=4, most=12), hospital_tables(least=4, most=12))
def test_place_on_the_curve__is_the_same_with_whoever_else_came_by_once(table, visitors):
    """What a domain has become does not shrink back when its widest values are absent."""
    widened = UNDECLARED.resolve_roster(table).resolve_roster(visitors)
    alone = sr.Roster.from_table(table, widened)
    both = {name: [*table[name], *visitors[name]] for name in COLUMNS}
    both["id"] = [*table["id"], *(1000 + one for one in visitors["id"])]
    together = sr.Roster.from_table(both, widened)
    spread = [
        np.column_stack(
            [
                attribute.spread(roster.points[:, axis])
                for axis, attribute in enumerate(roster.schema.quasi_identifiers)
            ]
        )
        for roster in (alone, together)
    ]
    assert (spread[0] == spread[1][: len(alone)]).all()
