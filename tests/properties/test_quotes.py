"""Quotes are found as a parser goes through them letter by letter, however a text is cut."""

import csv
import io
import itertools
from dataclasses import replace

from hypothesis import example, given, settings
from hypothesis import strategies as st

import oracles_plain
from profiles import examples
from seriatim.microdata.quotes import quotes_in, quotes_of

TEXTS = st.text('""""a,;\n\r', max_size=60)


@given(text=TEXTS, delimiter=st.sampled_from(",;"), cuts=st.lists(st.integers(0, 60), max_size=6))
@example('1,"5 cm\n2,x\n', ",", [])
@example('"\r\n"', ",", [2])
@example('""""', ",", [1, 2, 3])
@example('5" wound,"', ",", [3])
@settings(max_examples=examples(20))
def test_quotes__are_those_of_a_parser_that_goes_letter_by_letter(text, delimiter, cuts):
    expected = oracles_plain.quotes(text, delimiter)
    found = quotes_in(text.encode(), delimiter)
    if text.endswith('"'):  # of the last run the parity is told, not the length
        found = replace(found, misplaced=expected.misplaced)
    assert found == expected
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[a:b].encode() for a, b in itertools.pairwise(places)]
    in_pieces = quotes_of(pieces, delimiter)
    assert replace(in_pieces, misplaced=expected.misplaced) == expected


@given(text=TEXTS)
@settings(max_examples=examples(10))
def test_quotes__are_open_at_the_end_exactly_where_pythons_parser_is_inside(text):
    """One more line is a record of its own, or is swallowed by the cell that is open."""
    more = text + ("" if text.endswith(("\n", "\r")) else "\n") + "last"
    records = list(csv.reader(io.StringIO(more, newline="")))
    assert (quotes_in(text.encode(), ",").open_since is not None) == (records[-1] != ["last"])


@given(text=TEXTS)
def test_quotes__of_a_header_may_span_lines(text):
    assert quotes_of([text.encode()], ",", header_lines=99).spanning == 0
