import builtins
import datetime as dt
import sqlite3
import subprocess
import sys
import traceback
from contextlib import closing

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import postgresql
import seriatim as sr

TABLE = pa.table({"id": ["P-1", "P-2"], "zip": ["007", None], "age": [51, 52]})
PEOPLE = {
    "id": ["P-1", "P-2", "P-3"],
    "zip": ["00123", "38121", "00999"],
    "age": [51, 52, None],
    "weight": [70.5, 80.0, 64.25],
    "born": [dt.date(1984, 3, 12), dt.date(1990, 12, 31), None],
    "exam": ["neg", "pos", "neg"],
}


def write_parquet(path):
    pyarrow.parquet.write_table(TABLE, path)


def write_feather(path):
    pyarrow.feather.write_feather(TABLE, str(path))


def write_arrow(path):
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, TABLE.schema) as writer:
        writer.write_table(TABLE)


def write_stream(path):
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, TABLE.schema) as writer:
        writer.write_table(TABLE)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("year=2026/people.parquet", write_parquet),
        ("people.feather", write_feather),
        ("people.arrow", write_arrow),
        ("people.arrows", write_stream),
        ("people.ipc", write_stream),
    ],
)
def test_file__with_kinds_of_its_own_is_read_as_it_is(tmp_path, name, write):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    write(path)
    assert sr.open_table(path) == TABLE
    assert sr.open_table(str(path)) == TABLE
    assert sr.open_table(path, columns=["age", "id"]).column_names == ["age", "id"]
    assert sr.open_table(path, text=["age"])["age"].to_pylist() == ["51", "52"]
    for option in ("columns", "text"):
        with pytest.raises(sr.SchemaError, match=r"no column 'agee'.*mean 'age'"):
            sr.open_table(path, **{option: ["agee"]})


@pytest.mark.parametrize("end", ["parquet", "feather", "arrow", "xlsx", "xls", "ods"])
@pytest.mark.parametrize("content", [b"", b"SECRET", b"ARROW1SECRET", b"PAR1SECRETPAR1", None])
def test_file__that_is_not_what_its_name_says_is_refused_without_its_words(tmp_path, end, content):
    path = tmp_path / f"people.{end}"
    if content is not None:
        path.write_bytes(content)
    reason = "No such file" if content is None else "not a"
    with pytest.raises(sr.TableError, match=rf"could not be read: {reason}") as refusal:
        sr.open_table(path)
    assert "SECRET" not in "".join(traceback.format_exception(refusal.value))


@pytest.mark.parametrize("name", ["people.sav", "people", "people.gz", "people.parquet.gz"])
def test_file__of_no_known_kind_is_refused_with_the_known_ones(name):
    with pytest.raises(sr.TableError, match=r"no table that can be read; possible are '.csv'.*ods"):
        sr.open_table(name)


def test_file__that_is_a_database_needs_a_table():
    with pytest.raises(
        sr.TableError, match=r"is a database. Name its table: sqlite:///people.db::"
    ):
        sr.open_table("people.db")


@pytest.mark.parametrize(
    ("name", "options"),
    [("people.xlsx", {"sheet": "people"}), ("people.xls", {}), ("people.ods", {})],
)
def test_workbook__is_read_with_its_kinds(pytestconfig, name, options):
    path = pytestconfig.rootpath / "tests" / "data" / "sources" / name
    table = sr.open_table(path, **options)
    assert table.to_pydict() == PEOPLE
    assert table.schema.field("age").type == pa.int64()
    assert table.schema.field("born").type == pa.date32()
    assert sr.open_table(path, columns=["zip"], **options).column_names == ["zip"]
    assert sr.open_table(path, text=["age"], **options)["age"].to_pylist() == ["51", "52", None]


def test_workbook__of_several_sheets_needs_one_named(pytestconfig):
    path = pytestconfig.rootpath / "tests" / "data" / "sources" / "people.xlsx"
    with pytest.raises(
        sr.SchemaError, match=r"the sheets 'people', 'notes'. Choose one: sheet='pe"
    ):
        sr.open_table(path)
    with pytest.raises(sr.SchemaError, match=r"no sheet 'peple'.*mean 'people'"):
        sr.open_table(path, sheet="peple")
    assert sr.open_table(path, sheet="notes").to_pydict() == {"word": ["hello"]}


