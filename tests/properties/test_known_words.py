"""Texts are found among known words, and released files counted, as one would by hand."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import oracles_plain
from profiles import examples
from seriatim.errors import SeriatimError
from seriatim.microdata import plain_files
from seriatim.microdata.known_words import codes_of_texts
from seriatim.microdata.letters import MANY
from seriatim.microdata.tables import find_codes
from seriatim.publish.written_tables import (
    Expected,
    _of_columns,
    _read_lines,
    read_columns,
    read_groups_of,
)

LONG = "a text of more than sixteen letters"
WORDS = st.one_of(
    st.text("abé\0", max_size=3),
    st.text("ab", min_size=6, max_size=10),
    st.sampled_from(["value-0001", "value-0010", LONG, LONG.replace("than", "then"), LONG + "s"]),
)


@given(st.lists(WORDS, max_size=12), st.lists(WORDS, min_size=1, max_size=20), st.integers(0, 9))
@example(["", "a", "a\0"], ["a\0", "", "\0", "a"], 0)
@example(["b" * 8, "b" * 16, "b" * 17], ["b" * size for size in range(20)], 3)
@settings(max_examples=examples(4))
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


VALUES = ["neg", "pos", "value-0013", "é", True, LONG]
"""Values that a certificate names."""

ROWS = st.lists(
    st.tuples(
        st.integers(1, 4),
        st.sampled_from([("neg", "neg"), ("é", "é"), ("true", "True"), (LONG, LONG)]),
        st.sampled_from(["", "x", "a note, of some length"]),
    ),
    min_size=1,
    max_size=20,
)
WRONG = st.sampled_from(["nothing", "group", "far", "value", "region", "quotes", "cells"])


@given(rows=ROWS, wrong=WRONG, sorted_rows=st.booleans(), place=st.integers(0, 19))
@settings(max_examples=examples(5))
def test_lines__say_of_groups_what_their_columns_say(
    tmp_path_factory, rows, wrong, sorted_rows, place
):
    rows = sorted(rows, key=lambda row: row[0]) if sorted_rows else rows
    numbers = {one: n for n, one in enumerate(dict.fromkeys(row[0] for row in rows), start=1)}
    lines = [
        [str(numbers[group]), f'"[{group},9]"', '"{F,M}"', f'"{value}"', f'"{note}"']
        for group, (value, _), note in rows
    ]
    line = lines[place % len(lines)]
    changes = {"group": (0, "x"), "far": (0, "77"), "value": (3, "none"), "region": (1, '"[0,9]"')}
    if wrong in changes:
        column, cell = changes[wrong]
        line[column] = cell
    elif wrong == "quotes":
        line[2] = "{F"
    elif wrong == "cells":
        line.append("1")
    names = ["group", "age", "sex", "exam", "note"]
    file = tmp_path_factory.mktemp("release") / "release.csv"
    head = ",".join(f'"{name}"' for name in names)
    file.write_text("\n".join([head, *map(",".join, lines)]) + "\n", encoding="utf-8")
    expected = Expected(
        "group", ("age", "sex"), "exam", ("group", "exam", "note"), tuple(VALUES), 20, 20
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_files, "MANY", 0)
        patch.setattr(plain_files, "_STRETCH", 60)
        quick = _read_lines(file, names, expected)
    try:
        slow = _of_columns(file, read_columns(file, names), expected)
    except SeriatimError:
        assert quick is None
        return
    by_hand = oracles_plain.groups([[c.strip('"') for c in line] for line in lines], VALUES)
    assert (slow.counts is None) == (by_hand is None)
    if by_hand is None:
        assert quick is None
        return
    counts, regions, uneven = by_hand
    assert slow.counts.tolist() == counts
    assert bool(slow.uneven) == uneven
    if quick is None:
        assert wrong != "nothing"
        return
    assert not uneven
    for found in (quick, slow):
        assert (found.tuples, found.groups) == (len(lines), len(counts))
        assert found.counts.tolist() == counts
        assert [list(row.values()) for row in found.regions().to_pylist()] == regions


def test_lines__with_more_groups_than_there_can_be_are_left_to_others(tmp_path):
    file = tmp_path / "release.csv"
    file.write_text('"group","exam"\n' + '1,"neg"\n' * 2 * MANY + '999999999999,"neg"\n')
    expected = Expected("group", (), "exam", ("group", "exam"), ("neg",), 2 * MANY + 1, 1)
    assert _read_lines(file, ["group", "exam"], expected) is None
    found = read_groups_of(file, ["group", "exam"], expected)
    assert (found.groups, found.counts) == (999999999999, None)


def test_counts__of_a_large_release_are_those_that_were_written(tmp_path):
    rng = np.random.default_rng(7)
    groups, values = np.sort(rng.integers(0, 900, 4 * MANY)), rng.integers(0, 19, 4 * MANY)
    file = tmp_path / "release.csv"
    pairs = zip(groups.tolist(), values.tolist(), strict=True)
    lines = [f'{g + 1},"[{g},{g + 9}]","value-{value:04}"\n' for g, value in pairs]
    names = ["group", "age", "exam"]
    file.write_text('"group","age","exam"\n' + "".join(lines))
    words = tuple(f"value-{value:04}" for value in range(20))
    expected = Expected("group", ("age",), "exam", ("group", "exam"), words, 4 * MANY, 900)
    found = _read_lines(file, names, expected)
    counts = np.bincount(groups * 20 + values, minlength=900 * 20).reshape(900, 20)
    assert np.array_equal(found.counts, counts)
    assert found.regions().column("age").to_pylist() == [f"[{g},{g + 9}]" for g in range(900)]
    file.write_text(file.read_text().replace("[450,459]", "[450,460]", 1))
    assert _read_lines(file, names, expected) is None
    assert read_groups_of(file, names, expected).uneven == ("age",)
