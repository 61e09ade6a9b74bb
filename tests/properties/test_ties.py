"""The secret order among people who share their quasi-identifiers."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import seriatim as sr
from seriatim.partition import tie_order

SCHEMA = sr.Schema("id", [sr.Numeric("x", 0, 9)], sr.Sensitive("value", (0, 1)))
REFERENCE = {0: 0x726FDB47DD0E0E31, 15: 0xA129CA6149BE45E5, 63: 0x958A324CEB064572}
"""Published with SipHash: key 00 01 … 0f, message 00 01 … of so many bytes."""

ids = st.lists(st.text(max_size=20), min_size=1, max_size=8, unique=True)
secrets = st.binary(min_size=1, max_size=40)


def compiled(messages, key):
    from seriatim.kernels.siphash import siphash

    data = np.frombuffer(b"".join(messages), dtype=np.uint8)
    offsets = np.cumsum([0, *map(len, messages)])
    hashes = np.empty(len(messages), dtype=np.uint64)
    siphash(0, len(messages), data, offsets, np.frombuffer(key, dtype=np.uint64), hashes)
    return hashes.tolist()


def ties_of(respondents, secret, x=None):
    """The number of each respondent, by name."""
    table = {"id": respondents, "x": [0] * len(respondents) if x is None else x}
    roster = sr.Roster.from_table(table, SCHEMA)
    return dict(
        zip(roster.respondents.to_pylist(), tie_order(roster, secret).tolist(), strict=True)
    )


@pytest.mark.parametrize("length", REFERENCE)
def test_siphash__is_the_published_one(length):
    key, message = bytes(range(16)), bytes(range(length))
    assert oracles.siphash(message, key) == REFERENCE[length]
    assert compiled([message], key) == [REFERENCE[length]]


@given(
    st.lists(st.binary(max_size=40) | st.binary(min_size=250, max_size=270), min_size=1),
    st.binary(min_size=16, max_size=16),
)
def test_siphash__equals_its_twin_text_by_text(messages, key):
    assert compiled(messages, key) == [oracles.siphash(message, key) for message in messages]


@given(ids, secrets)
def test_ties__are_a_keyed_hash_of_the_id(respondents, secret):
    expected = {respondent: oracles.tie(respondent, secret) for respondent in respondents}
    assert ties_of(respondents, secret) == expected


@given(ids, ids, secrets, st.data())
def test_ties__are_the_same_for_a_respondent_in_any_roster(present, others, secret, data):
    crowd = data.draw(st.permutations(sorted({*present, *others})))
    x = data.draw(st.lists(st.integers(0, 9), min_size=len(crowd), max_size=len(crowd)))
    among_others = ties_of(crowd, secret, x)
    assert ties_of(present, secret).items() <= among_others.items()


@given(ids, secrets)
def test_ties__of_some_rows_of_a_roster_are_the_same(respondents, secret):
    table = {"id": respondents, "x": [0] * len(respondents)}
    roster = sr.Roster.from_table(table, SCHEMA)
    every_other = np.arange(0, len(roster), 2)
    found = tie_order(roster.take(every_other), secret)
    assert found.tolist() == tie_order(roster, secret)[every_other].tolist()
    # A slice of an arrow array begins in the middle of its buffers.
    late = sr.Roster(roster.schema, roster.respondents[1:], roster.points[1:], roster.positions[1:])
    assert tie_order(late, secret).tolist() == tie_order(roster, secret)[1:].tolist()


@given(
    st.lists(st.integers(0, 127), min_size=1, max_size=8, unique=True),
    st.sampled_from(["int8", "uint16", "int32", "uint64", "string", "large_string", "dictionary"]),
    secrets,
)
def test_ties__of_numbers_do_not_depend_on_how_wide_they_are_stored(numbers, kind, secret):
    wide = pa.array(numbers, pa.int64())
    texts = wide.cast(pa.string())
    column = texts.dictionary_encode() if kind == "dictionary" else wide.cast(getattr(pa, kind)())
    found = {str(name): tie for name, tie in ties_of(column, secret).items()}
    assert found == {str(name): tie for name, tie in ties_of(wide, secret).items()}


def test_ties__order_people_anew_under_another_secret():
    people = [f"person {number}" for number in range(50)]
    one, other = ties_of(people, b"one"), ties_of(people, b"other")
    assert not set(one.values()) & set(other.values())
    assert sorted(people, key=one.get) != sorted(people, key=other.get)
    assert sorted(people, key=one.get) != people
