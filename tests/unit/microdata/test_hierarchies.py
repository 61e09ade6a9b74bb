import numpy as np
import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.microdata import Interval


@pytest.fixture
def write(tmp_path):
    def write(content, encoding="utf-8"):
        path = tmp_path / "tree.csv"
        path.write_bytes(content.encode(encoding))
        return path

    return write


@pytest.mark.parametrize(
    ("name", "group", "node"),
    [
        ("age", [20, 29], "<30"),
        ("gender", ["F", "M"], "{F, M}"),
        ("zip", ["38121", "38122"], "3812*"),
    ],
)
def test_hierarchy__of_arx_is_read(pytestconfig, name, group, node):
    folder = pytestconfig.rootpath / "tests" / "data" / "foreign"
    tree = sr.Hierarchical.from_csv(name, folder / f"arx_hierarchy_{name}.csv")
    lines = (folder / f"arx_hierarchy_{name}.csv").read_text(encoding="utf-8").splitlines()
    assert tree.steps == len(lines)
    assert tree.cover(tree.encode(pa.array(group)), np.array([0, 2])).text.to_pylist() == [node]
    assert tree.parse(node).contains(tree.encode(pa.array(group))).all()


def test_releases_of_arx__are_read_with_its_hierarchies(pytestconfig):
    folder = pytestconfig.rootpath / "tests" / "data" / "foreign"
    trees = [
        sr.Hierarchical.from_csv(name, folder / f"arx_hierarchy_{name}.csv")
        for name in ("age", "gender", "zip")
    ]
    schema = sr.Schema("id", trees, sr.Sensitive("exam"))
    history = sr.read_history([folder / f"arx_{week}.csv" for week in (1, 2, 3)], schema)
    assert all(np.isfinite(release.extents).all() for release in history.releases)
    original = sr.open_table(folder / "original_1.csv")
    assert len(sr.Roster.from_table(original, schema)) == original.num_rows


@pytest.mark.parametrize(
    "content",
    [
        "20;[20, 30[;*\n21;[20, 30[;*\n30;[30, 40[;*\n",
        '20,"[20, 30[",*\n21,"[20, 30[",*\n30,"[30, 40[",*\n',
        '20, "[20, 30[", *\n\n21, "[20, 30[", *\n30, "[30, 40[", *',
        "20\t[20, 30[\t*\r\n21\t[20, 30[\t*\r\n30\t[30, 40[\t*\r\n",
        "20|[20, 30[|*\n21|[20, 30[|*\n30|[30, 40[|*\n",
        "\ufeff20;[20, 30[;*\n21;[20, 30[;*\n30;[30, 40[;*\n",
    ],
    ids=["arx", "commas", "spaces", "tabs", "bars", "mark"],
)
def test_hierarchy__of_numbers_goes_by_their_text(write, content):
    age = sr.Hierarchical.from_csv("age", write(content))
    codes = age.encode(pa.array([20, 21, 30]))
    assert age.leaves == ("20", "21", "30")
    assert age.cover(codes, np.array([0, 2, 3])).text.to_pylist() == ["[20, 30[", "30"]
    assert age.parse("[20, 30[") == Interval(0, 1)


def test_hierarchy__is_read_in_the_encoding_and_delimiter_that_are_said(write):
    path = write("Köln:NRW\nBonn:NRW\n", "cp1252")
    tree = sr.Hierarchical.from_csv("ort", path, encoding="cp1252", delimiter=":")
    assert tree.leaves == ("Bonn", "Köln")
    with pytest.raises(sr.TableError, match=r'encoding="cp1252"'):
        sr.Hierarchical.from_csv("ort", path)


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("a;A;*\n\nb;B\n", "Line 3 of tree.csv has 2 labels, and line 1 has 3. Repeat a label"),
        ("a;A;*\nb\n", "Line 2 of tree.csv has 1 labels, and line 1 has 3"),
        ("a;A;*\nb;B;*\na;A;*\n", "Line 3 of tree.csv names the leaf 'a', and so does line 1"),
        ("a;A;*\nb;;*\n", "Line 2 of tree.csv has an empty label"),
        ("a;A;*;\nb;B;*;\n", "Line 1 of tree.csv has an empty label"),
        ("a;A;x\nb;A;y\n", "'A' of 'ward' lies under both 'x' and 'y'"),
        ("a\nb\n", "tree.csv has no paths. A hierarchy has a line for each leaf"),
        ("", "tree.csv has no paths"),
        ("a;A;r\nA;C;r\nb;A;r\n", "'A' of 'ward' names two different nodes"),
    ],
)
def test_hierarchy__that_is_none_is_refused_by_line(write, content, part):
    with pytest.raises(sr.SchemaError, match=part):
        sr.Hierarchical.from_csv("ward", write(content))


@pytest.mark.parametrize("delimiter", ["", "::"])
def test_hierarchy__needs_a_delimiter_of_one_character(write, delimiter):
    with pytest.raises(sr.SchemaError, match="is not its delimiter"):
        sr.Hierarchical.from_csv("ward", write("a;A\n"), delimiter=delimiter)


def test_hierarchy__that_is_not_there_is_an_error_of_ours(tmp_path):
    with pytest.raises(sr.SchemaError, match="could not be read: No such file or directory"):
        sr.Hierarchical.from_csv("ward", tmp_path / "none.csv")
