import numpy as np
import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.microdata import Interval

STARTS = np.array([0, 2, 4])


def texts(attribute, numbers, starts=STARTS):
    column = pa.array(numbers)
    attribute = attribute.resolve(column)
    return attribute.cover(attribute.encode(column), starts).text.to_pylist()


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
    assert resolved.open


def test_numeric__keeps_a_declared_range():
    resolved = sr.Numeric("age", 0, 100).resolve(pa.array([49, 70]))
    assert (resolved.low, resolved.high, resolved.open) == (0, 100, False)


def test_numeric__widens_a_range_read_off_data_and_never_shrinks_it():
    first = sr.Numeric("age").resolve(pa.array([49, 70]))
    wider = first.resolve(pa.array([30, 60])).resolve(pa.array([50, 90]))
    later = wider.resolve(pa.array([55]))
    assert (later.low, later.high, later.open) == (30, 90, True)


def test_numeric__gives_its_declared_form_back():
    assert sr.Numeric("age").resolve(pa.array([49, 70])).public() == sr.Numeric("age")
    declared = sr.Numeric("age", 0, 100)
    assert declared.resolve(pa.array([49, 70])).public() == declared


@pytest.mark.parametrize("ends", [{"low": 0}, {"high": 100}])
def test_numeric__needs_both_ends_of_a_range_or_neither(ends):
    with pytest.raises(sr.SchemaError, match="'age' needs both ends of its range, or neither"):
        sr.Numeric("age", **ends)


@pytest.mark.parametrize("ends", [("0", "100"), (0, "100"), ([0], [1])])
def test_numeric__refuses_ends_that_are_no_numbers(ends):
    with pytest.raises(sr.SchemaError, match="range of 'age' is two numbers, not"):
        sr.Numeric("age", *ends)


def test_numeric__that_is_not_integral_stays_so_whatever_the_data():
    dose = sr.Numeric("dose", integral=False).resolve(pa.array([1, 4]))
    assert (dose.integral, dose.steps) == (False, 2**16)


def test_numeric__that_is_integral_gives_way_to_fractions():
    dose = sr.Numeric("dose").resolve(pa.array([1.0, 2.5]))
    assert (dose.fractions, dose.steps) == (True, 2**16)


def test_numeric__writes_large_fractions_of_numbers_as_they_are():
    first, second = texts(sr.Numeric("age"), [1e20, 2e20, 3e20, 4e20])
    age = sr.Numeric("age")
    assert (age.parse(first), age.parse(second)) == (Interval(1e20, 2e20), Interval(3e20, 4e20))


@pytest.mark.parametrize("numbers", [[1, 2**53], [-(2**53), 1], [2**60, 2**60 + 1]])
def test_numeric__refuses_whole_numbers_that_could_not_be_told_apart(numbers):
    with pytest.raises(sr.SchemaError, match=r"'age' has whole numbers of 2\*\*53 and more"):
        sr.Numeric("age").resolve(pa.array(numbers))


def test_numeric__writes_the_largest_whole_numbers_that_can_be_told_apart():
    assert texts(sr.Numeric("age"), [2**53 - 2, 2**53 - 1, 0, 0]) == [
        "[9007199254740990,9007199254740991]",
        "0",
    ]


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


@pytest.mark.parametrize("text", ["old", "", "5-", "[1,2,3]", "nan", "1;2", "54-45", "[54,45]"])
def test_numeric__refuses_text_that_is_no_interval(text):
    with pytest.raises(sr.KnowledgeError, match=r"no number or interval of 'age'.*45-54"):
        sr.Numeric("age").parse(text)


@pytest.mark.parametrize(
    "ends",
    [(51, 51), (45, 54), (-7, -5), (-5, 3), (0.25, 0.5), (-1.5, -0.25), (1e-7, 0.1), (0.1, 1e17)],
)
def test_numeric__reads_back_the_intervals_it_writes(ends):
    (text,) = texts(sr.Numeric("dose"), [float(end) for end in ends], np.array([0, 2]))
    assert sr.Numeric("dose").parse(text) == Interval(*ends)


@pytest.mark.parametrize(("low", "high"), [(10, 5), (0, np.inf), (np.nan, 1)])
def test_numeric__refuses_a_range_that_is_none(low, high):
    with pytest.raises(sr.SchemaError, match="'age' has no range from"):
        sr.Numeric("age", low, high)


@pytest.mark.parametrize("numbers", [[50, 101], [-1, 50]])
def test_numeric__refuses_numbers_outside_its_declared_range(numbers):
    with pytest.raises(sr.TableError, match=r"outside \[0, 100\], at row position \d") as refusal:
        sr.Numeric("age", 0, 100).resolve(pa.array(numbers))
    assert not any(f" {number} " in str(refusal.value) for number in (101, -1))
    assert "before the first release" in str(refusal.value)


def test_numeric__refuses_infinite_numbers_and_offers_no_wider_range():
    with pytest.raises(sr.TableError, match="1 infinite value") as refusal:
        sr.Numeric("age", 0, 100).resolve(pa.array([1.0, float("inf")]))
    assert "range" not in str(refusal.value)


@pytest.mark.parametrize("number", [np.inf, -np.inf])
def test_numeric__refuses_infinite_numbers(number):
    with pytest.raises(sr.TableError, match=r"'age' has 1 infinite value.*at row position 1 "):
        sr.Numeric("age").resolve(pa.array([50.0, number]))


@pytest.mark.parametrize("column", [pa.array(["51"]), pa.array([True]), pa.array([[1]])])
def test_numeric__refuses_columns_without_numbers(column):
    with pytest.raises(sr.SchemaError, match=r"'age' should hold numbers and holds .*Categorical"):
        sr.Numeric("age").encode(column)


@pytest.mark.parametrize("ask", [lambda age: age.steps, lambda age: age.spread(np.zeros(1))])
def test_numeric__needs_a_range_before_it_is_asked_about_it(ask):
    with pytest.raises(sr.SchemaError, match=r"domain of 'age' is not known. Declare it"):
        ask(sr.Numeric("age"))


@pytest.mark.parametrize("ends", [(-np.inf, 5), (0, np.inf), (np.nan, 5), (9, 5)])
def test_numeric__refuses_a_range_without_a_length(ends):
    with pytest.raises(sr.SchemaError, match="'age' has no range from"):
        sr.Numeric("age", *ends)
