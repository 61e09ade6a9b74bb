"""Texts are found among known words, and released files counted, as one would by hand."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import oracles_plain
from seriatim.errors import SeriatimError
from seriatim.microdata import plain_files
from seriatim.microdata.known_words import codes_of_texts
from seriatim.microdata.letters import MANY
from seriatim.microdata.plain_counts import count_plain
from seriatim.microdata.sources import open_lines
from seriatim.microdata.tables import find_codes
from seriatim.publish import verify

LONG = "a text of more than sixteen letters"
WORDS = st.one_of(
    st.text("abé\0", max_size=3),
    st.text("ab", min_size=6, max_size=10),
    st.sampled_from(["value-0001", "value-0010", LONG, LONG.replace("than", "then"), LONG + "s"]),
)


@given(st.lists(WORDS, max_size=12), st.lists(WORDS, min_size=1, max_size=20), st.integers(0, 9))
@example(["", "a", "a\0"], ["a\0", "", "\0", "a"], 0)
@example(["b" * 8, "b" * 16, "b" * 17], ["b" * size for size in range(20)], 3)
@settings(max_examples=150, deadline=None)
def test_texts__have_the_codes_of_their_words(known, few, skipped):
    texts = few * (MANY // len(few) + 1) + few
    column = pa.array(["x"] * skipped + texts, pa.string())[skipped:]
    codes = {word: code for code, word in enumerate(dict.fromkeys(known))}
    expected = [codes.get(text, -1) for text in texts]
    assert codes_of_texts(column, codes).tolist() == expected
    first = {word: code for code, word in reversed(list(enumerate(known)))}
    assert find_codes(column, known).tolist() == [first.get(text, -1) for text in texts]


@pytest.mark.parametrize("texts", [["a"] * 5, ["a", None] * MANY, [1] * MANY])
def test_texts__that_are_few_or_no_texts_are_left_to_arrow(texts):
    assert codes_of_texts(pa.array(texts), {"a": 0}) is None


def test_texts__are_not_found_among_what_is_no_text():
    column = pa.array(["a", "1"] * MANY)
    assert find_codes(column, [1, "\ud800", "a"]).tolist() == [2, -1] * MANY
    assert find_codes(column, [1, True]).tolist() == [-1, -1] * MANY


def test_texts__are_found_among_many_words():
    words = [f"{place}-{'x' * (place % 30)}" for place in range(5000)]
    column = pa.array([*words, "5000-"] * 4)
    assert find_codes(column, words).tolist() == [*range(5000), -1] * 4


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "3", "12", "0", "-1", "x", ""]),
        st.sampled_from(["neg", "pos", "value-0013", "é", LONG, "1", "true", ""]),
    ),
    min_size=1,
    max_size=20,
)


@given(
    rows=ROWS,
    right=st.booleans(),
    quotes=st.booleans(),
    end=st.sampled_from(["\n", "\r\n"]),
    order=st.permutations(["group", "age", "exam"]),
    values=st.sampled_from([["neg", "pos", "value-0013", "é"], ["neg", True, 1, LONG], ["pos"]]),
)
@settings(max_examples=200, deadline=None)
def test_counts__are_those_of_the_rows(tmp_path_factory, rows, right, quotes, end, order, values):
    if right:
        rows = [
            (group if group.isdigit() and 0 < int(group) < 99 else "7", exam)
            for group, exam in rows
        ]
        rows = [(group, exam if exam in values else "pos") for group, exam in rows]
    mark = '"' if quotes else ""
    lines = [
        ",".join(
            {"group": group, "age": f'"[{place},9]"', "exam": f"{mark}{exam}{mark}"}[one]
            for one in order
        )
        for place, (group, exam) in enumerate(rows)
    ]
    file = tmp_path_factory.mktemp("release") / "release.csv"
    file.write_text(end.join([",".join(order), *lines]) + end, newline="")
    codes = {form: code for code, form in enumerate(["neg", "pos", "value-0013", "é", LONG])}
    columns = order.index("group"), order.index("exam")
    body = file.read_bytes().split(end.encode(), 1)[1]
    cells = [
        [cell.strip(b'"') for cell in row]
        for row in oracles_plain.cells(body, ",", 3, end == "\r\n")
    ]
    promised = {
        "columns": {"group": "group", "sensitive": "exam"},
        "values": values,
        "form": "generalized",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_files, "MANY", 0)
        patch.setattr(plain_files, "_STRETCH", 60)
        counted = count_plain(*open_lines(file), "group", "exam", codes)
        expected = oracles_plain.counts(cells, *columns, codes)
        assert (None if counted is None else counted.tolist()) == expected
        quick = outcome(file, promised)
        patch.setattr(verify, "_counted_at_once", lambda *given: None)
        assert outcome(file, promised) == quick


def test_counts__of_more_groups_than_there_can_be_are_left_to_others(tmp_path):
    file = tmp_path / "release.csv"
    file.write_text("group,exam\n" + "1,neg\n" * 2 * MANY + "999999999999,neg\n")
    assert count_plain(*open_lines(file), "group", "exam", {"neg": 0}) is None


def outcome(file, promised):
    try:
        return verify._counts(file, promised).tolist()
    except SeriatimError as error:
        return type(error), str(error).replace(str(file), "")


def test_counts__of_a_large_release_are_those_that_were_written(tmp_path):
    rng = np.random.default_rng(7)
    groups, values = np.sort(rng.integers(0, 900, 4 * MANY)), rng.integers(0, 19, 4 * MANY)
    groups[-1] = 899
    file = tmp_path / "release.csv"
    pairs = zip(groups.tolist(), values.tolist(), strict=True)
    lines = [f'{group + 1},"{{F,M}}","value-{value:04}"\n' for group, value in pairs]
    file.write_text('"group","gender","exam"\n' + "".join(lines))
    words = [f"value-{value:04}" for value in range(19)]
    promised = {
        "columns": {"group": "group", "sensitive": "exam"},
        "values": words,
        "form": "generalized",
    }
    assert verify._counted_at_once(file, promised) is not None
    expected = np.bincount(groups * 19 + values, minlength=900 * 19).reshape(900, 19)
    assert np.array_equal(verify._counts(file, promised), expected)
