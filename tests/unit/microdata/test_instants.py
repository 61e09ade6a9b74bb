import datetime as dt

import pytest

import seriatim as sr
from seriatim.microdata.instants import read_instant_word
from seriatim.microdata.typed_numbers import typed_number, typed_whole


@pytest.mark.parametrize(
    ("word", "instant"),
    [
        ("3", 3),
        ("-2", -2),
        ("2.5", 2.5),
        ("1e3", 1000.0),
        ("2026-11-16", dt.date(2026, 11, 16)),
        ("2026-11-16 10:30", dt.datetime(2026, 11, 16, 10, 30)),  # noqa: DTZ001 - as it is typed
    ],
)
def test_instant__is_read_as_it_is_typed(word, instant):
    assert read_instant_word(word) == instant


@pytest.mark.parametrize(
    "word",
    ["1e999", "-1e999", "1_0", "１０", "٣", "²", " 5", "5 ", "5\n", "nan", "inf", "-Infinity", "",
     "9" * 30, "9" * 5000, "0x10", "２０２６-11-16", "2026-11-16 ", "soon"],
)  # fmt: skip
def test_instant__that_nobody_types_so_is_refused_with_what_is_possible(word):
    with pytest.raises(sr.StudyError, match=r"is no instant.*plain digits.*2026-11-16"):
        read_instant_word(word)


@pytest.mark.parametrize("at", [float("inf"), -float("inf"), float("nan")])
def test_instant__without_a_before_and_after_is_refused_in_python_too(at):
    publisher = sr.Publisher(
        sr.Schema("id", [sr.Numeric("age")], sr.Sensitive("exam")),
        sr.k_anonymity(2),
        sr.Adversary(),
    )
    with pytest.raises(sr.OrderError, match="no before and after"):
        publisher.publish({"id": [1, 2], "age": [51, 52], "exam": ["neg", "pos"]}, at=at)


@pytest.mark.parametrize("word", ["1_0", "１０", " 1", "1.0", "", "9223372036854775808"])
def test_whole_number__is_plain_digits(word):
    assert typed_whole(word) is None


def test_numbers__are_read_as_they_are_typed():
    assert [typed_whole("-9223372036854775807"), typed_number("007"), typed_number(".5")] == [
        -9223372036854775807,
        7,
        0.5,
    ]


def test_interval__of_a_release_has_plain_digits():
    with pytest.raises(sr.KnowledgeError, match="no number or interval"):
        sr.Numeric("age").parse("４５-５４")
