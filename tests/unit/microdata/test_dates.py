import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.microdata import Interval

DAY = dt.date(1984, 3, 12)
CODE = (DAY - dt.date(1970, 1, 1)).days
BORN = sr.Date("born", "1900", "2025")


def code(text):
    return float((dt.date.fromisoformat(text) - dt.date(1970, 1, 1)).days)


def texts(attribute, *groups):
    column = pa.array([dt.date.fromisoformat(day) for group in groups for day in group])
    attribute = attribute.resolve(column)
    starts = np.cumsum([0, *map(len, groups)])
    return attribute.cover(attribute.encode(column), starts).text.to_pylist()


@pytest.mark.parametrize(
    ("days", "written"),
    [
        (["1984-03-12", "1984-03-12"], "1984-03-12"),
        (["1984-03-12", "1984-03-01"], "1984-03"),
        (["1984-03-12", "1984-01-31"], "1984-Q1"),
        (["1984-03-12", "1984-04-01"], "1984"),
        (["1984-03-12", "1980-12-31"], "[1980,1984]"),
        (["1969-12-31", "1969-10-01"], "1969-Q4"),
        (["1969-12-31", "1970-01-01"], "[1969,1970]"),
    ],
)
def test_date__writes_the_finest_unit_around_a_group(days, written):
    assert texts(sr.Date("born"), days) == [written]


@pytest.mark.parametrize(
    ("levels", "written"),
    [
        (("year",), ["1984", "1984-03-12", "[1984,1985]"]),
        (("month",), ["1984-03", "1984-03-12", "[1984-03,1985-02]"]),
        (("quarter",), ["1984-Q1", "1984-03-12", "[1984-Q1,1985-Q1]"]),
        ("quarter", ["1984-Q1", "1984-03-12", "[1984-Q1,1985-Q1]"]),
        (("year", "month"), ["1984-03", "1984-03-12", "[1984,1985]"]),
        ((), ["[1984-03-01,1984-03-12]", "1984-03-12", "[1984-03-12,1985-02-01]"]),
    ],
)
def test_date__goes_up_by_the_levels_it_has(levels, written):
    groups = (["1984-03-12", "1984-03-01"], ["1984-03-12"], ["1984-03-12", "1985-02-01"])
    assert texts(sr.Date("born", levels=levels), *groups) == written


@pytest.mark.parametrize(
    "column",
    [
        pa.array([DAY], pa.date32()),
        pa.array([DAY], pa.date64()),
        pa.array([np.datetime64("1984-03-12T23:59", "ns")]),
        pa.array([np.datetime64("1984-03-12", "s")]),
        pa.array(["1984-03-12"]),
        pa.array(["1984-03-12T23:59:00"]),
        pa.array(["1984-03-12 23:59"]),
    ],
    ids=str,
)
def test_date__reads_dates_timestamps_and_iso_texts_by_their_day(column):
    assert sr.Date("born").encode(column).tolist() == [CODE]


def test_date__reads_the_day_before_1970_of_a_timestamp():
    column = pa.array([np.datetime64("1969-12-31T23:59", "us")])
    assert sr.Date("born").encode(column).tolist() == [-1.0]


def test_date__reads_a_timestamp_in_its_own_time_zone():
    late = dt.datetime(1984, 3, 11, 23, 30, tzinfo=dt.UTC)
    column = pa.array([late], pa.timestamp("us", tz="Europe/Rome"))
    assert sr.Date("born").encode(column).tolist() == [CODE]


@pytest.mark.parametrize(
    ("form", "text"),
    [("%d.%m.%Y", "12.03.1984"), ("%d.%m.%Y", "12.3.1984"), ("%m/%d/%Y", "03/12/1984")],
)
def test_date__reads_texts_of_another_form(form, text):
    born = sr.Date("born", form=form)
    assert born.encode(pa.array([text])).tolist() == [CODE]
    assert born.parse(text) == Interval(CODE, CODE)
    assert born.parse(f"[{text},1984-04]") == Interval(CODE, code("1984-04-30"))


def test_date__reads_a_unit_of_a_release_as_such_whatever_its_form():
    year = Interval(code("1984-01-01"), code("1984-12-31"))
    assert sr.Date("born", form="%Y").parse("1984") == year
    assert sr.Date("born", form="%Y-%d-%m").parse("1984-03-12") == Interval(CODE, CODE)


