"""What the watch measures in one pass over groups, and whom it follows, beside the slow way."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seriatim.inference.sights import Panel
from seriatim.kernels.gains import counted_in_groups, gains_beyond_counting, true_entries
from seriatim.kernels.totals import count_values
from seriatim.measure.disclosure import gain_over

N_VALUES = 4
codes = st.integers(0, N_VALUES - 1)


@st.composite
def releases(draw):
    """Published values by group, the groups' members, and what is true and believed of each."""
    members = draw(st.lists(st.lists(codes, max_size=5), min_size=1, max_size=5))
    nobodys = draw(st.lists(codes, min_size=1, max_size=len(members)))
    published = [
        draw(st.permutations([*own, *nobodys[group : group + 1]]))
        for group, own in enumerate(members)
        if own or group < len(nobodys)
    ]
    members = [own for group, own in enumerate(members) if own or group < len(nobodys)]
    people = sum(map(len, members))
    rows = draw(st.permutations(range(people)))
    believed = draw(st.lists(st.floats(0, 1), min_size=people, max_size=people))
    truth = np.empty(people, np.int64)
    truth[rows] = [code for own in members for code in own]
    return published, members, np.array(rows, np.int64), truth, np.array(believed)


def bounds(groups):
    return np.cumsum([0, *map(len, groups)])


def flat(groups):
    return np.array([code for group in groups for code in group], np.int64)


@given(releases())
def test_gains__in_one_pass_are_those_of_shares_counted_one_by_one(drawn):
    published, members, rows, truth, believed = drawn
    found = np.empty(len(rows))
    gains_beyond_counting(
        0,
        len(published),
        bounds(published),
        flat(published),
        bounds(members),
        rows,
        truth,
        believed,
        N_VALUES,
        found,
    )
    shares = [
        group.count(code) / len(group)
        for group, own in zip(published, members, strict=True)
        for code in own
    ]
    assert found.tolist() == gain_over(believed[rows], np.array(shares)).tolist()


@given(releases(), st.data())
def test_shares__of_some_pairs_are_counted_one_by_one(drawn, data):
    published = drawn[0]
    pair = st.tuples(st.integers(0, len(published) - 1), codes)
    pairs = data.draw(st.lists(pair, min_size=1))
    groups, values = (np.array(column) for column in zip(*pairs, strict=True))
    found = np.empty(len(pairs))
    counted_in_groups(0, len(pairs), groups, values, bounds(published), flat(published), found)
    assert found.tolist() == [
        published[group].count(code) / len(published[group]) for group, code in pairs
    ]


@given(releases())
def test_values__of_groups_are_counted_one_by_one(drawn):
    published = drawn[0]
    found = np.zeros((len(published), N_VALUES), np.int64)
    count_values(0, len(published), bounds(published), flat(published), found)
    assert found.tolist() == [
        [group.count(code) for code in range(N_VALUES)] for group in published
    ]


@given(
    st.lists(
        st.tuples(codes, st.dictionaries(codes, st.floats(0, 1)), st.booleans()),
        min_size=1,
        max_size=8,
    )
)
def test_truth__is_believed_as_its_entry_says_and_impossible_without_one(people):
    entries = [list(told.items()) for _, told, _ in people]
    beliefs = [
        belief if known else np.nan for (_, told, known) in people for belief in told.values()
    ]
    again, believed = np.empty(len(people), bool), np.empty(len(people))
    true_entries(
        0,
        len(people),
        bounds(entries),
        np.array([code for own in entries for code, _ in own], np.int32),
        np.array(beliefs, float),
        np.array([truth for truth, _, _ in people]),
        again,
        believed,
    )
    assert again.tolist() == [known and bool(told) for _, told, known in people]
    expected = [
        told.get(truth, 0.0) if known or truth not in told else np.nan
        for truth, told, known in people
    ]
    assert np.array_equal(believed, expected, equal_nan=True)


@given(
    st.lists(
        st.tuples(st.integers(0, 99) | st.integers(0, 2**64 - 1), st.booleans()),
        unique_by=lambda one: one[0],
        max_size=30,
    ),
    st.integers(1, 12),
)
def test_panel__has_the_least_numbers_of_those_who_are_seen(people, most):
    numbers = np.array([number for number, _ in people], np.uint64)
    seen = np.array([there for _, there in people], bool)
    panel = Panel.of(numbers, seen, most)
    expected = sorted(number for number, there in people if there)
    assert panel.numbers.tolist() == expected[:most]
    assert numbers[panel.rows].tolist() == expected[:most]
    assert panel.limit == (2**64 - 1 if len(expected) <= most else expected[most - 1])
