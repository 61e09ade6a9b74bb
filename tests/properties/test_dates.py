"""Days in units of the calendar: against the slow twin, and laid over rosters."""

import datetime as dt
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracles_dates
import seriatim as sr
from seriatim.partition import generalize
from strategies import as_partition, partitions

FIRST, LAST = dt.date(1968, 1, 1), dt.date(1973, 12, 31)
SPELLS = st.one_of(
    st.dates(FIRST, LAST),
    st.dates(dt.date(1969, 12, 1), dt.date(1970, 2, 28)),
    st.sampled_from([dt.date(1972, 2, 29), dt.date(1970, 1, 1), dt.date(1969, 12, 31)]),
)
LEVELS = st.sampled_from(
    [levels for size in range(4) for levels in combinations(oracles_dates.UNITS, size)]
)
EVERY_DAY = [FIRST + dt.timedelta(days=day) for day in range((LAST - FIRST).days + 1)]


def grouped(days):
    return st.lists(st.lists(days, min_size=1, max_size=4), min_size=1, max_size=5)


def covered(attribute, groups):
    column = pa.array([day for group in groups for day in group], pa.date32())
    attribute = attribute.resolve(column)
    return attribute, attribute.cover(attribute.encode(column), np.cumsum([0, *map(len, groups)]))


@given(grouped(SPELLS), LEVELS)
def test_units__equal_their_twins_and_read_back_as_what_they_hold(groups, levels):
    twins = [oracles_dates.calendar_unit(group, FIRST, LAST, levels) for group in groups]
    attribute, found = covered(sr.Date("x", FIRST, LAST, levels=levels), groups)
    assert found.text.to_pylist() == [twin.text for twin in twins]
    assert found.extents == pytest.approx([twin.extent for twin in twins], abs=1e-12)
    assert found.penalties == pytest.approx([twin.penalty for twin in twins], abs=1e-12)
    codes = attribute.encode(pa.array(EVERY_DAY))
    for text, twin in zip(found.text.to_pylist(), twins, strict=True):
        part = attribute.parse(text)
        assert part.contains(codes).tolist() == [twin.holds(day) for day in EVERY_DAY]
        assert attribute.measure(part) == pytest.approx((twin.extent, twin.penalty), abs=1e-12)


@example([[dt.date.min, dt.date.max], [dt.date.max], [dt.date.min]], ("month",))
@given(grouped(st.dates()), LEVELS)
def test_units__of_any_days_equal_their_twins(groups, levels):
    every = [day for group in groups for day in group]
    twins = [oracles_dates.calendar_unit(group, min(every), max(every), levels) for group in groups]
    _, found = covered(sr.Date("x", levels=levels), groups)
    assert found.text.to_pylist() == [twin.text for twin in twins]
    assert found.extents == pytest.approx([twin.extent for twin in twins], abs=1e-12)


@given(grouped(SPELLS), LEVELS)
def test_units__hold_their_members_and_no_finer_one_does(groups, levels):
    attribute, found = covered(sr.Date("x", FIRST, LAST, levels=levels), groups)
    for text, group in zip(found.text.to_pylist(), groups, strict=True):
        part = attribute.parse(text)
        assert part.contains(attribute.encode(pa.array(group))).all()
        finer = [
            oracles_dates.unit_around(day, level) for day in group for level in attribute.levels
        ]
        for unit in finer:
            holds_all = all(unit.first <= day <= unit.last for day in group)
            shorter = (unit.last - unit.first).days < part.high - part.low
            assert not (holds_all and shorter)


@given(grouped(SPELLS), st.lists(SPELLS, max_size=4))
def test_price__in_a_range_read_off_data_is_what_the_release_itself_shows(groups, unseen):
    attribute, alone = covered(sr.Date("x"), groups)
    wider = attribute.resolve(pa.array(unseen)) if unseen else attribute
    column = pa.array([day for group in groups for day in group])
    among = wider.cover(wider.encode(column), np.cumsum([0, *map(len, groups)]))
    assert among.extents.tolist() == alone.extents.tolist()
    assert among.text == alone.text


@given(st.lists(st.lists(SPELLS, min_size=1), min_size=1, max_size=5))
def test_growing_domain__of_a_date_is_the_range_of_all_that_was_seen(drawn):
    attribute, seen = sr.Date("x"), []
    for column in drawn:
        attribute = attribute.resolve(pa.array(column))
        seen += column
        assert (attribute.first, attribute.last) == (min(seen), max(seen))
        codes = attribute.spread(attribute.encode(pa.array(column)))
        assert ((codes >= 0) & (codes <= 1)).all()
    assert attribute.public() == sr.Date("x")


@given(st.lists(SPELLS, min_size=1), st.sampled_from(["%d.%m.%Y", "%Y%m%d", "%m/%d/%Y"]))
def test_codes__are_the_same_however_days_are_written(days, form):
    plain = sr.Date("x").encode(pa.array(days)).tolist()
    assert plain == [(day - dt.date(1970, 1, 1)).days for day in days]
    written = pa.array([day.strftime(form) for day in days])
    assert sr.Date("x", form=form).encode(written).tolist() == plain
    for column in (
        pa.array([day.isoformat() for day in days]),
        pa.array(days, pa.date64()),
        pa.array([np.datetime64(day, "s") + np.timedelta64(86_399, "s") for day in days]),
    ):
        assert sr.Date("x").encode(column).tolist() == plain


@given(st.lists(SPELLS, min_size=2, max_size=10), st.lists(SPELLS, min_size=1), st.data())
def test_region__holds_exactly_those_whose_day_lies_in_it(days, others, data):
    schema = sr.Schema("id", [sr.Date("born")], sr.Sensitive("exam", ["neg"]))
    table = {"id": list(range(len(days))), "born": days, "exam": ["neg"] * len(days)}
    view = sr.View.from_table(table, schema)
    *groups, left = data.draw(partitions(len(view)))
    release, membership = generalize(
        view, as_partition(groups, left), at=1, rng=np.random.default_rng(0)
    )
    roster = sr.Roster.from_table({"id": list(range(len(others))), "born": others}, schema)
    for number, group in enumerate(release.groups):
        members = np.flatnonzero(membership.group_of == number)
        twin = oracles_dates.calendar_unit([days[row] for row in members], min(days), max(days))
        assert group.region.contains(view)[members].all()
        assert group.region.contains(roster).tolist() == [twin.holds(day) for day in others]
