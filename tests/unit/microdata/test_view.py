"""The same view from every kind of table, and the same kind of release back."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import seriatim as sr

TEXT = ("name", "gender", "exam")


def chunked(table, make=pa.array):
    pieces = [
        pa.table({name: make(column[part]) for name, column in table.items()})
        for part in (slice(0, 3), slice(3, None))
    ]
    return pa.concat_tables(pieces)


def dictionary(column):
    array = pa.array(column)
    return array.dictionary_encode() if pa.types.is_string(array.type) else array


FRAMES = {
    "mapping of lists": dict,
    "mapping of numpy arrays": lambda t: {name: np.array(column) for name, column in t.items()},
    "mapping of floats": lambda t: {**t, "age": [float(age) for age in t["age"]]},
    "pandas": pd.DataFrame,
    "pandas with an index of ids": lambda t: pd.DataFrame(t, index=pd.Index(t["name"], name="id")),
    "pandas categoricals": lambda t: pd.DataFrame(t).astype(dict.fromkeys(TEXT, "category")),
    "pandas nullable integers": lambda t: pd.DataFrame(t).astype({"age": "Int64"}),
    "pandas string": lambda t: pd.DataFrame(t).astype(dict.fromkeys(TEXT, "string")),
    "pandas string[pyarrow]": lambda t: pd.DataFrame(t).astype(
        {**dict.fromkeys(TEXT, "string[pyarrow]"), "age": "int64[pyarrow]"}
    ),
    "polars": pl.DataFrame,
    "polars Int8": lambda t: pl.DataFrame(t).with_columns(pl.col("age").cast(pl.Int8)),
    "polars Categorical": lambda t: pl.DataFrame(t).with_columns(
        pl.col(*TEXT).cast(pl.Categorical)
    ),
    "polars Enum": lambda t: pl.DataFrame(t).with_columns(
        pl.col("gender").cast(pl.Enum(["M", "F"])), pl.col("exam").cast(pl.Enum(["pos", "neg"]))
    ),
    "pyarrow": pa.table,
    "pyarrow dictionaries": lambda t: pa.table({k: dictionary(v) for k, v in t.items()}),
    "pyarrow chunks": chunked,
    "pyarrow chunks of dictionaries": lambda t: chunked(t, dictionary),
    "pyarrow large strings": lambda t: pa.table(
        {k: pa.array(v, pa.large_string()) if k in TEXT else v for k, v in t.items()}
    ),
    "pyarrow string views": lambda t: pa.table(
        {k: pa.array(v, pa.string_view()) if k in TEXT else v for k, v in t.items()}
    ),
}
KINDS = {"mapping": dict, "pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}
every_frame = pytest.mark.parametrize("kind", FRAMES)


def rows_of(frame):
    if isinstance(frame, pd.DataFrame):
        return frame.to_dict("list")
    if isinstance(frame, pl.DataFrame):
        return frame.to_dict(as_series=False)
    return frame if isinstance(frame, dict) else frame.to_pydict()


@every_frame
def test_view__is_the_same_from_every_kind_of_table(table, schema, kind):
    expected = sr.View.from_table(table, schema)
    view = sr.View.from_table(FRAMES[kind](table), schema)
    assert view.respondents.equals(expected.respondents)
    assert (view.points == expected.points).all()
    assert (view.value_codes == expected.value_codes).all()
    assert view.digest() == expected.digest()


@every_frame
def test_release__comes_back_in_the_kind_of_table_that_went_in(table, make_publisher, kind):
    frame = make_publisher().publish(FRAMES[kind](table), at=1).to_frame()
    assert isinstance(frame, KINDS[kind.split()[0]])


@every_frame
def test_release__says_the_same_in_every_kind_of_table(table, make_publisher, kind):
    expected = make_publisher().publish(table, at=1).to_frame()
    assert rows_of(make_publisher().publish(FRAMES[kind](table), at=1).to_frame()) == expected


@pytest.mark.parametrize("frame", ["pandas", "polars", "pyarrow", "mapping of lists"])
def test_release__gives_whole_numbers_back_as_whole_numbers(table, schema, make_publisher, frame):
    table["exam"] = [1, 2, 1, 2, 1, 2, 1, 2]
    schema = sr.Schema("name", schema.quasi_identifiers, sr.Sensitive("exam"))
    release = make_publisher(schema=schema).publish(FRAMES[frame](table), at=1)
    assert sorted(rows_of(release.to_frame())["exam"]) == [1, 1, 1, 1, 2, 2, 2, 2]
    assert release.to_arrow().schema.field("exam").type == pa.int64()


@pytest.mark.parametrize(
    "respondents",
    [
        range(8),
        [f"{n:03d}" for n in range(8)],
        pa.array(range(8), pa.uint16()),
        [float(n) for n in range(8)],
        pa.array(range(8), pa.date32()),
    ],
    ids=["int", "text", "uint16", "float", "date"],
)
def test_view__takes_ids_of_any_plain_kind(table, schema, respondents):
    table["name"] = list(respondents) if isinstance(respondents, range) else respondents
    view = sr.View.from_table(table, schema)
    assert view.points[:, 0].tolist() == table["age"]


def test_view__sorts_by_respondent(table, schema):
    backwards = {name: column[::-1] for name, column in table.items()}
    view = sr.View.from_table(backwards, schema)
    assert view.respondents.to_pylist() == table["name"]
    assert view.positions.tolist() == [7, 6, 5, 4, 3, 2, 1, 0]
    assert view.points[:, 0].tolist() == table["age"]


def test_view__has_the_same_digest_in_whatever_order_rows_arrive(table, schema):
    backwards = {name: column[::-1] for name, column in table.items()}
    views = [sr.View.from_table(one, schema) for one in (table, backwards)]
    assert views[0].digest() == views[1].digest()


@pytest.mark.parametrize(
    ("column", "row", "value"), [("exam", 0, "neg"), ("age", 3, 55), ("gender", 5, "F")]
)
def test_view__has_another_digest_when_a_cell_differs(table, schema, column, row, value):
    before = sr.View.from_table(table, schema).digest()
    table[column] = [value if n == row else cell for n, cell in enumerate(table[column])]
    assert sr.View.from_table(table, schema).digest() != before


def test_view__has_the_same_digest_whatever_its_domains_were_widened_to(table, schema):
    view = sr.View.from_table(table, schema)
    wider = schema.resolve({**table, "age": [1, *table["age"][1:]], "gender": ["A"] * 8})
    again = sr.View.from_table(table, wider)
    assert (again.points != view.points).any()
    assert again.digest() == view.digest()


@pytest.mark.parametrize("other", ["SECRET-0009", "SECRET-00011"])
def test_view__has_another_digest_when_somebody_else_is_in_it(table, schema, other):
    before = sr.View.from_table(table, schema).digest()
    table["name"] = [*table["name"][:-1], other]
    assert sr.View.from_table(table, schema).digest() != before


def test_view__has_a_roster_without_its_sensitive_values(table, schema):
    view = sr.View.from_table(table, schema)
    assert type(view.roster) is sr.Roster
    assert not any(part is view.value_codes for part in vars(view.roster).values())
    assert view.roster.respondents.equals(view.respondents)
    assert (view.roster.points == view.points).all()


def test_view__counts_values_in_the_order_of_the_domain(table, schema):
    table["exam"] = ["pos"] * 7 + ["neg"]
    assert sr.View.from_table(table, schema).value_counts.tolist() == [1, 7]


def test_roster__is_read_without_the_sensitive_column(table, schema):
    del table["exam"]
    roster = sr.Roster.from_table(pd.DataFrame(table), schema)
    assert len(roster) == 8
    assert not hasattr(roster, "value_codes")


# polars warns that it looks up the names of a lazy frame.
@pytest.mark.filterwarnings("ignore::polars.exceptions.PerformanceWarning")
def test_view__explains_that_a_lazy_frame_must_be_collected(table, schema):
    with pytest.raises(sr.TableError, match=r"LazyFrame was given.*must be collected first"):
        sr.View.from_table(pl.LazyFrame(table), schema)


@pytest.mark.parametrize("thing", [[1, 2], "view.csv", None, 3, np.zeros((2, 2))], ids=repr)
def test_view__explains_which_tables_it_takes(schema, thing):
    kind = type(thing).__name__
    with pytest.raises(sr.TableError, match=f"a {kind} was given. Possible are .*pandas, polars"):
        sr.View.from_table(thing, schema)


def test_view__refuses_columns_of_different_lengths(table, schema):
    table["age"] = table["age"][:5]
    with pytest.raises(sr.TableError, match=r"of one length.*'age': 5"):
        sr.View.from_table(table, schema)
