"""Numbers in words come back as they were, whatever part of them is asked for."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seriatim.publish import DuckDBStore
from seriatim.publish.duckdb_words import Part, WordColumn, read_parts


@pytest.fixture(scope="module")
def store():
    with tempfile.TemporaryDirectory() as folder, DuckDBStore(Path(folder) / "a.duckdb") as store:
        yield store


KINDS = st.sampled_from([np.uint16, np.uint32, np.float32, np.int64])


@settings(deadline=None)
@given(
    kinds=st.lists(KINDS, min_size=1, max_size=3),
    lengths=st.lists(st.integers(0, 9), max_size=5),
    cuts=st.lists(st.tuples(st.integers(0, 45), st.integers(0, 45)), max_size=6),
)
def test_word_columns__give_back_any_parts_of_what_was_added_bit_by_bit(
    store, kinds, lengths, cuts
):
    rng = np.random.default_rng(len(lengths))
    columns, wholes = [], []
    for number, kind in enumerate(kinds):
        parts = [rng.integers(0, 2**16, length).astype(kind) for length in lengths]
        whole = np.concatenate([np.empty(0, kind), *parts])
        column = WordColumn(store, f"numbers_{number}", np.dtype(kind))
        writer = column.make()
        for part in parts:
            writer.add(part)
        writer.end()
        words = store.table(f"SELECT count(*) AS n FROM {column.table}").column("n")[0].as_py()
        assert words == -(-len(whole) * np.dtype(kind).itemsize // 8)
        columns.append(column)
        wholes.append(whole)
    asked = [
        Part(columns[turn % len(kinds)], *sorted(np.minimum(cut, sum(lengths)).tolist()))
        for turn, cut in enumerate(cuts)
    ]
    found = read_parts(store, asked)
    for column in columns:
        column.drop()
    for turn, (part, one) in enumerate(zip(asked, found, strict=True)):
        right = wholes[turn % len(kinds)][part.first : part.last]
        assert one.dtype == right.dtype
        np.testing.assert_array_equal(one, right)
