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
    assert cover.text.to_pylist() == ["B", "{A,C}", "{A,B,D}"]


def test_categorical__penalizes_by_share_of_the_domain():
    cover = WARD.cover(WARD.encode(pa.array(VALUES)), STARTS)
    assert cover.penalties.tolist() == [0.0, 0.5, 0.75]


def test_categorical__measures_extents_by_other_values():
    cover = WARD.cover(WARD.encode(pa.array(VALUES)), STARTS)
    assert cover.extents.tolist() == [0.0, 1 / 3, 2 / 3]


def test_categorical__reads_back_the_set_of_each_group():
    written = WARD.cover(WARD.encode(pa.array(VALUES)), STARTS).text.to_pylist()
    assert [WARD.parse(text).codes for text in written] == [{1}, {0, 2}, {0, 1, 3}]


@pytest.mark.parametrize(
    "label",
    ["a,b", "{c}", "c}", "[c,d]", "*", "", " c", "c ", 'a"b', '"', "c*", "a, b", "é,ü", "{c,d}"],
)
def test_categorical__reads_back_sets_of_values_with_special_characters(label):
    ward = sr.Categorical("ward", [label, "c", "a", "b", "d"])
    alone, among_others, others = ward.cover(
        np.array([0.0, 0.0, 1.0, 0.0, 2.0, 1.0, 4.0]), np.array([0, 2, 5, 7])
    ).text.to_pylist()
    assert ward.parse(alone) == CodeSet(frozenset({0}))
    assert ward.parse(among_others) == CodeSet(frozenset({0, 1, 2}))
    assert ward.parse(others) == CodeSet(frozenset({1, 4}))


def test_categorical__puts_special_values_alone_and_in_sets_in_quotes():
    ward = sr.Categorical("ward", ["Rovereto, TN", "Trento"])
    cover = ward.cover(np.array([0.0, 0.0, 1.0]), np.array([0, 1, 3]))
    assert cover.text.to_pylist() == ['"Rovereto, TN"', '{"Rovereto, TN",Trento}']


def test_categorical__takes_a_special_value_without_quotes_in_a_class_table():
    ward = sr.Categorical("ward", ["a", "Rovereto, TN"])
    assert ward.parse("Rovereto, TN") == CodeSet(frozenset({1}))


def test_categorical__reads_its_domain_off_the_data_in_sorted_order():
    assert sr.Categorical("ward").resolve(pa.array(["C", "A", "C"])).values == ("A", "C")


def test_categorical__keeps_a_declared_domain():
    resolved = WARD.resolve(pa.array(["C"]))
    assert (resolved.values, resolved.open) == (("A", "B", "C", "D"), False)


def test_categorical__widens_a_domain_read_off_data_and_never_shrinks_it():
    first = sr.Categorical("ward").resolve(pa.array(["C", "B"]))
    later = first.resolve(pa.array(["A", "C"])).resolve(pa.array(["B"]))
    assert (later.values, later.open) == (("B", "C", "A"), True)
    assert (
        later.encode(pa.array(["B", "C"])).tolist() == first.encode(pa.array(["B", "C"])).tolist()
    )


def test_categorical__gives_its_declared_form_back():
    read_off = sr.Categorical("ward").resolve(pa.array(["SECRET"]))
    assert read_off.public() == sr.Categorical("ward")
    assert WARD.resolve(pa.array(["A"])).public() == WARD


@pytest.mark.parametrize(
    ("values", "written"),
    [([3, 1, 3], "{1,3}"), ([True, False, True], "{False,True}"), (["F", "F", "F"], "F")],
)
def test_categorical__takes_any_plain_values(values, written):
    ward = sr.Categorical("ward").resolve(pa.array(values))
    cover = ward.cover(ward.encode(pa.array(values)), np.array([0, 3]))
    assert cover.text.to_pylist() == [written]


def test_categorical__of_one_value_has_no_extent_and_no_penalty():
    only = sr.Categorical("ward", ["A"])
    cover = only.cover(np.zeros(2), np.array([0, 2]))
    assert (cover.extents.tolist(), cover.penalties.tolist()) == ([0.0], [0.0])
    assert only.spread(np.zeros(1)).tolist() == [0.0]


def test_categorical__stretches_two_values_over_the_whole_side():
    assert sr.Categorical("gender", ["F", "M"]).spread(np.array([0.0, 1.0])).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("text", "codes"), [("*", {0, 1, 2, 3}), (" {D, A} ", {0, 3}), ("{B}", {1})]
)
def test_categorical__parses_sets(text, codes):
    assert WARD.parse(text) == CodeSet(frozenset(codes))


def test_categorical__tells_a_value_from_the_set_it_looks_like():
    odd = sr.Categorical("ward", ["{A,B}", "A", "B"])
    value, pair = odd.cover(np.array([0.0, 1.0, 2.0]), np.array([0, 1, 3])).text.to_pylist()
    assert (value, pair) == ('"{A,B}"', "{A,B}")
    assert odd.parse(value) == CodeSet(frozenset({0}))
    assert odd.parse(pair) == CodeSet(frozenset({1, 2}))


@pytest.mark.parametrize("text", ["E", "{A,E}", "[A,B]"])
def test_categorical__refuses_categories_that_it_does_not_have(text):
    with pytest.raises(sr.KnowledgeError, match=r"is no value of 'ward'; possible are 'A', 'B'"):
        WARD.parse(text)


def test_categorical__refuses_values_outside_its_domain_by_name_and_position():
    possible = r"'ward' has 2 value.*: 'E', 'F', at .* 0, 2 .*Possible are 'A', 'B', 'C', 'D'"
    with pytest.raises(sr.TableError, match=possible):
        WARD.encode(pa.array(["F", "A", "E"]))


@pytest.mark.parametrize(
    ("values", "part"),
    [
        ([], "declares no values"),
        (["A", "B", "A"], "values that read the same: 'A'"),
        ([1, "1"], "values that read the same: '1'"),
    ],
)
def test_categorical__refuses_a_domain_that_is_empty_or_repeats(values, part):
    with pytest.raises(sr.SchemaError, match=part):
        sr.Categorical("ward", values)


def test_categorical__needs_a_domain_before_it_encodes():
    with pytest.raises(sr.SchemaError, match="domain of 'ward' is not known"):
        sr.Categorical("ward").encode(pa.array(["A"]))
