import numpy as np
import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.microdata import CodeSet

WARD = sr.Categorical("ward", ["A", "B", "C", "D"])
STARTS = np.array([0, 2, 4, 7])
VALUES = ["B", "B", "C", "A", "A", "D", "B"]


def test_categorical__writes_sets_in_the_order_of_the_domain():
    cover = WARD.cover(WARD.encode(pa.array(VALUES)), STARTS)
    assert cover.text().to_pylist() == ["B", "{A,C}", "{A,B,D}"]


def test_categorical__penalizes_by_share_of_the_domain():
    cover = WARD.cover(WARD.encode(pa.array(VALUES)), STARTS)
    assert cover.penalties.tolist() == [0.0, 0.5, 0.75]


def test_categorical__measures_extents_by_other_values():
    cover = WARD.cover(WARD.encode(pa.array(VALUES)), STARTS)
    assert cover.extents.tolist() == [0.0, 1 / 3, 2 / 3]


def test_categorical__gives_the_set_of_each_group():
    cover = WARD.cover(WARD.encode(pa.array(VALUES)), STARTS)
    assert [cover.part(group).codes for group in range(3)] == [{1}, {0, 2}, {0, 1, 3}]


def test_categorical__reads_its_domain_off_the_data_in_sorted_order():
    assert sr.Categorical("ward").resolve(pa.array(["C", "A", "C"])).values == ("A", "C")


def test_categorical__keeps_a_declared_domain():
    assert WARD.resolve(pa.array(["C"])).values == ("A", "B", "C", "D")


@pytest.mark.parametrize(
    ("values", "written"),
    [([3, 1, 3], "{1,3}"), ([True, False, True], "{False,True}"), (["F", "F", "F"], "F")],
)
def test_categorical__takes_any_plain_values(values, written):
    ward = sr.Categorical("ward").resolve(pa.array(values))
    cover = ward.cover(ward.encode(pa.array(values)), np.array([0, 3]))
    assert cover.text().to_pylist() == [written]


def test_categorical__of_one_value_has_no_extent_and_no_penalty():
    only = sr.Categorical("ward", ["A"])
    cover = only.cover(np.zeros(2), np.array([0, 2]))
    assert (cover.extents.tolist(), cover.penalties.tolist()) == ([0.0], [0.0])
    assert only.spread(np.zeros(1)).tolist() == [0.0]


def test_categorical__stretches_two_values_over_the_whole_side():
    assert sr.Categorical("gender", ["F", "M"]).spread(np.array([0.0, 1.0])).tolist() == [0, 1]


@pytest.mark.parametrize("text", ["A", "{A,B}", "{A,C,D}"])
def test_categorical__describes_what_it_parses(text):
    assert WARD.describe(WARD.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "codes"), [("*", {0, 1, 2, 3}), (" { D , A } ", {0, 3}), ("{B}", {1})]
)
def test_categorical__parses_sets(text, codes):
    assert WARD.parse(text) == CodeSet(frozenset(codes))


def test_categorical__prefers_a_value_to_the_set_it_looks_like():
    odd = sr.Categorical("ward", ["{A,B}", "A", "B"])
    assert odd.parse("{A,B}") == CodeSet(frozenset({0}))


@pytest.mark.parametrize("text", ["E", "{A,E}", "[A,B]"])
def test_categorical__refuses_categories_that_it_does_not_have(text):
    with pytest.raises(sr.KnowledgeError, match=r"is no value of 'ward'; possible are 'A', 'B'"):
        WARD.parse(text)


def test_categorical__refuses_values_outside_its_domain_by_position():
    with pytest.raises(sr.TableError, match=r"'ward' has 2 value.*positions 0, 2.*'E', 'F'"):
        WARD.encode(pa.array(["F", "A", "E"]))


@pytest.mark.parametrize(
    ("values", "part"), [([], "declares no values"), (["A", "B", "A"], "values twice: 'A'")]
)
def test_categorical__refuses_a_domain_that_is_empty_or_repeats(values, part):
    with pytest.raises(sr.SchemaError, match=part):
        sr.Categorical("ward", values)


def test_categorical__needs_a_domain_before_it_encodes():
    with pytest.raises(sr.SchemaError, match="domain of 'ward' is not known"):
        sr.Categorical("ward").encode(pa.array(["A"]))
