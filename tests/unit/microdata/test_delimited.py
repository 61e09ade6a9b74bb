import bz2
import gzip
import lzma
import traceback

import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.microdata.sources import open_as_text

ROWS = "id,zip,age,weight,born\nP-1,00123,51,70.5,1984-03-12\nP-2,38121,,64,\n"
READ = {
    "id": ["P-1", "P-2"],
    "zip": ["00123", "38121"],
    "age": [51, None],
    "weight": [70.5, 64.0],
    "born": ["1984-03-12", None],
}


@pytest.fixture
def write(tmp_path):
    def write(content, name="people.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def read(table):
    """Columns with days as texts."""
    return {
        name: (column.cast(pa.string()) if pa.types.is_date(column.type) else column).to_pylist()
        for name, column in zip(table.column_names, table.columns, strict=True)
    }


def kinds(table):
    return [str(kind) for kind in table.schema.types]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["people.csv", "people.TSV", "people.txt"])
def test_file__is_read_with_whatever_delimiter(write, delimiter, name):
    table = sr.open_table(write(ROWS.replace(",", delimiter), name))
    assert read(table) == READ
    assert kinds(table) == ["string", "string", "int64", "double", "date32[day]"]


@pytest.mark.parametrize(
    ("content", "cells"),
    [
        ("name;weight\nA;70,5\nB;80,1\n", {"name": ["A", "B"], "weight": ["70,5", "80,1"]}),
        ('a;"b, c"\n1;2\n', {"a": [1], "b, c": [2]}),
        ('a,"b;c;d"\n1,"x;y;z"\n', {"a": [1], "b;c;d": ["x;y;z"]}),
        ("a\n1\n2\n", {"a": [1, 2]}),
        ('\n"a\nb",c\n1,2\n', {"a\nb": [1], "c": [2]}),
        ("a,b\r\n1,2\r\n\r\n", {"a": [1], "b": [2]}),
        ("a,b\n", {"a": [], "b": []}),
        ("a,b\n1,2", {"a": [1], "b": [2]}),
        ('"age","exam"\n"1",51,"neg"\n"2",52,"pos"\n', {"age": [51, 52], "exam": ["neg", "pos"]}),
    ],
    ids=[
        "decimal commas",
        "quoted",
        "inner",
        "one",
        "title",
        "crlf",
        "empty",
        "end",
        "R",
    ],
)
def test_file__is_read_as_it_is_meant(write, content, cells):
    assert read(sr.open_table(write(content))) == cells


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le bom", "utf-16-be bom"]
)
def test_encoding__is_told_by_the_first_bytes(write, encoding):
    content = "näme,ort\nÄnne,Köln\n"
    content = "\ufeff" + content if encoding.endswith("bom") else content
    path = write(content.encode(encoding.removesuffix(" bom")))
    assert read(sr.open_table(path)) == {"näme": ["Änne"], "ort": ["Köln"]}


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-16-le", "utf-8"])
def test_encoding__can_be_said(write, encoding):
    table = sr.open_table(write("name;ort\nÄnne;Köln\n".encode(encoding)), encoding=encoding)
    assert read(table) == {"name": ["Änne"], "ort": ["Köln"]}


@pytest.mark.parametrize("where", ["header", "body", "far"])
def test_encoding__that_is_another_is_said_with_advice_and_without_cells(write, where):
    lines = ["name,ort", *["Anne,SECRET"] * (200_000 if where == "far" else 1)]
    lines[0 if where == "header" else -1] += "é"
    path = write("\n".join(lines).encode("cp1252"))
    part = r'read as UTF-8, and some of its bytes are not.*encoding="cp1252".*"latin-1"'
    with pytest.raises(sr.TableError, match=part) as refusal:
        sr.open_table(path)
    assert "SECRET" not in "".join(traceback.format_exception(refusal.value))


def test_encoding__of_two_bytes_without_a_mark_is_not_taken_for_utf_8(write):
    with pytest.raises(sr.TableError, match=r'some of its bytes are not.*"utf-16-le"'):
        sr.open_table(write("name;ort\nAnne;Bonn\n".encode("utf-16-le")))


def test_encoding__that_nobody_knows_is_refused(write):
    with pytest.raises(sr.SchemaError, match=r"No encoding is called 'klingon'.*'utf-8'"):
        sr.open_table(write(ROWS), encoding="klingon")