@pytest.mark.parametrize(
    ("module", "source", "extra"),
    [
        ("python_calamine", "people.xlsx", "excel"),
        ("adbc_driver_postgresql", "postgresql://owner:SECRET@host/db::people", "databases"),
    ],
)
def test_library__that_is_missing_is_named_with_its_extra(
    monkeypatch, tmp_path, module, source, extra
):
    known = builtins.__import__

    def no_such(name, *args, **options):
        if name.startswith(module):
            raise ImportError(name)
        return known(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", no_such)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.xlsx").touch()
    with pytest.raises(sr.TableError, match=rf'pip install "seriatim\[{extra}\]"') as refusal:
        sr.open_table(source)
    assert "SECRET" not in str(refusal.value)


def test_library__that_is_optional_is_not_loaded_for_other_sources(tmp_path):
    path = tmp_path / "people.parquet"
    write_parquet(path)
    code = f"import sys, seriatim; seriatim.open_table({str(path)!r});"
    code += "print([name for name in sys.modules if 'calamine' in name or 'adbc' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture
def sqlite_address(tmp_path):
    path = tmp_path / "some people.db"
    with closing(sqlite3.connect(path)) as base:
        base.execute('CREATE TABLE people (id TEXT, zip TEXT, age INT, weight, "odd ""name" , b)')
        rows = [("P-1", "007", 51, 70.5, 1, b"x"), ("P-2", None, None, 80, "two", None)]
        base.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)", rows)
        base.execute("CREATE VIEW grown AS SELECT id FROM people")
        base.execute("CREATE TABLE many (n INTEGER)")
        base.executemany("INSERT INTO many VALUES (?)", ((n,) for n in range(150_000)))
        base.execute("CREATE TABLE nobody (id TEXT, age INT)")
        base.commit()
    return f"sqlite:///{path}"


def test_sqlite__is_read_by_what_each_column_holds(sqlite_address):
    names = ["id", "zip", "age", "weight", 'odd "name']
    table = sr.open_table(f"{sqlite_address}::people", columns=names)
    assert table.to_pydict() == {
        "id": ["P-1", "P-2"],
        "zip": ["007", None],
        "age": [51, None],
        "weight": [70.5, 80.0],
        'odd "name': ["1", "two"],
    }
    assert [str(kind) for kind in table.schema.types] == [
        "string", "string", "int64", "double", "string",
    ]  # fmt: skip


def test_sqlite__is_read_in_batches_views_and_empty_tables_as_well(sqlite_address):
    assert sr.open_table(f"{sqlite_address}::many")["n"].to_pylist() == list(range(150_000))
    assert sr.open_table(f"{sqlite_address}::grown").to_pydict() == {"id": ["P-1", "P-2"]}
    assert sr.open_table(f"{sqlite_address}::nobody").to_pydict() == {"id": [], "age": []}


