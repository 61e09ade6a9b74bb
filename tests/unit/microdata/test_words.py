import pytest

from seriatim.microdata.words import read_words, written

WORDS = [
    "F",
    "Rovereto",
    "New York",
    "Rovereto, TN",
    'the "old" town',
    '"',
    '""',
    '"quoted"',
    ",",
    "{a,b}",
    "[a,b]",
    "*",
    "12*",
    "",
    " ",
    " before",
    "after ",
    "Zürich",
    "it's",
    "a\tb",
]


@pytest.mark.parametrize("word", WORDS, ids=repr)
def test_word__is_read_as_it_was_written(word):
    assert read_words(written(word)) == [word]


def test_words__are_read_as_they_were_written_side_by_side():
    assert read_words(",".join(map(written, WORDS))) == WORDS


@pytest.mark.parametrize(
    "word", ["F", "New York", "it's", "Zürich", "12-13", "a;b", 51, -2.5, True]
)
def test_word__that_cannot_be_mistaken_is_written_plainly(word):
    assert written(word) == str(word)


def test_words__may_have_spaces_before_them():
    assert read_words('F,  M, "a, b"') == ["F", "M", "a, b"]
