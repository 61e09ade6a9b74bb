from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seriatim as sr
from seriatim.engines.group_records import (
    CensusTask,
    PrintTask,
    counts_as_bytes,
    group_columns,
    group_labels,
    printed,
    read_records,
    stands,
)
from seriatim.engines.inspection import Inspection, inspected
from seriatim.engines.workers import SUMMARIES, read_summaries
from seriatim.errors import InternalError

SCHEMA = sr.Schema(
    "id",
    [sr.Numeric("age", 0, 99), sr.Categorical("sex", ["F", "M"])],
    sr.Sensitive("exam", ["a", "b", "c"]),
)
KEY = b"key"
REQUIREMENT = sr.KAnonymity(2) & sr.TCloseness(0.9)

group = st.tuples(
    st.integers(0, 40),
    st.sampled_from(["F", "M", "{F,M}"]),
    st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(lambda n: sum(n) >= 2),
)
some_groups = st.lists(group, min_size=1, max_size=12)


def records(groups):
    regions = [
        pa.array([f"[{low},{low + 9}]" for low, _, _ in groups]),
        pa.array([sex for _, sex, _ in groups]),
    ]
    counts = np.array([counts for _, _, counts in groups])
    labels = group_labels(regions, counts, KEY)
    columns = {
        "label_1": labels[0].view(np.int64),
        "label_2": labels[1].view(np.int64),
        "counts": counts_as_bytes(counts),
        "region_0": regions[0],
        "region_1": regions[1],
    }
    columns |= {name: np.zeros(len(groups)) for name in group_columns(2).names[5:]}
    return pa.table(columns)


def written(groups):
    task = PrintTask(SCHEMA, CensusTask(REQUIREMENT, (), 3, 1), (0,), KEY)
    (table,) = printed(task, iter([records(groups)]))
    return table


def published(groups):
    """The same, by hand: how often each group is there, by what it shows."""
    return Counter((f"[{low},{low + 9}]", sex, tuple(counts)) for low, sex, counts in groups)


@given(some_groups, st.randoms())
def test_printed__shows_every_group_once_in_an_order_that_only_content_decides(groups, chance):
    table = written(groups)
    mixed = list(groups)
    chance.shuffle(mixed)
    assert written(mixed).equals(table)
    found = {}
    for row in table.to_pylist():
        found.setdefault(row["group"], []).append(row)
    assert sorted(found) == list(range(1, len(groups) + 1))
    shown = Counter(
        (
            rows[0]["age"],
            rows[0]["sex"],
            tuple(sum(row["exam"] == value for row in rows) for value in "abc"),
        )
        for rows in found.values()
    )
    assert shown == published(groups)


@given(some_groups)
def test_records__survive_being_written(groups):
    found = read_records(records(groups).slice(1), 3)
    assert sorted(found.counts.tolist()) == sorted(list(one[2]) for one in groups[1:])


@given(some_groups)
def test_groups_that_stand__are_those_that_hold_against_every_table(groups):
    counts = np.array([counts for _, _, counts in groups])
    tables = (tuple(counts.sum(axis=0).tolist()), (5, 3, 2))
    asked = sr.KAnonymity(3) & sr.TCloseness(0.4)
    expected = []
    for row in counts:
        share = row / row.sum()
        far = [abs(share - np.array(table) / sum(table)).sum() / 2 for table in tables]
        expected.append(row.sum() >= 3 and max(far) <= 0.4)
    assert stands(counts, asked, tables).tolist() == expected


def inspect(content, groups):
    shown = tuple(int(n) for n in np.sum([counts for _, _, counts in groups], axis=0))
    task = Inspection(SCHEMA, REQUIREMENT, shown, KEY, None)
    table = pa.table({"name": ["part-00000.parquet"], "content": [content]})
    return read_summaries(pa.concat_tables(inspected(task, SUMMARIES, iter([table]))))[0]


def as_bytes(table):
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return sink.getvalue().to_pybytes()


GROUPS = [(10, "F", [2, 1, 0]), (30, "{F,M}", [0, 3, 1]), (12, "M", [1, 1, 1])]


def test_inspection__finds_in_a_written_file_what_was_to_be_written():
    found = inspect(as_bytes(written(GROUPS)), GROUPS)
    sums = [sum(words.tolist()) % 2**64 for words in read_records(records(GROUPS), 3).labels]
    assert found["labels"] == sums
    assert (found["tuples"], found["groups"], found["first"]) == (10, 3, 1)
    assert found["parts"][0][1] == 3.0


@pytest.mark.parametrize("mishap", ["a row lost", "a value changed", "a region changed"])
def test_inspection__notices(mishap):
    table = written(GROUPS)
    if mishap == "a row lost":
        table = table.slice(1)
    column = "exam" if mishap == "a value changed" else "age"
    if mishap != "a row lost":
        texts = table.column(column).to_pylist()
        first = texts[0]
        other = "[0,9]" if column == "age" else next(v for v in "abc" if v != first)
        group = table.column("group").to_pylist()
        changed = [
            other if (column == "age" and number == 1) or (column == "exam" and i == 0) else text
            for i, (text, number) in enumerate(zip(texts, group, strict=True))
        ]
        place = table.column_names.index(column)
        table = table.set_column(place, column, pa.array(changed))
    before = inspect(as_bytes(written(GROUPS)), GROUPS)
    assert inspect(as_bytes(table), GROUPS)["labels"] != before["labels"]


@pytest.mark.parametrize("mishap", ["not Parquet", "groups in pieces", "an id beside"])
def test_inspection__refuses(mishap):
    table = written(GROUPS)
    if mishap == "groups in pieces":
        table = table.take(pa.array([*range(1, table.num_rows), 0]))
    if mishap == "an id beside":
        table = table.append_column("id", pa.array(range(table.num_rows)))
    content = b"nothing" if mishap == "not Parquet" else as_bytes(table)
    with pytest.raises(InternalError):
        inspect(content, GROUPS)