@pytest.mark.parametrize("delimiter", ["::", "", "§", '"', "\n"])
def test_delimiter__that_can_be_none_is_refused(write, delimiter):
    with pytest.raises(sr.SchemaError, match=r"A delimiter is one ASCII character.*; not"):
        sr.open_table(write(ROWS), delimiter=delimiter)


def test_delimiter__can_be_said(write):
    assert read(sr.open_table(write(ROWS.replace(",", "^")), delimiter="^")) == READ


@pytest.mark.parametrize("end", ["gz", "bz2", "zst", "lz4", "xz"])
def test_compressed_file__is_unpacked(write, end, tmp_path):
    path = tmp_path / f"people.csv.{end}"
    if end in ("zst", "lz4"):
        with pa.output_stream(str(path), compression={"zst": "zstd"}.get(end, end)) as stream:
            stream.write(ROWS.encode())
    else:
        pack = {"gz": gzip, "bz2": bz2, "xz": lzma}[end].compress
        write(pack(ROWS.encode()), path.name)
    assert read(sr.open_table(path)) == READ


@pytest.mark.parametrize("end", ["gz", "bz2", "zst", "lz4", "xz"])
def test_compressed_file__that_is_none_is_refused(write, end):
    with pytest.raises(sr.TableError, match="could not be read: not a table"):
        sr.open_table(write(ROWS, f"people.csv.{end}"))


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "-2", "0"], "int64"),
        (["1", "NA", "NaN"], "int64"),
        ([" 1", "2 "], "int64"),
        (["1.5", "2", "-0.25"], "double"),
        (["1e-05", "1.5E10", "2"], "double"),
        (["1984-03-12", "null"], "date32[day]"),
        (["1984-03-12 10:00", "1984-03-12T10:00:01.5"], "timestamp[us]"),
        (["1", "007"], "string"),
        (["-01", "2"], "string"),
        (["00.5", "2"], "string"),
        (["12E4", "5"], "string"),
        (["9223372036854775808", "1"], "string"),
        (["12345678901234567890", "12345678901234567891"], "string"),
        (["-0", "1"], "double"),
        (["+49", "1"], "string"),
        (["1984-02-30", "1984-03-01"], "string"),
        (["NA", "DE"], "string"),
        (["NA", "NA"], "string"),
        (["true", "false"], "string"),
        (["1,5", "2"], "string"),
        (["inf", "1"], "string"),
        (["٣", "٤"], "string"),
    ],
    ids=str,
)
def test_column__becomes_numbers_or_dates_only_where_nothing_is_lost(write, cells, kind):
    quoted = "\n".join(f'"{cell}",x' for cell in cells)
    table = sr.open_table(write(f"code,x\n{quoted}\n"))
    assert kinds(table)[0] == kind
    if kind == "string":
        assert table["code"].to_pylist() == cells


def test_column__with_a_leading_zero_far_down_stays_text(write):
    cells = [str(number) for number in range(1, 5000)] + ["0042"]
    table = sr.open_table(write("\n".join(["code", *cells])))
    assert table["code"].to_pylist() == cells


def test_column__named_as_text_stays_as_it_is_written(write):
    table = sr.open_table(write("code,n\n250.00,1\n250.0,\n"), text=["code"])
    assert read(table) == {"code": ["250.00", "250.0"], "n": [1, None]}
    with pytest.raises(sr.SchemaError, match=r"no column 'cod'.*mean 'code'"):
        sr.open_table(write("code,n\n1,1\n"), text=["cod"])


def test_missing__cells_are_empty_ones_or_those_named(write):
    path = write("a,b\n,x\nNA,\n-9,NA\n")
    assert read(sr.open_table(path)) == {"a": [None, None, -9], "b": ["x", None, "NA"]}
    named = sr.open_table(path, missing=["", "NA", "-9"])
    assert named["b"].to_pylist() == ["x", None, None]
    assert named["a"].null_count == 3


def test_columns__are_read_as_asked(write):
    table = sr.open_table(write(ROWS), columns=["age", "id"])
    assert read(table) == {"age": [51, None], "id": ["P-1", "P-2"]}
    assert sr.open_table(write(ROWS), columns=["age", "age"]).column_names == ["age"]
    with pytest.raises(sr.SchemaError, match=r"no column 'agee'; it has 'id'.*mean 'age'"):
        sr.open_table(write(ROWS), columns=["agee"])


