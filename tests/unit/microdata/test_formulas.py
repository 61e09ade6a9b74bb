"""Cells that a spreadsheet would run are told, and published as they are."""

import pyarrow as pa
import pytest

import seriatim as sr
from seriatim.errors import hearing_warnings
from seriatim.microdata.formulas import (
    runnable,
    tell_of_formulas,
    tell_of_formulas_in_domains,
    tell_of_released_formulas,
)

RUN = [
    "=1+1",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@sum(1)",
    "\tx",
    "\r=1",
    "--",
    "-a",
    "+49 171x",
]
NOT_RUN = ["", "-", "+", "=", "@", "-5", "+5", "-1.5", "-1,5", "-.5", "-1e3", "+49 171 123", "-5%"]
NOT_RUN += ["neg", "5-6", "a=b", " =1", "'=1", "[-5,3]", "{-a,b}", "é"]


@pytest.mark.parametrize("text", RUN)
def test_formula__is_a_text_that_begins_as_one(text):
    assert runnable(pa.array(["neg", text, None, text])) == [text]


@pytest.mark.parametrize("text", NOT_RUN)
def test_formula__is_no_number_nor_a_sign_alone(text):
    assert runnable(pa.array(["neg", text, None, "pos"])) == []


def test_formula__is_found_in_a_slice_and_behind_empty_texts():
    assert runnable(pa.array(["=a", "", "", "=b", ""])[1:]) == ["=b"]


def told_of(columns):
    with hearing_warnings() as heard:
        tell_of_formulas(columns)
    return heard


def test_formulas__of_a_column_are_told_once_with_a_few_of_them():
    column = pa.chunked_array([["=a", "=b", "x"], ["=c", "=a", "=d" * 40]])
    (told,) = told_of({"exam": column, "age": pa.array([-5, 3])})
    assert told.startswith("Column 'exam' has 4 different value(s) that a spreadsheet would run")
    assert "'=a', '=b', '=c' and 1 more" in told


def test_formula__as_a_title_is_told():
    (told,) = told_of({"=exam": pa.array([1, 2])})
    assert told.startswith("The title of column '=exam' begins as a formula does.")


WEEK = {
    "id": [f"={who}" for who in range(24)],
    "ward": ["-north", "-north", "south", "south"] * 6,
    "exam": ["neg", "=pos"] * 12,
    "note": ["@x", "y"] * 12,
}


@pytest.mark.parametrize("form", ["generalized", "buckets"])
def test_release__tells_of_formulas_in_what_is_published_and_of_no_id(form):
    schema = sr.Schema(
        "id",
        [sr.Categorical("ward", ["-north", "south", "=never"])],
        sr.Sensitive("exam", ["neg", "=pos", "=never"]),
        () if form == "buckets" else ("note",),
    )
    policy = sr.Policy(sr.KAnonymity(k=2), form=form)
    publisher = sr.Publisher(schema, policy, sr.Adversary(), seed=1)
    publisher.publish(WEEK, at=1)
    with hearing_warnings() as heard:
        tell_of_released_formulas(publisher.latest.release)
    assert [one.split("'")[1] for one in heard] == ["ward", "exam", "note"][
        : 2 + (form != "buckets")
    ]
    assert "'-north'" in heard[0]
    assert not any("never" in one or "=1" in one for one in heard)
    with hearing_warnings() as heard:
        tell_of_formulas_in_domains(schema)
    assert ["=never" in one for one in heard] == [True, True]
