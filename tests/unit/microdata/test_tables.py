"""The door: columns are read one by one, when asked for, and errors show no cell."""

import traceback

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.microdata.tables import Columns, plain, read_table

MIXED = [1, "SECRET", 2.5]
MAKERS = {
    "mapping": lambda cells: {"age": [1, 2, 3], "odd": cells},
    "pandas": lambda cells: pd.DataFrame({"age": [1, 2, 3], "odd": cells}),
    "polars": lambda cells: pl.DataFrame(
        {"age": [1, 2, 3], "odd": pl.Series(cells, dtype=pl.Object)}
    ),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_table__with_an_odd_column_is_read_where_nobody_asks_for_it(kind):
    columns = read_table(MAKERS[kind](MIXED))
    assert (columns.names, len(columns), columns.kind) == (("age", "odd"), 3, kind)
    assert columns["age"].to_pylist() == [1, 2, 3]


@pytest.mark.parametrize("kind", MAKERS)
def test_column__of_mixed_kinds_is_refused_without_showing_a_cell(kind):
    columns = read_table(MAKERS[kind](MIXED))
    with pytest.raises(sr.TableError, match="'odd' mixes kinds of values") as refusal:
        _ = columns["odd"]
    assert refusal.value.__cause__ is None
    assert "SECRET" not in "".join(traceback.format_exception(refusal.value))


@pytest.mark.parametrize(
    "cells",
    [
        [["SECRET"]] * 3,
        [{"a": "SECRET"}] * 3,
        [b"SECRET"] * 3,
        [object()] * 3,
        [2**70, "SECRET", 1],
        [1, 2, "SECRET"],
        ["SECRET", "SECRETS", 3],
    ],
    ids=["lists", "mappings", "bytes", "objects", "huge", "text last", "number last"],
)
def test_column__of_what_is_no_plain_value_is_refused_without_showing_a_cell(cells):
    with pytest.raises(sr.TableError, match="or holds what is no plain value") as refusal:
        _ = read_table({"odd": cells})["odd"]
    assert "SECRET" not in "".join(traceback.format_exception(refusal.value))


def test_columns__are_loaded_one_by_one_and_only_when_asked_for(schema):
    asked = []

    def load(name):
        asked.append(name)
        return pa.array({"name": ["b", "a"], "age": [2, 1], "gender": ["F", "M"]}[name])

    columns = Columns(("name", "age", "gender", "exam", "diary"), 2, "pyarrow", load)
    assert asked == []
    assert len(sr.Roster.from_table(columns, schema)) == 2
    assert set(asked) == {"name", "age", "gender"}


def test_columns__print_their_names_and_no_cell():
    columns = read_table({"name": ["SECRET"], "age": [51]})
    assert repr(columns) == "Columns(1 rows, ['name', 'age'])"


def test_columns__are_read_as_themselves():
    columns = read_table({"age": [51]})
    assert read_table(columns) is columns


def test_columns__name_the_nearest_where_one_is_missing():
    with pytest.raises(
        sr.SchemaError, match=r"no column 'aeg'; it has 'age'.*Did you mean 'age'\?"
    ):
        _ = read_table({"age": [51]})["aeg"]


@pytest.mark.parametrize(
    ("table", "part"),
    [
        ({"age": [1, 2], "exam": [1]}, "of one length, and these are not: {'age': 2, 'exam': 1}"),
        ({"age": 51}, "when each name has a column"),
        ({1: [51]}, "named by texts, and these are not: 1. Rename"),
        (pd.DataFrame([[1, 2]], columns=["age", "age"]), "several columns of one name: 'age'"),
        (pd.DataFrame([[1, 2]]), "named by texts, and these are not: 0, 1. Rename"),
        (pa.table([[1], [2]], names=["age", "age"]), "several columns of one name: 'age'"),
    ],
    ids=["lengths", "a cell", "a number", "twice in pandas", "numbers in pandas", "twice in arrow"],
)
def test_table__that_is_none_is_refused(table, part):
    with pytest.raises(sr.TableError, match=part):
        read_table(table)


def test_zero__has_one_sign():
    assert np.signbit(plain(pa.array([-0.0, 0.0])).to_numpy()).tolist() == [False, False]


@pytest.mark.parametrize("role", ["quasi-identifier", "sensitive"])
def test_zero__is_one_value_whatever_its_sign(role):
    column = plain(pa.array([-0.0, 0.0, 1.5]))
    attribute = sr.Categorical("dose") if role == "quasi-identifier" else sr.Sensitive("dose")
    assert attribute.resolve(column).encode(column).tolist() == [0, 0, 1]
