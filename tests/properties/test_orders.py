"""Sorting packed words is sorting by columns."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seriatim.microdata.orders import order_of_ids, sorted_order


@st.composite
def tables(draw):
    length = draw(st.integers(0, 40))
    bits = draw(st.lists(st.integers(1, 40), min_size=1, max_size=3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    few = draw(st.booleans())
    columns = [rng.integers(0, 3 if few else 2**width, length) for width in bits]
    return columns, rng


def twin(columns, ties):
    rows = range(len(columns[0]))
    return sorted(rows, key=lambda row: (*(int(one[row]) for one in columns), int(ties[row]), row))


@given(tables())
def test_order__without_ties_is_that_of_the_columns_and_keeps_equals_as_they_are(table):
    columns, _ = table
    nothing = np.zeros(len(columns[0]))
    assert sorted_order(*columns).tolist() == twin(columns, nothing)


@given(tables(), st.sampled_from([1, 4, 30, 64]))
def test_order__goes_by_every_digit_of_the_ties(table, bits):
    columns, rng = table
    ties = rng.integers(0, 2**bits - 1, len(columns[0]), dtype=np.uint64, endpoint=True)
    assert sorted_order(*columns, ties=ties).tolist() == twin(columns, ties)


@given(st.integers(1, 44), st.integers(1, 20), st.booleans(), st.integers(0, 2**32))
def test_order__of_many_rows_is_the_same(first, second, with_ties, seed):
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 2**bits, 2**14 + 3) for bits in (first, second)]
    ties = rng.integers(0, 2**60, 2**14 + 3, dtype=np.uint64) if with_ties else None
    keys = (*(() if ties is None else (ties,)), *columns[::-1])
    assert (sorted_order(*columns, ties=ties) == np.lexsort(keys)).all()


@given(
    st.lists(st.integers(-40, 40), min_size=1, max_size=30, unique=True),
    st.integers(-(2**62), 2**62),
    st.sampled_from([1, 2, 4, 9]),
)
def test_ids__in_order_are_those_that_sorting_gives(few, least, spread):
    steps = 100 * spread * np.arange(2**14 // len(few) + 1)
    ids = (least + steps[:, None] + np.array(few)).ravel()
    found = order_of_ids(np.random.default_rng(7).permutation(ids))
    if found is None:
        assert ids.max() - ids.min() >= 4 * len(ids)
        return
    order, in_order = found
    assert in_order.tolist() == sorted(ids.tolist())
    assert np.random.default_rng(7).permutation(ids)[order].tolist() == in_order.tolist()


def test_ids__that_are_few_far_or_repeated_are_sorted_otherwise():
    many = np.arange(2**14)
    assert order_of_ids(many) is not None
    assert order_of_ids(many[1:]) is None
    assert order_of_ids(many * 5) is None
    assert order_of_ids(np.r_[many, 7]) is None
