"""Plain files are read by compiled loops as Arrow reads them, and others are left to it."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import oracles_plain
from profiles import examples
from seriatim.errors import SeriatimError, hearing_warnings
from seriatim.kernels.plain_cells import EMPTY, NUMBER, TEXT, read_cells
from seriatim.kernels.plain_lines import PIECE, survey_lines
from seriatim.microdata import delimited, plain_files
from seriatim.microdata.letters import MANY
from seriatim.microdata.sources import open_as_text, open_table

ODD = ["", "0", "-0", "007", "-7", "+7", "-", " 12 ", "NA", "null", "1.5", "1e5", "2024-02-30", "a"]
NUMBERS = st.one_of(
    st.integers(0, 99).map(str),
    st.integers(-(10**6), 10**6).map(str),
    st.integers(-(2**66), 2**66).map(str),
)
WORDS = st.one_of(
    st.sampled_from(ODD),
    NUMBERS,
    st.text('ab é€\U0001f600,;"\n\r\0', max_size=12),
    st.sampled_from(["F", "M", "value-0013", "a much longer text than a word of the machine"]),
)


def quoted(cell, always):
    special = any(mark in cell for mark in '",;\n\r')
    return '"' + cell.replace('"', '""') + '"' if special or always else cell


@st.composite
def files(draw):
    """Files of all sorts: mostly plain, often with something that is not."""
    columns = draw(st.integers(1, 4))
    kinds = draw(
        st.lists(st.sampled_from(["id", "word", "some"]), min_size=columns, max_size=columns)
    )
    cells = {
        "id": st.integers(0, 10**7).map(str),
        "word": st.sampled_from(["neg", "pos", "value-0013", "Köln", ""]),
        "some": WORDS,
    }
    rows = draw(st.lists(st.tuples(*(cells[kind] for kind in kinds)), min_size=1, max_size=12))
    rows = rows * draw(st.sampled_from([1, 1, 40]))
    always = draw(st.lists(st.booleans(), min_size=columns, max_size=columns))
    lines = [[quoted(cell, how) for cell, how in zip(row, always, strict=True)] for row in rows]
    if draw(st.integers(0, 9)) == 0:
        lines[draw(st.integers(0, len(lines) - 1))].append(draw(WORDS))
    delimiter = draw(st.sampled_from([",", ";"]))
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    ends = [end] * len(lines)
    if draw(st.integers(0, 9)) == 0:
        ends[draw(st.integers(0, len(ends) - 1))] = draw(
            st.sampled_from(["\n", "\r\n", "\r", "\n\n"])
        )
    if draw(st.booleans()):
        ends[-1] = ""
    header = delimiter.join(f'"c{place}"' for place in range(columns)) + end
    body = "".join(delimiter.join(line) + end for line, end in zip(lines, ends, strict=True))
    spoiled = draw(st.sampled_from([b"", b"", b"", b"", b'"', b"\xff", b'x"y', b"\n"]))
    place = draw(st.integers(0, len(body.encode())))
    return header.encode() + body.encode()[:place] + spoiled + body.encode()[place:]


def outcome(read, *given, **named):
    """What is read, or the error that is told."""
    try:
        with hearing_warnings() as heard:
            table = read(*given, **named)
    except SeriatimError as error:
        return type(error), str(error)
    return table.schema, table.to_pydict(), heard


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("plain") / "people.csv"


def both(read, *given, many=MANY, stretch=2**19, **named):
    """What is read with and without compiled loops, and whether they read it."""
    ways = []
    original = delimited._read_plain

    def seeing(*given):
        ways.append(original(*given))
        return ways[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_files, "MANY", many)
        patch.setattr(plain_files, "_STRETCH", stretch)
        patch.setattr(delimited, "_read_plain", seeing)
        found = outcome(read, *given, **named)
        patch.setattr(delimited, "_read_plain", lambda *given: None)
        return found, outcome(read, *given, **named), any(way is not None for way in ways)


@given(
    content=files(),
    missing=st.sampled_from([("",), (), ("", "NA"), ("7", "neg", "0"), ("", "-7")]),
    text=st.sampled_from([(), ("c0",)]),
    columns=st.sampled_from([None, ("c0",), ("c1", "c0")]),
)
@example(b"c0,c1\n1,\n,2\n", ("",), (), None)
@example(b"c0,c1\n1,\n2,\n", ("",), (), None)
@example(b'c0,c1\n"","1"\n"x","2"', ("",), (), None)
@example(b'c0,c1\n"x\n",","\n1,2\n', ("",), (), None)
@example(b"c0,c1\r\n1,2\r\n3,4\r", ("",), (), None)
@example(b'c0,c1\r\n"1","2"\r\n"3","4"', ("",), (), None)
@example(b"c0,c1\n1," + b"9" * 18 + b"\n2," + b"9" * 19 + b"\n", ("",), (), None)
@example(b"c0,c1\n1,\xff\n2,a\n", ("",), (), ("c0",))
@settings(max_examples=examples(8))
def test_file__is_read_as_arrow_reads_it(path, content, missing, text, columns):
    path.write_bytes(content)
    named = {"missing": missing, "text": text, "columns": columns}
    small = {"many": 0, "stretch": 50}
    found, expected, _ = both(open_table, path, **named, **small)
    assert found == expected
    found, expected, _ = both(open_as_text, path, columns=columns, **small)
    assert found == expected


@pytest.mark.parametrize("late", ["51", "x", "007", ""])
@pytest.mark.parametrize(("end", "last", "mark"), [("\n", True, ""), ("\r\n", False, '"')])
def test_file__of_many_rows_is_read_by_compiled_loops(path, end, last, mark, late):
    rng = np.random.default_rng(7)
    rows = [
        f"{mark}{who}{mark},{-1 if who % 7 == 0 else who % 90},{mark}{word}{mark},{word[:3]}"
        for who, word in zip(
            rng.permutation(10**6)[: 5 * MANY],
            rng.choice(["value-0013", "Köln", "b"], 5 * MANY),
            strict=True,
        )
    ]
    rows[-3] = f"{late},{late},{late},b"
    path.write_text(end.join(["id,age,exam,ward", *rows]) + (end if last else ""), newline="")
    for read in (open_table, open_as_text):
        found, expected, plain = both(read, path)
        assert plain
        assert found == expected


@pytest.mark.parametrize(
    "odd",
    ['"a\nb",1', 'a"b,1', '"a"b,1', '"a""b",1', "a,1\r", "a,1,2", "a", "", "x" * 2**17 + ",1"],
)
def test_file__that_is_not_plain_is_left_to_arrow(path, odd):
    rows = ["b,2"] * 2 * MANY
    rows[MANY] = odd
    path.write_text("\n".join(["exam,age", *rows]), newline="")
    found, expected, plain = both(open_table, path)
    assert not plain
    assert found == expected


def test_file__of_few_rows_does_not_load_the_compiler(path):
    path.write_text("exam,age\n" + "b,2\n" * (MANY // 2))
    *_, plain = both(open_table, path)
    assert not plain


def test_file__with_a_line_too_long_for_arrow_is_refused_as_before(path):
    rows = ["b,2"] * 2 * MANY
    rows[MANY] = "x" * 2**22 + ",3"
    path.write_text("\n".join(["exam,age", *rows]))
    found, expected, _ = both(open_table, path)
    assert found == expected


LINES = st.lists(
    st.lists(st.one_of(st.text("ab1-0,é", max_size=9), NUMBERS), min_size=2, max_size=2),
    min_size=1,
    max_size=30,
)


@given(
    lines=LINES,
    quotes=st.tuples(st.booleans(), st.booleans()),
    returns=st.booleans(),
    odd=st.one_of(st.just(""), st.text('ab,"\r\n', max_size=3)),
    place=st.integers(0, 10**4),
    times=st.sampled_from([1, 1, 300]),
)
@settings(max_examples=examples(6))
def test_cells__are_those_that_are_read_letter_by_letter(lines, quotes, returns, odd, place, times):
    end = "\r\n" if returns else "\n"
    written = "".join(
        ";".join(f'"{cell}"' if how else cell for cell, how in zip(line, quotes, strict=True)) + end
        for line in lines * times
    )
    place %= len(written)
    body = (written[:place] + odd + written[place:]).encode() if odd else written.encode()
    body = body if body.endswith(end.encode()) else body + end.encode()
    expected = oracles_plain.cells(body, ";", 2, returns)
    letters = np.frombuffer(b"before" + body + bytes(64), np.uint8)
    span = (letters, 6, 6 + len(body), ord(";"), returns)
    lengths = np.zeros(2, np.int64)
    rows = survey_lines(*span, lengths)
    if expected is None:
        assert rows == -1
        return
    assert rows == len(expected)
    assert lengths.tolist() == [sum(len(row[column]) for row in expected) for column in (0, 1)]
    numbers = np.zeros((1, rows), np.int64)
    begins = np.zeros((1, rows + 1), np.int32)
    texts = np.zeros(lengths[1], np.uint8)
    bases = np.array([0, lengths[1]])
    odd_cells = np.zeros((2, 2), np.bool_)
    kinds, slots = np.array([NUMBER, TEXT]), np.zeros(2, np.int64)
    arrays = (numbers, begins, texts, bases, bases[None].copy(), odd_cells)
    assert read_cells(*span, 0, rows, kinds, slots, *arrays)
    begins[0, -1] = lengths[1]
    for row, (first, second) in enumerate(expected):
        assert texts[begins[0, row] : begins[0, row + 1]].tobytes() == second
        if first == b"":
            assert numbers[0, row] == EMPTY
        elif oracles_plain.number(first) is not None:
            assert numbers[0, row] == oracles_plain.number(first)
    assert odd_cells[0, 0] == any(row[0] == b"" for row in expected)
    assert odd_cells[0, 1] == any(
        row[0] and oracles_plain.number(row[0]) is None for row in expected
    )
    assert odd_cells[1, 0] == any(row[1] == b"" for row in expected)
    assert odd_cells[1, 1] >= any(max(row[1], default=0) > 127 for row in expected)


def test_cells__are_not_written_beyond_what_was_counted():
    body = b"12,abc\n34,def\n" * PIECE
    letters = np.frombuffer(body + bytes(64), np.uint8)
    kinds, slots = np.array([NUMBER, TEXT]), np.zeros(2, np.int64)
    for rows, room in ((2 * PIECE - 1, 6 * PIECE), (2 * PIECE, 6 * PIECE - 1)):
        numbers = np.zeros((1, 2 * PIECE), np.int64)
        begins, texts = np.zeros((1, 2 * PIECE + 1), np.int32), np.zeros(6 * PIECE + 8, np.uint8)
        bases = np.array([0, len(texts)])
        arrays = (numbers, begins, texts, bases, np.array([[0, room]]), np.zeros((2, 2), np.bool_))
        assert not read_cells(
            letters, 0, len(body), ord(","), False, 0, rows, kinds, slots, *arrays
        )
        assert not numbers[0, rows:].any()
        assert not texts[room:].any()


def test_table__has_one_piece_of_each_column(path):
    path.write_text("id,exam\n" + "".join(f"{who},neg\n" for who in range(2 * MANY)))
    table = open_table(path)
    assert [column.num_chunks for column in table.columns] == [1, 1]
    assert table.schema.types == [pa.int64(), pa.string()]
