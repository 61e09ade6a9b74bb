"""What bundles remember of people is what a plain dictionary remembers."""

import itertools
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seriatim.publish import DuckDBStore
from seriatim.publish.duckdb_bundles import NARROW, Bundles, Kind, Portion
from seriatim.publish.key_lookup import KeyLookup

KIND = Kind(
    "notes",
    {"number": np.dtype("<i8"), "entries": np.dtype("<u4")},
    {"letter": NARROW, "share": np.dtype("<f4")},
)
PEOPLE = st.lists(st.integers(0, 40), max_size=30, unique=True)


@pytest.fixture(scope="module")
def store():
    with tempfile.TemporaryDirectory() as folder, DuckDBStore(Path(folder) / "a.store") as store:
        yield store


def keep(store, bundles, people, rng, told):
    """Write something of each of some people, in a dictionary too."""
    lengths = rng.integers(0, 4, len(people))
    wide = bool(rng.random() < 0.2)
    letters = rng.integers(0, 2**20 if wide else 2**16, lengths.sum())
    shares = rng.random(lengths.sum()).astype(np.float32)
    numbers = rng.integers(0, 10**12, len(people))
    high, low = store.keys(pa.array(people, pa.int64()))
    portions, first = [], 0
    for rows in np.array_split(np.arange(len(people)), 2):
        last = first + int(lengths[rows].sum())
        columns = {"number": numbers[rows], "entries": lengths[rows].astype(np.uint32)}
        entries = {"letter": letters[first:last].astype(np.uint32), "share": shares[first:last]}
        portions.append(Portion(high[rows], low[rows], columns, entries))
        first = last
    bundles.append(portions, high, low, wide=wide)
    ends = np.cumsum(lengths)
    for person, number, end, length in zip(people, numbers, ends, lengths, strict=True):
        here = slice(end - length, end)
        told[person] = (int(number), letters[here].tolist(), shares[here].tolist())


def recalled(store, bundles, people):
    """Return what is remembered of each of some people, None for nothing."""
    answers = [None] * len(people)
    for found in bundles.find(pa.array(people, pa.int64())):
        numbers = bundles.column(found.bundle, "number")
        lengths = bundles.column(found.bundle, "entries").astype(np.int64)
        ends = np.cumsum(lengths)
        entries, shift = bundles.entries(found.bundle, 0, int(lengths.sum()), {})
        assert shift == 0
        for asked, row in zip(found.asked, found.rows, strict=True):
            here = slice(ends[row] - lengths[row], ends[row])
            letters, shares = (entries[name][here].tolist() for name in ("letter", "share"))
            assert answers[asked] is None
            answers[asked] = (int(numbers[row]), letters, shares)
    return answers


def emptied(store, bundles):
    store.set_meta("bundles of notes", b"[]")


@given(st.lists(PEOPLE.filter(bool), min_size=1, max_size=8), PEOPLE, st.integers(0, 2**32))
def test_bundles__remember_the_newest_of_everyone(store, releases, forgotten, seed):
    bundles, rng, told = Bundles(store, KIND), np.random.default_rng(seed), {}
    emptied(store, bundles)
    everyone = [*range(41), 3, 3]
    for people in releases:
        keep(store, bundles, people, rng, told)
        assert recalled(store, bundles, everyone) == [told.get(one) for one in everyone]
        sizes = [one.people for one in bundles.listed]
        assert all(old > 2 * new for old, new in itertools.pairwise(sizes))
        assert sum(sizes) <= 2 * len(told)
        assert bundles.count() == len(told)
    known = bundles.forget(KeyLookup(*store.keys(pa.array(forgotten, pa.int64()))))
    assert known.tolist() == [one in told for one in forgotten]
    left = {person: one for person, one in told.items() if person not in forgotten}
    assert recalled(store, bundles, everyone) == [left.get(one) for one in everyone]
    assert bundles.count() == len(left)
    assert sum(one.people for one in bundles.listed) >= len(left)


def test_bundles__where_everyone_comes_every_time_are_one(store):
    bundles, rng, told = Bundles(store, KIND), np.random.default_rng(1), {}
    emptied(store, bundles)
    for _ in range(5):
        keep(store, bundles, list(range(100)), rng, told)
        assert [one.people for one in bundles.listed] == [100]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40)), max_size=40),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40)), max_size=40),
)
def test_lookup__finds_the_first_row_with_a_key(keys, others):
    def words(pairs):
        return (np.array([pair[part] for pair in pairs], dtype=np.uint64) for part in (0, 1))

    lookup = KeyLookup(*words(keys))
    assert lookup.same.tolist() == [keys.index(key) for key in keys]
    found = lookup.rows_of(*words(others)).tolist()
    assert found == [keys.index(one) if one in keys else -1 for one in others]
