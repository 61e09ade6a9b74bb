"""The work of a release, counted: rows handed to compiled loops, statements, bytes.

Time depends on the machine and on what else it does; counts do not. What is bound here was
counted when it was written down; less is better.
"""

import collections
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.kernels import _jit, stretches
from seriatim.publish import duckdb_store

ROWS_A_TUPLE = 14.3
"""Rows that compiled loops go over for each tuple of a view, all loops together; those over
groups count as the tuples in them."""

STATEMENTS = 31
"""What a store is asked and told for one release, whatever its size."""

BYTES_A_TUPLE = 700
"""The peak of memory for each tuple, with 19 values (a row of beliefs has 152 bytes)."""


def series(size, releases):
    """Views of a pool of which half attends, with 19 values that stay or move."""
    rng = np.random.default_rng(4)
    people = np.arange(2 * size)
    age, value = 20 + people % 60, rng.integers(0, 19, 2 * size)
    tables = []
    for _ in range(releases):
        here = np.sort(rng.permutation(2 * size)[:size])
        value = np.where(rng.random(2 * size) < 0.7, value, rng.integers(0, 19, 2 * size))
        columns = {"who": people[here], "age": age[here], "value": value[here]}
        tables.append(pa.table(columns))
    return tables


def publisher(store=None):
    values = tuple(range(19))
    rows = np.full((19, 19), 0.3 / 19) + 0.7 * np.eye(19)
    automaton = sr.Automaton(values, rows, np.tile(np.arange(19), (19, 1)))
    schema = sr.Schema("who", [sr.Numeric("age", 20, 79)], sr.Sensitive("value", values))
    policy = sr.js_reduce(k=10, t=0.6, j=0.8)
    return sr.Publisher(schema, policy, sr.Adversary(sequence=automaton), store=store, seed=1)


@pytest.fixture
def counted(monkeypatch):
    """Count the rows of every compiled loop, by its name."""
    rows = collections.Counter()
    run = {
        (_jit, "over_ranges"): int,
        (stretches, "over_stretches"): int,
        (stretches, "over_groups"): lambda starts: int(starts[-1]),
    }
    for (module, name), rows_of in run.items():
        original = getattr(module, name)

        def counting(work, extent, *arrays, _original=original, _rows_of=rows_of):
            rows[work.__name__] += _rows_of(extent)
            _original(work, extent, *arrays)

        monkeypatch.setattr(module, name, counting)
    return rows


@pytest.fixture
def statements(monkeypatch):
    """Count what a store is asked and told."""
    asked = collections.Counter()
    for name in ("_run", "_rows", "table", "insert"):
        original = getattr(duckdb_store.DuckDBStore, name)

        def counting(self, *given, _original=original, _name=name, **named):
            asked[_name] += 1
            return _original(self, *given, **named)

        monkeypatch.setattr(duckdb_store.DuckDBStore, name, counting)
    return asked


def test_rows__are_few_for_each_tuple(counted):
    going = publisher()
    *before, last = series(2000, 3)
    for at, view in enumerate(before):
        going.publish(view, at=at)
    counted.clear()
    going.publish(last, at=9)
    assert sum(counted.values()) <= ROWS_A_TUPLE * 2000, counted


def test_rows__are_no_more_after_many_releases(counted):
    going, work = publisher(), []
    for at, view in enumerate(series(1000, 12)):
        counted.clear()
        going.publish(view, at=at)
        work.append(sum(counted.values()))
    assert max(work[8:]) <= 1.02 * max(work[4:8])


def test_statements__do_not_depend_on_the_size_of_a_view(statements, tmp_path):
    found = []
    for size in (500, 4000):
        with sr.DuckDBStore(tmp_path / f"{size}.store") as store:
            going = publisher(store)
            first, second = series(size, 2)
            going.publish(first, at=1)
            statements.clear()
            going.publish(second, at=2)
            found.append(dict(statements))
    assert found[0] == found[1]
    assert sum(found[0].values()) <= STATEMENTS


def test_memory__is_bound_by_the_tuples():
    going, size = publisher(), 30_000
    *before, last = series(size, 3)
    for at, view in enumerate(before):
        going.publish(view, at=at)
    tracemalloc.start()
    going.prepare(last, at=9)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= BYTES_A_TUPLE * size
