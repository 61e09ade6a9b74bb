"""Files that unpack to more than is allowed are refused, and say how to allow it."""

import bz2
import gzip
import lzma
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import seriatim as sr
from seriatim.microdata.workbook_sizes import far_corner

PEOPLE = Path(__file__).parents[2] / "data" / "sources" / "people.xlsx"
REFUSED = r"has .* and unpacks to more than 1 MiB, .*SERIATIM_UNPACKED_GIB=1\)"
ROWS = "id,zip,age\n" + "P-1,00123,51\n" * 200_000


@pytest.fixture
def one_mebibyte(monkeypatch):
    monkeypatch.setenv("SERIATIM_UNPACKED_GIB", str(2**-10))


def packed(folder, end):
    path = folder / f"people.csv.{end}"
    if end in ("zst", "lz4"):
        with pa.output_stream(str(path), compression={"zst": "zstd"}.get(end, end)) as stream:
            stream.write(ROWS.encode())
    else:
        path.write_bytes({"gz": gzip, "bz2": bz2, "xz": lzma}[end].compress(ROWS.encode()))
    return path


@pytest.mark.parametrize("end", ["gz", "bz2", "zst", "lz4", "xz"])
def test_compressed_file__that_unpacks_to_more_than_is_allowed_is_refused(
    tmp_path, one_mebibyte, end, monkeypatch
):
    path = packed(tmp_path, end)
    with pytest.raises(sr.TableError, match=REFUSED) as refusal:
        sr.open_table(path)
    assert "or unpack it yourself" in str(refusal.value)
    monkeypatch.setenv("SERIATIM_UNPACKED_GIB", "1")
    assert sr.open_table(path).num_rows == 200_000


def test_compressed_hierarchy__that_unpacks_to_more_than_is_allowed_is_refused(
    tmp_path, one_mebibyte
):
    path = tmp_path / "tree.csv.gz"
    path.write_bytes(gzip.compress(b"a;b;*\n" * 400_000))
    with pytest.raises(sr.TableError, match=REFUSED):
        sr.Hierarchical.from_csv("ward", path)


@pytest.mark.parametrize("said", ["0", "-1", "much", "nan", "inf"])
def test_limit__that_is_no_size_is_refused(tmp_path, monkeypatch, said):
    monkeypatch.setenv("SERIATIM_UNPACKED_GIB", said)
    with pytest.raises(sr.PolicyError, match=f"SERIATIM_UNPACKED_GIB is a number .* not '{said}'"):
        sr.open_table(packed(tmp_path, "gz"))


def with_sheet(path, change):
    """Write the workbook of people with another sheet."""
    with zipfile.ZipFile(PEOPLE) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.infolist():
            content = old.read(member)
            is_sheet = member.filename.startswith("xl/worksheets/sheet")
            new.writestr(member.filename, change(content) if is_sheet else content)
    return path


def test_workbook__that_unpacks_to_more_than_is_allowed_is_refused(tmp_path, one_mebibyte):
    sheet = b"</sheetData><!--" + b" " * 2**21 + b"-->"
    path = with_sheet(tmp_path / "bomb.xlsx", lambda old: old.replace(b"</sheetData>", sheet))
    with pytest.raises(sr.TableError, match=REFUSED):
        sr.open_table(path)


def test_workbook__that_claims_to_be_smaller_than_it_is_is_refused(tmp_path, one_mebibyte):
    sheet = b"</sheetData><!--" + b" " * 2**21 + b"-->"
    path = with_sheet(tmp_path / "bomb.xlsx", lambda old: old.replace(b"</sheetData>", sheet))
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        size = next(one.file_size for one in archive.infolist() if one.file_size > 2**21)
    for place in (
        content.find(size.to_bytes(4, "little")),
        content.rfind(size.to_bytes(4, "little")),
    ):
        content[place : place + 4] = (99).to_bytes(4, "little")
    path.write_bytes(bytes(content))
    with pytest.raises(sr.TableError, match=REFUSED):
        sr.open_table(path)


def test_workbook__with_a_cell_far_from_the_table_is_refused_before_room_is_made(tmp_path):
    far = b'<row r="1048576"><c r="XFD1048576" t="str"><v>x</v></c></row></sheetData>'
    path = with_sheet(tmp_path / "far.xlsx", lambda old: old.replace(b"</sheetData>", far))
    with pytest.raises(sr.TableError, match=r"17,179,869,184 cells, .*SERIATIM_UNPACKED_GIB"):
        sr.open_table(path)


@pytest.mark.parametrize(
    ("text", "corner"),
    [
        (b"", [0, 0]),
        (b'<row r="7"><c r="A1">', [1, 1]),
        (b"<c r='Z9'/><c r='AA10'/>", [27, 10]),
        (b'<c r="XFD1048576"', [16384, 1048576]),
        (b'<c r="', [0, 0]),
    ],
)
def test_corner__is_the_farthest_place_that_cells_name(text, corner):
    assert far_corner(text).tolist() == corner


def test_parquet__whose_rows_would_not_fit_is_refused(tmp_path, one_mebibyte):
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"id": np.zeros(10**6, np.int64)}), path, compression="zstd")
    assert path.stat().st_size < 10_000
    with pytest.raises(sr.TableError, match=REFUSED):
        sr.open_table(path)


def test_file__that_is_not_compressed_has_no_limit(tmp_path, one_mebibyte):
    path = tmp_path / "people.csv"
    path.write_text(ROWS)
    assert sr.open_table(path).num_rows == 200_000
