"""Numbers in words come back as they were, whatever part of them is asked for."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seriatim.publish import DuckDBStore
from seriatim.publish.duckdb_words import WordColumn


@pytest.fixture(scope="module")
def store():
    with tempfile.TemporaryDirectory() as folder, DuckDBStore(Path(folder) / "a.duckdb") as store:
        yield store


@settings(deadline=None)
@given(
    kind=st.sampled_from([np.uint16, np.uint32, np.float32, np.int64]),
    lengths=st.lists(st.integers(0, 9), max_size=5),
    data=st.data(),
)
def test_word_column__gives_back_any_part_of_what_was_added_bit_by_bit(store, kind, lengths, data):
    rng = np.random.default_rng(len(lengths))
    parts = [rng.integers(0, 2**16, length).astype(kind) for length in lengths]
    whole = np.concatenate([np.empty(0, kind), *parts])
    first = data.draw(st.integers(0, len(whole)))
    last = data.draw(st.integers(first, len(whole)))
    column = WordColumn(store, "numbers", np.dtype(kind))
    writer = column.make()
    for part in parts:
        writer.add(part)
    writer.end()
    found = column.read(first, last)
    words = store.table("SELECT count(*) AS n FROM numbers").column("n")[0].as_py()
    column.drop()
    assert found.dtype == kind
    np.testing.assert_array_equal(found, whole[first:last])
    assert words == -(-len(whole) * np.dtype(kind).itemsize // 8)
