import numpy as np
import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.microdata import Interval

STARTS = np.array([0, 2, 4])


def texts(attribute, numbers, starts=STARTS):
    column = pa.array(numbers)
    attribute = attribute.resolve(column)
    return attribute.cover(attribute.encode(column), starts).text().to_pylist()


@pytest.mark.parametrize(
    ("numbers", "written"),
    [
        ([51, 51, 51, 52], ["51", "[51,52]"]),
        ([52, 51, 70, 71], ["[51,52]", "[70,71]"]),
        ([51.0, 51.0, 51.0, 52.0], ["51", "[51,52]"]),
        ([0.25, 0.5, 1.5, 1.5], ["[0.25,0.5]", "1.5"]),
        ([-7, -3, -3, 4], ["[-7,-3]", "[-3,4]"]),
        ([-0.5, -0.25, 2.0, 2.0], ["[-0.5,-0.25]", "2"]),
        ([0, 0, 0, 0], ["0", "0"]),
    ],
)
def test_numeric__writes_an_interval_or_the_one_number(numbers, written):
    assert texts(sr.Numeric("age"), numbers) == written


def test_numeric__encodes_numbers_as_themselves():
    assert sr.Numeric("age").encode(pa.array([51, -2, 0])).tolist() == [51.0, -2.0, 0.0]


def test_numeric__takes_decimals_for_numbers():
    column = pa.array([1.5, 2.25]).cast(pa.decimal128(5, 2))
    assert sr.Numeric("dose").encode(column).tolist() == [1.5, 2.25]


def test_numeric__reads_its_range_off_the_data_where_undeclared():
    resolved = sr.Numeric("age").resolve(pa.array([52, 49, 70]))
    assert (resolved.low, resolved.high, resolved.integral) == (49, 70, True)


def test_numeric__keeps_a_declared_bound_and_reads_the_other():
    resolved = sr.Numeric("age", low=0).resolve(pa.array([49, 70]))
    assert (resolved.low, resolved.high) == (0, 70)


def test_numeric__measures_extents_against_the_declared_range():
    age = sr.Numeric("age", 0, 100)
    cover = age.cover(np.array([50.0, 60.0, 70.0, 70.0]), STARTS)
    assert cover.extents.tolist() == [0.1, 0.0]
    assert cover.penalties.tolist() == [0.1, 0.0]


def test_numeric__with_one_value_everywhere_has_no_extent():
    age = sr.Numeric("age").resolve(pa.array([51, 51]))
    cover = age.cover(np.array([51.0, 51.0]), np.array([0, 2]))
    assert cover.extents.tolist() == [0.0]
    assert age.spread(np.array([51.0])).tolist() == [0.0]
    assert age.steps == 1


def test_numeric__stretches_its_range_over_the_unit_interval():
    age = sr.Numeric("age", -10, 10)
    assert age.spread(np.array([-10.0, 0.0, 10.0])).tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize(
    ("attribute", "steps"),
    [
        (sr.Numeric("age", 0, 99), 100),
        (sr.Numeric("age", 0, 10**9), 2**16),
        (sr.Numeric("dose", 0, 1, integral=False), 2**16),
    ],
)
def test_numeric__tells_whole_numbers_apart_on_the_grid(attribute, steps):
    assert attribute.steps == steps


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("51", 51, 51),
        (51, 51, 51),
        (" 51 ", 51, 51),
        ("45-54", 45, 54),
        ("45–54", 45, 54),
        ("45..54", 45, 54),
        ("[45,54]", 45, 54),
        ("[ 45 , 54 ]", 45, 54),
        ("-5", -5, -5),
        ("[-5,-3]", -5, -3),
        ("-5--3", -5, -3),
        ("[-5,3]", -5, 3),
        ("0.5-1.5", 0.5, 1.5),
        ("1e3", 1000, 1000),
        ("*", -np.inf, np.inf),
    ],
)
def test_numeric__parses_numbers_and_intervals(text, low, high):
    assert sr.Numeric("age").parse(text) == Interval(low, high)


@pytest.mark.parametrize("text", ["old", "", "5-", "[1,2,3]", "nan", "1;2"])
def test_numeric__refuses_text_that_is_no_interval(text):
    with pytest.raises(sr.KnowledgeError, match=r"no number or interval of 'age'.*45-54"):
        sr.Numeric("age").parse(text)


@pytest.mark.parametrize("text", ["51", "[45,54]", "-5", "[-7,-5]", "[-5,3]"])
def test_numeric__describes_what_it_parses(text):
    age = sr.Numeric("age", -10, 100)
    assert age.describe(age.parse(text)) == text


@pytest.mark.parametrize("text", ["0.25", "[0.25,0.5]", "[-1.5,-0.25]"])
def test_numeric__describes_the_fractions_it_parses(text):
    dose = sr.Numeric("dose", -2, 2, integral=False)
    assert dose.describe(dose.parse(text)) == text


@pytest.mark.parametrize(("low", "high"), [(10, 5), (0, np.inf), (np.nan, 1)])
def test_numeric__refuses_a_range_that_is_none(low, high):
    with pytest.raises(sr.SchemaError, match="'age' has no range from"):
        sr.Numeric("age", low, high)


@pytest.mark.parametrize("numbers", [[50, 101], [-1, 50]])
def test_numeric__refuses_numbers_outside_its_declared_range(numbers):
    with pytest.raises(sr.TableError, match=r"outside \[0, 100\], at row position \d"):
        sr.Numeric("age", 0, 100).resolve(pa.array(numbers))


@pytest.mark.parametrize("column", [pa.array(["51"]), pa.array([True]), pa.array([[1]])])
def test_numeric__refuses_columns_without_numbers(column):
    with pytest.raises(sr.SchemaError, match=r"'age' should hold numbers and holds .*Categorical"):
        sr.Numeric("age").encode(column)


@pytest.mark.parametrize("ask", [lambda age: age.steps, lambda age: age.spread(np.zeros(1))])
def test_numeric__needs_a_range_before_it_is_asked_about_it(ask):
    with pytest.raises(sr.SchemaError, match=r"domain of 'age' is not known. Declare it"):
        ask(sr.Numeric("age"))