@pytest.mark.parametrize(
    ("content", "position"),
    [
        ("a,b\n1,2\nSECRET\n", 1),
        ("\na,b\n1,2\n\n1,2\nSECRET,1,2\n", 2),
        ('"a\nx",b\n"SECRET\n",2\n1\n', 1),
    ],
)
def test_row__of_another_length_is_named_by_position(write, content, position):
    part = rf"2 cells to a row by its header, and \d in another row, at row position {position} "
    with pytest.raises(sr.TableError, match=part) as refusal:
        sr.open_table(write(content))
    assert "SECRET" not in "".join(traceback.format_exception(refusal.value))


@pytest.mark.parametrize("content", ["a,a\n1,2\n", "a,,\n1,2,3\n"])
def test_file__without_good_names_is_refused(write, content):
    with pytest.raises(sr.TableError, match="columns without a name, or two of one name"):
        sr.open_table(write(content))


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_file__without_anything_in_it_is_said_to_be_empty(write, content):
    with pytest.raises(sr.TableError, match="is empty: it has no header and no rows"):
        sr.open_table(write(content))


def test_words__stay_as_they_are_written(write):
    path = write('"age","exam"\n"1","[20,30]",\n"2",007,NA\n')
    assert read(open_as_text(path)) == {"age": ["[20,30]", "007"], "exam": ["", "NA"]}


@pytest.mark.parametrize(
    "tool", ["arx", "sdcmicro", "sdcmicro_gui", "anonypyx", "anonypy", "anjana"]
)
def test_releases_of_other_tools__are_read_as_words(tool, pytestconfig):
    table = open_as_text(pytestconfig.rootpath / "tests" / "data" / "foreign" / f"{tool}_1.csv")
    assert {"exam"} <= set(table.column_names)
    assert set(kinds(table)) == {"string"}


WIDTHS = {",": "70.5", ";": "70,5", "\t": "70,5", "|": "70.5"}
WOUND = '"5"" wound"'


def rows_of(delimiter, notes, n=40):
    """A file whose last column has some notes, the others something else."""
    lines = [delimiter.join(("id", "weight", "size", "exam"))]
    lines += [
        delimiter.join((f"P-{row}", WIDTHS[delimiter], notes.get(row, "none"), "neg"))
        for row in range(n)
    ]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize(
    "notes",
    [
        {3: WOUND},
        {3: WOUND, 4: WOUND},
        {0: '"a ""b"""'},
        {0: '"""b"""', 7: '""'},
        {3: '5" wound'},
        {3: '5" wound', 9: 'x "y" z'},
        dict.fromkeys(range(40), '"5, 6; 7|8"'),
        dict.fromkeys(range(40), '"5"", 6""; 7|8"'),
    ],
    ids=["one", "two", "inner", "whole", "letter", "letters", "others", "both"],
)
def test_delimiter__is_found_whatever_quotes_cells_have(write, delimiter, notes):
    found = read(sr.open_table(write(rows_of(delimiter, notes))))
    assert list(found) == ["id", "weight", "size", "exam"]
    for row, note in notes.items():
        text = note[1:-1].replace('""', '"') if note.startswith('"') else note
        assert found["size"][row] == (text or None)


def test_delimiter__is_found_where_the_only_quotes_are_doubled_ones(write):
    content = f"id;size\n{WOUND};{WOUND}\n2;3,5\n"
    assert read(sr.open_table(write(content))) == {
        "id": ['5" wound', "2"],
        "size": ['5" wound', "3,5"],
    }


def packed(path, content):
    """Write a file compressed as its name says."""
    if path.suffix in (".zst", ".lz4"):
        with pa.output_stream(
            str(path), compression={".zst": "zstd"}.get(path.suffix, "lz4")
        ) as out:
            out.write(content)
    else:
        pack = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
        path.write_bytes(pack.get(path.suffix, bytes)(content))
    return path


ENDS = ["csv", "csv.gz", "csv.bz2", "csv.zst", "csv.lz4", "csv.xz"]
MANY_ROWS = 60_000
"""More than are looked at to guess the delimiter, and than are left to Arrow."""


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("many", [40, MANY_ROWS], ids=["few", "many"])
@pytest.mark.parametrize("row", [0, -1], ids=["first", "last"])
@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_file__that_ends_inside_quotes_is_refused_with_the_line(
    tmp_path, end, many, row, delimiter
):
    row %= many
    content = rows_of(delimiter, {row // 2: WOUND} | {row: '"5 cm'}, many)
    path = packed(tmp_path / f"people.{end}", content.encode())
    for reading in (sr.open_table, open_as_text):
        with pytest.raises(sr.TableError, match=f"ends inside quotes.* in line {row + 2} ") as told:
            reading(path)
        assert "P-" not in str(told.value)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "cp1252"])