@pytest.mark.parametrize("secret", ["12.03.1984", "19840312", "1984-3-12", "1984-02-30", "", "x"])
def test_date__refuses_texts_that_are_not_iso_and_shows_none(secret):
    part = r"1 of them are no ISO dates.*at row position 1 .*form=\"%d\.%m\.%Y\""
    with pytest.raises(sr.TableError, match=part) as refusal:
        sr.Date("born").encode(pa.array(["1984-03-12", secret]))
    assert refusal.value.__cause__ is refusal.value.__context__ is None
    assert repr(secret) not in str(refusal.value)


def test_date__refuses_texts_that_are_not_of_its_form():
    with pytest.raises(sr.TableError, match=r"2 of them are no dates of the form '%d.%m.%Y'"):
        sr.Date("born", form="%d.%m.%Y").encode(pa.array(["1984-03-12", "40.1.1984"]))


@pytest.mark.parametrize("column", [pa.array([1984]), pa.array([dt.time(1, 2)]), pa.array([True])])
def test_date__refuses_columns_without_dates(column):
    with pytest.raises(sr.SchemaError, match=r"'born' should hold dates and holds .*Numeric"):
        sr.Date("born").encode(column)


def test_date__refuses_missing_days():
    with pytest.raises(sr.TableError, match=r"'born' has 1 missing value.*row position 1 "):
        sr.Date("born").encode(pa.array([DAY, None]))


def test_date__refuses_days_that_four_digits_cannot_write():
    column = pa.array([0, 4_000_000], pa.int32()).cast(pa.date32())
    with pytest.raises(sr.TableError, match=r"1 day.* outside the years 1 to 9999, at row pos"):
        sr.Date("born").encode(column)


def test_date__takes_dates_timestamps_texts_and_units_for_its_ends():
    ends = dt.date(1900, 1, 1), dt.date(2025, 12, 31)
    assert (BORN.first, BORN.last) == ends
    assert sr.Date("born", *ends) == BORN
    assert sr.Date("born", dt.datetime(1900, 1, 1, 23, tzinfo=dt.UTC), "2025-12-31") == BORN
    assert sr.Date("born", pd.Timestamp("1900-01-01"), "2025-Q4") == BORN


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"first": "1900"}, "'born' needs both ends of its range, or neither"),
        ({"last": "1900"}, "'born' needs both ends of its range, or neither"),
        ({"first": "1900", "last": "soon"}, "range of 'born' is two dates, such as"),
        ({"first": 1900, "last": 2000}, "range of 'born' is two dates, such as"),
        ({"first": "1901", "last": "1900"}, "'born' has no range from 1901 to 1900"),
        ({"levels": ("week",)}, "levels 'week'; possible are 'month', 'quarter', 'year'"),
    ],
)
def test_date__refuses_a_description_that_is_none(options, part):
    with pytest.raises(sr.SchemaError, match=part):
        sr.Date("born", **options)


def test_date__reads_its_range_off_the_data_and_widens_it():
    first = sr.Date("born").resolve(pa.array(["1984-03-12", "1990-01-01"]))
    later = first.resolve(pa.array(["1980-05-06"])).resolve(pa.array(["1985-01-01"]))
    assert (later.first, later.last) == (dt.date(1980, 5, 6), dt.date(1990, 1, 1))
    assert later.open
    assert later.public() == sr.Date("born")


def test_date__keeps_a_declared_range_closed():
    resolved = BORN.resolve(pa.array([DAY]))
    assert (resolved, resolved.open, resolved.public()) == (BORN, False, BORN)
    with pytest.raises(sr.TableError, match=r"1 day\(s\) outside the range from 1900") as refusal:
        BORN.resolve(pa.array([DAY, dt.date(1899, 11, 7)]))
    assert "1899-11-07" not in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("1984-03-12", "1984-03-12", "1984-03-12"),
        (DAY, "1984-03-12", "1984-03-12"),
        (" 1984-02 ", "1984-02-01", "1984-02-29"),
        ("1984-Q1", "1984-01-01", "1984-03-31"),
        ("1984-Q4", "1984-10-01", "1984-12-31"),
        ("1984", "1984-01-01", "1984-12-31"),
        (1984, "1984-01-01", "1984-12-31"),
        ("[1980,1984]", "1980-01-01", "1984-12-31"),
        ("[ 1980 , 1984 ]", "1980-01-01", "1984-12-31"),
        ("[1980-01-02,1981-05-06]", "1980-01-02", "1981-05-06"),
        ("[1980-02,1980-Q2]", "1980-02-01", "1980-06-30"),
        ("[1980,1985[", "1980-01-01", "1984-12-31"),
        ("(1979,1985)", "1980-01-01", "1984-12-31"),
        ("1980..1984", "1980-01-01", "1984-12-31"),
        ("1980-01-02/1984", "1980-01-02", "1984-12-31"),
        ("9999", "9999-01-01", "9999-12-31"),
    ],
)
def test_date__parses_days_units_and_runs(text, first, last):
    assert sr.Date("born").parse(text) == Interval(code(first), code(last))


