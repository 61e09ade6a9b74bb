"""The shape of a column, against counting it row by row."""

import datetime as dt
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seriatim.microdata.shape import shape_of
from seriatim.microdata.tables import read_table

CELLS = st.none() | st.sampled_from([f"v{number}" for number in range(20)])


@given(st.lists(CELLS, min_size=1, max_size=80), st.randoms())
def test_shape__of_texts_counts_the_most_frequent(cells, rng):
    found = shape_of(read_table({"x": [*cells, "v0"]}), "x")
    counts = Counter(cell for cell in [*cells, "v0"] if cell is not None)
    expected = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:12]
    assert [(bar.label, bar.count) for bar in found.bars] == expected
    assert found.distinct == len(counts)
    assert found.missing == cells.count(None)
    assert found.others + sum(bar.count for bar in found.bars) == counts.total()
    shuffled = [*cells, "v0"]
    rng.shuffle(shuffled)
    assert shape_of(read_table({"x": shuffled}), "x") == found


@given(st.lists(st.none() | st.integers(-50, 50), min_size=1, max_size=80))
def test_shape__of_numbers_is_a_histogram_of_all_of_them(cells):
    found = shape_of(read_table({"x": [*cells, 7]}), "x")
    numbers = [cell for cell in [*cells, 7] if cell is not None]
    assert sum(bar.count for bar in found.bars) == len(numbers)
    assert (float(found.low), float(found.high)) == (min(numbers), max(numbers))
    assert len(found.bars) <= 24


def test_shape__of_dates_tells_its_ends_as_dates():
    days = [dt.date(2026, 1, 1), dt.date(2026, 3, 1)]
    found = shape_of(read_table({"x": days}), "x")
    assert (found.low, found.high, found.type) == ("2026-01-01", "2026-03-01", "dates")


def test_shape__without_spread_tells_no_value():
    found = shape_of(read_table({"x": ["SECRET-1", "SECRET-2"]}), "x", spread=False)
    assert "SECRET" not in repr(found)
    assert found.distinct == 2


def test_shape__of_nothing_has_no_bars():
    assert shape_of(read_table({"x": [None, None]}), "x").bars == ()


@pytest.mark.parametrize(
    ("cells", "bars"),
    [
        ([5, 5], [("5", 2)]),
        ([dt.date(2020, 1, 1)], [("2020-01-01", 1)]),
        ([10**16, 10**16 + 2], [("1e+16", 2)]),
        ([1.0, 1.0000000000000002], [("1", 2)]),
    ],
)
def test_shape__of_numbers_that_hardly_differ_is_one_bar(cells, bars):
    found = shape_of(read_table({"x": cells}), "x")
    assert [(bar.label, bar.count) for bar in found.bars] == bars


def test_shape__of_the_widest_range_counts_both_ends():
    found = shape_of(read_table({"x": [-1.7e308, 1.7e308, 1.7e308]}), "x")
    assert (found.bars[0].count, found.bars[-1].count) == (1, 2)