@pytest.mark.parametrize("many", [40, MANY_ROWS], ids=["few", "many"])
def test_file__in_another_encoding_that_ends_inside_quotes_is_refused(write, encoding, many):
    path = write(rows_of(";", {7: '"5 cm'}, many).replace("none", "näher").encode(encoding))
    named = {"encoding": encoding} if encoding == "cp1252" else {}
    with pytest.raises(sr.TableError, match=r"ends inside quotes.* in line 9 "):
        sr.open_table(path, **named)


@pytest.mark.parametrize("many", [5, MANY_ROWS], ids=["few", "many"])
def test_header__that_opens_a_quote_is_refused_with_the_line(write, many):
    content = rows_of(",", {}, many).replace("size", '"size', 1)
    with pytest.raises(sr.TableError, match=r"ends inside quotes.* in line 1 "):
        sr.open_table(write(content))


@pytest.mark.parametrize("end", ["csv", "csv.gz"])
@pytest.mark.parametrize("many", [40, MANY_ROWS], ids=["few", "many"])
@pytest.mark.parametrize("last", [1, 20])
def test_file__whose_stray_quotes_swallow_the_rows_between_is_refused(tmp_path, end, many, last):
    content = rows_of(",", {9: '"5 cm', 9 + last: '"7 cm'}, many)
    path = packed(tmp_path / f"people.{end}", content.encode())
    with pytest.raises(sr.TableError, match=r"opens in line 11, and .*rows between"):
        sr.open_table(path)


@pytest.mark.parametrize("end", ["csv", "csv.xz"])
@pytest.mark.parametrize("many", [40, MANY_ROWS], ids=["few", "many"])
def test_cells__that_span_lines_are_told_with_the_longest(tmp_path, end, many):
    notes = {9: '"a\nb"', 20: '"a\r\nb\r\nc"', 30: '"d\ne"'}
    path = packed(tmp_path / f"people.{end}", rows_of(",", notes, many).encode())
    with pytest.warns(sr.TableWarning) as told:
        table = sr.open_table(path)
    assert table.num_rows == many
    assert table["size"][20].as_py() == "a\r\nb\r\nc"
    assert len(told) == 1
    assert "3 cell(s) of people.csv" in str(told[0].message)
    assert "the longest 3 lines from line 23 on" in str(told[0].message)


@pytest.mark.parametrize("end", ["csv", "csv.gz"])
@pytest.mark.parametrize("many", [40, MANY_ROWS], ids=["few", "many"])
@pytest.mark.parametrize("last", [1, 2, 20])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_file__whose_paired_quotes_make_a_cell_of_rows_is_refused(
    tmp_path, end, many, last, newline
):
    rows = ["id,age,size,exam", *(f"P-{row},51,none,neg" for row in range(many))]
    rows[20] = rows[20].replace("none", '"5 cm')
    rows[20 + last] = rows[20 + last].replace("none", '7 cm"')
    rows[12] = rows[12].replace("none", newline.join(['"a note', *["of lines"] * 30, 'at length"']))
    path = packed(tmp_path / f"people.{end}", newline.join([*rows, ""]).encode())
    # The note of 32 lines, which is longer, is passed over.
    with pytest.raises(
        sr.TableError, match=f"opens in line 52 and another closes in line {52 + last} "
    ) as told:
        sr.open_table(path)
    assert f"{last} row(s) would be part of that cell" in str(told.value)
    assert "P-" not in str(told.value)


def test_notes__of_several_lines_with_delimiters_in_them_are_read(write):
    notes = ['"cut, deep,\nsewn\nwell, and healed"', '"cut, deep\nand, old"', "none"]
    content = "id,age,note,exam\n" + "".join(f"{n},51,{note},neg\n" for n, note in enumerate(notes))
    with pytest.warns(sr.TableWarning, match="2 cell"):
        assert sr.open_table(write(content)).num_rows == 3


def test_title__that_spans_lines_is_not_told(write):
    assert list(read(sr.open_table(write('"a\nb",c\n1,2\n')))) == ["a\nb", "c"]


@pytest.mark.parametrize("row", [0, 3])
@pytest.mark.parametrize("mark", ["", '"'])
def test_cell__that_is_very_long_is_read_with_its_row(write, row, mark):
    content = rows_of(",", {row: f"{mark}{'x' * 200_000}{mark}"})
    table = sr.open_table(write(content))
    assert table.num_rows == 40
    assert len(table["size"][row].as_py()) == 200_000