def test_sqlite__is_read_relative_to_the_working_folder(sqlite_address, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert sr.open_table("sqlite:///some people.db::grown").num_rows == 2


@pytest.mark.parametrize(
    ("rest", "part"),
    [
        ("::peple", "no table 'peple'; it has 'grown', 'many', 'nobody', 'people'. Did you mean"),
        ("::people", "Column 'b' holds bytes. Leave it out"),
        ("", "the table after two colons"),
        ("::", "the table after two colons"),
        ("x::people", "There is no database file 'some people.dbx'"),
    ],
)
def test_sqlite__says_what_is_wrong(sqlite_address, rest, part):
    with pytest.raises(sr.SeriatimError, match=part):
        sr.open_table(f"{sqlite_address}{rest}")


def test_sqlite__is_never_written_nor_made(sqlite_address, tmp_path):
    before = (tmp_path / "some people.db").read_bytes()
    sr.open_table(f"{sqlite_address}::grown")
    assert (tmp_path / "some people.db").read_bytes() == before
    with pytest.raises(sr.TableError):
        sr.open_table(f"sqlite:///{tmp_path}/new.db::people")
    assert not (tmp_path / "new.db").exists()


def test_sqlite__of_a_file_that_is_none_shows_nothing_of_it(tmp_path):
    (tmp_path / "people.db").write_bytes(b"SECRET" * 999)
    with pytest.raises(sr.TableError, match="not a SQLite database") as refusal:
        sr.open_table(f"sqlite:///{tmp_path}/people.db::people")
    assert "SECRET" not in "".join(traceback.format_exception(refusal.value))


@pytest.fixture(scope="session")
def hospital(postgresql_address):
    """A table of its own schema, with columns of many types."""
    from adbc_driver_postgresql import dbapi

    types = (
        'id uuid, zip text, age int2, weight numeric(5,2), code numeric, born date, "Sex" char(3)'
    )
    rows = (
        "('12345678-1234-5678-1234-567812345678', '007', 51, 70.50, 123456789012345678901,"
        " '1984-03-12', 'F', true, 1.5, '2026-01-01 10:00'), (NULL, NULL, NULL, NULL, NULL, NULL,"
        " NULL, NULL, NULL, NULL)"
    )
    with dbapi.connect(postgresql_address) as base, base.cursor() as cursor:
        cursor.execute('CREATE SCHEMA "Ward"')
        cursor.execute(f'CREATE TABLE "Ward".people ({types}, ok bool, dose real, seen timestamp)')
        cursor.execute(f'INSERT INTO "Ward".people VALUES {rows}')
        cursor.execute("CREATE TABLE visits AS SELECT n FROM generate_series(1, 100000) AS n")
        base.commit()
    return postgresql_address


def test_postgresql__is_read_by_schema_and_table(hospital):
    table = sr.open_table(f"{hospital}::Ward.people")
    assert table.slice(0, 1).to_pylist() == [
        {
            "id": "12345678-1234-5678-1234-567812345678",
            "zip": "007",
            "age": 51,
            "weight": 70.5,
            "code": "123456789012345678901",
            "born": dt.date(1984, 3, 12),
            "Sex": "F",
            "ok": True,
            "dose": 1.5,
            "seen": dt.datetime.fromisoformat("2026-01-01T10:00"),
        }
    ]
    assert set(table.slice(1, 1).to_pylist()[0].values()) == {None}


def test_postgresql__is_read_from_the_search_path_and_by_column(hospital):
    assert sr.open_table(f"{hospital}::visits")["n"].to_pylist() == list(range(1, 100_001))
    table = sr.open_table(f"{hospital}::Ward.people", columns=["age", "Sex"], text=["age"])
    assert table.to_pydict() == {"age": ["51", None], "Sex": ["F", None]}


@pytest.mark.parametrize(
    ("change", "rest", "part"),
    [
        (("", ""), "::Ward.peple", "no table 'Ward.peple'; it has 'Ward.people', 'visits'. Did"),
        (("", ""), '::people"; DROP TABLE visits; --', "The database has no table"),
        (("", ""), "", "the table after two colons"),
        ((postgresql.PASSWORD, "SECRET-other"), "::visits", "the user or the password was refused"),
        ((f":{postgresql.PASSWORD}", ""), "::visits", "a password is needed, and none was given"),
        (("/postgres", "/nowhere"), "::visits", "the server has no such database or user"),
        (("127.0.0.1:", "127.0.0.1:1"), "::visits", "could not be read"),
        ((":SECRET", ":SECRET::SECRET"), "", "the table after two colons"),
        (("SECRET", "SECRET/ SECRET%zz"), "::visits", "could not be read"),
    ],
)
def test_postgresql__says_what_is_wrong_and_never_a_password(
    hospital, monkeypatch, change, rest, part
):
    monkeypatch.delenv("PGPASSWORD", raising=False)
    scheme, _, where = hospital.partition("://")
    address = f"{scheme}://{where.replace(*change) if change[0] else where}"
    with pytest.raises(sr.SeriatimError, match=part) as refusal:
        sr.open_table(f"{address}{rest}")
    assert "SECRET" not in "".join(traceback.format_exception(refusal.value))
    assert sr.open_table(f"{hospital}::visits").num_rows == 100_000


def test_address__of_another_database_is_refused():
    with pytest.raises(sr.TableError, match="no table of a database that can be read") as refusal:
        sr.open_table("mysql://me:SECRET@host/db::people")
    assert "SECRET" not in str(refusal.value)
