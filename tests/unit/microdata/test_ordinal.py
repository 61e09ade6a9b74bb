import numpy as np
import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.microdata import Interval

GRADE = sr.Ordinal("grade", ["low", "middle", "high"])
STARTS = np.array([0, 2, 4, 6])


def cover(values):
    return GRADE.cover(GRADE.encode(pa.array(values)), STARTS)


def test_ordinal__encodes_places_in_the_declared_order():
    assert GRADE.encode(pa.array(["high", "low", "middle"])).tolist() == [2.0, 0.0, 1.0]


def test_ordinal__writes_runs_in_the_declared_order():
    found = cover(["high", "low", "middle", "middle", "high", "middle"])
    assert found.text.to_pylist() == ["[low,high]", "middle", "[middle,high]"]


def test_ordinal__measures_runs_by_steps():
    found = cover(["high", "low", "middle", "middle", "high", "middle"])
    assert found.extents.tolist() == found.penalties.tolist() == [1.0, 0.0, 0.5]


def test_ordinal__keeps_its_domain_whatever_the_data():
    assert GRADE.resolve(pa.array(["low"])) is GRADE
    assert GRADE.steps == 3


def test_ordinal__of_one_value_has_no_extent():
    only = sr.Ordinal("grade", ["low"])
    assert only.cover(np.zeros(2), np.array([0, 2])).extents.tolist() == [0.0]
    assert only.spread(np.zeros(1)).tolist() == [0.0]


def test_ordinal__takes_numbers_as_values():
    stage = sr.Ordinal("stage", [1, 2, 4])
    codes = stage.encode(pa.array([4, 1]))
    assert stage.cover(codes, np.array([0, 2])).text.to_pylist() == ["[1,4]"]


@pytest.mark.parametrize(("first", "last"), [(0, 0), (1, 1), (0, 1), (0, 2), (1, 2)])
def test_ordinal__reads_back_the_runs_it_writes(first, last):
    written = GRADE.cover(np.array([last, first], dtype=float), np.array([0, 2])).text[0]
    assert GRADE.parse(written.as_py()) == Interval(first, last)


@pytest.mark.parametrize("label", ["a,b", "[c", "c]", "{c}", "*", "", " c", "c ", 'a"b', '"'])
def test_ordinal__reads_back_runs_of_values_with_special_characters(label):
    grade = sr.Ordinal("grade", ["a", label, "b"])
    runs = grade.cover(np.array([1.0, 1.0, 0.0, 1.0, 1.0, 2.0]), STARTS).text.to_pylist()
    assert [grade.parse(text) for text in runs] == [Interval(1, 1), Interval(0, 1), Interval(1, 2)]


def test_ordinal__puts_special_values_in_quotes():
    grade = sr.Ordinal("grade", ["none, or low", "high"])
    cover = grade.cover(np.array([0.0, 1.0]), np.array([0, 2]))
    assert cover.text.to_pylist() == ['["none, or low",high]']


def test_ordinal__reads_a_star_as_the_whole_domain():
    assert GRADE.parse("*") == Interval(0, 2)
    assert GRADE.parse(" [low, high] ") == Interval(0, 2)


@pytest.mark.parametrize(
    "text", ["top", "[low,top]", "{low,high}", "", "[low]", "[high,low]", "low,high"]
)
def test_ordinal__refuses_text_that_is_no_run(text):
    with pytest.raises(sr.KnowledgeError, match=r"is no value (or run )?of 'grade'"):
        GRADE.parse(text)


def test_ordinal__refuses_values_that_it_does_not_have():
    possible = (
        "'grade' has 1 value.*'top', at row position 1 .*Possible are 'low', 'middle', 'high'"
    )
    with pytest.raises(sr.TableError, match=possible):
        GRADE.encode(pa.array(["low", "top"]))


def test_ordinal__does_not_take_a_whole_number_for_the_fraction_above_it():
    with pytest.raises(sr.TableError, match="outside its domain"):
        sr.Ordinal("dose", [0.5, 1.5]).encode(pa.array([0, 1]))


def test_ordinal__is_never_open():
    assert (GRADE.open, GRADE.public()) == (False, GRADE)


@pytest.mark.parametrize(
    ("values", "part"),
    [([], "declares no values"), (["a", "b", "a"], "values that read the same: 'a'")],
)
def test_ordinal__refuses_a_domain_that_is_empty_or_repeats(values, part):
    with pytest.raises(sr.SchemaError, match=part):
        sr.Ordinal("grade", values)