def test_date__reads_a_star_as_all_days():
    assert sr.Date("born").parse("*") == Interval(-np.inf, np.inf)
    assert BORN.measure(BORN.parse("*")) == (1.0, 1.0)


@pytest.mark.parametrize("text", ["[1980,1980[", "[1980,x]", "1980-1984-1990", "[,]"])
def test_date__refuses_runs_without_a_day(text):
    with pytest.raises(sr.KnowledgeError, match=r"no day or unit of the calendar for 'born'"):
        sr.Date("born").parse(text)


@pytest.mark.parametrize(
    "text",
    ["", "spring", "1984-13", "1984-Q5", "84", "0000", "1984-02-30", "[1984,1980]", "[1980]", "/"],
)
def test_date__refuses_text_that_is_no_unit(text):
    with pytest.raises(sr.KnowledgeError, match=r"no day or unit of the calendar for 'born'"):
        sr.Date("born").parse(text)


def test_date__measures_units_by_their_days():
    year = sr.Date("born", "1981-01-01", "1981-12-31")
    column = pa.array(["1981-03-01", "1981-03-09", "1981-03-01", "1981-05-01"])
    cover = year.cover(year.encode(column), np.array([0, 1, 2, 4]))
    assert cover.text.to_pylist() == ["1981-03-01", "1981-03-09", "1981"]
    assert cover.extents.tolist() == cover.penalties.tolist() == [0.0, 0.0, 1.0]
    assert year.measure(year.parse("1981-01")) == (30 / 364, 30 / 364)


def test_date__never_measures_more_than_the_domain():
    week = sr.Date("seen", "1984-03-12", "1984-03-18")
    cover = week.cover(week.encode(pa.array(["1984-03-12", "1984-03-13"])), np.array([0, 2]))
    assert (cover.text.to_pylist(), cover.extents.tolist()) == (["1984-03"], [1.0])


def test_date__of_one_day_has_no_extent():
    born = sr.Date("born").resolve(pa.array([DAY, DAY]))
    cover = born.cover(born.encode(pa.array([DAY, DAY])), np.array([0, 2]))
    assert (cover.extents.tolist(), born.steps) == ([0.0], 1)
    assert born.spread(np.array([float(CODE)])).tolist() == [0.0]


def test_date__stretches_its_range_over_the_unit_interval():
    days = sr.Date("seen", "1970-01-01", "1970-01-05")
    assert days.spread(np.array([0.0, 1.0, 4.0])).tolist() == [0.0, 0.25, 1.0]
    assert days.distance(np.array([0.0, 4.0]), np.array([2.0, 1.0])).tolist() == [0.5, 0.75]


@pytest.mark.parametrize(
    ("attribute", "steps"),
    [(sr.Date("x", "1984", "1984"), 366), (sr.Date("x", "0001", "9999"), 2**16)],
)
def test_date__tells_days_apart_on_the_grid(attribute, steps):
    assert attribute.steps == steps


@pytest.mark.parametrize("ask", [lambda born: born.steps, lambda born: born.spread(np.zeros(1))])
def test_date__needs_a_range_before_it_is_asked_about_it(ask):
    with pytest.raises(sr.SchemaError, match=r"domain of 'born' is not known. Declare it"):
        ask(sr.Date("born"))


@pytest.mark.parametrize("kind", ["text", "arrow", "pandas"])
def test_date__is_published_and_read_back(kind):
    days = [f"198{number % 4}-0{1 + number % 3}-11" for number in range(12)]
    table = {"id": list(range(12)), "born": days, "exam": ["neg", "pos"] * 6}
    if kind == "arrow":
        table["born"] = pa.array(days).cast(pa.date32())
    if kind == "pandas":
        table = pd.DataFrame(table).assign(born=pd.to_datetime(days))
    schema = sr.Schema("id", [sr.Date("born")], sr.Sensitive("exam", ["neg", "pos"]))
    publisher = sr.Publisher(schema, sr.Policy(sr.KAnonymity(k=3)), sr.Adversary(), seed=1)
    release = publisher.publish(table, at=1)
    roster = sr.Roster.from_table(table, schema)
    assert len(release) == 12
    assert sum(group.region.contains(roster).sum() for group in release.groups) >= 12
    again = sr.read_release(release.to_frame(), schema, at=1)
    assert sorted(again.covers[0].text.to_pylist()) == sorted(release.covers[0].text.to_pylist())
